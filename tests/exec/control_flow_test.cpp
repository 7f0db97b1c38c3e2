// Lanes that diverge and reconverge: results equal to those of a single thread, the same instruction counts under
// both models, and one warp split again behind each structure.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>

namespace control_flow_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Stores %r0 as the thread's result, and after it how many lanes do so together.
std::string const store_results =
    "\nactivemask.b32 %r30; popc.b32 %r30, %r30;\nst.global.v2.u32 [%o8], {%r0, %r30};";

std::vector<std::uint32_t> with_lanes(std::function<std::uint32_t(std::uint32_t)> const& value,
                                      std::uint32_t threads = 32, std::uint32_t together = 32) {
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
        END:)" +
              store_results,
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
        END:)" +
              store_results,
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
        add.u32 %r1, %r1, 1; setp.le.u32 %p0, %r1, %r2; @%p0 bra LOOP;)" +
              store_results,
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
        DONE:)" +
              store_results,
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
        END:)" +
              store_results,
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
        END:)" +
              store_results + R"(
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
        END:)" +
              store_results,
          with_lanes([](std::uint32_t i) { return i >= 8       ? 5
                                                  : i % 2 == 0 ? 10
                                                               : 20; }));
}

TEST_CASE("A loop that goes round by an indexed branch ends", "[exec]") {
    check(R"(
        mov.u32 %r0, 0; rem.u32 %r2, %i, 3;
        TABLE: .branchtargets AGAIN, END;
        AGAIN: add.u32 %r0, %r0, 1; setp.gt.u32 %p0, %r0, %r2; selp.u32 %r1, 1, 0, %p0;
        brx.idx %r1, TABLE;
        END:)" +
              store_results,
          with_lanes([](std::uint32_t i) { return i % 3 + 1; }));
}

TEST_CASE("An index outside of the list of targets is a fault of its lane", "[exec]") {
    for (std::string const& model : control_flows()) {
        Program program(
            kernel(
                "TABLE: .branchtargets A, B;\nshr.u32 %r0, %i, 4;\nsetp.eq.u32 %p0, %i, 21; @%p0 mov.u32 %r0, 2;\n"
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
        END:)" +
              store_results,
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
        check("rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 1; @%p0 " + end + "; mov.u32 %r0, %i;" + store_results,
              want);
        check(R"(
            rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 1; setp.eq.u32 %p1, %r1, 2;
            @%p1 bra B; @%p0 )" +
                  end + R"(; mov.u32 %r0, %i; bra END;
            B: mov.u32 %r0, %i;
            END: st.global.u32 [%o8], %r0; mov.u32 %r0, 21; @!%p0 st.global.u32 [%o8+4], %r0;)",
              want);
    }
}

TEST_CASE("Without a meeting point both sides run to their ends", "[exec]") {
    check(R"(
        setp.lt.u32 %p0, %i, 12; @%p0 bra LOW;
        mov.u32 %r0, 7;)" +
              store_results + R"( ret;
        LOW: mov.u32 %r0, 8;)" +
              store_results,
          each<std::uint32_t>(
              64, [](std::uint32_t n) { return n / 2 < 12 ? (n % 2 == 0 ? 8 : 12) : (n % 2 == 0 ? 7 : 20); }));
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
    return "{ .param .u32 q; .param .u32 s; st.param.u32 [q], %i; " + guard + " call (s), " + name +
           ", (q); ld.param.u32 %r0, [s]; }\n";
}

}  // namespace

TEST_CASE("A call that returns from two places brings its lanes together", "[exec]") {
    check(call("square") + store_results, with_lanes([](std::uint32_t i) { return i > 20 ? 5 : i * i; }),
          functions);
}

