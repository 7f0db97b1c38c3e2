// The program of `warpsim exec` as a process of its own, where its end is to be looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::command {

/// Becomes the program. Throws Error(usage).
[[noreturn]] void become(std::vector<std::string> const& program, std::string const& path);

struct ChildOptions {
    int error_exitcode = 0;             // if it ends with 0, and a kernel faulted or a checker found something
    std::uint64_t timeout_seconds = 0;  // 0: none
};
/// Runs the program to its end, or until its time is over; then it ends with all that it has started. Returns the exit status.
int run_child(std::vector<std::string> const& program, std::string const& path, ChildOptions const& options);

}  // namespace warpsim::command
