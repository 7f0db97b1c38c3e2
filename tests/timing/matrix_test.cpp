// How long matrix instructions take: latency and issue interval of each shape and type, and conflicts of ldmatrix.
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

#include <string>
#include <utility>
#include <vector>

namespace matrix_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::uint64_t cycles_of(std::string const& config, std::string const& text, std::uint32_t threads,
                        std::vector<std::string> const& overrides) {
    runtime::DeviceOptions options;
    options.threads = 1;
    options.mode = runtime::Mode::timing;
    runtime::Device device(sim::load_config(config, overrides), options);
    auto const module = device.load_text("test.ptx", text);
    auto const out = device.allocate(1 << 16), in = device.allocate(1 << 16);
    runtime::LaunchShape shape;
    shape.grid = {1, 1, 1};
    shape.block = {threads, 1, 1};
    auto const run = [&] { return device.launch(*module, "k", shape, runtime::Arguments::of(out, in)); };
    run();  // the second finds its instructions
    return run().timing->cycles;
}

/// Registers like these that nothing writes.
std::string others(std::string const& sums) {
    if (sums == "{%g0, %g1}") return "{%g2, %g3}";
    if (sums == "{%r0, %r1}") return "{%r16, %r17}";
    return sums[2] == 'f' ? "{%f16, %f17, %f18, %f19}" : "{%r16, %r17, %r18, %r19}";
}

/// Cycles from one of many instructions in a row to the next; each takes the sums of the one before it, or all take
/// sums of their own.
double interval(std::string const& config, std::string const& instruction, std::string const& sums, bool is_chain,
                std::uint32_t threads = 32, std::vector<std::string> const& overrides = {},
                std::string const& target = "sm_80") {
    auto const kernel_of = [&](int count) {
        std::string body;
        for (int i = 0; i < count; ++i) {
            std::string const c = is_chain ? sums : others(sums);
            body +=
                instruction.substr(0, instruction.find('D')) + sums +
                instruction.substr(instruction.find('D') + 1, instruction.find('C') - instruction.find('D') - 1) +
                c + instruction.substr(instruction.find('C') + 1) + ";\n";
        }
        return for_target(body + "mov.b32 %r20, %f0; st.global.b32 [%o4], %r20; st.global.b32 [%o4], %r0; "
                                 "st.global.f64 [%o8], %g0;",
                          target);
    };
    std::uint64_t const few = cycles_of(config, kernel_of(64), threads, overrides),
                        many = cycles_of(config, kernel_of(128), threads, overrides);
    return static_cast<double>(many - few) / 64;
}

std::string const halves =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 D, {%r4, %r5, %r6, %r7}, {%r8, %r9}, C";
std::string const short_halves = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 D, {%r4, %r5}, {%r8}, C";
std::string const bytes = "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 D, {%r4, %r5}, {%r8}, C";
std::string const floats = "{%f0, %f1, %f2, %f3}", integers = "{%r0, %r1, %r2, %r3}";

}  // namespace

TEST_CASE("Matrix instructions of an A100 take as long as published", "[timing]") {
    // NAK and ABD: latency 17 and 13 cycles, one every 8 and 4 on a sub-core.
    CHECK(interval("a100", halves, floats, true) == Approx(17).margin(1));
    CHECK(interval("a100", short_halves, floats, true) == Approx(13).margin(1));
    CHECK(interval("a100", halves, floats, false) == Approx(8).margin(0.1));
    CHECK(interval("a100", short_halves, floats, false) == Approx(4).margin(0.1));
    CHECK(interval("a100", bytes, integers, false) == Approx(4).margin(0.1));
    // Four sub-cores: as many of four warps in the same time, and 1024 multiply-adds in a cycle.
    CHECK(interval("a100", halves, floats, false, 128) == Approx(8).margin(0.1));
    CHECK(interval("a100", halves, floats, false, 256) == Approx(16).margin(0.2));
}

