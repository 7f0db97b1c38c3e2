// Sampling, against the programming guide's formulas in double precision.
#include "sim/texture/sample.hpp"
#include "tests/support/catch.hpp"
#include "tests/texture/made_image.hpp"
#include "tests/texture/reference.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace sample_test {

using namespace warpsim::sim::texture;
using texture_reference::Axis;

namespace {

float number(Texel const& t, std::size_t i = 0) { return std::bit_cast<float>(t[i]); }

MadeImage random_floats(Geometry geometry, Extent extent, std::mt19937& random, std::uint32_t slices = 1) {
    MadeImage made({Channel::f32, 1}, geometry, extent, slices);
    std::uniform_real_distribution<float> values(-10, 10);
    made.for_texels([&](auto x, auto y, auto z, auto level) { made.set(values(random), x, y, z, level); });
    return made;
}

/// Near and far, at edges and between them, and what is no number.
float random_coordinate(std::mt19937& random, float size) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float odd[] = {NAN, infinity, -infinity, 1e30f, -1e30f, 3e9f, -3e9f, 0, -0.0f, 1e-40f};
    auto const unit = [&] { return std::uniform_real_distribution<float>(0, 1)(random); };
    switch (random() % 8) {
        case 0: return odd[random() % std::size(odd)];
        case 1: return std::round(unit() * 4 * size - 1.5f * size) / 2;
        case 2: return (unit() - 0.5f) * 1000 * size;
        case 3: return (unit() - 0.3f) * 1e6f * size;
        default: return (unit() * 1.5f - 0.25f) * size;
    }
}

struct Case {
    Geometry geometry;
    Extent extent;
    Filter filter;
    bool is_normalized;
    std::uint32_t slices = 1;
};

void check_random(Case const& c, std::mt19937& random) {
    MadeImage const made = random_floats(c.geometry, c.extent, random, c.slices);
    FetchKind const kind{.geometry = c.geometry};
    std::uint32_t const size[] = {c.extent.width, c.extent.height, c.extent.depth};
    for (int round = 0; round < 3000; ++round) {
        Sampler sampler;
        sampler.filter = c.filter;
        sampler.is_normalized = c.is_normalized;
        sampler.border = {123, 0, 0, 0};
        Fetch fetch;
        std::array<Axis, 3> axes;
        fetch.layer = random() % 4;
        for (std::size_t i = 0; i < 3; ++i) {
            sampler.address[i] = static_cast<Address>(random() % 4);
            auto const texels = static_cast<float>(size[i]);
            fetch.at[i] = random_coordinate(random, c.is_normalized ? 1 : texels);
            axes[i] = {fetch.at[i],
                       size[i],
                       sampler.address[i],
                       c.is_normalized,
                       c.filter == Filter::linear,
                       static_cast<int>(i) < dimensions(c.geometry)};
        }
        // A line is the upper edge of a plane of one row.
        if (dimensions(c.geometry) == 1) axes[1].at = 0;
        if (dimensions(c.geometry) == 1) axes[1].exists = c.filter == Filter::linear;
        float const got = number(sample(made.image, sampler, kind, fetch, nullptr));
        std::uint32_t const layer = std::min(fetch.layer, c.slices - 1);
        auto const read = [&](std::array<std::int64_t, 3> at) -> double {
            auto const z = is_layered(c.geometry) ? layer : static_cast<std::uint32_t>(at[2]);
            return made.get<float>(static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]), z);
        };
        double const wanted = texture_reference::sampled(axes, read, 123);
        if (std::fabs(got - wanted) > 1e-5 * std::fmax(1, std::fabs(wanted))) {
            FAIL("at " << fetch.at[0] << " " << fetch.at[1] << " " << fetch.at[2] << " modes "
                       << int(sampler.address[0]) << int(sampler.address[1]) << int(sampler.address[2]) << " got "
                       << got << " wanted " << wanted);
        }
    }
}

}  // namespace

