// `warpsim exec`: a CUDA program on the simulator.
#include "exec.hpp"
#include "client_environment.hpp"
#include "command.hpp"
#include "program_file.hpp"
#include "table_options.hpp"

#include "runtime/coverage/shared_file.hpp"
#include "runtime/fatbin/fatbin.hpp"
#include "runtime/log.hpp"
#include "runtime/session/chosen.hpp"
#include "sim/own_file.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace warpsim::command {

namespace {

/// The CUDA runtimes that there are, the newest last.
constexpr std::array<std::string_view, 2> runtimes{"libcudart.so.12", "libcudart.so.13"};

/// The folder of the CUDA libraries.
std::filesystem::path libraries() {
    std::string const runtime = sim::own_file("cuda/libcudart.so.13");
    if (runtime.empty())
        throw Error(
            ErrorKind::usage,
            "the CUDA libraries are missing: there is no cuda/libcudart.so.13 in lib, beside the folder of this "
            "command; `cmake --build --preset release --target cuda-libraries` builds them");
    return std::filesystem::path(runtime).parent_path();
}

/// Throws Error(usage) for what cannot run.
ProgramFile check_program(std::string const& name, std::string const& path) {
    if (path.empty()) {
        bool const is_there = name.find('/') != std::string::npos && access(name.c_str(), F_OK) == 0;
        throw Error(ErrorKind::usage,
                    "cannot run '" + name + "': " +
                        (is_there ? "it is no program that you may run (chmod +x)" : "there is no such program"));
    }
    ProgramFile const program = inspect_program(path);
    if (!program.closed_libraries.empty()) {
        std::string list;
        for (std::string const& library : program.closed_libraries) list += (list.empty() ? "" : ", ") + library;
        log::warning("'" + name + "' uses " + list +
                     ", whose kernels are machine code without PTX for this device: calls that launch "
                     "them will fail");
    }
    if (!program.has_device_code) return program;
    if (program.cuda_runtime.empty())
        throw Error(ErrorKind::usage,
                    "'" + name + "' has NVIDIA's CUDA runtime linked in, which talks to NVIDIA's driver only. " +
                        fatbin::advice_on_linked_runtime());
    if (std::find(runtimes.begin(), runtimes.end(), program.cuda_runtime) == runtimes.end())
        throw Error(ErrorKind::usage,
                    "'" + name + "' asks for " + program.cuda_runtime +
                        "; programs of CUDA 12 and 13 (libcudart.so.12, libcudart.so.13) can run here");
    return program;
}

void prepend(char const* variable, std::string const& value, char separator) {
    char const* const old = std::getenv(variable);
    std::string const joined = old != nullptr && *old != 0 ? value + separator + old : value;
    setenv(variable, joined.c_str(), 1);
}

/// The environment through which the program finds the simulator and its options.
void set_environment(options::Values const& chosen, bool guards_memory, ProgramFile const& program) {
    std::filesystem::path const folder = libraries();
    prepend("LD_LIBRARY_PATH", folder.string(), ':');
    // Preloaded, since a path written into the program would take precedence over the variable; of libraries that the program
    // opens too. What is preloaded last is looked into first: the program's own runtime.
    std::vector<std::string> preloaded{"libwarpsim_redirect.so", "libcuda.so.1"};
    preloaded.insert(preloaded.end(), runtimes.begin(), runtimes.end());
    if (!program.cuda_runtime.empty()) preloaded.push_back(program.cuda_runtime);
    if (guards_memory) preloaded.emplace_back("libwarpsim_system_calls.so");
    // What has a stand-in is replaced when it is opened (runtime/cuda/redirect), but for what the program is linked with, and for
    // cuRAND, with which extension modules of Python are.
    std::string const curand = "libcurand.so.10";
    preloaded.push_back("replaced/" + curand);
    for (std::string const& library : program.needed)
        if (library != curand) preloaded.push_back("replaced/" + library);
    for (std::string const& library : preloaded)
        if (std::filesystem::exists(folder / library)) prepend("LD_PRELOAD", (folder / library).string(), ':');
    set_client_environment(folder);
    chosen.write_environment();
    // The program may go to another folder before it first uses the device.
    std::string plugins;
    for (std::string const& one : chosen.value<"plugin">())
        plugins += (plugins.empty() ? "" : ";") + std::filesystem::absolute(one).string();
    if (!plugins.empty()) setenv("WARPSIM_PLUGIN", plugins.c_str(), 1);
}

}  // namespace

ReadyProgram ready_program(options::Values& chosen, std::vector<std::string> const& program) {
    chosen.read_environment();
    // An error should be reported before the program starts.
    runtime::configure_log(chosen);
    runtime::Mode const mode = runtime::chosen_mode(chosen);
    runtime::SessionOptions const beside = runtime::chosen_session(chosen, runtime::chosen_config(chosen), mode);
    static_cast<void>(runtime::chosen_device(chosen, mode));
    if (!beside.check.suppressions.empty()) check::Suppressions::read(beside.check.suppressions);
    if (!beside.coverage.empty()) coverage::check_file(beside.coverage);
    runtime::LaunchChoice const checked(beside.chosen.kernels, 0, 0);
    ReadyProgram ready;
    ready.path = find_program(program.front());
    ProgramFile const file = check_program(program.front(), ready.path);
    std::vector<check::Kind> const& kinds = beside.check.kinds;
    set_environment(chosen, std::find(kinds.begin(), kinds.end(), check::Kind::race) != kinds.end(), file);
    ready.child.error_exitcode = chosen.is_given<"error-exitcode">()
                                     ? static_cast<int>(chosen.value<"error-exitcode">())
                                     : !beside.check.kinds.empty();
    ready.child.timeout_seconds = beside.early_end.seconds;
    return ready;
}

void add_exec(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("exec", "Run a CUDA program on the simulator");
    sub->footer("\nwarpsim exec [OPTIONS] -- PROGRAM [ARGUMENTS...]\n\n"
                "The exit status is the program's, or --error-exitcode.");
    auto const chosen = std::make_shared<options::Values>();
    // From the first word that is not an option of ours, everything belongs to the program, even without the --.
    sub->prefix_command();
    add_options(*sub, options::Command::exec, *chosen);
    sub->callback([chosen, sub, &status] {
        std::vector<std::string> const program = sub->remaining();
        if (program.empty())
            throw Error(ErrorKind::usage, "no program to run: warpsim exec [OPTIONS] -- PROGRAM [ARGUMENTS...]");
        if (program.front().starts_with('-'))
            throw Error(ErrorKind::usage,
                        "unknown option '" + program.front() + "'" + nearest_option(*sub, program.front()));
        ReadyProgram const ready = ready_program(*chosen, program);
        if (ready.child.error_exitcode == 0 && ready.child.timeout_seconds == 0) become(program, ready.path);
        status = run_child(program, ready.path, ready.child);
    });
}

}  // namespace warpsim::command
