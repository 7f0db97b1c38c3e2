// Branches that a compiler turns into guards, and what it inserts where lanes diverge and reconverge.
#include "tests/timing/plan_support.hpp"

#include <algorithm>

namespace plan_branches_test {

using namespace warpsim;
using namespace warpsim::test;
using timing::Fate;

namespace {

/// Every third thread, and no thread of the second warp, stores a sum of two loads.
constexpr char const* hammock = R"(
and.b32 %r1, %i, 3;
setp.ne.u32 %p1, %r1, 1;
setp.gt.u32 %p2, %i, 31;
or.pred %p1, %p1, %p2;
mov.u32 %r2, 5;
ld.global.u32 %r4, [%in+256];
@%p1 bra past;
mul.wide.u32 %d1, %i, 4;
add.s64 %d2, %in, %d1;
ld.global.u32 %r3, [%d2];
add.u32 %r2, %r3, %i;
st.global.u32 [%o4], %r2;
past:
add.u32 %r2, %r2, %r4;
st.global.u32 [%o4+512], %r2;
)";

}  // namespace

TEST_CASE("A short path that a branch jumps over is guarded instead, and counts as before", "[timing]") {
    Compiled k(hammock);
    CHECK(k.function().function->blocks.size() == 1);
    CHECK(k.fate("@%p1 bra past") == Fate::folded);
    CHECK(k.fate("mul.wide.u32 %d1") == Fate::folded);  // guards do not prevent folding
    auto const& load = k.function().function->instructions[k.place("ld.global.u32 %r3")];
    CHECK(load.guard != ir::none);
    CHECK(load.guard_negated);
    CHECK(k.function().function->instructions[k.place("st.global.u32 [%o4+512]")].guard == ir::none);
    check_as_functional(k, 1);
}

TEST_CASE("Loads are guarded where others are waited for at the same time, as by ptxas", "[timing]") {
    struct Row {
        char const *head, *path, *meet;
        bool is_guarded;  // by ptxas 13.0 for 7.5 and 8.0
        bool is_guarded_for_90;
    };
    for (Row const& row : std::initializer_list<Row>{
             {"", "ld.global.u32 %r1, [%in];", "st.global.u32 [%o4], %r1;", false, false},
             {"", "ld.shared.u32 %r1, [area+8];", "st.global.u32 [%o4], %r1;", true, true},
             {"", "ld.global.u32 %r1, [%in];",
              "ld.global.u32 %r2, [%in+64]; add.u32 %r1, %r1, %r2; st.global.u32 [%o4], %r1;", true, true},
             {"ld.global.u32 %r2, [%in+64];", "ld.global.u32 %r1, [%in];",
              "add.u32 %r1, %r1, %r2; st.global.u32 [%o4], %r1;", true, true},
             {"ld.global.u32 %r2, [%in+64]; st.global.u32 [%o4+8], %r2;", "ld.global.u32 %r1, [%in];",
              "st.global.u32 [%o4], %r1;", false, false},
             {"", "ld.global.u32 %r2, [%in]; st.global.u32 [%o4+8], %r2;",
              "ld.global.u32 %r2, [%in+64]; st.global.u32 [%o4], %r2;", false, false},
             {"ld.global.u32 %r3, [%in+64];", "ld.global.u32 %r2, [%in]; st.global.u32 [%o4+8], %r2;",
              "st.global.u32 [%o4], %r3;", true, true},
             {"", "ld.global.u32 %r2, [%in]; st.shared.u32 [area], %r2;",
              "bar.sync 0; ld.shared.u32 %r3, [area+4]; st.global.u32 [%o4], %r3;", false, true}}) {
        std::string const body = std::string("mov.u32 %r1, 5; setp.gt.u32 %p1, %i, 20; ") + row.head +
                                 "@%p1 bra past; " + row.path + " past: " + row.meet;
        INFO(body);
        for (std::string const config : {"rtx2060", "a100", "h100"}) {
            INFO(config);
            Compiled const k(body, "", config);
            bool const is_guarded = k.function().function->blocks.size() == 1;
            CHECK(is_guarded == (config == "h100" ? row.is_guarded_for_90 : row.is_guarded));
        }
    }
}

