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
        ";\nld.shared.b32 %a, [slot]; mov.u32 %i, 0;\nL: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 200; @%p bra L;\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, " +
        std::to_string(columns) + ";\nret;\n}\n";
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = runtime::Mode::timing;
    Program program(text, "independent", options, {"compute_capability=10.0", "sm.count=1", "sm.gpcs=1"});
    program.launch(program.device.allocate(64), {{32, 1, 1}, {blocks, 1, 1}, 0});
    return program.result.timing->cycles;
}

}  // namespace

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
