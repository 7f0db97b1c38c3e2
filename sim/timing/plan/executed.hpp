// How often PTX instructions were executed, computed from the interpreter's counts of the instructions that
// replace them.
#pragma once

#include "sim/exec/lane_count.hpp"
#include "sim/exec/op.hpp"
#include "sim/timing/plan/timing_plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

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

/// With a number of rounds: the weight of a branch that stands for those of as many rounds, as if each went back.
constexpr std::uint16_t rounds_taken = 0x8000;
/// The weight of a branch out of the loop: lanes that take it did not go back in their last round.
constexpr std::uint16_t leaves_loop = 0xffff;

/// `warps`, `threads` and `guarded_off` are the interpreter's counts of the instruction.
Executed executed(FunctionTiming const& timing, std::uint32_t instruction, std::uint64_t warps,
                  std::uint64_t threads, std::uint64_t guarded_off, std::span<BranchLanes const> branches);

/// By the number of an instruction of the PTX: how many micro-ops a warp issues for one execution of it, in the mean over what it has
/// become.
std::vector<double> micro_ops_of(FunctionTiming const& timing);

}  // namespace warpsim::timing
