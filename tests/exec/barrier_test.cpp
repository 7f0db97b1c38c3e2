// CTA barriers: who is counted, what they reduce, and which uses are faults.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace barrier_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const cells = ".shared .align 8 .b8 cells[1024];";

/// Checks the kernel under both models.
void check(std::string const& body, Threads const& threads, std::vector<std::uint32_t> const& want) {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(body, cells), model);
        CHECK(program.run<std::uint32_t>(want.size(), threads) == want);
    }
}

void check_fault(std::string const& body, Threads const& threads, std::vector<std::string> const& parts) {
    for (std::string const& model : control_flows()) {
        Program program(kernel(body, cells), model);
        std::string const text = program.error(4096, threads);
        INFO(model << ": " << text);
        for (std::string const& part : parts) CHECK(contains(text, part));
    }
}

}  // namespace

TEST_CASE("A barrier lets every thread see what all stored, partial warps too", "[exec]") {
    for (std::uint32_t const threads : {33u, 64u, 100u}) {
        check(R"(
            mov.u32 %r1, cells; mad.lo.u32 %r2, %i, 4, %r1; mov.u32 %r8, %ntid.x; mov.u32 %r0, %i; mov.u32 %r9, 0;
            AGAIN: st.shared.u32 [%r2], %r0; bar.sync 0;
            add.u32 %r3, %i, 1; rem.u32 %r3, %r3, %r8; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r0, [%r3]; barrier.sync 0;
            add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 3; @%p0 bra AGAIN;
            st.global.u32 [%o4], %r0;)",
              {.block = {threads, 1, 1}},
              each<std::uint32_t>(threads, [&](std::uint32_t i) { return (i + 3) % threads; }));
    }
}

TEST_CASE("Barriers with counts hold only the warps that use them", "[exec]") {
    // warps 0 and 1 meet at barrier 1, warps 2 and 3 at a barrier whose number is in a register
    check(R"(
        shr.u32 %r1, %i, 6; add.u32 %r1, %r1, 1; mov.u32 %r4, 64; mov.u32 %r2, cells; mad.lo.u32 %r3, %i, 4, %r2; st.shared.u32 [%r3], %i;
        setp.eq.u32 %p0, %r1, 1; @%p0 bra FIRST; bar.sync %r1, %r4; bra BOTH; FIRST: bar.sync 1, 64;
        BOTH: xor.b32 %r3, %i, 63; mad.lo.u32 %r3, %r3, 4, %r2; ld.shared.u32 %r0, [%r3]; st.global.u32 [%o4], %r0;)",
          {.block = {128, 1, 1}}, each<std::uint32_t>(128, [](std::uint32_t i) { return i ^ 63; }));
}

TEST_CASE("Producers arrive without waiting and consumers wait for them", "[exec]") {
    check(R"(
        mov.u32 %r2, cells; and.b32 %r1, %i, 31; mad.lo.u32 %r3, %r1, 4, %r2; mov.u32 %r9, 0; mov.u32 %r0, 0;
        setp.ge.u32 %p0, %i, 32; @%p0 bra CONSUME;
        PRODUCE: bar.sync 2, 64; mad.lo.u32 %r4, %r9, 100, %r1; st.shared.u32 [%r3], %r4; bar.arrive 1, 64;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra PRODUCE; bra END;
        CONSUME: bar.arrive 2, 64; bar.sync 1, 64; ld.shared.u32 %r4, [%r3]; add.u32 %r0, %r0, %r4;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra CONSUME;
        END: st.global.u32 [%o4], %r0;)",
          {.block = {64, 1, 1}},
          each<std::uint32_t>(64, [](std::uint32_t i) { return i < 32 ? 0 : 600 + 4 * (i - 32); }));
}

