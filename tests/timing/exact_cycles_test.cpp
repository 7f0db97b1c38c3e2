// Kernels of a few lines whose cycles can be counted by hand. The configured latencies are given beside each.
#include "sim/memory/reservation.hpp"
#include "sim/timing/memory/address_map.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

#include <string>
#include <vector>

namespace exact_cycles_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::StallReason;

namespace {

struct How {
    std::uint32_t threads = 32;
    std::string config = "v100";
    std::vector<std::string> overrides = {};
    std::uint64_t in_offset = 0;
    int rounds = 3;
};

std::string const objects =
    ".shared .align 16 .b8 area[4096];\n.global .align 16 .b8 here[1024];\n.const .align 4 .b32 constants[16];\n";
constexpr std::uint64_t in_bytes = 1 << 20;

struct Ran {
    std::uint32_t clock;   // cycles between two readings of the clock, in the third iteration
    std::uint64_t cycles;  // of the kernel
    sim::TimingCounts timing;
    std::uint64_t stalled(StallReason reason) const { return timing.stalls[static_cast<std::size_t>(reason)]; }
};

/// `count` times `code` between two readings of the clock, in three iterations or as many as given. The results in
/// %r0-3 and %f0-3 are used.
Ran run(std::string const& before, std::string const& code, int count, How const& how) {
    std::string chain;
    for (int i = 0; i < count; ++i) chain += code + "\n";
    std::string const body =
        "mov.u32 %r0, 3; mov.u32 %r1, 5; mov.u32 %r2, 7; mov.u32 %r3, 9; mov.f32 %f0, "
        "0f3F800000; mov.f32 %f1, %f0;\n" +
        before + "\nmov.u32 %r30, 0;\nagain:\n.pragma \"nounroll\";\nmov.u32 %r28, %clock;\n" + chain + R"(
mov.u32 %r29, %clock;
sub.u32 %r29, %r29, %r28;
setp.eq.u32 %p14, %i, 0;
@%p14 st.global.u32 [%out], %r29;
add.u32 %r30, %r30, 1;
setp.lt.u32 %p15, %r30, ROUNDS;
@%p15 bra again;
xor.b32 %r0, %r0, %r1;
xor.b32 %r0, %r0, %r2;
xor.b32 %r0, %r0, %r3;
add.f32 %f0, %f0, %f1;
st.global.u32 [%out+4], %r0;
st.global.f32 [%out+8], %f0;
gone:
)";
    std::string const text = std::string(body).replace(body.find("ROUNDS"), 6, std::to_string(how.rounds));
    runtime::Device device(sim::load_config(how.config, how.overrides));
    auto const module = device.load_text("k.ptx", kernel(text, objects));
    auto const out = device.allocate(64), in = device.allocate(in_bytes);
    runtime::LaunchShape shape;
    shape.block = {how.threads, 1, 1};
    Timed const timed = timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, in + how.in_offset),
                                     timing_options(1));
    return {device.download<std::uint32_t>(out, 1)[0], timed.timing->cycles, *timed.timing};
}

/// Cycles that each additional `code` adds.
double slope(std::string const& before, std::string const& code, How const& how = {}) {
    return (static_cast<double>(run(before, code, 24, how).clock) - run(before, code, 8, how).clock) / 16;
}

/// %r1 becomes an address in shared memory that contains itself, at offset `expression` of lane %r2.
std::string ring(std::string const& expression) {
    return "mov.u32 %r2, %laneid; " + expression +
           " mov.u32 %r3, area; add.u32 %r1, %r2, %r3; st.shared.u32 [%r1], %r1; bar.sync 0;";
}

std::uint64_t cycles_of(std::string const& text, std::vector<std::string> const& overrides = {}) {
    runtime::Device device(sim::load_config("teaching", overrides));
    auto const module = device.load_text("k.ptx", text);
    return timed_launch(device, *module, "k", {}, {}, timing_options(1)).timing->cycles;
}

}  // namespace

