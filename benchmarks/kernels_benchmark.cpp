// How fast kernels run in functional mode: thread instructions per second (items_per_second: active lanes, before
// the guard) and wall time per launch. The last argument of each benchmark is the number of host threads.
#include "benchmarks/kernel_job.hpp"
#include "sim/tensor/tensor_map.hpp"

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

/// Matrices of 16-bit numbers that tensor cores multiply.
constexpr std::uint32_t gemm_size = 256;

runtime::DevicePointer random_halves(KernelJob& job) {
    std::vector<std::uint16_t> halves(gemm_size * gemm_size);
    std::uint32_t random = 1;
    for (std::uint16_t& half : halves) {
        random = random * 1664525 + 1013904223;
        half = static_cast<std::uint16_t>((random >> 16 & 0x83ff) | (12 + (random >> 14 & 3)) << 10);
    }
    return job.device->upload(halves);
}

/// Also counted: products of m16n8k16, of which an instruction of wmma has two and one of wgmma has many.
void run_counting_products(benchmark::State& state, KernelJob job) {
    run(state, std::move(job));
    constexpr double n = gemm_size;
    double const products = static_cast<double>(state.iterations()) * n * n * n / (16 * 8 * 16);
    state.counters["m16n8k16"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
}

void run_gemm(benchmark::State& state, std::string const& kernel, std::uint32_t shared) {
    constexpr int n = gemm_size;
    KernelJob job(kernel, h100(state.range(0)), WARPSIM_KERNELS "matrix.ptx");
    job.shape.grid = {n / 64, n / 64, 1};
    job.shape.block = {128, 1, 1};
    job.shape.dynamic_shared = shared;
    auto const a = random_halves(job), b = random_halves(job);
    job.arguments = runtime::Arguments::of(n, n, a, b, job.buffer(n * n));
    run_counting_products(state, std::move(job));
}

/// Of bytes: an m16n8k32 has as many registers as an m16n8k16 of numbers of 16 bits.
void run_byte_gemm(benchmark::State& state, std::string const& kernel) {
    constexpr int n = gemm_size;
    KernelJob job(kernel, h100(state.range(0)), WARPSIM_KERNELS "byte_matrix.ptx");
    job.shape.grid = {n / 64, n / 64, 1};
    job.shape.block = {128, 1, 1};
    auto const random_bytes = [&] {
        std::vector<std::uint8_t> bytes(std::size_t{gemm_size} * gemm_size);
        std::uint32_t random = 1;
        for (std::uint8_t& byte : bytes) {
            random = random * 1664525 + 1013904223;
            // As a float, between 1/8 and 2.
            byte = static_cast<std::uint8_t>((random >> 16 & 0x87) | (4 + (random >> 14 & 3)) << 3);
        }
        return job.device->upload(bytes);
    };
    auto const a = random_bytes(), b = random_bytes();
    job.arguments = runtime::Arguments::of(n, n, a, b, job.buffer(std::uint64_t{gemm_size} * gemm_size));
    run(state, std::move(job));
    double const products = static_cast<double>(state.iterations()) * n * n * n / (16 * 8 * 32);
    state.counters["m16n8k32"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
}

/// A parameter of a kernel: rows of gemm_size numbers of 16 bits, in boxes whose rows have 128 bytes.
struct alignas(64) MapArgument {
    MapArgument(runtime::DevicePointer at, std::uint32_t box_rows) {
        sim::tensor::TensorMap map;
        map.element = sim::tensor::Element::f16;
        map.swizzle = sim::tensor::Swizzle::bytes_128;
        map.rank = 2;
        map.address = at;
        map.dims[0] = map.dims[1] = gemm_size;
        map.strides[0] = 2 * gemm_size;
        map.box[0] = 64;
        map.box[1] = box_rows;
        bytes = sim::tensor::encode(map);
    }
    sim::tensor::MapBytes bytes;
};

void hopper_gemm(benchmark::State& state) {
    constexpr int n = gemm_size;
    KernelJob job("hopper_gemm", h100(state.range(0)));
    job.shape.grid = {2, 1, 1};
    job.shape.block = {384, 1, 1};
    job.shape.dynamic_shared = 6 * (128 + 128) * 128 + 2 * 8192 + 96;
    MapArgument const a(random_halves(job), 128), b(random_halves(job), 64), c(job.buffer(n * n / 2), 64);
    job.arguments = runtime::Arguments::of(n, n, n, a, b, c);
    run_counting_products(state, std::move(job));
}
void mma_gemm(benchmark::State& state) { run_gemm(state, "mma_gemm", 3 * 16384); }
void s8_gemm(benchmark::State& state) { run_byte_gemm(state, "s8_gemm"); }
void e4m3_gemm(benchmark::State& state) { run_byte_gemm(state, "e4m3_gemm"); }
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
BENCHMARK(s8_gemm)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(e4m3_gemm)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(hopper_gemm)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
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
