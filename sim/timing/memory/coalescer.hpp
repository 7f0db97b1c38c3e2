// What the addresses of one warp access mean for the data cache: which 32-byte sectors of which 128-byte lines,
// and for how many cycles its tags and data banks are busy.
#pragma once

#include "sim/exec/lanes/transactions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpsim::timing {

using sim::Addresses;
using sim::sector_bytes;
inline constexpr std::uint32_t line_bytes = 128;

/// Of a line, which has four. (std::popcount is a call of a function for hosts that may lack the instruction.)
inline std::uint32_t count_of(std::uint8_t sectors) {
    return static_cast<std::uint32_t>(0x4332322132212110 >> 4 * sectors & 15);
}

struct LineAccess {
    std::uint64_t line;    // address / line_bytes
    std::uint8_t sectors;  // a bit for each that is touched
    std::uint8_t covered;  // ... of which every byte is
};

/// Only so many lines as there are have values, and a copy has no others: most accesses have one or a few.
struct Coalesced {
    Coalesced() {}
    Coalesced(Coalesced const& other) { *this = other; }
    Coalesced& operator=(Coalesced const& other) {
        count = other.count;
        sectors = other.sectors;
        lookups = other.lookups;
        bank_cycles = other.bank_cycles;
        std::copy_n(other.lines.begin(), count, lines.begin());
        return *this;
    }

    std::uint32_t count = 0;
    std::uint32_t sectors = 0;         // of all lines
    std::uint32_t lookups = 0;         // lines, counted separately for each group of threads
    std::uint32_t bank_cycles = 0;     // words of the bank with the most
    std::array<LineAccess, 32> lines;  // ascending in first use; an access is aligned, so it lies in one sector

    /// Without what other accesses have left behind the last line, or in an access that has none.
    template <class Archive> void state(Archive& archive) {
        archive(count);
        if (count == 0) return;
        archive(sectors, lookups, bank_cycles);
        for (std::uint32_t i = 0; i < count; ++i) archive(lines.at(i));
    }
};

/// Groups of `group` threads (8 on all known GPUs) are merged before they look up a tag (ASP: requests then agree
/// with the hardware's). Bytes that are addressed twice count once.
void coalesce(Addresses const& addresses, std::uint32_t group, Coalesced& out);

}  // namespace warpsim::timing
