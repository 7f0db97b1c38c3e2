// What the addresses of a warp access ask of memory: sectors of global memory, cycles of the banks of shared memory.
// Counted for every access when statistics are wanted, so the usual patterns take a few vector instructions.
#pragma once

#include "sim/exec/lanes/access.hpp"

#include <cstdint>

namespace warpsim::sim {

/// The unit in which caches and DRAM move bytes.
inline constexpr std::uint32_t sector_bytes = 32;

/// Distinct sectors that the active lanes touch.
std::uint32_t count_sectors(Addresses const& addresses);

/// The banks of shared memory, word by word in turn; both are powers of two.
struct Banks {
    std::uint32_t count = 32;
    std::uint32_t width_bytes = 4;
};

/// Cycles that an access takes the banks: the most different words that lanes want of one bank, in each pass. Lanes
/// on the same word share it. An access wider than a bank takes several passes, of as many lanes as 32 words of the
/// banks' width hold: half warps for 8 bytes and quarter warps for 16 where a bank has 4.
std::uint32_t bank_cycles(Addresses const& addresses, Banks banks);

/// Those of them that it takes because lanes want different words of one bank.
std::uint32_t bank_conflicts(Addresses const& addresses, Banks banks);

/// Cycles of an atomic: lanes on the same word take turns, too.
std::uint32_t atomic_bank_cycles(Addresses const& addresses, Banks banks);

}  // namespace warpsim::sim
