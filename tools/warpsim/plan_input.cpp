#include "plan_input.hpp"

#include "command.hpp"
#include "runtime/plan/one_line.hpp"
#include "table_options.hpp"

#include <CLI/CLI.hpp>

#include <utility>

namespace warpsim::command {

namespace {

/// Where the text begins behind white space and comments, which plans and PTX write alike.
std::size_t beginning(std::string const& text) {
    std::size_t at = 0;
    while (true) {
        at = text.find_first_not_of(" \t\r\n", at);
        if (at == std::string::npos || text[at] != '/') return at;
        bool const is_line = text.compare(at, 2, "//") == 0;
        std::size_t const end = text.find(is_line ? "\n" : "*/", at + 2);
        if (end == std::string::npos) return end;
        at = end + (is_line ? 1 : 2);
    }
}

// By name; for other names, a text that begins like JSON is a plan.
bool is_plan(Input const& input) {
    if (input.name.ends_with(".json")) return true;
    if (input.name.ends_with(".ptx")) return false;
    std::size_t const first = beginning(input.text);
    return first != std::string::npos && input.text[first] == '{';
}

plan::LaunchPlan plan_of_options(Input const& input, options::Values const& chosen) {
    plan::LaunchPlan plan;
    plan.path = input.name;
    plan.one_line = true;
    plan.text = runtime::PtxText{input.name, input.text};
    plan::Launch launch;
    launch.kernel = chosen.value<"kernel">();
    launch.shape.grid = plan::parse_extent("--grid", chosen.value<"grid">());
    launch.shape.block = plan::parse_extent("--block", chosen.value<"block">());
    if (chosen.is_given<"cluster">())
        launch.shape.cluster = plan::parse_extent("--cluster", chosen.value<"cluster">());
    launch.shape.dynamic_shared = static_cast<std::uint32_t>(chosen.value<"shared">());
    plan.launches.push_back(std::move(launch));
    for (std::string const& argument : chosen.value<"arg">()) plan::add_argument(plan, argument);
    return plan;
}

}  // namespace

PlanInput read_plan_input(std::string const& file, CLI::App const& sub, options::Values const& chosen) {
    Input const input = read_input(file);
    bool const from_plan = is_plan(input);
    if (!from_plan) expect_ptx(input);
    if (from_plan) refuse(sub, options::Section::run_ptx, sub.get_name() + " FILE.ptx");
    else refuse(sub, options::Section::run_plan, sub.get_name() + " PLAN.json");
    return {from_plan ? plan::read_plan(input.name, input.text) : plan_of_options(input, chosen), input.text};
}

}  // namespace warpsim::command
