#include "frontend/decode/match.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace match_test {

using namespace warpsim;
using namespace warpsim::frontend;
using isa::Type;

namespace {

struct Matched {
    ir::Module module;
    std::size_t count = 0;
    ir::Form const& form() const { return module.forms.at(0); }
    isa::Row const& row() const { return isa::rows(isa::HostIsa::baseline)[form().row]; }
};

Matched match(std::string_view mnemonic) {
    Matched matched;
    Mnemonics mnemonics(matched.module);
    matched.count = mnemonics.shapes(mnemonic).size();
    return matched;
}

bool is_legal(std::string_view mnemonic) { return match(mnemonic).count > 0; }

std::string explanation(std::string const& mnemonic) {
    Source const source("test.ptx", mnemonic);
    Diagnostics diagnostics(source);
    Mnemonics::explain(source.text(), diagnostics);
    REQUIRE_FALSE(diagnostics.list().empty());
    return diagnostics.list()[0].message;
}

}  // namespace

TEST_CASE("Modifiers are a set: their order does not matter") {
    CHECK(is_legal("add.sat.s32"));
    CHECK(is_legal("add.s32.sat"));
    CHECK(is_legal("ld.f32.v4.global"));
    CHECK(is_legal("shfl.b32.sync.bfly"));
    CHECK(match("ld.f32.v4.global").form().row == match("ld.global.v4.f32").form().row);
}

TEST_CASE("A flag may be said twice, but not a type, a rounding, a comparison or a space") {
    CHECK(is_legal("add.sat.sat.s32"));
    CHECK_FALSE(is_legal("add.s32.s32"));
    CHECK_FALSE(is_legal("add.rn.rz.f32"));
    CHECK_FALSE(is_legal("add.rn.rn.f32"));
    CHECK_FALSE(is_legal("setp.lt.gt.s32"));
    CHECK_FALSE(is_legal("ld.global.shared.f32"));
}

TEST_CASE("Types are an ordered list") {
    Matched const matched = match("cvt.rn.f32.s32");
    REQUIRE(matched.count == 1);
    CHECK(matched.form().types[0] == Type::f32);
    CHECK(matched.form().types[1] == Type::s32);
    CHECK_FALSE(is_legal("cvt.rn.s32.f32"));
    CHECK(is_legal("cvt.rzi.s32.f32"));
}

TEST_CASE("The order matters where PTX says so: .to of cvta and the mode of mad and mul") {
    CHECK(is_legal("cvta.to.global.u64"));
    CHECK_FALSE(is_legal("cvta.global.to.u64"));
    CHECK(is_legal("mad.lo.s32"));
    CHECK_FALSE(is_legal("mad.s32.lo"));
    CHECK_FALSE(is_legal("mul.s32.lo"));
}

TEST_CASE("White space may stand before a dot") {
    CHECK(is_legal("add .s32"));
    CHECK(is_legal("ld.global\n  .f32"));
    CHECK_FALSE(is_legal("add. s32"));
}

TEST_CASE("A mnemonic needs its mandatory modifiers, and is case-sensitive") {
    CHECK_FALSE(is_legal("mul.s32"));
    CHECK_FALSE(is_legal("setp.s32"));
    CHECK_FALSE(is_legal("add"));
    CHECK_FALSE(is_legal("ADD.s32"));
    CHECK_FALSE(is_legal("add.S32"));
}

TEST_CASE("A form says what its modifiers mean") {
    Matched const load = match("ld.relaxed.gpu.global.v2.u32");
    REQUIRE(load.count > 0);
    CHECK(load.form().space == isa::StateSpace::global);
    CHECK(load.form().vector == 2);
    CHECK(load.form().order == isa::Order::relaxed);
    CHECK(load.form().scope == isa::Scope::gpu);
    CHECK(load.form().has(isa::Modifier::relaxed));
    CHECK(load.form().operation == isa::Operation::ld);
    CHECK_FALSE(load.form().has(isa::Modifier::cta));
    Matched const add = match("add.rz.ftz.sat.f32");
    REQUIRE(add.count == 1);
    CHECK(add.form().rounding == isa::Rounding::rz);
    CHECK(add.form().ftz);
    CHECK(add.form().sat);
    CHECK(match("bra.uni").form().uniform);
}

