// How fast kernels run in functional mode: thread instructions per second (items_per_second: active lanes, before the
// guard), wall time per launch. The last argument of each benchmark is the number of host threads.
#include "runtime/device.hpp"

#include <benchmark/benchmark.h>

#include <array>
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

    Job(std::string name, std::int64_t threads) : kernel(std::move(name)) {
        runtime::DeviceOptions options;
        options.threads = static_cast<int>(threads);
        device = std::make_unique<runtime::Device>(sim::load_config("h100"), options);
        module = device->load_file(WARPSIM_KERNELS + kernel + ".ptx");
    }

    runtime::DevicePointer buffer(std::uint64_t words) { return device->allocate(words * 4); }
};

void run(benchmark::State& state, Job& job) {
    std::uint64_t thread_instructions = 0;
    std::uint64_t warp_instructions = 0;
    for (auto _ : state) {
        runtime::LaunchResult const result = job.device->launch(*job.module, job.kernel, job.shape, job.arguments);
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
    int const size = 512;
    auto const width = static_cast<std::uint32_t>(state.range(0));
    auto const height = static_cast<std::uint32_t>(state.range(1));
    Job job("mandelbrot", state.range(2));
    job.shape.grid = {size / width, size / height, 1};
    job.shape.block = {width, height, 1};
    job.arguments = runtime::Arguments::of(job.buffer(size * size), size, size, -2.0f, -1.0f, 3.0f / size,
                                           2.0f / size, 256);
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

/// Two barriers for every seven arithmetic instructions.
void stencil_shared(benchmark::State& state) {
    int const n = 1 << 16;
    Job job("stencil_shared", state.range(0));
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(job.buffer(n), job.buffer(n), 100);
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

/// Atomics in shared memory; of random bytes, or of equal ones, where all lanes of a warp meet.
void histogram(benchmark::State& state) {
    std::uint32_t const n = 1 << 22;
    Job job("histogram", state.range(1));
    std::vector<std::uint8_t> bytes(n, 7);
    std::uint32_t random = 1;
    for (std::uint8_t& byte : bytes) {
        random = random * 1664525 + 1013904223;
        if (state.range(0) != 0) byte = static_cast<std::uint8_t>(random >> 24);
    }
    job.shape.grid = {256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(static_cast<int>(n), job.device->upload(bytes), job.buffer(256));
    run(state, job);
}

void divergent_load(benchmark::State& state) {
    std::uint32_t const n = 1 << 16;
    std::uint32_t const rounds = 64;
    std::uint32_t const stride = 33;
    Job job("divergent_load", state.range(0));
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(n, rounds, stride, job.buffer(n), job.buffer(n));
    run(state, job);
}

void warp_reduction(benchmark::State& state) {
    std::uint32_t const n = 1 << 18;
    Job job("warp_reduction", state.range(0));
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(16, job.buffer(n), job.buffer(n / 32));
    run(state, job);
}

void recursion(benchmark::State& state) {
    std::uint32_t const n = 1 << 12;
    Job job("recursion", state.range(0));
    job.shape.grid = {n / 128, 1, 1};
    job.shape.block = {128, 1, 1};
    job.arguments = runtime::Arguments::of(8u, job.buffer(n));
    run(state, job);
}

}  // namespace

BENCHMARK(mandelbrot)
    ->ArgNames({"x", "y", "threads"})
    ->Args({16, 16, 1})->Args({16, 16, 2})->Args({32, 8, 1})->Args({32, 8, 2})
    ->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matmul)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(saxpy)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(reduce)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(stencil_shared)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(histogram)
    ->ArgNames({"random", "threads"})
    ->Args({1, 1})->Args({1, 2})->Args({0, 1})
    ->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(divergent_load)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(warp_reduction)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(recursion)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
