// Clusters of CTAs and cooperative launches: which CTAs start together, which wait for which, and what registers
// report.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace cluster_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

runtime::LaunchShape shape(std::array<std::uint32_t, 3> grid, std::uint32_t threads,
                           std::array<std::uint32_t, 3> cluster) {
    runtime::LaunchShape s;
    s.grid = grid;
    s.block = {threads, 1, 1};
    s.cluster = cluster;
    return s;
}

template <class T> std::vector<T> launch(Program& program, std::size_t count, runtime::LaunchShape const& s) {
    runtime::DevicePointer const out = program.device.allocate(count * sizeof(T));
    program.result = program.device.launch(*program.module, "k", s, runtime::Arguments::of(out, program.in));
    return program.device.download<T>(out, count);
}

std::string fault(std::string const& body, runtime::LaunchShape const& s,
                  std::string const& model = "independent") {
    Program program(kernel(body), model);
    try {
        launch<std::uint32_t>(program, 4096, s);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

runtime::DeviceOptions two_threads() {
    runtime::DeviceOptions options;
    options.threads = 2;
    return options;
}

}  // namespace

TEST_CASE("Registers of clusters say where a block is in its cluster and its cluster in the grid", "[exec]") {
    // grid (4,6,1) in clusters of (2,3,1): 2 x 2 clusters of 6 blocks
    Program program(kernel(R"(
        mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mad.lo.u32 %r2, %r1, 4, %r0; mul.wide.u32 %d0, %r2, 32; add.u64 %d0, %d0, %out;
        mov.u32 %r3, %clusterid.x; st.global.u32 [%d0], %r3; mov.u32 %r3, %clusterid.y; st.global.u32 [%d0+4], %r3;
        mov.u32 %r3, %cluster_ctaid.x; st.global.u32 [%d0+8], %r3; mov.u32 %r3, %cluster_ctaid.y; st.global.u32 [%d0+12], %r3;
        mov.u32 %r3, %cluster_ctarank; st.global.u32 [%d0+16], %r3; mov.u32 %r3, %cluster_nctarank; st.global.u32 [%d0+20], %r3;
        mov.u32 %r3, %nclusterid.x; mov.u32 %r4, %nclusterid.y; mad.lo.u32 %r3, %r4, 100, %r3; st.global.u32 [%d0+24], %r3;
        mov.u32 %r3, %cluster_nctaid.x; mov.u32 %r4, %cluster_nctaid.y; mad.lo.u32 %r3, %r4, 100, %r3;
        mov.pred %p0, %is_explicit_cluster; selp.u32 %r4, 10000, 0, %p0; add.u32 %r3, %r3, %r4; st.global.u32 [%d0+28], %r3;)"));
    auto const got = launch<std::uint32_t>(program, 24 * 8, shape({4, 6, 1}, 1, {2, 3, 1}));
    std::vector<std::uint32_t> want;
    for (std::uint32_t y = 0; y < 6; ++y) {
        for (std::uint32_t x = 0; x < 4; ++x) {
            for (std::uint32_t const v : {x / 2, y / 3, x % 2, y % 3, x % 2 + y % 3 * 2, 6u, 202u, 10302u})
                want.push_back(v);
        }
    }
    CHECK(got == want);
}

TEST_CASE("Without clusters every block is one of its own", "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r0, %clusterid.x; mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %cluster_ctarank; mad.lo.u32 %r0, %r0, 10, %r1;
        mad.lo.u32 %r0, %r2, 1000, %r0; mov.pred %p0, %is_explicit_cluster; @%p0 add.u32 %r0, %r0, 5; st.global.u32 [%o4], %r0;)"));
    CHECK(launch<std::uint32_t>(program, 3, shape({3, 1, 1}, 1, {0, 0, 0})) ==
          std::vector<std::uint32_t>{1, 11, 21});
}

TEST_CASE("Blocks of a cluster see what all of them stored before its barrier", "[exec]") {
    std::string const text = kernel(R"(
        mov.u32 %r9, 0; mov.u32 %r8, %ntid.x; mov.u32 %r7, %nctaid.x; mul.lo.u32 %r7, %r7, %r8; mov.u32 %r0, %i;
        mov.u32 %r6, %cluster_nctarank; mul.lo.u32 %r6, %r6, %r8;                                  // threads of a cluster
        AGAIN: st.global.u32 [%o4], %r0; barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
        rem.u32 %r5, %i, %r6; sub.u32 %r4, %i, %r5; add.u32 %r5, %r5, 33; rem.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r4;
        mul.wide.u32 %d0, %r5, 4; add.u64 %d0, %d0, %out; ld.global.u32 %r0, [%d0];
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 3; @%p0 bra AGAIN; st.global.u32 [%o4], %r0;)");
    for (std::string const& model : control_flows()) {
        for (auto const& options : {Program::one_thread(), two_threads()}) {
            Program program(text, model, options);
            auto const got = launch<std::uint32_t>(program, 12 * 40, shape({12, 1, 1}, 40, {4, 1, 1}));
            CHECK(got ==
                  each<std::uint32_t>(480, [](std::uint32_t i) { return i / 160 * 160 + (i % 160 + 99) % 160; }));
        }
    }
}

TEST_CASE("Threads that have exited are not waited for in a barrier of the cluster", "[exec]") {
    for (std::string const& model : control_flows()) {
        Program program(kernel("mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p0, %r0, 1; @%p0 exit; "
                               "barrier.cluster.arrive; barrier.cluster.wait; "
                               "st.global.u32 [%o4], 7;"),
                        model);
        CHECK(launch<std::uint32_t>(program, 128, shape({2, 1, 1}, 64, {2, 1, 1})) ==
              each<std::uint32_t>(128, [](std::uint32_t i) { return i < 64 ? 7 : 0; }));
    }
}

TEST_CASE("Wrong uses of the barrier of a cluster are faults", "[exec]") {
    auto const pair = shape({2, 1, 1}, 32, {2, 1, 1});
    CHECK(contains(fault("barrier.cluster.arrive; barrier.cluster.arrive;", pair), "a second time"));
    CHECK(contains(fault("barrier.cluster.wait;", pair), "barrier.cluster.wait without"));
    std::string const stuck =
        fault("mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p0, %r0, 1; @%p0 bra A; barrier.cluster.arrive; "
              "barrier.cluster.wait; bra END; A: bar.sync 1, 64; END:",
              pair);
    INFO(stuck);
    CHECK(contains(stuck, "no thread of the cluster can go on"));
    CHECK(contains(stuck, "32 of 64 threads have come; missing are 32 of rank 1"));
    CHECK(contains(stuck, "wait in barrier 1 (32 of 64"));
    CHECK(contains(fault("setp.lt.u32 %p0, %i, 4; @%p0 barrier.cluster.arrive.aligned;", pair),
                   "divergent barrier"));
}

TEST_CASE("Lanes that could not wait to reconverge meet the others in the barrier of the cluster", "[exec]") {
    Program program(kernel(R"(setp.ne.u32 %p0, %i, 0; @%p0 bra MEET; mov.u32 %r0, 0;
                              AGAIN: add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 20000; @%p1 bra AGAIN;
                              MEET: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
                              st.global.u32 [%o4], %r0;)"),
                    "independent", Program::one_thread(), {"sm.convergence_patience=10"});
    CHECK(launch<std::uint32_t>(program, 64, shape({2, 1, 1}, 32, {2, 1, 1}))[0] == 20000);
}

TEST_CASE("All blocks of a cooperative launch go on together", "[exec]") {
    // the barrier that cooperative groups make: the first CTA adds the rest that flips the top bit
    std::string const text = kernel(R"(
        mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %d1, {%r2, %r1}; mov.u32 %r9, 0; mov.u32 %r7, %nctaid.x;
        AGAIN: bar.sync 0; mov.u32 %r3, %tid.x; setp.ne.u32 %p0, %r3, 0; @%p0 bra BEHIND;
        mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 0; sub.u32 %r5, -2147483647, %r7; selp.b32 %r5, %r5, 1, %p1;
        atom.add.release.gpu.u32 %r6, [%d1+4], %r5; WAIT: ld.acquire.gpu.u32 %r8, [%d1+4]; xor.b32 %r8, %r8, %r6; setp.gt.s32 %p2, %r8, -1; @%p2 bra WAIT;
        BEHIND: bar.sync 0; add.u32 %r9, %r9, 1; and.b32 %r10, %r9, 1; setp.eq.u32 %p3, %r10, 0; @%p3 bra LOAD;
        st.global.u32 [%o4], %r9; bra NEXT;
        LOAD: add.u32 %r11, %i, 64; mul.lo.u32 %r12, %r7, 64; rem.u32 %r11, %r11, %r12; mul.wide.u32 %d2, %r11, 4; add.u64 %d2, %d2, %out;
        ld.global.u32 %r13, [%d2]; setp.eq.u32 %p4, %r13, %r9; add.u32 %r14, %r13, 1; setp.ne.u32 %p4, %r14, %r9; @%p4 trap;
        NEXT: setp.lt.u32 %p0, %r9, 6; @%p0 bra AGAIN;)");
    for (auto const& options : {Program::one_thread(), two_threads()}) {
        Program program(text, "independent", options);
        auto cooperative = shape({60, 1, 1}, 64, {0, 0, 0});
        cooperative.cooperative = true;
        CHECK(launch<std::uint32_t>(program, 3840, cooperative) == std::vector<std::uint32_t>(3840, 5));
    }
}

TEST_CASE("Threads load, store and add in the shared memory of other blocks of their cluster", "[exec]") {
    std::string const cells = ".shared .align 8 .b32 cells[64];";
    // every thread stores into the next CTA's cell of its number, adds to rank 0's last cell, and reads back
    // through generic addresses; lanes 0-15 address one CTA, the others another
    std::string const text = kernel(R"(
        mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2;
        mov.u32 %r4, cells; mad.lo.u32 %r5, %r0, 4, %r4; barrier.cluster.arrive; barrier.cluster.wait;
        mapa.shared::cluster.u32 %r6, %r5, %r3; mad.lo.u32 %r7, %r1, 100, %r0; st.shared::cluster.u32 [%r6], %r7;
        mapa.shared::cluster.u32 %r8, cells, 0; atom.shared::cluster.add.u32 %r9, [%r8+128], 1; red.shared::cluster.add.u32 [%r8+132], 2;
        getctarank.shared::cluster.u32 %r10, %r6; setp.ne.u32 %p0, %r10, %r3; @%p0 trap;
        barrier.cluster.arrive; barrier.cluster.wait;
        setp.lt.u32 %p1, %r0, 16; selp.u32 %r11, 0, %r3, %p1; cvt.u64.u32 %d0, %r5; cvta.shared.u64 %d1, %d0; mapa.u64 %d2, %d1, %r11;
        getctarank.u64 %r14, %d2; setp.ne.u32 %p0, %r14, %r11; @%p0 trap; isspacep.shared::cluster %p2, %d2; @!%p2 trap;
        ld.u32 %r12, [%d2]; ld.shared::cluster.u32 %r13, [%r8+128]; mad.lo.u32 %r12, %r13, 1000, %r12;
        ld.shared::cluster.u32 %r13, [%r8+132]; mad.lo.u32 %r12, %r13, 1000000, %r12; st.global.u32 [%o4], %r12;
        barrier.cluster.arrive; barrier.cluster.wait;)",
                                    cells);
    for (std::string const& model : control_flows()) {
        Program program(text, model);
        auto const got = launch<std::uint32_t>(program, 96, shape({3, 1, 1}, 32, {3, 1, 1}));
        CHECK(got == each<std::uint32_t>(96, [](std::uint32_t i) {
                  std::uint32_t const rank = i / 32, lane = i % 32, from = lane < 16 ? 2 : rank;
                  return from * 100 + lane + 96 * 1000 + 192 * 1000000;
              }));
    }
}

