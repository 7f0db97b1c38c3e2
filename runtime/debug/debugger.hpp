// Runs launches of functional mode under a user's control: stops them, steps through them, and goes back in them by running
// them again from their beginning, which one host thread does in the same way each time.
#pragma once

#include "runtime/debug/breakpoints.hpp"
#include "runtime/debug/machine.hpp"
#include "runtime/launch_runner.hpp"
#include "sim/events.hpp"
#include "sim/functional/snapshot.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::debug {

/// The thread that the user looks at, by numbers, which outlast the launch being run again.
struct Focus {
    std::array<std::uint32_t, 3> block{};
    std::uint32_t warp = 0;
    int lane = 0;

    bool operator==(Focus const&) const = default;
};

/// What steps count by: instructions of the focus's thread, of its warp, or of any warp of its block.
enum class StepUnit : std::uint8_t { lane, warp, block };

/// How to go on.
struct Resume {
    enum class How : std::uint8_t {
        go,                // to the next stop
        step_instruction,  // `count` times
        next_instruction,  // ... not into calls
        step_line,
        next_line,
        until_line,  // as next_line, but out of loops
        finish,      // out of the function
        go_to,       // to instruction `count` of the launch
        last_write,  // nowhere: it says who wrote `where` last
        detach,      // and stop no more
        quit,        // not at all
    };
    How how = How::go;
    bool is_reverse = false;
    std::uint64_t count = 1;
    MemoryPlace where{};
    std::uint64_t bytes = 0;
};

enum class StopReason : std::uint8_t {
    module,  // code is there; nothing runs yet
    breakpoint,
    watchpoint,
    caught,
    step,
    interrupt,
    fault,
    no_history,  // the launch begins here
};

struct Stop {
    StopReason reason = StopReason::step;
    int breakpoint = 0;      // its number
    std::string text;        // what has happened, for people
    bool has_moved = false;  // the focus is another thread than before
};

/// Who the user talks to.
class Front {
public:
    virtual ~Front() = default;
    /// A launch stands still, or nothing has run yet; `machine` of the debugger is there, or not.
    virtual Resume stopped(Stop const& stop) = 0;
    /// `Debugger::interrupted` was set while a launch runs, and nothing else has happened. False: it goes on as it did.
    virtual bool wants_to_stop() { return true; }
    /// `Debugger::module` is that of a launch that begins.
    virtual void launch_begins() {}
    /// Something to know that stops nothing: "[kernel 0 saxpy begins]".
    virtual void note(std::string const& text) = 0;
};

/// The user does not want to go on. Thrown through the launch.
struct Quit {};

inline ir::Instruction const& instruction_of(sim::Site const& site) {
    return site.frame.function->function->instructions[site.op.instruction];
}

class Debugger final : public sim::EventSink, public runtime::LaunchRunner {
public:
    explicit Debugger(Front& front) : front_(front) {}

    Breakpoints breakpoints;
    StepUnit unit = StepUnit::warp;
    /// May be set by a signal handler.
    std::atomic<bool> interrupted{false};
    std::function<void()> on_quit = [] { throw Quit{}; };
    std::atomic<bool> is_running{false};  // a launch, which is not stopped
    bool keeps_history = true;            // of launches that begin from now on

    /// Of what stands still; null between launches.
    Machine* machine() { return machine_ ? &*machine_ : nullptr; }
    sim::SymbolAddresses const& symbols() const { return *symbols_; }
    /// The module that is known: of the launch, else the last one that was loaded; null: none yet.
    ir::Module const* module() const { return module_; }
    Focus const& focus() const { return focus_; }
    /// The thread in focus; none if its block is gone.
    std::optional<Thread> focused() const;
    void set_focus(Thread const& thread);
    /// Instructions of the launch that have begun, and the number of the launch.
    std::uint64_t count() const { return count_; }
    std::uint64_t launches() const { return launches_; }
    bool has_history() const { return beginning_.has_value(); }
    std::string const& kernel() const { return kernel_; }
    /// Call it when breakpoints have changed.
    void breakpoints_changed();
    /// It is to begin once more: modules and launches are new.
    void begin_again() {
        module_ = nullptr;
        launches_ = 0;
    }

    // EventSink
    sim::EventMask wants() const override;
    void module_is_there(sim::ModuleEvent const& e) override;
    void launch_begins(sim::LaunchBegin const& e) override;
    void launch_ends(sim::LaunchEnd const& e) override;
    void cta_starts(sim::CtaStart const& e) override;
    void cta_ends(sim::CtaEnd const& e) override;
    void instruction(sim::InstructionEvent const& e) override;
    void access(sim::AccessEvent const& e) override;
    void diverges(sim::DivergenceEvent const& e) override;
    void arrives_at_barrier(sim::BarrierArrival const& e) override;
    void exits(sim::ExitEvent const& e) override;

