// `warpsim debug`: the launches of a plan, a kernel of a PTX file, or a CUDA program, under the user's control.
#include "command.hpp"
#include "exec.hpp"
#include "plan_input.hpp"
#include "runtime/debug/dap/adapter.hpp"
#include "runtime/debug/terminal.hpp"
#include "runtime/log.hpp"
#include "runtime/plan/run.hpp"
#include "runtime/session/chosen.hpp"
#include "table_options.hpp"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::command {

namespace {

struct DebugCommand {
    std::string file;      // PLAN.json or FILE.ptx
    std::string commands;  // what the user would type
    std::string port;      // --dap with one
    options::Values chosen;
};

/// Where commands come from, and where answers go to; both outlive what a program does with its own.
std::pair<int, int> debug_files(std::string const& commands) {
    int const in = commands.empty() ? dup(STDIN_FILENO) : open(commands.c_str(), O_RDONLY);
    if (in < 0) throw Error(ErrorKind::usage, "cannot read '" + commands + "': " + std::strerror(errno));
    return {in, dup(STDOUT_FILENO)};
}

/// Replaces this process.
void debug_program(DebugCommand& command, std::vector<std::string> const& program) {
    if (program.empty())
        throw Error(ErrorKind::usage, "no program to debug: warpsim debug [OPTIONS] -- PROGRAM [ARGUMENTS...]");
    ReadyProgram const ready = ready_program(command.chosen, program);
    auto const [in, out] = debug_files(command.commands);
    setenv("WARPSIM_DEBUG", (std::to_string(in) + "," + std::to_string(out)).c_str(), 1);
    become(program, ready.path);
}

/// False: once more.
bool debug_plan_once(plan::LaunchPlan const& plan, options::Values const& chosen, debug::Terminal& terminal,
                     int& status) {
    runtime::Mode const mode = runtime::chosen_mode(chosen, plan.mode);
    debug::Debugger& debugger = terminal.debugger();
    debugger.can_run_again = true;
    debugger.begin_again();
    runtime::ChosenConfig const config = runtime::chosen_config(chosen, plan.config, plan.overrides);
    runtime::SessionOptions beside = runtime::chosen_session(chosen, config, mode);
    beside.debugger = &debugger;
    runtime::Session session(beside);
    plan::RunOptions options;
    options.device = runtime::chosen_device(chosen, mode);
    session.observe(options.device);
    options.device.print = [&](std::string_view text) {
        if (!debugger.is_repeating()) std::fwrite(text.data(), 1, text.size(), stdout);
    };
    options.out = chosen.value<"out">();
    options.launched = [&](runtime::LaunchResult const& launch) { session.launched(launch); };
    std::string how = "[all launches have ended]";
    status = success;
    try {
        plan::run_plan(plan, config.config, options);
        session.finish();
        if (session.has_findings()) status = check_failed;
    } catch (debug::Quit const&) {
        return true;
    } catch (debug::RunAgain const&) {
        return false;
    } catch (Error const& error) {
        if (debugger.runs_again()) return false;
        if (error.kind() != ErrorKind::fault && error.kind() != ErrorKind::comparison) throw;
        status = status_of(error.kind());
        how = error.what();
    }
    debugger.has_ended();
    if (terminal.console() != nullptr) return terminal.console()->ended(how);
    terminal.front().note(how);
    return true;
}

void debug_plan(DebugCommand& command, CLI::App const& sub, int& status) {
    options::Values& chosen = command.chosen;
    chosen.read_environment();
    runtime::configure_log(chosen);
    options::warn_of_unknown_variables(log::warning);
    PlanInput const input = read_plan_input(command.file, sub, chosen);
    auto const [in, out] = debug_files(command.commands);
    debug::Terminal terminal(in, out);
    while (!debug_plan_once(input.plan, chosen, terminal, status)) {}
}

/// What the client of an editor launches: what the command line has named, or the client does.
class EditedProgram final : public debug::dap::Debuggee {
public:
    EditedProgram(DebugCommand& command, CLI::App const& sub, std::vector<std::string> const& program)
        : command_(command), sub_(sub), program_(program) {}

