// How the 32 addresses of a warp access are arranged, and moving values between memory and columns along them.
// Compiled for each host instruction set, like the lane functions.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/table.hpp"

#include <cstdint>

namespace warpsim::sim {

using isa::LaneMask;

/// A slot that no column has: the value is discarded.
inline constexpr isa::Slot discard = -4;

enum class Pattern : std::uint8_t {
    affine,   // lane i at first + i * bytes: one range, one copy
    uniform,  // all at the same address
    scattered,
};

/// The addresses of one access by the lanes of `mask`.
struct Addresses {
    alignas(64) std::uint64_t lane[32];  // valid for scattered ones only
    std::uint64_t low = 0;               // lowest byte accessed
    std::uint64_t past_high = 0;         // one past the highest byte accessed
    std::uint64_t misaligned = 0;        // OR of all addresses, to be masked by alignment - 1
    std::uint64_t lane_zero = 0;         // affine: address of lane 0, active or not; uniform: the address
    LaneMask mask = 0;
    std::uint32_t bytes = 0;  // per lane
    Pattern pattern = Pattern::scattered;

    std::uint64_t of(int i) const {
        return pattern == Pattern::affine    ? lane_zero + static_cast<std::uint64_t>(i) * bytes
               : pattern == Pattern::uniform ? lane_zero
                                             : lane[i];
    }
};

/// Fills `out` for the non-empty `mask`: lane i's address is column[i] + offset.
using Classify = void (*)(Addresses& out, std::byte const* column, std::int64_t offset, LaneMask mask,
                          std::uint32_t bytes);

/// Moves one element per lane: memory at address + bias + element_offset <-> `column`.
using Move = void (*)(std::byte* column, Addresses const& addresses, std::uint64_t bias,
                      std::uint32_t element_offset);

enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };

/// The lane that a lane of a shuffle reads from, and whether that is inside its segment; if not, it is the lane
/// itself.
struct ShuffleSource {
    std::int32_t lane;
    std::int32_t is_inside;  // all bits, or none: as wide as the lane, so that loops over lanes are vectorised
};

/// With the values of operands b and c: PTX ISA, "shfl.sync", semantics.
[[gnu::always_inline]] constexpr ShuffleSource shuffle_source(ShuffleMode mode, std::int32_t lane, std::int32_t b,
                                                              std::int32_t c) {
    std::int32_t const distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    std::int32_t const highest = (lane & segment) | (clamp & ~segment);
    std::int32_t const wanted = mode == ShuffleMode::up     ? lane - distance
                                : mode == ShuffleMode::down ? lane + distance
                                : mode == ShuffleMode::bfly ? lane ^ distance
                                                            : (lane & segment) | (distance & ~segment);
    bool const is_inside = mode == ShuffleMode::up ? wanted >= highest : wanted <= highest;
    return {is_inside ? wanted : lane, is_inside ? -1 : 0};
}

/// shfl by the lanes of `mask`, which are all that take part: d <- a of the lane that b and c select. Returns the
/// lanes that read from inside their segment, and in `absent` those that read from a lane that does not take part
/// (they get 0).
using Shuffle = LaneMask (*)(isa::Bases bases, isa::Slot d, isa::Slot a, isa::Slot b, isa::Slot c, LaneMask mask,
                             LaneMask& absent);

struct AccessFunctions {
    Classify classify32;  // 32-bit address columns
    Classify classify64;
    /// By log2 of the bytes in memory (0 to 4), sign extension, and log2 of the column's element (1 to 4). A null
    /// entry is a column narrower than the value.
    Move load[5][2][5];
    Move store[5][5];  // by log2 of the bytes in memory and of the column's element
    /// The same for strong accesses: one atomic access of the host for each element.
    Move load_strong[5][2][5];
    Move store_strong[5][5];
    // Lane functions that the plan adds where the ISA relaxes operand sizes or defines no arithmetic of its own.
    isa::LaneFunction copy[5];             // by log2 of the element: [0] is <- [1]
    isa::LaneFunction widen[2][5][5];      // signed?, from, to
    isa::LaneFunction narrow[5][5];        // from, to
    isa::LaneFunction copy_predicate;      // [0] <- [1]
    isa::LaneFunction broadcast[5][2][5];  // as load: from the scalar at slot [1]
    isa::LaneFunction predicate_and[2], predicate_or[2], predicate_xor[2];  // [0] <- [1] op (negated?) [2]
    isa::LaneFunction predicate_not;                                        // [0] <- ![1]
    isa::LaneFunction add_offset[2];  // [0] <- [1] + immediate; 32-bit, 64-bit
    isa::LaneFunction extract[5][5];  // from, to (0: 8 bits of a 16-bit column): [0] <- [1] >> immediate bits
    isa::LaneFunction insert[5][5];   // from (0: likewise), to: the bits of [0] at `immediate` <- [1]
    Shuffle shuffle[4];               // by ShuffleMode
};

AccessFunctions const& access_functions(isa::HostIsa host);

}  // namespace warpsim::sim
