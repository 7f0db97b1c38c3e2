// Programs with 32-bit addresses, written so or without .address_size.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>
#include <vector>

namespace narrow_address_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const header = ".version 8.0\n.target sm_80\n";
std::string const declared = header + ".address_size 32\n";

/// A kernel `k(out)` of 32 threads; `o` is the address of the thread's word, `i` its number.
std::string narrow_kernel(std::string const& body, std::string const& before = {},
                          std::string const& start = declared) {
    return start + before + R"(
.visible .entry k(.param .u32 out, .param .u32 in) {
  .reg .b32 r<10>, o, i, a, c; .reg .pred p<8>;
  ld.param.u32 o, [out]; ld.param.u32 a, [in]; mov.u32 i, %tid.x; mad.lo.u32 o, i, 4, o;
)" + body + "\nret; }\n";
}

std::vector<std::uint32_t> run(std::string const& text) {
    runtime::DeviceOptions options = Program::one_thread();
    runtime::Device device(sim::load_config("h100"), options);
    auto const module = device.load_text("test.ptx", text);
    auto const in = device.upload(each<std::uint32_t>(32, [](std::uint32_t i) { return 1000 + i; }));
    auto const out = device.allocate(32 * 4);
    CHECK(in % (std::uint64_t{1} << 32) != 0);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    device.launch(*module, "k", shape,
                  runtime::Arguments::of(static_cast<std::uint32_t>(out), static_cast<std::uint32_t>(in)));
    return device.download<std::uint32_t>(out, 32);
}

}  // namespace

TEST_CASE("Global memory is reached by 32-bit addresses", "[exec]") {
    std::string const body = R"(
        cvta.to.global.u32 a, a; mad.lo.u32 a, i, 4, a; ld.global.u32 r0, [a]; cvta.global.u32 r1, a; ld.u32 r2, [r1];
        add.u32 r0, r0, r2; st.global.u32 [o+0], r0; atom.global.add.u32 r3, [o], 5; atom.add.u32 r4, [o], 1;
        add.u32 a, o, 4; st.u32 [a+-4], r4; red.global.add.u32 [o], 1;)";
    auto const want = each<std::uint32_t>(32, [](std::uint32_t i) { return 2006 + 2 * i; });
    CHECK(run(narrow_kernel(body)) == want);
    CHECK(run(narrow_kernel(body, {}, header)) == want);  // without .address_size
}

TEST_CASE("Variables have 32-bit addresses", "[exec]") {
    std::string const variables =
        ".global .align 4 .u32 g[4] = {1, 2, 3, 4}; .const .u32 c4[4] = {10, 20, 30, 40};\n"
        ".global .u32 pointer = g; .global .u32 generic_pointer = generic(g);\n";
    std::string const body = R"(
        and.b32 r0, i, 3; shl.b32 r0, r0, 2; mov.u32 a, g; add.u32 a, a, r0; ld.global.u32 r1, [a];
        mov.u32 c, c4; add.u32 c, c, r0; ld.const.u32 r2, [c]; cvta.const.u32 c, c; ld.u32 r3, [c];
        ld.global.u32 c, [pointer]; ld.global.u32 r4, [c+4]; ld.global.u32 c, [generic_pointer]; ld.u32 r5, [c+8];
        add.u32 r1, r1, r2; add.u32 r1, r1, r3; mad.lo.u32 r1, r4, 1000, r1; mad.lo.u32 r1, r5, 10000, r1;
        st.global.u32 [o], r1;)";
    CHECK(run(narrow_kernel(body, variables)) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return 32000 + 21 * (i % 4 + 1); }));
}

TEST_CASE("Generic addresses of 32 bits lead to every space", "[exec]") {
    std::string const body = R"(
        .shared .align 4 .b32 s[32]; .local .align 4 .b32 l[4];
        mad.lo.u32 r0, i, 4, 0; mov.u32 r1, s; add.u32 r1, r1, r0; cvta.shared.u32 r1, r1; st.u32 [r1], i;
        mov.u32 r2, l; cvta.local.u32 r2, r2; add.u32 r3, i, 7; st.u32 [r2+8], r3; ld.local.u32 r4, [l+8];
        cvta.to.shared.u32 r5, r1; ld.shared.u32 r5, [r5]; mad.lo.u32 r4, r4, 100, r5;
        setp.lt.u32 p0, i, 16; selp.b32 r6, r1, r2, p0; @!p0 add.u32 r6, r6, 8; ld.u32 r7, [r6];
        mad.lo.u32 r4, r7, 10000, r4;
        isspacep.shared p1, r6; isspacep.local p2, r6; isspacep.global p3, o;
        @p1 add.u32 r4, r4, 1000000; @p2 add.u32 r4, r4, 2000000; @p3 add.u32 r4, r4, 4000000;
        st.global.u32 [o], r4;)";
    CHECK(run(narrow_kernel(body)) == each<std::uint32_t>(32, [](std::uint32_t i) {
              std::uint32_t const read = i < 16 ? i : i + 7;
              return (i < 16 ? 5000000 : 6000000) + read * 10000 + (i + 7) * 100 + i;
          }));
}

TEST_CASE("An access outside of a program with 32-bit addresses is found", "[exec]") {
    std::string text;
    try {
        run(narrow_kernel("ld.global.u32 r0, [a+128]; st.global.u32 [o], r0;"));
    } catch (Error const& error) {
        text = error.what();
    }
    CHECK(contains(text, "0 bytes past the end of a 128-byte allocation"));
}

TEST_CASE("A module without .address_size and with addresses of 64 bits has these", "[exec]") {
    std::string text = kernel("st.global.u32 [%o4], %i;");
    text.erase(text.find(".address_size"), std::string(".address_size 64\n").size());
    CHECK(Program(text).run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) { return i; }));
}

}  // namespace narrow_address_test