TEST_CASE("Sampling follows the programming guide's formulas", "[texture]") {
    std::mt19937 random(7);
    for (Filter const filter : {Filter::point, Filter::linear}) {
        for (bool const is_normalized : {false, true}) {
            check_random({Geometry::d1, {37, 1, 1}, filter, is_normalized}, random);
            check_random({Geometry::d1, {1, 1, 1}, filter, is_normalized}, random);
            check_random({Geometry::d2, {16, 23, 1}, filter, is_normalized}, random);
            check_random({Geometry::d2, {5, 1, 1}, filter, is_normalized}, random);
            check_random({Geometry::d3, {9, 6, 11}, filter, is_normalized}, random);
            check_random({Geometry::layered_d1, {12, 1, 1}, filter, is_normalized, 3}, random);
            check_random({Geometry::layered_d2, {12, 7, 1}, filter, is_normalized, 3}, random);
        }
    }
}

TEST_CASE("Linear filters have weights of eight bits, and one is exact", "[texture]") {
    MadeImage made({Channel::f32, 1}, Geometry::d1, {4, 1, 1});
    made.set(1.0f, 1);
    made.set(std::numeric_limits<float>::infinity(), 2);
    Sampler sampler;
    sampler.filter = Filter::linear;
    FetchKind const kind{.geometry = Geometry::d1};
    auto const at = [&](float x) { return number(sample(made.image, sampler, kind, {.at = {x, 0, 0}}, nullptr)); };
    CHECK(at(0.5f) == 0);
    CHECK(at(0.5f + 1 / 256.0f) == 1 / 256.0f);
    CHECK(at(0.5f + 1.4f / 256.0f) == 1 / 256.0f);
    CHECK(at(0.5f + 1.6f / 256.0f) == 2 / 256.0f);
    CHECK(at(1.0f) == 0.5f);
    CHECK(at(1.5f - 0.1f / 256) == 1);
    CHECK(at(1.5f) == 1);  // the infinite neighbour has no weight
    CHECK(std::isinf(at(1.6f)));
}

TEST_CASE("Integers count texels, and outside is the edge or the border", "[texture]") {
    MadeImage made({Channel::s16, 2}, Geometry::d2, {3, 2, 1});
    made.for_texels([&](auto x, auto y, auto, auto) {
        made.set(std::array<std::int16_t, 2>{static_cast<std::int16_t>(-100 * int(y) - int(x)), 7}, x, y);
    });
    FetchKind const kind{.geometry = Geometry::d2, .counts_texels = true};
    auto const at = [&](Address mode, std::int32_t x, std::int32_t y, std::int32_t shift = 0) {
        Sampler sampler;
        sampler.filter = Filter::linear;
        sampler.address = {mode, mode, mode};
        sampler.border = {std::bit_cast<float>(55), 0, 0, 0};
        return static_cast<std::int32_t>(
            sample(made.image, sampler, kind, {.texel = {x, y, 0}, .offset = {shift, 0, 0}}, nullptr)[0]);
    };
    constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(), most = ~least;
    for (Address const mode : {Address::wrap, Address::clamp, Address::mirror}) {
        CHECK(at(mode, 1, 1) == -101);
        CHECK(at(mode, 3, 1) == -102);
        CHECK(at(mode, least, most) == -100);
        CHECK(at(mode, most, least, 7) == -2);
        CHECK(at(mode, 0, 0, 2) == -2);
    }
    CHECK(at(Address::border, 2, 1) == -102);
    CHECK(at(Address::border, 3, 1) == 55);
    CHECK(at(Address::border, least, 0, -8) == 55);
    CHECK(at(Address::border, -1, 0, 1) == 0);
}

TEST_CASE("Outside of linear memory is zero", "[texture]") {
    alignas(16) float const values[] = {1, 2, 3};
    Image const image = image_of_line(reinterpret_cast<std::uint64_t>(values), {Channel::f32, 1}, 3);
    FetchKind const kind{.geometry = Geometry::d1, .counts_texels = true};
    auto const at = [&](std::int32_t x) { return sample(image, Sampler{}, kind, {.texel = {x, 0, 0}}, nullptr); };
    CHECK(number(at(2)) == 3);
    CHECK(number(at(2), 3) == 0);
    CHECK(at(3) == Texel{});
    CHECK(at(-1) == Texel{});
}

