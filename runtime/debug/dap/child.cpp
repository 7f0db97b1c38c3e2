// The process that is debugged, from its beginning to its end; and the socket that a client connects to.
#include "runtime/debug/dap/adapter.hpp"
#include "sim/error.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace warpsim::debug::dap {

namespace {

/// What a program has for its end once it was asked to.
constexpr std::chrono::milliseconds time_to_end{1000};

[[noreturn]] void fail(char const* what) {
    throw Error(ErrorKind::usage, std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

void Adapter::start() {
    if (!is_prepared_ || !is_configured_ || program_ > 0) return;
    int sockets[2], out[2], err[2], ended[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        pipe2(err, O_CLOEXEC) != 0 || pipe2(ended, O_CLOEXEC) != 0)
        fail("cannot make pipes");
    std::fflush(nullptr);
    program_ = fork();
    if (program_ < 0) fail("cannot start a process");
    if (program_ == 0) {
        // All that it starts ends with it; and it ends when its user's process does.
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        int const nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        for (int const file : {sockets[0], out[0], out[1], err[0], err[1], ended[0], ended[1], nothing})
            if (file > STDERR_FILENO) close(file);
        fcntl(sockets[1], F_SETFD, 0);
        int status = 70;
        try {
            status = debuggee_.run(sockets[1]);
        } catch (std::exception const& error) {
            std::fprintf(stderr, "error: %s\n", error.what());
            status = 2;
        }
        std::fflush(nullptr);
        _exit(status);
    }
    setpgid(program_, program_);
    close(sockets[1]);
    close(out[1]);
    close(err[1]);
    socket_ = sockets[0];
    out_ = out[0];
    err_ = err[0];
    ended_ = ended[0];
    waiter_ = std::thread([pid = program_, file = ended[1]] {
        int status = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
        write_all(file, {reinterpret_cast<char const*>(&status), sizeof status});
        close(file);
    });
    writer_.write(event_of("process", {{"name", launch_.value("program", launch_.value("plan", "program"))},
                                       {"systemProcessId", program_},
                                       {"isLocalProcess", true},
                                       {"startMethod", "launch"}}));
}

void Adapter::hear_end() {
    int status = 0;
    ssize_t const count = read(ended_, &status, sizeof status);
    close(ended_);
    ended_ = -1;
    has_ended_ = true;
    kill_at_.reset();
    // What is left; what it has started may still hold the other ends.
    for (int i = 0; i < 3; ++i) {
        int& file = i == 0 ? out_ : i == 1 ? err_ : socket_;
        pollfd ready{file, POLLIN, 0};
        while (file >= 0 && poll(&ready, 1, 0) > 0) {
            if (i == 2) hear_program();
            else hear_output(file, i == 0 ? out_rest_ : err_rest_, i == 0 ? "stdout" : "stderr");
        }
    }
    for (auto const& [seq, request] : open_) writer_.write(refusal_of(request, "the program has ended"));
    open_.clear();
    if (is_restarting_) return;
    if (count == sizeof status && WIFSIGNALED(status))
        writer_.write(
            output_of("console", "The program was ended by signal " + std::to_string(WTERMSIG(status)) + "\n"));
    else if (!is_here_) writer_.write(output_of("console", "The program has used no simulated GPU\n"));
    int const code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    writer_.write(event_of("exited", {{"exitCode", code}}));
    writer_.write(event_of("terminated", nullptr));
}

void Adapter::end_program() {
    if (program_ <= 0 || has_ended_ || kill_at_) return;
    kill(-program_, SIGTERM);
    kill_at_ = std::chrono::steady_clock::now() + time_to_end;
}

int accepted_client(int port, void (*told)(int port)) {
    int const listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) fail("cannot make a socket");
    int const yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    socklen_t size = sizeof at;
    if (bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || listen(listener, 1) != 0)
        fail("--dap: the port cannot be used");
    getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size);
    told(ntohs(at.sin_port));
    int client = -1;
    while (client < 0) {
        client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0 && errno != EINTR) fail("--dap: no client could connect");
    }
    close(listener);
    return client;
}

}  // namespace warpsim::debug::dap
