// {"texture": {...}}, {"surface": {...}} and {"sampler": {...}}: what they say, and what is wrong with them by JSON path.
#include "runtime/plan/arguments.hpp"
#include "runtime/plan/pictures.hpp"
#include "runtime/plan/plan.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <bit>
#include <numeric>

namespace texture_test {

using namespace warpsim;
namespace texture = sim::texture;
using plan::Picture;

namespace {

/// "" where the text is a plan.
std::string message(std::string const& text) {
    try {
        plan::parse_plan("p.json", text);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

std::string text_with(std::string const& argument, std::string const& symbols) {
    return R"({"module": "a.ptx", "buffers": {"x": {"type": "u8", "count": 4096}}, "symbols": )" + symbols +
           R"(, "launches": [{"kernel": "k", "args": [)" + argument + "]}]}";
}

std::string wrong(std::string const& argument, std::string const& symbols = "{}") {
    return message(text_with(argument, symbols));
}

template <class Object> Object read(std::string const& argument) {
    auto const launches = plan::parse_plan("p.json", text_with(argument, "{}"));
    auto const object = std::get<plan::TextureObject>(launches.launches[0].arguments[0]);
    return std::get<Object>(object);
}

}  // namespace

TEST_CASE("A plan's texture is read with its texels and how it is sampled", "[plan]") {
    auto const t = read<plan::TextureArgument>(R"({"texture": {"buffer": "x", "offset": 16, "format": "srgb8x4",
        "size": [16, 8], "levels": 3, "normalized": true, "filter": "linear", "level_filter": "linear",
        "address": ["wrap", "mirror"], "border": [1, 0.5], "level_bias": -0.5, "min_level": 1, "max_level": 2.5,
        "seamless": false, "compare": "greater", "anisotropy": 4}})");
    CHECK(t.picture.layout == Picture::Layout::array);
    CHECK(t.picture.address.buffer == "x");
    CHECK(t.picture.address.offset == 16);
    CHECK(texture::name(t.picture.format) == "srgb8x4");
    CHECK(t.picture.geometry == texture::Geometry::d2);
    CHECK(t.picture.shape.extent == texture::Extent{16, 8, 1});
    CHECK(t.picture.bytes() == 672u);
    texture::Sampler s;
    s.filter = s.level_filter = texture::Filter::linear;
    s.address = {texture::Address::wrap, texture::Address::mirror, texture::Address::clamp};
    s.is_normalized = true;
    s.border = {1, 0.5f, 0, 0};
    s.level_bias = -0.5f;
    s.least_level = 1;
    s.most_level = 2.5f;
    s.is_seamless = false;
    s.compare = texture::Compare::greater;
    s.anisotropy = 4;
    CHECK(t.sampler == s);
    CHECK(read<plan::SamplerArgument>(R"({"sampler": {"address": "border", "filter": "linear"}})")
              .sampler.address[2] == texture::Address::border);
}

TEST_CASE("A plan's pictures have one to three dimensions with layers and faces", "[plan]") {
    auto const picture = [](std::string const& what) {
        return read<plan::SurfaceArgument>(R"({"surface": {"buffer": "x", "format": "f32", )" + what + "}}")
            .picture;
    };
    CHECK(picture(R"("size": [8])").geometry == texture::Geometry::d1);
    CHECK(picture(R"("size": [8])").shape.is_line);
    CHECK(picture(R"("size": [8, 4, 2])").geometry == texture::Geometry::d3);
    CHECK(picture(R"("size": [8, 4, 2])").bytes() == 256);
    CHECK(picture(R"("size": [8], "layers": 5)").geometry == texture::Geometry::layered_d1);
    CHECK(picture(R"("size": [8, 4], "layers": 5)").bytes() == 640);
    CHECK(picture(R"("size": [4, 4], "cube": true)").shape.slices == 6);
    CHECK(picture(R"("size": [4, 4], "cube": true, "layers": 2)").geometry == texture::Geometry::layered_cubemap);
    auto const rows = read<plan::TextureArgument>(
        R"({"texture": {"buffer": "x", "format": "u8", "size": [40, 3], "layout": "rows", "pitch": 64}})");
    CHECK(rows.picture.bytes() == 2 * 64 + 40);
    auto const line = read<plan::TextureArgument>(
        R"({"texture": {"buffer": "x", "format": "s16x2", "size": [100], "layout": "line", "border": [-1]}})");
    CHECK(line.picture.bytes() == 400);
    CHECK(std::bit_cast<std::uint32_t>(line.sampler.border[0]) == 0xffffffffu);
}

TEST_CASE("What is wrong with a plan's texture is named by its JSON path", "[plan]") {
    auto const texture = [](std::string const& what) {
        return wrong(R"({"texture": {"buffer": "x", )" + what + "}}");
    };
    CHECK(texture(R"("size": [4])") == "p.json: launches[0].args[0].texture: the key 'format' is missing");
    CHECK(texture(R"("format": "f32", "size": [4], "filtre": "linear")") ==
          "p.json: launches[0].args[0].texture.filtre: unknown key; did you mean 'filter'?");
    CHECK(texture(R"("format": "f32", "size": [4], "filter": "linaer")") ==
          "p.json: launches[0].args[0].texture.filter: 'linaer' is not known; did you mean 'linear'?");
    CHECK(texture(R"("format": "bc1", "size": [4])").find("block-compressed") != std::string::npos);
    CHECK(texture(R"("format": "f31", "size": [4])").find("unknown format 'f31'") != std::string::npos);
    CHECK(texture(R"("format": "f32", "size": [4], "address": "wrap")").find("normalized") != std::string::npos);
    CHECK(texture(R"("format": "u8x4", "size": [4], "filter": "linear")").find("unorm8x4") != std::string::npos);
    CHECK(texture(R"("format": "f32", "size": [64, 17])") ==
          "p.json: launches[0].args[0].texture: 4352 bytes of texels do not fit into buffer 'x' of 4096 bytes");
    CHECK(texture(R"("format": "f32", "size": [4, 4], "layout": "line")").find("1 number is wanted") !=
          std::string::npos);
    CHECK(texture(R"("format": "u8", "size": [20, 2], "layout": "rows")").find("multiple of 32") !=
          std::string::npos);
    CHECK(texture(R"("format": "u8", "size": [4, 8], "cube": true)").find("as many rows") != std::string::npos);
    CHECK(texture(R"("format": "f32", "size": [4], "levels": 4)").find("1 to 3") != std::string::npos);
    CHECK(wrong(R"({"surface": {"buffer": "x", "format": "f32", "size": [4], "layout": "line"}})").find("array") !=
          std::string::npos);
    CHECK(wrong(R"({"surface": {"buffer": "y", "format": "f32", "size": [4]}})").find("no buffer 'y'") !=
          std::string::npos);
    CHECK(wrong("1", R"({"t": {"texture": {"buffer": "x"}}})") ==
          "p.json: symbols.t.texture: the key 'format' is missing");
    std::string const texture_of_x = R"({"texture": {"buffer": "x", "format": "f32", "size": [4]}})";
    auto const table = [&](std::string const& type, std::string const& more = "") {
        return message(R"({"module": "a.ptx", "buffers": {"x": {"type": "f32", "count": 4},
            "table": {"type": ")" +
                       type + R"(", "init": {"values": [)" + texture_of_x + "]}}}" + more +
                       R"(, "launches": [{"kernel": "k", "args": ["table"]}]})");
    };
    CHECK(table("u64").empty());
    CHECK(table("u32") ==
          "p.json: buffers.table.init.values[0]: an address cannot be a u32; addresses and handles are u64");
    CHECK(table("u64", R"(, "expect": {"table": {"values": [)" + texture_of_x + "]}}") ==
          "p.json: expect.table: no handle can be expected: each has a number of its own");
}

