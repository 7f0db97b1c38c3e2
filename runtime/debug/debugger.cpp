#include "runtime/debug/debugger.hpp"

#include "runtime/debug/scope.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/faults.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::debug {

using sim::LaneMask;

namespace {

/// All that is allocated is copied at the beginning of a launch, for the way back.
constexpr std::uint64_t most_history_bytes = std::uint64_t{4} << 30;

}  // namespace

std::optional<Thread> Debugger::focused() const {
    if (!machine_) return std::nullopt;
    sim::Cta const* const cta = machine_->cta(focus_.block);
    if (cta == nullptr || focus_.warp >= cta->warps.size()) return std::nullopt;
    return Thread{cta, &cta->warps[focus_.warp], focus_.lane};
}

void Debugger::set_focus(Thread const& thread) {
    focus_ = {thread.cta->id, thread.warp->index, thread.lane, launches_};
}

void Debugger::breakpoints_changed() {
    if (module_ != nullptr) breakpoints.resolve(*module_);
}

sim::EventMask Debugger::wants() const {
    using enum sim::EventKind;
    return sim::event_mask(launch, module, cta, instruction, access, divergence, barrier, call, fault, bad_access);
}

void Debugger::module_is_there(sim::ModuleEvent const& e) {
    bool const is_first = module_ == nullptr;
    module_ = &e.module;
    if (can_run_again && !is_repeating()) copy_ = e.module;
    breakpoints_changed();
    if (is_first && !is_repeating()) resume(front_.stopped({.reason = StopReason::module, .text = {}}));
}

void Debugger::begin_again() {
    module_ = nullptr;
    launches_ = next_launch_ = 0;
    is_abandoned_ = runs_again_ = is_timed_ = false;
    gpu_ = nullptr;
    launch_ = nullptr;
    running_.clear();
    owners_.clear();
    ctas_.clear();
    begun_.clear();
    found_.clear();
    if (!is_repeating()) is_at_fault_ = false;
}

void Debugger::has_ended() { module_ = copy_ ? &*copy_ : nullptr; }

void Debugger::launch_begins(sim::LaunchBegin const& e) {
    if (is_timed_ && !turn_to(&e.launch)) return;
    is_running = true;
    count_ = 0;
    at_cycle_.reset();
    module_ = e.launch.plan.module;
    kernel_ = e.kernel;
    if (is_timed_) running_.back().kernel = e.kernel;
    breakpoints_changed();
    if (is_detached_) return;
    front_.launch_begins();
    if (search_) search_->line = {};
    note_begin();
}

void Debugger::launch_ends(sim::LaunchEnd const& e) {
    if (is_timed_ && !turn_to(&e.launch)) return;
    is_running = running_.size() > 1;
    if (is_abandoned_) return;
    bool const is_stepped = stepping_ && (!is_timed_ || stepping_->from.kernel == launches_);
    stops_at_launch_ = stops_at_launch_ || is_stepped || (step_to_ && !is_running);
    if (is_stepped) stepping_.reset();
    // It was nowhere in this launch.
    if (target_ && !search_ && target_->launch <= launches_) target_.reset();
    std::string const time =
        is_timed_ ? " after " + std::to_string(e.cycle - launched_at_) + " cycles" : std::string();
    note_end((e.has_faulted ? "was ended by a fault" : "has ended") + time);
    if (is_timed_ && ends_beside_others()) return;
    step_to_.reset();
    ctas_.clear();
    begun_.clear();
    found_.clear();
    gpu_ = nullptr;
    if (!std::exchange(is_timed_, false)) {
        ++launches_;
        return;
    }
    launch_ = nullptr;
    launches_ = next_launch_;
}

void Debugger::cta_starts(sim::CtaStart const& e) { ctas_.push_back(const_cast<sim::Cta*>(&e.cta)); }

void Debugger::cta_ends(sim::CtaEnd const& e) {
    if (is_timed_) turn_to_launch_of(e.cta);
    std::erase(ctas_, &e.cta);
    owners_.erase(&e.cta);
    bool const is_its = stepping_ && e.cta.id == stepping_->from.block && launches_ == stepping_->from.kernel;
    if (is_its) stepping_->is_lost = true;
}

void Debugger::exits(sim::ExitEvent const& e) {
    if (is_timed_) turn_to_launch_of(e.site.cta);
    if (!found_.empty() && stops_at_finding(e.site, e.lanes)) return;
    caught(Caught::exit, e.site, e.lanes, sim::lanes_text(e.lanes) + " end");
    if (!stepping_ || e.site.cta.id != stepping_->from.block || e.site.warp.index != stepping_->from.warp ||
        launches_ != stepping_->from.kernel)
        return;
    bool const is_all = (e.site.warp.live() & ~e.lanes) == 0;
    bool const is_lane = (e.lanes >> stepping_->from.lane & 1) != 0;
    if (is_all || (unit == StepUnit::lane && is_lane)) stepping_->is_lost = unit != StepUnit::block;
}

