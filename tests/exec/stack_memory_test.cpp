// What lanes keep on their stacks: alloca, local memory.
#include "tests/support/lanes_together.hpp"

namespace stack_memory_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Lanes take stack memory of sizes of their own and give it back", "[exec]") {
    // Each lane keeps i + 1 words, calls a function that has a frame of its own, and sums the words up again.
    std::string const function = R"(
.func (.param .u32 result) use(.param .u32 x) {
    .reg .u32 %a; .local .u32 mine[8]; ld.param.u32 %a, [x]; st.local.u32 [mine], %a; st.local.u32 [mine+28], %a;
    ld.local.u32 %a, [mine]; st.param.u32 [result], %a; ret; })";
    for (std::string const type : {"u32", "u64"}) {
        std::string const r = type == "u32" ? "%r1" : "%d1", size = type == "u32" ? "%r2" : "%d2",
                          saved = type == "u32" ? "%r3" : "%d3";
        check_both_models("mov.u32 %r10, 0; mov.u32 %r20, 0; ROUND: stacksave." + type + " " + saved +
                              "; mad.lo.u32 %r4, %i, 4, 4; cvt." + type + ".u32 " + size + ", %r4; alloca." +
                              type + " " + r + ", " + size + ", 16; cvt.u32." + type + " %r5, " + r +
                              R"(; and.b32 %r6, %r5, 15; setp.ne.u32 %p0, %r6, 0; @%p0 trap;
        mov.u32 %r7, 0;
        FILL: mad.lo.u32 %r8, %r7, 4, %r5; st.local.u32 [%r8], %r7; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %i; @%p1 bra FILL;
        )" + call_with_index("use") +
                              R"( add.u32 %r10, %r10, %r0; mov.u32 %r7, 0;
        SUM: mad.lo.u32 %r8, %r7, 4, %r5; ld.local.u32 %r9, [%r8]; add.u32 %r10, %r10, %r9; add.u32 %r7, %r7, 1; setp.le.u32 %p1, %r7, %i;
        @%p1 bra SUM; stackrestore.)" +
                              type + " " + saved +
                              R"(; add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 500; @%p2 bra ROUND;
        mov.u32 %r0, %r10;)" + store_results,
                          with_lanes([](std::uint32_t i) { return 500 * (i + i * (i + 1) / 2); }), function);
    }
}

TEST_CASE("Stack memory ends: too large an alloca, an access behind it, a wild stackrestore", "[exec]") {
    std::pair<std::string, std::string> const cases[] = {
        {"setp.eq.u32 %p0, %i, 4; selp.u64 %d0, 40000, 64, %p0; alloca.u64 %d1, %d0;",
         "stack overflow: alloca of 40000 bytes"},
        {"LOOP: alloca.u32 %r1, 1024; bra LOOP;", "stack overflow: alloca of 1024 bytes"},
        {"alloca.u32 %r1, 64; st.local.u32 [%r1+64], %i;", "illegal address: 4-byte store to local"},
        {"mov.u32 %r1, 4096; stackrestore.u32 %r1;", "stackrestore to 4096"}};
    for (std::string const& model : control_flows()) {
        for (auto const& [body, part] : cases) {
            Program program(kernel(body), model);
            std::string const text = program.error();
            INFO(text);
            CHECK(contains(text, part));
        }
    }
}

TEST_CASE("Local memory of a block is zero, whatever the block before it left there", "[exec]") {
    Program program(
        kernel(".local .u32 mine; ld.local.u32 %r0, [mine]; st.global.u32 [%o4], %r0; st.local.u32 [mine], 7;"));
    CHECK(program.run<std::uint32_t>(96, {.grid = {3, 1, 1}}) == std::vector<std::uint32_t>(96, 0));
}

}  // namespace stack_memory_test
