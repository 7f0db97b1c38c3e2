// tex, tld4, txq, istypep: every form gives what the sampling function gives for the lane's operands; what operands may
// name a texture; and what is said when there is none.
#include "sim/texture/number.hpp"
#include "sim/texture/sample.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/textures.hpp"

#include <bit>
#include <random>

namespace texture_test {

using namespace warpsim;
using namespace warpsim::test;
using texture::Channel;
using texture::Fetch;
using texture::FetchKind;
using texture::Geometry;
using texture::LevelChoice;
using texture::Texel;

namespace {

constexpr std::size_t operand_words = 16;  // per lane: 4 coordinates, level, reference, 4 of dPdx, 4 of dPdy

struct FormOfGeometry {
    Geometry geometry;
    char const* name;
    int coordinates;  // in the list
    int gradients;
    bool takes_integers, takes_floats, compares, shifts;
};
// clang-format off
constexpr FormOfGeometry geometries[] = {
    {Geometry::d1, "1d", 1, 1, true, true, true, true},
    {Geometry::d2, "2d", 2, 2, true, true, true, true},
    {Geometry::d3, "3d", 4, 4, true, true, false, true},
    {Geometry::layered_d1, "a1d", 2, 1, true, true, true, true},
    {Geometry::layered_d2, "a2d", 4, 2, true, true, true, true},
    {Geometry::cubemap, "cube", 4, 4, false, true, true, false},
    {Geometry::layered_cubemap, "acube", 4, 4, false, true, true, false},
    {Geometry::multisample, "2dms", 4, 0, true, false, false, true},
    {Geometry::layered_multisample, "a2dms", 4, 0, true, false, false, true},
};
// clang-format on

std::string list(char const* letter, int first, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i)
        text += (i != 0 ? ", %" : "%") + std::string(letter) + std::to_string(first + i);
    return text + "}";
}

/// The instruction and what loads its operands: coordinates in %r0-3, level %f4, reference %f5, steps %f6-9 and %f10-13;
/// results in %r4-7 (or %h0-3).
std::string fetch_text(std::string const& mnemonic, FormOfGeometry const& g, LevelChoice levels, bool shifts,
                       bool compares, std::string const& handle) {
    bool const is_half = contains(mnemonic, ".f16."), is_pair = contains(mnemonic, ".f16x2");
    std::string const d = is_half ? list("h", 0, 4) : list("r", 4, is_pair ? 2 : 4);
    std::string text = mnemonic + " " + d + ", [" + handle + ", " + list("r", 0, g.coordinates) + "]";
    if (levels == LevelChoice::given)
        text += contains(mnemonic, ".s32 ") || mnemonic.ends_with(".s32") ? ", %r8" : ", %f4";
    if (levels == LevelChoice::gradients)
        text += ", " + list("f", 6, g.gradients) + ", " + list("f", 10, g.gradients);
    if (shifts)
        text += texture::dimensions(g.geometry) == 1                         ? ", {-3}"
                : g.coordinates == 4 && texture::dimensions(g.geometry) == 3 ? ", {-3, 2, 1, 0}"
                                                                             : ", {-3, 2}";
    if (compares) text += ", %f5";
    return text + ";\n";
}

std::string fetch_kernel(std::string const& fetch, bool is_half) {
    std::string text = "mad.wide.u32 %d0, %i, 64, %in;\nld.global.u64 %d1, [%in+-8];\n";
    for (int i = 0; i < 4; ++i)
        text += "ld.global.b32 %r" + std::to_string(i) + ", [%d0+" + std::to_string(4 * i) + "];\n";
    for (int i = 4; i < 14; ++i)
        text += "ld.global.f32 %f" + std::to_string(i) + ", [%d0+" + std::to_string(4 * i) + "];\n";
    text += "cvt.rzi.s32.f32 %r8, %f4;\nmov.b32 %r6, 0; mov.b32 %r7, 0;\n" + fetch;
    if (is_half) text += "mov.b32 %r4, {%h0, %h1}; mov.b32 %r5, {%h2, %h3}; mov.b32 %r6, 0; mov.b32 %r7, 0;\n";
    text += "mad.wide.u32 %d2, %i, 16, %out;\nst.global.v4.b32 [%d2], {%r4, %r5, %r6, %r7};";
    return kernel(text);
}

/// What the lane's words mean for the sampling function.
Fetch fetch_of(std::uint32_t const* words, FetchKind const& kind, bool shifts) {
    Fetch f;
    std::uint32_t const* c = words;
    if (texture::is_layered(kind.geometry)) f.layer = *c++;
    if (texture::is_multisample(kind.geometry)) f.sample = *c++;
    int const count = texture::is_cube(kind.geometry) ? 3 : texture::dimensions(kind.geometry);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        f.at[i] = std::bit_cast<float>(c[i]);
        f.texel[i] = static_cast<std::int32_t>(c[i]);
        f.dx[i] = std::bit_cast<float>(words[6 + i]);
        f.dy[i] = std::bit_cast<float>(words[10 + i]);
    }
    f.level = std::bit_cast<float>(words[4]);
    if (kind.counts_texels) f.level = static_cast<float>(static_cast<int>(f.level));
    f.reference = std::bit_cast<float>(words[5]);
    if (shifts)
        f.offset = {-3, texture::dimensions(kind.geometry) > 1 ? 2 : 0,
                    texture::dimensions(kind.geometry) > 2 ? 1 : 0};
    return f;
}

