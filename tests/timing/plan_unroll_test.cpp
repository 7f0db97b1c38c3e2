// Loops that the plan unrolls: what is executed stays the same, and is counted as before.
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <algorithm>
#include <string>

namespace plan_unroll_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Loops that count down the same way in all lanes are unrolled, and compute and count as before",
          "[timing]") {
    // The number of rounds is that of threads in a block, or so: with and without a rest, and fewer than four.
    for (std::string const start : {"mul.lo.u32 %r2, %ntid, 2;", "mad.lo.u32 %r2, %ntid, 2, 6;",
                                    "shr.u32 %r2, %ntid, 4;", "mov.u32 %r2, 2;", "mad.lo.u32 %r2, %ntid, 0, 8;"}) {
        INFO(start);
        std::string text = start;
        text.replace(text.find("%r2"), 3, "%r7");
        if (std::size_t const at = text.find("%ntid"); at != std::string::npos) text.replace(at, 5, "%r6");
        std::string const body = "mov.u32 %r6, %ntid.x;\n" + text + R"(
mov.u32 %r2, %r7;
mul.wide.u32 %d1, %i, 4;
add.s64 %d2, %in, %d1;
mov.u32 %r1, 0;
again:
ld.global.u32 %r3, [%d2+4];
mad.lo.u32 %r1, %r1, 3, %r3;
add.s32 %r2, %r2, -2;
setp.ne.s32 %p1, %r2, 0;
@%p1 bra again;
add.u32 %r1, %r1, %r2;
st.global.u32 [%o4], %r1;
st.global.u32 [%o4+512], %r3;
)";
        Compiled k(body);
        timing::MachineFunction const& m = k.function();
        std::size_t loads = 0;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
            loads += m.module->written(m.ir(i)).starts_with("ld.global.u32 %r3");
        CHECK(loads == 5);  // four at once, and the rest
        check_as_functional(k, 1);
    }
}

TEST_CASE("Loops whose lanes may count differently, or one by one, are not unrolled", "[timing]") {
    for (std::string const start : {"and.b32 %r2, %i, 30; add.u32 %r2, %r2, 2;", "mov.u32 %r2, %ntid.x;"}) {
        std::string const step = start.starts_with("and") ? "-2" : "-1";
        Compiled k(start + R"(
mov.u32 %r1, 0;
again:
ld.global.u32 %r3, [%in];
add.u32 %r1, %r1, %r3;
add.s32 %r2, %r2, )" +
                   step + R"(;
setp.ne.s32 %p1, %r2, 0;
@%p1 bra again;
st.global.u32 [%o4], %r1;
)");
        timing::MachineFunction const& m = k.function();
        std::size_t loads = 0;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
            loads += m.module->written(m.ir(i)).starts_with("ld.global.u32 %r3");
        CHECK(loads == 1);
        check_as_functional(k, 1);
    }
}

TEST_CASE("Loops up or down to a bound are unrolled, and compute and count as before", "[timing]") {
    struct Case {
        char const* start;  // of %r2, and of the bound, %r6
        char const* step;
        char const* test;  // sets %p1
        char const* guard = "@%p1";
        bool parts_alike = true;
    };
    Case const c = GENERATE(values<Case>({
        {"mov.u32 %r2, %i; mov.u32 %r6, 1024;", "64", "setp.lt.u32 %p1, %r2, %r6;"},
        {"mov.u32 %r2, %i; mov.u32 %r6, 900;", "64", "setp.ge.s32 %p1, %r2, %r6;", "@!%p1", false},
        {"mov.u32 %r2, 0; mad.lo.u32 %r6, %i, 3, 1;", "2", "setp.lt.s32 %p1, %r2, %r6;", "@%p1", false},
        {"mov.u32 %r2, 0; mov.u32 %r6, 0;", "8", "setp.le.s32 %p1, %r2, 64;"},
        {"mov.u32 %r2, 99; mov.u32 %r6, 1;", "-7", "setp.gt.s32 %p1, %r2, %r6;"},
        {"mov.u32 %r2, 99; mov.u32 %r6, 1;", "-7", "setp.ge.u32 %p1, %r2, 9;"},
        {"mov.u32 %r2, 70; mov.u32 %r6, 1;", "7", "setp.lt.s32 %p1, %r2, %r6;"},  // begins behind the bound
        // Near the ends of the numbers, where three more steps would wrap around.
        {"mov.u32 %r2, 0x7fffff00; mov.u32 %r6, 0x7fffffe8;", "16", "setp.lt.s32 %p1, %r2, %r6;"},
        {"mov.u32 %r2, 0xffffff00; mov.u32 %r6, 0xfffffff0;", "24", "setp.lt.u32 %p1, %r2, %r6;"},
        {"mov.u32 %r2, 0x80000100; mov.u32 %r6, 0x80000010;", "-24", "setp.gt.s32 %p1, %r2, %r6;"},
    }));
    INFO(c.start << c.step << c.test);
    Compiled k(std::string(c.start) + R"(
mov.u32 %r1, 0;
again:
and.b32 %r5, %r2, 511;
mul.wide.u32 %d1, %r5, 4;
add.s64 %d2, %in, %d1;
ld.global.u32 %r3, [%d2];
mad.lo.u32 %r1, %r1, 5, %r3;
add.s32 %r2, %r2, )" +
               c.step + ";\n" + c.test + "\n" + c.guard + R"( bra again;
add.u32 %r1, %r1, %r2;
st.global.u32 [%o4], %r1;
st.global.u32 [%o4+512], %r3;
)");
    timing::MachineFunction const& m = k.function();
    std::size_t rounds = 0;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
        rounds += m.module->written(m.ir(i)).starts_with("mad.lo.u32 %r1, %r1, 5");
    CHECK(rounds == 5);  // four at once, and the rest
    check_as_functional(k, 1, c.parts_alike);
}

