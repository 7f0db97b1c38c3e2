// Values for which no register of the PTX stands.
#pragma once

#include "sim/timing/plan/live_ranges.hpp"

namespace warpsim::timing {

struct Temporary {
    std::vector<ir::LiveInterval> pieces;
    std::vector<std::uint32_t> readers{};  // instructions; empty where other operands do not matter
    std::uint32_t units = 1;               // registers of 32 bits
    bool is_address = false;
};

/// A function, or a routine for rare operands.
bool calls_routine(MachineFunction const& m, std::uint32_t i);

/// Constants that moves bring into registers, what sequences of micro-ops need inside of them, and one for all predicates that
/// are kept in a vector register.
std::vector<Temporary> find_temporaries(MachineFunction const& m, LiveRanges const& ranges);

}  // namespace warpsim::timing
