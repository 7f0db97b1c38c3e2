// Fetches of 32 lanes at once give the bits that sample() gives, on every instruction set of the host.
#include "sim/texture/planes.hpp"
#include "sim/texture/sample.hpp"
#include "tests/support/catch.hpp"
#include "tests/texture/made_image.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace planes_test {

using namespace warpsim::sim::texture;
using warpsim::isa::HostIsa;

namespace {

std::vector<HostIsa> hosts() {
    std::vector<HostIsa> all{HostIsa::baseline};
    if (warpsim::isa::host_isa() >= HostIsa::avx2) all.push_back(HostIsa::avx2);
    if (warpsim::isa::host_isa() >= HostIsa::avx512) all.push_back(HostIsa::avx512);
    return all;
}

float coordinate(std::mt19937& random, float size) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float odd[] = {NAN,  infinity,   -infinity,   1e30f,       -1e30f,
                             3e9f, 8388609.0f, -8388609.5f, 16777217.0f, -0.0f};
    switch (random() % 6) {
        case 0: return odd[random() % std::size(odd)];
        case 1: return (static_cast<float>(random() % 4000) / 1000 - 1.5f) * 100 * size;
        default: return (static_cast<float>(random() % 100000) / 70000 - 0.2f) * size;
    }
}

Sampler random_sampler(std::mt19937& random) {
    Sampler sampler;
    for (Address& mode : sampler.address) mode = static_cast<Address>(random() % 4);
    sampler.filter = random() % 2 == 0 ? Filter::linear : Filter::point;
    sampler.is_normalized = random() % 2 == 0;
    sampler.border = {1, 2, 3, 4};
    return sampler;
}

/// One fetch of 32 lanes; false where it needs the border.
bool check(HostIsa host, Image const& image, Sampler const& sampler, std::mt19937& random) {
    float x[32], y[32];
    Extent const size = image.level_extent(0);
    for (int lane = 0; lane < 32; ++lane) {
        x[lane] = coordinate(random, sampler.is_normalized ? 1 : static_cast<float>(size.width));
        y[lane] = coordinate(random, sampler.is_normalized ? 1 : static_cast<float>(size.height));
    }
    alignas(64) std::uint32_t results[4][32];
    for (auto& column : results) std::fill(std::begin(column), std::end(column), 0xabcdu);
    PlaneFetch fetch{x, y, random() % 3 == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random())};
    for (std::size_t c = 0; c < 4; ++c) fetch.results[c] = results[c];
    REQUIRE(is_plain(image, sampler));
    bool const is_done = plane_functions(host).fetch(plane_of(image, sampler), fetch);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        Texel wanted{0xabcd, 0xabcd, 0xabcd, 0xabcd};
        bool const is_active = is_done && (fetch.mask >> lane & 1) != 0;
        if (is_active)
            wanted = sample(image, sampler, {.geometry = Geometry::d2}, {.at = {x[lane], y[lane], 0}}, nullptr);
        for (std::size_t c = 0; c < 4; ++c) {
            if (results[c][lane] != wanted[c])
                FAIL("at " << x[lane] << " " << y[lane] << " channel " << c << ": " << results[c][lane] << ", not "
                           << wanted[c]);
        }
    }
    return is_done;
}

void check_image(Image const& image, std::mt19937& random) {
    int done = 0;
    for (HostIsa const host : hosts()) {
        for (int round = 0; round < 60; ++round) {
            Sampler const sampler = random_sampler(random);
            bool const has_border = sampler.address[0] == Address::border || sampler.address[1] == Address::border;
            bool const is_done = check(host, image, sampler, random);
            CHECK((is_done || has_border));
            done += is_done ? 1 : 0;
        }
    }
    CHECK(done > 20);
}

}  // namespace

TEST_CASE("Fetches of 32 lanes have the bits of single ones", "[texture]") {
    std::mt19937 random(3);
    for (char const* name : {"f32x4", "f32x2", "f32", "unorm8x4", "unorm8x2", "unorm8", "u32x4", "s32x2", "u32"}) {
        Format const format = *format_named(name);
        INFO(name);
        for (Extent const extent : {Extent{37, 21, 1}, Extent{1, 1, 1}, Extent{64, 64, 1}}) {
            MadeImage made(format, Geometry::d2, extent, 1, 2);
            made.for_texels([&](auto x, auto y, auto z, auto level) {
                for (std::uint32_t i = 0; i < format.bytes(); ++i) {
                    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
                    auto* const byte = reinterpret_cast<std::uint8_t*>(made.image.texel(x, y, z, level) + i);
                    *byte = static_cast<std::uint8_t>(random());
                    // Finite floats, with now and then an infinity.
                    if (format.channel == Channel::f32 && i % 4 == 3)
                        *byte = static_cast<std::uint8_t>(0x3c + random() % 4);
                }
                if (format.channel == Channel::f32 && random() % 20 == 0)
                    made.set(std::numeric_limits<float>::infinity(), x, y, z, level);
            });
            check_image(made.image, random);
            if (extent.width < 30) continue;
            made.image.first_level = made.image.last_level = 1;  // one level as a texture of its own
            check_image(made.image, random);
        }
    }
}

TEST_CASE("Fetches of 32 lanes read pitched memory", "[texture]") {
    std::mt19937 random(4);
    std::vector<float> memory(1280);
    for (float& f : memory) f = static_cast<float>(random() % 1000) / 7;
    check_image(image_of_rows(reinterpret_cast<std::uint64_t>(memory.data()), {Channel::f32, 2}, {30, 20, 1}, 256),
                random);
}

TEST_CASE("Fetches of 32 lanes read linear memory, and zero outside", "[texture]") {
    std::mt19937 random(5);
    std::vector<std::uint32_t> memory(400);
    for (std::uint32_t& word : memory) word = static_cast<std::uint32_t>(random());
    for (char const* name : {"u8", "s16x2", "f16x4", "unorm8x4", "s32x4", "f32", "srgb8x4"}) {
        INFO(name);
        Image const image = image_of_line(reinterpret_cast<std::uint64_t>(memory.data()), *format_named(name), 90);
        std::int32_t texel[32];
        for (std::int32_t& at : texel) at = static_cast<std::int32_t>(random() % 120) - 15;
        texel[3] = std::numeric_limits<std::int32_t>::min();
        texel[4] = std::numeric_limits<std::int32_t>::max();
        std::uint32_t results[4][32] = {};
        LineFetch fetch{texel, 0xfffffff7u & ~1u};
        for (std::size_t c = 0; c < 4; ++c) fetch.results[c] = results[c];
        fetch_line(image, fetch);
        for (std::size_t lane = 0; lane < 32; ++lane) {
            Texel wanted{};
            FetchKind const kind{.geometry = Geometry::d1, .counts_texels = true};
            bool const is_active = (fetch.mask >> lane & 1) != 0;
            if (is_active) wanted = sample(image, Sampler{}, kind, {.texel = {texel[lane], 0, 0}}, nullptr);
            for (std::size_t c = 0; c < 4; ++c) CHECK(results[c][lane] == wanted[c]);
        }
    }
}

}  // namespace planes_test
