// Arrays in tiles: every texel has a place of its own, and boxes are moved as a copy texel by texel would.
#include "sim/texture/array_layout.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace array_layout_test {

using namespace warpsim::sim::texture;

namespace {

ArrayShape shape_of(std::uint32_t texel, Extent extent, std::uint32_t slices = 1, std::uint32_t levels = 1) {
    ArrayShape shape;
    shape.texel_bytes = texel;
    shape.extent = extent;
    shape.slices = slices;
    shape.levels = levels;
    return shape;
}

/// Every byte of every level, once.
void check_places(ArrayShape const& shape) {
    ArrayLayout const layout(shape);
    std::vector<bool> taken(layout.bytes());
    for (std::uint32_t level = 0; level < shape.levels; ++level) {
        for (std::uint32_t z = 0; z < layout.slices(level); ++z) {
            for (std::uint32_t y = 0; y < layout.level(level).extent.height; ++y) {
                for (std::uint64_t x = 0; x < layout.width_bytes(level); ++x) {
                    std::uint64_t const at = layout.offset(x, y, z, level);
                    REQUIRE(at < taken.size());
                    REQUIRE_FALSE(taken[at]);
                    taken[at] = true;
                    REQUIRE(at / 16 == layout.offset(x / 16 * 16, y, z, level) / 16);  // no texel in two pieces
                }
            }
        }
    }
}

std::vector<std::byte> noise(std::size_t bytes, std::mt19937& random) {
    std::vector<std::byte> data(bytes);
    for (std::byte& b : data) b = static_cast<std::byte>(random());
    return data;
}

ArrayBox random_box(ArrayLayout const& layout, std::mt19937& random) {
    auto const range = [&](std::uint64_t size) {
        std::uint64_t const a = random() % size, b = random() % size;
        return std::pair(std::min(a, b), std::max(a, b) - std::min(a, b) + 1);
    };
    ArrayBox box;
    box.level = static_cast<std::uint32_t>(random()) % layout.shape().levels;
    std::tie(box.x, box.width) = range(layout.width_bytes(box.level));
    std::tie(box.y, box.height) = range(layout.level(box.level).extent.height);
    std::tie(box.z, box.depth) = range(layout.slices(box.level));
    return box;
}

template <class F> void for_bytes(ArrayBox const& box, Pitch pitch, F const& f) {
    for (std::uint64_t z = 0; z < box.depth; ++z)
        for (std::uint64_t y = 0; y < box.height; ++y)
            for (std::uint64_t x = 0; x < box.width; ++x)
                f(box.x + x, box.y + y, box.z + z, z * pitch.slice + y * pitch.row + x);
}

std::vector<ArrayShape> shapes() {
    std::vector<ArrayShape> all{shape_of(4, {33, 1, 1}, 1, 6),   shape_of(16, {21, 13, 1}),
                                shape_of(1, {130, 40, 1}, 1, 8), shape_of(8, {17, 9, 5}, 1, 3),
                                shape_of(2, {70, 20, 1}, 6, 2),  shape_of(4, {100, 1, 1}, 3),
                                shape_of(4, {1, 1, 1})};
    all[0].is_line = all[5].is_line = true;
    all.push_back(shape_of(4, {9, 9, 1}));
    all.back().samples = 4;
    return all;
}

}  // namespace

TEST_CASE("Every texel of an array has a place of its own", "[texture]") {
    for (ArrayShape const& shape : shapes()) check_places(shape);
}

TEST_CASE("An array's tiles are 64 bytes wide and 8 rows high", "[texture]") {
    ArrayLayout const layout(shape_of(4, {64, 32, 1}));
    CHECK(layout.offset(0, 1, 0) == 64);
    CHECK(layout.offset(63, 7, 0) == 511);
    CHECK(layout.offset(64, 0, 0) == 512);
    CHECK(layout.offset(0, 8, 0) == std::uint64_t{4} * 512);
    CHECK(layout.bytes() == std::uint64_t{64} * 32 * 4);
}

TEST_CASE("Boxes move into arrays and out of them", "[texture]") {
    std::mt19937 random(1);
    for (ArrayShape const& shape : shapes()) {
        ArrayLayout const layout(shape);
        for (int round = 0; round < 20; ++round) {
            ArrayBox const box = random_box(layout, random);
            Pitch const pitch{box.width + random() % 5, (box.width + 5) * box.height};
            std::vector<std::byte> const rows = noise(pitch.slice * box.depth, random);
            std::vector<std::byte> array = noise(layout.bytes(), random);
            std::vector<std::byte> wanted = array;
            for_bytes(box, pitch, [&](auto x, auto y, auto z, auto at) {
                wanted[layout.offset(x, y, z, box.level)] = rows[at];
            });
            copy_to_array(array.data(), layout, box, rows.data(), pitch);
            REQUIRE(array == wanted);

            std::vector<std::byte> out = noise(rows.size(), random), wanted_out = out;
            for_bytes(box, pitch, [&](auto x, auto y, auto z, auto at) {
                wanted_out[at] = array[layout.offset(x, y, z, box.level)];
            });
            copy_from_array(out.data(), pitch, array.data(), layout, box);
            REQUIRE(out == wanted_out);
        }
    }
}

TEST_CASE("Boxes move between arrays", "[texture]") {
    std::mt19937 random(2);
    ArrayLayout const a(shape_of(4, {50, 30, 1}, 3)), b(shape_of(2, {64, 25, 4}, 1, 2));
    for (int round = 0; round < 50; ++round) {
        ArrayBox to = random_box(a, random);
        ArrayBox from = random_box(b, random);
        from.width = to.width = std::min(to.width, from.width);
        from.height = to.height = std::min(to.height, from.height);
        from.depth = to.depth = std::min(to.depth, from.depth);
        std::vector<std::byte> array = noise(a.bytes(), random), wanted = array;
        std::vector<std::byte> const source = noise(b.bytes(), random);
        for_bytes(to, {}, [&](auto x, auto y, auto z, auto) {
            wanted[a.offset(x, y, z, to.level)] =
                source[b.offset(x - to.x + from.x, y - to.y + from.y, z - to.z + from.z, from.level)];
        });
        copy_between_arrays(array.data(), a, to, source.data(), b, from);
        REQUIRE(array == wanted);
    }
}

TEST_CASE("A pyramid ends with one texel", "[texture]") {
    CHECK(whole_pyramid({1, 1, 1}) == 1);
    CHECK(whole_pyramid({5, 9, 1}) == 4);
    CHECK(whole_pyramid({131072, 1, 1}) == most_levels);
}

}  // namespace array_layout_test
