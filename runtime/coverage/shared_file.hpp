// A file that several processes add to, each at its end.
#pragma once

#include "runtime/coverage/report.hpp"

#include <string>

namespace warpsim::coverage {

/// Throws Error(usage) if the file cannot be written, or holds what nothing can be added to.
void check_file(std::string const& path);
/// Adds the report to what the file holds; in the form that its name ends with: lcov's for .info, else JSON. Other processes
/// may do so at the same time, and whoever reads the file finds one whole state of it. Returns the sum. Throws Error(usage).
Report add_to_file(std::string const& path, Report const& report);

}  // namespace warpsim::coverage
