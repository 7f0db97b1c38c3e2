// Fetches of 32 lanes at once give the bits that sample() gives, on every instruction set of the host.
#include "sim/texture/planes.hpp"
#include "sim/texture/sample.hpp"
#include "tests/support/catch.hpp"
#include "tests/texture/made_image.hpp"

#include <algorithm>
#include <bit>
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

std::int32_t integer(std::mt19937& random, std::int32_t size) {
    constexpr std::int32_t odd[] = {std::numeric_limits<std::int32_t>::min(), -1, -17, 1 << 30,
                                    std::numeric_limits<std::int32_t>::max()};
    if (random() % 6 == 0) return odd[random() % std::size(odd)];
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(size + 6)) - 3;
}

Sampler random_sampler(std::mt19937& random) {
    Sampler sampler;
    for (Address& mode : sampler.address) mode = static_cast<Address>(random() % 4);
    sampler.filter = random() % 2 == 0 ? Filter::linear : Filter::point;
    sampler.is_normalized = random() % 2 == 0;
    sampler.is_seamless = random() % 2 == 0;
    sampler.level_filter = random() % 2 == 0 ? Filter::linear : Filter::point;
    sampler.anisotropy = random() % 4 == 0 ? 4 : 1;
    sampler.level_bias = static_cast<float>(random() % 3) / 4;
    sampler.border = {1, 2, 3, 4};
    sampler.compare = static_cast<Compare>(random() % static_cast<std::uint32_t>(Compare::count));
    return sampler;
}

/// What lanes give to a fetch, and where it puts the results.
struct Operands {
    float at[3][32], dx[3][32], dy[3][32], level[32], reference[32];
    std::int32_t texel[3][32], whole_level[32], offset[3][32] = {};
    std::uint32_t layer[32];
    bool has_offset, counts_texels;
    alignas(64) std::uint32_t results[4][32];

    Operands(Image const& image, Sampler const& sampler, FetchKind const& kind, std::mt19937& random)
        : has_offset(random() % 2 == 0), counts_texels(kind.counts_texels) {
        Extent const size = image.level_extent(0);
        std::array<std::uint32_t, 3> const sizes{size.width, size.height, size.depth};
        auto const step = [&] { return (static_cast<float>(random() % 2000) / 1000 - 1) * 0.3f; };
        for (std::size_t lane = 0; lane < 32; ++lane) {
            for (std::size_t d = 0; d < 3; ++d) {
                float const whole = sampler.is_normalized ? 1 : static_cast<float>(sizes[d]);
                at[d][lane] = is_cube(kind.geometry) ? (step() + 0.001f) * 4 : coordinate(random, whole);
                dx[d][lane] = step() * (sampler.is_normalized ? 1 : whole);
                dy[d][lane] = step() * (sampler.is_normalized ? 1 : whole);
                texel[d][lane] = integer(random, static_cast<std::int32_t>(sizes[d]));
                if (has_offset) offset[d][lane] = static_cast<std::int32_t>(random() % 16) - 8;
            }
            whole_level[lane] = static_cast<std::int32_t>(random() % 7) - 1;
            reference[lane] = lane == 9 ? NAN : static_cast<float>(random() % 300) / 200;
            layer[lane] = static_cast<std::uint32_t>(random() % 6);
            level[lane] = lane == 5 ? NAN : static_cast<float>(random() % 500) / 100 - 1;
        }
        for (auto& column : results) std::fill(std::begin(column), std::end(column), 0xabcdu);
    }
    Operands(Operands const&) = delete;
    Operands& operator=(Operands const&) = delete;

    FetchColumns columns() {
        FetchColumns c;
        for (std::size_t d = 0; d < 3; ++d) {
            c.at[d] = at[d];
            if (counts_texels) c.at[d] = texel[d];
            if (has_offset) c.offset[d] = offset[d];
            c.dx[d] = dx[d];
            c.dy[d] = dy[d];
        }
        c.layer = layer;
        c.level = level;
        if (counts_texels) c.level = whole_level;
        c.reference = reference;
        c.read = &read;
        for (std::size_t i = 0; i < 4; ++i) c.results[i] = results[i];
        return c;
    }
    Fetch fetch(std::size_t lane) const {
        Fetch f;
        for (std::size_t d = 0; d < 3; ++d) {
            f.at[d] = at[d][lane];
            f.texel[d] = texel[d][lane];
            f.offset[d] = offset[d][lane];
            f.dx[d] = dx[d][lane];
            f.dy[d] = dy[d][lane];
        }
        f.layer = layer[lane];
        f.level = counts_texels ? static_cast<float>(whole_level[lane]) : level[lane];
        f.reference = reference[lane];
        return f;
    }

