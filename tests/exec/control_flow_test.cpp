// Lanes that go apart and meet again: results equal to a thread by itself, the same instruction counts under both
// models, and one group again behind each structure.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Stores %r0 as the thread's result and, behind it, how many lanes do so together.
std::string const store_results = "\nactivemask.b32 %r30; popc.b32 %r30, %r30;\nst.global.v2.u32 [%o8], {%r0, %r30};";

std::vector<std::uint32_t> with_lanes(std::function<std::uint32_t(std::uint32_t)> const& value, std::uint32_t threads = 32,
                                      std::uint32_t together = 32) {
    return each<std::uint32_t>(2 * threads, [&](std::uint32_t n) { return n % 2 == 0 ? value(n / 2) : together; });
}

/// Runs the body under both models; results and counts of instructions must be equal.
void check(std::string const& body, std::vector<std::uint32_t> const& want, std::string const& before = {}) {
    std::vector<std::uint64_t> counts, threads;
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(body, before), model);
        CHECK(program.run<std::uint32_t>(want.size()) == want);
        counts.push_back(program.result.instructions.warp);
        threads.push_back(program.result.instructions.thread);
    }
    CHECK(counts[0] == counts[1]);
    CHECK(threads[0] == threads[1]);
}

}  // namespace

TEST_CASE("Two sides of a branch meet behind it", "[exec]") {
    check(R"(
        setp.lt.u32 %p0, %i, 10; @%p0 bra THEN;
        mul.lo.u32 %r0, %i, 3; bra.uni END;
        THEN: add.u32 %r0, %i, 1000;
        END:)" + store_results,
          with_lanes([](std::uint32_t i) { return i < 10 ? i + 1000 : i * 3; }));
}

TEST_CASE("Nested branches meet from the inside out", "[exec]") {
    check(R"(
        mov.u32 %r0, 0; and.b32 %r1, %i, 1; setp.eq.u32 %p0, %r1, 0; and.b32 %r2, %i, 6; setp.eq.u32 %p1, %r2, 2;
        and.b32 %r3, %i, 8; setp.eq.u32 %p2, %r3, 0;
        @!%p0 bra ODD;
        @!%p1 bra E1; add.u32 %r0, %r0, 1; @!%p2 bra E0; add.u32 %r0, %r0, 10; E0: add.u32 %r0, %r0, 100;
        E1: activemask.b32 %r4; popc.b32 %r4, %r4; mad.lo.u32 %r0, %r4, 1000, %r0; bra END;
        ODD: @%p2 bra E2; add.u32 %r0, %r0, 7; E2: activemask.b32 %r4; popc.b32 %r4, %r4; mad.lo.u32 %r0, %r4, 1000, %r0;
        END:)" + store_results,
          with_lanes([](std::uint32_t i) {
              std::uint32_t value = 16000;
              if (i % 2 == 0) return (i & 6) == 2 ? value + 101 + ((i & 8) == 0 ? 10 : 0) : value;
              return (i & 8) == 0 ? value : value + 7;
          }));
}

TEST_CASE("Lanes leave a loop after different numbers of rounds and wait for the last", "[exec]") {
    check(R"(
        mov.u32 %r0, 0; mov.u32 %r1, 0; rem.u32 %r2, %i, 7;
        LOOP: add.u32 %r0, %r0, %i; setp.eq.u32 %p1, %r1, 3; @%p1 bra SKIP; add.u32 %r0, %r0, 1; SKIP:
        add.u32 %r1, %r1, 1; setp.le.u32 %p0, %r1, %r2; @%p0 bra LOOP;)" + store_results,
          with_lanes([](std::uint32_t i) {
              std::uint32_t const rounds = i % 7 + 1;
              return rounds * i + rounds - (rounds > 3 ? 1 : 0);
          }));
}

