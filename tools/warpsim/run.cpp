// `warpsim run`: the launches of a plan, or one kernel of a PTX file.
#include "runtime/plan/run.hpp"
#include "command.hpp"
#include "runtime/log.hpp"
#include "runtime/plan/one_line.hpp"
#include "simulation_options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace warpsim::command {

namespace {

struct RunCommand {
    SimulationOptions simulation;
    std::string file;
    std::string out;
    std::string kernel;
    std::string grid;
    std::string block;
    std::string cluster;
    std::uint32_t shared = 0;
    std::vector<std::string> arguments;
    std::uint64_t print = 0;
    std::vector<CLI::Option*> of_ptx;
    std::vector<CLI::Option*> of_plan;
};

// By name; of another name, a plan is what begins like JSON.
bool is_plan(std::string const& path) {
    if (path.ends_with(".json")) return true;
    if (path.ends_with(".ptx")) return false;
    std::string const text = read_file(path);
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

void refuse(std::vector<CLI::Option*> const& options, char const* belongs_to) {
    for (CLI::Option const* const option : options)
        if (option->count() > 0)
            throw Error(ErrorKind::usage, option->get_name() + " belongs to `warpsim run " + belongs_to + "`");
}

plan::Plan plan_of_options(RunCommand const& command) {
    plan::Plan plan;
    plan.path = command.file;
    plan.one_line = true;
    plan.modules = {command.file};
    plan::Launch launch;
    launch.kernel = command.kernel;
    if (!command.grid.empty()) launch.shape.grid = plan::parse_extent("--grid", command.grid);
    if (!command.block.empty()) launch.shape.block = plan::parse_extent("--block", command.block);
    if (!command.cluster.empty()) launch.shape.cluster = plan::parse_extent("--cluster", command.cluster);
    launch.shape.dynamic_shared = command.shared;
    plan.launches.push_back(std::move(launch));
    for (std::string const& argument : command.arguments) plan::add_argument(plan, argument);
    return plan;
}

void print_elements(plan::Array const& array, std::span<std::byte const> bytes, std::uint64_t limit) {
    std::string text =
        array.name + " " + std::string(isa::name(array.type)) + "[" + std::to_string(array.count) + "]:";
    std::size_t const size = plan::size_of(array.type);
    for (std::uint64_t i = 0; i < std::min(limit, array.count); ++i)
        text += " " + plan::to_text(array.type, bytes.data() + i * size);
    if (limit < array.count) text += " ...";
    print(text + "\n");
}

int run(RunCommand const& command) {
    command.simulation.configure_log();
    bool const from_plan = is_plan(command.file);
    if (from_plan) refuse(command.of_ptx, "FILE.ptx");
    else refuse(command.of_plan, "PLAN.json");
    if (!from_plan) read_file(command.file);  // a missing file is told as one, before any option is judged
    plan::Plan const plan = from_plan ? plan::read_plan(command.file) : plan_of_options(command);
    runtime::Mode const mode = command.simulation.choose_mode(plan.mode);
    sim::Config const config = command.simulation.load_config(plan.config, plan.overrides);
    runtime::Session session(command.simulation.session(config, mode));
    plan::RunOptions options;
    options.device = command.simulation.device(mode);
    session.observe(options.device);
    options.out = command.out;
    options.launched = [&](runtime::LaunchResult const& launch) { session.launched(launch); };
    if (command.print > 0)
        options.inspect = [&](plan::Array const& array, std::span<std::byte const> bytes) {
            print_elements(array, bytes, command.print);
        };
    plan::run_plan(plan, config, options);
    for (plan::Expectation const& e : plan.expectations) log::info("as expected: " + e.name);
    return success;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("run", "Run the launches of a plan, or one kernel of a PTX file");
    auto const command = std::make_shared<RunCommand>();
    sub->add_option("file", command->file, "A plan, or a PTX file with one kernel to run")
        ->type_name("PLAN.json|FILE.ptx")
        ->required();
    auto const of_ptx = [&](CLI::Option* option, char const* type) {
        command->of_ptx.push_back(option->type_name(type)->group("Of run FILE.ptx"));
    };
    of_ptx(sub->add_option("--kernel", command->kernel, "The kernel (default: the only one)"), "NAME");
    of_ptx(sub->add_option("--grid", command->grid, "CTAs (default: 1)"), "X[,Y,Z]");
    of_ptx(sub->add_option("--block", command->block, "Threads of a CTA (default: 1)"), "X[,Y,Z]");
    of_ptx(sub->add_option("--cluster", command->cluster, "CTAs of a cluster"), "X[,Y,Z]");
    of_ptx(sub->add_option("--shared", command->shared, "Dynamic shared memory of a CTA"), "BYTES");
    of_ptx(sub->add_option("--arg", command->arguments,
                           "One argument, repeatable, in order: a number (1024, 2.0, 0xff, nan), TYPE=NUMBER, or\n"
                           "TYPE[COUNT]=INIT for the address of an array; INIT is zero, fill:V,\n"
                           "iota[:START[:STEP]], uniform:SEED[:LOW[:HIGH]], values:1,2,3 or file:PATH;\n"
                           "for example --arg 1024 --arg 2.0 --arg f32[1024]=uniform:1")
               ->allow_extra_args(false),
           "ARG");
    of_ptx(sub->add_option("--print", command->print,
                           "Print the first N elements of every array argument afterwards"),
           "N");
    command->of_plan.push_back(
        sub->add_option("--out", command->out, "Where saved files go (default: beside the plan)")
            ->type_name("DIR")
            ->group("Of run PLAN.json"));
    command->simulation.add_to(*sub);
    sub->callback([command, &status] { status = run(*command); });
}

}  // namespace warpsim::command