    TexelsOfLanes read;
};

/// One fetch of 32 lanes; returns the lanes that are left.
std::uint32_t check(HostIsa host, Image const& image, Sampler const& sampler, FetchKind const& kind,
                    std::mt19937& random) {
    Operands operands(image, sampler, kind, random);
    std::uint32_t const mask = random() % 3 == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random());
    std::uint32_t const left = fetch_planes(plane_functions(host), image, sampler, kind, operands.columns(), mask);
    CHECK((left & ~mask) == 0);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        Texel wanted{0xabcd, 0xabcd, 0xabcd, 0xabcd};
        if (((mask & ~left) >> lane & 1) != 0) {
            Footprint footprint;
            wanted = sample(image, sampler, kind, operands.fetch(lane), &footprint);
            auto const* const read = operands.read.at[lane];
            CHECK(footprint.texels() == std::vector<std::uint64_t>(read, read + operands.read.count[lane]));
        }
        for (std::size_t c = 0; c < 4; ++c) {
            if (operands.results[c][lane] != wanted[c])
                FAIL("at " << operands.at[0][lane] << " " << operands.at[1][lane] << " " << operands.at[2][lane]
                           << " channel " << c << ": " << operands.results[c][lane] << ", not " << wanted[c]);
        }
    }
    return left;
}

void check_image(Image const& image, std::mt19937& random, FetchKind kind = {}, int rounds = 60) {
    int done = 0, all = 0;
    for (HostIsa const host : hosts()) {
        for (int round = 0; round < rounds; ++round) {
            Sampler const sampler = random_sampler(random);
            if (kind.gathers && !kind.compares)
                kind.component = static_cast<std::uint8_t>(random() % image.format.channels);
            bool const has_border = std::find(sampler.address.begin(), sampler.address.end(), Address::border) !=
                                    sampler.address.end();
            std::uint32_t const left = check(host, image, sampler, kind, random);
            bool const is_volume = dimensions(kind.geometry) == 3 && kind.levels != LevelChoice::base;
            bool const may_be_left = has_border || is_cube(kind.geometry) || sampler.anisotropy > 1 || is_volume;
            CHECK((left == 0 || may_be_left));
            done += 32 - std::popcount(left);
            all += 32;
        }
    }
    CHECK(done > all / 4);
}

/// Finite numbers, with now and then an infinity; else any bytes.
void fill(MadeImage& made, Format format, std::mt19937& random) {
    std::uint32_t const bytes_of_number = format.channel == Channel::f32   ? 4
                                          : format.channel == Channel::f16 ? 2
                                                                           : 0;
    made.for_texels([&](auto x, auto y, auto z, auto level) {
        bool const is_infinite = random() % 20 == 0;
        for (std::uint32_t i = 0; i < format.bytes(); ++i) {
            // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
            auto* const byte = reinterpret_cast<std::uint8_t*>(made.image.texel(x, y, z, level) + i);
            *byte = static_cast<std::uint8_t>(random());
            if (bytes_of_number == 4 && i % 4 == 3) *byte = static_cast<std::uint8_t>(0x3c + random() % 4);
            if (bytes_of_number == 2 && i % 2 == 1) *byte &= 0xbf;
        }
        if (is_infinite && bytes_of_number == 4) made.set(std::numeric_limits<float>::infinity(), x, y, z, level);
        if (is_infinite && bytes_of_number == 2) made.set(std::uint16_t{0x7c00}, x, y, z, level);
    });
}

constexpr Channel all_channels[] = {Channel::u8,     Channel::s8,     Channel::u16,     Channel::s16,
                                    Channel::u32,    Channel::s32,    Channel::f16,     Channel::f32,
                                    Channel::unorm8, Channel::snorm8, Channel::unorm16, Channel::snorm16,
                                    Channel::srgb8,  Channel::unorm10};

