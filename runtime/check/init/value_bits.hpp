// Values of memory as the bits of registers: which of them nobody has written.
#pragma once

#include "runtime/check/init/memory_shadow.hpp"

#include <cstddef>
#include <cstring>

namespace warpsim::check {

/// The bits of a value of up to 16 bytes; of more than 8, each stands for two.
inline Bits bits_of(ShadowByte const* bytes, std::size_t count) {
    Bits bits = 0;
    if (count <= 8) {
        std::memcpy(&bits, bytes, count);
        return bits;
    }
    for (std::size_t i = 0; i < count; ++i)
        for (unsigned pair = 0; pair < 4; ++pair)
            bits |= Bits{(bytes[i] >> (2 * pair) & 3) != 0} << (4 * i + pair);
    return bits;
}
inline void put_bits(Bits bits, ShadowByte* bytes, std::size_t count) {
    if (count <= 8) {
        std::memcpy(bytes, &bits, count);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = 0;
        for (unsigned pair = 0; pair < 4; ++pair)
            bytes[i] |= static_cast<ShadowByte>((bits >> (4 * i + pair) & 1) * (3u << (2 * pair)));
    }
}

/// What a loaded value makes of a register.
inline Bits extended_bits(Bits bits, std::size_t bytes, bool is_signed, unsigned register_bits) {
    unsigned const width = static_cast<unsigned>(8 * bytes);
    if (is_signed && width < 64 && (bits >> (width - 1) & 1) != 0) bits |= ~low_bits(width);
    return bits & low_bits(register_bits);
}

}  // namespace warpsim::check
