// Where a byte of a box is in shared memory (PTX ISA, "Swizzling Modes"). A swizzle exchanges bits of addresses, not of
// offsets in the box: its pattern begins anew at each address that is a multiple of its period.
#pragma once

#include "sim/tensor/tensor_map.hpp"

namespace warpsim::sim::tensor {

/// The lower 8 bytes of an address's 16 stay together, so bits 0 to 2 never change.
inline std::uint64_t swizzled(TensorMap const& map, std::uint64_t address) {
    // Bits 7 to 9 number the lines of 128 bytes.
    switch (map.swizzle) {
        case Swizzle::bytes_32:
        case Swizzle::bytes_96: return address ^ (address >> 3 & 0x10);
        case Swizzle::bytes_64: return address ^ (address >> 3 & 0x30);
        case Swizzle::bytes_128:
            switch (map.atomicity) {
                case Atomicity::bytes_32: return address ^ (address >> 2 & 0x60);
                case Atomicity::bytes_32_flip_8: return address ^ (address >> 2 & 0x60) ^ (address >> 4 & 8);
                case Atomicity::bytes_64: return address ^ (address >> 1 & 0x40);
                default: return address ^ (address >> 3 & 0x70);
            }
        default: return address;
    }
}

/// Bytes that a swizzle moves together.
inline constexpr std::uint32_t swizzle_unit = 8;

}  // namespace warpsim::sim::tensor