std::vector<std::uint32_t> random_operands(FetchKind const& kind, std::mt19937& random) {
    std::vector<std::uint32_t> words(32 * operand_words);
    std::uniform_real_distribution<float> near(-0.4f, 1.4f), step(-0.4f, 0.4f), level(-1, 5);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        std::uint32_t* const w = &words[lane * operand_words];
        std::size_t const first =
            (texture::is_layered(kind.geometry) ? 1u : 0u) + (texture::is_multisample(kind.geometry) ? 1u : 0u);
        for (std::size_t i = 0; i < 4; ++i) {
            if (i < first) w[i] = static_cast<std::uint32_t>(random() % 5);
            else if (kind.counts_texels) w[i] = static_cast<std::uint32_t>(random() % 12) - 2;
            else
                w[i] = std::bit_cast<std::uint32_t>(texture::is_cube(kind.geometry) ? step(random) : near(random));
        }
        w[4] = std::bit_cast<std::uint32_t>(level(random));
        w[5] = std::bit_cast<std::uint32_t>(near(random));
        for (std::size_t i = 6; i < 14; ++i) w[i] = std::bit_cast<std::uint32_t>(step(random));
    }
    return words;
}

texture::Image random_array(runtime::Device& device, Geometry geometry, texture::Format format,
                            std::mt19937& random) {
    int const d = texture::dimensions(geometry);
    bool const is_cube = texture::is_cube(geometry);
    texture::Extent const extent{8, is_cube ? 8u : d > 1 ? 6u : 1u, d > 2 ? 5u : 1u};
    std::uint32_t const slices = geometry == Geometry::cubemap           ? 6
                                 : geometry == Geometry::layered_cubemap ? 12
                                 : texture::is_layered(geometry)         ? 3
                                                                         : 1;
    bool const has_samples = texture::is_multisample(geometry);
    auto const layout = array_layout(format, geometry, extent, slices, has_samples ? 1 : 3, has_samples ? 4 : 1);
    texture::Image const image = device_array(device, format, geometry, layout);
    std::uniform_real_distribution<float> values(-1, 1);
    for_texels(image, [&](auto x, auto y, auto z, auto l) {
        if (format.channel == Channel::f32) {
            std::array<float, 4> const v{values(random), values(random), values(random), values(random)};
            set_texel(image, v, x, y, z, l);
        } else {
            set_texel(image, static_cast<std::uint32_t>(random()), x, y, z, l);
        }
    });
    return image;
}

texture::Texture random_texture(runtime::Device& device, Geometry geometry, texture::Format format,
                                std::mt19937& random) {
    texture::Texture t{random_array(device, geometry, format, random), {}};
    for (texture::Address& mode : t.sampler.address) mode = static_cast<texture::Address>(random() % 4);
    t.sampler.filter = texture::Filter::linear;
    t.sampler.level_filter = texture::Filter::linear;
    t.sampler.is_normalized = true;
    t.sampler.border = {0.5f, -0.25f, 3, 4};
    return t;
}

/// What a lane's results are: four words, of halves two that are used.
std::array<std::uint32_t, 4> packed(Texel const& texel, std::string const& type, bool is_integer) {
    if (type != "f16" && type != "f16x2") return texel;
    auto const half = [&](std::uint32_t bits) {
        return is_integer ? bits & 0xffff : texture::f16_of_f32(std::bit_cast<float>(bits));
    };
    return {half(texel[0]) | half(texel[1]) << 16, half(texel[2]) | half(texel[3]) << 16, 0, 0};
}

