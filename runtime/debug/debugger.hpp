// Runs launches under a user's control: stops them, steps through them, and goes back in them by running them again from their
// beginning, which one host thread does in the same way each time.
#pragma once

#include "runtime/debug/breakpoints.hpp"
#include "runtime/debug/machine.hpp"
#include "runtime/debug/moment.hpp"
#include "runtime/launch_runner.hpp"
#include "sim/events.hpp"
#include "sim/functional/snapshot.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsim::debug {

/// The thread that the user looks at, by numbers, which outlast the launch being run again.
struct Focus {
    std::array<std::uint32_t, 3> block{};
    std::uint32_t warp = 0;
    int lane = 0;
    std::uint64_t kernel = 0;  // number of its launch

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
        step_cycle,  // `count` cycles of timing mode
        go_to,       // to `place`
        last_write,  // nowhere: it says who wrote `where` last
        detach,      // and stop no more
        quit,        // not at all
    };
    How how = How::go;
    bool is_reverse = false;
    std::uint64_t count = 1;
    Moment place{};
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
/// All is to run again from its beginning, see Debugger::can_run_again. Thrown through the launch.
struct RunAgain {};

inline ir::Instruction const& instruction_of(sim::Site const& site) {
    return site.frame.function->function->instructions[site.op.instruction];
}

class Debugger final : public sim::EventSink, public runtime::LaunchRunner, public timing::GpuObserver {
public:
    explicit Debugger(Front& front) : front_(front) {}

    Breakpoints breakpoints;
    StepUnit unit = StepUnit::warp;
    /// May be set by a signal handler.
    std::atomic<bool> interrupted{false};
    std::function<void()> on_quit = [] { throw Quit{}; };
    std::atomic<bool> is_running{false};  // a launch, which is not stopped
    bool keeps_history = true;            // of launches that begin from now on
    /// Whoever runs the launches can do all of them again, in the same way: at RunAgain, or at another end if runs_again().
    bool can_run_again = false;
    bool runs_again() const { return runs_again_; }
    /// Somebody adds up what a launch does, so that none runs twice.
    bool has_checkers = false;
    /// A checker has found something in what happens now. From any thread that runs a launch.
    void found(std::string_view checker, std::string text);
    /// Nothing is to be seen of what runs: it has run before.
    bool is_repeating() const { return search_ || target_; }

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
    /// Whether the way back leads into that launch.
    bool reaches(std::uint64_t launch) const {
        return can_run_again || launch >= launches_ || (beginning_ && first_kept() <= launch);
    }
    bool has_history() const { return keeps_history && (beginning_ || can_run_again); }
    /// The GPU of timing mode; null in functional mode, and between launches.
    timing::GpuView const* gpu() const { return gpu_; }
    /// Cycles of the launch that are over.
    std::uint64_t cycle() const { return cycle_ - std::min(cycle_, launched_at_); }
    /// ... of the GPU, when the launch began.
    std::uint64_t launched_at() const { return launched_at_; }
    std::string const& kernel() const { return kernel_; }
    struct Launch {
        std::uint64_t number;
        std::string const& kernel;
        sim::LaunchContext const* launch;
        std::uint64_t blocks;  // on the GPU
    };
    /// The launches that are under way, in the order in which they have begun.
    std::vector<Launch> running();
    /// Looks at another one of them, which stands still as well; the focus is the first thread of its that has not ended.
    /// False: none of its blocks is on the GPU.
    bool look_at(std::uint64_t kernel);
    /// Call it when breakpoints have changed.
    void breakpoints_changed();
    /// It is to begin once more: modules and launches are new.
    void begin_again();
    /// All launches have ended, and modules are gone; a copy of the last one is what is known.
    void has_ended();

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
    void fault(sim::FaultEvent const& e) override;
    void bad_access(sim::BadAccessEvent const& e) override;

    // LaunchRunner
    void run(sim::LaunchContext const& launch, sim::FunctionalOptions const& options,
             sim::SymbolAddresses const& symbols, sim::LaunchStatistics& statistics,
             std::shared_ptr<void const> owner) override;
    void timed_launch(sim::LaunchContext const& launch, sim::SymbolAddresses const& symbols) override;
    timing::GpuObserver* gpu_observer() override { return this; }

    // GpuObserver
    void grid_begins(timing::GpuView const& gpu, timing::Cycle at) override;
    timing::Cycle next_look() override;
    void look(timing::Cycle now) override;

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
        Moment limit;
        bool is_whole = false;         // through all launches, not only that of the limit
        std::uint64_t wanted = 1;      // so many places back
        std::size_t depth = SIZE_MAX;  // only calls no deeper
        std::deque<Moment> found;      // the last `wanted`
        std::optional<Focus> focus;    // of the last one
        std::string text;              // ... what is there
        StopReason reason = StopReason::step;
        int breakpoint = 0;
        Line line;  // what the focus executed last
        std::size_t last_depth = 0;
        MemoryPlace where;
        std::uint64_t bytes = 0;

