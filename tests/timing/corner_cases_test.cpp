// The difficult cases of SMs that run in parallel: which access comes first, what is visible when, and how much
// may be in flight.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

#include <algorithm>

namespace corner_cases_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string fault_of(std::string const& body, std::array<std::uint32_t, 3> grid, TimingSetup const& setup) {
    runtime::Device device(sim::load_config("v100"));
    auto const module = device.load_text("fault.ptx", kernel(body));
    auto const out = device.allocate(64);
    runtime::LaunchShape shape;
    shape.grid = grid;
    shape.block = {32, 1, 1};
    try {
        timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, out), setup);
    } catch (sim::Fault const& fault) {
        return std::to_string(fault.cta[0]) + ": " + fault.what + ", SM " + std::to_string(fault.sm);
    }
    return "no fault";
}

std::vector<TimingSetup> const setups{timing_options(1), timing_options(2), timing_options(4, 123),
                                      timing_options(1, 0, 3), timing_options(2, 7, 2)};

}  // namespace

TEST_CASE("Of faults on several SMs the first in time is reported, of equal times that of the first SM",
          "[timing]") {
    // Blocks go to SMs 0 to 3, and all begin in the same cycle.
    std::string const bad = "st.global.u32 [%out+65536], %i;";
    std::string const late_zero = "mov.u32 %r0, %ctaid.x; setp.ne.u32 %p0, %r0, 0; mov.u32 %r1, 0;\n"
                                  "@%p0 bra ON; LOOP: .pragma \"nounroll\"; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, "
                                  "%r1, 50; @%p1 bra LOOP; ON:\n";
    // 2 and 3 come before 0 and 1, which execute a loop once more: some 25 cycles, and an epoch has 60.
    auto const late_two = [](int rounds) {
        return "mov.u32 %r0, %ctaid.x; setp.lt.u32 %p0, %r0, 2; selp.u32 %r2, " + std::to_string(rounds + 1) +
               ", " + std::to_string(rounds) +
               ", %p0; mov.u32 %r1, 0;\nLOOP: .pragma \"nounroll\"; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, "
               "%r2; @%p1 bra LOOP;\n";
    };
    for (TimingSetup const& setup : setups) {
        INFO(setup.threads << " threads, seed " << setup.seed << ", divisor " << setup.divisor);
        CHECK(fault_of(bad, {4, 1, 1}, setup).substr(0, 2) == "0:");
        CHECK(fault_of(late_zero + bad, {4, 1, 1}, setup).find(", SM 1") != std::string::npos);
        CHECK(fault_of(late_zero + bad, {4, 1, 1}, setup).substr(0, 2) == "1:");
        for (int rounds = 1; rounds < 4; ++rounds)
            CHECK(fault_of(late_two(rounds) + bad, {4, 1, 1}, setup).substr(0, 2) == "2:");
    }
}

TEST_CASE("A reduction, a load and a store of one word inside one epoch happen in their order", "[timing]") {
    // One warp's instructions issue within a few cycles of one another, all inside an epoch of 60.
    for (TimingSetup const& setup : setups) {
        runtime::Device device(sim::load_config("v100"));
        auto const module = device.load_text("k.ptx", kernel(R"(
st.global.u32 [%o4], 100;
red.global.add.u32 [%o4], 5;
ld.global.u32 %r1, [%o4];
atom.global.exch.b32 %r2, [%o4], 7;
red.global.add.u32 [%o4], 1;
ld.global.u32 %r3, [%o4];
st.global.u32 [%o4], 50;
ld.global.u32 %r4, [%o4];
red.global.add.u32 [%o4], %r4;
st.global.u32 [%o4+128], %r1;
st.global.u32 [%o4+256], %r2;
st.global.u32 [%o4+384], %r3;
st.global.u32 [%o4+512], %r4;
)"));
        auto const out = device.allocate(1024);
        runtime::LaunchShape shape;
        shape.block = {32, 1, 1};
        timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, out), setup);
        auto const words = device.download<std::uint32_t>(out, 160);
        std::uint32_t const want[] = {100, 105, 105, 8, 50};
        for (std::size_t row = 0; row < 5; ++row) {
            INFO("row " << row);
            CHECK(std::all_of(words.begin() + static_cast<std::ptrdiff_t>(32 * row),
                              words.begin() + static_cast<std::ptrdiff_t>(32 * row + 32),
                              [&](std::uint32_t w) { return w == want[row]; }));
        }
    }
}

