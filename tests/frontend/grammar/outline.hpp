// Syntax trees in a form that fits on the line of a test: `ld.b32 r, [v+-4]` is "r address(v +-#4)".
#pragma once

#include "frontend/grammar/parse.hpp"

#include <memory>
#include <string>
#include <utility>

namespace warpsim::frontend::test {

/// A text with everything that the parser made of it.
struct Parsed {
    explicit Parsed(std::string text)
        : source(std::make_unique<Source>("test.ptx", std::move(text))),
          diagnostics(std::make_unique<Diagnostics>(*source)),
          module(grammar::parse(*source, *diagnostics)) {}

    bool ok() const { return diagnostics->error_count() == 0; }

    std::unique_ptr<Source> source;
    std::unique_ptr<Diagnostics> diagnostics;
    syntax::Module module;
};

inline std::string outline(syntax::Module const& module, syntax::PoolRange nodes);

inline std::string token_text(syntax::Token const& token) {
    static char const* const operators[] = {
        "neg", "pos", "not", "com", "s64", "u64", "*", "/", "%", "+",  "-",  "<<", ">>",
        "<",   ">",   "<=",  ">=",  "==",  "!=",  "&", "^", "|", "&&", "||", "?:"};
    using Kind = syntax::Token::Kind;
    if (token.kind == Kind::literal || token.kind == Kind::name) return std::string(token.text);
    return operators[static_cast<int>(token.kind) - static_cast<int>(Kind::negate)];
}

/// `<4 2 *>`, in postfix order.
inline std::string token_outline(syntax::Module const& module, syntax::PoolRange tokens) {
    std::string result;
    for (syntax::Token const& token : module.token_range(tokens)) {
        result += (result.empty() ? "" : " ") + token_text(token);
    }
    return "<" + result + ">";
}

inline std::string outline(syntax::Module const& module, std::uint32_t index) {
    using Kind = syntax::Node::Kind;
    syntax::Node const& node = module.nodes[index];
    std::string result;
    if (node.separator != 0) result += node.separator;
    if (node.negated) result += '!';
    if (node.minus) result += '-';
    std::string const text(node.text);
    std::string const children = "(" + outline(module, {index + 1, node.size - 1}) + ")";
    switch (node.kind) {
        case Kind::name:
        case Kind::string: return result + text;
        case Kind::literal: return result + "#" + text;
        case Kind::expression: return result + token_outline(module, node.tokens);
        case Kind::address: return result + (text.ends_with(".unified") ? "unified" : "address") + children;
        case Kind::indexed: return result + text + "[]" + children;
        case Kind::vector: return result + "vector" + children;
        case Kind::tuple: return result + "tuple" + children;
        case Kind::pair: return result + "pair" + children;
        case Kind::apply: return result + text + "()" + children;
        case Kind::sum: return result + "sum" + children;
        case Kind::assignment: return result + text + "=" + children;
        case Kind::family: return result + text + "<>" + children;
    }
    return result;
}

inline std::string outline(syntax::Module const& module, syntax::PoolRange nodes) {
    std::string result;
    for (std::uint32_t i = nodes.first; i < nodes.first + nodes.count; i += module.nodes[i].size) {
        result += (result.empty() ? "" : " ") + outline(module, i);
    }
    return result;
}

}  // namespace warpsim::frontend::test
