// Elements of 4 and 6 bits that 16 bytes hold one after the other, with padding behind them, as bytes: PTX ISA, "Optional
// Decompression".
#pragma once

#include <cstdint>
#include <cstring>

namespace warpsim::sim::tensor_memory {

/// 16 elements: those of 4 bits in the middle of their bytes, those of 6 bits below.
inline void unpack(std::uint32_t* words, int bits) {
    std::uint64_t packed[2];
    std::memcpy(packed, words, sizeof packed);
    std::uint8_t bytes[16];
    for (int i = 0; i < 16; ++i) {
        int const at = i * bits;
        std::uint64_t value = packed[at / 64] >> (at % 64);
        if (at % 64 + bits > 64) value |= packed[1] << (64 - at % 64);
        bytes[i] = static_cast<std::uint8_t>(bits == 4 ? (value & 15) << 2 : value & 63);
    }
    std::memcpy(words, bytes, sizeof bytes);
}

}  // namespace warpsim::sim::tensor_memory
