// Levels of detail, and cubes.
#include "sim/texture/cube.hpp"
#include "sim/texture/sample.hpp"
#include "tests/support/catch.hpp"
#include "tests/texture/made_image.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace levels_test {

using namespace warpsim::sim::texture;

namespace {

float number(Texel const& t, std::size_t i = 0) { return std::bit_cast<float>(t[i]); }

/// 16 x 16 with five levels; each level has its own number.
MadeImage pyramid() {
    MadeImage made({Channel::f32, 1}, Geometry::d2, {16, 16, 1}, 1, 5);
    made.for_texels(
        [&](auto x, auto y, auto, auto level) { made.set(static_cast<float>(level), x, y, 0, level); });
    return made;
}

struct Levels {
    MadeImage made = pyramid();
    Sampler sampler{.filter = Filter::linear, .level_filter = Filter::linear, .is_normalized = true};

    float given(float level) const {
        FetchKind const kind{.geometry = Geometry::d2, .levels = LevelChoice::given};
        return number(sample(made.image, sampler, kind, {.at = {0.5f, 0.5f, 0}, .level = level}, nullptr));
    }
    float stepped(std::array<float, 3> dx, std::array<float, 3> dy) const {
        FetchKind const kind{.geometry = Geometry::d2, .levels = LevelChoice::gradients};
        for (float& d : dx) d /= 16;
        for (float& d : dy) d /= 16;
        return number(sample(made.image, sampler, kind, {.at = {0.5f, 0.5f, 0}, .dx = dx, .dy = dy}, nullptr));
    }
};

/// The centre of a texel as a direction.
std::array<float, 3> direction(std::uint32_t face, float x, float y, float size) {
    FaceAxes const& axes = face_axes[face];
    std::array<float, 3> v{};
    v[axes.major] = axes.major_sign;
    v[axes.s] = ((2 * x + 1) / size - 1) * static_cast<float>(axes.s_sign);
    v[axes.t] = ((2 * y + 1) / size - 1) * static_cast<float>(axes.t_sign);
    return v;
}

MadeImage cube(std::uint32_t size, std::uint32_t cubes = 1) {
    MadeImage made({Channel::f32, 1}, cubes == 1 ? Geometry::cubemap : Geometry::layered_cubemap, {size, size, 1},
                   6 * cubes);
    made.for_texels(
        [&](auto x, auto y, auto z, auto) { made.set(static_cast<float>(100 * z + 10 * y + x), x, y, z); });
    return made;
}

}  // namespace

TEST_CASE("Levels are clamped and blended with eight bits", "[texture]") {
    Levels l;
    CHECK(l.given(0) == 0);
    CHECK(l.given(1.25f) == 1.25f);
    CHECK(l.given(2.5f + 1 / 1024.0f) == 2.5f);
    CHECK(l.given(-3) == 0);
    CHECK(l.given(100) == 4);
    CHECK(l.given(NAN) == 0);
    CHECK(l.given(std::numeric_limits<float>::infinity()) == 4);
    l.sampler.level_bias = 0.5f;
    CHECK(l.given(1) == 1.5f);
    l.sampler.least_level = 0.75f;
    l.sampler.most_level = 2.25f;
    CHECK(l.given(-1) == 0.75f);
    CHECK(l.given(3) == 2.25f);
    l.sampler.level_filter = Filter::point;
    CHECK(l.given(0.9f) == 1);
    CHECK(l.given(1.1f) == 2);
}

TEST_CASE("Gradients choose the level in which a step is a texel", "[texture]") {
    Levels l;
    CHECK(l.stepped({1, 0, 0}, {0, 1, 0}) == 0);
    CHECK(l.stepped({2, 0, 0}, {0, 2, 0}) == 1);
    CHECK(l.stepped({0, 4, 0}, {1, 0, 0}) == 2);
    CHECK(l.stepped({0, 0, 0}, {0, 0, 0}) == 0);
    CHECK(std::fabs(l.stepped({3, 0, 0}, {0, 0, 0}) - std::log2(3.0f)) < 1 / 256.0f);
    l.sampler.anisotropy = 4;
    CHECK(l.stepped({4, 0, 0}, {0, 1, 0}) == 0);
    CHECK(l.stepped({8, 0, 0}, {0, 1, 0}) == 1);
    CHECK(l.stepped({4, 0, 0}, {0, 4, 0}) == 2);
}