TEST_CASE("The keys of matrix units change how long instructions take", "[timing]") {
    auto const with = [](std::string const& key) {
        return interval("a100", halves, floats, false, 32, {"sm.units.tensor." + key});
    };
    CHECK(with("fp16_fma_per_cycle=512") == Approx(16).margin(0.2));
    CHECK(with("f32_sum_percent=50") == Approx(16).margin(0.2));
    CHECK(with("warp_mma_percent=50") == Approx(16).margin(0.2));
    CHECK(interval("a100", halves, floats, true, 32, {"sm.units.tensor.latency_cycles=40"}) ==
          Approx(40).margin(1));
    CHECK(interval("a100", bytes, integers, false, 32, {"sm.units.tensor.int8_fma_per_cycle=512"}) ==
          Approx(16).margin(0.2));
    auto const of = [](std::string const& text, std::string const& sums, std::string const& key) {
        return interval("a100", text, sums, false, 32, {"sm.units.tensor." + key});
    };
    CHECK(of("mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 D, {%r4, %r5}, {%r8}, C", integers,
             "int4_fma_per_cycle=1024") == Approx(16).margin(0.2));
    CHECK(of("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc D, {%r4, %r5}, {%r8}, C", integers,
             "int1_fma_per_cycle=4096") == Approx(16).margin(0.2));
    CHECK(of("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 D, {%r4, %r5}, {%r8}, C", floats,
             "tf32_fma_per_cycle=128") == Approx(16).margin(0.2));
    CHECK(of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 D, {%g4}, {%g5}, C", "{%g0, %g1}",
             "fp64_fma_per_cycle=32") == Approx(32).margin(0.2));
    CHECK(of("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 D, {%r4, %r5, %r6, %r7}, {%r8, %r9}, C",
             "{%r0, %r1}", "f32_sum_percent=50") == Approx(8).margin(0.2));
}

TEST_CASE("Sums in f16 may come earlier than those in f32", "[timing]") {
    std::string const text =
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 D, {%r4, %r5, %r6, %r7}, {%r8, %r9}, C";
    // DSA: 24 and 33 cycles.
    CHECK(interval("rtx3070", text, "{%r0, %r1}", true) == Approx(24).margin(1));
    CHECK(interval("rtx3070", halves, floats, true) == Approx(33).margin(1));
}

TEST_CASE("Floats of 8 and of 4 bits have rates of their own", "[timing]") {
    auto const of = [](std::string const& text, std::string const& target, std::string const& key) {
        std::vector<std::string> overrides{"sm.units.tensor." + key};
        overrides.push_back(target == "sm_89" ? "compute_capability=8.9" : "compute_capability=12.0");
        return interval("a100", text, floats, false, 32, overrides, target);
    };
    std::string const eight =
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 D, {%r4, %r5, %r6, %r7}, {%r8, %r9}, C";
    // 16 * 8 * 32 multiply-adds; without a rate of its own as f16: 256 in a cycle on a sub-core.
    CHECK(of(eight, "sm_89", "fp8_fma_per_cycle=0") == Approx(16).margin(0.2));
    CHECK(of(eight, "sm_89", "fp8_fma_per_cycle=512") == Approx(32).margin(0.2));
    std::string const four =
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32."
        "ue8m0 D, {%r4, %r5, %r6, %r7}, {%r8, %r9}, C, %r10, {0, 0}, %r11, {0, 0}";
    CHECK(of(four, "sm_120a", "fp8_fma_per_cycle=512") == Approx(64).margin(0.2));
    CHECK(of(four, "sm_120a", "fp4_fma_per_cycle=1024") == Approx(32).margin(0.2));
}

TEST_CASE("ldmatrix takes longer where its rows meet in the same banks", "[timing]") {
    auto const cycles = [](std::string const& stride) {
        std::string body = "mov.u32 %r1, tile;\nmad.lo.u32 %r1, %i, " + stride + ", %r1;\n";
        for (int i = 0; i < 64; ++i)
            body += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r1];\n";
        return cycles_of(
            "a100", for_target(body + "st.global.b32 [%o4], %r4;", "sm_80", ".shared .align 16 .b8 tile[8192];"),
            32, {});
    };
    std::uint64_t const without = cycles("16"), conflicts = cycles("128");
    // One pass for each of four matrices, or eight.
    CHECK(conflicts > without + 64 * 4 * 3);
    CHECK(cycles("144") == without);
}

}  // namespace matrix_test
