// Loops that the plan unrolls: what is executed stays the same, and is counted as before.
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace plan_unroll_test {

using namespace warpsim;
using namespace warpsim::test;

/// Of the instructions that begin so.
std::size_t copies(Compiled const& k, std::string_view text) {
    timing::MachineFunction const& m = k.function();
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
        found += m.module->written(m.ir(i)).starts_with(text);
    return found;
}

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
        CHECK(copies(k, "ld.global.u32 %r3") == 7);  // four at once, two, and one
        check_as_functional(k, 1);
    }
}

TEST_CASE("Loops that count down to zero differently in the lanes are unrolled, and compute and count as before",
          "[timing]") {
    // Up to 16 rounds; with a step that some lanes' counters are no multiple of, these end as soon as it has passed zero.
    for (std::string const type : {"s32", "u32", "b32"}) {
        CAPTURE(type);
        Compiled k(R"(
and.b32 %r2, %i, 30;
add.u32 %r2, %r2, 2;
mov.u32 %r1, 0;
again:
ld.global.u32 %r3, [%in];
mad.lo.u32 %r1, %r1, 3, %r3;
add.s32 %r2, %r2, -2;
setp.ne.)" + type + R"( %p1, %r2, 0;
@%p1 bra again;
st.global.u32 [%o4], %r1;
)");
        CHECK(copies(k, "ld.global.u32 %r3") == 7);
        check_as_functional(k, 1, false);
    }
}

TEST_CASE("Loops of unknown length are unrolled up to the sizes of ptxas", "[timing]") {
    // A loop that has these instructions, two of its own, a counter, and as many multiply-adds as ptxas 13.0 still combines;
    // -1: it combines none. First where each lane begins elsewhere, then where all count alike.
    std::string const load = "ld.global.u32 %r3, [%d1]; add.s32 %r1, %r1, %r3;",
                      of_shared = "ld.shared.u32 %r3, [%r9]; add.s32 %r1, %r1, %r3;",
                      place = "mul.wide.u32 %d3, %r2, 4; add.s64 %d3, %d3, %d1;";
    struct Case {
        std::string instructions;
        int apart, together;
    };
    std::vector<Case> const cases{
        {"", 16, 16},
        {load, 41, 41},
        {load + load + load, 35, 35},
        {place + "ld.global.u32 %r3, [%d3]; add.s32 %r1, %r1, %r3;", 40, 40},
        {of_shared, 18, 18},
        {of_shared + of_shared + of_shared, 22, 22},
        {of_shared + load, 38, 38},
        {"rem.u32 %r1, %r1, %r8; add.s32 %r1, %r1, %r2;", -1, -1},
        {load + "rem.u32 %r1, %r1, %r8;", 22, 22},
        {load + "div.s32 %r1, %r1, %r8; add.s32 %r1, %r1, %r2;", 13, 13},
        {load + "div.rn.f32 %f2, %f2, %f3;", -1, -1},
        {load + "div.full.f32 %f2, %f2, %f3;", 29, 29},
        {"ex2.approx.f32 %f2, %f2;", 10, 10},
        {"rcp.approx.f32 %f2, %f2;", 9, 9},
        {"mul.rn.f32 %f4, %f2, %f3; add.rn.f32 %f2, %f4, %f3;", 14, 14},
        {"ld.global.u32 %r3, [%d1]; add.s32 %r1, %r1, %r3; add.s64 %d1, %d1, %d2;", 41, 41},
        {"ld.global.u32 %r3, [%d1]; add.s32 %r3, %r3, 7; st.global.u32 [%d1], %r3; add.s64 %d1, %d1, 128;", 40,
         40},
        {"mul.lo.s32 %r1, %r1, %r8; add.s32 %r1, %r1, %r2;", 15, 15},
        {"mad.wide.u32 %d4, %r1, %r8, %d4;", 12, 12},
        {"st.shared.u32 [%r9], %r1;", 14, 14},
        {of_shared + "st.shared.u32 [%r9+64], %r1;", -1, 16},
        {load + "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", -1, -1},
        {load + "bar.sync 0;", -1, 39},
        {load + "red.global.add.u32 [%d2], %r1;", -1, 31},
    };
    for (Case const& c : cases) {
        for (bool const together : {false, true}) {
            int const most = together ? c.together : c.apart;
            for (int const more : {0, 1}) {
                int const count = std::max(most, 0) + more;
                CAPTURE(c.instructions, together, count);
                std::string body =
                    "cvt.u32.u64 %r8, %in; mov.u32 %r9, area; mov.u64 %d1, %in; add.s64 %d2, %out, 64;"
                    "mov.u64 %d4, 0; mov.u32 %r1, 0; mov.u32 %r7, 0; mov.f32 %f2, 0f3F800000;"
                    "mov.f32 %f3, 0f3FC00000; mov.u32 %r2, " +
                    std::string(together ? "0" : "%i") + ";\nagain: popc.b32 %r6, %r2; add.s32 %r7, %r7, %r6;" +
                    c.instructions;
                for (int n = 0; n < count; ++n) body += "\nfma.rn.f32 %f2, %f2, %f3, %f2;";
                body += "\nadd.s32 %r2, %r2, 32; setp.lt.s32 %p1, %r2, %r8; @%p1 bra again;\n"
                        "st.global.u32 [%o4], %r1; st.global.u32 [%o4+4], %r7; st.global.f32 [%o4+8], %f2;"
                        "st.global.u64 [%o8+512], %d4;\n";
                CHECK(copies(Compiled(body), "popc.b32 %r6") == (most >= 0 && more == 0 ? 7 : 1));
            }
        }
    }
}

