#include "child_program.hpp"

#include "command.hpp"
#include "runtime/log.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

namespace warpsim::command {

namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t child = 0;

void forward(int signal, siginfo_t* info, void*) {
    // A key pressed in the terminal has already sent the signal to the program.
    if (info->si_code != SI_KERNEL && child > 0) kill(child, signal);
}

/// The processes that this one has started, and those that these have.
std::vector<pid_t> descendants() {
    std::multimap<pid_t, pid_t> children;
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator("/proc", error)) {
        pid_t const pid = std::atoi(entry.path().filename().c_str());
        if (pid <= 0) continue;
        std::ifstream file(entry.path() / "stat");
        std::string stat;
        std::getline(file, stat);
        // "pid (name) state parent": the name may hold anything.
        std::size_t const end = stat.rfind(')');
        if (end == std::string::npos || stat.size() < end + 4) continue;
        children.emplace(std::atoi(stat.c_str() + end + 4), pid);
    }
    std::vector<pid_t> found{getpid()};
    for (std::size_t i = 0; i < found.size(); ++i) {
        auto const [first, last] = children.equal_range(found[i]);
        for (auto at = first; at != last; ++at) found.push_back(at->second);
    }
    found.erase(found.begin());
    return found;
}

/// Waits until the process has ended, or until that time. False: it has not.
bool wait_for(pid_t pid, int& status, Clock::time_point until) {
    while (true) {
        pid_t const ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) return true;
        if (Clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

/// Ends all that is left of a program whose time is over. Its processes have ended themselves if they could: they know the
/// time, and write their reports first.
void end_all(pid_t pid, int& status) {
    bool has_ended = wait_for(pid, status, Clock::now() + std::chrono::seconds(3));
    for (int const signal : {SIGTERM, SIGKILL}) {
        std::vector<pid_t> const left = descendants();
        if (left.empty()) break;
        for (pid_t const one : left) kill(one, signal);
        auto const end = Clock::now() + std::chrono::milliseconds(500);
        while (Clock::now() < end && !descendants().empty()) {
            if (!has_ended) has_ended = wait_for(pid, status, Clock::now());
            while (waitpid(-1, nullptr, WNOHANG) > 0) {}
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
}

pid_t start(std::vector<std::string> const& program, std::string const& path) {
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
    if (pid != 0) return pid;
    try {
        become(program, path);
    } catch (Error const& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        _exit(usage_error);
    }
}

}  // namespace

void become(std::vector<std::string> const& program, std::string const& path) {
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

int run_child(std::vector<std::string> const& program, std::string const& path, ChildOptions const& options) {
    std::filesystem::path const marker =
        std::filesystem::temp_directory_path() / ("warpsim-fault-" + std::to_string(getpid()));
    std::filesystem::remove(marker);
    setenv("WARPSIM_FAULT_MARKER", marker.c_str(), 1);
    auto const deadline = Clock::now() + std::chrono::seconds(options.timeout_seconds);
    if (options.timeout_seconds != 0) {
        auto const ns = std::chrono::nanoseconds(deadline.time_since_epoch()).count();
        setenv("WARPSIM_DEADLINE", std::to_string(ns).c_str(), 1);
        prctl(PR_SET_CHILD_SUBREAPER, 1);  // whatever loses its parent is still this one's
    }
    pid_t const pid = start(program, path);
    int status = 0;
    bool is_over = false;
    if (options.timeout_seconds == 0) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    } else if (is_over = !wait_for(pid, status, deadline); is_over) {
        end_all(pid, status);
    }
    bool const faulted = std::filesystem::remove(marker);
    if (is_over) {
        log::error("time limit: '" + program.front() + "' was stopped after " +
                   std::to_string(options.timeout_seconds) + " s (--timeout); exit status " +
                   std::to_string(timed_out));
        return timed_out;
    }
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    int const own = WEXITSTATUS(status);
    return own == 0 && faulted ? options.error_exitcode : own;
}

}  // namespace warpsim::command