TEST_CASE("What only the guarded path mentions lives there only", "[timing]") {
    // Four loads, one after the other in the PTX, of which nothing is live before them.
    std::string body = "setp.gt.u32 %p1, %i, 40;\n";
    for (int i = 0; i < 4; ++i) {
        std::string const n = std::to_string(i);
        body += "@%p1 bra past" + n + ";\nld.global.u32 %r" + n + ", [%in+" + n + "0];\nst.shared.u32 [area+" +
                std::to_string(4 * i) + "], %r" + n + ";\npast" + n + ":\n";
    }
    Compiled const k(body + "st.global.u32 [%o4], %i;\n");
    CHECK(k.function().function->blocks.size() == 1);
    CHECK(k.place("ld.global.u32 %r3") < k.place("st.shared.u32 [area+0]"));
    ir::BlockLiveness const live = ir::find_block_liveness(timing::machine_uses(k.function()));
    CHECK(live.in[0].size() == 0);
}

TEST_CASE("Of two short paths that stand in the other order each gets its guard, and counts as before",
          "[timing]") {
    for (char const* const condition : {"setp.gt.u32 %p1, %i, 20;\n", "setp.gt.u32 %p1, %i, 31;\n"}) {
        INFO(condition);
        Compiled k(std::string("ld.global.u32 %r4, [%in];\n") + condition + R"(
@%p1 bra high;
bra.uni low;
high:
add.u32 %r2, %i, 7;
mul.lo.u32 %r3, %r2, %i;
bra.uni done;
low:
xor.b32 %r3, %i, 99;
done:
add.u32 %r5, %r3, %r4;
st.global.u32 [%o4], %r5;
)");
        CHECK(k.function().function->blocks.size() == 1);
        CHECK(k.place("mul.lo.u32 %r3") < k.place("add.u32 %r5"));  // the load is not waited for
        check_as_functional(k, 2);
    }
}

TEST_CASE("Of two short paths each gets its guard, and counts as before", "[timing]") {
    Compiled k(R"(
and.b32 %r1, %i, 1;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra even;
mul.lo.u32 %r2, %i, 3;
add.u32 %r3, %r2, 7;
bra.uni meet;
even:
shl.b32 %r3, %i, 4;
meet:
st.global.u32 [%o4], %r3;
)");
    CHECK(k.function().function->blocks.size() == 1);
    CHECK(k.function().function->instructions[k.place("mul.lo.u32 %r2")].guard_negated);
    CHECK_FALSE(k.function().function->instructions[k.place("shl.b32 %r3")].guard_negated);
    ir::BlockLiveness const live = ir::find_block_liveness(timing::machine_uses(k.function()));
    CHECK(live.in[0].size() == 0);
    check_as_functional(k, 2);
}

TEST_CASE("Guards in an unrolled loop count every round", "[timing]") {
    Compiled k(R"(
mov.u32 %r1, 0;
mov.u32 %r2, 0;
again:
add.u32 %r3, %r1, %i;
and.b32 %r3, %r3, 7;
setp.gt.u32 %p1, %r3, 2;
@%p1 bra past;
ld.global.u32 %r4, [%in+64];
add.u32 %r2, %r2, %r4;
past:
add.u32 %r1, %r1, 1;
setp.ne.u32 %p2, %r1, 12;
@%p2 bra again;
st.global.u32 [%o4], %r2;
)");
    timing::MachineFunction const& m = k.function();
    std::size_t loads = 0;
    for (ir::Instruction const& i : m.function->instructions)
        loads += m.module->written(i).starts_with("ld.global.u32 %r4");
    CHECK(loads == 12);
    check_as_functional(k, 1);
}

