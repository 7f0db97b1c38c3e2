// What memory statistics cost in functional mode: every kernel runs with and without them in turn, on one host thread.
// `ratio` is the shortest processor time of a launch with them divided by the shortest without.
#include "benchmarks/kernel_job.hpp"
#include "benchmarks/paired.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace warpsim;
using namespace benchmarks;

Machine h100(bool counts) { return {runtime::Mode::functional, "h100", 1, counts}; }

template <class Make> void compare(benchmark::State& state, Make const& make) {
    Pair const times = time_in_turn(state, make(h100(false)), make(h100(true)));
    state.counters["without_ms"] = times.first_ms;
    state.counters["with_ms"] = times.second_ms;
    state.counters["ratio"] = times.second_ms / times.first_ms;
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
