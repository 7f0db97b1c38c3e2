// Kernels of tests/kernels in timing mode, with everything that a run gives.
#pragma once

#include "runtime/device.hpp"
#include "runtime/device_state.hpp"
#include "sim/config/config.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/timing/timing_run.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::test {

struct TimingSetup {
    bool functional = false;         // for comparison
    int threads = 1;
    std::uint64_t seed = 0;
    std::uint32_t divisor = 1;
};
inline TimingSetup timing_options(int threads, std::uint64_t seed = 0, std::uint32_t divisor = 1) { return {false, threads, seed, divisor}; }

struct Timed {
    sim::LaunchStatistics statistics;
    std::optional<sim::TimingCounts> timing;
};

/// Runs a kernel of a module on the device's memory, cycle by cycle. Throws what the run throws.
inline Timed timed_launch(runtime::Device& device, runtime::Module& module, std::string const& name, runtime::LaunchShape const& shape,
                          runtime::Arguments const& arguments, TimingSetup const& setup) {
    Timed result;
    if (setup.functional) {
        result.statistics = device.launch(module, name, shape, arguments);
        return result;
    }
    runtime::Module::State& state = module.state();
    std::uint32_t const index = state.kernel(name);
    sim::KernelPlan const& plan = state.plan(index);
    sim::Config const& config = device.config();
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
    timing::run_timing(config, context, run, result.statistics, result.timing.emplace());
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

/// What one of the kernels left behind, in its output and in every counter.
struct Outcome {
    std::vector<std::uint32_t> bytes;
    std::vector<std::uint64_t> counts;
    bool operator==(Outcome const&) const = default;
};

inline std::vector<std::uint64_t> all_counts(Timed const& run) {
    sim::LaunchStatistics const& r = run.statistics;
    std::vector<std::uint64_t> c{r.instructions.warp, r.instructions.thread, r.instructions.thread_guarded, r.branches.total,
                                 r.branches.divergent, r.memory.global_sectors, r.memory.shared_bank_conflicts};
    if (!run.timing) return c;
    sim::TimingCounts const& t = *run.timing;
    c.insert(c.end(), {t.cycles, t.micro_ops, t.thread_micro_ops, t.active_cycles, t.resident_warp_cycles, t.occupied_slots,
                       t.l1.load_sectors, t.l1.sector_hits, t.l1.tag_hits, t.l1.mshr_stall_cycles, t.l2.read_sectors, t.l2.write_sectors,
                       t.l2.sector_hits, t.l2.written_back_sectors, t.l2.stall_cycles, t.dram.read_sectors, t.dram.written_sectors,
                       t.dram.row_hits, t.dram.row_misses, t.dram.busy_cycles, t.noc.request_bytes, t.noc.reply_bytes});
    c.insert(c.end(), t.stalls.begin(), t.stalls.end());
    return c;
}

inline Outcome run_saxpy(TimingSetup const& setup, std::string const& config = "v100") {
    int const n = 20000;
    TimingJob job("saxpy", setup, config);
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<float>(i % 97);
        y[static_cast<std::size_t>(i)] = static_cast<float>(i % 31);
    }
    auto const px = job.device.upload(x), py = job.device.upload(y);
    auto const r = job.launch("saxpy", {(n + 255) / 256, 1, 1}, {256, 1, 1}, n, 2.0f, px, py);
    return {job.device.download<std::uint32_t>(py, n), all_counts(r)};
}

inline Outcome run_reduce(TimingSetup const& setup, std::string const& config = "v100") {
    int const n = 50000;
    TimingJob job("reduce", setup, config);
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761u);
    auto const in = job.device.upload(values), out = job.device.upload(std::vector<std::uint32_t>(1));
    auto const r = job.launch("reduce", {64, 1, 1}, {256, 1, 1}, n, in, out);
    return {job.device.download<std::uint32_t>(out, 1), all_counts(r)};
}

inline Outcome run_matmul(TimingSetup const& setup, std::string const& config = "v100") {
    int const n = 48;
    TimingJob job("matmul", setup, config);
    std::vector<float> a(n * n), b(n * n);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<float>(i % 13) - 6;
        b[i] = static_cast<float>(i % 7) - 3;
    }
    auto const pa = job.device.upload(a), pb = job.device.upload(b), pc = job.device.allocate(n * n * 4);
    auto const r = job.launch("matmul", {n / 16, n / 16, 1}, {16, 16, 1}, n, pa, pb, pc);
    return {job.device.download<std::uint32_t>(pc, n * n), all_counts(r)};
}

inline Outcome run_mandelbrot(TimingSetup const& setup, std::string const& config = "v100") {
    int const size = 64;
    TimingJob job("mandelbrot", setup, config);
    auto const out = job.device.allocate(size * size * 4);
    auto const r = job.launch("mandelbrot", {size / 16, size / 16, 1}, {16, 16, 1}, out, size, size, -2.0f, -1.0f, 3.0f / size,
                              2.0f / size, 100);
    return {job.device.download<std::uint32_t>(out, size * size), all_counts(r)};
}

inline std::vector<std::pair<std::string, std::function<Outcome(TimingSetup const&, std::string const&)>>> timing_kernels() {
    return {{"saxpy", run_saxpy}, {"reduce", run_reduce}, {"matmul", run_matmul}, {"mandelbrot", run_mandelbrot}};
}

}  // namespace warpsim::test