std::size_t Debugger::depth_at(sim::Site const& site) const {
    std::size_t depth = inlined_depth(*module_, instruction_of(site));
    for (sim::Frame const* frame = &site.frame; !frame->is_kernel();) {
        sim::Frame const& caller = site.warp.frame(frame->parent);
        std::uint32_t const call = caller.function->ops[frame->return_op - 1].instruction;
        depth += inlined_depth(*module_, caller.function->function->instructions[call]);
        frame = &caller;
    }
    return depth;
}

bool Debugger::is_mine(sim::Site const& site, LaneMask active, Focus const& of) const {
    if (site.cta.id != of.block || (running_.size() > 1 && of.kernel != launches_)) return false;
    if (unit == StepUnit::block) return true;
    return site.warp.index == of.warp && (unit == StepUnit::warp || (active >> of.lane & 1) != 0);
}

/// Whether it was to be reached without a word, and has been.
bool Debugger::stops_at_target(sim::Site const* site, LaneMask active) {
    if (here() < *target_) return false;
    target_.reset();
    stop(site, active, std::exchange(at_target_, {}), std::exchange(focus_at_target_, std::nullopt));
    return true;
}

void Debugger::instruction(sim::InstructionEvent const& e) {
    if (is_timed_) turn_to_launch_of(e.site.cta);
    ++count_;
    if (is_detached_ || is_abandoned_) return;
    at_cycle_.reset();
    if (is_timed_) {
        cycle_ = e.site.cycle;
        begun_[&e.site.warp] = count_;
    }
    if (!found_.empty() && stops_at_finding(e.site, e.active)) return;
    if (search_) return search(e);
    if (target_) {
        stops_at_target(&e.site, e.active);
        return;
    }
    if (is_at_fault_ && !is_timed_ && fault_at_ < here()) is_at_fault_ = false;
    Focus const first = focus_of(e.site, std::countr_zero(e.active));
    if (interrupted.exchange(false) && front_.wants_to_stop()) {
        stepping_.reset();
        step_to_.reset();
        return stop(&e.site, e.active, {.reason = StopReason::interrupt, .text = "Interrupted"}, first);
    }
    if (breakpoints.are_at(e.site.frame.function->index, e.site.op.instruction)) {
        if (std::optional<Hit> const h = hit(e.site, e.active, true))
            return tell_hit(*h, e.site, e.active, StopReason::breakpoint);
    }
    if (count_ == 1 && (std::exchange(stops_at_launch_, false) || breakpoints.catches(Caught::launch))) {
        return stop(&e.site, e.active, {.reason = StopReason::caught, .text = "At the beginning of the kernel"},
                    first);
    }
    if (stepping_ && step_ends(e)) {
        bool const is_lost = stepping_->is_lost;
        stepping_.reset();
        Stop at{.reason = StopReason::step, .text = is_lost ? "The thread has ended" : ""};
        if (is_lost) return stop(&e.site, e.active, std::move(at), first);
        stop(&e.site, e.active, std::move(at));
    }
}

bool Debugger::step_ends(sim::InstructionEvent const& e) {
    Stepping& s = *stepping_;
    if (s.is_lost) return true;
    if (!is_mine(e.site, e.active, s.from)) return false;
    using How = Resume::How;
    if (s.how.how == How::step_instruction) return --s.left == 0;
    std::size_t const depth = depth_at(e.site);
    if (s.how.how == How::finish) return depth < s.depth;
    if (s.how.how != How::step_line && depth > s.depth) return false;
    if (s.how.how == How::next_instruction) return --s.left == 0;
    Line const line = line_of(*module_, instruction_of(e.site));
    if (line.number == 0 || (line == s.line && depth == s.depth)) return false;
    bool const is_back = s.how.how == How::until_line && depth == s.depth && line.file == s.line.file &&
                         line.number < s.line.number;
    if (is_back) return false;
    s.line = line;
    s.depth = depth;
    return --s.left == 0;
}

void Debugger::begin_step(Resume const& how) {
    std::optional<Thread> const thread = focused();
    std::vector<StackFrame> const stack = thread ? machine_->stack(*thread) : std::vector<StackFrame>();
    stepping_ = Stepping{how, focus_, std::max<std::uint64_t>(how.count, 1), stack.size(), {}, stack.empty()};
    if (!stack.empty()) stepping_->line = stack.front().line;
}

bool Debugger::focus_lives() {
    if (focus_.kernel != launches_) return false;
    std::vector<sim::Cta*> const& ctas = its_ctas();
    return std::any_of(ctas.begin(), ctas.end(), [&](sim::Cta const* cta) {
        return cta->id == focus_.block && focus_.warp < cta->warps.size() &&
               (cta->warps[focus_.warp].live() >> focus_.lane & 1) != 0;
    });
}

