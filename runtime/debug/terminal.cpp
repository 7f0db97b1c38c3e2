#include "runtime/debug/terminal.hpp"

#include "runtime/debug/dap/server.hpp"
#include "sim/error.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace warpsim::debug {

namespace {

std::atomic<Terminal*> listener{nullptr};

std::FILE* opened(int file, char const* how) {
    std::FILE* const stream = fdopen(file, how);
    if (stream == nullptr)
        throw Error(ErrorKind::usage,
                    "cannot talk over file " + std::to_string(file) + ": " + std::strerror(errno));
    return stream;
}

}  // namespace

void Terminal::interrupt(int) {
    Terminal* const terminal = listener.load();
    if (terminal != nullptr && terminal->debugger_->is_running.load()) {
        terminal->debugger_->interrupted.store(true);
        return;
    }
    // The line that is being typed is given up.
    if (terminal != nullptr && terminal->edits_lines_) return terminal->channel_->give_up();
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
}

Terminal::Terminal(int in, int out) {
    open_console(in, out);
    listen();
}

Terminal::Terminal(std::string const& files) {
    int first = -1, second = -1;
    char const* const end = files.data() + files.size();
    auto const one = std::from_chars(files.data(), end, first);
    std::string const rest = one.ec == std::errc() ? std::string(one.ptr, end) : "";
    if (first >= 0 && rest == ",dap") {
        auto server = std::make_unique<dap::Server>(first);
        debugger_ = &server->debugger();
        front_ = std::move(server);
        listen();
        return;
    }
    if (rest.starts_with(',')) std::from_chars(rest.data() + 1, rest.data() + rest.size(), second);
    if (first < 0 || second < 0)
        throw Error(ErrorKind::usage, "WARPSIM_DEBUG: '" + files + "' is no pair of file numbers");
    open_console(first, second);
    listen();
}

void Terminal::open_console(int in, int out) {
    in_ = opened(in, "r");
    out_ = opened(out, "w");
    channel_ = std::make_unique<FileChannel>(in_, out_, isatty(in) != 0);
    auto console = std::make_unique<Console>(*channel_);
    console_ = console.get();
    debugger_ = &console_->debugger();
    channel_->complete_by([console = console_](std::string const& line) { return console->completions(line); });
    edits_lines_ = channel_->edits();
    front_ = std::move(console);
}

void Terminal::listen() {
    listener = this;
    struct sigaction action {};
    action.sa_handler = interrupt;
    sigaction(SIGINT, &action, &before_);
}

Terminal::~Terminal() {
    listener = nullptr;
    sigaction(SIGINT, &before_, nullptr);
    channel_.reset();
    if (in_ != nullptr) std::fclose(in_);
    if (out_ != nullptr) std::fclose(out_);
}

}  // namespace warpsim::debug
