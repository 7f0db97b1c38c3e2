// Constant expressions. The rules know operands and operators; the Builder orders them by precedence.
#include "frontend/grammar/grammar.hpp"

// The rules are laid out one alternative per line.
// clang-format off
namespace warpsim::frontend::grammar {

namespace {

using Level = BinaryOperator::Level;
using B = Builder;

x3::rule<struct conditional_class> const conditional = "constant expression";
x3::rule<struct unary_class> const unary = "constant";

auto const primary = number[does<&B::literal_token>]
                   | name[does<&B::name_token>]
                   | symbol('(') >> required(conditional, "a constant expression")
                                 >> required(symbol(')')[does<&B::see>], "')' or an operator");

auto const unary_def = +PrefixOperator{}[does<&B::push_prefix>] >> required(primary, "a constant")
                     | primary;

auto operators(Level lowest) {
    return now[does<&B::enter_operators>] >> unary
        >> *(BinaryOperator(lowest)[does<&B::push_operator>] >> required(unary, "a constant"))
        >> now[does<&B::leave_operators>];
}

auto const conditional_def = nested(
    operators(Level::any)
    >> -(symbol('?') >> required(conditional, "a constant expression")
         >> required(symbol(':'), "':' of the conditional expression")
         >> required(conditional, "a constant expression")
         >> now[does<&B::conditional_token>]));

BOOST_SPIRIT_DEFINE(conditional, unary)

}  // namespace

auto const expression_def =
    here[does<&B::begin_expression>] >> conditional >> now[does<&B::end_expression>];
auto const term_def =
    here[does<&B::begin_expression>] >> operators(Level::multiplicative) >> now[does<&B::end_expression>];
auto const count_def = now[does<&B::begin_tokens>] >> operators(Level::additive);
auto const constant_def = now[does<&B::begin_tokens>] >> conditional;

BOOST_SPIRIT_DEFINE(expression, term, count, constant)
BOOST_SPIRIT_INSTANTIATE(expression_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(term_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(count_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(constant_rule, Iterator, Context)

}  // namespace warpsim::frontend::grammar
