// What may name a texture, a sampler or a surface, what queries answer, and what is said of bad handles.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/textures.hpp"

#include <bit>

namespace texture_handle_test {

using namespace warpsim;
using namespace warpsim::test;
using texture::Channel;
using texture::Geometry;

namespace {

constexpr texture::Format f32x1{Channel::f32, 1};

/// A line of eight texels that all hold `value`.
texture::Texture line_of(runtime::Device& device, float value) {
    auto const layout = array_layout(f32x1, Geometry::d1, {8, 1, 1});
    texture::Texture t{device_array(device, f32x1, Geometry::d1, layout), {}};
    for_texels(t.image, [&](auto x, auto, auto, auto) { set_texel(t.image, value, x); });
    return t;
}

std::string fetch_at(std::string const& handle) {
    return "mov.u32 %r0, 1; tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [" + handle +
           ", {%r0}]; st.global.f32 [%o4], %f0;";
}

void bind(Program& program, std::string const& name, std::uint64_t handle, std::uint64_t element = 0) {
    program.module->write_symbol(name, 8 * element, &handle, sizeof handle);
}

/// A kernel with parameters of its own: `k(out, <declaration>)`.
std::string kernel_with(std::string const& parameter, std::string const& body, std::string const& before = {},
                        std::string const& target = "sm_90") {
    return ".version 8.7\n.target " + target + "\n.address_size 64\n" + before +
           "\n.visible .entry k(.param .u64 p_out, " + parameter +
           ") {\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %out, %d<4>; .reg .f32 %f<8>;\n"
           "ld.param.u64 %out, [p_out];\n" +
           body + "\nret;\n}\n";
}

template <class... Args> void launch(Program& program, Args... args) {
    runtime::LaunchShape shape;
    program.device.launch(*program.module, "k", shape, runtime::Arguments::of(args...));
}
template <class... Args> std::string error_of(Program& program, Args... args) {
    try {
        launch(program, args...);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

std::string const store_fetched =
    "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0}]; st.global.f32 [%out], %f0;";

}  // namespace

TEST_CASE("A variable names the texture that is bound to it", "[exec][texture]") {
    Program program(kernel(fetch_at("t"), ".global .texref t;"));
    bind(program, "t", program.device.textures().add(line_of(program.device, 1.5f)));
    CHECK(program.run<float>(32) == std::vector<float>(32, 1.5f));
    bind(program, "t", program.device.textures().add(line_of(program.device, 2.5f)));
    CHECK(program.run<float>(32) == std::vector<float>(32, 2.5f));
}

TEST_CASE("Linear memory is fetched by texel, with zero outside", "[exec][texture]") {
    Program program(kernel("sub.s32 %r0, %i, 4; tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [t, {%r0}];\n"
                           "add.u32 %r0, %r0, %r3; st.global.u32 [%o4], %r0;",
                           ".global .texref t;"));
    std::vector<std::uint32_t> const words = each<std::uint32_t>(20, [](std::uint32_t i) { return i + 1; });
    texture::Texture t;
    t.image = texture::image_of_line(program.device.upload(words), {Channel::u32, 1}, 20);
    bind(program, "t", program.device.textures().add(t));
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return i >= 4 && i < 24 ? i - 3 : 0u; }));
}

TEST_CASE("An element of an array of references names a texture", "[exec][texture]") {
    Program program(kernel("mov.u64 %d0, t; add.u64 %d0, %d0, 16;" + fetch_at("%d0"), ".global .texref t[3];"));
    bind(program, "t", program.device.textures().add(line_of(program.device, 3.5f)), 2);
    CHECK(program.run<float>(32) == std::vector<float>(32, 3.5f));
}

TEST_CASE("A register holds a handle or the address of a reference, each lane its own", "[exec][texture]") {
    // Odd lanes take the variable's address, even ones the handle in memory.
    Program program(kernel("mov.u64 %d0, t; ld.global.u64 %d1, [%in]; and.b32 %r1, %i, 1; setp.eq.u32 %p0, %r1, 0;"
                           "selp.b64 %d0, %d1, %d0, %p0;" +
                               fetch_at("%d0"),
                           ".global .texref t;"));
    bind(program, "t", program.device.textures().add(line_of(program.device, 1)));
    program.in = program.device.upload(
        std::vector<std::uint64_t>{program.device.textures().add(line_of(program.device, 2))});
    CHECK(program.run<float>(32) == each<float>(32, [](std::uint32_t i) { return i % 2 == 0 ? 2.0f : 1.0f; }));
}

