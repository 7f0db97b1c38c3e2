// The time of tcgen05: products one after the other at the rate of the matrix unit, and the columns that the CTAs of an SM
// share.
#include "tests/support/catch.hpp"
#include "tests/support/tensor_memory.hpp"

#include <string>
#include <vector>

namespace tensor_memory_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Cycles of a kernel with so many products of 256 columns and a k of 16.
std::uint64_t cycles_of_products(int count, std::uint32_t rows, std::uint32_t ctas = 1) {
    std::string const code = std::to_string(1u << 4 | 256 / 8 << 17 | rows / 16 << 24);
    TensorKernel kernel;
    kernel.ctas = ctas;
    kernel.columns = 256;
    kernel.shared = 16384;
    std::string text =
        "mov.u16 %h0, 3; and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; add.u64 %d1, %d1, "
        "70403112304640; mov.b32 %r0, " +
        code + "; setp.eq.u32 %p5, 0, 0;\n";
    for (int i = 0; i < count; ++i)
        text += "tcgen05.mma" + kernel.group() + ".kind::f16 [%ta], %d1, %d1, %r0, %p5;\n";
    kernel.body = committed(kernel, text);
    std::vector<TensorCells> const cells(ctas, TensorCells(256));
    kernel.run(std::vector<std::vector<std::uint8_t>>(ctas), cells, {"independent", false, true});
    return kernel.cycles;
}

/// Blocks that take all columns for a while.
std::uint64_t cycles_of_blocks(std::uint32_t blocks, std::uint32_t columns) {
    std::string const text =
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param .u64 "
        "p_in)\n{\n"
        ".shared .align 4 .b32 slot; .reg .b32 %a, %i; .reg .pred %p;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], " +
        std::to_string(columns) +
        ";\nld.shared.b32 %a, [slot]; mov.u32 %i, 0;\nL: .pragma \"nounroll\"; add.u32 %i, %i, 1; setp.lt.u32 %p, "
        "%i, 200; @%p bra L;\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, " +
        std::to_string(columns) + ";\nret;\n}\n";
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = runtime::Mode::timing;
    Program program(text, "independent", options, {"compute_capability=10.0", "sm.count=1", "sm.gpcs=1"});
    program.launch(program.device.allocate(64), {{32, 1, 1}, {blocks, 1, 1}, 0});
    return program.result.timing->cycles;
}

/// The clock of B200 that `timed` takes the third time it is executed, by thread 0; %ta are 512 columns, %d1 describes
/// shared memory and %r0 the product.
double clocks_on_b200(std::string const& timed, std::uint32_t rows = 128, std::uint32_t columns = 128) {
    std::string const code = std::to_string(1u << 4 | columns / 8 << 17 | rows / 16 << 24);
    std::string text =
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p_out)\n{\n"
        ".shared .align 1024 .b8 s[32768]; .shared .align 8 .b64 bar; .shared .align 4 .b32 slot;\n"
        ".reg .b64 %out, %d1; .reg .b32 %ta, %tb, %a, %r0, %i, %phase, %begin, %end, %v<32>; .reg .pred %p<8>;\n"
        "ld.param.u64 %out, [p_out]; mov.u32 %a, %tid.x; setp.ne.u32 %p1, %a, 0;\n"
        "@!%p1 mbarrier.init.shared.b64 [bar], 1;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;\nbar.warp.sync -1;\n"
        "ld.shared.b32 %ta, [slot]; add.u32 %tb, %ta, 256; mov.u32 %a, s; and.b32 %a, %a, 262143; shr.u32 %a, %a, "
        "4;\n"
        "cvt.u64.u32 %d1, %a; add.u64 %d1, %d1, 70403112304640; mov.b32 %r0, " +
        code + "; setp.eq.u32 %p5, 0, 0; mov.u32 %i, 0;\nL: and.b32 %phase, %i, 1; mov.u32 %begin, %clock;\n" +
        timed +
        "mov.u32 %end, %clock; add.u32 %i, %i, 1; setp.lt.u32 %p6, %i, 3; @%p6 bra L;\n"
        "sub.u32 %end, %end, %begin; st.global.b32 [%out], %end;\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, 512;\nret;\n}\n";
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = runtime::Mode::timing;
    runtime::Device device(sim::load_config("b200"), options);
    auto const module = device.load_text("test.ptx", text);
    auto const out = device.allocate(64);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    device.launch(*module, "k", shape, runtime::Arguments::of(out));
    return device.download<std::uint32_t>(out, 1)[0];
}
std::string times(int count, std::string const& instruction) {
    std::string text;
    for (int i = 0; i < count; ++i) text += instruction;
    return text;
}
std::string commit_and_wait() {
    return "@!%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
           "V: mbarrier.try_wait.parity.shared.b64 %p3, [bar], %phase; @!%p3 bra V;\n";
}
double clocks_of_products(int count, std::uint32_t rows, std::uint32_t columns, bool a_is_shared) {
    std::string const a = a_is_shared ? "%d1" : "[%tb]";
    std::string const product = "@!%p1 tcgen05.mma.cta_group::1.kind::f16 [%ta], " + a + ", %d1, %r0, %p5;\n";
    return clocks_on_b200(times(count, product) + commit_and_wait(), rows, columns);
}
double clocks_of_copies(int count, std::string const& shape) {
    return clocks_on_b200(times(count, "@!%p1 tcgen05.cp.cta_group::1." + shape + " [%ta], %d1;\n") +
                          commit_and_wait());
}
double clocks_of_loads(int count, std::string const& shape, int registers) {
    std::string list = "{";
    for (int i = 0; i < registers; ++i) list += (i == 0 ? "%v" : ", %v") + std::to_string(i);
    // What is loaded is used, since only that is waited for.
    return clocks_on_b200(times(count, "tcgen05.ld.sync.aligned." + shape + ".b32 " + list + "}, [%ta];\n") +
                          "tcgen05.wait::ld.sync.aligned;\nadd.u32 %tb, %ta, %v0; bar.warp.sync -1;\n");
}

}  // namespace

