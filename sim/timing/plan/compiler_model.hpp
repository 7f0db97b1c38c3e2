// The pipelines as ptxas 13.0 sees them when it orders instructions. Its code says so itself: each instruction has the number of cycles
// that it waits before the next one (stall counts of 723 kernels for 7.5 to 9.0).
#pragma once

#include "sim/config/config.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <array>

namespace warpsim::timing {

class CompilerModel {
public:
    explicit CompilerModel(sim::Config const& config);

    /// Cycles from the issue of the first micro-op of an instruction to that of what uses its result.
    std::uint32_t latency(MachineFunction const& m, std::uint32_t i) const;
    /// What comes on top of that, for one that uses it: other pipelines, memory and guards get it later.
    std::uint32_t way(MachineFunction const& m, std::uint32_t from, std::uint32_t to) const;
    /// Of a predicate, for the branch at the end of the block.
    std::uint32_t way_to_branch(MachineFunction const& m, std::uint32_t from) const;
    /// Cycles from its issue to that of an access behind it.
    static constexpr std::uint32_t barrier_latency = 6;

    enum class Pipe : std::uint8_t {
        alu,
        fma,
        fp16,
        fp64,
        sfu,
        memory,
        special,
        constant,
        uniform,
        tensor,
        other
    };
    static constexpr std::size_t pipes = static_cast<std::size_t>(Pipe::other) + 1;
    static Pipe pipe(MicroOp const& op);
    /// Cycles that a micro-op of an instruction keeps its pipe.
    std::uint32_t interval(MachineFunction const& m, std::uint32_t i, MicroOp const& op) const;

private:
    int capability_;
    std::array<std::uint16_t, micro_units> latency_{};
};

}  // namespace warpsim::timing
