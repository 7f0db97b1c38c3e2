// What checkers cost: every kernel runs interpreted on one host thread, without checkers and under them, in turn. `ratio` is
// the shortest processor time of a launch under them divided by the shortest of one without. The argument is which checkers.
#include "benchmarks/kernel_job.hpp"
#include "benchmarks/paired.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace warpsim;
using namespace benchmarks;

char const* const chosen[] = {"memory,sync,api,leak", "init", "race"};

template <class Make> void compare_checks(benchmark::State& state, Make const& make) {
    check::Options options;
    options.kinds = check::parse_kinds(chosen[state.range(0)]);
    options.print_limit = 0;
    check::Checkers checkers(options);
    Machine const plain{runtime::Mode::functional, "h100", 1, false, runtime::Engine::interpreted};
    Machine watched = plain;
    watched.checkers = &checkers;
    Pair const times = time_in_turn(state, make(plain), make(watched));
    if (checkers.has_findings()) state.SkipWithError("there are findings");
    state.SetLabel(chosen[state.range(0)]);
    state.counters["plain_ms"] = times.first_ms;
    state.counters["checked_ms"] = times.second_ms;
    state.counters["ratio"] = times.second_ms / times.first_ms;
}

void checks_saxpy(benchmark::State& state) { compare_checks(state, saxpy_job); }
void checks_matmul(benchmark::State& state) { compare_checks(state, matmul_job); }
void checks_reduce(benchmark::State& state) { compare_checks(state, reduce_job); }
void checks_transpose(benchmark::State& state) { compare_checks(state, transpose_job); }
void checks_stencil_shared(benchmark::State& state) { compare_checks(state, stencil_shared_job); }
void checks_bitonic(benchmark::State& state) { compare_checks(state, bitonic_job); }
void checks_histogram(benchmark::State& state) {
    compare_checks(state, [](Machine const& m) { return histogram_job(m, true); });
}

}  // namespace

BENCHMARK(checks_saxpy)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(checks_matmul)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(checks_reduce)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(checks_transpose)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(checks_stencil_shared)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(checks_bitonic)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(checks_histogram)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
