// What memory statistics cost in functional mode: every kernel runs with and without them in turn, on one host thread.
// `ratio` is the shortest processor time of a launch with them divided by the shortest without.
#include "benchmarks/kernel_job.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <vector>

namespace {

using namespace warpsim;
using namespace benchmarks;

Machine h100(bool counts) { return {runtime::Mode::functional, "h100", 1, counts}; }

double processor_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The processor time of one launch, if it is shorter than `shortest`.
void time_launch(KernelJob& job, double& shortest) {
    double const begin = processor_seconds();
    job.launch();
    shortest = std::min(shortest, processor_seconds() - begin);
}

template <class Make> void compare(benchmark::State& state, Make const& make) {
    KernelJob without = make(h100(false)), with = make(h100(true));
    double shortest_without = std::numeric_limits<double>::max(), shortest_with = shortest_without;
    for (auto _ : state) {
        time_launch(without, shortest_without);
        time_launch(with, shortest_with);
    }
    state.counters["without_ms"] = 1e3 * shortest_without;
    state.counters["with_ms"] = 1e3 * shortest_with;
    state.counters["ratio"] = shortest_with / shortest_without;
}

/// 2^16 keys, sorted 1024 at a time.
KernelJob bitonic_job(Machine const& machine) {
    std::uint32_t const n = 1 << 16;
    KernelJob job("bitonic_shared", machine, WARPSIM_KERNELS "bitonic.ptx");
    std::vector<std::uint32_t> keys(n);
    for (std::uint32_t i = 0; i < n; ++i) keys[i] = i * 2654435761u;
    job.shape.grid = {n / 1024, 1, 1};
    job.shape.block = {512, 1, 1};
    job.shape.dynamic_shared = 4096;
    job.arguments = runtime::Arguments::of(job.device->upload(keys), 2u, 1024u);
    return job;
}

/// One step over 1024 x 1024 cells.
KernelJob stencil_job(Machine const& machine) {
    int const size = 1024;
    KernelJob job("stencil", machine);
    job.shape.grid = {size / 32, size / 8, 1};
    job.shape.block = {32, 8, 1};
    job.arguments =
        runtime::Arguments::of(size, size, 0.5f, 0.125f, job.buffer(size * size), job.buffer(size * size));
    return job;
}

/// 1024 x 1024 elements.
KernelJob transpose_job(Machine const& machine) {
    int const size = 1024;
    KernelJob job("transpose", machine);
    job.shape.grid = {size / 32, size / 32, 1};
    job.shape.block = {32, 8, 1};
    job.arguments = runtime::Arguments::of(size, size, job.buffer(size * size), job.buffer(size * size));
    return job;
}

void statistics_bitonic(benchmark::State& state) { compare(state, bitonic_job); }
void statistics_saxpy(benchmark::State& state) { compare(state, saxpy_job); }
void statistics_reduce(benchmark::State& state) { compare(state, reduce_job); }
void statistics_matmul(benchmark::State& state) { compare(state, matmul_job); }
void statistics_stencil(benchmark::State& state) { compare(state, stencil_job); }
void statistics_stencil_shared(benchmark::State& state) { compare(state, stencil_shared_job); }
void statistics_transpose(benchmark::State& state) { compare(state, transpose_job); }
void statistics_histogram(benchmark::State& state) {
    compare(state, [](Machine const& m) { return histogram_job(m, true); });
}
void statistics_divergent_load(benchmark::State& state) { compare(state, divergent_load_job); }

}  // namespace

BENCHMARK(statistics_bitonic)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_saxpy)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_reduce)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_matmul)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_stencil)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_stencil_shared)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_transpose)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_histogram)->Unit(benchmark::kMillisecond);
BENCHMARK(statistics_divergent_load)->Unit(benchmark::kMillisecond);
