// What the addresses of a warp access require of memory: sectors of global memory, cycles of the banks of shared
// memory. Counted for every access when statistics are requested, and in timing mode. The usual patterns are
// recognised from the range of the addresses; the others are counted with vector instructions of the host.
#pragma once

#include "sim/exec/lanes/access.hpp"

#include <cstdint>

namespace warpsim::sim {

/// The unit in which caches and DRAM move bytes.
inline constexpr std::uint32_t sector_bytes = 32;

/// Distinct sectors that the active lanes touch.
std::uint32_t count_sectors(Addresses const& addresses);

/// The banks of shared memory, word by word in turn; both are powers of two, and there are at most 1024 banks.
struct Banks {
    std::uint32_t count = 32;
    std::uint32_t width_bytes = 4;
};

/// An access wider than a bank takes several passes, each with as many lanes as 32 words of the banks' width hold:
/// half warps for 8 bytes and quarter warps for 16 if a bank has 4.
struct BankUse {
    std::uint32_t cycles = 0;  // sum over the passes of the most different words that lanes access in one bank
    std::uint32_t passes = 0;  // with active lanes: the cycles that the access would take without conflicts
};
/// Lanes that access the same word share it.
BankUse use_banks(Addresses const& addresses, Banks banks);
inline std::uint32_t bank_cycles(Addresses const& a, Banks banks) { return use_banks(a, banks).cycles; }
inline std::uint32_t bank_conflicts(Addresses const& a, Banks banks) {
    BankUse const use = use_banks(a, banks);
    return use.cycles - use.passes;
}

/// Cycles of an atomic: lanes on the same word take turns as well.
std::uint32_t atomic_bank_cycles(Addresses const& addresses, Banks banks);

/// Counts units of 1 << shift bytes that the lanes of `mask` address, one unit each; unit n is in bank n mod
/// `banks`. For addresses at most 2^32 - 2 units apart. Compiled for each host instruction set.
struct UnitCounters {
    std::uint32_t (*distinct)(Addresses const& addresses, LaneMask mask, unsigned shift);
    /// The most distinct units in one bank.
    std::uint32_t (*most_in_bank)(Addresses const& addresses, LaneMask mask, unsigned shift, std::uint32_t banks);
    /// The most lanes with units in one bank.
    std::uint32_t (*most_lanes_of_bank)(Addresses const& addresses, LaneMask mask, unsigned shift,
                                        std::uint32_t banks);
};
UnitCounters const& unit_counters(isa::HostIsa host);

}  // namespace warpsim::sim