TEST_CASE("Calls in one branch, under a guard and in a loop come back to their callers", "[exec]") {
    check("mov.u32 %r0, 3; setp.lt.u32 %p0, %i, 9; @!%p0 bra END;" + call("square") + "END:" + store_results,
          with_lanes([](std::uint32_t i) { return i < 9 ? i * i : 3; }), functions);
    check("setp.lt.u32 %p0, %i, 9; { .param .u32 q; .param .u32 s; st.param.u32 [q], %i; st.param.u32 [s], 3;\n"
          "@%p0 call (s), square, (q); ld.param.u32 %r0, [s]; }" +
              store_results,
          with_lanes([](std::uint32_t i) { return i < 9 ? i * i : 3; }), functions);
    check("mov.u32 %r5, 0; and.b32 %r6, %i, 3; LOOP:" + call("square") +
              "add.u32 %r5, %r5, %r0; sub.u32 %r6, %r6, 1; setp.ge.s32 %p0, %r6, 0;\n"
              "@%p0 bra LOOP; mov.u32 %r0, %r5;" +
              store_results,
          with_lanes([](std::uint32_t i) { return (i > 20 ? 5 : i * i) * (i % 4 + 1); }), functions);
}

TEST_CASE("Lanes recurse to depths of their own and meet behind the first call", "[exec]") {
    check("{ .param .u32 q; .param .u32 s; rem.u32 %r1, %i, 9; st.param.u32 [q], %r1; call (s), depth, (q); "
          "ld.param.u32 %r0, [s]; }" +
              store_results,
          with_lanes([](std::uint32_t i) { return depth(i % 9); }), functions);
}

TEST_CASE("An indirect call sends each lane to its function", "[exec]") {
    check(R"(
        PROTO: .callprototype (.param .u32 _) _ (.param .u32 _);
        rem.u32 %r1, %i, 3; mul.wide.u32 %d0, %r1, 8; mov.u64 %d1, table; add.u64 %d0, %d0, %d1; ld.const.u64 %d0, [%d0];
        rem.u32 %r2, %i, 7;
        { .param .u32 q; .param .u32 s; st.param.u32 [q], %r2; call (s), %d0, (q), PROTO; ld.param.u32 %r0, [s]; })" +
              store_results,
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
                                           std::pair("turn", "call of turn: it takes (.param .b8[24], .param .u8) "
                                                             "and the prototype of the call has (.param .u32)"),
                                           std::pair("halve", "call of halve: it takes (.reg .u32, .reg .b16)")}) {
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
        mad.lo.u32 %r0, %x, 10000, %r0; @%odd add.u32 %r0, %r0, 7;)" +
              store_results,
          with_lanes([](std::uint32_t i) { return 2300 + 6 * i + 10000 * (i / 2 + i) + (i % 2) * 7; }), functions);
}

TEST_CASE("Endless recursion is a stack overflow with a trace of the calls", "[exec]") {
    std::string const endless = R"(
.func down(.param .u32 n) {
    .reg .u32 %a; .local .b8 much[64]; ld.param.u32 %a, [n]; st.local.u32 [much], %a;
    { .param .u32 q; st.param.u32 [q], %a; call down, (q); } ret; })";
    for (std::string const& model : control_flows()) {
        Program program(kernel("setp.eq.u32 %p0, %i, 13; @!%p0 bra END; { .param .u32 q; st.param.u32 [q], %i; "
                               "call down, (q); } END:",
                               endless),
                        model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "stack overflow"));
        CHECK(contains(text, "lane 13"));
        CHECK(contains(text, "in down, called from down at test.ptx:"));
        CHECK(contains(text, "calls more"));
        CHECK(contains(text, "in down, called from k at test.ptx:"));  // always says where it began
    }
}

TEST_CASE("Branches are counted, and those that part lanes", "[exec]") {
    for (std::string const& model : control_flows()) {
        // 3 warps: only warp 1 diverges at i < 40; the loop's branch is executed 4 times and never diverges.
        Program program(kernel(R"(
            setp.lt.u32 %p0, %i, 40; @%p0 bra A; mov.u32 %r0, 1; A:
            mov.u32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra LOOP; bra END; END:)"),
                        model);
        program.run<std::uint32_t>(96, {.block = {96, 1, 1}});
        CHECK(program.result.branches.total == 3 * 5);
        CHECK(program.result.branches.divergent == 1);
    }
}

