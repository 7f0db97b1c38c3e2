// What a launch counted. Integers next to the code that counts; rates are derived when printed.
#pragma once

#include "frontend/isa/types.hpp"
#include "sim/timing_statistics.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace warpsim::sim {

struct InstructionCounts {
    std::uint64_t warp = 0;            // executed PTX instructions
    std::uint64_t thread = 0;          // their active lanes before the guard
    std::uint64_t thread_guarded = 0;  // after it
    std::array<std::uint64_t, static_cast<std::size_t>(isa::InstructionClass::count)>
        by_class{};  // warp instructions
};

struct BranchCounts {
    std::uint64_t total = 0;  // executed branches that could diverge (guarded, indirect)
    std::uint64_t divergent = 0;
};

/// Counted only when asked for (memory_statistics).
struct MemoryCounts {
    bool counted = false;
    std::uint64_t global_requests = 0;  // warp accesses to global memory
    std::uint64_t global_sectors = 0;   // distinct 32-byte sectors they touch
    std::uint64_t shared_requests = 0;
    std::uint64_t shared_bank_conflicts = 0;  // cycles of the banks that these cost
};

struct LaunchStatistics {
    std::string kernel;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint64_t dynamic_shared = 0;        // bytes
    std::uint32_t registers_per_thread = 0;  // 32-bit registers
    std::uint64_t shared_per_cta = 0;        // bytes, static and dynamic
    InstructionCounts instructions;
    BranchCounts branches;
    MemoryCounts memory;
    std::optional<TimingCounts> timing;  // of a timing run
    double host_seconds = 0;
};

}  // namespace warpsim::sim