TEST_CASE("Each further lane that wants another word of a bank costs a shared load two cycles", "[timing]") {
    // V100: 23 without a conflict, 2 for each pass after the first.
    std::string const chase = "ld.shared.u32 %r1, [%r1];";
    CHECK(slope(ring("shl.b32 %r2, %r2, 2;"), chase) == 23);
    CHECK(slope(ring("shl.b32 %r2, %r2, 3;"), chase) == 23 + 2 * 1);
    CHECK(slope(ring("shl.b32 %r2, %r2, 4;"), chase) == 23 + 2 * 3);
    CHECK(slope(ring("shl.b32 %r2, %r2, 7;"), chase) == 23 + 2 * 31);
    // 33 words apart: 32 different banks.
    CHECK(slope(ring("mul.lo.u32 %r2, %r2, 132;"), chase, {.overrides = {}}) == 23);
    // Words that several lanes read are read once: all lanes the same, pairs, and the two halves of the warp.
    CHECK(slope(ring("mov.u32 %r2, 64;"), chase) == 23);
    CHECK(slope(ring("shr.u32 %r2, %r2, 1; shl.b32 %r2, %r2, 2;"), chase) == 23);
    CHECK(slope(ring("and.b32 %r2, %r2, 15; shl.b32 %r2, %r2, 2;"), chase) == 23);
}

TEST_CASE("Wide shared loads pass the banks half or quarter warp by quarter", "[timing]") {
    // 32 lanes of 8 bytes are two passes (2 cycles more) and 256 bytes, two cycles of the 128 bytes per cycle that
    // reach the registers.
    CHECK(slope(ring("shl.b32 %r2, %r2, 3;"), "ld.shared.v2.u32 {%r1, %r4}, [%r1];") == 23 + 2 + 1);
    // Of 16 bytes: four passes, four cycles.
    CHECK(slope(ring("shl.b32 %r2, %r2, 4;"), "ld.shared.v4.u32 {%r1, %r4, %r5, %r6}, [%r1];") == 23 + 2 * 3 + 3);
}

TEST_CASE("Wide shared loads of which pairs of lanes are the same return two registers a cycle", "[timing]") {
    std::string const two = "ld.shared.v2.u32 {%r1, %r4}, [%r1];",
                      four = "ld.shared.v4.u32 {%r1, %r4, %r5, %r6}, [%r1];";
    How const not_packed{.overrides = {"sm.lsu.packs_equal_pairs=false"}};
    // All lanes the same: one pass.
    CHECK(slope(ring("mov.u32 %r2, 64;"), two) == 23);
    CHECK(slope(ring("mov.u32 %r2, 64;"), four) == 23 + 1);
    CHECK(slope(ring("mov.u32 %r2, 64;"), two, not_packed) == 23 + 1);
    CHECK(slope(ring("mov.u32 %r2, 64;"), four, not_packed) == 23 + 3);
    // Lanes 0 and 1, 2 and 3 ...; lanes 0 and 2, 1 and 3 ...: as many passes as if they were not.
    CHECK(slope(ring("and.b32 %r2, %r2, 30; shl.b32 %r2, %r2, 3;"), two) == 23 + 2);
    CHECK(slope(ring("and.b32 %r2, %r2, 29; shl.b32 %r2, %r2, 4;"), four) == 23 + 2 * 3 + 1);
    CHECK(slope(ring("and.b32 %r2, %r2, 29; shl.b32 %r2, %r2, 4;"), four, not_packed) == 23 + 2 * 3 + 3);
    // Lanes 0 and 4: not packed.
    CHECK(slope(ring("and.b32 %r2, %r2, 27; shl.b32 %r2, %r2, 4;"), four) == 23 + 2 * 3 + 3);
}

