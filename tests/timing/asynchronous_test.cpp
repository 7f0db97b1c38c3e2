// Clusters, asynchronous copies and mbarriers in time: how long they take, that nothing is seen early, and that
// host threads and epochs change nothing.
#include "runtime/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace asynchronous_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct How {
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::uint32_t threads = 32;
    std::uint32_t cluster = 0;
    int host_threads = 1;
    std::uint32_t divisor = 1;
    std::uint64_t seed = 0;
    std::vector<std::string> overrides = {};
};

struct Ran {
    std::vector<std::uint32_t> out;
    sim::TimingCounts timing;
};

std::string const objects =
    ".shared .align 8 .b64 bar; .shared .align 128 .b8 cells[8192];\n.global .align 128 .b8 here[65536];\n";

/// `in` holds words 1000, 1001, ...
Ran run(std::string const& body, std::size_t count, How const& how = {}) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = how.host_threads;
    options.timing_epoch_divisor = how.divisor;
    options.timing_permutation_seed = how.seed;
    runtime::Device device(sim::load_config("h100", how.overrides), options);
    auto const module = device.load_text("k.ptx", kernel(body, objects));
    auto const in = device.upload(each<std::uint32_t>(16384, [](std::uint32_t i) { return 1000 + i; }));
    auto const out = device.allocate(count * 4);
    runtime::LaunchShape shape;
    shape.grid = how.grid;
    shape.block = {how.threads, 1, 1};
    if (how.cluster != 0) shape.cluster = {how.cluster, 1, 1};
    auto const result = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
    return {device.download<std::uint32_t>(out, count), *result.timing};
}

/// Cycles between two readings of the clock around `code`, in the third iteration, by thread 0 of CTA 0.
std::uint32_t cycles(std::string const& before, std::string const& code, How const& how = {}) {
    std::string const body = before + R"(
mov.u32 %r30, 0;
again:
mov.u32 %r28, %clock;
)" + code + R"(
mov.u32 %r29, %clock;
sub.u32 %r29, %r29, %r28;
add.u32 %r30, %r30, 1;
setp.lt.u32 %p15, %r30, 3;
@%p15 bra again;
setp.eq.u32 %p14, %i, 0;
@%p14 st.global.u32 [%out], %r29;
barrier.cluster.arrive; barrier.cluster.wait;
)";
    return run(body, 64, how).out[0];
}

std::string repeated(std::string const& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text + "\n";
    return all;
}

/// Cycles that each additional `code` adds.
double slope(std::string const& before, std::string const& code, How const& how = {}) {
    return (cycles(before, repeated(code, 12), how) - cycles(before, repeated(code, 4), how)) / 8.0;
}

How cluster_of(std::uint32_t ctas, std::uint32_t threads = 32) {
    return {.grid = {ctas, 1, 1}, .threads = threads, .cluster = ctas};
}

}  // namespace

TEST_CASE("A chain of loads through another block's shared memory takes the way there and back", "[timing]") {
    // LUO measures 180 to 213 on H100.
    std::string const chase =
        "mov.u32 %r0, cells; mapa.shared::cluster.u32 %r1, %r0, 1; mapa.shared::cluster.u32 %r2, %r0, 1;"
        "st.shared.u32 [%r0], %r0; barrier.cluster.arrive; barrier.cluster.wait; st.shared::cluster.u32 [%r1], "
        "%r2;"
        "barrier.cluster.arrive; barrier.cluster.wait;";
    double const one_way = 78, bank = 23;
    double const got = slope(chase, "ld.shared::cluster.u32 %r1, [%r1];", cluster_of(2));
    CHECK(got >= 2 * one_way + bank);
    CHECK(got <= 2 * one_way + bank + 8);
    // Increasing the latency by n makes it slower by exactly 2 n.
    How slow = cluster_of(2);
    slow.overrides = {"interconnect.sm_to_sm_latency_cycles=100"};
    // The ports count in a slightly slower clock of their own: a message may meet another of its cycles.
    CHECK(std::abs(slope(chase, "ld.shared::cluster.u32 %r1, [%r1];", slow) - (got + 2 * 22)) <= 1);
}

TEST_CASE("A barrier of a cluster waits for the news of its last arrival", "[timing]") {
    double const got = slope("", "barrier.cluster.arrive; barrier.cluster.wait;", cluster_of(4));
    CHECK(got >= 2 * 78);
    CHECK(got <= 2 * 78 + 10);
    CHECK(slope("", "barrier.cluster.arrive; barrier.cluster.wait;") < 40);
}

