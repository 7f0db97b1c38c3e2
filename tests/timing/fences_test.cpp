// Fences, releases and exits wait for the warp's own writes, to the cycle.
//
// All on a V100 without other traffic. A store of one sector that issues in cycle 0 leaves its address unit in
// cycle 4, passes half of L1's pipeline (32 - 4) / 2 = 14, travels 60 cycles to L2, is acknowledged after 60
// there, and the acknowledgement travels 60 back: cycle 198. A fence after it is configured to take 666 from then
// on, so it lasts 468 beyond the acknowledgement.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

namespace fences_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::StallReason;

namespace {

constexpr std::uint32_t acknowledged = 4 + 14 + 60 + 60 + 60, beyond = 666 - acknowledged,
                        system_beyond = 2287 - acknowledged;

struct Measured {
    std::uint32_t cycles;  // between two readings of the clock, in the third iteration
    sim::TimingCounts timing;
    std::uint64_t stalled(StallReason reason) const { return timing.stalls[static_cast<std::size_t>(reason)]; }
};

Measured measure(std::string const& code, std::uint32_t threads = 1,
                 std::vector<std::string> const& overrides = {}) {
    runtime::Device device(sim::load_config("v100", overrides));
    auto const module = device.load_text("k.ptx", kernel(R"(
mov.u32 %r30, 0;
mul.wide.u32 %d9, %i, 128;
add.u64 %d9, %d9, %in;
mov.u32 %r1, cell;
again:
mov.u32 %r28, %clock;
)" + code + R"(
mov.u32 %r29, %clock;
sub.u32 %r29, %r29, %r28;
st.global.u32 [%out], %r29;
membar.sys;
add.u32 %r30, %r30, 1;
setp.lt.u32 %p15, %r30, 3;
@%p15 bra again;
)",
                                                         ".shared .align 16 .b8 cell[1024];\n"));
    auto const out = device.allocate(64), in = device.allocate(1 << 16);
    runtime::LaunchShape shape;
    shape.block = {threads, 1, 1};
    Timed const timed =
        timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, in), timing_options(1));
    return {device.download<std::uint32_t>(out, 1)[0], *timed.timing};
}

}  // namespace

TEST_CASE("A fence takes its time from the acknowledgement of the warp's stores", "[timing]") {
    // The clock in cycle 0, the store in cycle 1: its acknowledgement arrives in 1 + 198.
    CHECK(measure("st.global.u32 [%in], %r30; membar.gl;").cycles == 1 + acknowledged + beyond);
    CHECK(measure("st.global.u32 [%in], %r30; fence.acq_rel.gpu;").cycles == 1 + acknowledged + beyond);
    CHECK(measure("st.global.u32 [%in], %r30; membar.sys;").cycles == 1 + acknowledged + system_beyond);
    // 32 lines are 32 packets of 40 bytes, one per cycle: the last leaves 31 cycles later. A slice that gets two of them
    // takes a little longer.
    std::uint64_t const scattered = measure("st.global.u32 [%d9], %r30; membar.gl;", 32).cycles;
    CHECK(scattered >= 1 + 31 + acknowledged + beyond);
    CHECK(scattered <= 1 + 31 + acknowledged + beyond + 8);
    // A reduction is acknowledged like a store.
    CHECK(measure("red.global.add.u32 [%in], 1; membar.gl;").cycles == 1 + acknowledged + beyond);
    // Nothing to wait for: three micro-ops (cycles 1 to 3), the last of which begins to wait.
    CHECK(measure("membar.gl;").cycles == 3 + beyond);
    // Loads are not waited for.
    CHECK(measure("ld.volatile.global.u32 %r2, [%in]; membar.gl;").cycles == 4 + beyond);
}

TEST_CASE("A fence waits for stores however long the way to L2 is", "[timing]") {
    // The store's own time is part of what is configured; here it alone takes longer than that, and the fence ends
    // one cycle later.
    std::vector<std::string> const slow{"interconnect.reply_latency_cycles=1060"};
    CHECK(measure("st.global.u32 [%in], %r30; membar.gl;", 1, slow).cycles == 1 + acknowledged + 1000 + 1);
}

TEST_CASE("A fence of the block waits until L1 or shared memory has taken the warp's stores", "[timing]") {
    // One micro-op in cycle 2; the store leaves its address unit in 1 + 4.
    CHECK(measure("st.global.u32 [%in], %r30; membar.cta;").cycles == 1 + 4 + 5);
    CHECK(measure("st.shared.u32 [%r1], %r30; membar.cta;").cycles == 1 + 4 + 5);
    CHECK(measure("membar.cta;").cycles == 1 + 5);
    // The third store's turn at the address unit: 1 + 3 * 4.
    CHECK(
        measure("st.global.u32 [%in], %r30; st.global.u32 [%in+4], %r30; st.global.u32 [%in+8], %r30; membar.cta;")
            .cycles == 1 + 3 * 4 + 5);
}