TEST_CASE("A part of the levels is a texture of its own", "[texture]") {
    Levels l;
    l.made.image.first_level = 1;
    l.made.image.last_level = 3;
    CHECK(l.given(0) == 1);
    CHECK(l.given(1.5f) == 2.5f);
    CHECK(l.given(9) == 3);
}

TEST_CASE("Every texel of a cube is found by its direction", "[texture]") {
    MadeImage const made = cube(4, 2);
    FetchKind const kind{.geometry = Geometry::layered_cubemap};
    for (Filter const filter : {Filter::point, Filter::linear}) {
        Sampler const sampler{.filter = filter};
        made.for_texels([&](auto x, auto y, auto z, auto) {
            auto const v = direction(z % 6, static_cast<float>(x), static_cast<float>(y), 4);
            CHECK(number(sample(made.image, sampler, kind, {.at = v, .layer = z / 6}, nullptr)) ==
                  made.get<float>(x, y, z));
        });
    }
}

TEST_CASE("The faces of a cube lie as the programming guide's table says", "[texture]") {
    // |m| is the greatest: s and t from x, y and z.
    struct Row {
        std::array<float, 3> v;
        std::uint32_t face;
        float s, t;  // in [-1, 1]
    };
    constexpr float x = 0.25f, y = -0.5f, z = 0.125f;
    Row const rows[] = {{{1, y, z}, 0, -z, -y}, {{-1, y, z}, 1, z, -y}, {{x, 1, z}, 2, x, z},
                        {{x, -1, z}, 3, x, -z}, {{x, y, 1}, 4, x, -y},  {{x, y, -1}, 5, -x, -y}};
    for (Row const& row : rows) {
        FacePoint const p = face_point(row.v);
        CHECK(p.face == row.face);
        CHECK(p.at[0] == (row.s + 1) / 2);
        CHECK(p.at[1] == (row.t + 1) / 2);
    }
}

TEST_CASE("What lies across an edge of a cube's face is next to it in space", "[texture]") {
    constexpr std::int32_t n = 4;
    for (std::uint32_t face = 0; face < 6; ++face) {
        for (std::int32_t along = 0; along < n; ++along) {
            std::array<std::int32_t, 2> const places[] = {{-1, along}, {n, along}, {along, -1}, {along, n}};
            for (auto const [px, py] : places) {
                FaceTexel const t = across_edge(face, px, py, n);
                CHECK(t.face != face);
                REQUIRE((t.x >= 0 && t.x < n && t.y >= 0 && t.y < n));
                auto const a = direction(face, static_cast<float>(std::min(std::max(px, 0), n - 1)),
                                         static_cast<float>(std::min(std::max(py, 0), n - 1)), n);
                auto const b = direction(t.face, static_cast<float>(t.x), static_cast<float>(t.y), n);
                float distance = 0;
                for (std::size_t i = 0; i < 3; ++i) distance += (a[i] - b[i]) * (a[i] - b[i]);
                CHECK(std::sqrt(distance) < 1.01f * std::sqrt(2.0f) / n);
            }
        }
    }
}

TEST_CASE("Linear filters go on across a cube's edges where it is seamless", "[texture]") {
    MadeImage const made = cube(4);
    FetchKind const kind{.geometry = Geometry::cubemap};
    Sampler sampler{.filter = Filter::linear};
    auto const at = [&](std::array<float, 3> v) {
        return number(sample(made.image, sampler, kind, {.at = v}, nullptr));
    };
    // In the middle of the edge between +x and +z, from both sides: s of +x is -z, s of +z is x.
    float const from_x = at({1, 0.25f, 0.9999f}), from_z = at({0.9999f, 0.25f, 1});
    CHECK(std::fabs(from_x - from_z) < 0.5f);
    auto const x_side = made.get<float>(0, 1, 0), z_side = made.get<float>(3, 1, 4);
    CHECK(from_x == Approx((x_side + z_side) / 2).margin(2));
    // A corner is the mean of three, as exact as weights are.
    CHECK(at({1, 1, 1}) ==
          (85 * made.get<float>(0, 0, 0) + 85 * made.get<float>(3, 3, 2) + 86 * made.get<float>(3, 0, 4)) / 256);
    sampler.is_seamless = false;
    CHECK(at({1, 0.25f, 0.9999f}) == x_side);
}

}  // namespace levels_test
