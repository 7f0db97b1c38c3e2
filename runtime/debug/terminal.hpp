// A user at the other end of two files, and Ctrl-C.
#pragma once

#include "runtime/debug/console.hpp"
#include "runtime/debug/debugger.hpp"

#include <csignal>
#include <memory>
#include <string>

namespace warpsim::debug {

/// The one front of this process. While it lives, Ctrl-C stops the kernel that runs; without one, it ends the process.
class Terminal {
public:
    /// A console over these file numbers, which it takes over.
    Terminal(int in, int out);
    /// "IN,OUT", as numbers, of a console; "N,dap" of a client of the Debug Adapter Protocol. Throws Error(usage).
    explicit Terminal(std::string const& files);
    ~Terminal();
    Terminal(Terminal const&) = delete;
    Terminal& operator=(Terminal const&) = delete;

    Debugger& debugger() { return *debugger_; }
    Front& front() { return *front_; }
    /// Null: the front is no console.
    Console* console() { return console_; }

private:
    void open_console(int in, int out);
    void listen();
    static void interrupt(int signal);

    std::FILE* in_ = nullptr;
    std::FILE* out_ = nullptr;
    std::unique_ptr<FileChannel> channel_;
    std::unique_ptr<Front> front_;
    Debugger* debugger_ = nullptr;
    Console* console_ = nullptr;
    bool edits_lines_ = false;
    struct sigaction before_ {};
};

}  // namespace warpsim::debug
