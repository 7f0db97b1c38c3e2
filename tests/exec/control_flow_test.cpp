// Lanes that diverge at branches and reconverge behind them.
#include "tests/support/lanes_together.hpp"

namespace control_flow_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Two sides of a branch meet behind it", "[exec]") {
    check_both_models(R"(
        setp.lt.u32 %p0, %i, 10; @%p0 bra THEN;
        mul.lo.u32 %r0, %i, 3; bra.uni END;
        THEN: add.u32 %r0, %i, 1000;
        END:)" + store_results,
                      with_lanes([](std::uint32_t i) { return i < 10 ? i + 1000 : i * 3; }));
}

TEST_CASE("Nested branches meet from the inside out", "[exec]") {
    check_both_models(R"(
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
    check_both_models(R"(
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
    check_both_models(R"(
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
    check_both_models(R"(
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
    check_both_models(R"(
        and.b32 %r1, %i, 1; mov.u32 %r0, 1;
        TABLE: .branchtargets A, B;
        brx.idx %r1, TABLE;
        END:)" + store_results +
                          R"(
        bra OUT;
        A: mov.u32 %r0, 10; bra END;
        B: mov.u32 %r0, 20; bra END;
        OUT:)",
                      with_lanes([](std::uint32_t i) { return i % 2 == 0 ? 10 : 20; }));
}

TEST_CASE("A guarded indexed branch lets the other lanes fall through", "[exec]") {
    check_both_models(R"(
        and.b32 %r1, %i, 1; mov.u32 %r0, 1; setp.lt.u32 %p0, %i, 8; mov.u32 %r2, 99; @%p0 mov.u32 %r2, %r1;
        TABLE: .branchtargets A, B;
        @%p0 brx.idx %r2, TABLE;
        mov.u32 %r0, 5; bra END;
        A: mov.u32 %r0, 10; bra END;
        B: mov.u32 %r0, 20;
        END:)" + store_results,
                      with_lanes([](std::uint32_t i) { return i >= 8       ? 5
                                                              : i % 2 == 0 ? 10
                                                                           : 20; }));
}

TEST_CASE("A loop that goes round by an indexed branch ends", "[exec]") {
    check_both_models(R"(
        mov.u32 %r0, 0; rem.u32 %r2, %i, 3;
        TABLE: .branchtargets AGAIN, END;
        AGAIN: add.u32 %r0, %r0, 1; setp.gt.u32 %p0, %r0, %r2; selp.u32 %r1, 1, 0, %p0;
        brx.idx %r1, TABLE;
        END:)" + store_results,
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
    check_both_models(R"(
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
        check_both_models("rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 1; @%p0 " + end + "; mov.u32 %r0, %i;" +
                              store_results,
                          want);
        check_both_models(R"(
            rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 1; setp.eq.u32 %p1, %r1, 2;
            @%p1 bra B; @%p0 )" +
                              end + R"(; mov.u32 %r0, %i; bra END;
            B: mov.u32 %r0, %i;
            END: st.global.u32 [%o8], %r0; mov.u32 %r0, 21; @!%p0 st.global.u32 [%o8+4], %r0;)",
                          want);
    }
}

TEST_CASE("Without a meeting point both sides run to their ends", "[exec]") {
    check_both_models(R"(
        setp.lt.u32 %p0, %i, 12; @%p0 bra LOW;
        mov.u32 %r0, 7;)" +
                          store_results + R"( ret;
        LOW: mov.u32 %r0, 8;)" +
                          store_results,
                      each<std::uint32_t>(64, [](std::uint32_t n) {
                          return n / 2 < 12 ? (n % 2 == 0 ? 8 : 12) : (n % 2 == 0 ? 7 : 20);
                      }));
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
        check_both_models(
            "mov.u32 %r0, %i; setp.ge.u32 %p0, %i, 16; and.b32 %r1, %i, 3; setp.eq.u32 %p1, %r1, 0; @%p0 bra "
            "ELSE; " +
                end + "add.u32 %r0, %r0, 100; bra JOIN; ELSE: add.u32 %r0, %r0, 0; JOIN:" + store_results + "OUT:",
            want);
    }
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

}  // namespace control_flow_test
