// Dynamic parallelism: what the kernels of a grid have asked to launch, and their other requests to CUDA's
// device runtime. The work waits until the grid has ended: a child may start that late, and nothing can wait for
// it.
#pragma once

#include "runtime/device_state.hpp"
#include "runtime/work_order.hpp"
#include "sim/exec/device_runtime.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace warpsim::runtime {

/// Something to do when the grid that asked for it has ended.
struct ChildWork {
    enum class Kind : std::uint8_t { launch, copy, fill };
    Kind kind = Kind::launch;
    bool is_tail = false;     // ... and all its other work, with what that asks for
    std::uint64_t cta = 0;    // that asked
    std::uint32_t depth = 0;  // 1: launched by a grid of the host
    ChildRequest request{};   // whose it is
    // of a launch
    std::uint32_t kernel = 0;
    LaunchShape shape{};
    Arguments arguments{};
    std::uint64_t buffer = 0, buffer_bytes = 0;  // the arguments are still there; 0: nowhere
    // of a copy, in rows; a fill has no source
    std::uint64_t to = 0, from = 0, to_distance = 0, from_distance = 0, width = 0, height = 1;
    std::uint8_t value = 0;
};

/// Does a copy or fill that a kernel asked for. Throws FaultError.
void move_bytes(Device::State const& state, ChildWork const& work, bool host_trust);

class ChildGrids final : public sim::DeviceRuntime {
public:
    static constexpr std::uint32_t most_depth = 24;  // as CUDA has it; tail launches do not nest

    /// Of a grid with that shape, `depth` launches away from the host.
    ChildGrids(Device::State& device, Module::State& module, LaunchShape const& parent, std::uint32_t depth);
    ~ChildGrids() override;
    ChildGrids(ChildGrids const&) = delete;
    ChildGrids& operator=(ChildGrids const&) = delete;

    std::uint64_t call(Call const& call) override;
    std::unique_ptr<Saved const> save() const override;
    void restore(Saved const& saved) override;
    /// The requests, in the order in which they are to be performed: tail launches last. In timing mode they are
    /// ordered by block, so that the order does not depend on host threads.
    std::vector<ChildWork> take();

private:
    enum Status : int {
        success = 0,
        invalid_value = 1,
        out_of_memory = 2,
        invalid_configuration = 9,
        max_depth_exceeded = 65,
        pending_count_exceeded = 69,
        invalid_device_function = 98,
        unsupported_limit = 215,
        invalid_handle = 400,
        out_of_resources = 701,
        not_supported = 801
    };
    struct Prepared {
        std::uint32_t kernel = UINT32_MAX;  // UINT32_MAX: not known before the launch
        LaunchShape shape{};
        std::uint64_t bytes = 0;
    };

    Status prepare(Prepared& out, std::uint64_t function, Call const& call, std::size_t first);
    Status get_buffer(Prepared prepared, std::uint64_t& address);
    ChildRequest request_of(Call const& call, std::uint64_t stream);
    Status launch(Call const& call, std::uint64_t buffer, std::uint64_t stream, Prepared const* given);
    void take_arguments(ChildWork& work);
    Status copy_or_fill(Call const& call);
    Status create_handle(Call const& call, std::uint64_t flags, std::uint64_t wanted);
    Status destroy_handle(std::uint64_t handle);
    Status check_stream(std::uint64_t stream) const;
    Status check_event(std::uint64_t event) const;
    Status allocate(Call const& call);
    Status give_attributes(Call const& call);
    Status give_occupancy(Call const& call);
    Status give_limit(Call const& call);
    Status perform(Call const& call);
    std::uint64_t text_address(bool is_name, std::uint64_t error);
    std::uint32_t kernel_at(std::uint64_t function) const;

    Device::State& device_;
    Module::State& module_;
    LaunchShape const& parent_;
    std::uint32_t const depth_;
    /// What calls have changed.
    struct State {
        std::vector<ChildWork> work;
        std::map<std::uint64_t, Prepared> buffers;  // parameter buffers by address, until they are launched
        std::set<std::uint64_t> handles;            // of streams and events
        std::uint64_t next_handle = 0x1000;
        std::map<std::pair<std::uint64_t, std::uint32_t>, Status> errors;  // the last one by CTA and thread
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> requests;  // how many there have been
    };
    struct SavedState;

    mutable std::mutex mutex_;  // guards what follows
    State state_;
    bool has_told_ = false;
};

}  // namespace warpsim::runtime
