#include "sim/exec/edge_counts.hpp"

#include <utility>

namespace warpsim::sim {

void EdgeCounts::add_to(OpCounters& counters) {
    for (OfFunction& known : functions_) {
        if (known.code != nullptr) add(known, counters);
    }
}

void EdgeCounts::begin(OfFunction& of, CompiledFunction const& code, FunctionPlan const& function,
                       OpCounters& counters) {
    if (of.code != nullptr) add(of, counters);
    of.times = {};
    of.code = &code;
    of.function = &function;
}

void EdgeCounts::add(OfFunction& of, OpCounters& counters) {
    OpCounters::Delta* const deltas = counters.deltas.data() + of.function->counter_base;
    std::uint64_t* const guarded_off = counters.guarded_off.data() + of.function->counter_base;
    for (std::size_t lanes = 1; lanes < of.times.size(); ++lanes) {
        std::uint64_t* const times = of.times[lanes].get();
        for (std::size_t i = 0; times != nullptr && i < of.code->edges.size(); ++i) {
            auto const n = static_cast<std::int64_t>(std::exchange(times[i], 0));
            if (n == 0) continue;
            CompiledFunction::Edge const& edge = of.code->edges[i];
            OpCounters::Delta const all{n, n * static_cast<std::int64_t>(lanes)};
            if (edge.is_guarded) counters.branch_total += static_cast<std::uint64_t>(n);
            if (!edge.is_taken) {
                guarded_off[edge.branch] += static_cast<std::uint64_t>(all.thread);
                continue;
            }
            deltas[edge.branch + 1] -= all;
            deltas[edge.to] += all;
        }
    }
}

}  // namespace warpsim::sim
