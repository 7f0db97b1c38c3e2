// Dependent chains, measured as microbenchmarks do on hardware: with the clock, in the second iteration of a loop.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

#include <algorithm>

namespace latency_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Cycles between two readings of the clock with `count` times `instruction` in between, on one warp of a V100.
std::uint32_t cycles(std::string const& instruction, int count, std::string const& setup) {
    std::string chain;
    for (int i = 0; i < count; ++i) chain += instruction + "\n";
    std::string const body = "mov.u64 %d0, 3;\n" + setup + R"(
mov.u32 %r30, 0;
again:
.pragma "nounroll";
mov.u32 %r28, %clock;
)" + chain + R"(
mov.u32 %r29, %clock;
sub.u32 %r29, %r29, %r28;
st.global.u32 [%out], %r29;
add.u32 %r30, %r30, 1;
setp.lt.u32 %p15, %r30, 3;
@%p15 bra again;
// What the chains made is used.
add.f32 %f0, %f0, %f1;
add.f32 %f0, %f0, %f2;
add.f32 %f0, %f0, %f3;
cvt.rni.s32.f32 %r27, %f0;
xor.b32 %r27, %r27, %r0;
xor.b32 %r27, %r27, %r1;
xor.b32 %r27, %r27, %r2;
xor.b32 %r27, %r27, %r3;
cvt.rni.s32.f64 %r26, %g0;
xor.b32 %r27, %r27, %r26;
st.global.u32 [%out+4], %r27;
st.global.u64 [%out+8], %d0;
)";
    runtime::Device device(sim::load_config("v100"));
    TimingSetup const options = timing_options(1);
    auto const module = device.load_text(
        "chain.ptx", kernel(body, ".shared .align 16 .b8 area[1024];\n.global .align 16 .b8 here[1024];\n"));
    auto const out = device.allocate(64);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, out), options);
    return device.download<std::uint32_t>(out, 1)[0];
}

/// Cycles that each additional instruction of the chain adds.
double slope(std::string const& instruction,
             std::string const& setup =
                 "mov.u32 %r0, 3;\nmov.f32 %f0, 0f3F800000;\nmov.f64 %g0, 0d3FF0000000000000;\nmov.u64 %d0, 3;") {
    return (cycles(instruction, 24, setup) - cycles(instruction, 8, setup)) / 16.0;
}

}  // namespace

TEST_CASE("Dependent arithmetic issues once per latency of its unit", "[timing]") {
    CHECK(slope("min.s32 %r0, %r0, 7;") == 4);
    CHECK(slope("xor.b32 %r0, %r0, 7;") == 4);
    CHECK(slope("mul.lo.s32 %r0, %r0, 7;") == 4);
    CHECK(slope("fma.rn.f32 %f0, %f0, %f0, %f0;") == 4);
    CHECK(slope("fma.rn.f64 %g0, %g0, %g0, %g0;") == 8);
    CHECK(slope("ex2.approx.ftz.f32 %f0, %f0;") == 18);
    CHECK(slope("shfl.sync.bfly.b32 %r0, %r0, 1, 31, -1;") == 22);
}

TEST_CASE("A product of a limit waits a cycle longer than another limit", "[timing]") {
    CHECK(slope("min.s32 %r0, %r0, 7000;\nmul.lo.s32 %r0, %r0, 5;") == 4 + 1 + 4 + 1);
}

TEST_CASE("A guard waits for its predicate longer than arithmetic for its operands", "[timing]") {
    auto const config = sim::load_config("v100");
    std::uint32_t const guard = config.sm.dependences->predicate_to_guard_cycles;
    CHECK(guard == 13);
    CHECK(slope("setp.ne.u32 %p0, %r0, 77;\n@%p0 xor.b32 %r0, %r0, 1;") == guard + 4);
    // As an operand of a selection it is available after the latency of its unit.
    CHECK(slope("setp.ne.u32 %p0, %r0, 77;\nselp.b32 %r0, %r0, 5, %p0;") == 4 + 4);
}

TEST_CASE("Independent arithmetic issues once per interval of its unit", "[timing]") {
    std::string words, both, sums;
    for (char const* const n : {"0", "1", "2", "3"}) {
        words += std::string("xor.b32 %r") + n + ", %r" + n + ", 7;\n";
        sums += std::string("add.s32 %r") + n + ", %r" + n + ", 7;\n";
        both += std::string("xor.b32 %r") + n + ", %r" + n + ", 7;\nfma.rn.f32 %f" + n + ", %f" + n + ", %f" + n +
                ", %f" + n + ";\n";
    }
    CHECK(slope(words) == 4 * 2);
    CHECK(slope(sums) == 2 * 2);  // half of them by the multipliers
    CHECK(slope(both) == 4 * 2);
}

TEST_CASE("64-bit and multi-instruction operations take their sequences", "[timing]") {
    CHECK(slope("add.s64 %d0, %d0, 7;") == 8);
    CHECK(slope("mad.wide.s32 %d0, %r0, %r0, %d0;") == 4);
    CHECK(slope("div.u32 %r0, 77, %r0;") > 60);
    CHECK(slope("div.u32 %r0, 77, %r0;") < 130);
    // By one number: its reciprocal is made once.
    CHECK(slope("div.u32 %r0, %r0, 7;") > 20);
    CHECK(slope("div.u32 %r0, %r0, 7;") < 40);
}

