// How fast kernels run in timing mode on the v100 configuration: warp instructions per second (items_per_second: PTX
// instructions of warps), simulated SM cycles per second, wall time of one launch. The last argument of each benchmark
// is the number of host threads.
#include "runtime/device.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace warpsim;

/// A device with one kernel, ready to be launched again and again.
struct Job {
    std::unique_ptr<runtime::Device> device;
    std::shared_ptr<runtime::Module> module;
    std::string kernel;
    runtime::LaunchShape shape;
    runtime::Arguments arguments;

    Job(std::string name, std::int64_t threads, std::string const& file) : kernel(std::move(name)) {
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        options.threads = static_cast<int>(threads);
        device = std::make_unique<runtime::Device>(sim::load_config("v100"), options);
        module = device->load_file(file);
    }
    Job(std::string const& name, std::int64_t threads) : Job(name, threads, WARPSIM_KERNELS + name + ".ptx") {}

    runtime::DevicePointer buffer(std::uint64_t words) { return device->allocate(words * 4); }
};

void run(benchmark::State& state, Job& job) {
    std::uint64_t instructions = 0;
    double sm_cycles = 0;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        runtime::LaunchResult const result = job.device->launch(*job.module, job.kernel, job.shape, job.arguments);
        instructions += result.instructions.warp;
        cycles = result.timing->cycles;
        sm_cycles += static_cast<double>(result.timing->active_cycles);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
    state.counters["sm_cycles_per_second"] = benchmark::Counter(sm_cycles, benchmark::Counter::kIsRate);
    state.counters["cycles"] = static_cast<double>(cycles);
}

void mandelbrot(benchmark::State& state) {
    int const size = 512;
    Job job("mandelbrot", state.range(0));
    job.shape.grid = {size / 16, size / 16, 1};
    job.shape.block = {16, 16, 1};
    job.arguments = runtime::Arguments::of(job.buffer(size * size), size, size, -2.0f, -1.0f, 3.0f / size, 2.0f / size, 256);
    run(state, job);
}

void matmul(benchmark::State& state) {
    int const n = 256;
    Job job("matmul", state.range(0));
    job.shape.grid = {n / 16, n / 16, 1};
    job.shape.block = {16, 16, 1};
    job.arguments = runtime::Arguments::of(n, job.buffer(n * n), job.buffer(n * n), job.buffer(n * n));
    run(state, job);
}

void saxpy(benchmark::State& state) {
    int const n = 1 << 20;
    Job job("saxpy", state.range(0));
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(n, 2.0f, job.buffer(n), job.buffer(n));
    run(state, job);
}

void reduce(benchmark::State& state) {
    int const n = 1 << 22;
    Job job("reduce", state.range(0));
    job.shape.grid = {1024, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(n, job.buffer(n), job.buffer(1));
    run(state, job);
}

/// y = A x with a thread a row: 128 warps on 16 SMs, an eighth of what they hold, each waiting for its own lines.
void matrix_vector(benchmark::State& state) {
    std::uint64_t const n = 4096;
    Job job("atax_rows", state.range(0), WARPSIM_SOURCE_DIR "/benchmarks/validation/polybench.ptx");
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(job.buffer(n * n), job.buffer(n), job.buffer(n));
    run(state, job);
}

/// One warp that follows pointers through 8 MiB, more than L2 holds.
void pointer_chase(benchmark::State& state) {
    std::uint64_t const nodes = 1 << 16, step = 12289;   // of 128 bytes; odd, so that all are on one ring
    Job job("pointer_chase", state.range(0), WARPSIM_SOURCE_DIR "/benchmarks/validation/pointer_chase.ptx");
    std::vector<std::uint64_t> next(nodes * 16);
    runtime::DevicePointer const ring = job.device->allocate(next.size() * 8);
    for (std::uint64_t i = 0; i < nodes; ++i) next[i * 16] = ring + (i + step) % nodes * 128;
    job.device->write(ring, next.data(), next.size() * 8);
    job.arguments = runtime::Arguments::of(ring, std::uint32_t{20000}, job.buffer(4));
    run(state, job);
}

}  // namespace

BENCHMARK(mandelbrot)->Name("timing/mandelbrot")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matmul)->Name("timing/matmul")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(saxpy)->Name("timing/saxpy")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(reduce)->Name("timing/reduce")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matrix_vector)->Name("timing/matrix_vector")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(pointer_chase)->Name("timing/pointer_chase")->ArgName("threads")->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
