#include "frontend/decode/constant_expression.hpp"
#include "tests/support/catch.hpp"

#include <bit>
#include <initializer_list>
#include <limits>
#include <vector>

namespace constant_expression_test {

using namespace warpsim::frontend;
using warpsim::isa::Type;
using TokenKind = syntax::Token::Kind;
using Kind = Constant::Kind;

namespace {

/// Evaluates a postfix expression written as words: "4 2 + negate" is -(4 + 2).
Evaluated postfix(std::initializer_list<char const*> words) {
    static std::pair<std::string_view, TokenKind> const operators[] = {
        {"neg", TokenKind::negate},     {"pos", TokenKind::plus},       {"!", TokenKind::logical_not},
        {"~", TokenKind::complement},   {".s64", TokenKind::to_s64},    {".u64", TokenKind::to_u64},
        {"*", TokenKind::multiply},     {"/", TokenKind::divide},       {"%", TokenKind::remainder},
        {"+", TokenKind::add},          {"-", TokenKind::subtract},     {"<<", TokenKind::shift_left},
        {">>", TokenKind::shift_right}, {"<", TokenKind::less},         {">=", TokenKind::greater_equal},
        {"==", TokenKind::equal},       {"&", TokenKind::bit_and},      {"|", TokenKind::bit_or},
        {"^", TokenKind::bit_xor},      {"&&", TokenKind::logical_and}, {"||", TokenKind::logical_or},
        {"?", TokenKind::conditional},
    };
    std::vector<syntax::Token> tokens;
    for (std::string_view const word : words) {
        TokenKind kind = word[0] >= '0' && word[0] <= '9' ? TokenKind::literal : TokenKind::name;
        for (auto const& [spelling, operation] : operators) {
            if (spelling == word) kind = operation;
        }
        tokens.push_back({kind, word});
    }
    return evaluate(tokens);
}

Constant value(std::initializer_list<char const*> words) {
    Evaluated const result = postfix(words);
    INFO(result.message);
    REQUIRE(result.value);
    return *result.value;
}

}  // namespace

TEST_CASE("Integer literals are signed unless they do not fit or say U") {
    CHECK(parse_literal("42")->kind == Kind::s64);
    CHECK(parse_literal("42U")->kind == Kind::u64);
    CHECK(parse_literal("0x7fffffffffffffff")->kind == Kind::s64);
    CHECK(parse_literal("0x8000000000000000")->kind == Kind::u64);
    CHECK(parse_literal("017")->bits == 15);
    CHECK(parse_literal("0b101")->bits == 5);
    CHECK(parse_literal("0XfF")->bits == 255);
}

TEST_CASE("An integer literal beyond 64 bits is taken modulo two to the 64") {
    CHECK(parse_literal("18446744073709551616")->bits == 0);
    CHECK(parse_literal("18446744073709551617")->bits == 1);
}

TEST_CASE("What is not a PTX literal is refused") {
    for (char const* text : {"", "08", "7L", "1.0f", "0x", "0xg", "0b2", "0f3F80", "0d3ff0", "1e", "u", "-1"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_literal(text));
    }
}

TEST_CASE("Floating-point literals are doubles, and exact ones keep their bits") {
    CHECK(parse_literal("1.5")->bits == std::bit_cast<std::uint64_t>(1.5));
    CHECK(parse_literal(".5")->bits == std::bit_cast<std::uint64_t>(0.5));
    CHECK(parse_literal("1.5E-3")->bits == std::bit_cast<std::uint64_t>(1.5e-3));
    CHECK(parse_literal("0f3F800000")->kind == Kind::f32_bits);
    CHECK(parse_literal("0f3F800000")->bits == 0x3f800000);
    CHECK(parse_literal("0D3FF0000000000000")->bits == std::bit_cast<std::uint64_t>(1.0));
    CHECK(parse_literal("1e999")->bits == std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()));
    CHECK(parse_literal("1e-999")->bits == 0);
}

TEST_CASE("One unsigned operand makes an expression unsigned") {
    CHECK(value({"7", "neg", "2", "/"}).as_signed() == -3);
    CHECK(value({"7", "neg", "2U", "/"}).bits == (UINT64_MAX - 6) / 2);
    CHECK(value({"1", "neg", "1", "<"}).bits == 1);
    CHECK(value({"1", "neg", "1U", "<"}).bits == 0);
}

TEST_CASE("The remainder reads its operands as unsigned and is signed") {
    Constant const result = value({"7", "neg", "4", "%"});
    CHECK(result.bits == (UINT64_MAX - 6) % 4);
    CHECK(result.kind == Kind::s64);
}

