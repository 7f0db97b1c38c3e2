// Why a kernel cannot continue, and which thread caused it. Thrown inside an engine; the runtime makes the report.
#pragma once

#include "sim/fault_kind.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::sim {

/// What a thread tried to reach.
struct FaultAddress {
    std::string_view space;  // "global", "shared" ...
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
};

struct Fault {
    FaultKind kind = FaultKind::deadlock;
    std::string what;        // "illegal address: 4-byte store to global 0x..., ..."
    bool has_place = false;  // false for a fault of the whole grid (a deadlock)
    std::array<std::uint32_t, 3> cta{};
    std::array<std::uint32_t, 3> thread{};
    std::uint32_t warp = 0;
    std::uint32_t lane = 0;
    std::uint32_t sm = UINT32_MAX;        // UINT32_MAX: which one makes no difference (functional mode)
    std::uint32_t function = UINT32_MAX;  // index into ir::Module::functions
    std::uint32_t instruction = 0;        // index into ir::Function::instructions
    std::string details;                  // further lines: which threads wait where, a call trace
    std::optional<FaultAddress> address;  // of a load, store or atomic
};

}  // namespace warpsim::sim
