// The counts of an interpreter, op by op: it only keeps how they change from one op to the next.
#pragma once

#include "sim/exec/interpreter.hpp"

#include <cstdint>

namespace warpsim::sim {

/// An op that counts as an instruction, and how often it was executed.
struct CountedOp {
    FunctionPlan const& function;
    Op const& op;
    std::uint64_t warps, threads, guarded_off;  // guarded_off: of the threads
    std::uint64_t divergent;                    // of the warps
};

/// Calls each(CountedOp) in the order of the program.
template <class Each> void for_each_op(FunctionPlan const& function, OpCounters const& counters, Each&& each) {
    std::int64_t warps = 0, threads = 0;
    for (std::size_t i = 0; i < function.ops.size(); ++i) {
        warps += counters.deltas[function.counter_base + i].warp;
        threads += counters.deltas[function.counter_base + i].thread;
        if (!function.ops[i].is_primary) continue;
        each(CountedOp{function, function.ops[i], static_cast<std::uint64_t>(warps),
                       static_cast<std::uint64_t>(threads), counters.guarded_off[function.counter_base + i],
                       counters.divergent[function.counter_base + i]});
    }
}

}  // namespace warpsim::sim
