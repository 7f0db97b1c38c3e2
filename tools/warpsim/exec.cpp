// `warpsim exec`: a CUDA program on the simulator.
#include "choice.hpp"
#include "command.hpp"
#include "simulation_options.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace warpsim::command {

namespace {

struct ExecCommand {
    SimulationOptions simulation;
    int error_exitcode = 0;
};

}  // namespace

void add_exec(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("exec", "Run a CUDA program on the simulator");
    sub->footer("\nwarpsim exec [OPTIONS] -- PROGRAM ARGS...");
    auto const command = std::make_shared<ExecCommand>();
    // From the first word that is no option of ours, everything belongs to the program, also without the --.
    sub->prefix_command();
    within(sub->add_option("--error-exitcode", command->error_exitcode,
                           "Exit status when a kernel faulted and the program itself ended with 0"),
           0, 255)
        ->type_name("N");
    command->simulation.add_to(*sub);
    sub->callback([command, sub, &status] {
        std::vector<std::string> const program = sub->remaining();
        if (program.empty())
            throw Error(ErrorKind::usage, "no program to run: warpsim exec [OPTIONS] -- PROGRAM ARGS...");
        if (program.front().starts_with('-'))
            throw Error(ErrorKind::usage,
                        "unknown option '" + program.front() + "'" + nearest_option(*sub, program.front()));
        command->simulation.configure_log();
        command->simulation.check_mode("");
        status = usage_error;
        throw Error(ErrorKind::usage, "exec is not available yet: this build has no CUDA libraries; "
                                      "`warpsim run` runs PTX from a plan or a file");
    });
}

}  // namespace warpsim::command