TEST_CASE("Barriers reduce predicates over all threads", "[exec]") {
    check(R"(
        rem.u32 %r1, %i, 3; setp.eq.u32 %p0, %r1, 0; setp.lt.u32 %p1, %i, 100; setp.eq.u32 %p2, %i, 77;
        bar.red.popc.u32 %r2, 0, %p0; bar.red.and.pred %p3, 0, %p1; bar.red.and.pred %p4, 0, !%p0; bar.red.or.pred %p5, 0, %p2;
        bar.red.or.pred %p6, 0, !%p1; barrier.red.popc.u32 %r3, 3, 96, !%p0;
        selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 2, 0, %p4; selp.u32 %r6, 4, 0, %p5; selp.u32 %r7, 8, 0, %p6;
        add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7;
        mad.lo.u32 %r0, %r2, 100, %r4; mad.lo.u32 %r0, %r3, 10000, %r0; st.global.u32 [%o4], %r0;)",
          {.block = {96, 1, 1}}, std::vector<std::uint32_t>(96, 640000 + 3200 + 1 + 4));
}

TEST_CASE("Threads that have exited are not waited for in a barrier", "[exec]") {
    check(R"(
        setp.lt.u32 %p0, %i, 40; @%p0 exit;                        // a whole warp and a part of one
        mov.u32 %r2, cells; mad.lo.u32 %r3, %i, 4, %r2; st.shared.u32 [%r3], %i; bar.sync 0;
        mov.u32 %r4, 135; sub.u32 %r4, %r4, %i; mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %r0, [%r4]; st.global.u32 [%o4], %r0;)",
          {.block = {96, 1, 1}}, each<std::uint32_t>(96, [](std::uint32_t i) { return i < 40 ? 0 : 135 - i; }));
    // and when they are the last to exit, that completes the barrier
    check(R"(
        setp.lt.u32 %p0, %i, 64; @!%p0 bra LAST; bar.sync 0; st.global.u32 [%o4], 5; ret;
        LAST: mov.u32 %r9, 0; SPIN: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 100; @%p1 bra SPIN; exit;)",
          {.block = {96, 1, 1}}, each<std::uint32_t>(96, [](std::uint32_t i) { return i < 64 ? 5 : 0; }));
}

TEST_CASE("A barrier with a count is released when only threads that have exited are missing", "[exec]") {
    // before the others arrive, and while they wait
    for (std::string const delay : {"", "SPIN: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 200; @%p1 bra SPIN;"}) {
        INFO(delay);
        check("mov.u32 %r9, 0; shr.u32 %r1, %i, 5; setp.eq.u32 %p0, %r1, 1; @%p0 bra OUT; bar.sync 3, 96; "
              "st.global.u32 [%o4], 5; ret;\n"
              "OUT: " +
                  delay + " exit;",
              {.block = {96, 1, 1}}, each<std::uint32_t>(96, [](std::uint32_t i) { return i / 32 == 1 ? 0 : 5; }));
    }
    // no thread has exited that could have arrived, or some thread can still arrive
    check_fault("bar.sync 3, 96;", {.block = {64, 1, 1}}, {"deadlock", "64 of 96 threads"});
    check_fault("setp.lt.u32 %p0, %i, 64; @!%p0 exit; setp.lt.u32 %p0, %i, 32; @%p0 bra LOW; bar.sync 4, 96; LOW: "
                "bar.sync 3, 96;",
                {.block = {96, 1, 1}}, {"deadlock", "barrier 3 (32 of 96", "barrier 4 (32 of 96"});
}

TEST_CASE("Barriers on both sides of a branch are one barrier", "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r2, cells; mad.lo.u32 %r3, %i, 4, %r2; st.shared.u32 [%r3], %i; and.b32 %r4, %i, 1; setp.eq.u32 %p0, %r4, 0;
        @%p0 bra EVEN; barrier.sync 0; bra END; EVEN: barrier.sync 0; END:
        xor.b32 %r3, %i, 63; mad.lo.u32 %r3, %r3, 4, %r2; ld.shared.u32 %r0, [%r3]; st.global.u32 [%o4], %r0;)",
                           cells));
    CHECK(program.run<std::uint32_t>(64, {.block = {64, 1, 1}}) ==
          each<std::uint32_t>(64, [](std::uint32_t i) { return i ^ 63; }));
}

