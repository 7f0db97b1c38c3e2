// Constants and constant expressions by the rules of PTX: 64-bit signed or unsigned integers, and doubles.
#pragma once

#include "frontend/isa/types.hpp"
#include "frontend/syntax.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace warpsim::frontend {

struct Constant {
    enum class Kind : std::uint8_t {
        s64,
        u64,
        f64,
        f32_bits,  // 0f...: the exact bits of a single; not allowed in expressions
    };
    Kind kind = Kind::s64;
    std::uint64_t bits = 0;

    bool is_integer() const { return kind == Kind::s64 || kind == Kind::u64; }
    std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
};

/// The value of a literal as written (without a sign); nothing when the text is not a literal.
std::optional<Constant> parse_literal(std::string_view text);

/// A constant, or the reason why there is none, with its place.
struct Evaluated {
    std::optional<Constant> value;
    std::string message;
    std::string_view where;
};

/// Evaluates a postfix expression. WARP_SZ is the only name that has a value.
Evaluated evaluate(std::span<syntax::Token const> tokens);
Constant negated(Constant value);

/// The bits of a constant as an operand of a type; nothing when the constant cannot stand there (an integer where
/// a floating-point number is required, or the reverse, or a type that has no constants).
std::optional<std::uint64_t> bits_as(Constant value, isa::Type type);

}  // namespace warpsim::frontend
