// suld, sust, sured, suq: every geometry and width, what happens outside, and formats.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/textures.hpp"

#include <bit>

namespace surface_test {

using namespace warpsim;
using namespace warpsim::test;
using texture::Channel;
using texture::Format;
using texture::Geometry;

namespace {

struct SurfaceCase {
    Geometry geometry;
    char const* name;
    char const* coordinates;  // of byte %r0, row 1, slice 2
    texture::Extent extent;
    std::uint32_t slices;
    std::uint32_t y, z;
};
// clang-format off
constexpr SurfaceCase cases[] = {
    {Geometry::d1, "1d", "{%r0}", {64, 1, 1}, 1, 0, 0},
    {Geometry::d2, "2d", "{%r0, %r1}", {64, 3, 1}, 1, 1, 0},
    {Geometry::d3, "3d", "{%r0, %r1, %r2, %r2}", {64, 3, 4}, 1, 1, 2},
    {Geometry::layered_d1, "a1d", "{%r2, %r0}", {64, 1, 1}, 3, 0, 2},
    {Geometry::layered_d2, "a2d", "{%r2, %r0, %r1, %r1}", {64, 3, 1}, 3, 1, 2},
};
// clang-format on

texture::Image surface_of(runtime::Device& device, Format format, SurfaceCase const& c) {
    return device_array(device, format, c.geometry, array_layout(format, c.geometry, c.extent, c.slices));
}

/// `body` with %d0 the handle and %r1, %r2 row and slice.
std::string surface_kernel(std::string const& body) {
    return kernel("ld.global.u64 %d0, [%in]; mov.u32 %r1, 1; mov.u32 %r2, 2;\n" + body);
}

void bind(Program& program, texture::Image const& image) {
    program.in =
        program.device.upload(std::vector<std::uint64_t>{program.device.textures().add(texture::Surface{image})});
}

constexpr Format words{Channel::u32, 1};
/// Eight words a row, three rows, numbered row by row from 100 on.
texture::Image numbered(Program& program, Format format = words) {
    texture::Image const image =
        device_array(program.device, format, Geometry::d2, array_layout(format, Geometry::d2, {8, 3, 1}));
    for_texels(image, [&](auto x, auto y, auto, auto) { set_texel(image, 100 + 8 * y + x, x, y); });
    bind(program, image);
    return image;
}

}  // namespace

TEST_CASE("Surfaces are loaded and stored in every geometry and width", "[exec][surface]") {
    struct Width {
        char const *vector, *type, *registers, *others;
        std::uint32_t bytes;
    };
    constexpr Width widths[] = {{"", "b8", "%h0", "%h4", 1},
                                {"", "b16", "%h0", "%h4", 2},
                                {"", "b32", "%r4", "%r8", 4},
                                {"", "b64", "%d4", "%d8", 8},
                                {".v2", "b8", "{%h0, %h1}", "{%h4, %h5}", 2},
                                {".v4", "b16", "{%h0, %h1, %h2, %h3}", "{%h4, %h5, %h6, %h7}", 8},
                                {".v2", "b32", "{%r4, %r5}", "{%r8, %r9}", 8},
                                {".v4", "b32", "{%r4, %r5, %r6, %r7}", "{%r8, %r9, %r10, %r11}", 16},
                                {".v2", "b64", "{%d4, %d5}", "{%d8, %d9}", 16}};
    Format const format{Channel::u32, 4};
    for (SurfaceCase const& c : cases) {
        for (Width const& w : widths) {
            std::string const rest = std::string(".") + c.name + w.vector + "." + w.type + ".trap ";
            INFO(rest);
            // Lane i copies element i to element i + 32.
            Program program(surface_kernel("mul.lo.u32 %r0, %i, " + std::to_string(w.bytes) + ";\nsuld.b" + rest +
                                           w.registers + ", [%d0, " + c.coordinates + "];\nadd.u32 %r0, %r0, " +
                                           std::to_string(32 * w.bytes) + ";\nsust.b" + rest + "[%d0, " +
                                           c.coordinates + "], " + w.registers + ";"));
            texture::Image const image = surface_of(program.device, format, c);
            std::uint32_t next = 0;
            for_texels(image, [&](auto x, auto y, auto z, auto) {
                set_texel(image, std::array<std::uint32_t, 4>{next * 77, next + 1, ~next, next * next}, x, y, z);
                ++next;
            });
            auto const byte = [&](std::uint32_t at) {
                // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
                return *reinterpret_cast<std::uint8_t const*>(image.byte(at, c.y, c.z, 0));
            };
            std::vector<std::uint8_t> before;
            for (std::uint32_t i = 0; i < 64 * w.bytes; ++i) before.push_back(byte(i));
            bind(program, image);
            program.run<std::uint32_t>(1);
            for (std::uint32_t i = 0; i < 32 * w.bytes; ++i) {
                CHECK(byte(i) == before[i]);
                CHECK(byte(i + 32 * w.bytes) == before[i]);
            }
        }
    }
}

TEST_CASE("Outside of a surface is zero or its edge, and stores are dropped or go there", "[exec][surface]") {
    Program loads(surface_kernel("mad.lo.u32 %r0, %i, 4, -8; mov.u32 %r4, 99;\n"
                                 "suld.b.2d.b32.zero %r4, [%d0, {%r0, %r1}];\n"
                                 "suld.b.2d.b32.clamp %r5, [%d0, {%r0, %r1}];\n"
                                 "st.global.v2.u32 [%o8], {%r4, %r5};"));
    numbered(loads);
    auto const got = loads.run<std::array<std::uint32_t, 2>>(32);
    for (int i = 0; i < 32; ++i) {
        int const x = i - 2;
        bool const is_inside = x >= 0 && x < 8;
        CHECK(got[static_cast<std::size_t>(i)][0] == (is_inside ? 108u + static_cast<unsigned>(x) : 0u));
        CHECK(got[static_cast<std::size_t>(i)][1] == 108u + static_cast<unsigned>(std::clamp(x, 0, 7)));
    }
    for (char const* mode : {"zero", "clamp"}) {
        Program stores(
            surface_kernel("setp.eq.u32 %p0, %i, 0; mov.u32 %r0, 400; mov.u32 %r3, -1; mov.u32 %r4, 5;\n"
                           "@%p0 sust.b.2d.b32." +
                           std::string(mode) + " [%d0, {%r0, %r3}], %r4;"));
        texture::Image const image = numbered(stores);
        stores.run<std::uint32_t>(1);
        for_texels(image, [&](auto x, auto y, auto, auto) {
            bool const is_corner = x == 7 && y == 0 && std::string(mode) == "clamp";
            CHECK(texel<std::uint32_t>(image, x, y) == (is_corner ? 5 : 100 + 8 * y + x));
        });
    }
}

TEST_CASE("Outside of a surface can be a fault", "[exec][surface]") {
    Program program(surface_kernel("mul.lo.u32 %r0, %i, 4; suld.b.2d.b32.trap %r4, [%d0, {%r0, %r1}];"));
    numbered(program);
    std::string const report = program.error();
    INFO(report);
    CHECK(contains(report, "4-byte load from surface at byte 32, row 1, slice 0, outside of its (32,3,1)"));
    CHECK(contains(report, "thread (8,0,0)"));
}

TEST_CASE("An element that is not aligned is a fault", "[exec][surface]") {
    Program program(surface_kernel("mov.u32 %r0, 2; suld.b.2d.b32.trap %r4, [%d0, {%r0, %r1}];"));
    numbered(program);
    CHECK(contains(program.error(), "misaligned address"));
}

TEST_CASE("Formatted stores convert to the surface's format", "[exec][surface]") {
    struct Formatted {
        Format format;
        std::array<float, 4> values;
        std::uint64_t bytes;
    };
    auto const integer = [](std::int32_t i) { return std::bit_cast<float>(i); };
    Formatted const all[] = {
        {{Channel::unorm8, 4}, {1, 0.5f, -1, 2}, 0xff0080ff},
        {{Channel::u8, 4}, {integer(1), integer(256), integer(3), integer(-1)}, 0xff03ff01},
        {{Channel::s16, 2}, {integer(-40000), integer(7), 0, 0}, 0x00078000},
        {{Channel::f16, 1}, {1.5f, 0, 0, 0}, 0x3e00},
        {{Channel::f32, 2}, {1.5f, -2, 0, 0}, 0xc00000003fc00000},
        {{Channel::snorm8, 1}, {-1, 0, 0, 0}, 0x81},
        {{Channel::u32, 1}, {integer(-5), 0, 0, 0}, 0xfffffffb},
    };
    for (Formatted const& f : all) {
        INFO(texture::name(f.format));
        Program program(surface_kernel("setp.lt.u32 %p0, %i, 2; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%in+16];\n"
                                       "@%p0 sust.p.2d.v4.b32.zero [%d0, {%i, %r1}], {%f0, %f1, %f2, %f3};"));
        texture::Image const image =
            device_array(program.device, f.format, Geometry::d2, array_layout(f.format, Geometry::d2, {3, 2, 1}));
        struct Input {
            std::uint64_t handle[2];
            std::array<float, 4> values;
        };
        program.in = program.device.upload(
            std::vector<Input>{{{program.device.textures().add(texture::Surface{image}), 0}, f.values}});
        program.run<std::uint32_t>(1);
        for (std::uint32_t x = 0; x < 3; ++x) {
            std::uint64_t got = 0;
            // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
            std::memcpy(&got, reinterpret_cast<std::byte const*>(image.texel(x, 1, 0, 0)), f.format.bytes());
            CHECK(got == (x < 2 ? f.bytes : 0));
        }
    }
}

TEST_CASE("A texel of 16 bytes is stored as a whole", "[exec][surface]") {
    Program program(surface_kernel("setp.eq.u32 %p0, %i, 0; mov.u32 %r4, 4; mov.u32 %r5, 5;\n"
                                   "@%p0 sust.p.1d.v4.b32.trap [%d0, {%r1}], {%r1, %r2, %r4, %r5};"));
    Format const format{Channel::s32, 4};
    texture::Image const image =
        device_array(program.device, format, Geometry::d1, array_layout(format, Geometry::d1, {3, 1, 1}));
    bind(program, image);
    program.run<std::uint32_t>(1);
    CHECK(texel<std::array<std::int32_t, 4>>(image, 1) == std::array<std::int32_t, 4>{1, 2, 4, 5});
}

TEST_CASE("Reductions change a surface's integers", "[exec][surface]") {
    auto const run = [](std::string const& instruction, Format format) {
        Program program(surface_kernel("mov.u32 %r0, 4; mov.s32 %r4, -3; mov.s64 %d4, -3;\n" + instruction));
        texture::Image const image = numbered(program, format);
        program.run<std::uint32_t>(1);
        return image.format.bytes() == 8 ? texel<std::int64_t>(image, 0, 1) : texel<std::int32_t>(image, 1, 1);
    };
    Format const signed_words{Channel::s32, 1};
    CHECK(run("sured.b.add.2d.u32.trap [%d0, {%r0, %r1}], %r4;", words) == 109 - 32 * 3);
    CHECK(run("sured.b.min.2d.s32.trap [%d0, {%r0, %r1}], %r4;", words) == -3);
    CHECK(run("sured.b.min.2d.u32.trap [%d0, {%r0, %r1}], %r4;", words) == 109);
    CHECK(run("sured.b.and.2d.b32.trap [%d0, {%r0, %r1}], %r4;", words) == (109 & -3));
    CHECK(run("sured.p.add.2d.b32.zero [%d0, {%r1, %r1}], %r4;", words) == 109 - 32 * 3);
    CHECK(run("sured.p.min.2d.b32.zero [%d0, {%r1, %r1}], %r4;", words) == 109);
    CHECK(run("sured.p.min.2d.b32.zero [%d0, {%r1, %r1}], %r4;", signed_words) == -3);
    CHECK(run("sured.p.max.2d.b32.zero [%d0, {%r1, %r1}], %r4;", signed_words) == 109);
    CHECK(run("mov.u32 %r0, -4; sured.b.add.2d.u32.zero [%d0, {%r0, %r1}], %r4;", words) == 109);
}

TEST_CASE("A reduction on texels of another size is a fault", "[exec][surface]") {
    Program program(surface_kernel("mov.u32 %r0, 0; sured.p.add.2d.b32.trap [%d0, {%r0, %r1}], %r0;"));
    numbered(program, {Channel::f32, 1});
    CHECK(contains(program.error(), "a reduction of 32-bit integers on a surface of f32"));
}

TEST_CASE("The faces of a cube are layers of its surface", "[exec][surface]") {
    Program program(
        surface_kernel("mov.u32 %r0, 4; mov.u32 %r3, 5; suld.b.a2d.b32.trap %r4, [%d0, {%r3, %r0, %r1, %r1}];\n"
                       "st.global.u32 [%o4], %r4;"));
    texture::Image const image = device_array(program.device, words, Geometry::cubemap,
                                              array_layout(words, Geometry::cubemap, {4, 4, 1}, 6));
    set_texel(image, 77u, 1, 1, 5);
    bind(program, image);
    CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 77));
}

