// What the addresses of a warp access require of memory: sectors of global memory, cycles of the banks of shared
// memory. Counted for every access when statistics are requested, and in timing mode. The usual patterns are
// recognised from the range of the addresses; the others are counted with vector instructions of the host.
#pragma once

#include "sim/exec/lanes/access.hpp"

#include <bit>
#include <cstdint>

namespace warpsim::sim {

/// The unit in which caches and DRAM move bytes.
inline constexpr std::uint32_t sector_bytes = 32;

/// Distinct sectors that the active lanes touch, of addresses that are neither a run nor all in one sector.
std::uint32_t count_scattered_sectors(Addresses const& addresses);

/// The active lanes are adjacent, as they are unless lanes have diverged.
inline bool is_run(LaneMask mask) {
    LaneMask const from_first = mask >> std::countr_zero(mask);
    return (from_first & (from_first + 1)) == 0;
}

/// Distinct sectors that the active lanes touch.
inline std::uint32_t count_sectors(Addresses const& a) {
    std::uint64_t const spanned = (a.past_high - 1) / sector_bytes - a.low / sector_bytes + 1;
    // An access is aligned and no wider than a sector, so each element is in one sector.
    bool const is_dense = a.pattern == Pattern::uniform || (a.pattern == Pattern::affine && is_run(a.mask));
    return is_dense || spanned == 1 ? static_cast<std::uint32_t>(spanned) : count_scattered_sectors(a);
}

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
/// Of an access that is wider than a bank, or whose words may be in the same banks.
BankUse use_banks_repeatedly(Addresses const& addresses, Banks banks);
/// Lanes that access the same word share it.
inline BankUse use_banks(Addresses const& a, Banks banks) {
    // Consecutive words, up to the number of banks, are in different banks, whichever of them the lanes access.
    int const word = std::countr_zero(banks.width_bytes);
    bool const is_narrow = a.bytes <= banks.width_bytes;
    if (is_narrow && ((a.past_high - 1) >> word) - (a.low >> word) < banks.count) return {1, 1};
    return a.pattern == Pattern::uniform ? BankUse{1, 1} : use_banks_repeatedly(a, banks);
}
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
