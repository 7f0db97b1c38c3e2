// A CUDA program that is to run on the simulator.
#pragma once

#include "child_program.hpp"
#include "runtime/options/values.hpp"

#include <string>
#include <vector>

namespace warpsim::command {

struct ReadyProgram {
    std::string path;
    ChildOptions child;
};
/// Checks the options and the program, and puts into this process's environment through what it finds the simulator. Throws
/// Error.
ReadyProgram ready_program(options::Values& chosen, std::vector<std::string> const& program);

}  // namespace warpsim::command
