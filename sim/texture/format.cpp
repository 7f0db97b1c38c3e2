#include "sim/texture/format.hpp"

#include "sim/texture/number.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace warpsim::sim::texture {

namespace {

struct ChannelFacts {
    std::string_view name;
    std::uint8_t bytes;
    bool is_signed, is_integer;
};

// clang-format off
constexpr std::array<ChannelFacts, static_cast<std::size_t>(Channel::count)> channel_facts{{
    {"u8", 1, false, true}, {"s8", 1, true, true}, {"u16", 2, false, true}, {"s16", 2, true, true},
    {"u32", 4, false, true}, {"s32", 4, true, true},
    {"f16", 2, true, false}, {"f32", 4, true, false},
    {"unorm8", 1, false, false}, {"snorm8", 1, true, false}, {"unorm16", 2, false, false}, {"snorm16", 2, true, false},
    {"srgb8", 1, false, false},
    {"unorm10", 1, false, false},  // four of them take four bytes
}};
// clang-format on

ChannelFacts const& facts(Channel channel) { return channel_facts[static_cast<std::size_t>(channel)]; }

constexpr std::string_view name_of_unorm10 = "unorm10x3_2";

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class T> T read(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class T> void write(std::byte* to, T value) { std::memcpy(to, &value, sizeof value); }

/// The lowest value of a signed format means -1, as the second lowest does.
template <class T> float normal(T value) {
    constexpr auto most = static_cast<float>(std::numeric_limits<T>::max());
    return std::max(static_cast<float>(value) / most, -1.0f);
}

/// `value` times `most`, rounded, in [least, most]; NaN is 0.
std::int32_t quantized(float value, float least, float most) {
    if (value != value) return 0;
    return static_cast<std::int32_t>(std::nearbyint(std::clamp(value, least, 1.0f) * most));
}

std::uint8_t srgb_of_linear(float value) {
    if (!(value > 0)) return 0;
    if (value >= 1) return 255;
    double const x = value;
    double const encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::nearbyint(encoded * 255));
}

std::uint32_t decode_channel(Format format, std::size_t index, std::byte const* from) {
    switch (format.channel) {
        case Channel::u8: return read<std::uint8_t>(from);
        case Channel::s8: return static_cast<std::uint32_t>(read<std::int8_t>(from));
        case Channel::u16: return read<std::uint16_t>(from);
        case Channel::s16: return static_cast<std::uint32_t>(read<std::int16_t>(from));
        case Channel::f16: return bits_of(f32_of_f16(read<std::uint16_t>(from)));
        case Channel::unorm8: return bits_of(normal(read<std::uint8_t>(from)));
        case Channel::snorm8: return bits_of(normal(read<std::int8_t>(from)));
        case Channel::unorm16: return bits_of(normal(read<std::uint16_t>(from)));
        case Channel::snorm16: return bits_of(normal(read<std::int16_t>(from)));
        case Channel::srgb8: {
            auto const value = read<std::uint8_t>(from);
            return bits_of(index == 3 ? normal(value) : linear_of_srgb()[value]);
        }
        default: return read<std::uint32_t>(from);
    }
}

template <class T> T saturated(std::uint32_t bits) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    auto const value = static_cast<Wide>(bits);
    return static_cast<T>(std::clamp<Wide>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

void encode_channel(Format format, std::size_t index, std::uint32_t bits, std::byte* to) {
    auto const number = std::bit_cast<float>(bits);
    switch (format.channel) {
        case Channel::u8: return write(to, saturated<std::uint8_t>(bits));
        case Channel::s8: return write(to, saturated<std::int8_t>(bits));
        case Channel::u16: return write(to, saturated<std::uint16_t>(bits));
        case Channel::s16: return write(to, saturated<std::int16_t>(bits));
        case Channel::f16: return write(to, static_cast<std::uint16_t>(f16_of_f32(number)));
        case Channel::unorm8: return write(to, static_cast<std::uint8_t>(quantized(number, 0, 255)));
        case Channel::snorm8: return write(to, static_cast<std::int8_t>(quantized(number, -1, 127)));
        case Channel::unorm16: return write(to, static_cast<std::uint16_t>(quantized(number, 0, 65535)));
        case Channel::snorm16: return write(to, static_cast<std::int16_t>(quantized(number, -1, 32767)));
        case Channel::srgb8:
            return write(to, index == 3 ? static_cast<std::uint8_t>(quantized(number, 0, 255))
                                        : srgb_of_linear(number));
        default: return write(to, bits);
    }
}

Channel with_meaning(Channel channel, bool is_srgb) {
    switch (channel) {
        case Channel::u8: return is_srgb ? Channel::srgb8 : Channel::unorm8;
        case Channel::s8: return Channel::snorm8;
        case Channel::u16: return Channel::unorm16;
        case Channel::s16: return Channel::snorm16;
        default: return channel;
    }
}

}  // namespace

std::uint32_t Format::bytes() const { return std::uint32_t{facts(channel).bytes} * channels; }
bool Format::is_signed() const { return facts(channel).is_signed; }
bool Format::is_integer() const { return facts(channel).is_integer; }
bool Format::is_valid() const {
    if (channel >= Channel::count) return false;
    if (channel == Channel::unorm10) return channels == 4;
    return channels == 1 || channels == 2 || channels == 4;
}

Format normalized(Format format, bool is_srgb) {
    format.channel = with_meaning(format.channel, is_srgb);
    return format;
}

Format as_integers(Format format) {
    switch (format.channel) {
        case Channel::srgb8:
        case Channel::unorm8: return {Channel::u8, format.channels};
        case Channel::snorm8: return {Channel::s8, format.channels};
        case Channel::unorm16: return {Channel::u16, format.channels};
        case Channel::snorm16: return {Channel::s16, format.channels};
        case Channel::unorm10: return {Channel::u32, 1};
        default: return format;
    }
}

std::string name(Format format) {
    if (format.channel == Channel::unorm10) return std::string(name_of_unorm10);
    std::string text(facts(format.channel).name);
    if (format.channels != 1) text += "x" + std::to_string(format.channels);
    return text;
}

std::optional<Format> format_named(std::string_view name) {
    if (name == name_of_unorm10) return Format{Channel::unorm10, 4};
    std::size_t const x = name.rfind('x');
    std::string_view const count = x == std::string_view::npos ? "" : name.substr(x + 1);
    if (x != std::string_view::npos && count != "2" && count != "4") return {};
    for (std::size_t i = 0; i < channel_facts.size(); ++i) {
        bool const is_whole_name = static_cast<Channel>(i) == Channel::unorm10;
        if (is_whole_name || channel_facts[i].name != name.substr(0, x)) continue;
        Format const format{static_cast<Channel>(i),
                            static_cast<std::uint8_t>(count.empty() ? 1 : count[0] - '0')};
        if (format.is_valid()) return format;
    }
    return {};
}

bool is_block_compressed(std::string_view name) {
    return name.size() == 3 && name.substr(0, 2) == "bc" && name[2] >= '1' && name[2] <= '7';
}

std::array<float, 256> const& linear_of_srgb() {
    static std::array<float, 256> const table = [] {
        std::array<float, 256> linear{};
        for (std::size_t i = 0; i < 256; ++i) {
            double const x = static_cast<double>(i) / 255;
            linear[i] = static_cast<float>(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
        }
        return linear;
    }();
    return table;
}

Texel decode(Format format, std::byte const* texel) {
    if (format.channel == Channel::unorm10) {
        auto const bits = read<std::uint32_t>(texel);
        auto const part = [&](unsigned at) { return bits_of(static_cast<float>(bits >> at & 0x3ff) / 1023); };
        return {part(0), part(10), part(20), bits_of(static_cast<float>(bits >> 30) / 3)};
    }
    Texel value{};
    for (std::size_t i = 0; i < format.channels; ++i)
        value[i] = decode_channel(format, i, texel + i * facts(format.channel).bytes);
    return value;
}

void encode(Format format, Texel const& value, std::byte* texel) {
    if (format.channel == Channel::unorm10) {
        auto const part = [&](std::size_t i, float most) {
            return static_cast<std::uint32_t>(quantized(std::bit_cast<float>(value[i]), 0, most));
        };
        return write(texel, part(0, 1023) | part(1, 1023) << 10 | part(2, 1023) << 20 | part(3, 3) << 30);
    }
    for (std::size_t i = 0; i < format.channels; ++i)
        encode_channel(format, i, value[i], texel + i * facts(format.channel).bytes);
}

}  // namespace warpsim::sim::texture
