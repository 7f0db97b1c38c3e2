#include "runtime/plan/compare.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <limits>

namespace compare_test {

using namespace warpsim;
using plan::Tolerance;
using plan::Type;

namespace {

template <class T> std::span<std::byte const> bytes(std::vector<T> const& values) {
    return std::as_bytes(std::span(values));
}

template <class T>
std::uint64_t differing(Type type, std::vector<T> const& got, std::vector<T> const& want,
                        Tolerance tolerance = {}) {
    return plan::compare(type, bytes(got), bytes(want), tolerance).differing;
}

float const not_a_number = std::numeric_limits<float>::quiet_NaN();
float const infinite = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("Without a tolerance elements are equal in bits, but zeros and NaNs are each one", "[plan]") {
    CHECK(differing<float>(Type::f32, {0.0f, -not_a_number, 1}, {-0.0f, not_a_number, 1}) == 0);
    CHECK(differing<float>(Type::f32, {1}, {std::nextafter(1.0f, 2.0f)}) == 1);
    CHECK(differing<float>(Type::f32, {not_a_number, 1}, {1, not_a_number}) == 2);
    CHECK(differing<std::uint16_t>(Type::f16, {0x8000, 0x7e00, 0x3c00}, {0x0000, 0x7e01, 0x3c01}) == 1);
    CHECK(differing<std::uint64_t>(Type::u64, {1ull << 63}, {(1ull << 63) + 1}) == 1);
}

TEST_CASE("A tolerance is absolute plus relative to what is wanted", "[plan]") {
    CHECK(differing<float>(Type::f32, {101, 99, 102}, {100, 100, 100}, {1, 0}) == 1);
    CHECK(differing<float>(Type::f32, {-110, 112}, {-100, 100}, {0, 0.11}) == 1);
    CHECK(differing<std::int32_t>(Type::s32, {-5}, {5}, {10, 0}) == 0);
    CHECK(differing<std::int32_t>(Type::s32, {-6}, {5}, {10, 0}) == 1);
    CHECK(differing<std::uint64_t>(Type::u64, {(1ull << 63) + 2}, {1ull << 63}, {1, 0}) == 1);
}

TEST_CASE("No tolerance makes a finite number pass for an infinity", "[plan]") {
    CHECK(differing<float>(Type::f32, {1, infinite, -infinite, infinite}, {infinite, 1, infinite, infinite},
                           {1e30, 1}) == 3);
}

TEST_CASE("A failed comparison tells how many, the first five places and the largest error", "[plan]") {
    std::vector<float> const want(8, 1.0f);
    std::vector<float> const got{1, 2, 3, 9, 5, 4, 3, 1};
    auto const c = plan::compare(Type::f32, bytes(got), bytes(want), {0, 0.5});
    CHECK(c.differing == 6);
    CHECK(c.first == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
    CHECK(c.largest_error == 8);
    CHECK(c.largest_at == 3);
    CHECK(plan::report("y", Type::f32, bytes(got), bytes(want), {0, 0.5}, c) ==
          "6 of 8 elements differ (abs 0, rel 0.5); largest error 8 at y[3]\n"
          "  y[1]: got 2, want 1\n  y[2]: got 3, want 1\n  y[3]: got 9, want 1\n  y[4]: got 5, want 1\n"
          "  y[5]: got 4, want 1\n  ... and 1 more");
}

}  // namespace compare_test