TEST_CASE("The blocks of a cluster are on different SMs of one GPC", "[timing]") {
    How how{.grid = {64, 1, 1}, .threads = 64, .cluster = 8};
    auto const sm = run("mov.u32 %r0, %smid; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %d0, "
                        "%out; st.global.u32 [%d0], %r0;",
                        64, how)
                        .out;
    std::set<std::uint32_t> gpcs;
    for (std::size_t c = 0; c < 64; c += 8) {
        std::set<std::uint32_t> const sms(sm.begin() + static_cast<std::ptrdiff_t>(c),
                                          sm.begin() + static_cast<std::ptrdiff_t>(c) + 8);
        CHECK(sms.size() == 8);
        // 66 TPCs of two SMs in 8 groups: the first of group g is 66 * g / 8.
        auto const group = [](std::uint32_t s) {
            std::uint32_t g = 0;
            while (g < 7 && 66 * (g + 1) / 8 <= s / 2) ++g;
            return g;
        };
        CHECK(group(*sms.begin()) == group(*sms.rbegin()));
        gpcs.insert(group(*sms.begin()));
    }
    CHECK(gpcs.size() == 8);
}

TEST_CASE("GPCs have whole TPCs, so pairs of blocks occupy all SMs", "[timing]") {
    auto const sms = [](std::vector<std::string> overrides) {
        overrides.insert(overrides.end(), {"sm.max_ctas=1", "launch.ctas_per_1000_cycles=0"});
        How how{.grid = {132, 1, 1}, .threads = 64, .cluster = 2, .overrides = std::move(overrides)};
        auto const sm = run("mov.u32 %r0, %smid; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d0, %r1, 4; "
                            "add.u64 %d0, %d0, %out; st.global.u32 [%d0], %r0;",
                            132, how)
                            .out;
        return std::set<std::uint32_t>(sm.begin(), sm.end()).size();
    };
    CHECK(sms({}) == 132);
    // Four GPCs of 16 SMs and four of 17, of which a pair leaves one unused: the last two pairs wait for others.
    CHECK(sms({"sm.sms_per_tpc=1"}) == 128);
}

TEST_CASE("More clusters than there is room for run one after the other", "[timing]") {
    How how{.grid = {400, 1, 1}, .threads = 1024, .cluster = 4};
    auto const got = run("st.global.u32 [%o4], 7;", 400 * 1024, how);
    CHECK(std::count(got.out.begin(), got.out.end(), 7u) == 400 * 1024);
}

TEST_CASE("A cluster that no GPC has room for is refused", "[timing]") {
    How how{.grid = {8, 1, 1}, .threads = 1024, .cluster = 8, .overrides = {"sm.gpcs=132"}};
    try {
        run("bar.sync 0;", 16, how);
        FAIL("it ran");
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::launch);
        CHECK(contains(error.what(),
                       "a cluster of 8 CTAs has no room in one GPC: 2 SMs, each with room for 2 (sm.gpcs)"));
    }
}

TEST_CASE("Nothing that cp.async copies is in shared memory before its time", "[timing]") {
    // The word is read immediately after the copy, and again after the wait.
    auto const got = run(R"(
        mov.u32 %r1, cells; mad.lo.u32 %r2, %i, 16, %r1; mul.wide.u32 %d1, %i, 16; add.u64 %d1, %d1, %in;
        cp.async.ca.shared.global [%r2], [%d1], 16; ld.shared.u32 %r3, [%r2]; cp.async.wait_all; ld.shared.u32 %r4, [%r2];
        st.global.u32 [%o4], %r3; st.global.u32 [%o4+128], %r4;)",
                         64)
                         .out;
    CHECK(std::count(got.begin(), got.begin() + 32, 0u) == 32);
    for (std::uint32_t i = 0; i < 32; ++i) CHECK(got[32 + i] == 1000 + 4 * i);
}

TEST_CASE("cp.async takes longer than a load by the way into shared memory", "[timing]") {
    std::string const places = "mov.u32 %r1, cells; mov.u64 %d1, here; ld.global.u32 %r5, [%d1];";
    double const copy = slope(places, "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.wait_all;");
    // L1 hit 32 and 7 more; the address unit and the wait itself add a little.
    CHECK(copy >= 32 + 7);
    CHECK(copy <= 32 + 7 + 10);
}

