// Vectors of registers as arguments and results of functions, and vectors of 8-bit elements in mov.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace vector_arguments_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Vectors of registers are arguments and results of functions", "[exec]") {
    std::string const function = ".func (.reg .v2 .b32 %x) f(.reg .v4 .b32 %a, .reg .v2 .b32 %b, .reg .b32 %c) {\n"
                                 "mad.lo.u32 %x.x, %a.x, 10, %a.w; add.u32 %x.x, %x.x, %c;\n"
                                 "mad.lo.u32 %x.y, %b.x, 10, %b.y; ret; }\n";
    std::string const body =
        ".reg .v2 .b32 %v; mov.v2.u32 %v, {6, 7}; mov.b32 %r1, 1; mov.b32 %r4, 4;\n"
        "call ({%r2, %r3}), f, ({%r1, %r9, %r9, %r4}, %v, 100);\n"
        "st.global.v2.u32 [%out], {%r2, %r3};\n"
        "p: .callprototype (.reg .v2 .b32 _) _ (.reg .v4 .b32 _, .reg .v2 .b32 _, .reg .b32 _);\n"
        "mov.u64 %d1, f; call (%v), %d1, ({%r4, %r9, %r9, %r1}, %v, 0), p;\n"
        "st.global.v2.u32 [%out+8], %v; call (_), f, ({%r4, %r9, %r9, %r1}, %v, 0);";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body, function), model);
        auto const result = program.run<std::uint32_t>(4, {.block = {1, 1, 1}});
        CHECK(result == std::vector<std::uint32_t>{114, 67, 41, 67});
    }
}

TEST_CASE("mov packs and unpacks 8-bit elements", "[exec]") {
    Program program(kernel(R"(
        .reg .b8 %b<4>; mov.b32 %r1, 0x11; st.global.u8 [%in], 0xe1; st.global.u8 [%in+1], 0x7f;
        ld.global.b8 %b0, [%in]; ld.global.b8 %b1, [%in+1];
        mov.b16 %h1, {%b0, 0}; st.global.u16 [%out], %h1; mov.b16 %h2, {%b1, %b0}; st.global.u16 [%out+2], %h2;
        mov.b32 %r2, {%b0, %b1, %b1, %b0}; st.global.u32 [%out+4], %r2;
        mov.b32 {%b0, %b1, %b2, %b3}, 0x04030201; mov.b32 %r3, {%b3, %b2, %b1, %b0}; st.global.u32 [%out+8], %r3;
        mov.b16 {%b1, %b2}, %h2; st.global.b8 [%out+12], %b2; st.global.b8 [%out+13], %b1;
        st.global.u16 [%out+14], 0;)"));
    program.in = program.device.upload(std::vector<std::uint32_t>{0});
    auto const result = program.run<std::uint32_t>(4, {.block = {1, 1, 1}});
    CHECK(result == std::vector<std::uint32_t>{0xe17f00e1, 0xe17f7fe1, 0x01020304, 0x00007fe1});
}

}  // namespace vector_arguments_test
