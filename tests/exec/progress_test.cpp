// Threads that wait for each other through memory: which must make progress, and what is reported when none can.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace progress_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

runtime::DeviceOptions with_threads(int threads, std::uint64_t max_instructions = 0) {
    runtime::DeviceOptions options;
    options.threads = threads;
    options.max_instructions = max_instructions;
    return options;
}

std::string const flag = ".shared .align 8 .b8 flag[16];\n.global .u32 turn;\n.global .u32 lock;\n";

/// Each thread takes the lock, adds to a plain counter, and releases it. Inside the loop or behind it.
std::string const lock_behind = R"(
    TRY: atom.global.cas.b32 %r0, [lock], 0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra TRY;
    ld.volatile.global.u32 %r1, [%out]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%out], %r1; fence.acq_rel.gpu;
    atom.global.exch.b32 %r2, [lock], 0;)";

}  // namespace

TEST_CASE("A lane may wait for another lane of its warp", "[exec]") {
    // odd lanes wait for their even neighbour, which comes later in program order
    Program program(kernel(R"(
        and.b32 %r0, %i, 1; setp.eq.u32 %p0, %r0, 0; mov.u32 %r1, flag; @%p0 bra PRODUCE;
        WAIT: ld.volatile.shared.u32 %r2, [%r1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra WAIT; st.global.u32 [%o4], %r2; bra END;
        PRODUCE: setp.eq.u32 %p2, %i, 30; @%p2 st.volatile.shared.u32 [%r1], 9;
        END:)",
                           flag));
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return i % 2 == 0 ? 0 : 9; }));
}

TEST_CASE("A spin lock between lanes goes round all of them", "[exec]") {
    for (std::string const patience : {"1", "100", "1000000"}) {
        INFO(patience);
        Program program(kernel(lock_behind, flag), "independent", with_threads(2),
                        {"sm.convergence_patience=" + patience});
        std::uint32_t const threads =
            Program::is_timed() ? 3 : 64;  // a lane spins for thousands of instructions before it is suspended
        CHECK(program.run<std::uint32_t>(1, {.block = {threads, 1, 1}, .grid = {3, 1, 1}})[0] == 3 * threads);
    }
}

TEST_CASE("With the reconvergence stack the same lock is reported as a deadlock", "[exec]") {
    for (int const threads : {1, 2}) {
        Program program(kernel(lock_behind, flag), "stack", with_threads(threads));
        std::string const text = program.error(4096, {.block = {64, 1, 1}, .grid = {2, 1, 1}});
        INFO(text);
        CHECK(contains(text, "deadlock"));
        CHECK(contains(text, "reconvergence stack"));
        CHECK(contains(text, "[lock]"));
    }
}

TEST_CASE("Waiting that counts its rounds or sleeps gets on too", "[exec]") {
    for (std::string const pause : {"add.u32 %r9, %r9, 1;", "nanosleep.u32 20;", "mov.u64 %d9, %clock64;"}) {
        INFO(pause);
        Program program(kernel("mov.u32 %r9, 0; mov.u32 %r1, flag; setp.eq.u32 %p0, %i, 5; @!%p0 bra WAIT;\n"
                               "st.volatile.shared.u32 [%r1], 9; bra END;\nWAIT: " +
                                   pause +
                                   " ld.volatile.shared.u32 %r2, [%r1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra WAIT; "
                                   "st.global.u32 [%o4], %r2;\nEND:",
                               flag),
                        "independent", Program::one_thread(), {"sm.convergence_patience=5000"});
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return i == 5 ? 0 : 9; }));
    }
}