        void add(Moment const& place) {
            found.push_back(place);
            if (found.size() > wanted) found.pop_front();
        }
        void add(Moment const& place, StopReason its_reason, int its_breakpoint, std::string its_text,
                 std::optional<Focus> its_focus) {
            add(place);
            reason = its_reason;
            breakpoint = its_breakpoint;
            text = std::move(its_text);
            focus = its_focus;
        }
    };

    /// The user is asked how to go on; with a focus, that is looked at. No site: between two cycles.
    void stop(sim::Site const* site, sim::LaneMask active, Stop stop, std::optional<Focus> focus = {});
    bool focus_lives();
    bool stops_at_target(sim::Site const* site, sim::LaneMask active);
    Moment here() const { return {launches_, count_, at_cycle_}; }
    void resume(Resume const& how);
    void begin_step(Resume const& how);
    [[noreturn]] void begin_search(Resume const& how);
    void search(sim::InstructionEvent const& e);
    [[noreturn]] void end_search();
    /// To `target_` or in `search_`, in this launch or from the first one on.
    [[noreturn]] void repeat();
    void go_to(Moment const& place);
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
    void say(Breakpoint const& b, Machine& machine, sim::Site const& site, int lane);
    void tell_hit(Hit const& hit, sim::Site const& site, sim::LaneMask active, StopReason reason);
    void caught(Caught what, sim::Site const& site, sim::LaneMask lanes, std::string const& text);
    /// Whether something was found, and stops.
    bool stops_at_finding(sim::Site const& site, sim::LaneMask lanes);
    std::size_t depth_at(sim::Site const& site) const;
    // timed.cpp
    struct CycleHit {
        Breakpoint* breakpoint;
        std::string text;
        std::optional<Focus> focus;
    };
    std::optional<CycleHit> cycle_hit(timing::Cycle now, bool counts);
    std::optional<CycleHit> stall_hit(Breakpoint& b, std::vector<timing::SmView> const& sms, timing::Cycle now);
    bool is_quiet() const { return is_detached_ || is_repeating(); }
    Focus focus_of(sim::Site const& site, int lane) const {
        return {site.cta.id, site.warp.index, lane, launches_};
    }
    // running.cpp
    /// A launch of timing mode that is under way.
    struct Running {
        sim::LaunchContext const* launch;
        sim::SymbolAddresses const* symbols;
        std::uint64_t number;
        std::string kernel{};
        std::uint64_t count = 0;
        timing::Cycle launched_at = 0;
    };
    /// `launch_`, `kernel_`, `count_` and the like are those of this launch from now on; false: it is not under way.
    bool turn_to(sim::LaunchContext const* launch);
    bool turn_to(std::uint64_t number);
    /// The launch that is looked at has ended; false: no other is under way.
    bool ends_beside_others();
    void turn_to_launch_of(sim::Cta const& cta);
    sim::LaunchContext const* launch_of(sim::Cta const& cta);
    /// The CTAs of the launch that is looked at.
    std::vector<sim::Cta*> const& its_ctas();
    void attempt(sim::FunctionalOptions const& options, sim::LaunchStatistics& statistics);
    // earlier.cpp
    /// A launch of a program that has ended, and can run again.
    struct Kept {
        std::shared_ptr<void const> owner;
        sim::LaunchContext const* launch;
        sim::SymbolAddresses const* symbols;
        std::string kernel;
        std::uint64_t number;
        sim::FunctionalOptions options;
        sim::Snapshot beginning;
        std::uint64_t bytes;
    };
    void keep(sim::FunctionalOptions const& options, std::shared_ptr<void const> owner);
    std::uint64_t first_kept() const;  // that can run again now; launches_: none
    /// Runs earlier launches once more, from the one on that `search_` or `target_` leads to, until the present one is next.
    void run_earlier();
    void run_kept(Kept& kept);
    bool leads_back() const;  // into an earlier launch
    void enter(std::uint64_t number);
    void note_begin();
    void note_end(std::string const& how);

    Front& front_;
    ir::Module const* module_ = nullptr;
    std::optional<ir::Module> copy_;  // of it, where everything can run again
    std::string kernel_;
    std::uint64_t launches_ = 0;
    sim::LaunchContext const* launch_ = nullptr;
    sim::SymbolAddresses const* symbols_ = nullptr;
    std::optional<sim::Snapshot> beginning_;  // of the present launch; none: there is no way back
    std::uint64_t beginning_bytes_ = 0;
    std::deque<Kept> kept_;        // the launches before it, the oldest first
    std::uint64_t present_ = 0;    // number of the one that has not ended
    std::vector<sim::Cta*> ctas_;  // of all launches
    std::vector<sim::Cta*> its_ctas_;
    std::optional<Machine> machine_;
    std::uint64_t count_ = 0;
    Focus focus_;
    std::optional<Stepping> stepping_;
    std::optional<Search> search_;
    std::optional<Moment> target_;  // to which everything goes without a word
    Stop at_target_;
    std::optional<Focus> focus_at_target_;
    bool stops_at_launch_ = false;  // a step has led out of the last one
    bool is_at_fault_ = false;      // the user has seen the fault that comes next
    Moment fault_at_;
    bool is_abandoned_ = false;  // this attempt, so that nobody is to hear of its counts
    bool runs_again_ = false;
    bool is_detached_ = false;
    struct Found {
        std::string checker, text;
    };
    std::vector<Found> found_;  // and not told yet

    // Of launches of timing mode.
    bool is_timed_ = false;
    std::vector<Running> running_;
    std::uint64_t next_launch_ = 0;
    std::unordered_map<sim::Cta const*, sim::LaunchContext const*> owners_;  // as far as known
    sim::Site const* stopped_at_ = nullptr;  // while it stands still, at an instruction of launch `stopped_in_`
    sim::LaneMask stopped_lanes_ = 0;
    std::uint64_t stopped_in_ = 0;
    timing::GpuView const* gpu_ = nullptr;
    timing::Cycle launched_at_ = 0;
    timing::Cycle cycle_ = 0;                // that is executed, or comes next
    timing::Cycle looked_ = 0;               // cycles before this one were looked at
    std::optional<std::uint64_t> at_cycle_;  // it stands before this cycle of the launch, not at an instruction
    std::optional<timing::Cycle> step_to_;   // a cycle of the GPU
    std::unordered_map<sim::Warp const*, std::uint64_t> begun_;  // the last instruction of each
};

}  // namespace warpsim::debug