TEST_CASE("Loops in loops with break and continue meet again", "[exec]") {
    check(R"(
        mov.u32 %r0, 0; mov.u32 %r1, 0;
        OUTER: setp.ge.u32 %p0, %r1, 5; @%p0 bra DONE;
        mov.u32 %r2, 0;
        INNER: add.u32 %r2, %r2, 1; setp.gt.u32 %p1, %r2, 6; @%p1 bra NEXT;
        add.u32 %r3, %i, %r2; and.b32 %r4, %r3, 3; setp.eq.u32 %p2, %r4, 0; @%p2 bra INNER;      // continue
        add.u32 %r0, %r0, %r3; mul.lo.u32 %r5, %r1, %r2; setp.gt.u32 %p3, %r5, %i; @%p3 bra NEXT;  // break
        bra INNER;
        NEXT: add.u32 %r1, %r1, 1; setp.gt.u32 %p4, %r0, 900; @%p4 bra DONE; bra OUTER;
        DONE:)" + store_results,
          with_lanes([](std::uint32_t i) {
              std::uint32_t sum = 0;
              for (std::uint32_t a = 0; a < 5; ++a) {
                  for (std::uint32_t b = 1; b <= 6; ++b) {
                      if (((i + b) & 3) == 0) continue;
                      sum += i + b;
                      if (a * b > i) break;
                  }
                  if (sum > 900) break;
              }
              return sum;
          }));
}

TEST_CASE("An indexed branch sends each lane to its case and all meet behind it", "[exec]") {
    check(R"(
        rem.u32 %r1, %i, 5; mov.u32 %r0, 1;
        TABLE: .branchtargets A, B, C, B, END;
        brx.idx %r1, TABLE;
        A: mov.u32 %r0, 10; bra END;
        B: add.u32 %r0, %r0, 20;       // falls through
        C: add.u32 %r0, %r0, 300;
        END:)" + store_results,
          with_lanes([](std::uint32_t i) {
              std::uint32_t const want[] = {10, 321, 301, 321, 1};
              return want[i % 5];
          }));
}

TEST_CASE("Cases that stand behind the point where they meet are executed", "[exec]") {
    check(R"(
        and.b32 %r1, %i, 1; mov.u32 %r0, 1;
        TABLE: .branchtargets A, B;
        brx.idx %r1, TABLE;
        END:)" + store_results + R"(
        bra OUT;
        A: mov.u32 %r0, 10; bra END;
        B: mov.u32 %r0, 20; bra END;
        OUT:)",
          with_lanes([](std::uint32_t i) { return i % 2 == 0 ? 10 : 20; }));
}

TEST_CASE("A guarded indexed branch lets the other lanes fall through", "[exec]") {
    check(R"(
        and.b32 %r1, %i, 1; mov.u32 %r0, 1; setp.lt.u32 %p0, %i, 8; mov.u32 %r2, 99; @%p0 mov.u32 %r2, %r1;
        TABLE: .branchtargets A, B;
        @%p0 brx.idx %r2, TABLE;
        mov.u32 %r0, 5; bra END;
        A: mov.u32 %r0, 10; bra END;
        B: mov.u32 %r0, 20;
        END:)" + store_results,
          with_lanes([](std::uint32_t i) { return i >= 8 ? 5 : i % 2 == 0 ? 10 : 20; }));
}

TEST_CASE("A loop that goes round by an indexed branch ends", "[exec]") {
    check(R"(
        mov.u32 %r0, 0; rem.u32 %r2, %i, 3;
        TABLE: .branchtargets AGAIN, END;
        AGAIN: add.u32 %r0, %r0, 1; setp.gt.u32 %p0, %r0, %r2; selp.u32 %r1, 1, 0, %p0;
        brx.idx %r1, TABLE;
        END:)" + store_results,
          with_lanes([](std::uint32_t i) { return i % 3 + 1; }));
}

