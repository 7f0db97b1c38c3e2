// Initial values of variables: nested lists, addresses with offsets, generic() and mask operators, sampler
// settings.
#include "frontend/grammar/grammar.hpp"

// The rules are laid out one alternative per line.
// clang-format off
namespace warpsim::frontend::grammar {

namespace {

using B = Builder;

auto const arguments = symbol('(')[does<&B::become_apply>]
                    >> required(list(value, "an argument"), "an argument")
                    >> required(symbol(')')[does<&B::close_head>], "',' or ')'");

auto const assigned = symbol('=')[does<&B::become_assignment>]
                   >> required(value, "a value")
                   >> now[does<&B::close_assignment>];

auto const values = symbol('{')[does<&B::open_vector>]
                 >> -list(value, "a value")
                 >> required(symbol('}')[does<&B::close>], "',' or '}'");

// The manual's mask() is written as the mask itself: 0xFF00(table).
auto const masked = (number >> &symbol('('))[does<&B::number>] >> arguments >> -sum_tail;

auto const symbolic = selected_name[does<&B::name>] >> -(assigned | arguments) >> -sum_tail;

auto const value_def = nested(alone(number, all_operators)[does<&B::number>]
                              | values
                              | symbol('-') >> alone(number, all_operators)[does<&B::minus_number>]
                              | masked
                              | symbolic
                              | alone(warp_size, all_operators)[does<&B::name>]
                              | string[does<&B::string>]
                              | expression);

auto const symbol_sum_def = any_of(name, dot_word)[does<&B::name>] >> -sum_tail;

}  // namespace

BOOST_SPIRIT_DEFINE(value, symbol_sum)
BOOST_SPIRIT_INSTANTIATE(value_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(symbol_sum_rule, Iterator, Context)

}  // namespace warpsim::frontend::grammar