    void prepare(debug::dap::LaunchWish const& wish) override {
        std::string file = command_.file;
        if (!file.empty()) file = std::filesystem::absolute(file).string();
        if (!program_.empty() && program_.front().find('/') != std::string::npos)
            program_.front() = std::filesystem::absolute(program_.front()).string();
        if (!wish.folder.empty() && chdir(wish.folder.c_str()) != 0)
            throw Error(ErrorKind::usage, "cannot run in '" + wish.folder + "': " + std::strerror(errno));
        for (auto const& [name, value] : wish.environment)
            if (value) setenv(name.c_str(), value->c_str(), 1);
            else unsetenv(name.c_str());
        if (!wish.program.empty()) program_ = wish.program;
        if (!wish.plan.empty()) file = wish.plan;
        bool const is_plan = !wish.plan.empty() || (wish.program.empty() && !file.empty());
        options::Values& chosen = command_.chosen;
        if (!is_plan) {
            if (program_.empty())
                throw Error(ErrorKind::usage, "launch what? The request has no \"program\", and no \"plan\"");
            path_ = ready_program(chosen, program_).path;
            return;
        }
        chosen.read_environment();
        runtime::configure_log(chosen);
        options::warn_of_unknown_variables(log::warning);
        input_ = read_plan_input(file, sub_, chosen);
    }

    int run(int file) override {
        std::string const files = std::to_string(file) + ",dap";
        if (!input_) {
            setenv("WARPSIM_DEBUG", files.c_str(), 1);
            become(program_, path_);
        }
        debug::Terminal terminal(files);
        int status = success;
        while (!debug_plan_once(input_->plan, command_.chosen, terminal, status)) {}
        return status;
    }

private:
    DebugCommand& command_;
    CLI::App const& sub_;
    std::vector<std::string> program_;
    std::string path_;
    std::optional<PlanInput> input_;
};

/// Over standard input and output, to which nothing else may write, or over a port.
void debug_for_editor(DebugCommand& command, CLI::App const& sub, std::vector<std::string> const& program) {
    // `--dap PLAN.json`: the next word is no port.
    bool const is_port = std::all_of(command.port.begin(), command.port.end(),
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!is_port) std::swap(command.port, command.file);
    if (command.port.size() > 5 || (!command.port.empty() && std::stoi(command.port) > 65535))
        throw Error(ErrorKind::usage, "--dap " + command.port + ": a port is a number from 0 to 65535");
    EditedProgram debuggee(command, sub, program);
    int in = -1, out = -1;
    if (!command.port.empty()) {
        in = out = debug::dap::accepted_client(std::stoi(command.port), [](int port) {
            std::fprintf(stderr, "warpsim waits for a client of the Debug Adapter Protocol at 127.0.0.1:%d\n",
                         port);
        });
    } else {
        in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    debug::dap::Adapter(in, out, debuggee).serve();
}

}  // namespace

void add_debug(CLI::App& app, int& status, std::vector<std::string> const& program) {
    CLI::App* const sub = app.add_subcommand("debug", "Run a plan, a kernel or a CUDA program under a debugger");
    sub->footer(
        "\nwarpsim debug [OPTIONS] PLAN.json|FILE.ptx\nwarpsim debug [OPTIONS] -- PROGRAM [ARGUMENTS...]\n\n"
        "The debugger's own commands are those of gdb and cuda-gdb; `help` there lists them.");
    auto const command = std::make_shared<DebugCommand>();
    sub->add_option("file", command->file, "A plan, or a PTX file with one kernel to run")
        ->type_name("PLAN.json|FILE.ptx");
    sub->add_option("-x,--commands", command->commands,
                    "A file with commands of the debugger, instead of standard input")
        ->type_name("FILE");
    sub->add_option(
           "--dap", command->port,
           "Talk the Debug Adapter Protocol, for editors: over standard input and output, or with one client at a "
           "port of the loopback (0: any)")
        ->expected(0, 1)
        ->type_name("[PORT]");
    add_options(*sub, options::Command::run, command->chosen);
    sub->callback([command, sub, program, &status] {
        if (sub->count("--dap") != 0) debug_for_editor(*command, *sub, program);
        else if (!program.empty() || command->file.empty()) debug_program(*command, program);
        else debug_plan(*command, *sub, status);
    });
}

}  // namespace warpsim::command