TEST_CASE("An index outside of the list of targets is a fault of its lane", "[exec]") {
    for (std::string const& model : control_flows()) {
        Program program(kernel("TABLE: .branchtargets A, B;\nshr.u32 %r0, %i, 4;\nsetp.eq.u32 %p0, %i, 21; @%p0 mov.u32 %r0, 2;\n"
                               "brx.idx %r0, TABLE;\nA: mov.u32 %r1, 1;\nB: mov.u32 %r1, 2;"),
                        model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "branch index 2 is outside a list of 2"));
        CHECK(contains(text, "lane 21"));
    }
}

TEST_CASE("A jump into a tail that other paths share is executed once by each lane", "[exec]") {
    check(R"(
        and.b32 %r1, %i, 3; mov.u32 %r0, 0;
        setp.eq.u32 %p0, %r1, 0; @%p0 bra TAIL;
        add.u32 %r0, %r0, 10; setp.eq.u32 %p1, %r1, 1; @%p1 bra TAIL;
        add.u32 %r0, %r0, 100; setp.eq.u32 %p2, %r1, 2; @%p2 bra END;
        add.u32 %r0, %r0, 1000;
        TAIL: add.u32 %r0, %r0, 1;
        END:)" + store_results,
          with_lanes([](std::uint32_t i) {
              std::uint32_t const want[] = {1, 11, 110, 1111};
              return want[i % 4];
          }));
}

TEST_CASE("Lanes that end early leave the others together", "[exec]") {
    for (std::string const end : {"ret", "exit"}) {
        auto want = with_lanes([](std::uint32_t i) { return i; }, 32, 21);
        for (std::uint32_t i = 0; i < 32; ++i) {
            if (i % 3 == 1) want[2 * i] = want[2 * i + 1] = 0;
        }
        check("rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 1; @%p0 " + end + "; mov.u32 %r0, %i;" + store_results, want);
        check(R"(
            rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 1; setp.eq.u32 %p1, %r1, 2;
            @%p1 bra B; @%p0 )" + end + R"(; mov.u32 %r0, %i; bra END;
            B: mov.u32 %r0, %i;
            END: st.global.u32 [%o8], %r0; mov.u32 %r0, 21; @!%p0 st.global.u32 [%o8+4], %r0;)", want);
    }
}

TEST_CASE("Without a meeting point both sides run to their ends", "[exec]") {
    check(R"(
        setp.lt.u32 %p0, %i, 12; @%p0 bra LOW;
        mov.u32 %r0, 7;)" + store_results + R"( ret;
        LOW: mov.u32 %r0, 8;)" + store_results,
          each<std::uint32_t>(64, [](std::uint32_t n) {
              return n / 2 < 12 ? (n % 2 == 0 ? 8 : 12) : (n % 2 == 0 ? 7 : 20);
          }));
}

namespace {

std::string const functions = R"(
.func (.param .u32 result) twice(.param .u32 x) {
    .reg .u32 %a; ld.param.u32 %a, [x]; add.u32 %a, %a, %a; st.param.u32 [result], %a; ret; }
.func (.param .u32 result) square(.param .u32 x) {
    .reg .u32 %a; .reg .pred %p; ld.param.u32 %a, [x]; setp.gt.u32 %p, %a, 20; @%p bra BIG;
    mul.lo.u32 %a, %a, %a; st.param.u32 [result], %a; ret;
    BIG: st.param.u32 [result], 5; ret; }
.func (.reg .u32 result, .reg .pred odd) halve(.reg .u32 x, .reg .b16 y) {
    .reg .u32 %a; and.b32 %a, x, 1; setp.eq.u32 odd, %a, 1; shr.u32 result, x, 1; cvt.u32.u16 %a, y; add.u32 result, result, %a; ret; }
.func (.param .align 8 .b8 result[24]) turn(.param .align 8 .b8 x[24], .param .u8 by) {
    .reg .b64 %a<3>; .reg .b32 %b; ld.param.u8 %b, [by]; ld.param.u64 %a0, [x]; ld.param.u64 %a1, [x+8]; ld.param.u64 %a2, [x+16];
    .reg .b64 %c; cvt.u64.u32 %c, %b; add.u64 %a0, %a0, %c;
    st.param.u64 [result+8], %a0; st.param.u64 [result+16], %a1; st.param.u64 [result], %a2; ret; }
.func (.param .u32 result) depth(.param .u32 n);
.func (.param .u32 result) depth(.param .u32 n) {
    .reg .u32 %a, %b, %c; .reg .pred %p; .local .u32 mine; ld.param.u32 %a, [n]; st.local.u32 [mine], %a; setp.eq.u32 %p, %a, 0; @%p bra BASE;
    sub.u32 %b, %a, 1;
    { .param .u32 q; .param .u32 s; st.param.u32 [q], %b; call (s), depth, (q); ld.param.u32 %c, [s]; }
    ld.local.u32 %a, [mine]; mad.lo.u32 %c, %c, 3, %a; st.param.u32 [result], %c; ret;
    BASE: st.param.u32 [result], 1; ret; }
.const .u64 table[3] = {twice, square, depth};
)";

