// The 128 bytes, all numbers little-endian: 0 "WTMP" | 4 checksum of all other bytes | 8 address | 16 dims 5 x 8 |
// 56 strides 4 x 8 | 88 box 5 x 4, or channels 4, pixels 4, lower 3 x 2, upper 3 x 2 | 108 element strides 5 x 1 |
// 113 mode, element, rank, interleave, swizzle, atomicity, promotion, fill | 121 zeros
// NVIDIA does not say what its own are, so no program can depend on that.
#include "sim/tensor/tensor_map.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace warpsim::sim::tensor {

namespace {

constexpr std::uint32_t magic = 0x504d5457;
constexpr std::size_t checksum_at = 4, address_at = 8, dims_at = 16, strides_at = 56, box_at = 88,
                      element_strides_at = 108, small_at = 113, end = 121;

template <class T> void put(MapBytes& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}
template <class T> T get(MapBytes const& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}
template <class To, class From> To fitted(From value) {
    constexpr std::int64_t low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(std::clamp<std::int64_t>(static_cast<std::int64_t>(value), low, high));
}

/// FNV-1a.
std::uint32_t checksum(MapBytes bytes) {
    put<std::uint32_t>(bytes, checksum_at, 0);
    std::uint32_t sum = 2166136261u;
    for (std::byte const b : bytes) sum = (sum ^ static_cast<std::uint32_t>(b)) * 16777619u;
    return sum;
}

}  // namespace

std::uint32_t global_bits(Element element) {
    constexpr std::uint8_t bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 32, 64, 16, 32, 32, 4, 4, 6};
    return bits[static_cast<std::size_t>(element)];
}

std::uint32_t shared_bits(Element element) {
    bool const is_padded = element == Element::b4x16_p64 || element == Element::b6x16_p32;
    return is_padded ? 8 : global_bits(element);
}

std::uint32_t slice_bytes(Interleave interleave) {
    return interleave == Interleave::none ? 0 : interleave == Interleave::bytes_16 ? 16 : 32;
}

std::uint32_t span_bytes(Swizzle swizzle) {
    constexpr std::uint32_t bytes[] = {0, 32, 64, 128, 96};
    return bytes[static_cast<std::size_t>(swizzle)];
}

MapBytes encode(TensorMap const& map) {
    MapBytes bytes{};
    put(bytes, 0, magic);
    put(bytes, address_at, map.address);
    put(bytes, dims_at, map.dims);
    put(bytes, strides_at, map.strides);
    if (map.mode == Mode::tile) {
        put(bytes, box_at, map.box);
    } else {
        put(bytes, box_at, map.channels);
        put(bytes, box_at + 4, map.pixels);
        for (std::size_t i = 0; i < 3; ++i) {
            put(bytes, box_at + 8 + 2 * i, fitted<std::int16_t>(map.lower[i]));
            put(bytes, box_at + 14 + 2 * i, fitted<std::int16_t>(map.upper[i]));
        }
    }
    for (std::size_t i = 0; i < 5; ++i)
        put(bytes, element_strides_at + i, fitted<std::uint8_t>(map.element_strides[i]));
    std::uint8_t const small[] = {
        static_cast<std::uint8_t>(map.mode),      static_cast<std::uint8_t>(map.element),
        fitted<std::uint8_t>(map.rank),           static_cast<std::uint8_t>(map.interleave),
        static_cast<std::uint8_t>(map.swizzle),   static_cast<std::uint8_t>(map.atomicity),
        static_cast<std::uint8_t>(map.promotion), static_cast<std::uint8_t>(map.fill)};
    std::memcpy(bytes.data() + small_at, small, sizeof small);
    put(bytes, checksum_at, checksum(bytes));
    return bytes;
}

std::optional<TensorMap> decode(std::byte const* from) {
    MapBytes bytes;
    std::memcpy(bytes.data(), from, map_bytes);
    std::uint8_t small[8];
    std::memcpy(small, bytes.data() + small_at, sizeof small);
    bool const is_one =
        get<std::uint32_t>(bytes, 0) == magic && get<std::uint32_t>(bytes, checksum_at) == checksum(bytes) &&
        small[0] < static_cast<std::uint8_t>(Mode::count) &&
        small[1] < static_cast<std::uint8_t>(Element::count) &&
        small[3] < static_cast<std::uint8_t>(Interleave::count) &&
        small[4] < static_cast<std::uint8_t>(Swizzle::count) &&
        small[5] < static_cast<std::uint8_t>(Atomicity::count) &&
        small[6] < static_cast<std::uint8_t>(Promotion::count) &&
        small[7] < static_cast<std::uint8_t>(Fill::count) &&
        std::all_of(bytes.begin() + end, bytes.end(), [](std::byte b) { return b == std::byte{0}; });
    if (!is_one) return std::nullopt;
    TensorMap map;
    map.mode = static_cast<Mode>(small[0]);
    map.element = static_cast<Element>(small[1]);
    map.rank = small[2];
    map.interleave = static_cast<Interleave>(small[3]);
    map.swizzle = static_cast<Swizzle>(small[4]);
    map.atomicity = static_cast<Atomicity>(small[5]);
    map.promotion = static_cast<Promotion>(small[6]);
    map.fill = static_cast<Fill>(small[7]);
    map.address = get<std::uint64_t>(bytes, address_at);
    map.dims = get<decltype(map.dims)>(bytes, dims_at);
    map.strides = get<decltype(map.strides)>(bytes, strides_at);
    for (std::size_t i = 0; i < 5; ++i) map.element_strides[i] = get<std::uint8_t>(bytes, element_strides_at + i);
    if (map.mode == Mode::tile) {
        map.box = get<decltype(map.box)>(bytes, box_at);
        return map;
    }
    map.channels = get<std::uint32_t>(bytes, box_at);
    map.pixels = get<std::uint32_t>(bytes, box_at + 4);
    for (std::size_t i = 0; i < 3; ++i) {
        map.lower[i] = get<std::int16_t>(bytes, box_at + 8 + 2 * i);
        map.upper[i] = get<std::int16_t>(bytes, box_at + 14 + 2 * i);
    }
    return map;
}

std::optional<TensorMap> decode_for_change(std::byte const* bytes) {
    if (!std::all_of(bytes, bytes + map_bytes, [](std::byte b) { return b == std::byte{0}; }))
        return decode(bytes);
    TensorMap map;
    map.rank = 0;
    map.dims = {};
    map.element_strides = {};
    map.box = {};
    return map;
}

}  // namespace warpsim::sim::tensor