TEST_CASE("Accesses of one warp keep their distance, whatever memory they are to", "[timing]") {
    // The address unit takes one every four cycles, so their number is the same without the distance; what tells is what
    // the warp can do meanwhile, and what it waits for.
    std::string const stores = "st.volatile.shared.u32 [area], %r0; st.volatile.global.u32 [%in], %r0;";
    CHECK(slope("", stores) == 8);
    CHECK(slope("", stores + " mov.u32 %r2, %clock;") == 8);
    Ran const ran = run("", stores, 24, {});
    CHECK(ran.stalled(StallReason::wait) >= 3 * 24 * 2 * 3);
    // Nothing of them waits for room in the queue; the loop's own store does, once each time around.
    auto const throttled = [](Ran const& r) {
        return r.stalled(StallReason::lg_throttle) + r.stalled(StallReason::mio_throttle);
    };
    CHECK(throttled(ran) == throttled(run("", stores, 1, {})));
    CHECK(throttled(ran) <= 3);
}

TEST_CASE("A branch waits for its predicate, a taken one for its target too", "[timing]") {
    // V100: 13 from the comparison to the branch, and 5 to what follows; 8 when it is taken.
    CHECK(slope("", "setp.eq.u32 %p0, %r0, 77;\n@%p0 bra gone;") == 13 + 5);
    CHECK(slope("", "{ setp.ne.u32 %p0, %r0, 77;\n@%p0 bra there;\nbar.sync 0;\nmembar.gl;\nthere:\n}") == 13 + 8);
    CHECK(slope("", "setp.eq.u32 %p0, %r0, 77;\n@%p0 bra gone;",
                {.overrides = {"sm.dependences.predicate_to_guard_cycles=20"}}) == 20 + 5);
}

TEST_CASE("Three operands from one bank keep a unit from starting the next instruction", "[timing]") {
    // Four independent multiply-adds, each with three registers. The unit accepts one every 2 cycles; one bank
    // with one port supplies the three in 3.
    std::string const four = "mad.lo.u32 %r0, %r0, %r8, %r9; mad.lo.u32 %r1, %r1, %r8, %r9; mad.lo.u32 %r2, %r2, "
                             "%r8, %r9; mad.lo.u32 %r3, %r3, %r8, %r9;";
    std::string const before = "mov.u32 %r8, %laneid; mov.u32 %r9, %warpid;";
    CHECK(slope(before, four, {.overrides = {"sm.register_file.banks=64"}}) == 4 * 2);
    std::string const alone = "sm.register_file.reuse_cache=false";
    CHECK(slope(before, four, {.overrides = {"sm.register_file.banks=1", alone}}) == 4 * 3);
    CHECK(slope(before, four,
                {.overrides = {"sm.register_file.banks=1", alone, "sm.register_file.ports_per_bank=2"}}) == 4 * 2);
    // With the cache, the two that the previous instruction has read need not be read again.
    CHECK(slope(before, four, {.overrides = {"sm.register_file.banks=1"}}) == 4 * 2);
}

TEST_CASE("Units share the ports of the banks, and a few cycles to read smooth what one instruction needs",
          "[timing]") {
    // Two units alternate, one instruction per cycle, each with three registers: one bank supplies one register
    // per cycle, two supply two.
    std::string const pair = "mad.lo.u32 %r4, %r0, %r8, %r9; lop3.b32 %r5, %r1, %r10, %r11, 0xE8; mad.lo.u32 %r6, "
                             "%r1, %r8, %r9; lop3.b32 %r7, %r0, %r10, %r11, 0xE8;";
    std::string const before =
        "mov.u32 %r8, %laneid; mov.u32 %r9, %warpid; add.u32 %r10, %r8, 7; add.u32 %r11, %r9, 9;";
    std::string const used = "\nxor.b32 %r0, %r4, %r7; xor.b32 %r1, %r6, %r5;";
    auto const with = [&](char const* banks, char const* window) {
        return slope(before, pair + used,
                     {.overrides = {banks, window, "sm.register_file.reuse_cache=false",
                                    "sm.dependences.cross_unit_cycles=0"}});
    };
    // Instructions of 3, 3, 3, 3, 2 and 2 registers.
    CHECK(with("sm.register_file.banks=1", "sm.register_file.read_window_cycles=3") == 16);
    CHECK(with("sm.register_file.banks=64", "sm.register_file.read_window_cycles=3") < 14);
    // Without a window each waits for the registers of the previous one.
    CHECK(with("sm.register_file.banks=1", "sm.register_file.read_window_cycles=0") >= 16);
}