TEST_CASE("Parameters name textures: opaque ones, and numbers", "[exec][texture]") {
    std::string const fetch = "mov.u32 %r0, 1; tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [q, {%r0}]; "
                              "st.global.f32 [%out], %f0;";
    std::string const through_number = "ld.param.u64 %d0, [q]; mov.u32 %r0, 1;" + store_fetched;
    std::string const through_address = "mov.u64 %d0, q; mov.u32 %r0, 1;" + store_fetched;
    for (std::string const& text :
         {kernel_with(".param .texref q", fetch), kernel_with(".param .u64 q", through_number),
          kernel_with(".param .texref q", through_address)}) {
        INFO(text);
        Program program(text);
        auto const out = program.device.allocate(4);
        launch(program, out, program.device.textures().add(line_of(program.device, 4.5f)));
        CHECK(program.device.download<float>(out, 1) == std::vector<float>{4.5f});
    }
}

TEST_CASE("Samplers of their own are declared with settings", "[exec][texture]") {
    Program program(
        kernel_with(".param .u64 q",
                    "ld.param.u64 %d0, [q]; mov.f32 %f4, 0f3F800000; mov.f32 %f5, 0fC1200000;\n"  // 1, -10
                    "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, linear, {%f4}]; st.global.f32 [%out], %f0;\n"
                    "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, point, {%f4}]; st.global.f32 [%out+4], %f0;\n"
                    "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, linear, {%f5}]; st.global.f32 [%out+8], %f0;\n"
                    "txq.filter_mode.b32 %r0, [linear]; st.global.b32 [%out+12], %r0;\n"
                    "txq.addr_mode_0.b32 %r0, [linear]; st.global.b32 [%out+16], %r0;\n"
                    "txq.force_unnormalized_coords.b32 %r0, [linear]; st.global.b32 [%out+20], %r0;",
                    ".global .samplerref linear = { filter_mode = linear, addr_mode_0 = clamp_to_border,"
                    " force_unnormalized_coords = 1 };\n"
                    ".global .samplerref point = { filter_mode = nearest, force_unnormalized_coords = 1 };",
                    "sm_90, texmode_independent"));
    texture::Texture t = line_of(program.device, 0);
    set_texel(t.image, 8.0f, 1);
    auto const out = program.device.allocate(24);
    launch(program, out, program.device.textures().add(t));
    CHECK(program.device.download<float>(out, 3) == std::vector<float>{4, 8, 0});
    CHECK(program.device.download<std::uint32_t>(out + 12, 3) == std::vector<std::uint32_t>{1, 4, 1});
}

TEST_CASE("Queries tell what a texture is", "[exec][texture]") {
    // clang-format off
    std::pair<char const*, std::uint32_t> const answers[] = {
        {"width", 20}, {"height", 12}, {"depth", 1}, {"channel_data_type", 0x10da}, {"channel_order", 0x10b5},
        {"normalized_coords", 1}, {"array_size", 3}, {"num_mipmap_levels", 2}, {"num_samples", 1}, {"filter_mode", 1},
        {"addr_mode_0", 0}, {"addr_mode_1", 3}, {"addr_mode_2", 4}};
    // clang-format on
    std::string body = "ld.global.u64 %d0, [%in];";
    int at = 0;
    for (auto const& [name, answer] : answers)
        body += "txq." + std::string(name) + ".b32 %r0, [%d0]; st.global.b32 [%out+" + std::to_string(4 * at++) +
                "], %r0;\n";
    body += "txq.level.width.b32 %r0, [%d0], 1; st.global.b32 [%out+" + std::to_string(4 * at++) + "], %r0;\n";
    body += "mov.u32 %r1, 2; txq.level.height.b32 %r0, [%d0], %r1; st.global.b32 [%out+" + std::to_string(4 * at) +
            "], %r0;\n";
    Program program(kernel(body));
    texture::Format const format{Channel::u8, 4};
    texture::Texture t;
    t.image = device_array(program.device, format, Geometry::layered_d2,
                           array_layout(format, Geometry::layered_d2, {20, 12, 1}, 3, 2));
    t.sampler.is_normalized = true;
    t.sampler.filter = texture::Filter::linear;
    t.sampler.address = {texture::Address::wrap, texture::Address::clamp, texture::Address::border};
    program.in = program.device.upload(std::vector<std::uint64_t>{program.device.textures().add(t)});
    auto const results = program.run<std::uint32_t>(std::size(answers) + 2);
    for (std::size_t i = 0; i < std::size(answers); ++i) {
        INFO(answers[i].first);
        CHECK(results[i] == answers[i].second);
    }
    CHECK(results[std::size(answers)] == 10);
    CHECK(results[std::size(answers) + 1] == 0);  // there is no such level
}

