// Read-modify-write of memory by the lanes of a warp. Compiled for each host instruction set, like the lane
// functions.
#pragma once

#include "sim/exec/lanes/access.hpp"

namespace warpsim::sim {

using isa::Slot;

// clang-format off
enum class AtomicOperation : std::uint8_t {
    add, min, max, exchange, compare_swap, bit_and, bit_or, bit_xor, increment, decrement, count,
};
// clang-format on

/// The type that an atomic computes with. Untyped values compute as unsigned ones.
enum class AtomicType : std::uint8_t { u32, s32, u64, s64, b16, b128, f16, bf16, f16x2, bf16x2, f32, f64, count };

/// The columns of one element; `swap` is for compare-and-swap only, `result` is `discard` if old values are not
/// needed.
struct AtomicColumns {
    Slot result = 0;
    Slot source = 0;
    Slot swap = 0;
};

/// Performs one element of an atomic in the order of lanes; returns whether memory has changed.
using Atomic = bool (*)(isa::Bases bases, AtomicColumns const& columns, Addresses const& addresses,
                        std::uint64_t bias, std::uint32_t element_offset);

struct AtomicFunctions {
    /// Null where the ISA has no such operation. First for memory that other host threads see, then for memory
    /// that belongs to the calling one: shared memory. They also differ for f32: the hardware's adders for global
    /// memory flush subnormals, those for shared memory keep them.
    Atomic of[2][static_cast<std::size_t>(AtomicType::count)][static_cast<std::size_t>(AtomicOperation::count)];
};

AtomicFunctions const& atomic_functions(isa::HostIsa host);

}  // namespace warpsim::sim
