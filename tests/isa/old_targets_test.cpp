// What f32 and f64 mean on targets below sm_20: no subnormal f32, and with map_f64_to_f32 no f64.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>

namespace old_targets_test {

using namespace warpsim::test;

namespace {

void check(std::string const& body, std::string const& target, std::uint32_t wanted) {
    std::string text = kernel(body + "\nst.global.u32 [%o4], %r0;");
    text.replace(text.find("sm_90"), 5, target);
    for (std::string const& model : control_flows()) {
        INFO(target << " " << body << " with " << model);
        CHECK(Program(text, model).run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [&](auto) { return wanted; }));
    }
}

}  // namespace

TEST_CASE("Targets below sm_20 flush subnormal f32 numbers and keep their sign", "[isa]") {
    std::string const values = "mov.b32 %f0, 0x80000001; mov.b32 %f1, 0x00ffffff; mov.b32 %f2, 0x80800000;\n";
    check(values + "add.f32 %f3, %f0, %f0; mov.b32 %r0, %f3;", "sm_20", 0x80000002);
    for (std::string const target : {"sm_10", "sm_13"}) {
        check(values + "add.f32 %f3, %f0, %f0; mov.b32 %r0, %f3;", target, 0x80000000);
        check(values + "add.f32 %f3, %f1, %f2; mov.b32 %r0, %f3;", target, 0);  // the result is subnormal
        check(values + "mul.f32 %f3, %f0, 0f7f000000; mov.b32 %r0, %f3;", target, 0x80000000);
        check(values + "setp.eq.f32 %p0, %f0, 0f00000000; selp.u32 %r0, 1, 0, %p0;", target, 1);
        check(values + "mov.f32 %f3, %f0; mov.b32 %r0, %f3;", target, 0x80000001);  // a move is not arithmetic
    }
}

TEST_CASE("mad of f32 cuts its product on targets below sm_20", "[isa]") {
    check("mov.b32 %f0, 0x3f800001; mov.b32 %f1, 0xbf800002; mad.f32 %f2, %f0, %f0, %f1; mov.b32 %r0, %f2;",
          "sm_12", 0);
    CHECK_THROWS(Program(kernel("mad.f32 %f2, %f0, %f0, %f1;")));
}

TEST_CASE("With map_f64_to_f32 instructions of f64 compute in f32, in half of the storage", "[isa]") {
    std::string const target = "sm_12, map_f64_to_f32";
    // 1 + 2^-30 is not a number of f32.
    check("mov.f64 %g0, 0d3ff0000000400000; add.f64 %g1, %g0, 0d3ff0000000000000; cvt.rn.f32.f64 %f0, %g1; "
          "mov.b32 %r0, %f0;",
          target, 0x40000000);
    check("mov.f64 %g0, 1.0; mov.f64 %g1, 3.0; div.rn.f64 %g2, %g0, %g1; mul.f64 %g2, %g2, %g1; sub.f64 %g2, %g2, "
          "%g0;\n"
          "cvt.rn.f32.f64 %f0, %g2; mov.b32 %r0, %f0;",
          target, 0);
    check("cvt.rn.f64.s32 %g0, 16777217; cvt.rzi.s32.f64 %r0, %g0;", target, 16777216);
    check("setp.eq.f64 %p0, 0d3ff0000000400000, 0d3ff0000000000000; selp.u32 %r0, 1, 0, %p0;", target, 1);
    check(".shared .f64 box; mov.f64 %g0, 1.5; st.shared.f64 [box], %g0; ld.shared.u32 %r0, [box]; ld.shared.f64 "
          "%g1, [box];\n"
          "cvt.rn.f32.f64 %f0, %g1; mov.b32 %r1, %f0; xor.b32 %r1, %r1, 0x3fc00000; add.u32 %r0, %r0, %r1;",
          target, 0x3fc00000);
    check("cvt.rn.f64.s32 %g0, 16777217; cvt.rzi.s32.f64 %r0, %g0;", "sm_13", 16777217);
    CHECK_THROWS(Program(kernel("ret;").replace(kernel("ret;").find("sm_90"), 5, "sm_13, map_f64_to_f32")));
}

TEST_CASE("A .local variable of the module is every thread's own, in the kernel and in functions", "[isa]") {
    std::string const module = R"(
.local .align 8 .b8 scratch[24];
.local .u32 total;
.func add(.reg .u32 x) { .reg .u32 t; ld.local.u32 t, [total]; add.u32 t, t, x; st.local.u32 [total], t; ret; }
.func deeper(.reg .u32 x) { .local .u32 own[4]; .reg .u32 t; st.local.u32 [own+12], x; call add, (x); ld.local.u32 t, [own+12];
                            call add, (t); ret; }
)";
    std::string text = kernel(R"(
        .local .u32 mine; st.local.u32 [mine], 7; st.local.u32 [total], 100; st.local.u32 [scratch+20], %i;
        call add, (%i); call deeper, (%i);
        ld.local.u32 %r1, [scratch+20]; ld.local.u32 %r2, [mine]; mov.u64 %d1, total; ld.local.u32 %r3, [%d1];
        cvta.local.u64 %d2, total; ld.u32 %r4, [%d2]; ld.u32 %r5, [total];
        mad.lo.u32 %r0, %r3, 1000, %r1; mad.lo.u32 %r0, %r2, 1000000, %r0;
        sub.u32 %r4, %r4, %r3; add.u32 %r0, %r0, %r4; sub.u32 %r5, %r5, %r3; add.u32 %r0, %r0, %r5;
        st.global.u32 [%o4], %r0;)",
                              module);
    std::size_t const version = text.find(".version ");
    text.replace(version, text.find('\n', version) - version, ".version 2.3");
    std::string const wide = ".reg .b128 %q<4>;\n";
    text.erase(text.find(wide), wide.size());
    text.replace(text.find("sm_90"), 5, "sm_20");
    for (std::string const& model : control_flows()) {
        INFO(model);
        CHECK(Program(text, model).run<std::uint32_t>(64, {.block = {64, 1, 1}}) ==
              each<std::uint32_t>(64, [](std::uint32_t i) { return 7000000 + (100 + 3 * i) * 1000 + i; }));
    }
}

}  // namespace old_targets_test