TEST_CASE("Rounds with barriers are not repeated up to a bound that is computed", "[timing]") {
    for (auto const& [bound, rounds] : std::initializer_list<std::pair<char const*, std::size_t>>{
             {"cvt.u32.u64 %r8, %in;", 7},
             {"mov.u32 %r8, %nctaid.x;", 7},
             {"mov.u32 %r8, %ctaid.x;", 1},
             {"cvt.u32.u64 %r8, %in; shr.u32 %r8, %r8, 2;", 1},
             {"ld.global.u32 %r8, [%in];", 1}}) {
        CAPTURE(bound);
        std::string const body =
            std::string(bound) +
            "\nmov.u32 %r2, 0; mov.u32 %r7, 0;\nagain: popc.b32 %r6, %r2;\n"
            "add.s32 %r7, %r7, %r6; bar.sync 0; ld.global.u32 %r3, [%in+8]; add.s32 %r7, %r7, %r3;\n"
            "add.s32 %r2, %r2, 32; setp.lt.s32 %p1, %r2, %r8; @%p1 bra again;\n"
            "st.global.u32 [%o4], %r7;\n";
        CHECK(copies(Compiled(body), "popc.b32 %r6") == rounds);
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
        // Until they are equal.
        {"mov.u32 %r2, 0; mad.lo.u32 %r6, %i, 3, 1;", "1", "setp.ne.s32 %p1, %r2, %r6;", "@%p1", false},
        {"mov.u32 %r2, %i; mad.lo.u32 %r6, %i, 5, 7; sub.s32 %r6, %r2, %r6;", "-1", "setp.eq.b32 %p1, %r2, %r6;",
         "@!%p1", false},
        {"mov.u32 %r2, 7; mov.u32 %r6, 84;", "7", "setp.ne.u32 %p1, %r2, %r6;"},
        {"mov.u32 %r2, -90; mov.u32 %r6, 1;", "9", "setp.ne.u32 %p1, %r2, 0;"},
        {"mov.u32 %r2, 0x7ffffff8; mov.u32 %r6, 0x80000011;", "1", "setp.ne.u32 %p1, %r2, %r6;"},
        {"mov.u32 %r2, 0xfffffff0; mov.u32 %r6, 0x11;", "3", "setp.ne.u32 %p1, %r2, %r6;"},
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
    CHECK(copies(k, "mad.lo.u32 %r1, %r1, 5") == 7);  // four at once, two, and one
    check_as_functional(k, 1, c.parts_alike);
}

TEST_CASE("On one side of a branch all lanes that are there may count alike", "[timing]") {
    // The loop stores where it loads, which ptxas repeats only where lanes stay together: with one counter that is set on the way
    // that half of the lanes take, or with one that was set before it as well.
    for (bool const is_set_before : {false, true}) {
        CAPTURE(is_set_before);
        Compiled k(std::string("mov.u32 %r5, %ntid.x; shr.u32 %r6, %r5, 2; add.u32 %r6, %r6, 3;\n") +
                   (is_set_before ? "mov.u32 %r2, %i;\n" : "") + R"(
mov.u32 %r9, area;
mad.lo.u32 %r9, %i, 4, %r9;
st.shared.u32 [%r9], %i;
mov.u32 %r1, 5;
setp.gt.u32 %p2, %i, 20;
@%p2 bra past;
mov.u32 %r2, 0;
again:
ld.shared.u32 %r3, [%r9];
mad.lo.u32 %r1, %r1, 3, %r3;
st.shared.u32 [%r9], %r1;
add.s32 %r2, %r2, 1;
setp.lt.s32 %p1, %r2, %r6;
@%p1 bra again;
past:
st.global.u32 [%o4], %r1;
)" + (is_set_before ? "st.global.u32 [%o4+512], %r2;\n" : ""));
        CHECK(copies(k, "ld.shared.u32 %r3") == (is_set_before ? 1u : 7u));
        check_as_functional(k, 1);
    }
}

TEST_CASE("Loops with a pragma are not unrolled", "[timing]") {
    for (bool const may : {false, true}) {
        Compiled const k(std::string("mov.u32 %r1, 0;\nmov.u32 %r2, %i;\nagain:\n") +
                         (may ? "" : ".pragma \"nounroll\";\n") +
                         "ld.global.u32 %r3, [%in];\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r2, %r2, 64;\n"
                         "setp.lt.u32 %p1, %r2, 1024;\n@%p1 bra again;\nst.global.u32 [%o4], %r1;\n");
        CHECK(copies(k, "ld.global.u32 %r3") == (may ? 7 : 1));
    }
}

TEST_CASE(
    "As many rounds of loops of known length stand in front of them and are executed at once as ptxas chooses",
    "[timing]") {
    // So many multiply-adds in each round, and what ptxas 13.0 makes of it for sm_80: rounds in front of the loop and in it, or all.
    struct Case {
        int size, rounds, before, at_once;
    };
    std::vector<Case> const cases{
        {1, 4096, 4, 341}, {2, 1024, 0, 1024}, {3, 1000, 1, 111}, {4, 1000, 4, 83},  {6, 512, 2, 51},
        {8, 1000, 0, 40},  {8, 1024, 4, 34},   {9, 200, 0, 200},  {10, 1024, 1, 33}, {12, 512, 6, 23},
        {16, 64, 0, 64},   {20, 64, 0, 16},    {22, 40, 0, 40},   {24, 64, 4, 10},   {25, 32, 0, 32},
        {32, 33, 1, 8},    {38, 16, 0, 16},    {39, 16, 0, 8},    {40, 37, 1, 6},    {50, 36, 0, 6},
        {57, 8, 0, 8},     {58, 8, 0, 4},      {64, 33, 1, 4},    {70, 40, 0, 5},    {72, 33, 0, 3},
        {72, 41, 1, 2},    {73, 33, 0, 1},     {77, 5, 0, 5},     {97, 4, 0, 4},     {98, 4, 0, 1},
        {126, 3, 0, 3},    {127, 3, 0, 1},
    };
    for (Case const& c : cases) {
        CAPTURE(c.size, c.rounds);
        std::string body = "mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3FC00000; mov.u32 %r2, 0;\nagain:";
        for (int n = 0; n < c.size; ++n) body += "\nfma.rn.f32 %f2, %f2, %f3, %f2;";
        body += "\nadd.s32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, " + std::to_string(c.rounds) +
                "; @%p1 bra again;\nst.global.f32 [%o4], %f2;\n";
        Compiled const k(body);
        CHECK(copies(k, "fma.rn.f32 %f2") == static_cast<std::size_t>(c.size * (c.before + c.at_once)));
        CHECK(copies(k, "@%p1 bra") == (c.before == 0 ? 1u : 2u));  // one that only counts
    }
}

TEST_CASE("A loop inside of another one is written down as a whole where one by itself is not", "[timing]") {
    struct Case {
        int loads, sums, rounds;
        std::size_t alone, inside,
            inside_later;  // rounds in the code of ptxas 13.0: for sm_80 twice, and for sm_90
    };
    for (Case const& c : std::vector<Case>{
             {30, 30, 4, 4, 4, 4}, {30, 30, 16, 1, 16, 1}, {40, 32, 4, 1, 4, 1}, {1, 128, 4, 1, 4, 1}}) {
        CAPTURE(c.loads, c.sums, c.rounds);
        std::string inner = "mov.u32 %r2, 0;\nagain:\n";
        for (int n = 0; n < c.loads; ++n)
            inner += "ld.shared.f32 %f" + std::to_string(n % 24) + ", [%r3" +
                     (n == 0 ? "" : "+" + std::to_string(4 * n)) + "];\n";
        for (int n = 0; n < c.sums; ++n)
            inner +=
                "fma.rn.f32 %f28, %f" + std::to_string(n % 24) + ", %f" + std::to_string(7 * n % 24) + ", %f28;\n";
        inner += "add.s32 %r3, %r3, 32; add.s32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, " + std::to_string(c.rounds) +
                 "; @%p1 bra again;\n";
        std::string const
            begin =
                "mov.u32 %r1, %tid.x; mov.u32 %r5, area; mad.lo.s32 %r3, %r1, 8, %r5; mov.f32 %f28, 0f00000000;\n",
            end = "st.global.f32 [%o4], %f28;\n";
        std::string const outer = "mov.u32 %r4, 0;\nouter:\n" + inner +
                                  "add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, %r1; @%p2 bra outer;\n";
        auto const rounds = [&](std::string const& body, std::string const& config) {
            return copies(Compiled(begin + body + end, "", config), "fma.rn.f32 %f28") /
                   static_cast<std::size_t>(c.sums);
        };
        CHECK(rounds(inner, "a100") == c.alone);
        CHECK(rounds(outer, "a100") == c.inside);
        CHECK(rounds(outer, "h100") == c.inside_later);
    }
}

TEST_CASE(
    "Whether a loop is written down as a whole depends on accesses with known addresses, and on the function",
    "[timing]") {
    // Loads from shared memory where a counter says, each with so many multiply-adds, in front of others; the most iterations that
    // ptxas 13.0 writes down for sm_80, and for sm_90, which does not know where variables of shared memory are.
    struct Case {
        int loads, sums, others, most, most_later;
    };
    for (Case const& c :
         std::vector<Case>{{1, 16, 0, 222, 78}, {1, 16, 200, 112, 54}, {4, 16, 300, 23, 6}, {8, 8, 300, 35, 5}}) {
        CAPTURE(c.loads, c.sums, c.others);
        auto const is_whole = [&](int rounds, std::string const& config) {
            std::string body =
                "mov.u32 %r2, 0; mov.u32 %r4, area; cvt.rn.f32.u32 %f2, %i; mov.f32 %f1, 0f00000000;\nagain:\n"
                "shl.b32 %r5, %r2, 6; add.s32 %r6, %r5, %r4;\n";
            for (int l = 0; l < c.loads; ++l) {
                body +=
                    "ld.shared.f32 %f3, [%r6" + (l == 0 ? std::string() : "+" + std::to_string(4 * l)) + "];\n";
                for (int n = 0; n < c.sums; ++n) body += "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
            }
            body += "add.s32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, " + std::to_string(rounds) + "; @%p1 bra again;\n";
            for (int n = 0; n < c.others; ++n) body += "fma.rn.f32 %f1, %f1, %f1, %f2;\n";
            return copies(Compiled(body + "st.global.f32 [%o4], %f1;\n", "", config), "ld.shared.f32 %f3") ==
                   static_cast<std::size_t>(rounds * c.loads);
        };
        for (auto const& [config, most] : {std::pair("a100", c.most), std::pair("h100", c.most_later)}) {
            CHECK(is_whole(most - most / 10, config));
            CHECK_FALSE(is_whole(most + most / 10 + 1, config));
        }
    }
}

TEST_CASE("A counter that begins alike in all lanes is one where lanes leave the loop around it, too",
          "[timing]") {
    // The loads of the inner loop in ptxas 13.0's code: four rounds, two, and one where lanes count alike.
    for (bool const is_alike : {true, false}) {
        CAPTURE(is_alike);
        Compiled const k(
            "ld.global.u32 %r3, [%in]; mov.u32 %r5, %i; mov.f32 %f1, 0f00000000;\nouter:\n" +
                std::string(is_alike ? "mov.u32 %r6, %r3;" : "mov.u32 %r6, %i;") +
                "mov.u64 %d5, %o4;\nagain:\n"
                "ld.global.f32 %f2, [%d5]; ld.global.f32 %f3, [%d5+4096]; fma.rn.f32 %f1, %f2, %f3, %f1;\n"
                "st.global.f32 [%o8], %f1; add.s64 %d5, %d5, 512;\n"
                "add.s32 %r6, %r6, -1; setp.ne.s32 %p1, %r6, 0; @%p1 bra again;\n"
                "add.s32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, 100; @%p2 bra outer;\n"
                "add.f32 %f1, %f1, %f1; st.global.f32 [%o4], %f1;\n",
            "", "a100");
        CHECK(copies(k, "ld.global.f32 %f2") == (is_alike ? 7u : 1u));
    }
}

TEST_CASE("Rounds that call, or until 8.9 synchronise a warp, are not repeated even where their number is known",
          "[timing]") {
    struct Case {
        std::string instruction;
        std::size_t copies;
        std::string config = "v100";
    };
    for (Case const& c : std::vector<Case>{{"shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", 1},
                                           {"shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", 8, "h100"},
                                           {"bar.warp.sync -1;", 1, "a100"},
                                           {"bar.warp.sync -1;", 8, "h100"},
                                           {"match.any.sync.b32 %r1, %r1, -1;", 8, "h100"},
                                           {"div.rn.f32 %f2, %f2, %f3;", 1},
                                           {"membar.gl;", 1},
                                           {"bar.sync 0;", 8},
                                           {"red.global.add.u32 [%d2], %r1;", 8},
                                           {"div.u32 %r1, %r1, %r8;", 8}}) {
        CAPTURE(c.instruction, c.config);
        Compiled const k(
            "add.s64 %d2, %out, 64; mov.u32 %r1, %i; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3FC00000;"
            "cvt.u32.u64 %r8, %in; mov.u32 %r2, 0; mov.u32 %r6, 0;\nagain: popc.b32 %r5, %r6;" +
                c.instruction +
                "add.s32 %r6, %r6, %r5; add.s32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, 8; @%p1 bra again;\n"
                "st.global.u32 [%o4], %r1; st.global.u32 [%o4+4], %r6; st.global.f32 [%o4+8], %f2;\n",
            "", c.config);
        CHECK(copies(k, "popc.b32 %r5") == c.copies);
    }
}

TEST_CASE("Loops of a known number of rounds compute and count as before", "[timing]") {
    // The sum of a table, in which each thread begins at another place, and the final value of the counter.
    struct Case {
        int rounds;
        std::size_t before, at_once;
    };
    Case const c = GENERATE(values<Case>(
        {{311, 0, 311}, {60, 0, 60}, {16, 0, 16}, {7, 0, 7}, {3, 0, 3}, {2, 0, 2}, {400, 0, 50}, {401, 5, 44}}));
    CAPTURE(c.rounds);
    std::string const body = R"(
and.b32 %r5, %i, 1;
mul.wide.u32 %d1, %r5, 4;
add.s64 %d2, %in, %d1;
mov.u32 %r1, 0;
mov.u32 %r2, 0;
again:
ld.global.u32 %r3, [%d2+4];
mad.lo.u32 %r1, %r1, 3, %r3;
add.s64 %d3, %d2, %d1;
ld.global.u32 %r4, [%d3];
xor.b32 %r1, %r1, %r4;
add.s64 %d2, %d2, 4;
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
    std::size_t const parts = c.before != 0 ? 2 : 1;
    bool const is_whole = c.at_once == static_cast<std::size_t>(c.rounds);
    CHECK(written("ld.global.u32 %r3", true) == c.before + c.at_once);
    CHECK(written("add.s64 %d2, %d2, 4", false) == c.before + c.at_once);
    CHECK(written("add.s64 %d2, %d2, 4", true) == parts);
    CHECK(written("add.s64 %d3", true) == parts);
    CHECK(written("setp.ne", true) == (is_whole ? 0 : 1));
    CHECK(written("@%p1 bra", true) == (is_whole ? 0 : 1));
    CHECK((m.function->blocks.size() == 1) == is_whole);

    check_as_functional(k, 1);
}

TEST_CASE("What follows from the counter of a loop that is written down as a whole is known", "[timing]") {
    Compiled k(R"(
mov.f32 %f1, 0f3F800000;
mov.u32 %r2, 3;
again:
cvt.rn.f32.s32 %f2, %r2;
fma.rn.f32 %f1, %f1, 0f3F7D70A4, %f2;
shl.b32 %r3, %r2, 2;
cvt.u64.u32 %d1, %r3;
add.s64 %d2, %in, %d1;
ld.global.f32 %f3, [%d2];
add.f32 %f1, %f1, %f3;
add.s32 %r2, %r2, 1;
setp.lt.s32 %p1, %r2, 11;
@%p1 bra again;
st.global.f32 [%o4], %f1;
st.global.u32 [%o4+512], %r2;
)");
    timing::MachineFunction const& m = k.function();
    std::size_t issued = 0;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        bool const is_index = m.module->written(m.ir(i)).starts_with("shl.b32") ||
                              m.module->written(m.ir(i)).starts_with("cvt.") ||
                              m.module->written(m.ir(i)).starts_with("add.s64 %d2");
        if (is_index) issued += m.instructions[i].micros;
    }
    CHECK(issued == 0);  // the factor of all products is in a register, their addends are immediate
    CHECK(copies(k, "ld.global.f32 %f3") == 8);
    check_as_functional(k, 1);
}

