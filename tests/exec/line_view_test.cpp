// Arrays of height 1, which CUDA makes with two dimensions, as lines.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/textures.hpp"

namespace line_view_test {

using namespace warpsim;
using namespace warpsim::test;
using texture::Geometry;

namespace {

constexpr texture::Format words{texture::Channel::u32, 1};

texture::Image row_of_eight(Program& program) {
    return device_array(program.device, words, Geometry::d2, array_layout(words, Geometry::d2, {8, 1, 1}));
}

}  // namespace

TEST_CASE("A texture of height 1 is a line as well", "[exec][texture]") {
    Program program(kernel("tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [t, {%i}]; st.global.u32 [%o4], %r0;",
                           ".global .texref t;"));
    texture::Texture t;
    t.image = row_of_eight(program);
    for (std::uint32_t x = 0; x < 8; ++x) set_texel(t.image, 100 + x, x);
    std::uint64_t const handle = program.device.textures().add(t);
    program.module->write_symbol("t", 0, &handle, sizeof handle);
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return 100 + (i < 8 ? i : 7); }));
}

TEST_CASE("A surface of height 1 is a line as well", "[exec][surface]") {
    Program program(kernel("shl.b32 %r0, %i, 2; sust.b.1d.b32.zero [s, {%r0}], %i;", ".global .surfref s;"));
    texture::Image const row = row_of_eight(program);
    std::uint64_t const handle = program.device.textures().add(texture::Surface{row});
    program.module->write_symbol("s", 0, &handle, sizeof handle);
    program.run<std::uint32_t>(32);
    for (std::uint32_t x = 0; x < 8; ++x) CHECK(texel<std::uint32_t>(row, x) == x);
}

TEST_CASE("The coordinate of a line needs no braces", "[exec][texture]") {
    Program program(
        kernel("cvt.rn.f32.u32 %f0, %i; tex.1d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [t, %f0];\n"
               "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [t, %i]; mad.lo.u32 %r0, %r1, 1000, %r0;\n"
               "shl.b32 %r2, %i, 2; suld.b.1d.b32.zero %r3, [s, %r2]; mad.lo.u32 %r0, %r3, 1000000, %r0;\n"
               "st.global.u32 [%o4], %r0;",
               ".global .texref t;\n.global .surfref s;"));
    texture::Texture t;
    t.image = row_of_eight(program);
    for (std::uint32_t x = 0; x < 8; ++x) set_texel(t.image, 100 + x, x);
    std::uint64_t const handles[] = {program.device.textures().add(t),
                                     program.device.textures().add(texture::Surface{t.image})};
    program.module->write_symbol("t", 0, &handles[0], 8);
    program.module->write_symbol("s", 0, &handles[1], 8);
    CHECK(program.run<std::uint32_t>(8, {.block = {8, 1, 1}}) ==
          each<std::uint32_t>(8, [](std::uint32_t i) { return (100 + i) * 1001001; }));
}

}  // namespace line_view_test
