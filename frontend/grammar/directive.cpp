// Directives with plain operands, and .section. A new directive is one line here.
#include "frontend/grammar/grammar.hpp"

// The rules are laid out one alternative per line.
// clang-format off
namespace warpsim::frontend::grammar {

namespace {

using B = Builder;

auto const integer = number[does<&B::number>];
auto const comma = symbol(',')[does<&B::separator>];
auto const end = now[does<&B::end_directive>];
auto const semicolon = required(symbol(';')[does<&B::see>], "',' or ';'");

template <class... Texts>
auto begins(Texts const*... words) {
    return keywords(words...)[does<&B::begin_directive>];
}

template <class Item>
auto one_or_more(Item const& item, char const* expected) {
    return required(item, expected) >> *(comma >> required(item, expected));
}

auto const place = required(integer, "a file number") >> required(integer, "a line number")
                >> required(integer, "a column number");

auto const loc = begins(".loc") >> place
    >> *(comma >> required(keyword("function_name")[does<&B::name>] >> required(symbol_sum, "a label")
                           | keyword("inlined_at")[does<&B::name>] >> place,
                           "'function_name' or 'inlined_at'"))
    >> end;

auto const file = begins(".file") >> required(integer, "a file number")
               >> required(string[does<&B::string>], "a file name in quotes")
               >> *(comma >> required(integer, "a time stamp or size")) >> end;

// An array of labels: N<3> is N0, N1, N2.
auto const target = name[does<&B::name>]
                 >> -(symbol('<')[does<&B::become_family>] >> required(integer, "a count")
                      >> required(symbol('>')[does<&B::close_head>], "'>'"));

auto const word_or_number = integer | name[does<&B::name>];

auto const pragma = begins(".pragma") >> one_or_more(string[does<&B::string>], "a string") >> semicolon;

auto const header = begins(".version", ".target", ".address_size")
                 >> one_or_more(word_or_number, "a name or number") >> end;

auto const targets = begins(".branchtargets", ".calltargets")
                  >> one_or_more(target, "a name") >> semicolon >> end;

auto const alias = begins(".alias") >> one_or_more(name[does<&B::name>], "a function name") >> semicolon >> end;

auto const section = keyword(".section")
                  >> required(any_of(dot_word, name)[does<&B::section_name>], "a section name")
                  >> required(section_text[does<&B::section_body>], "a section's data between '{' and '}'");

auto const tuning_word = begins(".maxntid", ".reqntid", ".minnctapersm", ".maxnreg", ".maxnctapersm",
                                ".reqnctapercluster", ".maxclusterrank", ".abi_preserve", ".abi_preserve_control");

auto const quantity = alone(number, all_operators)[does<&B::number>] | expression;

auto const tuning_flag = begins(".explicitcluster", ".blocksareclusters");

auto const function_directive_def =
    (tuning_word >> one_or_more(quantity, "a number") | tuning_flag | pragma)
    >> now[does<&B::end_function_directive>];

auto const directive_def = loc | pragma >> end | targets | file | header | alias | section;

}  // namespace

BOOST_SPIRIT_DEFINE(directive, function_directive)
BOOST_SPIRIT_INSTANTIATE(directive_rule, Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(function_directive_rule, Iterator, Context)

}  // namespace warpsim::frontend::grammar
