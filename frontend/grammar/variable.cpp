// Declarations of variables and parameters.
#include "frontend/grammar/grammar.hpp"

// The rules are laid out one alternative per line.
// clang-format off
namespace warpsim::frontend::grammar {

namespace {

using B = Builder;

x3::rule<struct specifiers_class> const specifiers = "type";
x3::rule<struct declarator_class> const declarator = "declarator";

auto const space_word = keywords(".reg", ".param", ".shared", ".global", ".const", ".local", ".sreg", ".tex");

// Before PTX 2.2 a declaration could name a bank of constant memory: .const[3]
auto const bank = symbol('[') >> number >> required(symbol(']')[does<&B::space_bank>], "']'");

auto const pointed = keywords(".global", ".shared", ".const", ".local", ".param", ".texref", ".samplerref", ".surfref");

auto const vector_word = keywords(".v2", ".v4", ".v3", ".v8");

auto const specifiers_def =
    *(keyword(".align") >> required(constant, "an alignment") >> now[does<&B::align>]
      | keyword(".ptr")[does<&B::pointer>] >> -pointed[does<&B::pointer_space>]
      | vector_word[does<&B::vector_width>]
      | attributes >> now[does<&B::end_variable_attributes>]
      | dot_word[does<&B::type>]);

auto const dimension = symbol('[')[does<&B::begin_dimension>] >> -constant
                    >> required(symbol(']')[does<&B::see>], "']'")
                    >> now[does<&B::dimension>];

auto const declarator_def =
    name[does<&B::begin_declarator>]
    >> -(symbol('<') >> required(count, "a count") >> now[does<&B::count>]
         >> required(symbol('>')[does<&B::see>], "'>'"))
    >> *dimension
    >> -(symbol('=')[does<&B::begin_initializer>] >> required(value, "an initial value")
         >> now[does<&B::end_initializer>])
    >> now[does<&B::end_declarator>];

// `.align 8 .global .u32 x`
auto const align_ahead = keyword(".align") >> required(constant, "an alignment") >> now[does<&B::align_ahead>];

auto const begin_variable = space_word[does<&B::begin_variable>];
auto const begin_parameter = space_word[does<&B::begin_parameter>];

auto const variable_def =
    (begin_variable | align_ahead >> required(begin_variable, "a state space")) >> -bank >> specifiers
    >> required(list(declarator, "a name"), "a name")
    >> required(symbol(';')[does<&B::end_variable>], "',' or ';'");

auto const parameter_def =
    nested((begin_parameter | align_ahead >> required(begin_parameter, "a state space"))
           >> specifiers >> required(declarator, "a name") >> now[does<&B::end_parameter>]);

auto const attribute = dot_word[does<&B::name>]
                    >> -(symbol('(')[does<&B::become_apply>]
                         >> required(list(value, "a value"), "a value")
                         >> required(symbol(')')[does<&B::close_head>], "',' or ')'"));

auto const attributes_def =
    keyword(".attribute")[does<&B::begin_attributes>] >> required(symbol('('), "'('")
    >> required(list(attribute, "an attribute"), "an attribute")
    >> required(symbol(')')[does<&B::see>], "',' or ')'");

}  // namespace

BOOST_SPIRIT_DEFINE(specifiers, declarator, variable, parameter, attributes)
BOOST_SPIRIT_INSTANTIATE(variable_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(parameter_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(attributes_rule, Iterator, Context)

}  // namespace warpsim::frontend::grammar
