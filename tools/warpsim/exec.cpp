// `warpsim exec`: a CUDA program on the simulator.
#include "command.hpp"
#include "program_file.hpp"
#include "table_options.hpp"

#include "runtime/fatbin/fatbin.hpp"
#include "runtime/log.hpp"
#include "runtime/session/chosen.hpp"

#include <CLI/CLI.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace warpsim::command {

namespace {

/// Where the CUDA libraries are: beside this program's own library, in the build as in an installed tree.
std::filesystem::path libraries() {
    std::filesystem::path const self = std::filesystem::read_symlink("/proc/self/exe");
    std::filesystem::path const folder = self.parent_path().parent_path() / "lib" / "cuda";
    if (!std::filesystem::exists(folder / "libcudart.so.13"))
        throw Error(ErrorKind::usage,
                    "the CUDA libraries are missing: there is no " + (folder / "libcudart.so.13").string() +
                        "; `cmake --build --preset release --target cuda-libraries` builds them");
    return folder;
}

void check_program(std::string const& name, std::string const& path) {
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
    if (!program.has_device_code) return;
    if (program.cuda_runtime.empty())
        throw Error(ErrorKind::usage,
                    "'" + name + "' has NVIDIA's CUDA runtime linked in, which talks to NVIDIA's driver only. " +
                        fatbin::advice_on_linked_runtime());
    if (program.cuda_runtime != "libcudart.so.13")
        throw Error(ErrorKind::usage, "'" + name + "' asks for " + program.cuda_runtime +
                                          "; programs of CUDA 13 (libcudart.so.13) can run here");
}

void prepend(char const* variable, std::string const& value, char separator) {
    char const* const old = std::getenv(variable);
    std::string const joined = old != nullptr && *old != 0 ? value + separator + old : value;
    setenv(variable, joined.c_str(), 1);
}

/// The environment through which the program finds the simulator and its options.
void set_environment(options::Values const& chosen) {
    std::filesystem::path const folder = libraries();
    prepend("LD_LIBRARY_PATH", folder.string(), ':');
    // Preloaded, since a path written into the program would take precedence over the variable.
    for (char const* const library : {"libcuda.so.1", "libcudart.so.13"}) {
        if (std::filesystem::exists(folder / library)) prepend("LD_PRELOAD", (folder / library).string(), ':');
    }
    chosen.write_environment();
}

[[noreturn]] void become(std::vector<std::string> const& program, std::string const& path) {
    std::vector<char*> arguments;
    for (std::string const& word : program) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(path.c_str(), arguments.data());
    if (errno == ENOEXEC) {
        // A script that names no interpreter: a shell would run it, too.
        std::string shell = "/bin/sh", script = path;
        arguments.front() = script.data();
        arguments.insert(arguments.begin(), shell.data());
        execv(shell.c_str(), arguments.data());
    }
    throw Error(ErrorKind::usage, "cannot run '" + program.front() + "': " + std::strerror(errno));
}

volatile sig_atomic_t child = 0;

void forward(int signal, siginfo_t* info, void*) {
    // A key pressed in the terminal has already sent the signal to the program.
    if (info->si_code != SI_KERNEL && child > 0) kill(child, signal);
}

/// Runs the program as a child process, and then looks whether a kernel faulted or a checker found something.
int run_and_ask(std::vector<std::string> const& program, std::string const& path, int error_exitcode) {
    std::filesystem::path const marker =
        std::filesystem::temp_directory_path() / ("warpsim-fault-" + std::to_string(getpid()));
    std::filesystem::remove(marker);
    setenv("WARPSIM_FAULT_MARKER", marker.c_str(), 1);
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigset_t forwarded, before;
    sigemptyset(&forwarded);
    for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT}) {
        sigaction(signal, &action, nullptr);
        sigaddset(&forwarded, signal);
    }
    // The program may run, and be meant by a signal, before this process knows whom to forward it to.
    sigprocmask(SIG_BLOCK, &forwarded, &before);
    pid_t const pid = fork();
    if (pid >= 0) child = pid;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) throw Error(ErrorKind::usage, std::string("cannot start a process: ") + std::strerror(errno));
    if (pid == 0) {
        try {
            become(program, path);
        } catch (Error const& error) {
            std::fprintf(stderr, "error: %s\n", error.what());
            _exit(usage_error);
        }
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    bool const faulted = std::filesystem::remove(marker);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    int const own = WEXITSTATUS(status);
    return own == 0 && faulted ? error_exitcode : own;
}

}  // namespace

void add_exec(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("exec", "Run a CUDA program on the simulator");
    sub->footer("\nwarpsim exec [OPTIONS] -- PROGRAM ARGS...");
    auto const chosen = std::make_shared<options::Values>();
    // From the first word that is not an option of ours, everything belongs to the program, even without the --.
    sub->prefix_command();
    add_options(*sub, options::Command::exec, *chosen);
    sub->callback([chosen, sub, &status] {
        std::vector<std::string> const program = sub->remaining();
        if (program.empty())
            throw Error(ErrorKind::usage, "no program to run: warpsim exec [OPTIONS] -- PROGRAM ARGS...");
        if (program.front().starts_with('-'))
            throw Error(ErrorKind::usage,
                        "unknown option '" + program.front() + "'" + nearest_option(*sub, program.front()));
        chosen->read_environment();
        // An error should be reported before the program starts.
        runtime::configure_log(*chosen);
        runtime::Mode const mode = runtime::chosen_mode(*chosen);
        runtime::SessionOptions const beside =
            runtime::chosen_session(*chosen, runtime::chosen_config(*chosen), mode);
        if (!beside.check.suppressions.empty()) check::Suppressions::read(beside.check.suppressions);
        std::string const path = find_program(program.front());
        check_program(program.front(), path);
        set_environment(*chosen);
        int const error_exitcode = chosen->is_given<"error-exitcode">()
                                       ? static_cast<int>(chosen->value<"error-exitcode">())
                                       : !beside.check.kinds.empty();
        if (error_exitcode == 0) become(program, path);
        status = run_and_ask(program, path, error_exitcode);
    });
}

}  // namespace warpsim::command
