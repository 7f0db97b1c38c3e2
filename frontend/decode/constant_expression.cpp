#include "frontend/decode/constant_expression.hpp"

#include <bit>
#include <charconv>
#include <limits>
#include <vector>

namespace warpsim::frontend {

namespace {

using Kind = Constant::Kind;
using TokenKind = syntax::Token::Kind;

Constant s64(std::int64_t value) { return {Kind::s64, static_cast<std::uint64_t>(value)}; }
Constant u64(std::uint64_t value) { return {Kind::u64, value}; }
Constant f64(double value) { return {Kind::f64, std::bit_cast<std::uint64_t>(value)}; }

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/// Integers are never range-checked: the value is taken modulo 2^64, as ptxas does.
std::optional<std::uint64_t> parse_digits(std::string_view text, unsigned base) {
    if (text.empty()) return {};
    std::uint64_t value = 0;
    for (char const c : text) {
        auto const digit = static_cast<unsigned>(digit_value(c));
        if (digit >= base) return {};
        value = value * base + digit;
    }
    return value;
}

std::optional<Constant> parse_exact_float(std::string_view text) {
    bool const is_single = text[1] == 'f' || text[1] == 'F';
    std::string_view const digits = text.substr(2);
    if (digits.size() != (is_single ? 8u : 16u)) return {};
    auto const bits = parse_digits(digits, 16);
    if (!bits) return {};
    return Constant{is_single ? Kind::f32_bits : Kind::f64, *bits};
}

std::optional<Constant> parse_decimal_float(std::string_view text) {
    double value = 0;
    auto const result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ptr != text.data() + text.size()) return {};
    if (result.ec == std::errc::result_out_of_range) {
        // A value too large becomes infinity, one too small becomes zero; the sign of the exponent distinguishes
        // them.
        std::size_t const e = text.find_first_of("eE");
        bool const small = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
        value = small ? 0.0 : std::numeric_limits<double>::infinity();
    } else if (result.ec != std::errc{}) {
        return {};
    }
    return f64(value);
}

std::optional<Constant> parse_integer(std::string_view text) {
    bool const is_unsigned = text.back() == 'U';
    if (is_unsigned) text.remove_suffix(1);
    unsigned base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) base = 16;
    else if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) base = 2;
    else if (text.size() > 1 && text[0] == '0') base = 8;
    auto const value = parse_digits(base == 10 || base == 8 ? text : text.substr(2), base);
    if (!value) return {};
    bool const fits_signed = *value <= static_cast<std::uint64_t>(INT64_MAX);
    return is_unsigned || !fits_signed ? u64(*value) : s64(static_cast<std::int64_t>(*value));
}

double as_double(Constant c) { return std::bit_cast<double>(c.bits); }

bool both_signed(Constant a, Constant b) { return a.kind == Kind::s64 && b.kind == Kind::s64; }

std::optional<Constant> divide(Constant a, Constant b) {
    if (b.bits == 0) return {};
    if (!both_signed(a, b)) return u64(a.bits / b.bits);
    if (b.as_signed() == -1) return s64(static_cast<std::int64_t>(0 - a.bits));  // INT64_MIN / -1 wraps
    return s64(a.as_signed() / b.as_signed());
}

Constant shift(TokenKind operation, Constant a, std::uint64_t count) {
    bool const negative = a.kind == Kind::s64 && a.as_signed() < 0;
    if (operation == TokenKind::shift_left) return {a.kind, count >= 64 ? 0 : a.bits << count};
    if (count >= 64) return {a.kind, negative ? UINT64_MAX : 0};
    if (a.kind == Kind::s64) return s64(a.as_signed() >> count);
    return u64(a.bits >> count);
}

bool compare(TokenKind operation, auto a, auto b) {
    switch (operation) {
        case TokenKind::less: return a < b;
        case TokenKind::greater: return a > b;
        case TokenKind::less_equal: return a <= b;
        case TokenKind::greater_equal: return a >= b;
        case TokenKind::equal: return a == b;
        default: return a != b;
    }
}

