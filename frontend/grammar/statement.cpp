// Statements: labels, instructions, blocks. Everything else begins with a dot and is a directive or a declaration.
#include "frontend/grammar/grammar.hpp"

// The rules are laid out one alternative per line.
// clang-format off
namespace warpsim::frontend::grammar {

namespace {

using B = Builder;

x3::rule<struct instruction_class> const instruction = "instruction";

struct IsCall {
    template <class ParseContext>
    void operator()(ParseContext const& context) const {
        x3::_pass(context) = builder_of(context).is_call();
    }
};

auto const label = (name >> x3::omit[symbol(':')])[does<&B::label>];

auto const guard = symbol('@') >> required(symbol('!') >> required(name[does<&B::negated_guard>], "a predicate")
                                           | name[does<&B::guard>],
                                           "a predicate");

auto const one_operand = operand >> now[does<&B::operand>];
auto const call_operand = (tuple | operand) >> now[does<&B::operand>];

// Parentheses enclose the arguments of a call; in any other instruction they belong to a constant expression.
auto const operands = now[IsCall{}] >> list(call_operand, "an operand")
                    | list(one_operand, "an operand");

auto const body = Mnemonic{}[does<&B::opcode>] >> *dot_word[does<&B::modifiers>] >> -operands
               >> required(symbol(';')[does<&B::end_instruction>], "',' or ';'");

auto const instruction_def =
    now[does<&B::begin_instruction>]
    >> (body
        | guard >> required(symbol('{')[does<&B::open_block>] | body, "an instruction"));

auto const block = symbol('}')[does<&B::close_brace>]
                 | symbol('{')[does<&B::open_block>];

auto const dotted = &symbol('.') >> (directive | declaration | prototype);

auto const statement_def =
    here[does<&B::begin_statement>] >> (label | dotted | dwarf_line | instruction | block);

}  // namespace

BOOST_SPIRIT_DEFINE(instruction, statement)
BOOST_SPIRIT_INSTANTIATE(statement_rule, Iterator, Context)

}  // namespace warpsim::frontend::grammar
