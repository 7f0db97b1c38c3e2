// An expression that was read.
#pragma once

#include "runtime/debug/expression.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::debug {

struct Expression::Node {
    enum class Kind : std::uint8_t { literal, name, unary, binary, conditional, assignment, member, arrow, cast };
    Kind kind = Kind::literal;
    std::string text;  // the operator, the name, the member
    Value value;
    TypePointer type;
    std::vector<std::unique_ptr<Node>> operands;
};

/// Throws Error(usage).
std::unique_ptr<Expression::Node> parsed(std::string_view text, Scope& types);

}  // namespace warpsim::debug
