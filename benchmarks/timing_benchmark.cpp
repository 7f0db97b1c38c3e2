// How fast kernels run in timing mode on the v100 configuration: warp instructions per second (items_per_second:
// PTX instructions of warps), simulated SM cycles per second, wall time per launch. The last argument of each
// benchmark is the number of host threads.
#include "benchmarks/kernel_job.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

using namespace warpsim;

using namespace benchmarks;

Machine v100(benchmark::State const& state) { return {runtime::Mode::timing, "v100", state.range(0)}; }

void run(benchmark::State& state, KernelJob job) {
    std::uint64_t instructions = 0;
    double sm_cycles = 0;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        runtime::LaunchResult const result = job.launch();
        instructions += result.instructions.warp;
        cycles = result.timing->cycles;
        sm_cycles += static_cast<double>(result.timing->active_cycles);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
    state.counters["sm_cycles_per_second"] = benchmark::Counter(sm_cycles, benchmark::Counter::kIsRate);
    state.counters["cycles"] = static_cast<double>(cycles);
}

void mandelbrot(benchmark::State& state) { run(state, mandelbrot_job(v100(state))); }
void matmul(benchmark::State& state) { run(state, matmul_job(v100(state))); }
void saxpy(benchmark::State& state) { run(state, saxpy_job(v100(state))); }
void reduce(benchmark::State& state) { run(state, reduce_job(v100(state))); }

/// y = A x with one thread per row: 128 warps on 16 SMs, an eighth of capacity, each waiting for its own lines.
void matrix_vector(benchmark::State& state) {
    std::uint64_t const n = 4096;
    KernelJob job("atax_rows", v100(state), WARPSIM_SOURCE_DIR "/benchmarks/validation/polybench.ptx");
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(job.buffer(n * n), job.buffer(n), job.buffer(n));
    run(state, std::move(job));
}

/// One warp that follows pointers through 8 MiB, more than L2 holds.
void pointer_chase(benchmark::State& state) {
    std::uint64_t const nodes = 1 << 16, step = 12289;  // nodes of 128 bytes; an odd step makes one ring
    KernelJob job("pointer_chase", v100(state), WARPSIM_SOURCE_DIR "/benchmarks/validation/pointer_chase.ptx");
    std::vector<std::uint64_t> next(nodes * 16);
    runtime::DevicePointer const ring = job.device->allocate(next.size() * 8);
    for (std::uint64_t i = 0; i < nodes; ++i) next[i * 16] = ring + (i + step) % nodes * 128;
    job.device->write(ring, next.data(), next.size() * 8);
    job.arguments = runtime::Arguments::of(ring, std::uint32_t{20000}, job.buffer(4));
    run(state, std::move(job));
}

}  // namespace

// clang-format off
BENCHMARK(mandelbrot)->Name("timing/mandelbrot")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matmul)->Name("timing/matmul")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(saxpy)->Name("timing/saxpy")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(reduce)->Name("timing/reduce")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matrix_vector)->Name("timing/matrix_vector")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(pointer_chase)->Name("timing/pointer_chase")->ArgName("threads")->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
// clang-format on
