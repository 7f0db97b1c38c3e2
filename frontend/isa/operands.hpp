// How a lane function finds its registers. A register is a column of 32 lanes of its width (8-bit ones take 16-bit
// columns); a predicate is one 32-bit mask, bit i for lane i.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsim::isa {

inline constexpr int warp_size = 32;
using LaneMask = std::uint32_t;
inline constexpr LaneMask all_lanes = 0xffffffffu;

/// Where a column is: the two low bits select one of the bases, the rest is a byte offset from it.
using Slot = std::int32_t;
enum class Base : std::uint8_t { frame = 0, plan = 1, cta = 2, warp = 3 };

using Bases = std::byte* const*;

/// The operands of one decoded instruction, in the order PTX writes them: [0] is the destination.
struct Operands {
    Slot slot[6] = {};
    std::uint64_t immediate = 0;  // what an instruction needs beside registers: a rounding mode, a table ...
};

template <class T> [[gnu::always_inline]] inline T* column(Bases bases, Slot slot) {
    return reinterpret_cast<T*>(bases[slot & 3] + (slot & ~3));
}

/// Computes all 32 lanes and writes those in `mask`.
using LaneFunction = void (*)(Bases bases, Operands const& operands, LaneMask mask);

}  // namespace warpsim::isa
