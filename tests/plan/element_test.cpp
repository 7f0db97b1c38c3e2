#include "runtime/plan/element.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cmath>

namespace element_test {

using namespace warpsim;
using plan::Number;
using plan::IntegerRange;
using plan::Type;

namespace {

std::uint64_t bits(Number const& n, Type type, IntegerRange range = IntegerRange::exact) {
    std::array<std::byte, 8> bytes{};
    INFO(plan::to_text(n) << " as " << isa::name(type));
    CHECK(plan::encode(n, type, range, bytes.data()) == "");
    return plan::decode_bits(type, bytes.data());
}

std::string complaint(Number const& n, Type type, IntegerRange range = IntegerRange::exact) {
    std::array<std::byte, 8> bytes{};
    return plan::encode(n, type, range, bytes.data());
}

std::string text(std::uint64_t value, Type type) {
    std::array<std::byte, 8> bytes{};
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
    return plan::to_text(type, bytes.data());
}

}  // namespace

TEST_CASE("Reals are rounded to nearest even in every format", "[plan]") {
    CHECK(bits(Number::of(1.0), Type::f16) == 0x3c00);
    CHECK(bits(Number::of(65504.0), Type::f16) == 0x7bff);
    CHECK(bits(Number::of(1.0 + 1.0 / 2048), Type::f16) == 0x3c00);  // a tie goes to even
    CHECK(bits(Number::of(1.0 + 3.0 / 2048), Type::f16) == 0x3c02);
    CHECK(bits(Number::of(5.9604644775390625e-8), Type::f16) == 0x0001);  // the smallest subnormal
    CHECK(bits(Number::of(2.98e-8), Type::f16) == 0x0000);
    CHECK(bits(Number::of(-0.0), Type::f16) == 0x8000);
    CHECK(bits(Number::of(6.1035e-5), Type::f16) == 0x0400);  // a carry into the smallest normal
    CHECK(bits(Number::of(1.0), Type::bf16) == 0x3f80);
    CHECK(bits(Number::of(3.14159), Type::bf16) == 0x4049);
    CHECK(bits(Number::of(0.1), Type::f32) == 0x3dcccccd);
    CHECK(bits(Number::of(INFINITY), Type::f16) == 0x7c00);
    CHECK(bits(Number::of(-INFINITY), Type::bf16) == 0xff80);
    CHECK((bits(Number::of(NAN), Type::f16) & 0x7fff) > 0x7c00);
}

TEST_CASE("A finite number that a format would round to infinity is out of range", "[plan]") {
    CHECK(complaint(Number::of(65520.0), Type::f16) != "");
    CHECK(complaint(Number::of(65519.0), Type::f16) == "");
    CHECK(complaint(Number::of(1e39), Type::f32) == "1e+39 is out of range for f32");
    CHECK(complaint(Number::of(1e39), Type::bf16) != "");
}

TEST_CASE("Integers must fit their type, arguments also as two's complement", "[plan]") {
    CHECK(bits(Number::integer(-128), Type::s8) == 0x80);
    CHECK(complaint(Number::integer(-129), Type::s8) == "-129 is out of range for s8 (-128 to 127)");
    CHECK(complaint(Number::integer(256), Type::u8) == "256 is out of range for u8 (0 to 255)");
    CHECK(complaint(Number::integer(-1), Type::u32) != "");
    CHECK(bits(Number::integer(-1), Type::u32, IntegerRange::twos_complement) == 0xffffffff);
    CHECK(complaint(Number::integer(-2147483649), Type::u32, IntegerRange::twos_complement) != "");
    CHECK(bits(Number::integer(INT64_MIN), Type::s64) == 0x8000000000000000);
    CHECK(bits(Number::of(4.0), Type::u32) == 4);
    CHECK(complaint(Number::of(4.5), Type::u32) == "4.5 is not an integer, as u32 wants");
    CHECK(complaint(Number::of(NAN), Type::s32) != "");
    CHECK(complaint(Number::of(1e20), Type::u64) != "");
}

TEST_CASE("A real for an untyped parameter is the float of its width", "[plan]") {
    CHECK(bits(Number::of(2.0), Type::b32) == 0x40000000);
    CHECK(bits(Number::of(2.0), Type::b64) == 0x4000000000000000);
    CHECK(bits(Number::of(2.0), Type::b16) == 0x4000);
    CHECK(bits(Number::integer(2), Type::b32) == 2);
    CHECK(complaint(Number::of(2.0), Type::b8) != "");
}

TEST_CASE("Words stand for numbers", "[plan]") {
    CHECK(std::isnan(plan::number_of_word("nan")->real));
    CHECK(plan::number_of_word("-inf")->real == -INFINITY);
    CHECK(plan::number_of_word("0xffffffffffffffff")->magnitude == UINT64_MAX);
    CHECK_FALSE(plan::number_of_word("0x10000000000000000"));
    CHECK_FALSE(plan::number_of_word("0x"));
    CHECK_FALSE(plan::number_of_word("12"));
    CHECK(plan::number_of_text("-12")->negative);
    CHECK(plan::number_of_text("1e3")->real == 1000);
    CHECK(plan::number_of_text("2.0")->is_real);
    CHECK(plan::number_of_text(".5")->real == 0.5);
    CHECK_FALSE(plan::number_of_text("infinity"));
    CHECK_FALSE(plan::number_of_text("1x"));
    CHECK_FALSE(plan::number_of_text(""));
    CHECK_FALSE(plan::number_of_text("-"));
}

TEST_CASE("Elements print as the shortest text of their type", "[plan]") {
    CHECK(text(0x3dcccccd, Type::f32) == "0.1");
    CHECK(text(0x3c00, Type::f16) == "1");
    CHECK(text(0x0001, Type::f16) == "5.9604645e-08");
    CHECK(text(0x7e00, Type::f16) == "nan");
    CHECK(text(0xff80, Type::bf16) == "-inf");
    CHECK(text(0xff, Type::s8) == "-1");
    CHECK(text(0xff, Type::u8) == "255");
    CHECK(text(0x8000000000000000, Type::s64) == "-9223372036854775808");
}

}  // namespace element_test
