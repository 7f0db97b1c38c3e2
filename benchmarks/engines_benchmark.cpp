// What compiled code gains in functional mode: every kernel runs interpreted and compiled in turn, on one host thread.
// `ratio` is the shortest processor time of a compiled launch, once its code is there, divided by the shortest of an
// interpreted one. WARPSIM_HOST_ISA chooses the host's instruction set.
#include "benchmarks/kernel_job.hpp"
#include "benchmarks/paired.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace warpsim;
using namespace benchmarks;

Machine run_by(runtime::Engine engine) { return {runtime::Mode::functional, "h100", 1, false, engine}; }

template <class Make> void compare_engines(benchmark::State& state, Make const& make) {
    Pair const times =
        time_in_turn(state, make(run_by(runtime::Engine::interpreted)), make(run_by(runtime::Engine::compiled)));
    state.counters["interpreted_ms"] = times.first_ms;
    state.counters["compiled_ms"] = times.second_ms;
    state.counters["ratio"] = times.second_ms / times.first_ms;
}

void engines_saxpy(benchmark::State& state) { compare_engines(state, saxpy_job); }
void engines_matmul(benchmark::State& state) { compare_engines(state, matmul_job); }
void engines_mandelbrot(benchmark::State& state) {
    compare_engines(state, [](Machine const& m) { return mandelbrot_job(m); });
}
void engines_reduce(benchmark::State& state) { compare_engines(state, reduce_job); }
void engines_stencil(benchmark::State& state) { compare_engines(state, stencil_job); }
void engines_stencil_shared(benchmark::State& state) { compare_engines(state, stencil_shared_job); }
void engines_transpose(benchmark::State& state) { compare_engines(state, transpose_job); }
void engines_bitonic(benchmark::State& state) { compare_engines(state, bitonic_job); }
void engines_histogram(benchmark::State& state) {
    compare_engines(state, [](Machine const& m) { return histogram_job(m, true); });
}
void engines_divergent_load(benchmark::State& state) { compare_engines(state, divergent_load_job); }

}  // namespace

BENCHMARK(engines_saxpy)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_matmul)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_mandelbrot)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_reduce)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_stencil)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_stencil_shared)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_transpose)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_bitonic)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_histogram)->Unit(benchmark::kMillisecond);
BENCHMARK(engines_divergent_load)->Unit(benchmark::kMillisecond);
