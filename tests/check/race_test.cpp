// Races that are there are found, and what the memory consistency model orders is none. Each mistake has a twin that does
// the same correctly.
#include "tests/check/race_cases.hpp"

#include <string>

namespace race_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Thread 0 of CTA 0 does one thing, thread 0 of CTA 1 another; their data is at %out + 256, their flag at %out + 512.
std::string between(std::string const& producer, std::string const& consumer) {
    return "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra DONE;\n"
           "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p0, %r1, 0; @%p0 bra CONSUME;\n" +
           producer + "bra DONE;\nCONSUME:\n" + consumer + "DONE:\n";
}
std::string waiting(std::string const& load) {
    return "WAIT: " + load + " %r3, [%out+512]; setp.eq.u32 %p1, %r3, 0; @%p1 bra WAIT;\n";
}
std::string const produce = "st.global.u32 [%out+256], 7;\n";
std::string const consume = "ld.global.u32 %r4, [%out+256]; st.global.u32 [%out+1024], %r4;\n";
/// The last CTA that counts itself adds up what all have written.
std::string last_block(std::string const& before, std::string const& after) {
    return "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra DONE; mov.u32 %r1, %ctaid.x;\n"
           "mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %d0, %out; st.global.u32 [%d0+1024], %r1;\n" +
           before + "atom.global.add.u32 %r2, [%out], 1;\n" + after +
           "setp.ne.u32 %p1, %r2, 3; @%p1 bra DONE;\n"
           "ld.global.u32 %r3, [%out+1024]; ld.global.u32 %r4, [%out+1028]; ld.global.u32 %r5, [%out+1032];\n"
           "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; st.global.u32 [%out+4], %r3;\nDONE:\n";
}
/// Every CTA adds to a word without an atomic, under a lock.
std::string locked(std::string const& acquire, std::string const& release) {
    return "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra DONE;\n"
           "LOCK: atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOCK;\n" +
           acquire + "ld.global.u32 %r2, [%out+256]; add.u32 %r2, %r2, 1; st.global.u32 [%out+256], %r2;\n" +
           release + "atom.global.exch.b32 %r3, [%out], 0;\nDONE:\n";
}
/// Warps 0 and 1 put; what warps 2 and 3 do with it depends on `consumer`. %p2: of the first two.
std::string by_halves(std::string const& producer, std::string const& consumer) {
    return values + addresses + "setp.lt.u32 %p2, %r0, 64; @!%p2 bra CONSUME;\n" + put + producer +
           "bra DONE;\nCONSUME:\n" + consumer + "ld.shared.u32 %r2, [%d1]; st.global.u32 [%o4], %r2;\nDONE:\n";
}
std::string const mbarrier =
    ".shared .b64 phase;\n" + values + addresses +
    "setp.ne.u32 %p0, %r0, 0; @%p0 bra READY; mbarrier.init.shared.b64 [phase], 64;\nREADY: bar.sync 0;\n"
    "setp.lt.u32 %p2, %r0, 64; @!%p2 bra CONSUME;\n" +
    put;

