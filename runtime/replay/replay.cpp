#include "runtime/replay/replay.hpp"

#include "runtime/device_state.hpp"
#include "runtime/replay/program.hpp"
#include "sim/error.hpp"
#include "sim/exec/registers.hpp"
#include "sim/memory/reservation.hpp"
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

namespace warpsim::replay {

namespace {

class Player {
public:
    Player(sim::Config const& config, ReplayOptions const& options)
        : config_(config), options_(options), device_(config, functional()) {}

    void play(KernelTrace const& trace) {
        auto const begin = std::chrono::steady_clock::now();
        Program const program(trace, device_);
        if (program.missing_ctas() != 0 && options_.warn)
            options_.warn(trace.source->name() + ": " + std::to_string(program.missing_ctas()) +
                          " CTAs of the grid are not in the trace; they end at once");
        check_fits(trace);
        runtime::Module::State& state = program.module();
        auto const map = state.memory->map();
        sim::LaunchContext context{.plan = program.plan(),
                                   .access = sim::access_functions(state.host),
                                   .allocations = *map,
                                   .memory = *state.memory,
                                   .windows = sim::Reservation::process().windows()};
        context.grid = trace.grid;
        context.block = trace.block;
        context.shared_bytes = context.dynamic_shared = trace.shared_bytes;
        context.sms = config_.sm.count;
        context.control_flow = config_.sm.control_flow;
        context.matrix = config_.sm.matrix;
        context.convergence_patience = config_.sm.convergence_patience;
        context.warps_per_sm = config_.sm.max_warps;
        sim::AlignedBytes const block = sim::make_plan_block(program.plan(), context, {});
        context.plan_block = block.get();
        sim::AlignedBytes const warps = sim::make_warp_blocks(program.plan(), context);
        context.warp_blocks = warps.get();
        sim::LaunchStatistics statistics;
        statistics.kernel = trace.name;
        statistics.grid = trace.grid;
        statistics.block = trace.block;
        statistics.registers_per_thread = trace.registers;
        statistics.shared_per_cta = statistics.dynamic_shared = trace.shared_bytes;
        run(program, context, trace, statistics);
        statistics.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (options_.launched) options_.launched(statistics);
    }

private:
    static runtime::DeviceOptions functional() {
        runtime::DeviceOptions options;
        options.threads = 1;
        return options;
    }

    timing::Gpu& gpu() {
        if (gpu_) return *gpu_;
        timing::GpuOptions options;
        int const threads = options_.device.threads;
        options.threads = std::min(threads > 0 ? threads : 1, static_cast<int>(config_.sm.count));
        return *(gpu_ = std::make_unique<timing::Gpu>(config_, options));
    }

    void run(Program const& program, sim::LaunchContext const& context, KernelTrace const& trace,
             sim::LaunchStatistics& statistics) {
        if (has_run_ && config_.launch->flush_caches) gpu_.reset();
        has_run_ = true;
        timing::TimingOptions run;
        run.registers_per_thread = trace.registers;
        run.max_instructions = options_.device.max_instructions;
        run.profile = options_.device.profile;
        run.interval_cycles = options_.device.interval_cycles;
        run.stop = options_.device.stop.get();
        run.progress = options_.device.progress;
        timing::GridNumber const grid = gpu().launch(context, program.timing(), run, gpu().quiet());
        while (gpu().ended().empty()) gpu().advance();
        gpu().ended().clear();
        while (!gpu().is_settled(grid)) gpu().advance();
        gpu().retire(grid, statistics, statistics.timing.emplace());
    }

    void check_fits(KernelTrace const& trace) const {
        std::uint32_t const threads = trace.block[0] * trace.block[1] * trace.block[2];
        timing::CtaNeeds const needs{threads, trace.registers, trace.shared_bytes, 0};
        timing::Occupancy const occupancy = timing::find_occupancy(config_.sm, needs);
        if (occupancy.ctas != 0) return;
        throw Error(ErrorKind::launch, trace.source->name() + ": a CTA of " + trace.name +
                                           " does not fit on an SM of " + config_.name + ": limited by " +
                                           std::string(name(occupancy.limiter)));
    }

    sim::Config const& config_;
    ReplayOptions const& options_;
    runtime::Device device_;
    std::unique_ptr<timing::Gpu> gpu_;
    bool has_run_ = false;
};

std::string folder_of(std::string const& file) {
    std::size_t const slash = file.rfind('/');
    return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

}  // namespace

void replay(std::string const& file, sim::Config const& config, ReplayOptions const& options) {
    Player player(config, options);
    if (!is_list_name(file)) return player.play(read_trace(file));
    std::string text;
    try {
        text = frontend::Source::read(file);
    } catch (std::system_error const& error) {
        throw Error(ErrorKind::usage, error.what());
    }
    for (TraceCommand const& command : parse_list(file, std::move(text), folder_of(file))) {
        // Simplified: what was copied is not in L2 when a kernel begins.
        if (!command.is_copy) player.play(read_trace(command.file));
    }
}

}  // namespace warpsim::replay