TEST_CASE("Lanes that end inside of a branch leave the others to meet behind it", "[exec]") {
    // Sides of 16 lanes; a quarter of the first ends early, in three ways.
    for (std::string const end : {"@%p1 ret;", "@%p1 exit;", "@%p1 bra OUT;"}) {
        INFO(end);
        auto want = with_lanes([](std::uint32_t i) { return i < 16 ? i + 100 : i; }, 32, 28);
        for (std::uint32_t i = 0; i < 16; i += 4) want[2 * i] = want[2 * i + 1] = 0;
        check("mov.u32 %r0, %i; setp.ge.u32 %p0, %i, 16; and.b32 %r1, %i, 3; setp.eq.u32 %p1, %r1, 0; @%p0 bra "
              "ELSE; " +
                  end + "add.u32 %r0, %r0, 100; bra JOIN; ELSE: add.u32 %r0, %r0, 0; JOIN:" + store_results +
                  "OUT:",
              want);
    }
}

TEST_CASE("A function's early return leaves the others to meet inside of it", "[exec]") {
    std::string const function = R"(
.func (.param .u32 result) f(.param .u32 x) {
    .reg .u32 %a, %m; .reg .pred %p, %q; ld.param.u32 %a, [x]; setp.ge.u32 %p, %a, 16; setp.eq.u32 %q, %a, 3;
    st.param.u32 [result], 7; @%p bra ELSE; @%q ret; bra JOIN; ELSE: add.u32 %a, %a, 1; JOIN:
    activemask.b32 %m; popc.b32 %m, %m; st.param.u32 [result], %m; ret; })";
    check(call("f") + store_results, with_lanes([](std::uint32_t i) { return i == 3 ? 7 : 31; }), function);
}

TEST_CASE("Lanes that go to the end pass no barrier and keep nobody waiting in one", "[exec]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel("setp.lt.u32 %p0, %i, 9; @%p0 bra OUT; bar.sync 0; st.global.u32 [%o4], 5; OUT:"),
                        model);
        CHECK(program.run<std::uint32_t>(64, {.block = {64, 1, 1}}) ==
              each<std::uint32_t>(64, [](std::uint32_t i) { return i < 9 ? 0 : 5; }));
    }
}

TEST_CASE("A broken promise of .uni is reported with its lanes and its place", "[exec]") {
    std::string const tables = functions + "\n";
    std::pair<std::string, std::string> const cases[] = {
        {"setp.lt.u32 %p0, %i, 3;\n@%p0 bra.uni END;\nmov.u32 %r0, 1; END:",
         "lanes 0-2 branch, lanes 3-31 do not"},
        {"T: .branchtargets A, B; setp.ge.u32 %p0, %i, 31; selp.u32 %r0, 1, 0, %p0;\nbrx.idx.uni %r0, T; A: "
         "mov.u32 %r1, 1; B:",
         "lane 31 branch to one place, lanes 0-30 do not"},
        {"setp.eq.u32 %p0, %i, 4;\n{ .param .u32 q; .param .u32 s; st.param.u32 [q], %i;\n@!%p0 call.uni (s), "
         "square, (q); }",
         "lanes 0-3,5-31 call, lane 4 does not"},
        {"setp.eq.u32 %p0, %i, 4;\n@%p0 ret.uni;", "lane 4 return, lanes 0-3,5-31 do not"},
        {"P: .callprototype (.param .u32 _) _ (.param .u32 _); setp.eq.u32 %p0, %i, 2; mov.u64 %d0, twice; "
         "mov.u64 %d1, square;\n"
         "selp.b64 %d0, %d0, %d1, %p0; { .param .u32 q; .param .u32 s; st.param.u32 [q], %i;\ncall.uni (s), %d0, "
         "(q), P; }",
         "lanes 0-1,3-31 call one function, lane 2 does not"}};
    for (std::string const& model : control_flows()) {
        for (auto const& [body, part] : cases) {
            Program program(kernel(body, tables), model);
            std::string const text = program.error();
            INFO(text);
            CHECK(contains(text, "broken promise of .uni: " + part));
            CHECK(contains(text, "test.ptx:"));
        }
        // The promise is about the lanes that are active.
        Program program(kernel("setp.lt.u32 %p0, %i, 3; @!%p0 bra OTHER; @%p0 bra.uni END; OTHER: END:"), model);
        CHECK(program.error() == "");
    }
}

