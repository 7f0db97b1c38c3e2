// Declarations at module scope: functions and variables with their linkage. Also call prototypes.
#include "frontend/grammar/grammar.hpp"

// The rules are laid out one alternative per line.
// clang-format off
namespace warpsim::frontend::grammar {

namespace {

using B = Builder;

x3::rule<struct function_tail_class> const function_tail = "function";
x3::rule<struct parameters_class> const parameters = "parameters";
x3::rule<struct returns_class> const returns = "return parameters";

auto const linkage = keywords(".visible", ".extern", ".weak", ".common");

auto const parameter_list = -list(parameter, "a parameter");

auto const parameters_def = symbol('(')[does<&B::begin_parameters>] >> parameter_list
                         >> required(symbol(')')[does<&B::see>], "',' or ')'")
                         >> now[does<&B::end_parameters>];

auto const returns_def = symbol('(')[does<&B::begin_returns>] >> parameter_list
                      >> required(symbol(')')[does<&B::see>], "',' or ')'")
                      >> now[does<&B::end_returns>];

auto const tuning = *(keyword(".noreturn")[does<&B::noreturn>] | function_directive);

auto const function_attributes = -(attributes >> now[does<&B::end_function_attributes>]);

auto const function_tail_def =
    required(name[does<&B::function_name>], "a function name")
    >> -parameters >> now[does<&B::begin_function_directives>] >> tuning;

char const* const expected_end = "'{', ';' or a performance directive";

auto const header_end = symbol('{')[does<&B::open_body>] | symbol(';')[does<&B::end_declaration>];

// Compilers of CUDA 2 to 4 wrote no semicolon behind the declaration of a function. A directive or the end of the
// file shows that it has ended.
auto const bare_end = (&symbol('.') | x3::eoi) >> now[does<&B::end_bare_declaration>];

auto const function =
    keyword(".func")[does<&B::begin_func>] >> function_attributes
        >> -returns >> function_tail >> required(header_end | bare_end, expected_end)
    | keyword(".entry")[does<&B::begin_entry>] >> function_attributes
        >> function_tail >> required(header_end, expected_end);

auto const declaration_def =
    variable
    | function
    | linkage[does<&B::linkage>]
          >> required(variable | function, "'.entry', '.func' or a state space");

auto const prototype_def =
    keyword(".callprototype")[does<&B::begin_prototype>] >> -returns
    >> required(name[does<&B::function_name>], "'_' for the function's name") >> -parameters
    >> now[does<&B::begin_function_directives>] >> tuning
    >> required(symbol(';')[does<&B::end_declaration>], "';'");

}  // namespace

BOOST_SPIRIT_DEFINE(parameters, returns, function_tail, declaration, prototype)
BOOST_SPIRIT_INSTANTIATE(declaration_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(prototype_rule, Iterator, Context)

}  // namespace warpsim::frontend::grammar