TEST_CASE("A group that is not waited for may go on while an earlier one is waited for", "[timing]") {
    std::string const places = "mov.u32 %r1, cells; mov.u64 %d1, here; add.u64 %d3, %d1, 128; ld.global.u32 %r5, "
                               "[%d1]; st.shared.u32 [%r1+32], %r5;\n";
    // The first copy comes from L1, the second from beyond.
    std::string const two = "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.commit_group; "
                            "cp.async.cg.shared.global [%r1+16], [%d3], 16; cp.async.commit_group;";
    auto const timed = [&](std::string const& wait) {
        return run(places + "bar.sync 0; mov.u32 %r28, %clock; " + two + wait +
                       " mov.u32 %r29, %clock; sub.u32 %r29, %r29, %r28; st.global.u32 [%o4], %r29;",
                   64)
            .out[0];
    };
    CHECK(timed("cp.async.wait_group 1;") < 80);
    CHECK(timed("cp.async.wait_group 0;") > 200);
}

TEST_CASE("Bulk copies take their start, and then what their bytes take", "[timing]") {
    std::string const before =
        "mov.u32 %r1, cells; mov.u32 %r2, bar; mov.u64 %d1, here; mov.u32 %r3, 0; mov.u32 %r6, -1;"
        "mbarrier.init.shared.b64 [%r2], 1;\n";
    auto const copy = [&](int bytes) {
        // Labels are within braces of their own.
        return "{ mbarrier.arrive.expect_tx.shared.b64 _, [%r2], " + std::to_string(bytes) +
               "; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], " +
               std::to_string(bytes) +
               ", [%r2]; WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [%r2], %r3; @!%p0 bra WAIT; xor.b32 %r3, "
               "%r3, 1; }";
    };
    // Wherever the memory is: which lines are near depends on their addresses.
    How const one{.threads = 1, .overrides = {"interconnect.far_partition_cycles=0"}};
    double const small = cycles(before, copy(16), one), large = cycles(before, copy(4096), one);
    CHECK(small > 170 + 200);
    CHECK(small < 170 + 400);
    // 31 more lines: the engine sends one per cycle, the port accepts 64 bytes.
    CHECK(large - small >= 31);
    CHECK(large - small <= 31 * 2 + 31);
}

TEST_CASE("Who waits at an mbarrier goes on when it is told, and uses no issue slots meanwhile", "[timing]") {
    // One warp works for a while and arrives, the other waits.
    auto const got = run(R"(
        setp.eq.u32 %p0, %i, 0; @%p0 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; setp.lt.u32 %p1, %i, 32; @%p1 bra WORK;
        mov.u32 %r9, 0; WAIT: add.u32 %r9, %r9, 1; mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;
        mov.u32 %r5, %clock; st.global.u32 [%o4], %r9; st.global.u32 [%o4+128], %r5; bra END;
        WORK: mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 200; @%p3 bra LOOP;
        mov.u32 %r5, %clock; mbarrier.arrive.shared.b64 %d0, [bar]; st.global.u32 [%o4], %r5; END:)",
                         128, {.threads = 64})
                         .out;
    CHECK(got[32] == 1);  // it has asked once
    CHECK(got[64] > got[0]);
    CHECK(got[64] - got[0] < 150);
}

TEST_CASE("Clusters and copies give the same for any number of host threads and any epoch", "[timing]") {
    // Every CTA copies a piece of global memory to the next and adds in rank 0's memory, and all meet at a
    // barrier.
    std::string const body = R"(
        mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2;
        mov.u32 %r4, cells; mov.u32 %r5, bar; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [bar], 1; barrier.cluster.arrive; barrier.cluster.wait;
        @!%p0 bra REST;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512; mapa.shared::cluster.u32 %r6, %r4, %r3; mapa.shared::cluster.u32 %r7, %r5, %r3;
        mov.u32 %r8, %ctaid.x; mul.wide.u32 %d1, %r8, 512; add.u64 %d1, %d1, %in;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%d1], 512, [%r7];
        REST: WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;
        mad.lo.u32 %r9, %r0, 4, %r4; ld.shared.u32 %r10, [%r9]; mapa.shared::cluster.u32 %r11, %r4, 0;
        atom.shared::cluster.add.u32 %r12, [%r11+4096], %r10; barrier.cluster.arrive; barrier.cluster.wait;
        ld.shared::cluster.u32 %r13, [%r11+4096]; xor.b32 %r14, %r12, %r10; st.global.u32 [%o4], %r13; st.global.u32 [%o4+16384], %r14;
        barrier.cluster.arrive; barrier.cluster.wait;)";
    How how{.grid = {32, 1, 1}, .threads = 128, .cluster = 4};
    Ran const one = run(body, 8192, how);
    std::vector<How> others(4, how);
    others[0].host_threads = 3;
    others[1].divisor = 2;
    others[2].divisor = 5;
    others[3].seed = 77;
    for (How const& other : others) {
        INFO("host threads " << other.host_threads << ", epochs shorter by " << other.divisor << ", seed "
                             << other.seed);
        Ran const got = run(body, 8192, other);
        // Of the atomics of one epoch, those of the SM itself come first: their old values depend on its length.
        std::ptrdiff_t const compared = other.divisor == 1 ? 8192 : 4096;
        CHECK(std::equal(got.out.begin(), got.out.begin() + compared, one.out.begin()));
        CHECK(got.timing.cycles == one.timing.cycles);
        CHECK(got.timing.stalls == one.timing.stalls);
        CHECK(got.timing.noc.request_bytes == one.timing.noc.request_bytes);
    }
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < 512; ++i) sum += 1000 + i;
    CHECK(one.out[0] == sum);
}