std::vector<Case> cases() {
    return {
        {"a mirror image without a barrier", blocks(1, 64), values + addresses + put + get, "write after read"},
        {"... with one", blocks(1, 64), values + addresses + put + "bar.sync 0;\n" + get, ""},
        {"neighbours in a warp", blocks(1, 32), values + addresses + put + get, "read after write"},
        {"... after bar.warp.sync", blocks(1, 32), values + addresses + put + "bar.warp.sync 0xffffffff;\n" + get,
         ""},
        {"a shuffle orders no memory", blocks(1, 32),
         values + addresses + put + "shfl.sync.bfly.b32 %r5, %r0, 1, 31, 0xffffffff;\n" + get, "read after write"},
        {"halves of a warp that meet by themselves", blocks(1, 32),
         values + addresses + put +
             "setp.lt.u32 %p0, %r0, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p0;\n"
             "bar.warp.sync %r5;\n" +
             get,
         "read after write"},
        {"pairs within the halves", blocks(1, 32),
         values + addresses + put +
             "setp.lt.u32 %p0, %r0, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p0;\n"
             "bar.warp.sync %r5; xor.b32 %r6, %r0, 1; mul.wide.u32 %d1, %r6, 4; add.u64 %d1, %d1, %d2;\n" +
             get,
         ""},
        {"one word, many writers", blocks(1, 64), "st.global.u32 [%out], %i;", "write after write"},
        {"... of the same value", blocks(1, 64), "st.global.u32 [%out], 5;",
         "write after write of the same value"},
        {"... one writer", blocks(1, 64), "setp.eq.u32 %p0, %i, 0; @%p0 st.global.u32 [%out], 5;", ""},
        {"a counter without an atomic", blocks(4, 32),
         "ld.global.u32 %r0, [%out]; add.u32 %r0, %r0, 1; st.global.u32 [%out], %r0;", "write after read"},
        {"... with one", blocks(4, 32), "red.global.add.u32 [%out], 1;", ""},
        {"an atomic and a plain load", blocks(4, 32), "red.global.add.u32 [%out], 1; ld.global.u32 %r0, [%out];",
         "atomic after read"},
        {"... a relaxed load", blocks(4, 32),
         "red.global.add.u32 [%out], 1; ld.relaxed.gpu.global.u32 %r0, [%out];", ""},
        {"... the first load of a loop of compare-and-swap", blocks(4, 32),
         "ld.global.u32 %r0, [%out];\nL: mov.u32 %r1, %r0; add.u32 %r2, %r1, 1; atom.global.cas.b32 %r0, [%out], "
         "%r1, %r2;\n"
         "setp.ne.u32 %p0, %r0, %r1; @%p0 bra L;",
         ""},
        {"atomics whose scope is the block", blocks(4, 32), "red.relaxed.cta.global.add.u32 [%out], 1;",
         "atomic after atomic"},
        {"... in one block", blocks(1, 128), "red.relaxed.cta.global.add.u32 [%out], 1;", ""},
        {"atomics of different sizes", blocks(1, 32),
         "setp.lt.u32 %p0, %i, 16; @%p0 red.global.add.u32 [%out], 1; @!%p0 red.global.add.u64 [%out], 1;",
         "atomic after atomic"},
        {"a message without a fence", blocks(2, 32),
         between(produce + "st.relaxed.gpu.global.u32 [%out+512], 1;\n",
                 waiting("ld.relaxed.gpu.global.u32") + consume),
         "read after write"},
        {"... with fences on both sides", blocks(2, 32),
         between(produce + "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%out+512], 1;\n",
                 waiting("ld.relaxed.gpu.global.u32") + "fence.acq_rel.gpu;\n" + consume),
         ""},
        {"... by the producer alone", blocks(2, 32),
         between(produce + "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%out+512], 1;\n",
                 waiting("ld.relaxed.gpu.global.u32") + consume),
         "read after write"},
        {"... by the consumer alone", blocks(2, 32),
         between(produce + "st.relaxed.gpu.global.u32 [%out+512], 1;\n",
                 waiting("ld.relaxed.gpu.global.u32") + "fence.acq_rel.gpu;\n" + consume),
         "read after write"},
        {"... with volatile flags and membar", blocks(2, 32),
         between(produce + "membar.gl; st.volatile.global.u32 [%out+512], 1;\n",
                 waiting("ld.volatile.global.u32") + "membar.gl;\n" + consume),
         ""},
        {"... with volatile flags alone", blocks(2, 32),
         between(produce + "st.volatile.global.u32 [%out+512], 1;\n", waiting("ld.volatile.global.u32") + consume),
         "read after write"},
        {"... by release and acquire", blocks(2, 32),
         between(produce + "st.release.gpu.global.u32 [%out+512], 1;\n",
                 waiting("ld.acquire.gpu.global.u32") + consume),
         ""},
        {"... whose scope is the block", blocks(2, 32),
         between(produce + "st.release.cta.global.u32 [%out+512], 1;\n",
                 waiting("ld.acquire.gpu.global.u32") + consume),
         "read after write"},
        {"... through a plain flag", blocks(2, 32),
         between(produce + "fence.acq_rel.gpu; st.global.u32 [%out+512], 1;\n",
                 waiting("ld.acquire.gpu.global.u32") + consume),
         "read after write"},
        {"the last block, with fences", blocks(4, 32), last_block("membar.gl;\n", "membar.gl;\n"), ""},
        {"... without", blocks(4, 32), last_block("", ""), "read after write"},
        {"... by an atomic that acquires and releases", blocks(4, 32),
         "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra DONE; mov.u32 %r1, %ctaid.x;\n"
         "mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %d0, %out; st.global.u32 [%d0+1024], %r1;\n"
         "atom.acq_rel.gpu.global.add.u32 %r2, [%out], 1; setp.ne.u32 %p1, %r2, 3; @%p1 bra DONE;\n"
         "ld.global.u32 %r3, [%out+1024]; st.global.u32 [%out+4], %r3;\nDONE:\n",
         ""},
        {"a fence of each thread, and one that counts for all", blocks(4, 64),
         "st.global.u32 [%o4+1024], %i; membar.gl; bar.sync 0; mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 "
         "bra DONE;\n"
         "atom.global.add.u32 %r2, [%out], 1; membar.gl; setp.ne.u32 %p1, %r2, 3; @%p1 bra DONE;\n"
         "ld.global.u32 %r3, [%out+1024]; ld.global.u32 %r3, [%out+1540]; st.global.u32 [%out+4], %r3;\nDONE:\n",
         ""},
        {"... no fence", blocks(4, 64),
         "st.global.u32 [%o4+1024], %i; bar.sync 0; mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra DONE;\n"
         "atom.global.add.u32 %r2, [%out], 1; membar.gl; setp.ne.u32 %p1, %r2, 3; @%p1 bra DONE;\n"
         "ld.global.u32 %r3, [%out+1024]; st.global.u32 [%out+4], %r3;\nDONE:\n",
         "read after write"},
        {"a lock with fences", blocks(4, 32), locked("membar.gl;\n", "membar.gl;\n"), ""},
        {"... that does not acquire", blocks(4, 32), locked("", "membar.gl;\n"), "read after write"},
        {"... that does not release", blocks(4, 32), locked("membar.gl;\n", ""), "read after write"},
        {"a word that all read and one writes", blocks(1, 64),
         "ld.global.u32 %r0, [%out]; setp.eq.u32 %p0, %i, 40;\n"
         "@%p0 st.global.u32 [%out], 3;",
         "write after read"},
        {"... behind a barrier", blocks(1, 64),
         "ld.global.u32 %r0, [%out]; bar.sync 0; setp.eq.u32 %p0, %i, 40;\n"
         "@%p0 st.global.u32 [%out], 3;",
         ""},
        {"... but other blocks read it, too", blocks(2, 64),
         "ld.global.u32 %r0, [%out]; bar.sync 0; setp.eq.u32 %p0, %i, 40;\n"
         "@%p0 st.global.u32 [%out], 3;",
         "read after write"},
        {"bytes of one word", blocks(1, 64),
         "cvt.u64.u32 %d0, %i; add.u64 %d0, %d0, %out; st.global.u8 [%d0], %i; ld.global.u8 %r0, [%d0];", ""},
        {"... and the word", blocks(1, 64),
         "cvt.u64.u32 %d0, %i; add.u64 %d0, %d0, %out; st.global.u8 [%d0], %i; ld.global.u32 %r0, [%out];",
         "read after write"},
        {"a vector over another's words", blocks(1, 32),
         "st.global.u32 [%o4], %i; setp.eq.u32 %p0, %i, 0;\n"
         "@%p0 ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out];",
         "read after write"},
        {"a barrier of the wrong warps", blocks(1, 128), by_halves("bar.sync 1, 64;\n", "bar.sync 2, 64;\n"),
         "read after write"},
        {"... of all", blocks(1, 128), by_halves("bar.sync 1, 128;\n", "bar.sync 1, 128;\n"), ""},
        {"... at which one side only arrives", blocks(1, 128),
         by_halves("bar.arrive 1, 128;\n", "bar.sync 1, 128;\n"), ""},
        {"... at which the readers only arrive", blocks(1, 128),
         by_halves("bar.sync 1, 128;\n", "bar.arrive 1, 128;\n"), "read after write"},
        {"an mbarrier", blocks(1, 128),
         mbarrier +
             "mbarrier.arrive.shared.b64 %d5, [phase]; bra DONE;\n"
             "CONSUME: mbarrier.test_wait.parity.shared.b64 %p3, [phase], 0; @!%p3 bra CONSUME;\n" +
             get + "DONE:\n",
         ""},
        {"... that nobody waits for", blocks(1, 128),
         mbarrier + "mbarrier.arrive.shared.b64 %d5, [phase]; bra DONE;\nCONSUME:\n" + get + "DONE:\n",
         "write after read"},
    };
}

}  // namespace

