// The contents of a Device and a Module; not part of the public interface.
#pragma once

#include "frontend/archive/archive.hpp"
#include "frontend/ir/module.hpp"
#include "frontend/isa/table.hpp"
#include "runtime/cache/file_cache.hpp"
#include "runtime/device.hpp"
#include "sim/compiled/tiers.hpp"
#include "sim/events.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/notices.hpp"
#include "sim/exec/plan.hpp"
#include "sim/exec/print_buffer.hpp"
#include "sim/functional/spare_cluster.hpp"
#include "sim/memory/device_heap.hpp"
#include "sim/memory/global_memory.hpp"
#include "sim/texture/table.hpp"
#include "sim/timing/plan/machine_kernel.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpsim::runtime {

class CacheWarmth;
class Checkpoints;
class TimedWork;

struct Device::State {
    State();
    ~State();

    sim::Config config;
    DeviceOptions options;
    isa::HostIsa host;
    // Modules may outlive the Device object that made them; the memory lives as long as either.
    std::shared_ptr<sim::GlobalMemory> memory;
    std::shared_ptr<sim::texture::Table> textures;
    std::uint64_t next_grid = 1;
    std::unique_ptr<sim::DeviceHeap> heap;        // of malloc in kernels; made when one uses it
    std::unique_ptr<sim::DeviceHeap> parameters;  // of grids that kernels launch; made when one does
    std::uint64_t error_texts = 0;                // names and descriptions that kernels may read, likewise
    std::unique_ptr<sim::PrintBuffer> print;
    std::atomic<std::uint64_t> stack_bytes{0}, print_bytes{0}, heap_bytes{0};  // the limits that a program may set
    std::atomic<bool> has_printed{false};
    sim::Notices notices;
    sim::EventSinks sinks;                                    // those of the options
    std::optional<cache::FileCache> cache;                    // of decoded modules
    std::shared_ptr<cache::FileCache const> code_files;       // of compiled code; null: none is kept
    std::atomic<bool> cache_is_closed{false};                 // nothing could be written to it
    std::unique_ptr<std::atomic<std::uint64_t>[]> sm_clocks;  // per SM the warp instructions that it has executed
    std::set<std::uint64_t> host_pages;                       // that allocate_at() has mapped
    std::shared_ptr<CacheWarmth> warmth;                      // of launches that are not timed; null: nobody asks
    std::unique_ptr<Checkpoints> checkpoints;                 // null: the run is not kept
    std::unique_ptr<TimedWork> timed;                         // of timing mode, made when it is first used

    void tell(sim::HostAccessEvent::Operation operation, std::uint64_t address, std::uint64_t from,
              std::uint64_t bytes) const {
        sinks.tell<sim::HostAccessEvent>([&] { return sim::HostAccessEvent{operation, address, from, bytes}; });
    }
    void tell_allocation(sim::AllocationSource source, bool is_free, std::uint64_t address,
                         std::uint64_t bytes) const {
        sinks.tell<sim::AllocationEvent>(
            [&] { return sim::AllocationEvent{source, is_free, address, bytes, {}, 0}; });
    }
};

struct Module::State : std::enable_shared_from_this<Module::State> {
    std::shared_ptr<sim::GlobalMemory> memory;
    std::optional<frontend::PackedModule> packed;  // a module of the cache: functions get their bodies with plans
    ir::Module module;
    sim::SymbolAddresses symbols;
    std::shared_ptr<sim::texture::Table> textures;
    std::vector<sim::texture::Handle> samplers;                   // of its .samplerref variables, removed with it
    std::vector<std::uint64_t> allocations;                       // of the module's variables, freed with it
    std::unordered_map<std::string_view, std::uint32_t> kernels;  // by name: views of those in the module
    struct Planned {
        std::unique_ptr<sim::KernelPlan> plan;
        sim::SpareCluster spare;
    };
    std::map<std::uint32_t, Planned> plans;  // by kernel, made at the first launch
    isa::HostIsa host = isa::HostIsa::baseline;
    bool share_registers = true;
    cache::Key text_key{};                               // of what it was read from, where there is a cache
    std::shared_ptr<cache::FileCache const> code_files;  // the device's
    std::map<std::uint32_t, std::shared_ptr<sim::TieredCode>> codes;  // ... if functional mode compiles
    std::map<std::uint32_t, std::unique_ptr<timing::MachineKernel>> machine_kernels;  // ... in timing mode
    std::map<std::uint32_t, std::uint32_t> counted_registers;
    std::string hash;     // empty: not made yet
    std::mutex planning;  // guards the maps and the hash; a plan itself never changes

    sim::KernelPlan const& plan(std::uint32_t kernel);
    /// What launches of the kernel leave for the next.
    sim::SpareCluster& spare(std::uint32_t kernel);
    /// Native code of the kernel, as far as there is some. Lives as long as the module. `counts`: the same for all
    /// launches on a device.
    sim::TieredCode& code(std::uint32_t kernel, std::optional<sim::Banks> const& counts);
    timing::MachineKernel const& machine_kernel(std::uint32_t kernel, sim::Config const& config);
    /// 32-bit registers of a thread, as timing mode hands them out; counted when somebody asks.
    std::uint32_t registers(std::uint32_t kernel, sim::Config const& config);
    /// Of the texts of the module; made when somebody asks.
    std::string const& sha256();
    /// Finds all kernels' names; once, when the module is there.
    void name_kernels();
    /// The kernel of that name; throws Error(usage) that names the nearest.
    std::uint32_t kernel(std::string_view name) const;
    std::vector<Parameter> parameters(std::string_view kernel) const;
};

/// The shape in CTAs, with the kernel's own cluster where the launch gives none. Throws Error(launch) for clusters
/// that the kernel, the configuration or the grid do not allow.
LaunchShape placed_shape(sim::Config const& config, ir::Function const& kernel, LaunchShape const& shape);

/// Throws Error(launch) when not even one CTA or cluster of the launch fits, naming the resource and its limit.
void check_launch(sim::Config const& config, ir::Function const& kernel, sim::KernelPlan const& plan,
                  std::uint32_t compiled_registers, LaunchShape const& shape, std::size_t argument_bytes);

/// How many CTAs of the launch one SM holds at once; 0 when not even one fits.
std::uint32_t ctas_per_sm(sim::Config const& config, sim::KernelPlan const& plan, std::uint32_t compiled_registers,
                          LaunchShape const& shape);
/// How many CTAs of the launch are resident on the whole GPU at once; one at least.
std::uint64_t resident_ctas(sim::Config const& config, sim::KernelPlan const& plan,
                            std::uint32_t compiled_registers, LaunchShape const& shape);
/// 32-bit registers per thread: those that the compiled kernel needs, as far as its directives and one CTA of that
/// shape leave so many.
std::uint32_t registers_per_thread(sim::Config const& config, ir::Function const& kernel,
                                   std::uint32_t compiled_registers, LaunchShape const& shape);

/// What the kernel at that index of the module needs.
KernelAttributes kernel_attributes(sim::Config const& config, Module::State& module, std::uint32_t kernel);

/// Of a grid, a block or a thread: "(x,y,z)".
std::string dims(std::array<std::uint32_t, 3> const& v);

/// The report of a fault as the user reads it.
std::string report(sim::Fault const& fault, ir::Module const& module, std::string_view kernel,
                   LaunchShape const& shape);

}  // namespace warpsim::runtime