TEST_CASE("A counter of which not all readers take immediate values keeps its register", "[timing]") {
    // It is stored, counted, packed into a pair and unpacked again, at several places of a round.
    Compiled k(R"(
mov.u32 %r1, 0;
mov.u32 %r2, 3;
mov.u32 %r9, area;
mad.lo.u32 %r9, %i, 4, %r9;
again:
popc.b32 %r3, %r2;
add.u32 %r1, %r1, %r3;
st.shared.u32 [%r9], %r2;
mov.b64 %d1, {%r2, %r1};
mov.b64 {%r5, %r6}, %d1;
mad.lo.u32 %r1, %r5, 5, %r6;
add.s32 %r2, %r2, 1;
xor.b32 %r1, %r1, %r2;
setp.lt.s32 %p1, %r2, 11;
@%p1 bra again;
ld.shared.u32 %r4, [%r9];
st.global.u32 [%o4], %r1;
st.global.u32 [%o4+512], %r4;
)");
    CHECK(copies(k, "popc.b32 %r3") == 8);
    check_as_functional(k, 1);
}

TEST_CASE("A round of an unrolled loop reads what the rounds before it wrote", "[timing]") {
    // The address of a round is a sum with a counter of bytes: one register for all of them.
    for (std::string const place : {"add.s64 %d2, %o4, %d1;", "add.s64 %d2, %d1, %o4;"}) {
        for (std::string const bound : {"14", "%r6"}) {
            for (std::string const offset : {"256", "0", "-256"}) {
                CAPTURE(place, bound, offset);
                std::string const body = R"(
mov.u32 %r6, %ntid.x;
add.u32 %r6, %r6, -50;
mov.u64 %d1, 256;
mov.u32 %r1, 0;
again:
)" + place + R"(
ld.global.u32 %r2, [%d2];
mad.lo.u32 %r2, %r2, 3, %i;
st.global.u32 [%d2+)" + offset + R"(], %r2;
add.s64 %d1, %d1, 256;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, )" + bound + R"(;
@%p1 bra again;
)";
                Compiled k(body);
                CHECK(copies(k, "ld.global.u32 %r2") > 1);
                check_as_functional(k, 1);
            }
        }
    }
}

