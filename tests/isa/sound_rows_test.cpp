// The compiler refuses a chapter whose rows are not sound; these tests cover what it detects.
#include "frontend/isa/sound_rows.hpp"
#include "frontend/isa/table.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace sound_rows_test {

using namespace warpsim::isa;
using namespace warpsim::isa::operand_words;

namespace {

constexpr Variant of_u32[] = {{{Type::u32}, Type::u32, {}, 0, 0, nullptr, nullptr, nullptr, nullptr}};

constexpr Row row(std::string_view syntax, OperandList const& operands) {
    return {syntax, since(1, 0), Unit::lsu, &effects::load, of_u32, {}, operands};
}
constexpr bool is_sound(std::string_view syntax, OperandList const& operands) {
    return problem_of(row(syntax, operands)).empty();
}
constexpr OperandList loaded = operands(out(first_type), address);

// The compiler itself says so.
static_assert(is_sound("ld{.ss}.type d, [a]", loaded));
static_assert(!is_sound("ld{.ss}.type d", loaded));

}  // namespace

TEST_CASE("Every row is sound", "[isa]") {
    for (Row const& row : rows(HostIsa::baseline)) {
        INFO(row.syntax);
        CHECK(problem_of(row) == "");
    }
}

TEST_CASE("A line and operands that contradict each other are found", "[isa]") {
    CHECK(is_sound("ld{.ss}.type d, [a]{, cache-policy}", operands(loaded, optional(Type::u64))));
    CHECK(problem_of(row("ld{.ss.type d, [a]", loaded)) == "a brace is missing, or a character has no meaning");
    CHECK(problem_of(row("ld{.sss}.type d, [a]", loaded)) == "a modifier is no word, no class and no type");
    CHECK(problem_of(row("ld{.ss} d, [a], b", loaded)) == "the line has more operands");
    CHECK(problem_of(row("ld{.ss} d", loaded)) == "the line has fewer operands");
    CHECK(problem_of(row("ld.type d, a", loaded)) == "an operand in brackets is an address, and no other is");
    CHECK(problem_of(row("ld.type d{, [a]}", loaded)) == "an operand in braces is optional, and no other is");
    CHECK(problem_of(row("ld.type d|p, [a]", loaded)) == "a predicate stands behind a bar, and nowhere else");
    CHECK(problem_of(row("ld.type d, [a, b]", loaded)) == "the brackets have another number of parts");
    CHECK(problem_of(row("ld.type _, [a]", loaded)) == "only a sink is printed as _");
    CHECK(problem_of(row("ld.type.btype d, [a]", loaded)) == "the line has another number of types");
    CHECK(problem_of(row("ld.type {a, b}, [a]", operands(list(3, first_type), address))) ==
          "a list has another length");
}

TEST_CASE("A row says which modifier is compiled in, and how many sources its functions take", "[isa]") {
    Row const& compare = *std::find_if(rows(HostIsa::baseline).begin(), rows(HostIsa::baseline).end(),
                                       [](Row const& r) { return r.syntax.starts_with("setp.CmpOp.type"); });
    Row other = compare;
    CHECK(problem_of(other) == "");
    other.selector = ".rnd";
    CHECK(problem_of(other) == "the modifier that is compiled in does not stand in the line");
    other = compare;
    other.syntax = "setp.CmpOp.type p, a";
    CHECK(problem_of(other) == "the function takes another number of sources");
    other.syntax = "setp.CmpOp.BoolOp.type p, a, b, {!}c";
    CHECK(problem_of(other) == "");
}

}  // namespace sound_rows_test
