// What checkers cost: every kernel runs interpreted on one host thread, without checkers and under them, in turn. `ratio` is
// the shortest processor time of a launch under them divided by the shortest of one without. Named kernel/checkers.
#include "benchmarks/kernel_job.hpp"
#include "benchmarks/paired.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

namespace {

using namespace warpsim;
using namespace benchmarks;

using Make = KernelJob (*)(Machine const&);

/// 16-bit floats, tiles of 64x64 by mma.sync behind stages of cp.async.
KernelJob mma_gemm_job(Machine const& machine) {
    int const n = 256, k = 1024;
    std::uint64_t const words_of_factor = std::uint64_t{n} * k / 2, words_of_product = std::uint64_t{n} * n;
    KernelJob job("mma_gemm", machine, WARPSIM_KERNELS "matrix.ptx");
    job.shape.grid = {n / 64, n / 64, 1};
    job.shape.block = {128, 1, 1};
    job.shape.dynamic_shared = 3 * 16384;
    job.arguments = runtime::Arguments::of(n, k, job.buffer(words_of_factor), job.buffer(words_of_factor),
                                           job.buffer(words_of_product));
    return job;
}

void compare(benchmark::State& state, std::string const& kinds, Make make) {
    check::Options options;
    options.kinds = check::parse_kinds(kinds);
    options.print_limit = 0;
    check::Checkers checkers(options);
    Machine const plain{runtime::Mode::functional, "h100", 1, false, runtime::Engine::interpreted};
    Machine watched = plain;
    watched.checkers = &checkers;
    Pair const times = time_in_turn(state, make(plain), make(watched));
    if (checkers.has_findings()) state.SkipWithError("there are findings");
    state.counters["plain_ms"] = times.first_ms;
    state.counters["checked_ms"] = times.second_ms;
    state.counters["ratio"] = times.second_ms / times.first_ms;
}

int const registered = [] {
    auto const add = [](std::string const& name, Make make) {
        for (char const* const kinds : {"memory,sync,api,leak", "init", "race"}) {
            benchmark::RegisterBenchmark(("checks/" + name + "/" + kinds).c_str(), [=](benchmark::State& s) {
                compare(s, kinds, make);
            })->Unit(benchmark::kMillisecond);
        }
    };
    add("saxpy", saxpy_job);
    add("transpose", transpose_job);
    add("histogram", [](Machine const& m) { return histogram_job(m, true); });
    add("reduce", reduce_job);
    add("matmul", matmul_job);
    add("mma_gemm", mma_gemm_job);
    add("stencil", stencil_job);
    add("stencil_shared", stencil_shared_job);
    add("bitonic", bitonic_job);
    return 0;
}();

}  // namespace