TEST_CASE("The first iteration of a loop that is left for elsewhere stands in front of it", "[timing][plan]") {
    auto const body = [](std::string const& work, std::string const& aside) {
        return "and.b32 %r1, %i, 7;\nmov.u32 %r4, 0;\nsetp.eq.u32 %p2, %i, 9;\n@%p2 bra other;\nagain:\n"
               ".pragma \"nounroll\";\nld.global.u32 %r2, [%in];\nmad.lo.u32 %r4, %r4, 3, %r2;\n" +
               work +
               "st.global.u32 [%o4], %r4;\nadd.s32 %r1, %r1, -1;\nsetp.lt.s32 %p1, %r1, 0;\n@%p1 bra end;\n"
               "bra.uni again;\nother:\n" +
               aside + "end:\nst.global.u32 [%o4+512], %r4;\n";
    };
    std::string const store = "st.global.u32 [%o4+1024], %i;\n";
    struct Case {
        std::string work, aside, config;
        std::size_t copies;
    };
    for (Case const& c :
         {Case{"", store, "a100", 2}, Case{"", store, "rtx2060", 2}, Case{"", store, "h100", 2},
          Case{"", "mov.u32 %r4, 5;\n", "a100", 1}, Case{"membar.gl;\n", store, "a100", 1},
          Case{"atom.global.add.u32 %r5, [%o4+2048], 1;\n", store, "a100", 2},
          Case{"vote.sync.ballot.b32 %r5, %p1, -1;\n", store, "a100", 1},
          Case{"setp.gt.u32 %p3, %r4, 9;\n@%p3 bra past;\nadd.u32 %r4, %r4, 7;\npast:\n", store, "a100", 1}}) {
        CAPTURE(c.work, c.aside, c.config);
        Compiled k(body(c.work, c.aside), "", c.config);
        CHECK(copies(k, "ld.global.u32 %r2") == c.copies);
        bool const waits_for_all = c.work.starts_with("vote");  // which would be wrong where some have left
        if (!waits_for_all) check_as_functional(k, 1);
    }
}

