// A register plus a constant as an operand: the sum is made in the register's own type.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace register_sums_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("A register plus a constant is an operand of stores, moves, sums, conversions and comparisons",
          "[exec]") {
    Program program(kernel(R"(
        mov.u32 %r1, 5; mov.u64 %d1, 0xfffffffff; mov.b16 %h1, 0xffff;
        st.global.u32 [%out], %r1 + 1; mov.u32 %r2, %r1 + 2; st.global.u32 [%out+4], %r2;
        add.u32 %r3, %r1+1, %r1+-3; st.global.u32 [%out+8], %r3;
        cvt.u64.u32 %d2, %r1+-6; shr.u64 %d2, %d2, 4; st.global.u32 [%out+12], %d2;
        setp.eq.u32 %p1, %r1+(2*3), 11; selp.u32 %r4, 1, 0, %p1; st.global.u32 [%out+16], %r4;
        st.global.u64 [%out+24], %d1+1; cvt.u32.u16 %r5, %h1+3; st.global.u32 [%out+20], %r5;
        st.global.u32 [%out+32], %r1;)"));
    auto const result = program.run<std::uint32_t>(9, {.block = {1, 1, 1}});
    CHECK(result == std::vector<std::uint32_t>{6, 7, 8, 0x0fffffff, 1, 2, 0, 0x10, 5});
}

}  // namespace register_sums_test