void check_form(std::string const& mnemonic, FormOfGeometry const& g, FetchKind const& kind, bool shifts,
                std::string const& type, texture::Format format, std::mt19937& random) {
    INFO(mnemonic << (shifts ? " with an offset" : "") << (kind.compares ? " compared" : ""));
    Program program(
        fetch_kernel(fetch_text(mnemonic, g, kind.levels, shifts, kind.compares, "%d1"), type == "f16"));
    texture::Texture const t = random_texture(program.device, g.geometry, format, random);
    std::uint64_t const handle = program.device.textures().add(t);
    std::vector<std::uint32_t> const operands = random_operands(kind, random);
    std::vector<std::uint32_t> input{0, 0, static_cast<std::uint32_t>(handle),
                                     static_cast<std::uint32_t>(handle >> 32)};
    input.insert(input.end(), operands.begin(), operands.end());
    program.in = program.device.upload(input) + 16;
    auto const results = program.run<std::array<std::uint32_t, 4>>(32);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        Fetch const fetch = fetch_of(&operands[lane * operand_words], kind, shifts);
        Texel const texel = texture::sample(t.image, t.sampler, kind, fetch, nullptr);
        bool const is_integer = format.is_integer() && !kind.compares;
        CHECK(results[lane] == packed(texel, type, is_integer));
    }
}

}  // namespace

TEST_CASE("Every form of tex samples with its operands", "[exec][texture]") {
    std::mt19937 random(11);
    texture::Format const floats{Channel::f32, 4}, bytes{Channel::u8, 4}, colours{Channel::unorm8, 4};
    for (FormOfGeometry const& g : geometries) {
        for (LevelChoice const levels : {LevelChoice::base, LevelChoice::given, LevelChoice::gradients}) {
            if (g.gradients == 0 && levels != LevelChoice::base) continue;
            std::string const level = levels == LevelChoice::base    ? ""
                                      : levels == LevelChoice::given ? ".level"
                                                                     : ".grad";
            for (bool const is_integer : {false, true}) {
                if (is_integer ? !g.takes_integers : !g.takes_floats) continue;
                std::string const ctype = is_integer ? ".s32" : ".f32";
                FetchKind kind{.geometry = g.geometry, .levels = levels, .counts_texels = is_integer};
                std::string const start = "tex" + level + "." + g.name;
                check_form(start + ".v4.f32" + ctype, g, kind, false, "f32", floats, random);
                check_form(start + ".v4.u32" + ctype, g, kind, false, "u32", bytes, random);
                check_form(start + ".v4.f16" + ctype, g, kind, false, "f16", colours, random);
                check_form(start + ".v2.f16x2" + ctype, g, kind, false, "f16x2", floats, random);
                if (g.shifts) check_form(start + ".v4.s32" + ctype, g, kind, true, "s32", colours, random);
                kind.compares = true;
                if (g.compares && !is_integer)
                    check_form(start + ".v4.f32" + ctype, g, kind, false, "f32", floats, random);
                if (g.compares && g.shifts && !is_integer)
                    check_form(start + ".v4.f32" + ctype, g, kind, true, "f32", floats, random);
            }
        }
    }
}

TEST_CASE("Every form of tld4 gathers with its operands", "[exec][texture]") {
    std::mt19937 random(12);
    for (FormOfGeometry const& g : geometries) {
        if (g.geometry != Geometry::d2 && g.geometry != Geometry::layered_d2 && !texture::is_cube(g.geometry))
            continue;
        for (std::uint8_t component = 0; component < 4; ++component) {
            FetchKind kind{.geometry = g.geometry, .gathers = true, .component = component};
            std::string const start = std::string("tld4.") + "rgba"[component] + "." + g.name + ".v4.";
            check_form(start + "f32.f32", g, kind, false, "f32", {Channel::f32, 4}, random);
            check_form(start + "u32.f32", g, kind, false, "u32", {Channel::u8, 4}, random);
            if (g.shifts) check_form(start + "s32.f32", g, kind, true, "s32", {Channel::unorm8, 4}, random);
            kind.compares = true;
            check_form(start + "f32.f32", g, kind, false, "f32", {Channel::f32, 4}, random);
        }
    }
}

}  // namespace texture_test
