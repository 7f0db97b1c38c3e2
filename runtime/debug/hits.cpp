// Which breakpoints stop, and what they say.
#include "runtime/debug/debugger.hpp"
#include "runtime/debug/scope.hpp"
#include "sim/error.hpp"
#include "sim/exec/faults.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::debug {

using sim::LaneMask;

/// The first of the lanes, if all that the breakpoint asks for is so.
std::optional<int> Debugger::fitting_lane(Breakpoint& b, Machine& machine, sim::Site const& site, LaneMask lanes,
                                          std::string& error) {
    if (b.block && *b.block != site.cta.id) return std::nullopt;
    if (b.warp && *b.warp != site.warp.index) return std::nullopt;
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
        Thread const thread{&site.cta, &site.warp, std::countr_zero(m)};
        if (b.thread && machine.index_of(thread) != *b.thread) continue;
        if (!b.condition) return thread.lane;
        try {
            ThreadScope scope(machine, thread, &site.frame, site.op.instruction, *symbols_, {});
            if (b.condition->evaluate(scope).is_true()) return thread.lane;
        } catch (Error const& e) {
            error = "The condition " + b.condition->text() + " has no value: " + e.what();
            return thread.lane;
        }
    }
    return std::nullopt;
}

/// Counts a hit. False: it is one of those that are to be ignored.
bool Debugger::passes(Breakpoint& b, bool counts) {
    if (!counts) return true;
    ++b.hits;
    if (b.ignored == 0) return true;
    --b.ignored;
    return false;
}

/// "i is {i}" with the value of the expression in that thread.
void Debugger::say(Breakpoint const& b, Machine& machine, sim::Site const& site, int lane) {
    ThreadScope scope(machine, {&site.cta, &site.warp, lane}, &site.frame, site.op.instruction, *symbols_, {});
    std::string text;
    for (std::size_t at = 0; at < b.log.size();) {
        std::size_t const open = b.log.find('{', at);
        std::size_t const close = open == std::string::npos ? open : b.log.find('}', open);
        text += b.log.substr(at, close == std::string::npos ? close : open - at);
        if (close == std::string::npos) break;
        try {
            text += text_of(Expression(b.log.substr(open + 1, close - open - 1), scope).evaluate(scope));
        } catch (Error const& error) {
            text += std::string("<") + error.what() + ">";
        }
        at = close + 1;
    }
    front_.note(text);
}

std::optional<Debugger::Hit> Debugger::hit(sim::Site const& site, LaneMask active, bool counts) {
    Machine machine(*launch_, &site, active, its_ctas());
    CodePlace const here{site.frame.function->index, site.op.instruction};
    std::optional<Hit> first;
    for (Breakpoint& b : breakpoints.all()) {
        bool const is_here = b.kind == Breakpoint::Kind::code && b.is_enabled &&
                             std::find(b.places.begin(), b.places.end(), here) != b.places.end();
        if (!is_here) continue;
        std::string error;
        std::optional<int> const lane = fitting_lane(b, machine, site, active, error);
        if (!lane || !passes(b, counts)) continue;
        if (!b.log.empty() && counts) say(b, machine, site, *lane);
        if (!b.log.empty() || first) continue;
        first = Hit{&b, *lane,
                    (b.is_temporary ? "Temporary breakpoint " : "Breakpoint ") + std::to_string(b.number) +
                        (error.empty() ? "" : "\n" + error)};
    }
    return first;
}

namespace {

/// Lanes whose bytes overlap what is watched.
LaneMask lanes_at(sim::Addresses const& a, MemoryPlace const& place, std::uint64_t bytes) {
    LaneMask lanes = 0;
    if (a.past_high <= place.address || a.low >= place.address + bytes) return 0;
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        if (a.of(lane) < place.address + bytes && a.of(lane) + a.bytes > place.address)
            lanes |= LaneMask{1} << lane;
    }
    return lanes;
}

/// A generic address leads to some space; events tell which.
bool is_same_space(sim::SpaceKind told, sim::SpaceKind watched) {
    return told == watched || (told == sim::SpaceKind::global && watched == sim::SpaceKind::generic);
}

}  // namespace

