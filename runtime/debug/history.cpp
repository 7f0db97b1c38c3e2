// Going back: a launch runs again from its beginning, or all of them do, first to find the place that is meant, then to it.
#include "runtime/debug/debugger.hpp"

#include <utility>

namespace warpsim::debug {

void Debugger::begin_search(Resume const& how) {
    Search s;
    s.limit = here();
    s.is_whole = !beginning_;
    s.wanted = std::max<std::uint64_t>(how.count, 1);
    std::optional<Thread> const thread = focused();
    std::size_t const depth = thread ? machine_->stack(*thread).size() : 1;
    using How = Resume::How;
    using For = Search::For;
    switch (how.how) {
        case How::step_instruction: s.what = For::instruction; break;
        case How::next_instruction:
            s.what = For::instruction;
            s.depth = depth;
            break;
        case How::step_line: s.what = For::line; break;
        case How::until_line:
        case How::next_line:
            s.what = For::line;
            s.depth = depth;
            break;
        case How::finish:
            s.what = For::shallower;
            s.depth = depth;
            break;
        case How::last_write:
            s.what = For::write;
            s.where = how.where;
            s.bytes = how.bytes;
            break;
        default: s.what = For::stop; break;
    }
    search_ = std::move(s);
    is_at_fault_ = is_at_fault_ && how.how == How::last_write;
    repeat();
}

void Debugger::repeat() {
    is_abandoned_ = true;
    bool const is_of_launch = search_ ? !search_->is_whole : target_->launch == launches_;
    if (beginning_ && (is_of_launch || !can_run_again)) throw Again{};
    runs_again_ = true;
    throw RunAgain{};
}

void Debugger::go_to(Moment const& place) {
    target_ = place;
    at_target_ = {};
    // How many instructions come before a cycle is not known.
    bool const is_ahead = place.cycle && place.launch == launches_ ? cycle() < *place.cycle : here() < place;
    if (is_ahead) return;
    is_at_fault_ = false;
    repeat();
}

void Debugger::search(sim::InstructionEvent const& e) {
    Search& s = *search_;
    if (!(here() < s.limit)) end_search();
    if (s.what == Search::For::stop) {
        if (!breakpoints.are_at(e.site.frame.function->index, e.site.op.instruction)) return;
        if (std::optional<Hit> const h = hit(e.site, e.active, false)) {
            s.add(here(), StopReason::breakpoint, h->breakpoint->number, h->text, focus_of(e.site, h->lane));
        }
        return;
    }
    if (s.what == Search::For::write || !is_mine(e.site, e.active, focus_)) return;
    if (s.what == Search::For::instruction && s.depth == SIZE_MAX) return s.add(here());
    std::size_t const depth = depth_at(e.site);
    if (s.what == Search::For::shallower) {
        if (depth < s.depth) s.add(here());
        return;
    }
    if (depth > s.depth) return;
    if (s.what == Search::For::instruction) return s.add(here());
    Line const line = line_of(*module_, instruction_of(e.site));
    if (line.number == 0) return;
    if (line != s.line || depth != s.last_depth) s.add(here());
    s.line = line;
    s.last_depth = depth;
}

void Debugger::end_search() {
    Search s = *std::exchange(search_, std::nullopt);
    bool const is_found = s.found.size() == s.wanted;
    bool const is_of_launch = s.what == Search::For::write && s.where.space != sim::SpaceKind::global;
    bool const leads_further = can_run_again ? launches_ > 0 : launches_ > 0 && reaches(launches_ - 1);
    if (!is_found && !s.is_whole && leads_further && !is_of_launch) {
        s.is_whole = true;
        s.found.clear();
        search_ = std::move(s);
        repeat();
    }
    if (s.what == Search::For::write) {
        target_ = s.limit;
        at_target_ = {.reason = StopReason::step,
                      .text = is_found                      ? s.text
                              : s.is_whole && can_run_again ? "No kernel has written there yet"
                              : s.is_whole ? "No kernel has written there, as far as the way back leads"
                                           : "Nothing in this launch has written there yet"};
    } else if (is_found) {
        target_ = s.found.front();
        at_target_ = {.reason = s.reason, .breakpoint = s.breakpoint, .text = s.text};
        focus_at_target_ = s.focus;
    } else {
        std::uint64_t const first = can_run_again || !beginning_ ? 0 : first_kept();
        target_ = Moment{s.is_whole ? first : launches_, 1, {}};
        std::string const beyond =
            target_->launch > 0 ? "; there is no way back into those before it" : std::string();
        at_target_ = {.reason = StopReason::no_history,
                      .text = (s.is_whole && launches_ > 0 && target_->launch == 0
                                   ? "No more history: the first launch begins here"
                                   : "No more history: the launch begins here") +
                              beyond};
    }
    repeat();
}

}  // namespace warpsim::debug
