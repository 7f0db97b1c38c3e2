// Going back: a launch runs again from its beginning, first to find the place that is meant, then to it.
#include "runtime/debug/debugger.hpp"

#include <utility>

namespace warpsim::debug {

void Debugger::begin_search(Resume const& how) {
    Search s;
    s.limit = count_;
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
    is_abandoned_ = true;
    throw Again{};
}

void Debugger::search(sim::InstructionEvent const& e) {
    Search& s = *search_;
    if (count_ >= s.limit) end_search();
    if (s.what == Search::For::stop) {
        if (!breakpoints.are_at(e.site.frame.function->index, e.site.op.instruction)) return;
        if (std::optional<Hit> const h = hit(e.site, e.active, false)) {
            s.add(count_);
            s.focus = focus_of(e.site, h->lane);
            s.breakpoint = h->breakpoint->number;
            s.reason = StopReason::breakpoint;
            s.text = h->text;
        }
        return;
    }
    if (s.what == Search::For::write || !is_mine(e.site, e.active, focus_)) return;
    if (s.what == Search::For::instruction && s.depth == SIZE_MAX) return s.add(count_);
    std::size_t const depth = depth_at(e.site);
    if (s.what == Search::For::shallower) {
        if (depth < s.depth) s.add(count_);
        return;
    }
    if (depth > s.depth) return;
    if (s.what == Search::For::instruction) return s.add(count_);
    Line const line = line_of(*module_, instruction_of(e.site));
    if (line.number == 0) return;
    if (line != s.line || depth != s.last_depth) s.add(count_);
    s.line = line;
    s.last_depth = depth;
}

void Debugger::end_search() {
    Search const s = *std::exchange(search_, std::nullopt);
    bool const is_found = s.found.size() == s.wanted;
    if (s.what == Search::For::write) {
        target_ = s.limit;
        at_target_ = {.reason = StopReason::step,
                      .text = is_found ? s.text : "Nothing in this launch has written there yet"};
    } else if (is_found) {
        target_ = s.found.front();
        at_target_ = {.reason = s.reason, .breakpoint = s.breakpoint, .text = s.text};
        focus_at_target_ = s.focus;
    } else {
        target_ = 1;
        at_target_ = {.reason = StopReason::no_history, .text = "No more history: the launch begins here"};
    }
    is_abandoned_ = true;
    throw Again{};
}

}  // namespace warpsim::debug
