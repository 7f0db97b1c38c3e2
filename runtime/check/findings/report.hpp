// Findings as text and as files that other programs read.
#pragma once

#include "runtime/check/findings/finding.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::check {

/// What a report says of the run as a whole.
struct Run {
    std::string command;
    std::vector<Kind> checked;
    std::uint64_t launches = 0, kernels = 0, suppressed = 0;
};

/// "========= race: ...", a few lines.
std::string to_text(Finding const& finding);
/// "========= 0 findings in 12 launches of 3 kernels; checked: memory, race"
std::string summary_text(Run const& run, std::vector<Finding> const& findings);

/// Writes the file in the format that its name ends with: .sarif, .xml (JUnit), else JSON. Throws Error(usage) if it cannot
/// be written.
void write_report(std::string const& file, Run const& run, std::vector<Finding> const& findings);

/// "::error file=a.cu,line=5,title=race%3A write after read::...": a finding, and anything else, as GitHub wants it.
std::string to_github(Finding const& finding);
std::string github_command(std::string const& level, std::string const& title, Act const* act,
                           std::string const& message);

std::string to_json(Run const& run, std::vector<Finding> const& findings);
std::string to_sarif(Run const& run, std::vector<Finding> const& findings);
std::string to_junit(Run const& run, std::vector<Finding> const& findings);

}  // namespace warpsim::check
