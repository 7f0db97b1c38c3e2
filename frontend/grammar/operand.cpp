// Operands of instructions: names, constants, addresses, vectors, pairs, and the argument lists of calls.
#include "frontend/grammar/grammar.hpp"

// The rules are laid out one alternative per line.
// clang-format off
namespace warpsim::frontend::grammar {

namespace {

using B = Builder;

x3::rule<struct vector_class> const vector = "vector";
x3::rule<struct address_terms_class> const address_terms = "address";
x3::rule<struct index_class> const index = "index";

auto const plus_or_minus = any_of(symbol('+'), symbol('-'));

auto const constant_term = alone(number, term_operators)[does<&B::number>]
                         | symbol('-') >> (alone(number, term_operators)[does<&B::minus_number>]
                                          | alone(selected_name, term_operators)[does<&B::minus_name>]);

auto const address_term = selected_name[does<&B::name>] >> -index
                        | constant_term
                        | vector
                        | term;

auto const address_terms_def =
    address_term >> *(any_of(plus_or_minus, symbol(','))[does<&B::separator>]
                      >> required(address_term, "a name, constant or vector"));

auto const index_def = symbol('[')[does<&B::become_indexed>]
                    >> required(nested(address_terms), "an index")
                    >> required(symbol(']')[does<&B::close_head>], "']'");

auto const address = symbol('[')[does<&B::open_address>]
                  >> required(address_terms, "an address")
                  >> required(symbol(']')[does<&B::close>], "']' or an offset")
                  >> -keyword(".unified")[does<&B::address_suffix>];

auto const vector_def = symbol('{')[does<&B::open_vector>]
                     >> required(list(nested(operand), "an operand"), "an operand")
                     >> required(symbol('}')[does<&B::close>], "',' or '}'");

auto const pair_tail = symbol('|')[does<&B::wrap_pair>]
                    >> required(selected_name[does<&B::name>], "a name")
                    >> now[does<&B::close_wrapped>];

auto const constant_operand = alone(number, all_operators)[does<&B::number>]
                            | symbol('-') >> (alone(number, all_operators)[does<&B::minus_number>]
                                             | alone(selected_name, all_operators)[does<&B::minus_name>])
                            | alone(warp_size, all_operators)[does<&B::name>];

auto const operand_def = selected_name[does<&B::name>] >> -(pair_tail | index | sum_tail)
                       | address
                       | vector >> -pair_tail
                       | symbol('!') >> selected_name[does<&B::negated_name>]
                       | constant_operand
                       | expression;

auto const tuple_def = symbol('(')[does<&B::open_tuple>]
                    >> -list(nested(operand), "an argument")
                    >> required(symbol(')')[does<&B::close>], "',' or ')'");

auto const sum_term = selected_name[does<&B::name>] | constant_term | term;

auto const sum_tail_def = plus_or_minus[does<&B::wrap_sum>]
                       >> required(sum_term, "an offset")
                       >> *(plus_or_minus[does<&B::separator>] >> required(sum_term, "an offset"))
                       >> now[does<&B::close_wrapped>];

}  // namespace

BOOST_SPIRIT_DEFINE(vector, address_terms, index, operand, tuple, sum_tail)
BOOST_SPIRIT_INSTANTIATE(operand_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(tuple_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(sum_tail_rule, Iterator, Context)

}  // namespace warpsim::frontend::grammar