TEST_CASE("A fence of the asynchronous proxy waits like one of the block", "[timing]") {
    // GH2: 10.9 cycles for either, and 267 for one of the GPU.
    auto const of = [](std::string const& fence) {
        return measure("st.global.u32 [%in], %r30; " + fence + ";").cycles;
    };
    CHECK(of("fence.proxy.async.shared::cta") == of("membar.cta"));
    CHECK(of("fence.proxy.async") == of("membar.cta"));
    CHECK(of("fence.proxy.async.global") == of("membar.gl"));
}

TEST_CASE("A store that releases is issued when the warp's earlier stores are acknowledged and the fence is over",
          "[timing]") {
    // After it, two micro-ops take a slot each.
    CHECK(measure("st.global.u32 [%in], %r30; st.release.gpu.global.u32 [%in+4], %r30;").cycles ==
          1 + acknowledged + beyond + 1 + 2);
    CHECK(measure("st.global.u32 [%in], %r30; st.relaxed.gpu.global.u32 [%in+4], %r30;").cycles ==
          4 + 2);  // the second at the earliest four cycles after the first
    // Without an offset, which atomics have added before.
    CHECK(measure("st.global.u32 [%in], %r30; red.release.gpu.global.inc.u32 [%in], 1;").cycles ==
          1 + acknowledged + beyond + 1 + 2);
    CHECK(measure("st.global.u32 [%in], %r30; st.release.cta.global.u32 [%in+4], %r30;").cycles < 20);
}

TEST_CASE("What a fence takes is booked as membar", "[timing]") {
    Measured const one = measure("st.global.u32 [%in], %r30; membar.gl;"),
                   none = measure("st.global.u32 [%in], %r30;");
    // Three times: the last micro-op issues in cycle 4, the clock again in 1 + 666.
    CHECK(one.stalled(StallReason::membar) - none.stalled(StallReason::membar) == 3 * (667 - 5));
}

TEST_CASE("A warp that has exited drains until L1 has taken its stores", "[timing]") {
    auto const run = [](std::string const& body) {
        runtime::Device device(sim::load_config("v100"));
        auto const module = device.load_text("k.ptx", kernel(body));
        auto const out = device.allocate(64);
        runtime::LaunchShape shape;
        return *timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, out), timing_options(1))
                    .timing;
    };
    auto const drained = [](sim::TimingCounts const& t) {
        return t.stalls[static_cast<std::size_t>(StallReason::drain)];
    };
    // Everything before the barrier comes first; the line is in L2, for the reduction.
    std::string const before = "ld.volatile.global.u32 %r1, [%out]; add.u32 %r1, %r1, %i; bar.sync 0;\n";
    CHECK(drained(run(before)) == 0);
    CHECK(drained(run(before + "ld.global.u32 %r2, [%in]; add.u32 %r2, %r2, 1;")) == 0);
    // The store in cycle 0, the exit in cycle 1; it waits from cycle 2 on. The address unit takes four cycles.
    CHECK(drained(run(before + "st.global.u32 [%out], %r1;")) == 4 - 2);
    CHECK(drained(run(before + "red.global.inc.u32 [%out], %r1;")) == 4 - 2);
}

TEST_CASE("The next block begins when the stores of the one before it are on their way", "[timing]") {
    // One block at a time on each SM: the second of an SM begins 300 cycles after the end of the first.
    auto const second_begins = [](std::string const& body) {
        runtime::Device device(sim::load_config("v100", std::vector<std::string>{"sm.max_ctas=1", "sm.count=1"}));
        auto const module = device.load_text(
            "k.ptx", kernel("mov.u32 %r1, %clock;\nst.global.u32 [%o4], %r1;\nmembar.gl;\nmov.u32 %r2, "
                            "%clock;\nst.global.u32 [%o4+64], %r2;\nmembar.gl;\n" +
                            body));
        auto const out = device.allocate(256), in = device.allocate(256);
        runtime::LaunchShape shape;
        shape.grid = {2, 1, 1};
        timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, in), timing_options(1));
        auto const words = device.download<std::uint32_t>(out, 32);
        return words[1] - words[16];
    };
    // The store takes the exit's slot; the address unit has it four cycles later.
    CHECK(second_begins("st.global.u32 [%o4+128], %r1;") == second_begins("") + 4);
}

}  // namespace fences_test