std::uint32_t depth(std::uint32_t n) { return n == 0 ? 1 : depth(n - 1) * 3 + n; }

std::string call(std::string const& name, std::string const& guard = {}) {
    return "{ .param .u32 q; .param .u32 s; st.param.u32 [q], %i; " + guard + " call (s), " + name + ", (q); ld.param.u32 %r0, [s]; }\n";
}

}  // namespace

TEST_CASE("A call that returns from two places brings its lanes together", "[exec]") {
    check(call("square") + store_results, with_lanes([](std::uint32_t i) { return i > 20 ? 5 : i * i; }), functions);
}

TEST_CASE("Calls in one branch, under a guard and in a loop come back to their callers", "[exec]") {
    check("mov.u32 %r0, 3; setp.lt.u32 %p0, %i, 9; @!%p0 bra END;" + call("square") + "END:" + store_results,
          with_lanes([](std::uint32_t i) { return i < 9 ? i * i : 3; }), functions);
    check("setp.lt.u32 %p0, %i, 9; { .param .u32 q; .param .u32 s; st.param.u32 [q], %i; st.param.u32 [s], 3;\n"
          "@%p0 call (s), square, (q); ld.param.u32 %r0, [s]; }" + store_results,
          with_lanes([](std::uint32_t i) { return i < 9 ? i * i : 3; }), functions);
    check("mov.u32 %r5, 0; and.b32 %r6, %i, 3; LOOP:" + call("square") + "add.u32 %r5, %r5, %r0; sub.u32 %r6, %r6, 1; setp.ge.s32 %p0, %r6, 0;\n"
          "@%p0 bra LOOP; mov.u32 %r0, %r5;" + store_results,
          with_lanes([](std::uint32_t i) { return (i > 20 ? 5 : i * i) * (i % 4 + 1); }), functions);
}

TEST_CASE("Lanes recurse to depths of their own and meet behind the first call", "[exec]") {
    check("{ .param .u32 q; .param .u32 s; rem.u32 %r1, %i, 9; st.param.u32 [q], %r1; call (s), depth, (q); ld.param.u32 %r0, [s]; }" +
              store_results,
          with_lanes([](std::uint32_t i) { return depth(i % 9); }), functions);
}

TEST_CASE("An indirect call sends each lane to its function", "[exec]") {
    check(R"(
        PROTO: .callprototype (.param .u32 _) _ (.param .u32 _);
        rem.u32 %r1, %i, 3; mul.wide.u32 %d0, %r1, 8; mov.u64 %d1, table; add.u64 %d0, %d0, %d1; ld.const.u64 %d0, [%d0];
        rem.u32 %r2, %i, 7;
        { .param .u32 q; .param .u32 s; st.param.u32 [q], %r2; call (s), %d0, (q), PROTO; ld.param.u32 %r0, [s]; })" + store_results,
          with_lanes([](std::uint32_t i) {
              std::uint32_t const x = i % 7;
              return i % 3 == 0 ? 2 * x : i % 3 == 1 ? x * x : depth(x);
          }),
          functions);
}

