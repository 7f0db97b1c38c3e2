// An SM and its warps as they are between two cycles, for those who look.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/exec/warp.hpp"
#include "sim/timing/memory/view.hpp"
#include "sim/timing_statistics.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {
struct LaunchContext;
}  // namespace warpsim::sim

namespace warpsim::timing {

using engine::Cycle;

/// A register whose value cannot be used yet.
struct PendingRegister {
    std::vector<std::uint32_t> registers;  // of the function
    Cycle ready = 0;                       // engine::never: when its data arrives
    std::string_view maker;                // the unit that computes it, or where it comes from
    sim::StallReason reason;               // of a wait for it
};

struct WarpView {
    std::uint32_t sm = 0, slot = 0, sub_core = 0;
    sim::LaunchContext const* launch = nullptr;
    sim::Cta const* cta = nullptr;
    sim::Warp const* warp = nullptr;
    bool is_ready = false;  // it can issue now
    sim::StallReason reason{};
    Cycle since = 0;
    Cycle until = 0;                       // when it could issue, as far as is known; engine::never: not known
    std::uint32_t loads = 0;               // in flight, atomics among them
    std::uint32_t writes = 0;              // that L2 has not acknowledged
    std::uint32_t micro = 0, micros = 0;   // of its instruction: how many have issued, of how many
    std::vector<PendingRegister> pending;  // of one that was asked for by itself
};

struct SmView {
    std::uint32_t number = 0;
    std::uint32_t ctas = 0;
    std::uint64_t micro_ops = 0, instructions = 0;  // of the grids that are here, so far
    std::uint64_t l1_hits = 0, l1_sectors = 0;      // of loads
    std::vector<QueueView> queues;
    std::vector<WarpView> warps;
};

}  // namespace warpsim::timing