TEST_CASE("Tensor memory and shared memory keep products as long as they do on B200", "[timing]") {
    struct Case {
        std::uint32_t rows, columns;
        bool a_is_shared;
        double latency, interval;  // SA
    };
    for (Case const& c :
         {Case{128, 64, true, 168, 48.5}, Case{128, 128, true, 200, 64.6}, Case{128, 256, true, 264, 128.6},
          Case{64, 64, true, 152, 32.5}, Case{64, 256, true, 248, 128.5}, Case{128, 64, false, 136, 32.5},
          Case{128, 256, false, 232, 128.5}}) {
        INFO(c.rows << " x " << c.columns << (c.a_is_shared ? ", a shared" : ""));
        double const one = clocks_of_products(1, c.rows, c.columns, c.a_is_shared),
                     many = clocks_of_products(33, c.rows, c.columns, c.a_is_shared);
        CHECK(one == Approx(c.latency).margin(4));
        CHECK((many - one) / 32 == Approx(c.interval).epsilon(0.03));
    }
}

TEST_CASE("Copies into tensor memory and loads from it take as long as on B200", "[timing]") {
    // CIC: 61.8 to 63.9 bytes of shared memory in a cycle.
    auto const interval = [](std::string const& shape) {
        return (clocks_of_copies(33, shape) - clocks_of_copies(1, shape)) / 32;
    };
    CHECK(interval("128x256b") == Approx(64).margin(1));
    CHECK(interval("64x128b.warpx2::01_23") == Approx(16).margin(1));
    // CIC: 24 cycles for 16 registers, and 256 bytes a cycle; x16 in 8 cycles, of shapes of 16 lanes half of the width.
    CHECK(clocks_of_loads(1, "32x32b.x16", 16) == Approx(24).margin(6));
    auto const service = [](std::string const& shape, int registers) {
        return (clocks_of_loads(33, shape, registers) - clocks_of_loads(1, shape, registers)) / 32;
    };
    CHECK(service("32x32b.x16", 16) == Approx(8).margin(0.5));
    CHECK(service("32x32b.x32", 32) == Approx(16).margin(0.5));
    CHECK(service("16x64b.x16", 16) == Approx(16).margin(0.5));
    CHECK(service("16x128b.x8", 16) == Approx(16).margin(0.5));
    CHECK(service("16x256b.x4", 16) == Approx(32).margin(0.5));
}

TEST_CASE("Products in tensor memory take as long as the matrix unit's rate says", "[timing]") {
    // 128 * 256 * 16 multiply-adds, of which the unit does 2048 in a cycle. 64 rows use half of the lanes, and of a pair's
    // 256 each unit computes half.
    struct Case {
        std::uint32_t rows, ctas;
    };
    for (Case const& c : {Case{128, 1}, Case{64, 1}, Case{256, 2}}) {
        std::uint64_t const few = cycles_of_products(8, c.rows, c.ctas),
                            many = cycles_of_products(24, c.rows, c.ctas);
        INFO(c.rows << " rows, " << c.ctas << " blocks");
        CHECK(many - few >= 16 * 256);
        CHECK(many - few < 16 * 256 + 64);
    }
}

TEST_CASE("Blocks of an SM wait for columns of tensor memory that others have", "[timing]") {
    // Each keeps its columns for 200 rounds of a loop, of more than four cycles each.
    constexpr std::uint64_t kept = 200 * 4;
    std::uint64_t const one = cycles_of_blocks(1, 512), four = cycles_of_blocks(4, 512),
                        beside = cycles_of_blocks(4, 128);
    CHECK(four > one + 3 * kept);
    CHECK(beside < one + kept);
}

}  // namespace tensor_memory_test
