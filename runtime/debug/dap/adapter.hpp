// Between a client and the process that is debugged: starts it, passes requests on, and tells what it prints and how it ends.
#pragma once

#include "runtime/debug/dap/message.hpp"

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsim::debug::dap {

/// What a client's `launch` asks for, beside what the command line has said.
struct LaunchWish {
    std::vector<std::string> program;  // with its arguments; empty: it names none
    std::string plan;
    std::string folder;                                                           // to run in
    std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // none: without that variable
};

class Debuggee {
public:
    virtual ~Debuggee() = default;
    /// In the process that talks to the client. Throws Error.
    virtual void prepare(LaunchWish const& wish) = 0;
    /// In a process of its own, whose debugger talks over that socket. Returns the exit status, or becomes the program.
    virtual int run(int file) = 0;
};

class Adapter {
public:
    /// A client at the other end of these files.
    Adapter(int in, int out, Debuggee& debuggee) : in_(in), writer_(out), debuggee_(debuggee) {}
    ~Adapter();
    Adapter(Adapter const&) = delete;
    Adapter& operator=(Adapter const&) = delete;

    /// Until the client has gone, and the program has ended.
    void serve();

private:
    void take(std::string const& text);
    void answer(Json request);
    void answer_early(Json const& request, std::string const& command);
    void launch(Json const& request);
    void start();
    void pass_on(Json request);
    void hear_program();
    void hear_output(int& file, std::string& rest, char const* category);
    void hear_end();
    void disconnect(Json const& request, bool ends_program);
    void restart(Json const& request);
    void begin_anew();
    void keep(Json const& request, std::string const& command);
    void end_program();
    void leave_client();

    int const in_;
    Writer writer_;
    Debuggee& debuggee_;
    MessageReader reader_, program_reader_;
    bool has_client_ = true;
    bool is_prepared_ = false, is_configured_ = false, is_detached_ = false, has_ended_ = false;
    bool is_here_ = false;                 // the debugger in the program
    bool is_restarting_ = false;           // its end is not told
    std::map<std::string, Json> waiting_;  // requests for it, answered already
    std::map<std::string, Json> kept_;     // requests that set breakpoints: those for another run
    std::map<std::int64_t, Json> open_;    // requests that it has not answered, by their numbers
    Json initialize_ = Json::object(), launch_ = Json::object();
    std::int64_t next_breakpoint_ = 1;

    pid_t program_ = -1;
    int socket_ = -1, out_ = -1, err_ = -1, ended_ = -1;
    std::string out_rest_, err_rest_;
    std::thread waiter_;
    std::optional<std::chrono::steady_clock::time_point> kill_at_;
};

/// The first client that connects to this port of the loopback; 0: any port, which `told` is given. Throws Error(usage).
int accepted_client(int port, void (*told)(int port));

}  // namespace warpsim::debug::dap
