// Texels of every format, as numbers and back.
#include "sim/texture/format.hpp"
#include "sim/texture/number.hpp"
#include "tests/support/catch.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace format_test {

using namespace warpsim::sim::texture;

namespace {

std::vector<Format> formats() {
    std::vector<Format> all;
    for (int c = 0; c < static_cast<int>(Channel::count); ++c) {
        for (std::uint8_t const n : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{4}}) {
            Format const format{static_cast<Channel>(c), n};
            if (format.is_valid()) all.push_back(format);
        }
    }
    return all;
}

float number(Texel const& t, std::size_t i) { return std::bit_cast<float>(t[i]); }
Texel numbers(float a, float b = 0, float c = 0, float d = 0) {
    return {std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b), std::bit_cast<std::uint32_t>(c),
            std::bit_cast<std::uint32_t>(d)};
}
template <class T> Texel decoded(Format format, T value) {
    std::byte bytes[16] = {};
    std::memcpy(bytes, &value, sizeof value);
    return decode(format, bytes);
}
template <class T> T encoded(Format format, Texel const& texel) {
    std::byte bytes[16] = {};
    encode(format, texel, bytes);
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

}  // namespace

TEST_CASE("Formats have names", "[texture]") {
    CHECK(formats().size() == 13 * 3 + 1);
    for (Format const f : formats()) CHECK(format_named(name(f)) == f);
    CHECK(name({Channel::unorm8, 4}) == "unorm8x4");
    CHECK(name({Channel::f32, 1}) == "f32");
    for (char const* wrong : {"", "f32x3", "f32x1", "f33", "x4", "unorm10", "unorm10x4", "bc1", "f32x44"})
        CHECK_FALSE(format_named(wrong));
    CHECK(is_block_compressed("bc7"));
    CHECK_FALSE(is_block_compressed("bc8"));
}

TEST_CASE("Normalised integers are numbers from -1 to 1", "[texture]") {
    CHECK(number(decoded({Channel::unorm8, 1}, std::uint8_t{255}), 0) == 1);
    CHECK(number(decoded({Channel::unorm8, 1}, std::uint8_t{51}), 0) == 0.2f);
    CHECK(number(decoded({Channel::snorm8, 1}, std::int8_t{-127}), 0) == -1);
    CHECK(number(decoded({Channel::snorm8, 1}, std::int8_t{-128}), 0) == -1);
    CHECK(number(decoded({Channel::unorm16, 1}, std::uint16_t{65535}), 0) == 1);
    CHECK(number(decoded({Channel::snorm16, 1}, std::int16_t{-32768}), 0) == -1);
    CHECK(number(decoded({Channel::srgb8, 4}, 0xffffffffu), 1) == 1);
    CHECK(number(decoded({Channel::srgb8, 4}, 0x80808080u), 3) == 128 / 255.0f);
    CHECK(std::fabs(number(decoded({Channel::srgb8, 4}, 0x80808080u), 2) - 0.2158605f) < 1e-6f);
    CHECK(number(decoded({Channel::unorm10, 4}, 0x3fffu | 0xc0000000u), 0) == 1);
    CHECK(number(decoded({Channel::unorm10, 4}, 0x3ffu << 10 | 2u << 30), 3) == 2 / 3.0f);
}

TEST_CASE("What is encoded decodes to the same texel", "[texture]") {
    for (Format const f : formats()) {
        for (std::uint32_t pattern = 0; pattern < 70000; pattern += 7) {
            std::byte bytes[16], back[16] = {};
            for (std::size_t i = 0; i < 16; ++i) bytes[i] = static_cast<std::byte>(pattern >> 8 * (i % 2) ^ i);
            if (f.channel == Channel::f16)  // no NaN
                for (std::size_t i = 1; i < 16; i += 2) bytes[i] &= std::byte{0xfb};
            Texel const texel = decode(f, bytes);
            encode(f, texel, back);
            bool const same = decode(f, back) == texel;
            if (!same) FAIL(name(f) << " " << pattern);
        }
    }
}

TEST_CASE("Formatted stores saturate", "[texture]") {
    auto const most = std::numeric_limits<std::int32_t>::max();
    CHECK(encoded<std::int8_t>({Channel::s8, 1}, {static_cast<std::uint32_t>(-1000)}) == -128);
    CHECK(encoded<std::uint8_t>({Channel::u8, 1}, {0xffffffff}) == 255);
    CHECK(encoded<std::int16_t>({Channel::s16, 1}, {static_cast<std::uint32_t>(most)}) == 32767);
    CHECK(encoded<std::uint16_t>({Channel::u16, 1}, {70000}) == 65535);
    CHECK(encoded<std::uint8_t>({Channel::unorm8, 1}, numbers(2)) == 255);
    CHECK(encoded<std::uint8_t>({Channel::unorm8, 1}, numbers(-1)) == 0);
    CHECK(encoded<std::uint8_t>({Channel::unorm8, 1}, numbers(NAN)) == 0);
    CHECK(encoded<std::int8_t>({Channel::snorm8, 1}, numbers(-INFINITY)) == -127);
    CHECK(encoded<std::uint16_t>({Channel::f16, 1}, numbers(1e6f)) == 0x7c00);
}

TEST_CASE("Halves become floats and back", "[texture]") {
    for (std::uint32_t h = 0; h < 0x10000; ++h) {
        float const f = f32_of_f16(h);
        if (f != f) CHECK(f16_of_f32(f) == 0x7fff);
        else if (f16_of_f32(f) != h) FAIL(h);
    }
    CHECK(f16_of_f32(65519.9f) == 0x7bff);
    CHECK(f16_of_f32(65520.0f) == 0x7c00);
    CHECK(f16_of_f32(0x1p-25f) == 0);
    CHECK(f16_of_f32(0x1.8p-25f) == 1);
    CHECK(f16_of_f32(1 + 0x1p-11f) == 0x3c00);
    CHECK(f16_of_f32(1 + 0x1.8p-10f) == 0x3c02);
}

}  // namespace format_test
