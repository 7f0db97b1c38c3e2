// A warp instruction to be carried out: what an effect gets, and what it reports to the loop.
#pragma once

#include "sim/exec/components.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace warpsim::sim {

/// What the loop does after an effect.
enum class Flow : std::uint8_t {
    next,       // continues with the next instruction
    regroup,    // looks again at which lanes run where: lanes wait, or were released
    give_way,   // ends the warp's turn, which later continues where it stands
    try_again,  // the same; nothing has been done yet, so the instruction is then executed again
    suspend,    // ends the warp split's turn; no effect returns this
};

/// While straight-line code runs, only the loop knows its position. An effect that stops or releases lanes, or
/// reads the counts, first says where the warp stands: stop_here() or stop_behind().
class WarpInstruction {
public:
    WarpInstruction(Components& components, Cta& of, Warp& by, FunctionPlan const& in, Op const& what,
                    LaneMask executing, Op const* counted_ops, OpCounters::Delta const& execution)
        : parts(components),
          cta(of),
          warp(by),
          function(in),
          op(what),
          mask(executing),
          counted_(counted_ops),
          execution_(execution) {}

    Components& parts;
    Cta& cta;
    Warp& warp;
    FunctionPlan const& function;
    Op const& op;
    LaneMask const mask;  // the lanes that execute it; never empty

    /// The warp stands at the instruction: its lanes may wait there.
    void stop_here() { stop_at(&op); }
    /// The warp stands after it.
    void stop_behind() { stop_at(&op + 1); }
    /// After stop_here(): the lanes need not wait after all.
    void pass() { stop_behind(); }

    LaunchContext const& launch() const { return parts.execution.launch; }
    EventSinks const& sinks() const { return parts.execution.sinks; }
    Site site() const { return parts.execution.site(cta, warp, op); }
    [[noreturn]] void fault(int lane, FaultKind kind, std::string what) const {
        parts.execution.faults.raise(cta, warp, op, lane, kind, std::move(what));
    }
    /// Matrix instructions are .aligned, and all threads of the warp take part.
    void check_whole_warp() const {
        if (mask == isa::all_lanes) return;
        fault(std::countr_zero(~mask), FaultKind::broken_promise,
              "a matrix instruction that not all threads of the warp execute: without " + lanes_text(~mask));
    }
    /// Whether accesses take effect at once and unseen: then an effect may move bytes itself that its ops would move one
    /// after the other.
    bool is_unobserved() const {
        return parts.execution.model == nullptr && !parts.execution.sinks.want(EventKind::access);
    }
    /// So many of the ops that follow are of this instruction, and their work is done.
    void skip(std::uint32_t ops) { skipped_ = ops; }
    std::uint32_t skipped() const { return skipped_; }
    /// The first op that has not been counted yet.
    Op const* counted() const { return counted_; }

private:
    std::uint32_t index(Op const* of) const { return static_cast<std::uint32_t>(of - function.ops.data()); }
    void stop_at(Op const* at) {
        parts.execution.counters.account(function, index(counted_), index(at), execution_, warp);
        counted_ = at;
        warp.running().pc = index(at);
    }

    Op const* counted_;
    OpCounters::Delta const& execution_;  // of all lanes that reached it
    std::uint32_t skipped_ = 0;
};

}  // namespace warpsim::sim