TEST_CASE("A block that is told an address which mapa gave for the teller's own memory reads the teller's",
          "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2;
        mad.lo.u32 %r4, %r1, 7, 5; st.shared.u32 [own], %r4;
        mapa.shared::cluster.u32 %r5, own, %r1; mov.u64 %d0, own; cvta.shared.u64 %d0, %d0; mapa.u64 %d1, %d0, %r1;
        ld.shared::cta.u32 %r6, [%r5]; ld.u32 %r7, [%d1]; setp.ne.u32 %p0, %r6, %r4; @%p0 trap; setp.ne.u32 %p0, %r7, %r4; @%p0 trap;
        mapa.shared::cluster.u32 %r8, told, %r3; st.shared::cluster.u32 [%r8], %r5; st.shared::cluster.u64 [%r8+8], %d1;
        barrier.cluster.arrive; barrier.cluster.wait;
        ld.shared.u32 %r9, [told]; ld.shared.u64 %d2, [told+8]; ld.shared::cluster.u32 %r10, [%r9]; ld.u32 %r11, [%d2];
        mad.lo.u32 %r12, %r11, 1000, %r10; st.global.u32 [%o4], %r12; barrier.cluster.arrive; barrier.cluster.wait;)",
                           ".shared .b32 own; .shared .align 8 .b8 told[16];"));
    for (std::uint32_t const size : {3u, 1u}) {
        auto const got = launch<std::uint32_t>(program, 96, shape({3, 1, 1}, 32, {size, 1, 1}));
        CHECK(got == each<std::uint32_t>(96, [&](std::uint32_t i) {
                  std::uint32_t const value = size == 1 ? 5 : (i / 32 + 2) % 3 * 7 + 5;
                  return value * 1000 + value;
              }));
    }
}