TEST_CASE("A return from a function that promised not to is a fault", "[exec]") {
    std::string const function = R"(
.func down(.param .u32 n) .noreturn {
    .reg .u32 %a; .reg .pred %p; ld.param.u32 %a, [n]; setp.eq.u32 %p, %a, 40; @%p exit; ret; })";
    for (std::string const& model : control_flows()) {
        Program program(kernel("{ .param .u32 q; st.param.u32 [q], %i;\ncall down, (q); }", function), model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "return from down, which is declared .noreturn"));
        CHECK(contains(text, "in down, called from k at test.ptx:"));
    }
}

TEST_CASE("A trap and a breakpoint stop the kernel and say which it was", "[exec]") {
    for (auto const& [name, part] :
         {std::pair("trap", "trap: the program stopped itself"), std::pair("brkpt", "breakpoint: brkpt")}) {
        Program program(kernel(std::string("setp.eq.u32 %p0, %i, 5; @%p0 ") + name + ";"));
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, part));
        CHECK(contains(text, "lane 5"));
    }
}

TEST_CASE("Lanes take stack memory of sizes of their own and give it back", "[exec]") {
    // Each lane keeps i + 1 words, calls a function that has a frame of its own, and sums the words up again.
    std::string const function = R"(
.func (.param .u32 result) use(.param .u32 x) {
    .reg .u32 %a; .local .u32 mine[8]; ld.param.u32 %a, [x]; st.local.u32 [mine], %a; st.local.u32 [mine+28], %a;
    ld.local.u32 %a, [mine]; st.param.u32 [result], %a; ret; })";
    for (std::string const type : {"u32", "u64"}) {
        std::string const r = type == "u32" ? "%r1" : "%d1", size = type == "u32" ? "%r2" : "%d2",
                          saved = type == "u32" ? "%r3" : "%d3";
        check("mov.u32 %r10, 0; mov.u32 %r20, 0; ROUND: stacksave." + type + " " + saved +
                  "; mad.lo.u32 %r4, %i, 4, 4; cvt." + type + ".u32 " + size + ", %r4; alloca." + type + " " + r +
                  ", " + size + ", 16; cvt.u32." + type + " %r5, " + r +
                  R"(; and.b32 %r6, %r5, 15; setp.ne.u32 %p0, %r6, 0; @%p0 trap;
        mov.u32 %r7, 0;
        FILL: mad.lo.u32 %r8, %r7, 4, %r5; st.local.u32 [%r8], %r7; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %i; @%p1 bra FILL;
        )" + call("use") +
                  R"( add.u32 %r10, %r10, %r0; mov.u32 %r7, 0;
        SUM: mad.lo.u32 %r8, %r7, 4, %r5; ld.local.u32 %r9, [%r8]; add.u32 %r10, %r10, %r9; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %i;
        @%p1 bra SUM; stackrestore.)" +
                  type + " " + saved + R"(; add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 500; @%p2 bra ROUND;
        mov.u32 %r0, %r10;)" +
                  store_results,
              with_lanes([](std::uint32_t i) { return 500 * (i + i * (i + 1) / 2); }), function);
    }
}

