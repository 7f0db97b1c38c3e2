// A tensor map: what a tensor in global memory looks like, and which box of it a tensor copy moves. To programs it is
// 128 opaque bytes; what these are here stands in tensor_map.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace warpsim::sim::tensor {

// The numbers are those of tensormap.replace (PTX ISA, "tensormap.replace", its table of new values).
enum class Element : std::uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f32_ftz,
    f64,
    bf16,
    tf32,
    tf32_ftz,
    b4x16,      // 16 elements of 4 bits in 8 bytes, copied as they are
    b4x16_p64,  // the same in global memory; in shared memory followed by 8 bytes of padding
    b6x16_p32,  // 16 elements of 6 bits in 12 bytes; in shared memory followed by 4. Stored from bytes of 6 bits.
    count,
};
enum class Interleave : std::uint8_t { none, bytes_16, bytes_32, count };
enum class Swizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128, bytes_96, count };
/// What a swizzle of 128 bytes keeps together.
enum class Atomicity : std::uint8_t { bytes_16, bytes_32, bytes_32_flip_8, bytes_64, count };
enum class Promotion : std::uint8_t { none, bytes_64, bytes_128, bytes_256, count };
/// What elements outside of the tensor are in shared memory.
enum class Fill : std::uint8_t { zeros, nan, count };
/// How copies with the map traverse the tensor.
enum class Mode : std::uint8_t { tile, im2col, im2col_w, im2col_w_128, count };

struct TensorMap {
    Mode mode = Mode::tile;
    Element element = Element::u8;
    Interleave interleave = Interleave::none;
    Swizzle swizzle = Swizzle::none;
    Atomicity atomicity = Atomicity::bytes_16;
    Promotion promotion = Promotion::none;
    Fill fill = Fill::zeros;
    std::uint32_t rank = 1;
    std::uint64_t address = 0;
    // The innermost dimension first. Only the first `rank` of each are used; dimension 0 has no stride.
    std::array<std::uint64_t, 5> dims{1, 1, 1, 1, 1};
    std::array<std::uint64_t, 4> strides{};
    std::array<std::uint32_t, 5> element_strides{1, 1, 1, 1, 1};
    std::array<std::uint32_t, 5> box{1, 1, 1, 1, 1};  // of Mode::tile
    // Of the other modes; the corners are those of dimensions 1 (W), 2 (H) and 3 (D).
    std::uint32_t channels = 1, pixels = 1;
    std::array<std::int32_t, 3> lower{}, upper{};

    bool operator==(TensorMap const&) const = default;
};

inline constexpr std::size_t map_bytes = 128;
using MapBytes = std::array<std::byte, map_bytes>;

/// Bits of an element in global memory, and in shared memory with its part of the padding.
std::uint32_t global_bits(Element element);
std::uint32_t shared_bits(Element element);
/// Bytes of a slice of channels; 0 without interleave.
std::uint32_t slice_bytes(Interleave interleave);
/// Bytes within which a swizzle exchanges; 0 for none.
std::uint32_t span_bytes(Swizzle swizzle);

/// What is wrong, and the field that is: a name of the plan's "tensormap".
struct Problem {
    std::string field;
    std::string what;
};
/// Whether the map follows the rules of CUDA's driver API (cuTensorMapEncodeTiled and its like).
std::optional<Problem> check(TensorMap const& map);

/// Keeps what the map says, even where check() finds it wrong, as far as its fields have room for it.
MapBytes encode(TensorMap const& map);
/// None when the bytes are not what encode() makes. The map may still be one that check() finds wrong.
std::optional<TensorMap> decode(std::byte const* bytes);
/// The same for a change of a field. 128 zeros will do there, from which Triton's kernels make maps: each field is 0, and
/// check() finds those wrong that nothing has replaced.
std::optional<TensorMap> decode_for_change(std::byte const* bytes);

}  // namespace warpsim::sim::tensor