TEST_CASE("Long paths, barriers, fences, atomics and what ends the program stay behind branches", "[timing]") {
    std::string const before = "setp.gt.u32 %p1, %i, 20;\n@%p1 bra past;\n",
                      after = "past:\nst.global.u32 [%o4], %i;\n";
    std::string long_path;
    for (int i = 0; i < 12; ++i) long_path += "mad.lo.u32 %r1, %i, %r1, 5;\n";
    for (std::string const& path :
         {std::string("bar.sync 0;\n"), std::string("fence.acq_rel.gpu;\n"), long_path,
          std::string("atom.global.add.u32 %r1, [%in], 1;\n"), std::string("@%p1 add.u32 %r1, %i, 3;\n")}) {
        INFO(path);
        Compiled const k(before + path + after);
        CHECK(k.function().function->blocks.size() == 3);
        CHECK(k.micros("@%p1 bra past") >= 1);
    }
    for (std::string const& path : {std::string("ld.volatile.global.u32 %r1, [%in];\n"),
                                    std::string("st.relaxed.gpu.global.u32 [%o4], %i;\n")}) {
        INFO(path);
        Compiled k(before + path + after);
        CHECK(k.function().function->blocks.size() == 1);
        check_as_functional(k, 1);
    }
    Compiled const changes(before + "setp.gt.u32 %p1, %i, 3;\npast:\n@%p1 st.global.u32 [%o4], %i;\n");
    CHECK(changes.micros("@%p1 bra past") >= 1);
    Compiled const ends("setp.gt.u32 %p1, %i, 20;\n@%p1 bra past;\nst.global.u32 [%o4], %i;\npast:\n");
    CHECK(ends.micros("@%p1 bra past") >= 1);
}

namespace {

std::size_t branch_micros(Compiled const& k) {
    auto const& micros = k.function().micros;
    return static_cast<std::size_t>(std::count_if(
        micros.begin(), micros.end(), [](auto const& m) { return m.unit == timing::MicroUnit::branch; }));
}

}  // namespace

TEST_CASE("Where lanes may part and meet again, the hardware notes who parts and waits for them", "[timing]") {
    std::string long_path;
    for (int i = 0; i < 12; ++i) long_path += "mad.lo.u32 %r1, %i, %r1, 5;\n";
    auto const with = [&](std::string const& test, std::string const& end) {
        return "mov.u32 %r1, 1;\nmov.u32 %r2, %ctaid.y;\n" + test + "@%p1 bra past;\n" + long_path + end +
               "past:\nst.global.u32 [%o4], %r1;\n";
    };
    std::string const by_lane = with("setp.gt.u32 %p1, %i, 20;\n", ""),
                      by_cta = with("setp.gt.u32 %p1, %r2, 20;\n", "");
    // The branch and the end; BSSY and BSYNC more, and on Volta and Turing a register is cleared before BSSY.
    CHECK(branch_micros(Compiled(by_cta)) == 2);
    CHECK(branch_micros(Compiled(by_lane)) == 5);
    CHECK(branch_micros(Compiled(by_lane, "", "a100")) == 4);
    // Lanes that exit are not waited for.
    CHECK(branch_micros(Compiled(with("setp.gt.u32 %p1, %i, 20;\n", "ret;\n"), "", "a100")) == 3);
    // For a loop that lanes leave one by one, both stand outside.
    Compiled const loop("mov.u32 %r1, 1;\nagain:\n.pragma \"nounroll\";\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, "
                        "%r1, %i;\n@%p1 bra "
                        "again;\nmul.lo.u32 %r1, %r1, %r1;\nst.global.u32 [%o4], %r1;\n",
                        "", "a100");
    CHECK(branch_micros(loop) == 4);
    timing::MachineFunction const& m = loop.function();
    std::uint32_t const body = m.function->block_of[loop.place("setp.lt.u32 %p1")];
    for (std::uint32_t i = m.function->blocks[body].first; i <= m.function->blocks[body].last; ++i)
        CHECK(m.instructions[i].convergence == 0);
}

}  // namespace plan_branches_test