TEST_CASE("Atomics of several SMs on one word happen in the order of their cycles", "[timing]") {
    // Every CTA takes a ticket, on an SM of its own; CTA n first executes a loop 8 - n times, some 25 cycles each,
    // so that several are in one epoch of 60.
    for (TimingSetup const& setup : setups) {
        runtime::Device device(sim::load_config("v100"));
        auto const module = device.load_text("k.ptx", kernel(R"(
mov.u32 %r0, %ctaid.x; sub.u32 %r0, 8, %r0; mov.u32 %r1, 0;
LOOP: .pragma "nounroll"; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r0; @%p1 bra LOOP;
setp.eq.u32 %p0, %s, 0; @!%p0 bra END;
atom.global.add.u32 %r2, [%in], 1;
mov.u32 %r3, %ctaid.x; mul.wide.u32 %d0, %r3, 4; add.u64 %d0, %d0, %out; st.global.u32 [%d0], %r2;
END:)"));
        auto const out = device.allocate(64), in = device.upload(std::vector<std::uint32_t>{0});
        runtime::LaunchShape shape;
        shape.grid = {8, 1, 1};
        shape.block = {32, 1, 1};
        timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, in), setup);
        auto const tickets = device.download<std::uint32_t>(out, 8);
        // CTA 7 waits least.
        CHECK(tickets == std::vector<std::uint32_t>{7, 6, 5, 4, 3, 2, 1, 0});
    }
}

TEST_CASE("A stream of loads and one of stores keep an SM's ports busy for 95 of 100 cycles", "[timing]") {
    // One SM with 64 warps reads or writes 1 MB that is in L2 and not in L1 (no warp runs ahead and finds its own
    // lines): 32 bytes per cycle come in; 128 bytes and a header of 8 take 4 cycles of 40 bytes going out.
    auto const cycles = [](std::string const& access, std::uint32_t rounds) {
        runtime::Device device(
            sim::load_config("v100", std::vector<std::string>{"sm.count=1", "sm.schedulers.policy=lrr"}));
        auto const module = device.load_text(
            "k.ptx", kernel("mov.u32 %r0, 0; ROUND: mov.u32 %r1, 0; mov.u64 %d0, %o4; LOOP:\n" + access + R"(
add.u64 %d0, %d0, 32768; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 32; @%p0 bra LOOP;
add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, )" +
                            std::to_string(rounds) + R"(; @%p1 bra ROUND;
xor.b32 %r5, %r2, %r3; xor.b32 %r6, %r4, %r7; xor.b32 %r5, %r5, %r6; setp.eq.u32 %p2, %r5, 12345; @%p2 st.global.u32 [%o4], %r5;
)"));
        auto const memory = device.allocate(1 << 20);
        runtime::LaunchShape shape;
        shape.grid = {2, 1, 1};
        shape.block = {1024, 1, 1};
        return timed_launch(device, *module, "k", shape, runtime::Arguments::of(memory, memory), timing_options(1))
            .timing->cycles;
    };
    std::string const loads = "ld.global.u32 %r2, [%d0]; ld.global.u32 %r3, [%d0+8192]; ld.global.u32 %r4, "
                              "[%d0+16384]; ld.global.u32 %r7, [%d0+24576];\n";
    std::string const stores = "st.global.u32 [%d0], %r0; st.global.u32 [%d0+8192], %r0; st.global.u32 "
                               "[%d0+16384], %r0; st.global.u32 [%d0+24576], %r0;\n";
    double const bytes = 4.0 * 4 * 32 * 2048;  // of one iteration
    double const in = static_cast<double>(cycles(loads, 4) - cycles(loads, 2)) / 2;
    CHECK(bytes / in >= 0.95 * 32);
    CHECK(bytes / in <= 1.001 * 32);
    double const out = static_cast<double>(cycles(stores, 4) - cycles(stores, 2)) / 2;
    CHECK(bytes / out >= 0.95 * 32);  // 128 bytes in 4 cycles
    CHECK(bytes / out <= 1.001 * 32);
}

TEST_CASE("A strided sum over rows is never faster with a smaller L1 cache", "[timing]") {
    // Each lane reads its own row of 32 words, four at a time, 32 rows to a bank; all rows together are 128 KiB.
    std::string const body = R"(
        .reg .b32 k; .reg .b64 row; .reg .f32 sum, x<4>; .reg .pred more;
        mul.wide.u32 row, %i, 128; add.u64 row, row, %in; mov.u32 k, 0; mov.f32 sum, 0f00000000;
        next: ld.global.f32 x0, [row]; ld.global.f32 x1, [row+4]; ld.global.f32 x2, [row+8]; ld.global.f32 x3, [row+12];
        add.f32 sum, sum, x0; add.f32 sum, sum, x1; add.f32 sum, sum, x2; add.f32 sum, sum, x3;
        add.u64 row, row, 16; add.u32 k, k, 4; setp.lt.u32 more, k, 32; @more bra next;
        st.global.f32 [%o4], sum;
    )";
    std::uint64_t last = 0;
    for (char const* const kib : {"0", "64", "32", "16", "8"}) {
        std::vector<std::string> const overrides{std::string("sm.l1.cache_kib=") + kib};
        runtime::Device device(sim::load_config("gv100", overrides));
        auto const module = device.load_text("rows.ptx", kernel(body));
        auto const in = device.allocate(1024 * 128), out = device.allocate(4096);
        runtime::LaunchShape shape;
        shape.block = {1024, 1, 1};
        std::uint64_t const cycles =
            timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, in), timing_options(1))
                .timing->cycles;
        INFO(kib << " KiB: " << cycles << " cycles, before " << last);
        CHECK(static_cast<double>(cycles) >= 0.998 * static_cast<double>(last));
        last = cycles;
    }
}

}  // namespace corner_cases_test