std::optional<Debugger::Hit> Debugger::hit(sim::AccessEvent const& e, bool counts) {
    bool const is_load = e.site.op.kind == sim::OpKind::load, is_store = e.site.op.kind == sim::OpKind::store;
    std::optional<Hit> first;
    for (Breakpoint& b : breakpoints.all()) {
        if (b.kind != Breakpoint::Kind::watch || !b.is_enabled || !is_same_space(e.space, b.memory.space))
            continue;
        if ((is_load && !b.stops_at_reads) || (is_store && !b.stops_at_writes)) continue;
        if (b.cta && *b.cta != e.site.cta.linear) continue;
        LaneMask lanes = lanes_at(e.addresses, b.memory, b.bytes);
        if (b.linear) lanes &= *b.linear / 32 == e.site.warp.index ? LaneMask{1} << *b.linear % 32 : 0;
        if (lanes == 0) continue;
        Machine machine(*launch_, &e.site, e.addresses.mask, its_ctas());
        std::string error;
        std::optional<int> const lane = fitting_lane(b, machine, e.site, lanes, error);
        if (!lane || !passes(b, counts) || first) continue;
        std::string text = "Watchpoint " + std::to_string(b.number) + ": " + b.what +
                           (is_load ? " was read by " : " was written by ") + sim::lanes_text(lanes);
        if (!e.is_late) {
            std::array<std::uint64_t, 2> const bits = e.value(*lane);
            // What was accessed may be another part of it than the whole.
            bool const is_whole = b.type && b.bytes <= 8 && e.addresses.of(*lane) == b.memory.address &&
                                  e.addresses.bytes == b.bytes;
            std::vector<std::byte> bytes(b.bytes);
            if (is_whole) std::memcpy(bytes.data(), bits.data(), b.bytes);
            text += (is_load    ? ", value "
                     : is_store ? ", new value "
                                : ", old value ") +
                    (is_whole ? text_of({b.type, bytes, {}}) : sim::hexadecimal(bits[0]));
        }
        first = Hit{&b, *lane, text + (error.empty() ? "" : "\n" + error)};
    }
    return first;
}

void Debugger::tell_hit(Hit const& hit, sim::Site const& site, LaneMask active, StopReason reason) {
    stepping_.reset();
    int const number = hit.breakpoint->number;
    if (hit.breakpoint->is_temporary) {
        breakpoints.remove(number);
        breakpoints_changed();
    }
    stop(&site, active, {.reason = reason, .breakpoint = number, .text = hit.text}, focus_of(site, hit.lane));
}

void Debugger::found(std::string_view checker, std::string text) {
    if (is_detached_ || is_abandoned_ || !breakpoints.catches(Caught::finding)) return;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    found_.push_back({std::string(checker), std::move(text)});
}

bool Debugger::stops_at_finding(sim::Site const& site, LaneMask lanes) {
    std::vector<Found> const all = std::exchange(found_, {});
    if (is_detached_ || is_abandoned_ || (target_ && !search_)) return false;
    if (search_ && (search_->what != Search::For::stop || !(here() < search_->limit))) return false;
    for (Breakpoint& b : breakpoints.all()) {
        if (b.kind != Breakpoint::Kind::catching || !b.is_enabled || b.caught != Caught::finding) continue;
        std::string text;
        for (Found const& f : all)
            if (b.checker.empty() || b.checker == f.checker) text += (text.empty() ? "" : "\n") + f.text;
        if (text.empty()) continue;
        Machine machine(*launch_, &site, lanes, its_ctas());
        std::string error;
        std::optional<int> const lane = fitting_lane(b, machine, site, lanes, error);
        if (!lane || !passes(b, !search_)) continue;
        text = "Catchpoint " + std::to_string(b.number) + ": a finding\n" + text;
        if (search_) {
            search_->add(here(), StopReason::caught, b.number, text, focus_of(site, *lane));
            return false;
        }
        tell_hit({&b, *lane, text}, site, lanes, StopReason::caught);
        return true;
    }
    return false;
}