TEST_CASE("A path that a loop is jumped to past comes behind it, so that the first iteration stands in front",
          "[timing][plan]") {
    auto const body = [](std::string const& begin) {
        return "mov.u32 %r4, 0;\nsetp.eq.u32 %p2, %i, 9;\n" + begin +
               "first:\nmov.u64 %d1, %in;\nagain:\nld.global.u32 %r2, [%d1];\nadd.u32 %r4, %r4, %r2;\nadd.s64 "
               "%d1, %d1, 64;\n"
               "setp.gt.u32 %p1, %r2, 1000;\n@%p1 bra end;\nbra.uni again;\nend:\nst.global.u32 [%o4], %r4;\n";
    };
    std::string const path = "mul.lo.u32 %r4, %i, 77;\nbra.uni end;\n";
    for (char const* const config : {"rtx2060", "a100", "h100"}) {
        INFO(config);
        Compiled past(body("@%p2 bra other;\nbra.uni first;\nother:\n" + path), "", config);
        CHECK(copies(past, "ld.global.u32 %r2") == 2);
        check_as_functional(past, 1);
        Compiled before(body("@!%p2 bra first;\n" + path), "", config);
        CHECK(copies(before, "ld.global.u32 %r2") == 1);
    }
}

}  // namespace plan_unroll_test
