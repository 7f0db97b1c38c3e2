// How often PTX instructions were executed, computed from the interpreter's counts of the instructions that
// replace them.
#pragma once

#include "sim/exec/lane_count.hpp"
#include "sim/exec/op.hpp"
#include "sim/timing/plan/timing_plan.hpp"

#include <cstdint>
#include <span>

namespace warpsim::timing {

/// The lanes that reached a branch that became guards.
struct BranchLanes {
    struct Side {
        std::uint64_t warps = 0, threads = 0;
    };
    Side taken, not_taken;
    std::uint64_t divergent = 0;

    void add(sim::LaneMask active, sim::LaneMask takes) {
        if (takes != 0) add(taken, takes);
        if ((active & ~takes) != 0) add(not_taken, active & ~takes);
        divergent += takes != 0 && (active & ~takes) != 0;
    }

private:
    static void add(Side& side, sim::LaneMask lanes) {
        ++side.warps;
        side.threads += sim::count_lanes(lanes);
    }
};

struct Executed {
    std::uint64_t warps = 0, threads = 0, threads_guarded = 0;
};

/// The weight of an instruction that counts for nothing, but the lanes that its guard switches off count as guarded.
constexpr std::uint8_t counts_guarded_off = 255;
/// That of a branch that stands for those of four rounds, of which the last one's guard is counted elsewhere.
constexpr std::uint8_t counts_four_rounds = 254;

/// `warps`, `threads` and `guarded_off` are the interpreter's counts of the instruction.
Executed executed(FunctionTiming const& timing, std::uint32_t instruction, std::uint64_t warps,
                  std::uint64_t threads, std::uint64_t guarded_off, std::span<BranchLanes const> branches);

}  // namespace warpsim::timing
