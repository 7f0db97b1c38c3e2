// A run, or two of them side by side, as one page of HTML that needs nothing else.
#pragma once

#include "sim/config/config.hpp"

#include <map>
#include <string>
#include <vector>

namespace warpsim::report {

/// What the page knows of a run. All but the texts is JSON; empty: not there.
struct Run {
    std::string title;
    std::string statistics;          // "warpsim-stats/1"
    std::vector<std::string> lines;  // of each launch an object with "lines" and "sources", as a profile has it
    std::map<std::string, std::string> texts;  // of PTX and sources, by the name that lines give
    std::string steps;                         // of the teaching view: see steps.hpp
    std::string warps;                         // over time: see warps.hpp
    std::string findings;                      // "warpsim-check/1"
    std::string peaks;                         // peaks_of()
};

/// What the GPU can do at most, as JSON.
std::string peaks_of(sim::Config const& config);

/// Throws Error(usage) for what is no such JSON.
std::string page_of(std::vector<Run> const& runs);
/// Throws Error(usage) when the file cannot be written.
void write_page(std::string const& path, std::vector<Run> const& runs);

/// A run as files tell of it: statistics, and a profile and a timeline if there are any. Throws Error(usage), which names the
/// file.
Run read_run(std::string const& statistics, std::string const& profile, std::string const& timeline);

}  // namespace warpsim::report
