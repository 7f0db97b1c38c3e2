// The debugger by words: those of gdb and cuda-gdb.
#pragma once

#include "runtime/debug/channel.hpp"
#include "runtime/debug/debugger.hpp"
#include "runtime/debug/scope.hpp"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::debug {

class Console final : public Front {
public:
    explicit Console(Channel& channel)
        : channel_(channel), own_(std::make_unique<Debugger>(*this)), debugger_(*own_) {}
    /// Beside another front, whose debugger it is: it only obeys.
    Console(Channel& channel, Debugger& debugger) : channel_(channel), debugger_(debugger) {}

    Debugger& debugger() { return debugger_; }
    Resume stopped(Stop const& stop) override;
    void note(std::string const& text) override;
    /// The program or plan has ended, for this reason. False: the user wants it once more.
    bool ended(std::string const& how);
    /// A command about the thread in focus and one of its calls. None: the launch stands where it did. Throws Error(usage).
    std::optional<Resume> obey(std::string const& command, std::size_t frame);

    /// What the last word of a line may become.
    std::vector<std::string> completions(std::string const& line);

    struct Command;
    static std::span<Command const> commands();

private:
    using Answer = std::optional<Resume>;  // none: the user is asked again
    Resume ask();
    Answer obey(std::string const& line);

    // Going on: console_steps.cpp.
    Answer go(std::string const& arguments);
    Answer start(std::string const& arguments);
    Answer step(std::string const& arguments, Resume::How how, bool is_reverse);
    Answer until(std::string const& arguments);
    Answer advance(std::string const& arguments);
    Answer step_cycle(std::string const& arguments, bool is_reverse);
    Answer go_to(std::string const& arguments);
    Answer last_write(std::string const& arguments);
    Answer leave(Resume::How how);
    // Stops: console_breakpoints.cpp.
    Answer add_breakpoint(std::string const& arguments, bool is_temporary);
    Answer add_log(std::string const& arguments);
    Answer add_cycle(std::string const& arguments, bool is_temporary);
    void add_stall(Breakpoint& b, std::string arguments);
    Answer watch(std::string const& arguments, bool reads, bool writes);
    Answer catch_event(std::string const& arguments);
    Answer remove(std::string const& arguments);
    Answer enable(std::string const& arguments, bool is_enabled);
    Answer set_condition(std::string const& arguments);
    Answer ignore(std::string const& arguments);
    std::string breakpoints_text();
    // Looking: console_looks.cpp, console_info.cpp.
    Answer print(std::string const& arguments);
    Answer output(std::string const& arguments);
    Answer echo(std::string const& arguments);
    Answer type(std::string const& arguments, bool is_whole);
    Answer examine(std::string const& arguments);
    Answer lanes(std::string const& arguments);
    Answer display(std::string const& arguments);
    Answer undisplay(std::string const& arguments);
    Answer list(std::string const& arguments);
    Answer backtrace(std::string const& arguments);
    Answer frame(std::string const& arguments);
    Answer move_frame(int by);
    Answer focus(std::string const& arguments);
    void turn_to_kernel(std::uint64_t number);
    Answer info(std::string const& arguments);
    Answer set(std::string const& arguments);
    /// A setting of gdb or cuda-gdb; false: it is none.
    bool set_as_gdb(std::string const& what, std::string const& value);
    Answer help(std::string const& arguments);
    std::string registers_text(std::string const& which);
    std::string variables_text(bool of_function, bool wants_all);
    std::string blocks_text();
    std::string warps_text();
    std::string lanes_state_text();
    std::string barriers_text();
    std::string kernels_text();
    std::string functions_text();
    /// "scale (v=3) at app.cu:7": with the values of its parameters where the source's names are known.
    std::string frame_text(StackFrame const& frame);
    std::string position_text();
    std::string focus_text();
    std::string code_text(std::uint32_t before, std::uint32_t after);
    // Timing mode: console_timing.cpp.
    timing::GpuView const& gpu();
    std::string where_text();
    std::string stall_text(sim::Warp const& warp);
    std::string sms_text();
    std::string stalls_text();
    std::string scoreboard_text();
    std::string queues_text(std::string const& arguments);
    std::string cache_text(std::string const& arguments);

    void write(std::string const& text) { channel_.write(text + "\n"); }
    void show_place(bool with_ptx);
    void show_displays();
    void need_history() const;  // throws Error(usage) where there is none
    /// Throw Error(usage) where nothing stands still.
    Machine& machine();
    Thread thread();
    void add_names(std::set<std::string>& words);
    StackFrame const& selected();
    ThreadScope scope_of(Thread const& of);
    std::string evaluate(Thread const& of, Expression const& expression, Format format);

    Channel& channel_;
    std::unique_ptr<Debugger> own_;
    Debugger& debugger_;
    std::string last_;  // command, for an empty line
    std::size_t frame_ = 0;
    std::vector<StackFrame> stack_;  // of the focus
    std::vector<Value> values_;      // $1, $2 ...
    struct Display {
        int number;
        Expression expression;
        Format format;
    };
    std::vector<Display> displays_;
    int next_display_ = 1;
    Line listed_;                // the last line that `list` has shown
    bool shows_ptx_ = false;     // the last step was by instruction
    bool runs_at_once_ = false;  // the user has said `run` already
};

}  // namespace warpsim::debug