TEST_CASE("Blocks whose lanes wait for each other crosswise get on, however short their turns", "[exec]") {
    // Lanes 0 to 15 of CTA 0 come before those of CTA 1, the others after them: lanes that have left the loop wait
    // to reconverge with lanes that wait for lanes of the other CTA.
    std::string const loops[] = {
        "WAIT: ld.acquire.gpu.global.u32 %r1, [%d0]; setp.ne.u32 %p0, %r1, %r2; @%p0 bra WAIT;",
        // long iterations, so that a state recurs only after many turns
        "WAIT: mov.u32 %r9, 0; PAUSE: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 700; @%p1 bra PAUSE; "
        "ld.acquire.gpu.global.u32 %r1, [%d0]; "
        "setp.ne.u32 %p0, %r1, %r2; @%p0 bra WAIT;"};
    // Timing mode knows no turns.
    std::vector<std::uint64_t> const turns =
        Program::is_timed() ? std::vector<std::uint64_t>{0} : std::vector<std::uint64_t>{1, 30, 1000, 0};
    for (std::string const& loop : loops) {
        for (int const threads : {1, 2, 4}) {
            for (std::uint64_t const turn : turns) {
                INFO(loop << " " << threads << " host threads, turns of " << turn);
                runtime::DeviceOptions options = with_threads(threads);
                options.turn_instructions = turn;
                Program program(kernel("mov.u32 %r8, %laneid; mov.u32 %r7, %ctaid.x; setp.lt.u32 %p2, %r8, 16; "
                                       "sub.u32 %r6, 1, %r7; selp.u32 %r2, %r7, %r6, %p2;"
                                       "mul.wide.u32 %d0, %r8, 4; add.u64 %d0, %d0, %out;" +
                                       loop + "add.u32 %r3, %r2, 1; st.release.gpu.global.u32 [%d0], %r3;"),
                                "independent", options);
                CHECK(program.run<std::uint32_t>(32, {.grid = {2, 1, 1}}) == std::vector<std::uint32_t>(32, 2));
            }
        }
    }
}

TEST_CASE("Blocks that wait for all blocks let those begin that have not, however they wait", "[exec]") {
    for (std::string const pause : {"", "nanosleep.u32 100;", "mov.u64 %d9, %globaltimer;", "mov.u32 %r9, %clock;",
                                    "add.u32 %r6, %r6, 1;", "st.volatile.global.u32 [%o4], %r1;"}) {
        for (int const threads : {1, 2}) {
            INFO(pause << " " << threads << " host threads");
            Program program(kernel("atom.add.release.gpu.global.u32 %r1, [turn], 1; mov.u32 %r5, %nctaid.x; "
                                   "mov.u32 %r6, 0;\nWAIT: " +
                                       pause +
                                       " ld.acquire.gpu.global.u32 %r2, [turn]; setp.lt.u32 %p0, %r2, %r5; @%p0 "
                                       "bra WAIT; st.global.u32 [%o4], %r2;",
                                   flag),
                            "independent", with_threads(threads));
            // fewer turns are needed where many begin at once
            std::uint32_t const blocks = pause.starts_with("st") ? 4 : 40;
            CHECK(program.run<std::uint32_t>(blocks, {.block = {1, 1, 1}, .grid = {blocks, 1, 1}}) ==
                  std::vector<std::uint32_t>(blocks, blocks));
        }
    }
}

TEST_CASE("A deadlock of several blocks tells of each what it waits for", "[exec]") {
    for (int const threads : {1, 2}) {
        Program program(kernel("mov.u32 %r7, %ctaid.x; mul.wide.u32 %d0, %r7, 4; add.u64 %d0, %d0, %out; WAIT: "
                               "ld.acquire.gpu.global.u32 %r1, [%d0]; "
                               "setp.eq.u32 %p0, %r1, 0; @%p0 bra WAIT;"),
                        "independent", with_threads(threads));
        std::string const text = program.error(4096, {.grid = {6, 1, 1}});
        INFO(text);
        CHECK(contains(text, "block (0,0,0), warp 0, all lanes: run in circles at test.ptx:"));
        CHECK((threads > 1 || contains(text, "block (3,0,0), warp 0, all lanes: run in circles at test.ptx:")));
        CHECK((threads > 1 || contains(text, "... and 2 blocks or clusters more")));
    }
}