TEST_CASE("Wrong numbers and counts of barriers are faults", "[exec][engine]") {
    check_fault("mov.u32 %r0, 16; bar.sync %r0;", {}, {"barrier 16 does not exist"});
    check_fault("mov.u32 %r0, 40; bar.sync 1, %r0;", {.block = {64, 1, 1}}, {"40 threads", "multiple of 32"});
    check_fault("setp.lt.u32 %p0, %i, 32; mov.u32 %r0, 64; @%p0 mov.u32 %r0, 96; bar.sync 3, %r0;",
                {.block = {96, 1, 1}}, {"barrier 3 for 64 threads", "96"});
    check_fault("bar.sync 1, 96; st.global.u32 [%o4], 1;", {.block = {64, 1, 1}},
                {"deadlock", "barrier 1", "64 of 96 threads"});
}

TEST_CASE("A barrier that some lanes never reach names the warps that wait and for whom", "[exec]") {
    check_fault("setp.lt.u32 %p0, %i, 40; @%p0 bra A; barrier.sync 2; bra END; A: barrier.sync 1; END: "
                "st.global.u32 [%o4], 1;",
                {.block = {64, 1, 1}},
                {"deadlock", "block (0,0,0)", "warp 0, all lanes", "warp 1, lanes", "barrier 1"});
}

TEST_CASE("Threads held back by the guard of a barrier pass it", "[exec]") {
    Program program(kernel("setp.lt.u32 %p0, %i, 32; @%p0 bar.sync 1, 32; and.b32 %r0, %i, 1; setp.eq.u32 %p1, "
                           "%r0, 0; mov.u32 %r1, 0;\n"
                           "@%p1 bar.warp.sync 0x55555555; st.global.u32 [%o4], 3;"));
    CHECK(program.run<std::uint32_t>(64, {.block = {64, 1, 1}}) == std::vector<std::uint32_t>(64, 3));
    auto const& counts = program.result.instructions;
    // 32 lanes of the first barrier and 32 of bar.warp.sync are switched off; nothing else has a guard
    CHECK(counts.thread - counts.thread_guarded == 64);
}

TEST_CASE("A warp that arrives twice before a barrier completes counts twice", "[exec]") {
    // warp 0 arrives twice, for two phases of 64 threads; warp 1 comes later
    check(R"(
        setp.ge.u32 %p0, %i, 32; @%p0 bra LATE; bar.arrive 1, 96; bar.arrive 1, 96; bra END;
        LATE: mov.u32 %r9, 0; SPIN: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 50; @%p1 bra SPIN; bar.sync 1, 96;
        END: st.global.u32 [%o4], 9;)",
          {.block = {64, 1, 1}}, std::vector<std::uint32_t>(64, 9));
}

TEST_CASE("An arrival counts although its warp has exited", "[exec]") {
    check(R"(
        setp.ge.u32 %p0, %i, 32; @%p0 bra LATE; bar.arrive 1, 64; exit;
        LATE: mov.u32 %r9, 0; SPIN: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 50; @%p1 bra SPIN; bar.sync 1, 64; st.global.u32 [%o4], 9;)",
          {.block = {64, 1, 1}}, each<std::uint32_t>(64, [](std::uint32_t i) { return i < 32 ? 0 : 9; }));
}

TEST_CASE("A barrier for all threads may say so by a count", "[exec]") {
    check("setp.lt.u32 %p0, %i, 32; @%p0 bra A; bar.sync 1; bra END; A: bar.sync 1, 64; END: st.global.u32 [%o4], "
          "9;",
          {.block = {64, 1, 1}}, std::vector<std::uint32_t>(64, 9));
}

TEST_CASE("An aligned barrier that not all lanes of a warp execute is a fault with its place", "[exec]") {
    check_fault(
        "setp.lt.u32 %p0, %i, 8; @%p0 bra A; bar.sync 0; bra END; A: bar.sync 0; END: st.global.u32 [%o4], 1;", {},
        {"divergent barrier", "lanes ", "bar.sync 0;", "warp 0"});
    check_fault("setp.lt.u32 %p0, %i, 8; @%p0 barrier.sync.aligned 0;", {},
                {"divergent barrier", "lanes 8-31 of all lanes are held back"});
}

}  // namespace barrier_test