TEST_CASE("A texture and a surface of the same texels are one array that a buffer fills and receives", "[plan]") {
    runtime::Device device(sim::load_config("h100"));
    std::vector<float> values(600);
    std::iota(values.begin(), values.end(), 1.0f);
    auto const buffer = device.upload(values);
    plan::Pictures pictures(
        device, [&](plan::Reference const& to) { return buffer + std::get<plan::Address>(to).offset; });
    auto const object = [](std::string const& kind) {
        auto const launches = plan::parse_plan(
            "p.json", R"({"module": "a.ptx", "buffers": {"x": {"type": "f32", "count": 600}},
            "launches": [{"kernel": "k", "args": [{")" +
                          kind + R"(": {"buffer": "x", "format": "f32x2", "size": [30, 10]}}]}]})");
        return std::get<plan::TextureObject>(launches.launches[0].arguments[0]);
    };
    plan::Pictures::Used read, written;
    auto const t = device.textures().texture(pictures.handle(object("texture"), read));
    pictures.before_launch(read);
    REQUIRE(t);
    auto const texel = [&](std::uint32_t x, std::uint32_t y) {
        return std::bit_cast<float*>(t->image.texel(x, y, 0, 0));
    };
    CHECK(texel(29, 9)[1] == 600);
    CHECK(texel(7, 3)[0] == 2 * (3 * 30 + 7) + 1);
    texel(7, 3)[0] = -1;
    pictures.after_launch(read);
    CHECK(device.download<float>(buffer, 600) == values);  // a texture is only read
    auto const s = device.textures().surface(pictures.handle(object("surface"), written));
    REQUIRE(s);
    CHECK(s->image.address == t->image.address);
    CHECK(read == written);
    pictures.after_launch(written);
    constexpr std::size_t stored = 2 * (3 * 30 + 7);
    values[stored] = -1;
    CHECK(device.download<float>(buffer, 600) == values);
}

}  // namespace texture_test