TEST_CASE("Two warps hand a flag in shared memory to and fro", "[exec]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(R"(
            shr.u32 %r0, %i, 5; mov.u32 %r1, flag; mov.u32 %r9, 0;
            ROUND: shl.b32 %r3, %r9, 1; add.u32 %r3, %r3, %r0;
            WAIT: ld.volatile.shared.u32 %r2, [%r1]; setp.ne.u32 %p0, %r2, %r3; @%p0 bra WAIT;
            bar.warp.sync -1;
            add.u32 %r4, %r3, 1; st.volatile.shared.u32 [%r1], %r4;
            add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 10; @%p1 bra ROUND;
            st.global.u32 [%o4], %r4;)",
                               flag),
                        model);
        CHECK(program.run<std::uint32_t>(64, {.block = {64, 1, 1}}) ==
              each<std::uint32_t>(64, [](std::uint32_t i) { return i < 32 ? 19 : 20; }));
    }
}

TEST_CASE("CTAs take turns through global memory for any number of host threads", "[exec]") {
    // CTA k waits for CTA k + 1, so the first ones wait for those that begin last
    for (std::string const& model : control_flows()) {
        for (int const threads : {1, 2, 8}) {
            INFO(model << ", " << threads << " host threads");
            Program program(kernel(R"(
                mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1; sub.u32 %r1, %r1, %r0;     // how many come before
                WAIT: ld.acquire.gpu.global.u32 %r2, [turn]; setp.ne.u32 %p0, %r2, %r1; @%p0 bra WAIT;
                ld.global.u32 %r3, [%out]; mad.lo.u32 %r3, %r3, 3, %r0; st.global.u32 [%out], %r3;
                add.u32 %r2, %r2, 1; st.release.gpu.global.u32 [turn], %r2;)",
                                   flag),
                            model, with_threads(threads));
            std::uint32_t want = 0;
            for (std::uint32_t k = 40; k-- > 0;) want = want * 3 + k;
            CHECK(program.run<std::uint32_t>(1, {.block = {1, 1, 1}, .grid = {40, 1, 1}})[0] == want);
        }
    }
}

TEST_CASE("Two CTAs that play ping-pong are never taken for a deadlock", "[exec]") {
    for (int const threads : {1, 2, 3}) {
        Program program(kernel(R"(
            mov.u32 %r0, %ctaid.x; mov.u32 %r9, 0;
            ROUND: shl.b32 %r3, %r9, 1; add.u32 %r3, %r3, %r0;
            WAIT: ld.volatile.global.u32 %r2, [turn]; setp.ne.u32 %p0, %r2, %r3; @%p0 bra WAIT;
            add.u32 %r3, %r3, 1; st.volatile.global.u32 [turn], %r3;
            add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 100; @%p1 bra ROUND;
            st.global.u32 [%o4], %r3;)",
                               flag),
                        "independent", with_threads(threads));
        CHECK(program.run<std::uint32_t>(2, {.block = {1, 1, 1}, .grid = {2, 1, 1}}) ==
              std::vector<std::uint32_t>{199, 200});
    }
}

TEST_CASE("Waiting for what nobody does is a deadlock, in simple and in nested loops", "[exec]") {
    std::string const loops[] = {
        "WAIT: ld.volatile.global.u32 %r2, [turn]; setp.eq.u32 %p0, %r2, 0; @%p0 bra WAIT;",
        // the state at the end of a turn differs from turn to turn
        "WAIT: mov.u32 %r3, 0; PAUSE: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 7; @%p1 bra PAUSE;\n"
        "ld.volatile.global.u32 %r2, [turn]; setp.eq.u32 %p0, %r2, 0; @%p0 bra WAIT;",
        "shr.u32 %r4, %i, 4; setp.eq.u32 %p2, %r4, 1; @%p2 bra OTHER; WAIT: ld.volatile.global.u32 %r2, [turn]; "
        "setp.eq.u32 %p0, %r2, 0;\n"
        "@%p0 bra WAIT; bra END; OTHER: atom.global.or.b32 %r2, [turn], 0; setp.eq.u32 %p0, %r2, 0; @%p0 bra "
        "OTHER; END: mov.u32 %r5, 0;",
    };
    for (std::string const& model : control_flows()) {
        for (int const threads : {1, 2}) {
            for (std::string const& loop : loops) {
                INFO(model << ", " << threads << " host threads: " << loop);
                Program program(kernel(loop, flag), model, with_threads(threads, 100'000'000));
                std::string const text = program.error(4096, {.block = {64, 1, 1}, .grid = {3, 1, 1}});
                INFO(text);
                CHECK(contains(text, "deadlock"));
                CHECK(contains(text, "run in circles"));
            }
        }
    }
}

