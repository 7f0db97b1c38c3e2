// Faults and findings for GitHub, which shows them beside the lines of a change.
#pragma once

#include "runtime/check/fault_recorder.hpp"
#include "runtime/check/findings/finding.hpp"

#include <string>
#include <vector>

namespace warpsim::check {

/// GitHub's commands for all faults, and for findings that are no faults.
std::string annotations(std::vector<RecordedFault> const& faults, std::vector<Finding> const& findings);

}  // namespace warpsim::check