TEST_CASE("The cycle that registers are read longer is a stall of the dispatcher, the others are the unit's",
          "[timing]") {
    std::string const four = "mad.lo.u32 %r0, %r0, %r8, %r9; mad.lo.u32 %r1, %r1, %r8, %r9; mad.lo.u32 %r2, %r2, "
                             "%r8, %r9; mad.lo.u32 %r3, %r3, %r8, %r9;";
    std::string const before = "mov.u32 %r8, %laneid; mov.u32 %r9, %warpid;";
    auto const stalls = [&](int count, int rounds, char const* banks, StallReason reason) {
        return run(before, four, count,
                   {.overrides = {banks, "sm.register_file.reuse_cache=false"}, .rounds = rounds})
            .stalled(reason);
    };
    // Four more iterations of 64 more instructions; each instruction waits one cycle for the unit and one for the
    // registers.
    for (StallReason const reason : {StallReason::dispatch_stall, StallReason::math_pipe_throttle}) {
        auto const of_rounds = [&](int count) {
            return stalls(count, 7, "sm.register_file.banks=1", reason) -
                   stalls(count, 3, "sm.register_file.banks=1", reason);
        };
        CHECK(of_rounds(24) - of_rounds(8) == 4 * 64);
    }
    CHECK(stalls(24, 3, "sm.register_file.banks=64", StallReason::dispatch_stall) == 0);
}

TEST_CASE(
    "Who waits for arithmetic that the sub-cores share is throttled as decoupled, special functions as memory I/O",
    "[timing]") {
    std::string const doubles =
        "add.f64 %g0, %g0, %g4; add.f64 %g1, %g1, %g4; add.f64 %g2, %g2, %g4; add.f64 %g3, %g3, %g4;";
    std::string const before =
        "cvt.rn.f64.u32 %g4, %r0; mov.f64 %g0, %g4; mov.f64 %g1, %g4; mov.f64 %g2, %g4; mov.f64 %g3, %g4;";
    std::string const used =
        "add.f64 %g0, %g0, %g1; add.f64 %g2, %g2, %g3; add.f64 %g0, %g0, %g2; cvt.rn.f32.f64 %f1, %g0;";
    Ran const shared = run(before, doubles + used, 4, {.config = "rtx3070"}),
              own = run(before, doubles + used, 4, {.config = "a100"});
    CHECK(shared.stalled(StallReason::tex_throttle) > 3 * 4 * 3 * 8);
    CHECK(shared.stalled(StallReason::math_pipe_throttle) < 20);
    CHECK(own.stalled(StallReason::tex_throttle) == 0);
    CHECK(own.stalled(StallReason::math_pipe_throttle) > 0);
    // The second of two independent ones waits 7 of the unit's 8 cycles; after that they wait 18 cycles for their
    // operands.
    std::string const powers = "ex2.approx.ftz.f32 %f0, %f0; ex2.approx.ftz.f32 %f1, %f1;";
    auto const throttled = [&](int rounds) {
        return run("", powers, 8, {.rounds = rounds}).stalled(StallReason::mio_throttle);
    };
    CHECK(throttled(5) - throttled(3) == 2 * 7);
}

TEST_CASE("A result of variable latency is announced by the scoreboard, one of a fixed latency is counted down",
          "[timing]") {
    Ran const announced = run("", "ex2.approx.ftz.f32 %f0, %f0;", 24, {});
    Ran const counted =
        run("", "ex2.approx.ftz.f32 %f0, %f0;", 24, {.overrides = {"sm.units.sfu.scoreboarded=false"}});
    CHECK(announced.cycles == counted.cycles);
    // In each of three iterations of 24, each waits 17 cycles for the previous one, 18 after its issue.
    CHECK(announced.stalled(StallReason::short_scoreboard) >= 3 * 23 * 17);
    CHECK(announced.stalled(StallReason::wait) + 3 * 23 * 17 <= counted.stalled(StallReason::wait));
    CHECK(counted.stalled(StallReason::short_scoreboard) < 3 * 17);
}

