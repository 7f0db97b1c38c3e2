// How often native code has gone which way at branches, until somebody wants to know what that makes of the counters:
// working it out takes longer than many a warp runs.
#pragma once

#include "sim/exec/compiled_code.hpp"

#include <array>
#include <memory>
#include <vector>

namespace warpsim::sim {

class EdgeCounts {
public:
    /// Where code of the function counts, for splits of so many lanes.
    std::uint64_t* of(CompiledFunction const& code, FunctionPlan const& function, std::uint32_t lanes,
                      OpCounters& counters) {
        if (function.plan_index >= functions_.size()) functions_.resize(function.plan_index + 1);
        OfFunction& known = functions_[function.plan_index];
        if (known.code != &code) begin(known, code, function, counters);
        auto& times = known.times[lanes];
        if (!times) times = std::make_unique<std::uint64_t[]>(code.edges.size());
        return times.get();
    }
    /// Adds everything to the counters, and begins anew.
    void add_to(OpCounters& counters);

private:
    struct OfFunction {
        CompiledFunction const* code = nullptr;
        FunctionPlan const* function = nullptr;
        std::array<std::unique_ptr<std::uint64_t[]>, isa::warp_size + 1> times;  // by lanes
    };
    /// Older code of the function may have other edges.
    static void begin(OfFunction& of, CompiledFunction const& code, FunctionPlan const& function,
                      OpCounters& counters);
    static void add(OfFunction& of, OpCounters& counters);

    std::vector<OfFunction> functions_;
};

}  // namespace warpsim::sim
