#include "runtime/plan/sequence.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

namespace sequence_test {

using namespace warpsim;
using plan::Init;
using plan::Number;
using plan::Type;

namespace {

template <class T> std::vector<T> make(Init const& init, Type type, std::uint64_t count) {
    auto const bytes =
        plan::make_bytes(init, type, count, [](plan::Reference const&) { return std::uint64_t{0}; });
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

Init uniform(std::uint64_t seed, Number low, Number high) {
    Init init;
    init.kind = Init::Kind::uniform;
    init.seed = seed;
    init.low = low;
    init.high = high;
    return init;
}

Init iota(Number start, Number step) {
    Init init;
    init.kind = Init::Kind::iota;
    init.start = start;
    init.step = step;
    return init;
}

}  // namespace

TEST_CASE("Random bits are those of SplitMix64", "[plan]") {
    // The first outputs of the published generator for the seed 1234567.
    CHECK(plan::random_bits(1234567, 0) == 6457827717110365317u);
    CHECK(plan::random_bits(1234567, 1) == 3203168211198807973u);
    CHECK(plan::random_bits(1234567, 2) == 9817491932198370423u);
}

TEST_CASE("Uniform reals lie from low up to but without high", "[plan]") {
    auto const init = uniform(3, Number::integer(-1), Number::of(1));
    for (float const v : make<float>(init, Type::f32, 4096)) {
        CHECK(v >= -1.0f);
        CHECK(v < 1.0f);
    }
    // Between 1 and the next half there is nothing to round to but these two.
    for (std::uint16_t const v :
         make<std::uint16_t>(uniform(3, Number::of(1), Number::of(1.0009765625)), Type::f16, 64))
        CHECK(v == 0x3c00);
}

TEST_CASE("Uniform integers lie from low up to but without high", "[plan]") {
    auto const values = make<std::int32_t>(uniform(9, Number::integer(-2), Number::integer(2)), Type::s32, 1000);
    for (int wanted = -2; wanted < 2; ++wanted) CHECK(std::count(values.begin(), values.end(), wanted) > 150);
    CHECK(std::count_if(values.begin(), values.end(), [](int v) { return v < -2 || v > 1; }) == 0);
    // The whole range of a type has more values than its unsigned type can count.
    Number high;
    high.magnitude = std::uint64_t{1} << 63;
    auto const all = uniform(9, Number::integer(INT64_MIN), high);
    CHECK(plan::check(all, Type::s64, 4) == "");
    CHECK(make<std::uint64_t>(all, Type::s64, 1)[0] == plan::random_bits(9, 0) + (std::uint64_t{1} << 63));
    CHECK(plan::check(uniform(1, Number::integer(5), Number::integer(5)), Type::u32, 1) ==
          "low must be below high");
    CHECK(plan::check(uniform(1, Number::integer(0), Number::integer(257)), Type::u8, 1) != "");
    CHECK(plan::check(uniform(1, Number::integer(0), Number::integer(256)), Type::u8, 1) == "");
}

TEST_CASE("An iota counts in the type's own arithmetic", "[plan]") {
    CHECK(make<std::int16_t>(iota(Number::integer(3), Number::integer(-2)), Type::s16, 4) ==
          std::vector<std::int16_t>{3, 1, -1, -3});
    CHECK(make<float>(iota(Number::of(0.5), Number::integer(1)), Type::f32, 3) ==
          std::vector<float>{0.5f, 1.5f, 2.5f});
    auto const large =
        iota(Number::integer(9007199254740992), Number::integer(1));  // 2^53: a double could not count on
    CHECK(make<std::uint64_t>(large, Type::u64, 2)[1] == 9007199254740993u);
}

TEST_CASE("An iota whose last element does not fit is refused", "[plan]") {
    auto const count = iota(Number::integer(0), Number::integer(1));
    CHECK(plan::check(count, Type::u8, 256) == "");
    CHECK(plan::check(count, Type::u8, 257) == "its last element, 256 is out of range for u8 (0 to 255)");
    CHECK(plan::check(iota(Number::integer(0), Number::integer(-1)), Type::u8, 2) != "");
    CHECK(plan::check(iota(Number::integer(INT64_MAX), Number::integer(INT64_MAX)), Type::u64, UINT64_MAX) != "");
    CHECK(plan::check(iota(Number::of(0.5), Number::integer(1)), Type::s32, 2) != "");
}

}  // namespace sequence_test