void Debugger::bad_access(sim::BadAccessEvent const& e) {
    if (!found_.empty()) stops_at_finding(e.site, LaneMask{1} << e.lane);
}

void Debugger::access(sim::AccessEvent const& e) {
    if (!found_.empty() && stops_at_finding(e.site, e.addresses.mask)) return;
    if (is_detached_ || is_abandoned_ || (target_ && !search_)) return;
    if (search_ && search_->what == Search::For::write) {
        Search& s = *search_;
        if (!(here() < s.limit) || e.site.op.kind == sim::OpKind::load || !is_same_space(e.space, s.where.space))
            return;
        bool const is_of_launch = e.space != sim::SpaceKind::global;
        if (is_of_launch && (launches_ != s.limit.launch || e.site.cta.id != focus_.block)) return;
        LaneMask const lanes = lanes_at(e.addresses, s.where, s.bytes);
        if (lanes == 0) return;
        s.add(here());
        ir::Instruction const& i = e.site.frame.function->function->instructions[e.site.op.instruction];
        auto const& id = e.site.cta.id;
        std::string const source = module_->source_place(i);
        s.text = "Written last by block (" + std::to_string(id[0]) + "," + std::to_string(id[1]) + "," +
                 std::to_string(id[2]) + "), warp " + std::to_string(e.site.warp.index) + ", " +
                 sim::lanes_text(lanes) + " at " + module_->place(i) +
                 (source.empty() ? "" : " (" + source + ")") + ":\n  " + module_->written(i) +
                 "\nThat was instruction " + std::to_string(count_) +
                 (launches_ == s.limit.launch
                      ? " of the launch; `goto " + std::to_string(count_) + "` leads there"
                      : " of kernel " + std::to_string(launches_) + "; `goto " + std::to_string(launches_) + ":" +
                            std::to_string(count_) + "` leads there");
        return;
    }
    if (!breakpoints.watch()) return;
    if (search_ && search_->what != Search::For::stop) return;
    if (search_ && !(here() < search_->limit)) return;
    std::optional<Hit> const h = hit(e, !search_);
    if (!h) return;
    if (!search_) return tell_hit(*h, e.site, e.addresses.mask, StopReason::watchpoint);
    search_->add(here(), StopReason::watchpoint, h->breakpoint->number,
                 h->text + ", by the instruction that comes next", focus_of(e.site, h->lane));
}

void Debugger::caught(Caught what, sim::Site const& site, LaneMask lanes, std::string const& text) {
    if (!found_.empty() && stops_at_finding(site, lanes)) return;
    if (!breakpoints.catches(what) || is_detached_ || is_abandoned_) return;
    if (search_ ? search_->what != Search::For::stop || !(here() < search_->limit) : target_.has_value()) return;
    Machine machine(*launch_, &site, lanes, its_ctas());
    for (Breakpoint& b : breakpoints.all()) {
        if (b.kind != Breakpoint::Kind::catching || !b.is_enabled || b.caught != what) continue;
        std::string error;
        std::optional<int> const lane = fitting_lane(b, machine, site, lanes, error);
        if (!lane || !passes(b, !search_)) continue;
        if (search_)
            return search_->add(here(), StopReason::caught, b.number,
                                "Catchpoint " + std::to_string(b.number) + ": " + text +
                                    ", by the instruction that comes next",
                                focus_of(site, *lane));
        return tell_hit({&b, *lane, "Catchpoint " + std::to_string(b.number) + ": " + text}, site, lanes,
                        StopReason::caught);
    }
}

void Debugger::diverges(sim::DivergenceEvent const& e) {
    caught(Caught::divergence, e.site, e.taken | e.not_taken,
           "the warp diverges: " + sim::lanes_text(e.taken) + " branch, " + sim::lanes_text(e.not_taken) +
               " fall through");
}

void Debugger::arrives_at_barrier(sim::BarrierArrival const& e) {
    caught(Caught::barrier, e.site, e.lanes,
           sim::lanes_text(e.lanes) + (e.scope == sim::BarrierScope::cta
                                           ? " arrive at barrier " + std::to_string(e.id)
                                           : std::string(" arrive at the barrier of the cluster")));
}

}  // namespace warpsim::debug