void Debugger::stop(sim::Site const* site, LaneMask active, Stop stop, std::optional<Focus> focus) {
    if (running_.size() < 2) focus_.kernel = launches_;
    Focus const before = focus_;
    step_to_.reset();
    stopped_at_ = site;
    stopped_lanes_ = active;
    stopped_in_ = launches_;
    if (focus) focus_ = *focus;
    // Between two cycles no launch comes before another one.
    if (site == nullptr) turn_to(focus_.kernel);
    if (focus) {
        // That is it.
    } else if (!focus_lives()) {
        if (site != nullptr) focus_ = focus_of(*site, std::countr_zero(active));
        else if (!its_ctas().empty()) focus_ = {its_ctas().front()->id, 0, 0, launches_};
    } else if (site == nullptr) {
        // It stays.
    } else if (unit == StepUnit::block && site->cta.id == focus_.block && site->warp.index != focus_.warp)
        focus_ = focus_of(*site, std::countr_zero(active));
    else if (site->cta.id == focus_.block && site->warp.index == focus_.warp && (active >> focus_.lane & 1) == 0)
        focus_.lane = std::countr_zero(active);
    stop.has_moved = focus_ != before;
    machine_.emplace(*launch_, site, active, its_ctas());
    struct Leave {
        std::optional<Machine>& machine;
        ~Leave() { machine.reset(); }
    } const leave{machine_};
    is_running = false;
    interrupted = false;
    Resume const how = front_.stopped(stop);
    is_running = true;
    resume(how);
}

void Debugger::resume(Resume const& how) {
    using How = Resume::How;
    stepping_.reset();
    if (how.how == How::quit) on_quit();
    if (how.how == How::detach) {
        is_detached_ = true;
        return;
    }
    if (!machine_) {
        // Nothing runs yet: any step leads to the beginning of the first kernel.
        stops_at_launch_ = how.how != How::go;
        return;
    }
    if (how.how == How::step_cycle && how.is_reverse)
        return go_to({launches_, UINT64_MAX, cycle() - std::min(cycle(), how.count)});
    if (how.is_reverse || how.how == How::last_write) begin_search(how);
    if (how.how == How::go_to) return go_to(how.place);
    if (how.how == How::step_cycle) step_to_ = cycle_ + std::max<std::uint64_t>(how.count, 1);
    else if (how.how != How::go) begin_step(how);
}

void Debugger::attempt(sim::FunctionalOptions const& options, sim::LaunchStatistics& statistics) {
    count_ = 0;
    ctas_.clear();
    is_abandoned_ = false;
    sim::LaunchStatistics fresh = statistics;
    sim::FunctionalOptions once = options;
    if (options.counted)
        once.counted = [&](auto const& counts) {
            if (!is_abandoned_) options.counted(counts);
        };
    try {
        if (beginning_) sim::run_from(*beginning_, *launch_, once, fresh);
        else sim::run_functional(*launch_, once, fresh);
    } catch (Again const&) {
        throw;
    } catch (RunAgain const&) {
        throw;
    } catch (...) {
        statistics = fresh;
        throw;
    }
    statistics = fresh;
}

void Debugger::run(sim::LaunchContext const& launch, sim::FunctionalOptions const& options,
                   sim::SymbolAddresses const& symbols, sim::LaunchStatistics& statistics,
                   std::shared_ptr<void const> owner) {
    launch_ = &launch;
    symbols_ = &symbols;
    present_ = launches_;
    // Another device, or the same one reset, has no way back into those of the one before.
    if (!kept_.empty() && &kept_.front().launch->memory != &launch.memory) kept_.clear();
    std::string const kernel = kernel_;
    beginning_.reset();
    beginning_bytes_ = 0;
    for (sim::Allocation const& a : launch.allocations.all()) beginning_bytes_ += a.end - a.begin;
    if (keeps_history && !is_detached_ && !has_checkers && beginning_bytes_ <= most_history_bytes) {
        sim::FunctionalOptions silent = options;
        silent.sinks = nullptr;
        silent.counted = nullptr;
        sim::LaunchStatistics none;
        beginning_ = sim::run_for(launch, silent, 0, none);
    }
    while (true) {
        try {
            if (leads_back()) {
                run_earlier();
                launch_ = &launch;
                symbols_ = &symbols;
                kernel_ = kernel;
                enter(present_);
            }
            attempt(options, statistics);
            break;
        } catch (Again const&) {
        } catch (sim::Fault const& fault) {
            bool const is_end = fault.kind == FaultKind::time_limit || fault.kind == FaultKind::interrupted;
            if (is_end || is_detached_ || !has_history() || std::exchange(is_at_fault_, false) || count_ == 0)
                throw;
            is_at_fault_ = true;
            target_ = fault_at_ = here();
            at_target_ = {.reason = StopReason::fault, .text = fault.what};
            if (fault.has_place)
                focus_at_target_ = Focus{fault.cta, fault.warp, static_cast<int>(fault.lane), launches_};
            search_.reset();
            stepping_.reset();
            if (!beginning_) repeat();
        }
    }
    keep(options, std::move(owner));
    beginning_.reset();
    launch_ = nullptr;
}

}  // namespace warpsim::debug
