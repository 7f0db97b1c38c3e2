// The debugger for editors: answers the requests of a client of the Debug Adapter Protocol.
#pragma once

#include "runtime/debug/channel.hpp"
#include "runtime/debug/console.hpp"
#include "runtime/debug/dap/message.hpp"
#include "runtime/debug/debugger.hpp"
#include "runtime/debug/scope.hpp"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsim::debug::dap {

/// A call of a thread, by numbers.
struct FrameOf {
    Focus of;
    std::size_t frame = 0;
};

/// What can be unfolded: a list of variables, which lasts until the launch goes on.
struct Container {
    enum class Kind : std::uint8_t { arguments, locals, registers, shared, globals, special, lanes, parts };
    Kind kind = Kind::locals;
    FrameOf at;
    Value value;       // parts: of this
    std::string name;  // ... which is called so in expressions; "": it has no such name
};

struct Variable {
    std::string name;
    std::string expression;
    std::optional<Value> value;
    std::string text;  // without a value: why there is none, or what there is to say
    std::optional<Container> inside;
};

/// A breakpoint as the client asked for it, and what was made of it.
struct Wish {
    enum class Kind : std::uint8_t { line, function, instruction, data, exception };
    Kind kind = Kind::line;
    std::int64_t id = 0;
    std::string file;  // line: as the client calls it
    std::uint32_t line = 0;
    std::string
        what;  // function: its name; instruction: "*kernel+3"; data: what is watched; exception: its filter
    std::string condition, hits, log;
    std::optional<Breakpoint> memory;  // data
    int number = 0;                    // of the debugger's breakpoint; 0: there is none
    Json told;                         // what the client knows of it
    std::string error;
};

/// The front of a client. Requests are read on a thread of its own and answered on the launch's, while it stands still; while
/// it runs, that thread answers what needs no machine, and leaves breakpoints for the launch to take between two instructions.
class Server final : public Front {
public:
    /// A socket, which it takes over.
    explicit Server(int file);
    ~Server() override;
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    Debugger& debugger() { return debugger_; }
    Resume stopped(Stop const& stop) override;
    bool wants_to_stop() override;
    void launch_begins() override;
    void note(std::string const& text) override;

    struct Request;
    static std::span<Request const> requests();

private:
    // server.cpp
    void read();
    void take(Json request);
    void answer_while_running(Json const& request);
    Resume obey();
    void answer(Json const& request);
    void tell_stop(Stop const& stop);
    void tell_threads();
    void take_changes();

    // threads.cpp
    Json threads(Json const& arguments);
    Json stack_trace(Json const& arguments);
    Json source(Json const& arguments);
    Json exception_info(Json const& arguments);
    Json source_of(std::string const& file);
    std::vector<std::pair<std::int64_t, Focus>> listed_threads();
    std::int64_t thread_id(Focus const& of);
    /// Throws Error(usage) where it is gone.
    Thread thread_of(Focus const& of);
    Focus focus_of(Json const& arguments);
    std::string file_of_source(Json const& source);

    // variables.cpp, lists.cpp
    Json scopes(Json const& arguments);
    Json variables(Json const& arguments);
    Json set_variable(Json const& arguments);
    Json set_expression(Json const& arguments);
    Json evaluate(Json const& arguments);
    Json obey_console(std::string const& command, FrameOf const& at);
    std::vector<Variable> list(Container const& of, std::uint64_t first, std::uint64_t count);
    std::vector<Variable> lanes(FrameOf const& at);
    std::vector<Variable> parts(Container const& of, std::uint64_t first, std::uint64_t count);
    std::vector<Variable> registers(FrameOf const& at);
    Json described(Variable const& variable);
    Json described(Value const& value, std::string const& expression, FrameOf const& at);
    std::int64_t reference_to(Container container);
    Container& container(std::int64_t reference);
    FrameOf frame_of(Json const& arguments);
    ThreadScope scope_of(FrameOf const& at);
    StackFrame call_of(FrameOf const& at);
    std::uint64_t generic(MemoryPlace const& place);
    Value assigned(Value const& to, std::string const& text, FrameOf const& at);

    // breakpoints.cpp
    Json set_breakpoints(Json const& arguments);
    Json set_function_breakpoints(Json const& arguments);
    Json set_instruction_breakpoints(Json const& arguments);
    Json set_exception_breakpoints(Json const& arguments);
    Json data_breakpoint_info(Json const& arguments);
    Json set_data_breakpoints(Json const& arguments);
    void replace(std::vector<Wish> wishes, Wish::Kind kind, std::string const& file);
    void make(Wish& wish);
    void settle();
    Json told_of(Wish const& wish);
    Wish* wish_of(int number);
    void count_hit(Wish& wish);

    // steps.cpp
    Json go(Json const& arguments, Resume::How how, bool is_reverse);
    Json pause(Json const& arguments);
    Json launch(Json const& arguments);
    Json configuration_done(Json const& arguments);

    // memory.cpp
    Json read_memory(Json const& arguments);
    Json write_memory(Json const& arguments);
    Json disassemble(Json const& arguments);

    Machine& machine();
    ir::Module const& module();

    Debugger debugger_{*this};
    int const file_;
    Writer writer_;

    // What both threads use.
    std::mutex lock_;
    std::condition_variable arrived_;
    std::deque<Json> queue_;    // requests for a launch that stands still
    std::deque<Json> changes_;  // of breakpoints, answered already
    bool is_waiting_ = false;   // the launch's thread, for requests
    bool wants_pause_ = false, wants_detach_ = false, has_ended_ = false;
    Json known_threads_ = Json::array();

    // What the launch's thread uses.
    bool is_configured_ = false, stops_on_entry_ = false;
    bool stops_at_faults_ = true;
    char const* begin_reason_ = "step";  // of a stop at the beginning of a kernel
    int line_base_ = 1;
    std::optional<Resume> resume_;
    Stop stop_;
    std::vector<Wish> wishes_;
    std::map<std::pair<std::array<std::uint32_t, 3>, std::uint32_t>, std::int64_t> thread_ids_;
    std::vector<std::int64_t> told_threads_;
    std::vector<FrameOf> frames_;        // since the last stop; their ids are 1 and on
    std::vector<Container> containers_;  // ... references
    std::vector<std::string> sources_;   // their references are 1 and on

    std::thread reader_;
};

struct Server::Request {
    std::string_view name;
    bool needs_machine;
    Json (*answer)(Server& server, Json const& arguments);
};

}  // namespace warpsim::debug::dap