TEST_CASE("Pointer chases in shared memory and L1 take the published latencies", "[timing]") {
    CHECK(slope("ld.shared.u32 %r0, [%r0];", "mov.u32 %r0, area;\nst.shared.u32 [%r0], %r0;\nmov.f32 %f0, "
                                             "0f00000000;\nmov.f64 %g0, 0d0000000000000000;") == 23);
    // 28 to 33.7 published; the eight bytes of 32 lanes take two cycles into the registers.
    CHECK(slope("ld.global.u64 %d0, [%d0];", "mov.u64 %d0, here;\ncvta.global.u64 %d0, %d0;\nst.global.u64 [%d0], "
                                             "%d0;\nmov.u32 %r0, 0;\nmov.f32 %f0, 0f00000000;\n"
                                             "mov.f64 %g0, 0d0000000000000000;") == 33);
    for (char const* const past_l1 :
         {"ld.volatile.global.u64", "ld.global.cg.u64", "ld.global.cv.u64", "ld.relaxed.gpu.global.u64"}) {
        CHECK(slope(std::string(past_l1) + " %d0, [%d0];",
                    "mov.u64 %d0, here;\ncvta.global.u64 %d0, %d0;\nst.global.u64 [%d0], %d0;\nmov.u32 %r0, "
                    "0;\nmov.f32 %f0, 0f00000000;\n"
                    "mov.f64 %g0, 0d0000000000000000;") == 212);
    }
}

TEST_CASE("A barrier of one warp takes 22 cycles", "[timing]") { CHECK(slope("bar.sync 0;") == 22); }

TEST_CASE("Atomics return old values in order, and loads after them see what they did", "[timing]") {
    for (int const threads : {1, 2}) {
        runtime::Device device(sim::load_config("v100"));
        TimingSetup const options = timing_options(threads);
        // Every thread adds 1 to one word, then reads it: it must see at least its own addition.
        auto const module = device.load_text("atomics.ptx", kernel(R"(
atom.global.add.u32 %r1, [%in], 1;
ld.global.u32 %r2, [%in];
setp.gt.u32 %p1, %r2, %r1;
selp.u32 %r3, 1, 0, %p1;
shl.b32 %r1, %r1, 1;
or.b32 %r1, %r1, %r3;
st.global.u32 [%o4], %r1;
)"));
        std::uint32_t const n = 20 * 64;
        auto const out = device.allocate(n * 4), in = device.allocate(4);
        runtime::LaunchShape shape;
        shape.grid = {20, 1, 1};
        shape.block = {64, 1, 1};
        timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, in), options);
        CHECK(device.download<std::uint32_t>(in, 1)[0] == n);
        auto values = device.download<std::uint32_t>(out, n);
        std::vector<bool> seen(n, false);
        bool all_saw = true;
        for (std::uint32_t const v : values) {
            seen.at(v / 2) = true;
            all_saw &= (v & 1) == 1;
        }
        CHECK(std::count(seen.begin(), seen.end(), true) == n);
        CHECK(all_saw);
    }
}

TEST_CASE("A store is seen by its own SM at once, and a register changes after an atomic has read it",
          "[timing]") {
    runtime::Device device(sim::load_config("v100"));
    TimingSetup const options = timing_options(1);
    auto const module = device.load_text("own.ptx", kernel(R"(
add.u32 %r1, %i, 5;
st.global.u32 [%o4], %r1;
ld.global.u32 %r2, [%o4];
red.global.add.u32 [%o4], %r2;
mov.u32 %r2, 1000;
add.u32 %r2, %r2, %i;
ld.global.u32 %r3, [%o4];
add.u32 %r3, %r3, 1;
st.global.u32 [%o4], %r3;
)"));
    auto const out = device.allocate(64 * 4);
    runtime::LaunchShape shape;
    shape.block = {64, 1, 1};
    timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, out), options);
    CHECK(device.download<std::uint32_t>(out, 64) ==
          each<std::uint32_t>(64, [](std::uint32_t i) { return 2 * (i + 5) + 1; }));
}

TEST_CASE("Faults and deadlocks of a timing run are reported as in a functional one", "[timing]") {
    auto const message = [](std::string const& body) {
        runtime::Device device(sim::load_config("v100"));
        TimingSetup const options = timing_options(2);
        auto const module = device.load_text("fault.ptx", kernel(body));
        auto const out = device.allocate(64);
        runtime::LaunchShape shape;
        shape.grid = {4, 1, 1};
        shape.block = {64, 1, 1};
        try {
            timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, out), options);
        } catch (sim::Fault const& fault) {
            return fault.what;
        }
        return std::string();
    };
    CHECK(contains(message("st.global.u32 [%out+4096], %i;"), "illegal address: 4-byte store to global"));
    CHECK(contains(message("setp.lt.u32 %p1, %i, 32;\n@%p1 bar.sync 0, 64;\n@!%p1 bar.sync 1, 64;"), "deadlock"));
}

TEST_CASE("What a configuration lacks for timing mode is named", "[timing]") {
    auto const message = [](std::string const& config, std::vector<std::string> const& overrides = {}) {
        try {
            runtime::Device device(sim::load_config(config, overrides));
            TimingSetup const options = timing_options(1);
            auto const module = device.load_text("k.ptx", kernel(""));
            runtime::LaunchShape shape;
            shape.block = {32, 1, 1};
            timed_launch(device, *module, "k", shape, runtime::Arguments::of(std::uint64_t{0}, std::uint64_t{0}),
                         options);
        } catch (Error const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(contains(message("rtx5090"), "sm.units is not given"));
    CHECK(contains(message("v100", {"interconnect.reply_latency_cycles=4"}), "must be at least 8"));
    for (char const* const config : {"v100", "gv100", "a100", "h100", "rtx2060", "rtx3070", "teaching"}) {
        INFO(config);
        CHECK(message(config).empty());
    }
}

}  // namespace latency_test
