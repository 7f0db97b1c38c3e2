// How fast kernels run in functional mode: thread instructions per second (items_per_second: active lanes, before
// the guard) and wall time per launch. The last argument of each benchmark is the number of host threads.
#include "benchmarks/kernel_job.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace warpsim;

using namespace benchmarks;

Machine h100(std::int64_t threads) { return {runtime::Mode::functional, "h100", threads}; }

void run(benchmark::State& state, KernelJob job) {
    std::uint64_t thread_instructions = 0;
    std::uint64_t warp_instructions = 0;
    for (auto _ : state) {
        runtime::LaunchResult const result = job.launch();
        thread_instructions += result.instructions.thread;
        warp_instructions += result.instructions.warp;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(thread_instructions));
    state.counters["warp_instructions"] =
        benchmark::Counter(static_cast<double>(warp_instructions), benchmark::Counter::kIsRate);
    state.counters["simt_efficiency"] =
        static_cast<double>(thread_instructions) / (32.0 * static_cast<double>(warp_instructions));
}

void mandelbrot(benchmark::State& state) {
    auto const width = static_cast<std::uint32_t>(state.range(0));
    auto const height = static_cast<std::uint32_t>(state.range(1));
    run(state, mandelbrot_job(h100(state.range(2)), width, height));
}

void matmul(benchmark::State& state) { run(state, matmul_job(h100(state.range(0)))); }
void saxpy(benchmark::State& state) { run(state, saxpy_job(h100(state.range(0)))); }
void reduce(benchmark::State& state) { run(state, reduce_job(h100(state.range(0)))); }

void stencil_shared(benchmark::State& state) { run(state, stencil_shared_job(h100(state.range(0)))); }
void histogram(benchmark::State& state) { run(state, histogram_job(h100(state.range(1)), state.range(0) != 0)); }
void divergent_load(benchmark::State& state) { run(state, divergent_load_job(h100(state.range(0)))); }

void warp_reduction(benchmark::State& state) {
    std::uint32_t const n = 1 << 18;
    KernelJob job("warp_reduction", h100(state.range(0)));
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(16, job.buffer(n), job.buffer(n / 32));
    run(state, std::move(job));
}

void recursion(benchmark::State& state) {
    std::uint32_t const n = 1 << 12;
    KernelJob job("recursion", h100(state.range(0)));
    job.shape.grid = {n / 128, 1, 1};
    job.shape.block = {128, 1, 1};
    job.arguments = runtime::Arguments::of(8u, job.buffer(n));
    run(state, std::move(job));
}

/// A product of 16-bit matrices by tensor cores; also counted: m16n8k16 instructions, of which wmma has two.
void run_gemm(benchmark::State& state, std::string const& kernel, std::uint32_t shared) {
    std::uint32_t const n = 256;
    KernelJob job(kernel, h100(state.range(0)), WARPSIM_KERNELS "matrix.ptx");
    job.shape.grid = {n / 64, n / 64, 1};
    job.shape.block = {128, 1, 1};
    job.shape.dynamic_shared = shared;
    std::vector<std::uint16_t> halves(n * n);
    std::uint32_t random = 1;
    for (std::uint16_t& half : halves) {
        random = random * 1664525 + 1013904223;
        half = static_cast<std::uint16_t>((random >> 16 & 0x83ff) | (12 + (random >> 14 & 3)) << 10);
    }
    auto const a = job.device->upload(halves), b = job.device->upload(halves);
    job.arguments = runtime::Arguments::of(static_cast<int>(n), static_cast<int>(n), a, b, job.buffer(n * n));
    run(state, std::move(job));
    double const products = static_cast<double>(state.iterations()) * n * n * n / (16 * 8 * 16);
    state.counters["m16n8k16"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
}
void mma_gemm(benchmark::State& state) { run_gemm(state, "mma_gemm", 3 * 16384); }
void wmma_gemm(benchmark::State& state) { run_gemm(state, "wmma_gemm", 0); }

}  // namespace

BENCHMARK(mandelbrot)
    ->ArgNames({"x", "y", "threads"})
    ->Args({16, 16, 1})
    ->Args({16, 16, 2})
    ->Args({32, 8, 1})
    ->Args({32, 8, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(mma_gemm)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(wmma_gemm)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matmul)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(saxpy)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(reduce)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(stencil_shared)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(histogram)
    ->ArgNames({"random", "threads"})
    ->Args({1, 1})
    ->Args({1, 2})
    ->Args({0, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(divergent_load)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(warp_reduction)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(recursion)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