TEST_CASE("Threads that exit do not make the others' loads come sooner", "[timing]") {
    // Half of the warp exits while a load from L2 or beyond, which takes at least 212 cycles, is in flight.
    runtime::Device device(sim::load_config("v100"));
    auto const module = device.load_text("k.ptx", kernel(R"(
ld.volatile.global.u32 %r1, [%in];
setp.lt.u32 %p0, %s, 16;
@%p0 exit;
mov.u32 %r2, %clock;
add.u32 %r1, %r1, 1;
st.global.u32 [%o4], %r1;
bar.sync 0;
mov.u32 %r3, %clock;
sub.u32 %r3, %r3, %r2;
st.global.u32 [%o4], %r3;
)"));
    auto const out = device.allocate(128);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    timed_launch(device, *module, "k", shape, runtime::Arguments::of(out, out), timing_options(1));
    auto const words = device.download<std::uint32_t>(out, 32);
    CHECK(words[0] == 0);
    CHECK(words[31] > 150);
}

TEST_CASE("A barrier costs its latency and two cycles for each warp of the block", "[timing]") {
    CHECK(slope("", "bar.sync 0;", {.threads = 32}) == 20 + 2);
    CHECK(slope("", "bar.sync 0;", {.threads = 64}) == 20 + 2 * 2);
    CHECK(slope("", "bar.sync 0;", {.threads = 128}) == 20 + 2 * 4);
    CHECK(slope("", "bar.sync 0;", {.threads = 256}) == 20 + 2 * 8);
}

TEST_CASE("A constant that was used before comes in eight cycles, as an address a cycle later", "[timing]") {
    // A load (8) and a multiply-add that leaves the address as it is (4); an address takes a cycle longer than an
    // operand.
    std::string const chase = "ld.const.u32 %r2, [%d1]; mad.wide.u32 %d1, %r2, %r3, %d1;";
    CHECK(slope("mov.u64 %d1, constants;", chase) == 8 + 4 + 1);
    // Lanes that read different words take turns.
    CHECK(
        slope("mov.u32 %r2, %laneid; and.b32 %r2, %r2, 15; mov.u64 %d1, constants; mad.wide.u32 %d1, %r2, 4, %d1;",
              chase) == 8 + 15 + 4 + 1);
}

TEST_CASE("The first use of a constant goes to the next cache, and to L2", "[timing]") {
    // A single load: 62 + 180 the first time, then 8 in the second and third iteration.
    auto const first = [](std::vector<std::string> const& overrides) {
        return run("mov.u64 %d1, constants;", "ld.const.u32 %r1, [%d1]; add.u32 %r0, %r0, %r1;", 1,
                   {.overrides = overrides})
            .cycles;
    };
    std::uint64_t const plain = first({});
    CHECK(first({"sm.constant.l15_latency_cycles=162"}) == plain + 100);
    CHECK(first({"sm.constant.l1_latency_cycles=18"}) == plain + 2 * 10);
}

TEST_CASE("A constant at a known place is an operand, for which a warp waits only the first time", "[timing]") {
    std::string const constant = "{ .reg .u32 c; ld.const.u32 c, [constants+32]; add.u32 %r0, %r0, c; }";
    std::string const parameter = "{ .reg .u32 c; ld.param.u32 c, [p_out]; add.u32 %r0, %r0, c; }";
    CHECK(slope("", constant) == slope("", parameter));
    auto const cycles = [](std::string const& body, std::vector<std::string> const& overrides) {
        return run("", body, 1, {.overrides = overrides}).cycles;
    };
    // 62 + 180, of which a constant that is there would take 8 if it were loaded.
    std::uint64_t const misses = cycles(constant, {}), hits = cycles(parameter, {});
    CHECK(misses == hits + 62 + 180 - 8);
    CHECK(cycles(constant, {"sm.constant.l15_latency_cycles=162"}) == misses + 100);
}

TEST_CASE("A line of the far L2 partition takes a detour, unless the near one has a copy", "[timing]") {
    // A100: SM 0 belongs to the first of two partitions; each has half of the slices.
    sim::Config const config = sim::load_config("a100");
    timing::AddressMap const map(config.l2.slices->count, config.dram.channels->count,
                                 config.interconnect->interleave_bytes);
    runtime::Device device(config);
    auto const in = device.allocate(64);  // so does run(): memory has the same address in every device
    (void)in;
    std::uint64_t const memory = [] {
        runtime::Device same(sim::load_config("a100"));
        (void)same.load_text("k.ptx", kernel("", objects));
        (void)same.allocate(64);
        return same.allocate(in_bytes);
    }();
    std::uint64_t const usual =
        sim::usual_base +
        memory % sim::Reservation::process().slot_bytes();  // slices are selected by this address
    auto const offset = [&](bool is_far) {
        std::uint64_t at = 0;
        while ((map.slice(usual + at) >= config.l2.slices->count / 2) != is_far)
            at += config.interconnect->interleave_bytes;
        return at;
    };
    std::string const before = "st.global.u64 [%in], %in; membar.gl; mov.u64 %d1, %in;";
    auto const chase = [&](bool is_far, char const* with = "ld.volatile.global.u64 %d1, [%d1];") {
        return slope(before, with, {.threads = 1, .config = "a100", .in_offset = offset(is_far)});
    };
    double const near = chase(false);
    CHECK(near == config.sm.l1->hit_latency_cycles + config.interconnect->request_latency_cycles +
                      config.l2.slices->hit_latency_cycles + config.interconnect->reply_latency_cycles);
    CHECK(chase(true) == near);  // all but the first load find the copy
    // What changes the line is done where it belongs, and its copy is no longer valid.
    char const* const change = "atom.global.max.u64 %d1, [%d1], 0;";
    CHECK(chase(true, change) == chase(false, change) + 150);
    char const* const read_again = "st.global.u64 [%d1], %d1; membar.gl; ld.volatile.global.u64 %d1, [%d1];";
    CHECK(chase(true, read_again) > chase(false, read_again) + 150);
}

TEST_CASE("A kernel that does nothing takes its launch, the first instruction's way, and the end", "[timing]") {
    // teaching: 100 cycles until the CTA starts; the instructions are in no cache, 20 + 100; there are two, as
    // every kernel begins by setting up its stack pointer; drained 20 after the second has issued.
    std::string const empty = ptx_header() + ".visible .entry k() { ret; }\n";
    CHECK(cycles_of(empty) == 100 + 20 + 100 + 1 + 20);
    CHECK(cycles_of(empty, {"launch.kernel_launch_cycles=1000"}) == 1000 + 20 + 100 + 1 + 20);
    CHECK(cycles_of(empty, {"launch.drain_cycles=500"}) == 100 + 20 + 100 + 1 + 500);
    CHECK(cycles_of(empty, {"sm.front_end.l1_miss_cycles=300"}) == 100 + 20 + 300 + 1 + 20);
}

TEST_CASE("A dependent chain across an instruction line that is nowhere waits for it", "[timing]") {
    // teaching: instructions of 16 bytes, eight per line; a line is fetched when its first instruction comes next,
    // and the following one (l0_prefetch_lines 1) one cycle later. 8 alu operations take 64 cycles, less than the
    // 120 of a miss.
    auto const chain = [](int n) {
        std::string text =
            ptx_header() + ".visible .entry k() {\n.reg .b32 %r<2>; .reg .b64 %d;\nmov.u32 %r0, %tid.x;\n";
        for (int i = 0; i < n; ++i)
            text += "xor.b32 %r0, %r0, " + std::to_string(3 + i) + ";\nadd.u32 %r0, %r0, " +
                    std::to_string(5 + i) + ";\n";
        return text + "st.shared.u32 [s], %r0;\nret;\n}\n";
    };
    std::string const shared = ".shared .b32 s;\n";
    auto const cycles = [&](int n, std::vector<std::string> const& overrides) {
        std::string text = chain(n);
        return cycles_of(text.insert(ptx_header().size(), shared), overrides);
    };
    // Without misses after the first, the difference is the work: 8 cycles per instruction.
    std::vector<std::string> const near{"sm.front_end.l0_miss_cycles=1", "sm.front_end.l1_miss_cycles=1",
                                        "sm.front_end.l0_prefetch_lines=4"};
    CHECK(cycles(40, near) - cycles(8, near) == 64 * 8);
    // Without prefetching, every line takes its 120 cycles when its first instruction is next.
    std::vector<std::string> const none{"sm.front_end.l0_prefetch_lines=0"};
    CHECK(cycles(40, none) - cycles(8, none) > 64 * 8 + 7 * (120 - 8));
    CHECK(cycles(40, {}) < cycles(40, none));
}

TEST_CASE("Of several instructions that a sub-core issues in a cycle no two go to one unit", "[timing]") {
    // Four warps of one sub-core, each with independent multiply-adds: the unit accepts one every 2 cycles, from
    // any warp.
    std::string const four = "mad.lo.u32 %r0, %r0, %r8, %r9; mad.lo.u32 %r1, %r1, %r8, %r9; mad.lo.u32 %r2, %r2, "
                             "%r8, %r9; mad.lo.u32 %r3, %r3, %r8, %r9;";
    auto const cycles = [&](char const* issues, int count) {
        return run("mov.u32 %r8, %laneid; mov.u32 %r9, %warpid;", four, count,
                   {.threads = 512, .overrides = {std::string("sm.schedulers.issue_per_cycle=") + issues}})
            .cycles;
    };
    // Three iterations of 16 times four more instructions, by four warps.
    std::uint64_t const busy = 3 * 16 * 4 * 4 * 2;
    for (char const* const issues : {"1", "2", "4"}) {
        std::uint64_t const more = cycles(issues, 28) - cycles(issues, 12);
        CHECK(more + 60 >= busy);
        CHECK(more <= busy + 60);
    }
}

TEST_CASE("A warp whose buffer holds fewer than three instructions cannot issue in every cycle", "[timing]") {
    // One warp, two units alternate: one instruction per cycle, if it has been fetched. From the time an entry
    // becomes free to the issue of the instruction that is fetched into it: three cycles.
    std::string const pair =
        "mad.lo.u32 %r4, %r8, %r9, %r0; shl.b32 %r5, %r1, %r8; mad.lo.u32 %r6, %r9, %r8, %r2; "
        "shl.b32 %r7, %r3, %r9;";
    std::string const used = "mov.u32 %r0, %r5; mov.u32 %r1, %r4; mov.u32 %r2, %r7; mov.u32 %r3, %r6;";
    auto const with = [&](char const* entries) {
        return run("mov.u32 %r8, %laneid; mov.u32 %r9, %warpid;", pair + used, 16,
                   {.overrides = {std::string("sm.front_end.buffer_entries=") + entries}})
            .cycles;
    };
    CHECK(with("1") > with("2"));
    CHECK(with("2") > with("3"));
    CHECK(with("3") == with("8"));
}

TEST_CASE("A warp sleeps as long as it asks for, and at most a millisecond", "[timing]") {
    CHECK(slope("", "nanosleep.u32 1000;") == 1530);
    CHECK(slope("", "nanosleep.u32 2000;", {.overrides = {"clock_mhz=1000"}}) == 2000);
    // The lane that asks for the longest time counts.
    CHECK(slope("mov.u32 %r1, %laneid; mul.lo.u32 %r1, %r1, 100;", "nanosleep.u32 %r1;",
                {.overrides = {"clock_mhz=1000"}}) == 3100);
    CHECK(slope("", "nanosleep.u32 2000000;", {.overrides = {"clock_mhz=1000"}}) == 1000000);
}

}  // namespace exact_cycles_test
