// A launch that was checked, with everything that its warps share, from before it begins until after it has ended.
#pragma once

#include "runtime/child_grids.hpp"
#include "runtime/device_state.hpp"
#include "runtime/launch_capture.hpp"
#include "sim/exec/launch_context.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace warpsim::runtime {

/// Zeroed memory for the barriers of one cooperative launch, where kernels that nvcc compiled look for it.
class GridWorkspace {
public:
    GridWorkspace(sim::GlobalMemory& memory, bool is_wanted)
        : memory_(memory), address_(is_wanted ? memory.allocate(bytes) : 0) {}
    ~GridWorkspace() {
        if (address_ != 0) memory_.free(address_);
    }
    GridWorkspace(GridWorkspace const&) = delete;
    GridWorkspace& operator=(GridWorkspace const&) = delete;
    std::uint64_t address() const { return address_; }

private:
    static constexpr std::uint64_t bytes = 1024;  // cooperative groups use the word at offset 4
    sim::GlobalMemory& memory_;
    std::uint64_t address_;
};

class PreparedGrid {
public:
    /// Throws Error(launch) when the launch cannot be placed. `depth`: launches away from the host.
    PreparedGrid(Device::State& state, Module::State& loaded, std::uint32_t kernel, LaunchShape const& wanted,
                 Arguments const& arguments, std::uint32_t depth, DeviceOptions const& options);
    PreparedGrid(PreparedGrid const&) = delete;
    PreparedGrid& operator=(PreparedGrid const&) = delete;

    sim::LaunchContext& context() { return context_; }
    timing::MachineKernel const& machine() const { return *machine_; }  // of timing mode
    ir::Module const& module() const { return machine_ != nullptr ? machine_->module : loaded_.module; }
    LaunchShape const& shape() const { return shape_; }
    LaunchResult& result() { return result_; }
    bool is_watched() const { return is_watched_; }
    /// For CTAs of a launch in timing mode that are not timed: the kernel as functional mode executes it, on the same memory.
    sim::LaunchContext& functional_context(Device::State& state, DeviceOptions const& options);
    /// Whether such CTAs are being executed: a fault is theirs then.
    void set_functional(bool is_on) { is_functional_ = is_on; }
    Module::State& loaded() { return loaded_; }
    std::uint32_t kernel() const { return kernel_; }
    /// Listens to what happens inside; null: the launch is not captured.
    LaunchCapture* capture() { return capture_.get(); }

    /// Tells the sinks of the device that the launch begins: in a cycle, with the time of cycle 0. Then one of the next
    /// three is called, in timing mode with the cycle of the end.
    void begin(Device::State& state, std::uint64_t cycle = 0, std::uint64_t origin = 0);
    /// Tells the sinks how often it has executed each instruction.
    void tell_counts(Device::State& state, std::span<sim::ExecutionCount const> counts) const;
    /// Whether anybody wants to know that.
    bool wants_counts(Device::State const& state) const;
    /// Tells the sinks that it has ended and what its kernels noticed, gives what they have printed, and takes the
    /// time.
    void finish(Device::State& state, DeviceOptions const& options, std::uint64_t cycle = 0);
    /// Tells the sinks of a fault, gives what kernels have printed, and returns the fault as the caller gets it.
    FaultError fail(Device::State& state, DeviceOptions const& options, sim::Fault const& fault,
                    std::uint64_t cycle = 0);
    /// Tells the sinks that it ends because another launch on the device has failed.
    void abandon(Device::State& state, std::uint64_t cycle);

    /// What its kernels asked to be done after it is added to `todo`, the first of it last.
    void give_children(std::vector<ChildWork>& todo);

private:
    void fill_context(sim::LaunchContext& context, Device::State& state, DeviceOptions const& options);
    ir::Module const& fault_module() const { return is_functional_ ? loaded_.module : module(); }
    void tell_end(Device::State& state, bool has_faulted, std::uint64_t cycle) const;
    void end(sim::LaunchStatus status);

    Module::State& loaded_;
    std::uint32_t const kernel_;
    LaunchShape const shape_;
    timing::MachineKernel const* const machine_;  // null in functional mode
    sim::KernelPlan const& plan_;
    GridWorkspace const workspace_;
    std::optional<ChildGrids> children_;
    std::shared_ptr<sim::AllocationMap const> const map_;
    std::shared_ptr<sim::texture::TableMap const> const textures_;
    sim::LaunchContext context_;
    sim::AlignedBytes block_, warp_blocks_;
    struct Functional {
        sim::LaunchContext context;
        sim::AlignedBytes block, warp_blocks;
    };
    std::unique_ptr<Functional> functional_;  // made when CTAs are not timed
    std::vector<std::byte> argument_bytes_;   // of a launch that may be sampled
    bool is_functional_ = false;
    LaunchResult result_;
    bool const is_watched_;
    std::unique_ptr<LaunchCapture> capture_;
    std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
};

}  // namespace warpsim::runtime
