// What is under way on a device in timing mode: grids and copies, in simulated time.
#pragma once

#include "runtime/device_state.hpp"
#include "runtime/launch_history.hpp"
#include "runtime/launch_sinks.hpp"
#include "runtime/prepared_grid.hpp"
#include "runtime/skipped_ctas.hpp"
#include "sim/engine/clock.hpp"
#include "sim/timing/gpu.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace warpsim::checkpoint {
class Saver;
class Loader;
}  // namespace warpsim::checkpoint

namespace warpsim::runtime {

class TimedWork {
public:
    using Time = engine::Time;
    struct Order {
        Module::State* loaded = nullptr;
        std::shared_ptr<Module> owner{};  // keeps it; null: the caller does
        std::uint32_t kernel = 0;
        LaunchShape shape{};
        Arguments arguments{};
        int priority = 0;
        std::function<void(LaunchResult const&)> told{};
    };

    explicit TimedWork(Device::State& state);

    /// These are Device::begin_launch(), begin_copy(), advance() and settle().
    Device::Ticket launch(Order order, Time at);
    Device::Ticket copy(TimedCopy const& copy, Time at);
    std::vector<Device::Ended> advance(Time until);
    void settle();
    /// Of a launch that took no time: tells its result behind those of launches that have ended before, of which DRAM still has
    /// something to do.
    void tell(LaunchResult result, std::function<void(LaunchResult const&)> told);
    /// The first time that lies behind everything that has happened.
    Time quiet() const;
    /// Device::launch(), when no other kernel is under way: begins when everything else has happened, and returns when
    /// all is known.
    LaunchResult run(Module::State& loaded, std::uint32_t kernel, LaunchShape const& shape,
                     Arguments const& arguments);

    /// Throws Error(usage) if the state of a component of a plug-in cannot be written.
    void check_components();
    /// Between epochs, of the one launch that is under way.
    void save(checkpoint::Saver& saver);
    sim::KernelPlan const& plan() const { return running_.front().grid->context().plan; }

private:
    /// A launch by the host, and the grids that its kernels have launched.
    struct Job {
        Device::Ticket ticket;
        Order order;
        DeviceOptions options;
        std::vector<ChildWork> todo{};  // the next last
        std::uint32_t grids = 0;        // of which not everything is known
        bool has_ended = false;
        LaunchResult result{};                        // of the host's own grid
        std::vector<std::function<void()>> behind{};  // told when this one has been
    };
    struct Running {
        std::shared_ptr<Job> job;
        std::unique_ptr<PreparedGrid> grid;
        std::unique_ptr<LaunchSinks> sinks;
        std::unique_ptr<SkippedCtas> skipped;  // null: the launch is not sampled
        timing::GridNumber number;
        timing::Cycle begun = 0;
        bool is_child;
        bool has_ended = false;
        bool is_alone = true;  // nothing else was under way on the GPU
    };

    timing::Gpu& gpu();
    timing::Cycle cycle_at(Time time) const { return core_.first_at(time - std::min(time, origin_)); }
    Time time_of(timing::Cycle cycle) const { return origin_ + core_.time_of(cycle); }
    bool is_idle() const;
    bool may_project(Order const& order);
    Device::Ticket project(Order const& order, Time at);
    void begin(std::shared_ptr<Job> const& job, ChildWork const* child, Time at);
    Running prepare(std::shared_ptr<Job> const& job, ChildWork const* child);
    void resume(Order order, Checkpoints& kept);
    template <class Archive> void state(Archive& archive, Running& running);
    void run_kept(Checkpoints& kept, bool const& is_known);
    timing::TimingOptions timing_options(Running& running) const;
    void flush_caches(Time at);
    void end_copies(std::vector<Device::Ended>& told);
    void end(timing::Gpu::Ended const& ended, std::vector<Device::Ended>& told);
    bool go_on(std::shared_ptr<Job> const& job, std::uint64_t executed, Time at);
    void retire_settled();
    FaultError fail(sim::Fault const& fault);
    void tell_counts(Running const& running);
    void give_up();

    Device::State& state_;
    engine::Clock const core_;
    std::unique_ptr<timing::Gpu> gpu_;  // made anew after a fault, and when caches are flushed
    Time origin_ = 0;                   // of the GPU's cycles
    Time latest_ = 0;                   // end of a grid or copy
    Device::Ticket next_ticket_ = 1;
    std::vector<Running> running_;
    LaunchHistory history_;
    std::vector<Device::Ended> told_;  // what advance() has not returned yet
};

}  // namespace warpsim::runtime
