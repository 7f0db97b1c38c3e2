// Constants and constant expressions, with the rules of PTX: 64-bit signed or unsigned integers, and doubles.
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
        f32_bits,  // 0f...: an exact single, which takes no part in expressions
    };
    Kind kind = Kind::s64;
    std::uint64_t bits = 0;

    bool is_integer() const { return kind == Kind::s64 || kind == Kind::u64; }
    std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
};

/// The value of a literal as written (no sign); nothing when it is not one.
std::optional<Constant> parse_literal(std::string_view text);

/// A constant, or why there is none and where.
struct Evaluated {
    std::optional<Constant> value;
    std::string message;
    std::string_view where;
};

/// Evaluates a postfix expression. WARP_SZ is the only name that has a value.
Evaluated evaluate(std::span<syntax::Token const> tokens);
Constant negated(Constant value);

/// The bits of a constant as an operand of a type; nothing when the constant cannot stand there (an integer where
/// a floating-point number is wanted, or the other way round, or a type that has no constants).
std::optional<std::uint64_t> bits_as(Constant value, isa::Type type);

}  // namespace warpsim::frontend
