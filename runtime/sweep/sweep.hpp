// Runs plans with every combination of what is varied, several at a time, and writes what comes out into a table.
#pragma once

#include "runtime/sweep/exchange.hpp"
#include "runtime/sweep/space.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::sweep {

struct Options {
    std::vector<std::string>
        worker;  // what runs a plan, as `warpsim run` does it; the first word is the program's path
    std::vector<std::string> plans;  // files, or folders of plans
    std::vector<Axis> axes;
    Sampling sampling;
    std::string config, mode;            // empty: as the plan says, and timing
    std::vector<std::string> overrides;  // KEY=VALUE, before what is varied
    std::vector<std::string> others;     // options of every run
    std::uint64_t jobs = 1, threads = 1;
    std::uint64_t memory_bytes = 0;    // of all processes together; 0: as the machine has
    std::vector<std::string> columns;  // keys of the statistics
    std::string out;
    bool retries = false;         // points that failed earlier
    bool shows_progress = false;  // a line on a terminal that changes
    std::string build;            // changes with the simulator
    Exchange exchange;            // with whoever runs the points
};

struct Summary {
    std::uint64_t points = 0;    // altogether
    std::uint64_t earlier = 0;   // that were in the file
    std::uint64_t outdated = 0;  // ... but of another plan, configuration or version, and run again
    std::uint64_t failed = 0;    // of all that there are now
    bool was_interrupted = false;
};

/// Throws Error for what is wrong before anything runs: keys, values, plans, the file.
Summary run(Options const& options);

/// The plans that a path stands for: a file, or a folder with plan.json in it or in its folders, as --capture writes them.
/// Throws Error(usage).
std::vector<std::string> plans_at(std::string const& path);

}  // namespace warpsim::sweep