TEST_CASE("Shared memory of a block that has ended, or of none, is a fault", "[exec]") {
    auto const pair = shape({2, 1, 1}, 32, {2, 1, 1});
    std::string const cells = ".shared .align 8 .b32 cells[64];";
    auto const text_of = [&](std::string const& body) {
        Program program(kernel(body, cells));
        try {
            launch<std::uint32_t>(program, 4096, pair);
        } catch (Error const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(contains(text_of("mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p0, %r1, 0; @%p0 exit; mov.u32 %r9, 0; "
                           "SPIN: add.u32 %r9, %r9, 1; "
                           "setp.lt.u32 %p1, %r9, 100; @%p1 bra SPIN; mapa.shared::cluster.u32 %r2, cells, 0; "
                           "ld.shared::cluster.u32 %r3, [%r2];"),
                   "whose block has ended"));
    CHECK(contains(text_of("mapa.shared::cluster.u32 %r2, cells, 2;"), "rank 2 in a cluster of 2"));
    CHECK(contains(text_of("mov.u32 %r2, 0x5000000; ld.shared::cluster.u32 %r3, [%r2];"), "belongs to no block"));
    CHECK(contains(
        text_of("mov.u32 %r1, %cluster_ctarank; xor.b32 %r1, %r1, 1; mapa.shared::cluster.u32 %r2, cells, %r1; "
                "barrier.cluster.arrive; barrier.cluster.wait; ld.shared::cluster.u32 %r3, [%r2+256];"),
        "256"));
}

TEST_CASE("Shared memory of another block is .shared::cluster and not .shared::cta", "[exec]") {
    auto const pair = shape({2, 1, 1}, 32, {2, 1, 1});
    std::string const own_and_other = R"(
        mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1; mov.u64 %d0, cells; cvta.shared.u64 %d0, %d0;
        mapa.u64 %d1, %d0, %r1; mapa.u64 %d2, %d0, %r2; mapa.shared::cluster.u32 %r3, cells, %r2;
        barrier.cluster.arrive; barrier.cluster.wait;)";
    std::string const cells = ".shared .align 8 .b32 cells[64];";
    Program asks(kernel(own_and_other + R"(
        mov.u32 %r4, 0; isspacep.shared::cta %p0, %d0; @%p0 or.b32 %r4, %r4, 1; isspacep.shared::cta %p0, %d1; @%p0 or.b32 %r4, %r4, 2;
        isspacep.shared::cta %p0, %d2; @%p0 or.b32 %r4, %r4, 4; isspacep.shared::cluster %p0, %d1; @%p0 or.b32 %r4, %r4, 8;
        isspacep.shared::cluster %p0, %d2; @%p0 or.b32 %r4, %r4, 16; isspacep.shared %p0, %d2; @%p0 or.b32 %r4, %r4, 32;
        isspacep.global %p0, %d2; @%p0 or.b32 %r4, %r4, 64; st.global.u32 [%o4], %r4; barrier.cluster.arrive; barrier.cluster.wait;)",
                        cells));
    CHECK(launch<std::uint32_t>(asks, 64, pair) == std::vector<std::uint32_t>(64, 1 + 2 + 8 + 16));
    std::string const before = ".shared .align 8 .b64 bar;" + cells;
    for (std::string const access :
         {"ld.shared::cta.u32 %r5, [%r3];", "ld.shared.u32 %r5, [%r3];", "st.shared::cta.u32 [%r3], 1;",
          "atom.shared::cta.add.u32 %r5, [%r3], 1;", "red.shared.add.u32 [%r3], 1;",
          "mbarrier.init.shared::cta.b64 [%r3], 1;", "mbarrier.init.b64 [%d2], 1;",
          "mbarrier.arrive.shared::cta.b64 %d3, [%r3];", "mbarrier.test_wait.parity.b64 %p0, [%d2], 0;",
          "cp.async.ca.shared::cta.global [%r3], [%out], 4;"}) {
        Program program(kernel(own_and_other + access + " barrier.cluster.arrive; barrier.cluster.wait;", before));
        std::string error;
        try {
            launch<std::uint32_t>(program, 64, pair);
        } catch (FaultError const& fault) {
            error = fault.what();
            CHECK(fault.fault() == FaultKind::illegal_address);
        }
        INFO(access << ": " << error);
        CHECK(contains(error, "is not .shared::cta of rank"));
    }
}

TEST_CASE("Every block of a grid of clusters runs once", "[exec]") {
    Program program(kernel("red.global.add.u32 [%out], 1;"));
    CHECK(launch<std::uint32_t>(program, 1, shape({6, 4, 2}, 32, {3, 2, 1})) ==
          std::vector<std::uint32_t>{48 * 32});
    CHECK(program.result.instructions.thread % (48 * 32) == 0);
}

}  // namespace cluster_test