TEST_CASE(
    "The old values of a vector of atomics come as they were, while other instructions use the same temporaries",
    "[timing]") {
    auto const got = run(R"(
        mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; mul.wide.u32 %d1, %i, 8; mov.u64 %d2, here; add.u64 %d1, %d1, %d2;
        st.global.v2.f32 [%d1], {%f1, %f0};
        atom.global.add.v2.f32 {%f2, %f3}, [%d1], {%f0, %f1}; atom.global.add.v2.f32 {%f4, %f5}, [%d1], {%f1, %f1};
        fma.rn.f32 %f6, %f3, 0f41200000, %f2; fma.rn.f32 %f7, %f5, 0f41200000, %f4;
        cvt.rni.u32.f32 %r1, %f6; cvt.rni.u32.f32 %r2, %f7; st.global.u32 [%o4], %r1; st.global.u32 [%o4+128], %r2;)",
                         64)
                         .out;
    // First 2 and 1, then 3 and 3.
    CHECK(std::count(got.begin(), got.begin() + 32, 12u) == 32);
    CHECK(std::count(got.begin() + 32, got.end(), 33u) == 32);
}

TEST_CASE("What blocks on many SMs print and take from the heap is the same for any number of host threads and "
          "any epoch",
          "[timing]") {
    std::string const declared =
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
        ".global .align 1 .b8 text[] = {98, 108, 111, 99, 107, 32, 37, 100, 10, 0};\n";
    // CTAs take different times; every thread's two pieces are its own, and what malloc returns is used at once.
    std::string const body = R"(
        .local .align 8 .b8 buffer[8]; mov.u32 %r0, %ctaid.x; and.b32 %r1, %r0, 7; mul.lo.u32 %r1, %r1, 5;
        LOOP: setp.eq.u32 %p0, %r1, 0; @%p0 bra ON; sub.u32 %r1, %r1, 1; bra LOOP; ON:
        mov.u64 %d0, buffer; cvta.local.u64 %d1, %d0; st.local.u32 [%d0], %r0; mov.u64 %d2, text; cvta.global.u64 %d2, %d2;
        { .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call.uni (r), malloc, (n); ld.param.b64 %d3, [r]; }
        st.u32 [%d3], %i; ld.u32 %r2, [%d3]; st.global.u32 [%o4], %r2; add.u64 %d5, %o8, 4096; st.global.u64 [%d5], %d3;
        mov.u32 %r5, %tid.x; setp.ne.u32 %p1, %r5, 0; @%p1 bra END;
        { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d2; st.param.b64 [a], %d1; call.uni (r), vprintf, (f, a); ld.param.b32 %r3, [r]; }
        END:)";
    auto const printed = [&](int host_threads, std::uint32_t divisor) {
        std::string text;
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        options.threads = host_threads;
        options.timing_epoch_divisor = divisor;
        options.print = [&](std::string_view piece) { text += piece; };
        runtime::Device device(sim::load_config("v100"), options);
        auto const module = device.load_text("k.ptx", kernel(body, declared));
        auto const out = device.allocate(16384);
        runtime::LaunchShape shape;
        shape.grid = {32, 1, 1};
        shape.block = {32, 1, 1};
        device.launch(*module, "k", shape, runtime::Arguments::of(out, out));
        auto words = device.download<std::uint32_t>(out, 4096);
        CHECK(std::equal(words.begin(), words.begin() + 1024,
                         each<std::uint32_t>(1024, [](std::uint32_t i) { return i; }).begin()));
        std::set<std::uint64_t> pieces;
        for (std::size_t i = 1024; i < 3072; i += 2) pieces.insert(std::uint64_t{words[i + 1]} << 32 | words[i]);
        CHECK(pieces.size() == 1024);
        return std::pair(text, words);
    };
    auto const one = printed(1, 1);
    CHECK(std::count(one.first.begin(), one.first.end(), '\n') == 32);
    CHECK((printed(3, 1) == one));
    CHECK((printed(2, 4) == one));
}

}  // namespace asynchronous_test