std::vector<Format> all_formats() {
    std::vector<Format> all;
    for (Channel const channel : all_channels) {
        for (int const channels : {1, 2, 4}) {
            if (Format const format{channel, static_cast<std::uint8_t>(channels)}; format.is_valid())
                all.push_back(format);
        }
    }
    return all;
}

}  // namespace

TEST_CASE("Fetches of 32 lanes have the bits of single ones", "[texture]") {
    std::mt19937 random(3);
    for (Format const format : all_formats()) {
        INFO(name(format));
        for (Extent const extent : {Extent{37, 21, 1}, Extent{1, 1, 1}, Extent{3, 5, 1}, Extent{64, 64, 1}}) {
            MadeImage made(format, Geometry::d2, extent, 1, 2);
            fill(made, format, random);
            check_image(made.image, random, {}, 20);
            check_image(made.image, random, {.counts_texels = true}, 10);
            check_image(made.image, random, {.compares = true}, 10);
            if (extent.width < 30) continue;
            made.image.first_level = made.image.last_level = 1;  // one level as a texture of its own
            check_image(made.image, random, {}, 10);
        }
    }
}

TEST_CASE("Fetches of 32 lanes read every geometry and level and gather", "[texture]") {
    struct Case {
        Geometry geometry;
        Extent extent;
        std::uint32_t slices;
        bool gathers;
    };
    constexpr Case cases[] = {
        {Geometry::d1, {50, 1, 1}, 1, false},
        {Geometry::d2, {37, 21, 1}, 1, true},
        {Geometry::d3, {19, 13, 11}, 1, false},
        {Geometry::layered_d1, {33, 1, 1}, 4, false},
        {Geometry::layered_d2, {20, 30, 1}, 5, true},
        {Geometry::cubemap, {16, 16, 1}, 6, true},
        {Geometry::layered_cubemap, {9, 9, 1}, 18, true},
    };
    std::mt19937 random(8);
    for (char const* name : {"f32x4", "f32", "unorm8x4", "u32x2", "f16x4", "srgb8x4"}) {
        Format const format = *format_named(name);
        INFO(name);
        for (Case const& c : cases) {
            INFO("geometry " << static_cast<int>(c.geometry));
            MadeImage made(format, c.geometry, c.extent, c.slices, 4);
            fill(made, format, random);
            for (LevelChoice const levels : {LevelChoice::base, LevelChoice::given, LevelChoice::gradients}) {
                check_image(made.image, random, {.geometry = c.geometry, .levels = levels}, 12);
                check_image(made.image, random, {.geometry = c.geometry, .levels = levels, .compares = true}, 6);
            }
            if (c.gathers) {
                check_image(made.image, random, {.geometry = c.geometry, .gathers = true}, 12);
                check_image(made.image, random, {.geometry = c.geometry, .compares = true, .gathers = true}, 6);
            }
            if (is_cube(c.geometry)) continue;
            for (LevelChoice const levels : {LevelChoice::base, LevelChoice::given})
                check_image(made.image, random, {.geometry = c.geometry, .levels = levels, .counts_texels = true},
                            6);
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

TEST_CASE("Multisampled textures and clamp_ogl are left", "[texture]") {
    PlaneFunctions const& functions = plane_functions(HostIsa::baseline);
    MadeImage const samples(*format_named("f16x4"), Geometry::multisample, {8, 8, 1}, 1, 1, 4);
    CHECK(fetch_planes(functions, samples.image, {}, {.geometry = Geometry::multisample}, {}, 0xf0) == 0xf0);
    MadeImage const plain(*format_named("f16x4"), Geometry::d2, {8, 8, 1});
    Sampler sampler;
    sampler.address[1] = Address::clamp_ogl;
    CHECK(fetch_planes(functions, plain.image, sampler, {}, {}, 0xf0) == 0xf0);
}

TEST_CASE("Fetches of 32 lanes read linear memory and zero outside", "[texture]") {
    std::mt19937 random(5);
    std::vector<std::uint32_t> memory(400);
    for (std::uint32_t& word : memory) word = static_cast<std::uint32_t>(random());
    for (Format const format : all_formats()) {
        INFO(name(format));
        Image const image = image_of_line(reinterpret_cast<std::uint64_t>(memory.data()), format, 90);
        check_image(image, random, {.geometry = Geometry::d1, .counts_texels = true}, 20);
    }
}

}  // namespace planes_test
