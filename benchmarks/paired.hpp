// Two ways to run a kernel, measured in turn, so that what else the machine does strikes both.
#pragma once

#include "benchmarks/kernel_job.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <limits>

namespace warpsim::benchmarks {

inline double processor_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The processor time of one launch, if it is shorter than `shortest`.
inline void time_launch(KernelJob& job, double& shortest) {
    double const begin = processor_seconds();
    job.launch();
    shortest = std::min(shortest, processor_seconds() - begin);
}

struct Pair {
    double first_ms = 0, second_ms = 0;
};
/// The shortest processor times, the first launches of both left out.
inline Pair time_in_turn(benchmark::State& state, KernelJob first, KernelJob second) {
    first.launch();
    second.launch();
    double shortest_first = std::numeric_limits<double>::max(), shortest_second = shortest_first;
    for (auto _ : state) {
        time_launch(first, shortest_first);
        time_launch(second, shortest_second);
    }
    return {1e3 * shortest_first, 1e3 * shortest_second};
}

}  // namespace warpsim::benchmarks