    // LaunchRunner
    void run(sim::LaunchContext const& launch, sim::FunctionalOptions const& options,
             sim::SymbolAddresses const& symbols, sim::LaunchStatistics& statistics) override;

private:
    /// The launch is to run again from its beginning. Thrown through it.
    struct Again {};
    /// A step that has begun: where from.
    struct Stepping {
        Resume how;
        Focus from;
        std::uint64_t left = 0;  // instructions
        std::size_t depth = 0;   // of calls, with those that were inlined
        Line line;
        std::uint32_t function = 0;
        bool is_lost = false;  // its thread has ended
    };
    /// Running again to find the last place before `limit` that a reverse command means.
    struct Search {
        enum class For : std::uint8_t { stop, instruction, line, shallower, write };
        For what = For::instruction;
        std::uint64_t limit = 0;
        std::uint64_t wanted = 1;         // so many places back
        std::size_t depth = SIZE_MAX;     // only calls no deeper
        std::deque<std::uint64_t> found;  // the last `wanted`
        std::optional<Focus> focus;       // of the last one
        std::string text;                 // ... what is there
        StopReason reason = StopReason::step;
        int breakpoint = 0;
        Line line;  // what the focus executed last
        std::size_t last_depth = 0;
        MemoryPlace where;
        std::uint64_t bytes = 0;

        void add(std::uint64_t count) {
            found.push_back(count);
            if (found.size() > wanted) found.pop_front();
        }
    };

    /// The user is asked how to go on; with a lane, it is the focus.
    void stop(sim::Site const& site, sim::LaneMask active, Stop stop, std::optional<int> lane = {});
    void resume(Resume const& how);
    void begin_step(Resume const& how);
    [[noreturn]] void begin_search(Resume const& how);
    void search(sim::InstructionEvent const& e);
    [[noreturn]] void end_search();
    bool is_mine(sim::Site const& site, sim::LaneMask active, Focus const& of) const;
    bool step_ends(sim::InstructionEvent const& e);
    struct Hit {
        Breakpoint* breakpoint = nullptr;
        int lane = 0;
        std::string text;
    };
    /// The first breakpoint at an instruction that stops. `counts`: the hit is one.
    std::optional<Hit> hit(sim::Site const& site, sim::LaneMask active, bool counts);
    std::optional<Hit> hit(sim::AccessEvent const& e, bool counts);
    std::optional<int> fitting_lane(Breakpoint& b, Machine& machine, sim::Site const& site, sim::LaneMask lanes,
                                    std::string& error);
    bool passes(Breakpoint& b, bool counts);
    void tell_hit(Hit const& hit, sim::Site const& site, sim::LaneMask active, StopReason reason);
    void caught(Caught what, sim::Site const& site, sim::LaneMask lanes, std::string const& text);
    std::size_t depth_at(sim::Site const& site) const;
    bool is_quiet() const { return is_detached_ || search_ || target_; }
    static Focus focus_of(sim::Site const& site, int lane) { return {site.cta.id, site.warp.index, lane}; }
    void attempt(sim::FunctionalOptions const& options, sim::LaunchStatistics& statistics);

    Front& front_;
    ir::Module const* module_ = nullptr;
    std::string kernel_;
    std::uint64_t launches_ = 0;
    sim::LaunchContext const* launch_ = nullptr;
    sim::SymbolAddresses const* symbols_ = nullptr;
    std::optional<sim::Snapshot> beginning_;  // of the launch; none: there is no way back
    std::vector<sim::Cta*> ctas_;
    std::optional<Machine> machine_;
    std::uint64_t count_ = 0;
    Focus focus_;
    std::optional<Stepping> stepping_;
    std::optional<Search> search_;
    std::optional<std::uint64_t> target_;  // the instruction to which the launch runs again
    Stop at_target_;
    std::optional<Focus> focus_at_target_;
    bool stops_at_launch_ = false;  // a step has led out of the last one
    bool is_at_fault_ = false;      // the user has seen the fault that comes next
    std::uint64_t fault_at_ = 0;
    bool is_abandoned_ = false;  // this attempt, so that nobody is to hear of its counts
    bool is_detached_ = false;
};

}  // namespace warpsim::debug