TEST_CASE("Waiting is a livelock even if it keeps books in local memory", "[exec]") {
    for (std::string const& model : control_flows()) {
        for (std::string const store : {"st.local.u32 [%r4], %r2;", "st.u32 [%d4], %r2;"}) {
            INFO(model << ": " << store);
            Program program(kernel(".local .align 4 .b8 book[8];\nmov.u32 %r4, book; cvta.local.u64 %d4, book;\n"
                                   "WAIT: ld.volatile.global.u32 %r2, [turn]; " +
                                       store + " ld.local.u32 %r3, [%r4]; setp.eq.u32 %p0, %r3, 0; @%p0 bra WAIT;",
                                   flag),
                            model, with_threads(1, 100'000'000));
            std::string const text = program.error(4096, {.block = {64, 1, 1}});
            INFO(text);
            CHECK(contains(text, "deadlock"));
        }
        // ... which may be what ends it
        Program counting(
            kernel(".local .align 4 .b8 book[8];\nmov.u32 %r4, book; mov.u32 %r2, 0; st.local.u32 [%r4], %r2;\n"
                   "WAIT: ld.local.u32 %r2, [%r4]; add.u32 %r2, %r2, 1; st.local.u32 [%r4], %r2; mov.u32 %r2, 0; "
                   "ld.local.u32 %r3, [%r4];\n"
                   "setp.ge.u32 %p0, %r3, 300000; mov.u32 %r3, 0; @!%p0 bra WAIT; st.global.u32 [%o4], 7;"),
            model);
        CHECK(counting.run<std::uint32_t>(1, {.block = {1, 1, 1}})[0] == 7);
    }
}

TEST_CASE("A long computation is not taken for a deadlock", "[exec]") {
    Program program(kernel("mov.u32 %r0, 0; mov.u32 %r1, 0;\nLOOP: and.b32 %r1, %r0, 3; add.u32 %r0, %r0, 1; "
                           "setp.lt.u32 %p0, %r0, 500000; @%p0 bra LOOP;\n"
                           "st.global.u32 [%o4], %r0;"));
    CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 500000));
}

TEST_CASE("The limit of instructions stops a grid that exceeds it, and no other", "[exec][engine]") {
    std::string const text =
        kernel("mov.u32 %r0, 0; LOOP: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 1000; @%p0 bra LOOP;");
    for (int const threads : {1, 2}) {
        Program free(text, "independent", with_threads(threads));
        free.run<std::uint32_t>(256, {.block = {64, 1, 1}, .grid = {4, 1, 1}});
        std::uint64_t const executed = free.result.instructions.warp;
        CHECK(executed == 8 * (3 * 1000 + 13));
        Program enough(text, "independent", with_threads(threads, executed + executed / 10));
        CHECK(enough.error(4096, {.block = {64, 1, 1}, .grid = {4, 1, 1}}).empty());
        Program short_of(text, "independent", with_threads(threads, executed - executed / 10));
        std::string const error = short_of.error(4096, {.block = {64, 1, 1}, .grid = {4, 1, 1}});
        INFO(error);
        CHECK(contains(error, "--max-instructions"));
    }
}

}  // namespace progress_test