TEST_CASE("Atomics are relaxed at GPU scope unless they say otherwise") {
    Matched const plain = match("atom.global.add.u32");
    REQUIRE(plain.count > 0);
    CHECK(plain.form().order == isa::Order::relaxed);
    CHECK(plain.form().scope == isa::Scope::gpu);
    Matched const ordered = match("atom.acq_rel.sys.global.add.u32");
    REQUIRE(ordered.count > 0);
    CHECK(ordered.form().order == isa::Order::acq_rel);
    CHECK(ordered.form().scope == isa::Scope::sys);
}

TEST_CASE("A compiled-in modifier chooses the variant") {
    Matched const less = match("setp.lt.s32");
    Matched const greater = match("setp.gt.s32");
    REQUIRE(less.count > 0);
    REQUIRE(greater.count > 0);
    CHECK(less.form().row == greater.form().row);
    CHECK(less.form().variant != greater.form().variant);
}

TEST_CASE("The same mnemonic is matched once") {
    ir::Module module;
    Mnemonics mnemonics(module);
    auto const first = mnemonics.shapes("add.s32");
    auto const second = mnemonics.shapes("add.s32");
    CHECK(first.data() == second.data());
    CHECK(module.forms.size() == first.size());
}

TEST_CASE("Every row's own spelling matches the row or one that says the same") {
    for (isa::Row const& row : isa::rows(isa::HostIsa::baseline)) {
        CAPTURE(row.syntax);
        SyntaxLine const line = parse_syntax_line(row);
        CHECK_FALSE(line.opcode.empty());
        REQUIRE_FALSE(row.variants.empty());
        std::string mnemonic(line.opcode);
        isa::Variant const& variant = row.variants[0];
        std::size_t type = 0;
        // A variant gives all types of its line, or only those that the line leaves open.
        auto const slots = std::count_if(line.modifiers.begin(), line.modifiers.end(),
                                         [](ModifierSlot const& slot) { return slot.is_type; });
        auto const given = std::count_if(variant.types.begin(), variant.types.end(),
                                         [](isa::Type t) { return t != isa::Type::none; });
        for (ModifierSlot const& slot : line.modifiers) {
            if (slot.is_open_type) {
                mnemonic += '.';
                mnemonic += isa::name(variant.types[type++]);
                continue;
            }
            if (slot.is_type && given == slots) ++type;
            if (slot.group != 0) continue;
            if (slot.members.empty()) mnemonic += slot.spelling;
            else mnemonic += slot.members[slot.spelling == row.selector ? variant.selector : 0];
        }
        CAPTURE(mnemonic);
        CHECK(is_legal(mnemonic));
    }
}

TEST_CASE("An operand line tells pairs, addresses, negation and what may be missing") {
    isa::Row row;
    row.syntax = "bar.red.op.pred p, a{, b}, {!}c";
    SyntaxLine line = parse_syntax_line(row);
    CHECK(line.least_operands == 3);
    CHECK(line.most_operands == 4);
    CHECK(line.operands[2].group == 1);
    CHECK(line.operands[3].can_be_negated);
    row.syntax = "shfl.sync.mode.b32 d[|p], a, b, c, membermask";
    line = parse_syntax_line(row);
    CHECK(line.operands.size() == 6);
    CHECK(line.least_operands == 5);
    CHECK(line.operands[0].opens_pair);
    CHECK(line.operands[1].closes_pair);
    row.syntax = "ld{.weak}{.ss}.type d, [a]{.unified}{, cache-policy}";
    line = parse_syntax_line(row);
    CHECK(line.operands.size() == 3);
    CHECK(line.operands[1].is_address);
    CHECK(line.least_operands == 2);
}

TEST_CASE("A mnemonic that means nothing is explained") {
    CHECK(explanation("addd.s32") == "unknown instruction 'addd.s32'; did you mean 'add.s32'?");
    CHECK(explanation("add.foo.s32").find("'.foo' is not a modifier of 'add'") == 0);
    CHECK(explanation("add.pred").find("'.pred' is not a legal type of 'add'; legal: .u16, ") == 0);
    CHECK(explanation("add").find("needs a type") != std::string::npos);
    CHECK(explanation("mul.s32") == "'mul.s32' needs another modifier: .lo, .hi or .wide");
    CHECK(explanation("add.rn.rz.f32") == "'.rz' cannot stand beside '.rn'");
}

}  // namespace match_test
