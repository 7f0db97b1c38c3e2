// The rules that the files of this folder share, and the parser directives (in the library's sense) that they are
// written with. A rule has no attribute: what it reads goes to the Builder in the parse context.
#pragma once

#include "frontend/grammar/builder.hpp"
#include "frontend/grammar/lexemes.hpp"

#include <functional>

namespace warpsim::frontend::grammar {

struct BuilderTag;
using Context = x3::context<BuilderTag, std::reference_wrapper<Builder>, x3::phrase_parse_context<Skipper>::type>;

template <class ParseContext> Builder& builder_of(ParseContext const& context) {
    return x3::get<BuilderTag>(context).get();
}

/// `parser[does<&Builder::name>]` calls the method, passing what was read if the method takes it.
template <auto Method> struct Does {
    template <class ParseContext> void operator()(ParseContext const& context) const {
        Builder& builder = builder_of(context);
        if constexpr (requires { (builder.*Method)(x3::_attr(context)); }) {
            (builder.*Method)(x3::_attr(context));
        } else {
            (builder.*Method)();
        }
    }
};
template <auto Method> inline constexpr Does<Method> does{};

/// Thrown where the text cannot be read any further. `expected` completes the sentence "expected ...".
struct SyntaxError {
    Iterator where;
    char const* expected;
};

/// Thrown where braces, brackets or parentheses are nested deeper than Builder::nesting_limit.
struct TooDeep {
    Iterator where;
};

template <class Subject> struct Required : x3::unary_parser<Subject, Required<Subject>> {
    using attribute_type = x3::unused_type;
    static bool const has_attribute = false;

    constexpr Required(Subject const& inner, char const* expected)
        : x3::unary_parser<Subject, Required<Subject>>(inner), expected_(expected) {}

    template <class ParseContext, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, ParseContext const& context, RuleContext& rule,
               Attribute& attribute) const {
        if (!this->subject.parse(first, last, context, rule, attribute)) throw SyntaxError{first, expected_};
        return true;
    }

private:
    char const* expected_;
};

/// The point of no return: either the parser matches or the statement is in error.
template <class Subject> constexpr auto required(Subject const& inner, char const* expected) {
    return Required<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(inner), expected);
}

template <class Subject> struct Nested : x3::unary_parser<Subject, Nested<Subject>> {
    using attribute_type = x3::unused_type;
    static bool const has_attribute = false;

    explicit constexpr Nested(Subject const& inner) : x3::unary_parser<Subject, Nested<Subject>>(inner) {}

    template <class ParseContext, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, ParseContext const& context, RuleContext& rule,
               Attribute& attribute) const {
        Level const level(builder_of(context), first);
        return this->subject.parse(first, last, context, rule, attribute);
    }

private:
    struct Level {
        Level(Builder& builder, Iterator where) : builder_(builder) {
            if (builder.depth == Builder::nesting_limit) throw TooDeep{where};
            ++builder.depth;
        }
        Level(Level const&) = delete;
        ~Level() { --builder_.depth; }
        Builder& builder_;
    };
};

/// A rule that may contain itself. Limits the depth, so that bad input cannot exhaust the host's stack.
template <class Subject> constexpr auto nested(Subject const& inner) {
    return Nested<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(inner));
}

template <class Subject> constexpr auto alone(Subject const& inner, char const* operators) {
    return Alone<Subject>(inner, operators);
}

inline constexpr char const* all_operators = "+-*/%<>=!&|^?(";
inline constexpr char const* term_operators = "*/%(";

inline Name const name;
inline SelectedName const selected_name;
inline Number const number;
inline String const string;
inline DotWord const dot_word;
inline Here const here;
inline Now const now;
inline DwarfLine const dwarf_line;
inline SectionText const section_text;
inline WarpSize const warp_size;
inline Keyword keyword(char const* text) { return Keyword(text); }
inline Symbol symbol(char c) { return Symbol(c); }
template <class... Words> constexpr auto any_of(Words const&... words) { return AnyOf<Words...>(words...); }
template <class... Texts> constexpr auto keywords(Texts const*... texts) { return any_of(Keyword(texts)...); }

/// `item, item, ...`: after a comma there must be another item.
template <class Item> auto list(Item const& item, char const* expected) {
    return item >> *(symbol(',') >> required(item, expected));
}

// expression.cpp
using expression_rule = x3::rule<struct expression_class>;  // a constant expression, as a node
using term_rule = x3::rule<struct term_class>;              // without operators below * / %, as a node
using count_rule = x3::rule<struct count_class>;            // without operators below + -, as tokens
using constant_rule = x3::rule<struct constant_class>;      // a constant expression, as tokens
BOOST_SPIRIT_DECLARE(expression_rule, term_rule, count_rule, constant_rule)
inline expression_rule const expression = "constant expression";
inline term_rule const term = "term";
inline count_rule const count = "count";
inline constant_rule const constant = "constant";

// operand.cpp
using operand_rule = x3::rule<struct operand_class>;
using tuple_rule = x3::rule<struct tuple_class>;
using sum_tail_rule = x3::rule<struct sum_tail_class>;  // +4 after a name
BOOST_SPIRIT_DECLARE(operand_rule, tuple_rule, sum_tail_rule)
inline operand_rule const operand = "operand";
inline tuple_rule const tuple = "tuple";
inline sum_tail_rule const sum_tail = "offset";

// initializer.cpp
using value_rule = x3::rule<struct value_class>;            // 1  {1, 2}  a+4  generic(a)
using symbol_sum_rule = x3::rule<struct symbol_sum_class>;  // a  .debug_str+16
BOOST_SPIRIT_DECLARE(value_rule, symbol_sum_rule)
inline value_rule const value = "value";
inline symbol_sum_rule const symbol_sum = "symbol";

// declaration.cpp
using declaration_rule = x3::rule<struct declaration_class>;  // a variable or function with its linkage
using prototype_rule = x3::rule<struct prototype_class>;
BOOST_SPIRIT_DECLARE(declaration_rule, prototype_rule)
inline declaration_rule const declaration = "declaration";
inline prototype_rule const prototype = "prototype";

// variable.cpp
using variable_rule = x3::rule<struct variable_class>;
using parameter_rule = x3::rule<struct parameter_class>;
using attributes_rule = x3::rule<struct attributes_class>;
BOOST_SPIRIT_DECLARE(variable_rule, parameter_rule, attributes_rule)
inline variable_rule const variable = "variable";
inline parameter_rule const parameter = "parameter";
inline attributes_rule const attributes = "attributes";

// directive.cpp
using directive_rule = x3::rule<struct directive_class>;
using function_directive_rule = x3::rule<struct function_directive_class>;
BOOST_SPIRIT_DECLARE(directive_rule, function_directive_rule)
inline directive_rule const directive = "directive";
inline function_directive_rule const function_directive = "function directive";

// statement.cpp
using statement_rule = x3::rule<struct statement_class>;
BOOST_SPIRIT_DECLARE(statement_rule)
inline statement_rule const statement = "statement";

}  // namespace warpsim::frontend::grammar
