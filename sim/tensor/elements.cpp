#include "sim/tensor/elements.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::sim::tensor {

namespace {

constexpr std::size_t chunk_elements = 16;  // what padding follows

/// f32 -> tf32, or without its subnormals, or both. NaN and infinities keep their bits.
std::uint32_t converted(Element element, std::uint32_t bits) {
    bool const flushes = element == Element::f32_ftz || element == Element::tf32_ftz;
    std::uint32_t const exponent = bits >> 23 & 255;
    if (exponent == 255) return bits;
    if (flushes && exponent == 0) return bits & 0x80000000u;
    if (element == Element::f32_ftz) return bits;
    return (bits + 0x1000u) & ~0x1fffu;  // to nearest, ties away from zero, as cvt.rna.tf32
}

/// Sixteen elements of 6 bits, each in a byte.
void pack_6(std::byte const* from, std::byte* to) {
    for (std::size_t group = 0; group < 4; ++group, from += 4, to += 3) {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 4; ++i) bits |= (static_cast<std::uint32_t>(from[i]) & 63u) << 6 * i;
        for (std::size_t i = 0; i < 3; ++i) to[i] = static_cast<std::byte>(bits >> 8 * i & 255u);
    }
}

}  // namespace

void fill(TensorMap const& map, std::byte* box, std::size_t bytes) {
    if (map.fill == Fill::zeros) {
        std::memset(box, 0, bytes);
        return;
    }
    // The NaN that fma.oob of 16-bit numbers looks for; wider numbers have it in each of their halves.
    for (std::size_t i = 0; i < bytes; ++i) box[i] = static_cast<std::byte>(i % 2 == 0 ? 0xf7 : 0x7f);
}

void expand(TensorMap const& map, std::byte const* global, std::size_t global_bytes, std::byte* shared) {
    if (map.element == Element::b4x16_p64 || map.element == Element::b6x16_p32) {
        std::size_t const chunk = chunk_elements * global_bits(map.element) / 8;
        for (std::size_t at = 0; at < global_bytes; at += chunk, shared += 16) {
            std::memset(shared, 0, 16);
            std::memcpy(shared, global + at, chunk);
        }
        return;
    }
    std::memcpy(shared, global, global_bytes);
    bool const converts =
        map.element == Element::f32_ftz || map.element == Element::tf32 || map.element == Element::tf32_ftz;
    for (std::size_t at = 0; converts && at < global_bytes; at += 4) {
        std::uint32_t bits;
        std::memcpy(&bits, shared + at, 4);
        bits = converted(map.element, bits);
        std::memcpy(shared + at, &bits, 4);
    }
}

void pack(TensorMap const& map, std::byte const* shared, std::size_t global_bytes, std::byte* global) {
    if (map.element != Element::b6x16_p32) {
        std::memcpy(global, shared, global_bytes);
        return;
    }
    for (std::size_t at = 0; at < global_bytes; at += 12, shared += 16) pack_6(shared, global + at);
}

}  // namespace warpsim::sim::tensor
