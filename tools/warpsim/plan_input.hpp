// What `run` and `debug` are given: a plan, or PTX and options that make one.
#pragma once

#include "runtime/options/values.hpp"
#include "runtime/plan/plan.hpp"

#include <string>

namespace CLI {
class App;
}

namespace warpsim::command {

struct PlanInput {
    plan::LaunchPlan plan;
    std::string text;  // of the file
};
/// Throws Error for what is neither, and for options of `sub` that belong to the other.
PlanInput read_plan_input(std::string const& file, CLI::App const& sub, options::Values const& chosen);

}  // namespace warpsim::command
