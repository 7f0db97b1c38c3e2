// Parameters and results of functions whose address is taken: they lie in the function's local memory.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>
#include <vector>

namespace addressed_parameter_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Stores over its own .local variable, then reads a structure through its address, by an index, and by name.
std::string const functions = R"(
.func (.param .b32 rv) through(.param .align 4 .b8 p[16], .param .b32 index) {
  .local .align 4 .b8 own[32]; .reg .b32 r, i, s; .reg .b64 a, g, o;
  mov.b64 o, own; st.local.b32 [o], -1; st.local.b32 [o+4], -1; st.local.b32 [o+16], -1;
  ld.param.b32 i, [index]; mul.wide.u32 g, i, 4;
  mov.b64 a, p; add.s64 g, g, a; cvta.local.u64 g, g; ld.b32 r, [g];
  ld.param.b32 s, [p+8]; mad.lo.u32 r, s, 1000, r;
  ld.param.b32 s, [a+12]; mad.lo.u32 r, s, 1000000, r; st.param.b32 [rv], r; ret; }
.func (.param .align 8 .b8 rv[24]) filled(.param .b32 x, .param .b8 small) {
  .reg .b64 a; .reg .b32 i; .reg .b16 h;
  mov.b64 a, rv; ld.param.b32 i, [x]; st.local.b32 [a+16], i; st.local.b32 [a+20], 0;
  cvta.local.u64 a, a; st.u64 [a], 0x1122334455667788; st.param.b64 [rv+8], 77;
  mov.b64 a, small; ld.local.u8 h, [a]; st.param.b8 [rv+21], h; ret; }
.func (.param .b32 rv) nested(.param .align 4 .b8 p[8]) {
  .reg .b32 n, x; .reg .b64 a; .reg .pred last;
  ld.param.b32 n, [p]; setp.eq.u32 last, n, 0; mov.b64 a, p;
  @last bra END;
  { .param .align 4 .b8 q[8]; .param .b32 s; sub.u32 n, n, 1; st.param.b32 [q], n; mul.lo.u32 x, n, n;
    st.param.b32 [q+4], x; call (s), nested, (q); ld.param.b32 n, [s]; }
  END: ld.local.b32 x, [a+4]; add.u32 n, n, x; st.param.b32 [rv], n; ret; }
)";

std::string call_through(std::string const& target, std::string const& prototype = {}) {
    return R"({ .param .align 4 .b8 q[16]; .param .b32 n; .param .b32 s;
        add.u32 %r1, %i, 100; st.param.b32 [q], %r1; add.u32 %r1, %i, 200; st.param.b32 [q+4], %r1;
        st.param.b32 [q+8], 3; st.param.b32 [q+12], 4; and.b32 %r2, %i, 1; st.param.b32 [n], %r2;
        call (s), )" +
           target + ", (q, n)" + prototype + "; ld.param.b32 %r3, [s]; st.global.u32 [%o4], %r3; }";
}

std::uint32_t expected_through(std::uint32_t i) { return 4003000 + i + (i % 2 == 0 ? 100 : 200); }

}  // namespace

TEST_CASE("The address of a function's parameter is one of local memory", "[exec]") {
    for (std::string const& model : control_flows()) {
        Program program(kernel(call_through("through"), functions), model);
        CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, expected_through));
    }
}

TEST_CASE("A parameter whose address is taken is filled by an indirect call of some lanes", "[exec]") {
    std::string const body = "mov.u64 %d0, through; setp.lt.u32 %p0, %i, 9; @!%p0 bra END;\n"
                             "P: .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[16], .param .b32 _);\n" +
                             call_through("%d0", ", P") + " END:";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body, functions), model);
        auto const want = each<std::uint32_t>(32, [](std::uint32_t i) { return i < 9 ? expected_through(i) : 0; });
        CHECK(program.run<std::uint32_t>(32) == want);
    }
}

TEST_CASE("A result is written through its address", "[exec]") {
    std::string const body = R"({ .param .align 8 .b8 s[24]; .param .b32 q; .param .b8 n; st.param.b32 [q], %i;
        st.param.b8 [n], 0x5a; call (s), filled, (q, n);
        ld.param.b64 %d1, [s]; ld.param.b64 %d2, [s+8]; ld.param.b64 %d3, [s+16]; }
        mul.wide.u32 %d0, %i, 24; add.u64 %d0, %d0, %out;
        st.global.b64 [%d0], %d1; st.global.b64 [%d0+8], %d2; st.global.b64 [%d0+16], %d3;)";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body, functions), model);
        std::vector<std::uint64_t> want;
        for (std::uint64_t i = 0; i < 32; ++i) {
            want.push_back(0x1122334455667788);
            want.push_back(77);
            want.push_back(i | std::uint64_t{0x5a} << 40);
        }
        CHECK(program.run<std::uint64_t>(96) == want);
    }
}

TEST_CASE("Each activation of a recursive function has its own parameters at their addresses", "[exec]") {
    std::string const body =
        R"({ .param .align 4 .b8 q[8]; .param .b32 s; and.b32 %r1, %i, 7; st.param.b32 [q], %r1;
        mul.lo.u32 %r2, %r1, %r1; st.param.b32 [q+4], %r2; call (s), nested, (q); ld.param.b32 %r3, [s]; }
        st.global.u32 [%o4], %r3;)";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body, functions), model);
        auto const want = each<std::uint32_t>(32, [](std::uint32_t i) {
            std::uint32_t sum = 0;
            for (std::uint32_t k = 0; k <= (i & 7); ++k) sum += k * k;
            return sum;
        });
        CHECK(program.run<std::uint32_t>(32) == want);
    }
}

TEST_CASE("An argument of unknown size has an address as far as the call fills it", "[exec]") {
    std::string const sum = R"(
.func (.param .b32 rv) sum(.param .b32 count, .param .align 4 .b8 p[]) {
  .local .b32 own; .reg .b32 n, x, s; .reg .b64 a; .reg .pred more;
  st.local.b32 [own], -1; mov.b64 a, p; ld.param.b32 n, [count]; mov.u32 s, 0;
  LOOP: ld.local.b32 x, [a]; add.u32 s, s, x; add.u64 a, a, 4; sub.u32 n, n, 1; setp.ne.u32 more, n, 0;
  @more bra LOOP; st.param.b32 [rv], s; ret; }
)";
    auto const call = [](int words) {
        std::string const bytes = std::to_string(4 * words);
        std::string text = "{ .param .b32 n; .param .align 4 .b8 q[" + bytes + "]; .param .b32 s;\n";
        for (int i = 0; i < words; ++i) {
            std::string const at = std::to_string(4 * i);
            text += "add.u32 %r1, %i, " + at + "; st.param.b32 [q+" + at + "], %r1;\n";
        }
        return text + "st.param.b32 [n], " + std::to_string(words) +
               "; call (s), sum, (n, q); ld.param.b32 %r3, [s]; add.u32 %r9, %r9, %r3; }\n";
    };
    for (std::string const& model : control_flows()) {
        Program program(kernel("mov.u32 %r9, 0;\n" + call(2) + call(5) + "st.global.u32 [%o4], %r9;", sum), model);
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return 7 * i + 44; }));
    }
}

TEST_CASE("Parameters at addresses are accesses of local memory in timing mode", "[exec][timing]") {
    auto options = Program::one_thread();
    options.mode = runtime::Mode::timing;
    Program program(kernel(call_through("through"), functions), "independent", options);
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, expected_through));
    CHECK(program.result.timing->cycles > 0);
}

}  // namespace addressed_parameter_test