TEST_CASE("Stack memory ends: too large an alloca, an access behind it, a wild stackrestore", "[exec]") {
    std::pair<std::string, std::string> const cases[] = {
        {"setp.eq.u32 %p0, %i, 4; selp.u64 %d0, 40000, 64, %p0; alloca.u64 %d1, %d0;",
         "stack overflow: alloca of 40000 bytes"},
        {"LOOP: alloca.u32 %r1, 1024; bra LOOP;", "stack overflow: alloca of 1024 bytes"},
        {"alloca.u32 %r1, 64; st.local.u32 [%r1+64], %i;", "illegal address: 4-byte store to local"},
        {"mov.u32 %r1, 4096; stackrestore.u32 %r1;", "stackrestore to 4096"}};
    for (std::string const& model : control_flows()) {
        for (auto const& [body, part] : cases) {
            Program program(kernel(body), model);
            std::string const text = program.error();
            INFO(text);
            CHECK(contains(text, part));
        }
    }
}

TEST_CASE("Local memory of a block is zero, whatever the block before it left there", "[exec]") {
    Program program(
        kernel(".local .u32 mine; ld.local.u32 %r0, [mine]; st.global.u32 [%o4], %r0; st.local.u32 [mine], 7;"));
    CHECK(program.run<std::uint32_t>(96, {.grid = {3, 1, 1}}) == std::vector<std::uint32_t>(96, 0));
}

TEST_CASE("The limit of instructions counts those of the program only", "[exec]") {
    // 11 of the prologue, four here (a saturating one is several ops), ret.
    for (std::uint64_t const limit : {15u, 16u}) {
        runtime::DeviceOptions options = Program::one_thread();
        options.max_instructions = limit;
        Program program(
            kernel("setp.lt.u32 %p0, %i, 4; @%p0 bra A; A: add.sat.s32 %r0, %i, 1; st.global.u32 [%o4], %r0;"),
            "independent", options);
        CHECK(contains(program.error(), "instruction limit") == (limit == 15));
    }
}

TEST_CASE("An unsized array of parameters holds what each call gives, and an access behind it is a fault",
          "[exec]") {
    std::string const function = R"(
.func (.param .u32 y) sum(.param .u32 n, .param .align 8 .b8 data[]);
.func (.param .u32 y) sum(.param .u32 n, .param .align 8 .b8 data[]) {
    .reg .u32 %n, %s, %k, %v; .reg .pred %p; ld.param.u32 %n, [n]; mov.u32 %s, 0; ld.param.u32 %s, [data];
    setp.lt.u32 %p, %n, 2; @%p bra OUT; ld.param.u32 %v, [data+4]; add.u32 %s, %s, %v;
    setp.lt.u32 %p, %n, 4; @%p bra OUT; ld.param.u32 %v, [data+12]; add.u32 %s, %s, %v;
    OUT: st.param.u32 [y], %s; ret; })";
    auto const call = [](int bytes, int count) {
        std::string text = "{ .param .u32 n; .param .align 8 .b8 d[" + std::to_string(bytes) +
                           "]; .param .u32 y; st.param.u32 [n], " + std::to_string(count) + ";";
        for (int b = 0; b < bytes; b += 4)
            text += "add.u32 %r1, %i, " + std::to_string(b) + "; st.param.u32 [d+" + std::to_string(b) + "], %r1;";
        return text + "\ncall (y), sum, (n, d); ld.param.u32 %r2, [y]; add.u32 %r0, %r0, %r2; }\n";
    };
    check("mov.u32 %r0, 0;" + call(4, 1) + call(8, 2) + call(16, 4) + store_results,
          with_lanes([](std::uint32_t i) { return i + (2 * i + 4) + (3 * i + 16); }), function);
    for (std::string const& model : control_flows()) {
        Program program(kernel("mov.u32 %r0, 0;" + call(16, 4) + call(8, 4), function), model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "illegal address: 4-byte load from param"));
        CHECK(contains(text, "[data+12]"));
    }
}

}  // namespace control_flow_test
