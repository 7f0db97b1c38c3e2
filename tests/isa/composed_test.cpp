// What lane functions leave to an engine, run as PTX: the BoolOp of set, setp and lop3, the second destination of
// packed comparisons, and the selectors of video instructions.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <functional>
#include <string>

namespace composed_test {

using namespace warpsim::test;

namespace {

/// The body computes %r0 from %i (0 to 31), %p1 (odd threads) and %p2 (threads below 16).
void check_threads(std::string const& body, std::function<std::uint32_t(std::uint32_t)> const& wanted,
                   std::string const& target = "sm_90") {
    std::string text = kernel("and.b32 %r31, %i, 1; setp.eq.u32 %p1, %r31, 1; setp.lt.u32 %p2, %i, 16;\n" + body +
                              "\nst.global.u32 [%o4], %r0;");
    text.replace(text.find("sm_90"), 5, target);
    for (std::string const& model : control_flows()) {
        INFO(body << " with " << model);
        CHECK(Program(text, model).run<std::uint32_t>(32) == each<std::uint32_t>(32, wanted));
    }
}
bool is_odd(std::uint32_t i) { return i % 2 == 1; }

}  // namespace

TEST_CASE("set combines its comparison with a predicate", "[isa]") {
    check_threads("set.lt.and.u32.u32 %r0, %i, 10, %p1;",
                  [](auto i) { return i < 10 && is_odd(i) ? 0xffffffffu : 0; });
    check_threads("set.lt.or.s32.u32 %r0, %i, 10, !%p1;",
                  [](auto i) { return i < 10 || !is_odd(i) ? 0xffffffffu : 0; });
    check_threads("set.lt.xor.f32.u32 %f0, %i, 10, %p1; mov.b32 %r0, %f0;",
                  [](auto i) { return (i < 10) != is_odd(i) ? 0x3f800000u : 0; });
    check_threads("cvt.rn.f16.u32 %h0, %i; mov.b16 %h1, 0x4900; set.lt.xor.f16.f16 %h2, %h0, %h1, %p1; "
                  "cvt.u32.u16 %r0, %h2;",
                  [](auto i) { return (i < 10) != is_odd(i) ? 0x3c00u : 0; });
    check_threads("mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x40003c00; set.lt.or.f16x2.f16x2 %r0, %r1, %r2, %p1;",
                  [](auto i) { return is_odd(i) ? 0x3c003c00u : 0x3c000000u; });
}

TEST_CASE("A packed setp compares the low elements into p and the high ones into q", "[isa]") {
    std::string const to_bits = "selp.u32 %r0, 1, 0, %p3; selp.u32 %r1, 2, 0, %p4; or.b32 %r0, %r0, %r1;";
    std::string const values = "mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x40003c00;\n";  // low 2 and 1, high 1 and 2
    check_threads(values + "setp.lt.f16x2 %p3|%p4, %r1, %r2;" + to_bits, [](auto) { return 2u; });
    check_threads(values + "setp.gt.and.f16x2 %p3|%p4, %r1, %r2, %p1;" + to_bits,
                  [](auto i) { return is_odd(i) ? 1u : 0u; });
    check_threads(values + "setp.lt.xor.bf16x2 %p3|%p4, %r1, %r2, !%p1;" + to_bits,
                  [](auto i) { return is_odd(i) ? 2u : 1u; });
    check_threads(values + "setp.lt.or.f16x2 %p1|%p4, %r1, %r2, %p1; mov.pred %p3, %p1;" + to_bits,
                  [](auto i) { return is_odd(i) ? 3u : 2u; });
}

TEST_CASE("setp of 16-bit floats has one result", "[isa]") {
    std::string const values = "cvt.rn.f16.u32 %h0, %i; mov.b16 %h1, 0x4900; neg.f16 %h2, %h0;\n";  // i, 10, -i
    check_threads(values + "setp.lt.f16 %p3, %h0, %h1; selp.u32 %r0, 1, 0, %p3;",
                  [](auto i) { return i < 10 ? 1u : 0u; });
    check_threads(values + "setp.lt.f16 %p3, %h2, %h0; selp.u32 %r0, 1, 0, %p3;",
                  [](auto i) { return i > 0 ? 1u : 0u; });
    check_threads(values + "setp.ge.and.f16 %p3, %h0, %h1, %p1; selp.u32 %r0, 1, 0, %p3;",
                  [](auto i) { return i >= 10 && is_odd(i) ? 1u : 0u; });
    check_threads(
        "cvt.rn.bf16.u32 %h0, %i; mov.b16 %h1, 0x4120; setp.gt.bf16 %p3, %h0, %h1; selp.u32 %r0, 1, 0, %p3;",
        [](auto i) { return i > 10 ? 1u : 0u; });
}

TEST_CASE("lop3 with a BoolOp tells whether its result is zero", "[isa]") {
    check_threads("lop3.and.b32 %r1|%p3, %i, 8, 0, 0xc0, %p1; selp.u32 %r2, 256, 0, %p3; add.u32 %r0, %r1, %r2;",
                  [](auto i) { return (i & 8) + ((i & 8) != 0 && is_odd(i) ? 256 : 0); });
    check_threads("lop3.or.b32 _|%p3, %i, 8, 0, 0xc0, !%p1; selp.u32 %r0, 1, 0, %p3;",
                  [](auto i) { return (i & 8) != 0 || !is_odd(i) ? 1u : 0u; });
    check_threads("mov.u32 %r0, 7; @%p1 lop3.or.b32 %r0|%p1, %r0, 8, 0, 0xfc, %p2;",
                  [](auto i) { return is_odd(i) ? 15u : 7u; });
}

TEST_CASE("Video instructions take the parts of their operands that are named", "[isa]") {
    std::string const values = "mov.b32 %r1, 0x81020384; mov.b32 %r2, 0x10207ff0;\n";
    auto const check = [&](std::string const& body, std::uint32_t wanted) {
        check_threads(values + body, [=](auto) { return wanted; });
    };
    check("vadd.u32.u32.u32 %r0, %r1.b3, %r2.h1;", 0x81 + 0x1020);
    check("vadd.s32.s32.s32 %r0, %r1.b3, %r2.b0;", 0xffffffffu - 0x7e - 0x10);
    check("vadd.u32.u32.u32 %r0.b1, %r1.b0, %r2.b3, %r1;", 0x81029484);
    check("vadd.u32.u32.u32.sat %r0.b1, %r1.b0, %r2.b0, %r1;", 0x8102ff84);
    check("vmad.s32.u32.u32 %r0, -%r1.b0, %r2.b3, %r1;", 0x81020384 - 0x84 * 0x10);
    check("vmad.s32.u32.u32 %r0, %r1.b0, %r2.b3, -%r2;", 0x84 * 0x10 - 0x10207ff0u);
    check("vmin.s32.s32.s32.add %r0, %r1.h1, %r2.h0, 5;", 0xffff8102 + 5);
    check("vadd4.u32.u32.u32 %r0.b20, %r1.b7654, %r2.b0123, %r2;", 0x10237f71);
    check("vabsdiff2.u32.u32.u32.add %r0.h0, %r1.h12, %r2.h30, %r2;", 0x10207ff0u + (0x7ff0u - 0x0384u));
    check("mov.b32 %r3, 1; vset4.u32.u32.lt.add %r0, %r1, %r2, %r3;", 4);
    CHECK_THROWS(Program(kernel("vadd.u32.u32.u32 %r0, %r1.b4, %r2;")));
    check("vadd.u32.u32.u32 %r0, %r1.b3, %r2.h1, %r1;", 0x81 + 0x1020);  // no part is named: nothing of c is left
    CHECK_THROWS(Program(kernel("vadd4.u32.u32.u32 %r0, %r1, %r2, 1;")));
    CHECK_THROWS(Program(kernel("vadd.u32.u32.u32 %r0, -%r1, %r2;")));
}

TEST_CASE("Packed narrow numbers go through registers of 8 to 32 bits", "[isa]") {
    check_threads(
        "mov.f32 %f0, 0f40c00000; mov.f32 %f1, 0fbf000000;\n"
        ".reg .b8 %b; cvt.rn.satfinite.e2m1x2.f32 %b, %f0, %f1; cvt.rn.f16x2.e2m1x2 %r0, %b;",
        [](auto) { return 0x4600b800u; }, "sm_100a");
    check_threads("mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0fbf000000;\n"
                  "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1; cvt.rn.f16x2.e4m3x2 %r0, %h0;",
                  [](auto) { return 0x3c00b800u; });
    check_threads("cvt.pack.sat.u8.s32.b32 %r0, %i, -5, 0x1234;", [](auto i) { return 0x12340000u | i << 8; });
}

TEST_CASE("cvt.rs takes its random bits from a register, and four numbers from a list", "[isa]") {
    std::string const values =
        "mov.f32 %f0, 0f3f801000; mov.f32 %f1, 0fbf801000; shl.b32 %r1, %i, 24; or.b32 %r1, %r1, 0x1000;\n";
    check_threads(
        values + "cvt.rs.f16x2.f32 %r0, %f0, %f1, %r1;",
        [](auto i) { return ((i & 0x10) != 0 ? 0x3c010000u : 0x3c000000u) | 0xbc01u; }, "sm_100a");
    check_threads(
        values +
            "mov.f32 %f2, 0f3f880000; cvt.rs.satfinite.e4m3x4.f32 %r0, {%f2, %f1, 0f40000000, %f2}, 0x80007fff;",
        [](auto) { return 0x39b84038u; }, "sm_100a");
    check_threads(
        values + "mov.f32 %f2, 0f3fa00000; cvt.rs.relu.satfinite.e2m1x4.f32 %h0, {%f2, %f2, %f2, %f1}, "
                 "0x80000000; cvt.u32.u16 %r0, %h0;",
        [](auto) { return 0x3320u; }, "sm_100a");
    CHECK_THROWS(Program(kernel("cvt.rs.f16x2.f32 %r0, %f0, %f1, %r1;")));  // of sm_100a only
}

TEST_CASE("Two f32 in a 64-bit register are added, and each flushed, for itself", "[isa]") {
    check_threads(
        "mov.b64 %d0, 0x3f80000000000001; add.ftz.f32x2 %d1, %d0, %d0; mov.b64 {%r1, %r0}, %d1; add.u32 %r0, %r0, "
        "%r1;",
        [](auto) { return 0x40000000u; }, "sm_100a");
}

}  // namespace composed_test