TEST_CASE("Pitched memory is sampled row by row", "[texture]") {
    alignas(16) float values[3][8] = {};
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 5; ++x) values[y][x] = static_cast<float>(10 * y + x);
    Image const image = image_of_rows(reinterpret_cast<std::uint64_t>(values), {Channel::f32, 1}, {5, 3, 1}, 32);
    CHECK(image.bytes() == 2 * 32 + 20);
    Sampler sampler;
    sampler.filter = Filter::linear;
    auto const at = [&](float x, float y) {
        return number(sample(image, sampler, {.geometry = Geometry::d2}, {.at = {x, y, 0}}, nullptr));
    };
    CHECK(at(2.5f, 1.5f) == 12);
    CHECK(at(3.0f, 2.0f) == 17.5f);
    CHECK(at(100, 100) == 24);
}

TEST_CASE("A gather gives the filter's texels from the lower left on", "[texture]") {
    MadeImage made({Channel::u8, 4}, Geometry::d2, {8, 8, 1});
    made.for_texels([&](auto x, auto y, auto, auto) {
        made.set(std::array<std::uint8_t, 4>{1, static_cast<std::uint8_t>(10 * y + x), 3, 4}, x, y);
    });
    FetchKind kind{.geometry = Geometry::d2, .gathers = true, .component = 1};
    Sampler sampler;
    CHECK(sample(made.image, sampler, kind, {.at = {3.0f, 4.0f, 0}}, nullptr) == Texel{42, 43, 33, 32});
    CHECK(sample(made.image, sampler, kind, {.at = {3.0f, 4.0f, 0}, .offset = {1, -1, 0}}, nullptr) ==
          Texel{33, 34, 24, 23});
    CHECK(sample(made.image, sampler, kind, {.at = {0, 0, 0}}, nullptr) == Texel{0, 0, 0, 0});
}

TEST_CASE("Depths are compared before they are filtered", "[texture]") {
    MadeImage made({Channel::f32, 1}, Geometry::d2, {2, 1, 1});
    made.set(0.25f, 0);
    made.set(0.75f, 1);
    Sampler sampler;
    sampler.filter = Filter::linear;
    FetchKind const kind{.geometry = Geometry::d2, .compares = true};
    auto const at = [&](float x, float reference) {
        return number(sample(made.image, sampler, kind, {.at = {x, 0.5f, 0}, .reference = reference}, nullptr));
    };
    CHECK(at(0.75f, 0.5f) == 0.25f);
    CHECK(at(0.75f, 0.25f) == 1);
    CHECK(at(0.75f, 0.76f) == 0);
    sampler.compare = Compare::greater;
    CHECK(at(0.75f, 0.5f) == 0.75f);
}

TEST_CASE("A multisampled texel has several values", "[texture]") {
    MadeImage made({Channel::u32, 1}, Geometry::layered_multisample, {3, 2, 1}, 2, 1, 4);
    made.for_texels([&](auto x, auto y, auto z, auto) { made.set(1000 * z + 100 * y + x, x, y, z); });
    FetchKind const kind{.geometry = Geometry::layered_multisample, .counts_texels = true};
    CHECK(sample(made.image, {}, kind, {.texel = {2, 1, 0}, .layer = 1, .sample = 3}, nullptr)[0] == 1111);
    CHECK(sample(made.image, {}, kind, {.texel = {0, 0, 0}, .layer = 9, .sample = 9}, nullptr)[0] == 1003);
}

TEST_CASE("A footprint has the texels that were read", "[texture]") {
    MadeImage made({Channel::f32, 1}, Geometry::d2, {8, 8, 1});
    Sampler sampler;
    sampler.filter = Filter::linear;
    Footprint footprint;
    sample(made.image, sampler, {.geometry = Geometry::d2}, {.at = {3, 5, 0}}, &footprint);
    CHECK(footprint.texels() ==
          std::vector<std::uint64_t>{made.image.texel(2, 4, 0, 0), made.image.texel(3, 4, 0, 0),
                                     made.image.texel(2, 5, 0, 0), made.image.texel(3, 5, 0, 0)});
}

}  // namespace sample_test
