// Texels: their formats, and the numbers that their bytes are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::sim::texture {

/// What a channel of a texel is. Normalised integers are numbers in [0, 1] or [-1, 1].
enum class Channel : std::uint8_t {
    u8,
    s8,
    u16,
    s16,
    u32,
    s32,
    f16,
    f32,
    unorm8,
    snorm8,
    unorm16,
    snorm16,
    srgb8,    // as unorm8, of which the first three channels of four are sRGB
    unorm10,  // three channels of 10 bits, the first lowest, and one of 2
    count,
};

struct Format {
    Channel channel = Channel::u8;
    std::uint8_t channels = 1;  // 1, 2 or 4; 4 of unorm10

    std::uint32_t bytes() const;
    bool is_signed() const;
    /// Whether texels read as integers; else as floating-point numbers.
    bool is_integer() const;
    /// Whether a texture can be of it: the channel has such a number of channels.
    bool is_valid() const;
    bool operator==(Format const&) const = default;
};

/// What integers of 8 and 16 bits are when they are read as normalised floating-point numbers, in sRGB where they are
/// unsigned and of 8 bits. All other formats stay what they are.
Format normalized(Format format, bool is_srgb = false);
/// The integers that the bytes of a normalised format are. All other formats stay what they are.
Format as_integers(Format format);

/// "f32x4", "unorm8x4", "u16"; unorm10 is "unorm10x3_2".
std::string name(Format format);
/// None for names of no format.
std::optional<Format> format_named(std::string_view name);
/// Whether the name is that of a block-compressed format ("bc1" to "bc7"), which are not supported.
bool is_block_compressed(std::string_view name);

/// Four channels: the bits of an f32, or an integer of 32 bits, by Format::is_integer(). A channel that the format
/// does not have is 0.
using Texel = std::array<std::uint32_t, 4>;
Texel decode(Format format, std::byte const* texel);
/// The other way, for formatted stores: integers saturate to the range of the channel, floating-point numbers are rounded
/// to nearest and saturate where the channel is normalised.
void encode(Format format, Texel const& value, std::byte* texel);

/// The linear numbers in [0, 1] that bytes of sRGB are.
std::array<float, 256> const& linear_of_srgb();

}  // namespace warpsim::sim::texture