/// The result of an operation on two integers or two doubles; empty, with a message, when it has none.
struct Outcome {
    std::optional<Constant> value;
    char const* message = "";
};

Outcome floating_binary(TokenKind operation, double a, double b) {
    switch (operation) {
        case TokenKind::multiply: return {f64(a * b)};
        case TokenKind::divide:
            if (b == 0) return {{}, "division by zero"};
            return {f64(a / b)};
        case TokenKind::add: return {f64(a + b)};
        case TokenKind::subtract: return {f64(a - b)};
        case TokenKind::less:
        case TokenKind::greater:
        case TokenKind::less_equal:
        case TokenKind::greater_equal:
        case TokenKind::equal:
        case TokenKind::not_equal: return {s64(compare(operation, a, b))};
        default: return {{}, "this operator needs integers"};
    }
}

Outcome integer_binary(TokenKind operation, Constant a, Constant b) {
    bool const is_signed = both_signed(a, b);
    Kind const kind = is_signed ? Kind::s64 : Kind::u64;  // the usual arithmetic conversions
    switch (operation) {
        case TokenKind::multiply: return {Constant{kind, a.bits * b.bits}};
        case TokenKind::add: return {Constant{kind, a.bits + b.bits}};
        case TokenKind::subtract: return {Constant{kind, a.bits - b.bits}};
        case TokenKind::divide: {
            auto const quotient = divide(a, b);
            return quotient ? Outcome{quotient} : Outcome{{}, "division by zero"};
        }
        case TokenKind::remainder:  // unsigned and signed, as in the ISA's table of expressions
            if (b.bits == 0) return {{}, "remainder of a division by zero"};
            return {s64(static_cast<std::int64_t>(a.bits % b.bits))};
        case TokenKind::shift_left:
        case TokenKind::shift_right: return {shift(operation, a, b.bits)};
        case TokenKind::bit_and: return {u64(a.bits & b.bits)};
        case TokenKind::bit_xor: return {u64(a.bits ^ b.bits)};
        case TokenKind::bit_or: return {u64(a.bits | b.bits)};
        case TokenKind::logical_and: return {s64(a.bits != 0 && b.bits != 0)};
        case TokenKind::logical_or: return {s64(a.bits != 0 || b.bits != 0)};
        default:
            return {s64(is_signed ? compare(operation, a.as_signed(), b.as_signed())
                                  : compare(operation, a.bits, b.bits))};
    }
}

Outcome unary(TokenKind operation, Constant a) {
    if (operation == TokenKind::plus) return {a};
    if (operation == TokenKind::negate) return {negated(a)};
    if (!a.is_integer()) return {{}, "this operator needs an integer"};
    switch (operation) {
        case TokenKind::logical_not: return {s64(a.bits == 0)};
        case TokenKind::complement: return {u64(~a.bits)};
        case TokenKind::to_s64: return {Constant{Kind::s64, a.bits}};
        default: return {Constant{Kind::u64, a.bits}};
    }
}

Outcome binary(TokenKind operation, Constant a, Constant b) {
    if (a.is_integer() && b.is_integer()) return integer_binary(operation, a, b);
    if (a.kind == Kind::f64 && b.kind == Kind::f64) return floating_binary(operation, as_double(a), as_double(b));
    return {{}, "an integer and a floating-point number in one expression"};
}

Outcome choose(Constant condition, Constant a, Constant b) {
    if (!condition.is_integer()) return {{}, "the condition of ?: is not an integer"};
    if (a.is_integer() != b.is_integer()) return {{}, "an integer and a floating-point number in one expression"};
    Constant chosen = condition.bits != 0 ? a : b;
    if (a.is_integer() && !both_signed(a, b)) chosen.kind = Kind::u64;
    return {chosen};
}