TEST_CASE("istypep tells what an address or a handle is of", "[exec][texture]") {
    Program program(kernel("mov.u64 %d0, t; mov.u64 %d1, s; ld.global.u64 %d2, [%in];\n"
                           "istypep.texref %p0, %d0; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%out], %r0;\n"
                           "istypep.surfref %p0, %d0; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%out+4], %r0;\n"
                           "istypep.surfref %p0, %d1; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%out+8], %r0;\n"
                           "istypep.texref %p0, %d2; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%out+12], %r0;\n"
                           "istypep.samplerref %p0, %d2; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%out+16], %r0;\n"
                           "istypep.texref %p0, %in; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%out+20], %r0;",
                           ".global .texref t;\n.global .surfref s;"));
    program.in = program.device.upload(
        std::vector<std::uint64_t>{program.device.textures().add(line_of(program.device, 2))});
    CHECK(program.run<std::uint32_t>(6) == std::vector<std::uint32_t>{1, 0, 1, 1, 0, 0});
}

TEST_CASE("Everything is resident", "[exec][texture]") {
    Program program(kernel("mov.u32 %r0, 1; mov.u32 %r1, 0; setp.lt.u32 %p1, %i, 7;\n"
                           "setp.ne.u32 %p0, %r0, %r0;\n"
                           "@%p1 tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}|%p0, [t, {%r0}];\n"
                           "selp.u32 %r1, 1, 0, %p0; st.global.u32 [%o4], %r1;",
                           ".global .texref t;"));
    bind(program, "t", program.device.textures().add(line_of(program.device, 1)));
    CHECK(program.run<std::uint32_t>(32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return i < 7 ? 1u : 0u; }));
}

TEST_CASE("A fetch without a texture is a fault that says what there is instead", "[exec][texture]") {
    Program program(kernel_with(".param .u64 q", "ld.param.u64 %d0, [q]; mov.u32 %r0, 0;" + store_fetched));
    runtime::Device& device = program.device;
    auto const out = device.allocate(4);
    auto const says = [&](std::uint64_t handle, std::string const& what) {
        std::string const report = error_of(program, out, handle);
        INFO(report);
        CHECK(contains(report, what));
        CHECK(contains(report, "thread (0,0,0)"));
        CHECK(contains(report, "tex.1d.v4.f32.s32"));
    };
    says(0, "no texture is bound");
    says(out, "is not the handle of a texture");
    texture::Texture const t = line_of(device, 1);
    std::uint64_t const destroyed = device.textures().add(t);
    device.textures().remove(destroyed);
    says(destroyed, "was destroyed");
    says(device.textures().add(texture::Surface{t.image}), "is the handle of a surface, not of a texture");
    Program other(kernel(""));
    says(other.device.textures().add(t), "belongs to another device");
    std::uint64_t const freed = device.textures().add(t);
    device.free(t.image.address);
    says(freed, "was freed");
    texture::Texture plane = t;
    plane.image = device_array(device, f32x1, Geometry::d2, array_layout(f32x1, Geometry::d2, {4, 4, 1}));
    says(device.textures().add(plane), "a 1d fetch from a texture of geometry 2d");
    CHECK(error_of(program, out, device.textures().add(line_of(device, 1))).empty());
}

TEST_CASE("A fetch through a variable that nothing is bound to names the variable", "[exec][texture]") {
    Program program(kernel(fetch_at("picture"), ".global .texref picture;"));
    CHECK(contains(program.error(), "no texture is bound (of 'picture')"));
}

TEST_CASE("An offset of more than three bits is a fault", "[exec][texture]") {
    Program program(kernel("mov.f32 %f4, 0f3F800000; mov.s32 %r1, 8;\n"
                           "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f4}], {%r1};",
                           ".global .texref t;"));
    bind(program, "t", program.device.textures().add(line_of(program.device, 1)));
    CHECK(contains(program.error(), "an offset of 8 texels; it is from -8 to 7"));
}

}  // namespace texture_handle_test
