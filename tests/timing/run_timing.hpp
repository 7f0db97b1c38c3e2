// Kernels of tests/kernels in timing mode, with everything that a run gives.
#pragma once

#include "runtime/device.hpp"
#include "runtime/device_state.hpp"
#include "sim/config/config.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/timing/gpu.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::test {

struct TimingSetup {
    bool functional = false;  // for comparison
    int threads = 1;
    std::uint64_t seed = 0;
    std::uint32_t divisor = 1;
};
inline TimingSetup timing_options(int threads, std::uint64_t seed = 0, std::uint32_t divisor = 1) {
    return {false, threads, seed, divisor};
}

struct Timed {
    sim::LaunchStatistics statistics;
    std::optional<sim::TimingCounts> timing;
};

/// What the warps of a launch share, until it has ended.
class TimedContext {
public:
    TimedContext(sim::Config const& config, runtime::Module& module, std::string const& name,
                 runtime::LaunchShape const& shape, runtime::Arguments const& arguments)
        : state_(module.state()),
          machine_(state_.machine_kernel(state_.kernel(name), config)),
          map_(state_.memory->map()),
          context_{.plan = machine_.kernel,
                   .access = sim::access_functions(state_.host),
                   .allocations = *map_,
                   .memory = *state_.memory,
                   .windows = sim::Reservation::process().windows()} {
        context_.grid = shape.grid;
        context_.block = shape.block;
        context_.shared_bytes = machine_.kernel.shared_bytes + shape.dynamic_shared;
        context_.dynamic_shared = shape.dynamic_shared;
        context_.sms = config.sm.count;
        context_.control_flow = config.sm.control_flow;
        context_.matrix = config.sm.matrix;
        context_.convergence_patience = config.sm.convergence_patience;
        context_.stack_bytes = config.limits.stack_bytes_per_thread;
        block_ = sim::make_plan_block(machine_.kernel, context_, arguments.bytes());
        context_.plan_block = block_.get();
        warp_blocks_ = sim::make_warp_blocks(machine_.kernel, context_);
        context_.warp_blocks = warp_blocks_.get();
    }
    sim::LaunchContext const& context() const { return context_; }
    timing::MachineKernel const& machine() const { return machine_; }

private:
    runtime::Module::State& state_;
    timing::MachineKernel const& machine_;
    std::shared_ptr<sim::AllocationMap const> map_;
    sim::LaunchContext context_;
    sim::AlignedBytes block_, warp_blocks_;
};

/// Runs a kernel of a module on the device's memory, cycle by cycle. Throws what the run throws.
inline Timed timed_launch(runtime::Device& device, runtime::Module& module, std::string const& name,
                          runtime::LaunchShape const& shape, runtime::Arguments const& arguments,
                          TimingSetup const& setup) {
    Timed result;
    if (setup.functional) {
        result.statistics = device.launch(module, name, shape, arguments);
        return result;
    }
    TimedContext const launch(device.config(), module, name, shape, arguments);
    timing::GpuOptions options;
    options.threads = setup.threads;
    options.permutation_seed = setup.seed;
    options.epoch_divisor = setup.divisor;
    timing::Gpu gpu(device.config(), options);
    timing::TimingOptions run;
    run.registers_per_thread = 32;
    timing::run_timing(gpu, launch.machine(), launch.context(), run, result.statistics, result.timing.emplace());
    return result;
}

/// A device with one module of tests/kernels.
struct TimingJob {
    TimingJob(std::string const& file, TimingSetup const& setup, std::string const& config = "v100",
              std::vector<std::string> const& overrides = {})
        : device(sim::load_config(config, overrides), functional_options()),
          module(device.load_file(WARPSIM_SOURCE_DIR "/tests/kernels/" + file + ".ptx")),
          setup_(setup) {}

    template <class... T>
    Timed launch(std::string const& kernel, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                 T const&... arguments) {
        runtime::LaunchShape shape;
        shape.grid = grid;
        shape.block = block;
        return timed_launch(device, *module, kernel, shape, runtime::Arguments::of(arguments...), setup_);
    }
    static runtime::DeviceOptions functional_options() {
        runtime::DeviceOptions options;
        options.threads = 1;
        options.memory_statistics = true;
        return options;
    }

    runtime::Device device;
    std::shared_ptr<runtime::Module> module;

private:
    TimingSetup setup_;
};

}  // namespace warpsim::test