bool is_unary(TokenKind kind) { return kind >= TokenKind::negate && kind <= TokenKind::to_u64; }

Outcome push(syntax::Token const& token) {
    if (token.kind == TokenKind::name) {
        if (token.text == "WARP_SZ") return {s64(32)};
        return {{}, "a constant expression cannot use this name"};
    }
    auto const literal = parse_literal(token.text);
    if (!literal) return {{}, "not a number"};
    return {literal};
}

}  // namespace

std::optional<Constant> parse_literal(std::string_view text) {
    if (text.empty() || digit_value(text[0]) > 9) {
        if (text.size() < 2 || text[0] != '.') return {};
    }
    if (text.size() > 2 && text[0] == '0') {
        char const letter = text[1];
        if (letter == 'f' || letter == 'F' || letter == 'd' || letter == 'D') return parse_exact_float(text);
        if (letter == 'x' || letter == 'X') return parse_integer(text);
    }
    if (text.find_first_of(".eE") != std::string_view::npos) return parse_decimal_float(text);
    return parse_integer(text);
}

Evaluated evaluate(std::span<syntax::Token const> tokens) {
    std::vector<Constant> stack;
    for (syntax::Token const& token : tokens) {
        Outcome outcome;
        std::size_t taken = 2;
        if (token.kind == TokenKind::literal || token.kind == TokenKind::name) taken = 0;
        else if (is_unary(token.kind)) taken = 1;
        else if (token.kind == TokenKind::conditional) taken = 3;
        if (stack.size() < taken) return {{}, "incomplete expression", token.text};
        Constant const* const top = stack.data() + (stack.size() - taken);
        if (taken == 0) outcome = push(token);
        else if (taken > 1 && (top[0].kind == Kind::f32_bits || top[taken - 1].kind == Kind::f32_bits)) {
            outcome.message = "a 0f constant cannot be part of an expression";
        } else if (taken == 1) outcome = unary(token.kind, top[0]);
        else if (taken == 2) outcome = binary(token.kind, top[0], top[1]);
        else outcome = choose(top[0], top[1], top[2]);
        if (!outcome.value) return {{}, outcome.message, token.text};
        stack.resize(stack.size() - taken);
        stack.push_back(*outcome.value);
    }
    if (stack.size() != 1) return {{}, "incomplete expression", tokens.empty() ? "" : tokens.front().text};
    return {stack.back(), {}, {}};
}

Constant negated(Constant value) {
    switch (value.kind) {
        case Kind::f64: value.bits ^= std::uint64_t{1} << 63; break;
        case Kind::f32_bits: value.bits ^= 0x80000000u; break;
        default: value.bits = 0 - value.bits;
    }
    return value;
}

std::optional<std::uint64_t> bits_as(Constant value, isa::Type type) {
    using isa::Type;
    if (type == Type::pred) {
        if (!value.is_integer()) return {};
        return value.bits != 0 ? 1 : 0;
    }
    bool const is_plain = isa::is_untyped(type) || type == Type::f32 || type == Type::f64 ||
                          (isa::is_integer(type) && !isa::is_packed_integer(type));
    if (!is_plain) return {};  // f16, packed types and the small formats have no constants
    if (value.is_integer()) {
        int const width = isa::width(type);
        if (isa::is_float(type)) return {};
        return width >= 64 ? value.bits : value.bits & ((std::uint64_t{1} << width) - 1);
    }
    double const number =
        value.kind == Kind::f64 ? as_double(value) : std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    switch (type) {
        case Type::f64:
        case Type::b64: return std::bit_cast<std::uint64_t>(number);
        case Type::f32:
        case Type::b32:
            if (value.kind == Kind::f32_bits) return value.bits;
            return std::bit_cast<std::uint32_t>(static_cast<float>(number));
        default: return {};
    }
}

}  // namespace warpsim::frontend
