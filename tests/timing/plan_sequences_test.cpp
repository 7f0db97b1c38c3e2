// Short sequences compared with what NVIDIA's compiler generates (sass_sequences.py says how the table is made).
#include "sim/timing/plan/routines.hpp"
#include "tests/timing/plan_support.hpp"

#include <cstdlib>

namespace plan_sequences_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string kernel(std::string const& sequence) {
    return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 q)\n{\n"
           ".reg .pred %p<2>;\n.reg .b16 %h<4>;\n.reg .b32 %r<50>;\n.reg .b64 %d<20>;\n.reg .f32 %f<3>;\n.shared "
           ".align 16 .b8 "
           "s[4096];\n"
           "ld.param.u64 %d1, [p];\nld.param.u32 %r40, [q];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\n"
           "cvta.to.global.u64 %d3, %d1;\nadd.s64 %d4, %d3, %d2;\nld.global.u32 %r5, [%d4];\n"
           "ld.global.u32 %r6, [%d4+4];\nmov.b32 %f0, %r6;\n" +
           sequence +
           "\nst.global.u32 [%d4+8], %r9;\nst.global.u32 [%d4+12], %r5;\nst.global.u32 [%d4+16], %r6;\nret;\n}\n";
}

}  // namespace

TEST_CASE("Short sequences take as many micro-ops as ptxas makes instructions of them", "[timing][plan]") {
    std::size_t seen = 0, exact = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        Modules modules(configs_of_table[c]);
        std::ifstream in(WARPSIM_SOURCE_DIR "/tests/timing/sass_sequences.txt");
        for (std::string line; std::getline(in, line);) {
            if (line.empty() || line[0] == '#') continue;
            int wanted[3] = {};
            std::string sequence;
            std::istringstream words(line);
            words >> wanted[0] >> wanted[1] >> wanted[2] >> std::ws;
            std::getline(words, sequence);
            auto const module = modules.device.load_text("k.ptx", kernel(sequence));
            timing::MachineKernel const& kernel = modules.compiled(*module, "k");
            auto const ours = static_cast<int>(timing::code_places(kernel.functions.front().machine).back());
            INFO(sequence << " on " << configs_of_table[c] << ": " << ours << ", ptxas " << wanted[c]);
            CHECK(std::abs(ours - wanted[c]) <= 1);
            exact += ours == wanted[c];
            ++seen;
        }
    }
    INFO(exact << " of " << seen << " are the same");
    CHECK(seen > 120);
    CHECK(100 * exact >= 90 * seen);
}

TEST_CASE("What is folded into addresses, sums, products and comparisons changes no result", "[timing][plan]") {
    Compiled k(
        "mul.wide.u32 %d1, %i, 4;\nadd.u64 %d1, %d1, %in;\nld.global.u32 %r2, [%d1];\n"
        "mov.u32 %r10, area;\nshl.b32 %r11, %s, 2;\nadd.s32 %r12, %r10, %r11;\nst.shared.u32 [%r12], %r2;\n"
        "bar.sync 0;\nxor.b32 %r13, %s, 1;\nshl.b32 %r14, %r13, 2;\nadd.s32 %r15, %r10, %r14;\n"
        "ld.shared.u32 %r9, [%r15];\nshr.u32 %r8, %r9, 31;\nadd.s32 %r16, %r8, %r9;\nshr.s32 %r17, %r16, 1;\n"
        "shl.b32 %r18, %s, 4;\nand.b32 %r19, %i, 3;\nshl.b32 %r20, %r19, 2;\nadd.s32 %r21, %r10, %r18;\n"
        "and.b32 %r22, %r21, 255;\nadd.s32 %r23, %r10, %r20;\nld.shared.u32 %r24, [%r23];\n"
        "cvt.u64.u32 %d2, %r17;\ncvt.u64.u32 %d3, %r24;\nmul.lo.s64 %d4, %d2, %d3;\ncvt.s64.s32 %d5, %r9;\n"
        "add.s64 %d6, %d4, %d5;\nsetp.lt.u64 %p1, %d6, %d3;\nshr.u64 %d7, %d6, 17;\ncvt.u32.u64 %r25, %d7;\n"
        "cvt.u16.u32 %h1, %r9;\nand.b16 %h2, %h1, 31;\nsetp.eq.s16 %p2, %h2, 0;\nsetp.lt.s16 %p3, %h1, 100;\n"
        "selp.u32 %r26, %r25, %r22, %p1;\nselp.u32 %r27, 5, %r26, %p2;\nselp.u32 %r28, %r27, %r8, %p3;\n"
        "mov.b32 %f1, %r28;\nfma.rn.f32 %f2, %f1, %f1, %f1;\ncvt.sat.f32.f32 %f3, %f2;\n"
        "add.f32 %f4, %f3, %f1;\nst.global.f32 [%o4], %f4;\n",
        "", "a100");
    CHECK(k.fate("shl.b32 %r14") == timing::Fate::folded);
    CHECK(k.fate("shr.u32 %r8") == timing::Fate::issued);  // something else reads it
    CHECK(k.fate("fma.rn.f32 %f2") == timing::Fate::folded);
    CHECK(k.fate("cvt.s64.s32 %d5") == timing::Fate::folded);
    check_as_functional(k, 1);
}

}  // namespace plan_sequences_test