TEST_CASE("Shifts by 64 or more and the smallest integer divided by -1 are defined") {
    CHECK(value({"1", "64", "<<"}).bits == 0);
    CHECK(value({"1", "neg", "64", ">>"}).as_signed() == -1);
    CHECK(value({"1", "neg", ".u64", "64", ">>"}).bits == 0);
    CHECK(value({"1", "63", "<<", "1", "neg", "/"}).bits == std::uint64_t{1} << 63);
}

TEST_CASE("A right shift keeps the sign of a signed operand only") {
    CHECK(value({"8", "neg", "1", ">>"}).as_signed() == -4);
    CHECK(value({"8", "neg", ".u64", "1", ">>"}).bits == (UINT64_MAX - 7) >> 1);
}

TEST_CASE("Division by zero is an error with its place") {
    Evaluated const quotient = postfix({"1", "0", "/"});
    CHECK_FALSE(quotient.value);
    CHECK(quotient.message == "division by zero");
    CHECK(quotient.where == "/");
    CHECK_FALSE(postfix({"1", "0", "%"}).value);
    CHECK_FALSE(postfix({"1.0", "0.0", "/"}).value);
}

TEST_CASE("Logical and bitwise operators give signed truth values and unsigned bits") {
    CHECK(value({"5", "!"}).bits == 0);
    CHECK(value({"0", "!"}).kind == Kind::s64);
    CHECK(value({"0", "~"}).kind == Kind::u64);
    CHECK(value({"6", "3", "&"}).bits == 2);
    CHECK(value({"6", "3", "^"}).bits == 5);
    CHECK(value({"6", "0", "&&"}).bits == 0);
    CHECK(value({"1", "2", "3", "?"}).bits == 2);
    CHECK(value({"0", "2", "3U", "?"}).kind == Kind::u64);
}

TEST_CASE("Integers and floating-point numbers do not mix, and exact singles stay alone") {
    CHECK_FALSE(postfix({"1", "1.0", "+"}).value);
    CHECK_FALSE(postfix({"1.0", "~"}).value);
    CHECK_FALSE(postfix({"0f3F800000", "1.0", "+"}).value);
    CHECK_FALSE(postfix({"0f3F800000", "0", "<"}).value);
    CHECK(value({"1.5", "2.0", "*"}).bits == std::bit_cast<std::uint64_t>(3.0));
    CHECK(value({"1.5", "2.0", "<"}).kind == Kind::s64);
}

TEST_CASE("WARP_SZ is the only name with a value") {
    CHECK(value({"WARP_SZ", "2", "*"}).bits == 64);
    CHECK_FALSE(postfix({"x"}).value);
}

TEST_CASE("A constant takes the bits of the operand's type") {
    CHECK(bits_as(*parse_literal("65537"), Type::u16) == 1u);
    CHECK(bits_as(negated(*parse_literal("1")), Type::s32) == 0xffffffffu);
    CHECK(bits_as(negated(*parse_literal("1")), Type::b64) == UINT64_MAX);
    CHECK(bits_as(*parse_literal("2"), Type::pred) == 1u);
    CHECK(bits_as(*parse_literal("1.0"), Type::f32) == 0x3f800000u);
    CHECK(bits_as(*parse_literal("1.0"), Type::b64) == std::bit_cast<std::uint64_t>(1.0));
    CHECK(bits_as(*parse_literal("0f3F800000"), Type::f64) == std::bit_cast<std::uint64_t>(1.0));
    CHECK(bits_as(*parse_literal("0d3FF0000000000000"), Type::f32) == 0x3f800000u);
    CHECK(bits_as(negated(*parse_literal("0f3F800000")), Type::b32) == 0xbf800000u);
}

TEST_CASE("An exact single keeps the bits of a NaN") {
    CHECK(bits_as(*parse_literal("0f7F800001"), Type::f32) == 0x7f800001u);
}

TEST_CASE("An integer is no floating-point operand, nor the other way round, and halves have no constants") {
    CHECK_FALSE(bits_as(*parse_literal("1"), Type::f32));
    CHECK_FALSE(bits_as(*parse_literal("1"), Type::f64));
    CHECK_FALSE(bits_as(*parse_literal("1.0"), Type::u32));
    CHECK_FALSE(bits_as(*parse_literal("1.0"), Type::b16));
    CHECK_FALSE(bits_as(*parse_literal("1.0"), Type::f16));
    CHECK_FALSE(bits_as(*parse_literal("1"), Type::f16x2));
    CHECK_FALSE(bits_as(*parse_literal("1"), Type::s16x2));
}

}  // namespace constant_expression_test
