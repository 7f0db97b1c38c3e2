// `warpsim exec`: a CUDA program on the simulator.
#include "command.hpp"
#include "simulation_options.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace warpsim::command {

namespace {

struct ExecCommand {
    SimulationOptions simulation;
    int error_exitcode = 0;
    std::vector<std::string> program;
};

}  // namespace

void add_exec(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("exec", "Run a CUDA program on the simulator");
    auto const command = std::make_shared<ExecCommand>();
    sub->add_option("program", command->program, "The program and its arguments, after --")
        ->type_name("-- PROGRAM ARGS...")
        ->required();
    sub->add_option("--error-exitcode", command->error_exitcode,
                    "Exit status when a kernel faulted and the program itself ended with 0")
        ->type_name("N")
        ->check(CLI::Range(0, 255));
    command->simulation.add_to(*sub);
    sub->callback([command, &status] {
        command->simulation.configure_log();
        command->simulation.check_mode("");
        status = usage_error;
        throw Error(ErrorKind::usage, "exec is not available yet: this build has no CUDA libraries; "
                                      "`warpsim run` runs PTX from a plan or a file");
    });
}

}  // namespace warpsim::command