TEST_CASE("Races are found, and what is ordered is none") { check_cases(cases()); }

TEST_CASE("Shared memory of another block of the cluster is no block's own") {
    // Each block writes to the other's memory, and reads what the other has written to its own.
    auto const exchange = [](std::string const& between) {
        return kernel(
            values + addresses +
                "mov.u32 %r3, %cluster_ctarank; xor.b32 %r3, %r3, 1; mapa.shared::cluster.u64 %d3, %d0, %r3;\n"
                "st.shared::cluster.u32 [%d3], %r0;\n" +
                between + "ld.shared.u32 %r2, [%d0]; st.global.u32 [%o4], %r2;\n" +
                "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n",
            "", ".reqnctapercluster 2\n");
    };
    Threads const threads = blocks(4, 32);
    CHECK(findings_of(exchange("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"), threads, "race")
              .empty());
    auto const found = findings_of(exchange("bar.sync 0;\n"), threads, "race");
    REQUIRE(found.size() == 1);
    CHECK(found[0].space == "shared");
    REQUIRE(found[0].other);
    CHECK(found[0].act->block != found[0].other->block);
}

TEST_CASE("A barrier of the grid that is missing in a loop is not hidden by the next one") {
    // All threads write for those of another block, three times. Blocks meet by counting, in front of the reads and behind them.
    auto const exchange = [](bool meets_again) {
        auto const meet = [](std::string const& goal, std::string const& number) {
            return "bar.sync 0; setp.ne.u32 %p0, %s, 0; @%p0 bra MET" + number +
                   ";\nfence.acq_rel.gpu; red.relaxed.gpu.global.add.u32 [%out+32768], 1;\nWAIT" + number +
                   ": ld.relaxed.gpu.global.u32 %r6, [%out+32768]; setp.lt.u32 %p1, %r6, " + goal +
                   "; @%p1 bra WAIT" + number + ";\nfence.acq_rel.gpu;\nMET" + number + ": bar.sync 0;\n";
        };
        return kernel(
            "mov.u32 %r0, %ntid.x; mov.u32 %r1, %nctaid.x; mul.lo.u32 %r2, %r0, %r1; add.u32 %r3, %i, %r0;\n"
            "rem.u32 %r3, %r3, %r2; mul.wide.u32 %d0, %r3, 4; add.u64 %d0, %d0, %out; mov.u32 %r4, 0;\n"
            "mov.u32 %r5, 0;\nAGAIN: st.global.u32 [%o4], %r4; add.u32 %r5, %r5, %r1;\n" +
            meet("%r5", "1") + "ld.global.u32 %r7, [%d0];\n" +
            (meets_again ? "add.u32 %r5, %r5, %r1;\n" + meet("%r5", "2") : "") +
            "add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 3; @%p2 bra AGAIN;\n");
    };
    auto const found = [&](bool meets_again) {
        check::Options options;
        options.kinds = check::parse_kinds("race");
        options.print_limit = 0;
        check::Checkers checkers(options);
        runtime::DeviceOptions device = Program::one_thread();
        checkers.observe(device);
        Program program(exchange(meets_again), "independent", device);
        runtime::LaunchShape shape;
        shape.grid = {4, 1, 1};
        shape.block = {32, 1, 1};
        shape.cooperative = true;
        program.device.launch(*program.module, "k", shape,
                              runtime::Arguments::of(program.device.allocate(65536), program.in));
        return whats(checkers.findings().all());
    };
    CHECK(found(true).empty());
    CHECK(found(false) == "write after read");
}

}  // namespace race_test