TEST_CASE("Loops with a pragma are not unrolled", "[timing]") {
    for (bool const may : {false, true}) {
        Compiled const k(std::string("mov.u32 %r1, 0;\nmov.u32 %r2, %i;\nagain:\n") +
                         (may ? "" : ".pragma \"nounroll\";\n") +
                         "ld.global.u32 %r3, [%in];\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r2, %r2, 64;\n"
                         "setp.lt.u32 %p1, %r2, 1024;\n@%p1 bra again;\nst.global.u32 [%o4], %r1;\n");
        timing::MachineFunction const& m = k.function();
        std::size_t loads = 0;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
            loads += m.module->written(m.ir(i)).starts_with("ld.global.u32 %r3");
        CHECK(loads == (may ? 5 : 1));
    }
}

TEST_CASE("Loops of a constant number of rounds are unrolled, and compute and count as before", "[timing]") {
    // The sum of a table, in which each thread begins at another place, and the final value of the counter. Many iterations
    // are combined by four, of few no loop is left.
    struct Case {
        int rounds;
        std::size_t copies;
    };
    Case const c = GENERATE(values<Case>({{60, 4}, {16, 16}, {7, 7}, {4, 4}, {3, 3}, {2, 2}, {38, 1}}));
    CAPTURE(c.rounds);
    std::string const body = R"(
mul.wide.u32 %d1, %i, 4;
add.s64 %d2, %in, %d1;
mov.u32 %r1, 0;
mov.u32 %r2, 0;
again:
ld.global.u32 %r3, [%d2+4];
mad.lo.u32 %r1, %r1, 3, %r3;
add.s64 %d3, %d2, %d1;
ld.global.u32 %r4, [%d3];
xor.b32 %r1, %r1, %r4;
add.s64 %d2, %d2, 8;
add.s32 %r2, %r2, 2;
setp.ne.s32 %p1, %r2, )" + std::to_string(2 * c.rounds) +
                             R"(;
@%p1 bra again;
add.u32 %r1, %r1, %r2;
st.global.u32 [%o4], %r1;
st.global.u32 [%o4+512], %r3;
)";
    Compiled k(body);
    timing::MachineFunction const& m = k.function();
    auto const written = [&](std::string const& text, bool issued) {
        std::size_t n = 0;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            n += m.module->written(m.ir(i)).starts_with(text) && (!issued || m.instructions[i].micros != 0);
        }
        return n;
    };
    CHECK(written("ld.global.u32 %r3", true) == c.copies);
    CHECK(written("add.s64 %d2, %d2, 8", false) == c.copies);
    CHECK(written("add.s64 %d2, %d2, 8", true) == 1);
    CHECK(written("add.s64 %d3", true) == 1);
    bool const is_whole = c.rounds <= 16;
    CHECK(written("setp.ne", true) == (is_whole ? 0 : 1));
    CHECK(written("@%p1 bra", false) == 1);
    CHECK((m.function->blocks.size() == 1) == is_whole);

    check_as_functional(k, 1);
}

}  // namespace plan_unroll_test
