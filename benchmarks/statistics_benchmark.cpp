// What memory statistics cost in functional mode, interpreted and compiled: every kernel runs with and without them in turn, on
// one host thread.
// `ratio` is the shortest processor time of a launch with them divided by the shortest without.
#include "benchmarks/kernel_job.hpp"
#include "benchmarks/paired.hpp"

#include <benchmark/benchmark.h>
#include <string>

namespace {

using namespace warpsim;
using namespace benchmarks;

using Make = KernelJob (*)(Machine const&);

void compare(benchmark::State& state, Make make, runtime::Engine engine) {
    Machine const without{runtime::Mode::functional, "h100", 1, false, engine};
    Machine const with{runtime::Mode::functional, "h100", 1, true, engine};
    Pair const times = time_in_turn(state, make(without), make(with));
    state.counters["without_ms"] = times.first_ms;
    state.counters["with_ms"] = times.second_ms;
    state.counters["ratio"] = times.second_ms / times.first_ms;
}

int const registered = [] {
    auto const add = [](std::string const& name, Make make) {
        for (bool const compiled : {false, true}) {
            auto const engine = compiled ? runtime::Engine::compiled : runtime::Engine::interpreted;
            std::string const full = "statistics/" + name + (compiled ? "/compiled" : "/interpreted");
            benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& s) {
                compare(s, make, engine);
            })->Unit(benchmark::kMillisecond);
        }
    };
    add("bitonic", bitonic_job);
    add("saxpy", saxpy_job);
    add("reduce", reduce_job);
    add("matmul", matmul_job);
    add("mandelbrot", [](Machine const& m) { return mandelbrot_job(m); });
    add("stencil", stencil_job);
    add("stencil_shared", stencil_shared_job);
    add("transpose", transpose_job);
    add("histogram", [](Machine const& m) { return histogram_job(m, true); });
    add("divergent_load", divergent_load_job);
    return 0;
}();

}  // namespace