TEST_CASE("An indirect call of what is no function or takes other arguments is a fault", "[exec]") {
    std::string const body = R"(
        PROTO: .callprototype (.param .u32 _) _ (.param .u32 _);
        mov.u64 %d0, twice; setp.eq.u32 %p0, %i, 6; @%p0 mov.u64 %d0, TARGET;
        { .param .u32 q; .param .u32 s; st.param.u32 [q], %i; call (s), %d0, (q), PROTO; ld.param.u32 %r0, [s]; }
        mov.u64 %d1, turn; mov.u64 %d1, halve;)";
    for (std::string const& model : control_flows()) {
        for (auto const& [target, part] : {std::pair("12345", "is not the address of a function"),
                                           std::pair("turn", "call of turn with other arguments"),
                                           std::pair("halve", "call of halve with other arguments")}) {
            std::string text = body;
            text.replace(text.find("TARGET"), 6, target);
            Program program(kernel(text, functions), model);
            std::string const error = program.error();
            INFO(error);
            CHECK(contains(error, part));
            CHECK(contains(error, "lane 6"));
        }
    }
}

TEST_CASE("Structures and registers travel to a function and back", "[exec]") {
    check(R"(
        .reg .u32 %x; .reg .pred %odd;
        mul.wide.u32 %d0, %i, 5; mov.u64 %d1, 2; mov.u64 %d2, 3;
        { .param .align 8 .b8 q[24]; .param .u8 n; .param .align 8 .b8 s[24];
          st.param.u64 [q], %d0; st.param.u64 [q+8], %d1; st.param.u64 [q+16], %d2; st.param.u8 [n], %i;
          call (s), turn, (q, n);
          ld.param.u64 %d3, [s]; ld.param.u64 %d4, [s+8]; ld.param.u64 %d5, [s+16]; }
        mad.lo.u64 %d3, %d3, 100, %d4; mad.lo.u64 %d3, %d5, 1000, %d3; cvt.u32.u64 %r0, %d3;
        cvt.u16.u32 %h0, %i; call (%x, %odd), halve, (%i, %h0);
        mad.lo.u32 %r0, %x, 10000, %r0; @%odd add.u32 %r0, %r0, 7;)" + store_results,
          with_lanes([](std::uint32_t i) { return 2300 + 6 * i + 10000 * (i / 2 + i) + (i % 2) * 7; }), functions);
}

TEST_CASE("Endless recursion is a stack overflow with a trace of the calls", "[exec]") {
    std::string const endless = R"(
.func down(.param .u32 n) {
    .reg .u32 %a; .local .b8 much[64]; ld.param.u32 %a, [n]; st.local.u32 [much], %a;
    { .param .u32 q; st.param.u32 [q], %a; call down, (q); } ret; })";
    for (std::string const& model : control_flows()) {
        Program program(kernel("setp.eq.u32 %p0, %i, 13; @!%p0 bra END; { .param .u32 q; st.param.u32 [q], %i; call down, (q); } END:", endless), model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "stack overflow"));
        CHECK(contains(text, "lane 13"));
        CHECK(contains(text, "in down, called from"));
    }
}

TEST_CASE("Branches are counted, and those that part lanes", "[exec]") {
    for (std::string const& model : control_flows()) {
        // 3 warps: i < 40 parts warp 1 only; the loop's branch is executed 4 times and never parts.
        Program program(kernel(R"(
            setp.lt.u32 %p0, %i, 40; @%p0 bra A; mov.u32 %r0, 1; A:
            mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra LOOP; bra END; END:)"),
                        model);
        program.run<std::uint32_t>(96, {.block = {96, 1, 1}});
        CHECK(program.result.branches.total == 3 * 5);
        CHECK(program.result.branches.divergent == 1);
    }
}