TEST_CASE("Queries tell what a surface is", "[exec][surface]") {
    Program program(surface_kernel("suq.width.b32 %r4, [%d0]; suq.height.b32 %r5, [%d0];\n"
                                   "suq.channel_data_type.b32 %r6, [%d0]; suq.memory_layout.b32 %r7, [%d0];\n"
                                   "st.global.v4.b32 [%out], {%r4, %r5, %r6, %r7};"));
    numbered(program);
    CHECK(program.run<std::uint32_t>(4) == std::vector<std::uint32_t>{8, 3, 0x10dc, 0});
}

TEST_CASE("A variable names the surface that is bound to it", "[exec][surface]") {
    Program program(kernel("mov.u32 %r0, 12; suld.b.2d.b32.trap %r4, [s, {%r0, %r0}]; st.global.u32 [%o4], %r4;",
                           ".global .surfref s;"));
    texture::Image const image =
        device_array(program.device, words, Geometry::d2, array_layout(words, Geometry::d2, {8, 16, 1}));
    set_texel(image, 9u, 3, 12);
    std::uint64_t const handle = program.device.textures().add(texture::Surface{image});
    program.module->write_symbol("s", 0, &handle, 8);
    CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 9));
    program.device.textures().remove(handle);
    CHECK(contains(program.error(), "was destroyed (of 's')"));
}

}  // namespace surface_test
