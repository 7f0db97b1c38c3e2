// Kernels of tests/kernels in timing mode, with everything that a run gives.
#pragma once

#include "runtime/device.hpp"
#include "runtime/device_state.hpp"
#include "sim/config/config.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/timing/timing_run.hpp"

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

/// Runs a kernel of a module on the device's memory, cycle by cycle. Throws what the run throws.
inline Timed timed_launch(runtime::Device& device, runtime::Module& module, std::string const& name,
                          runtime::LaunchShape const& shape, runtime::Arguments const& arguments,
                          TimingSetup const& setup) {
    Timed result;
    if (setup.functional) {
        result.statistics = device.launch(module, name, shape, arguments);
        return result;
    }
    runtime::Module::State& state = module.state();
    std::uint32_t const index = state.kernel(name);
    sim::Config const& config = device.config();
    timing::MachineKernel const& machine = state.machine_kernel(index, config);
    sim::KernelPlan const& plan = machine.kernel;
    auto const map = state.memory->map();
    sim::LaunchContext context{.plan = plan,
                               .access = sim::access_functions(state.host),
                               .allocations = *map,
                               .memory = *state.memory,
                               .windows = sim::Reservation::process().windows()};
    context.grid = shape.grid;
    context.block = shape.block;
    context.shared_bytes = plan.shared_bytes + shape.dynamic_shared;
    context.dynamic_shared = shape.dynamic_shared;
    context.sms = config.sm.count;
    context.control_flow = config.sm.control_flow;
    context.convergence_patience = config.sm.convergence_patience;
    context.stack_bytes = config.limits.stack_bytes_per_thread;
    sim::AlignedBytes const block = sim::make_plan_block(plan, context, arguments.bytes());
    context.plan_block = block.get();
    sim::AlignedBytes const warp_blocks = sim::make_warp_blocks(plan, context);
    context.warp_blocks = warp_blocks.get();
    timing::TimingOptions run;
    run.threads = setup.threads;
    run.registers_per_thread = 32;
    run.permutation_seed = setup.seed;
    run.epoch_divisor = setup.divisor;
    timing::run_timing(config, machine, context, run, result.statistics, result.timing.emplace());
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
