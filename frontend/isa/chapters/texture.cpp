// PTX ISA "Texture Instructions".
#include "frontend/isa/lanes.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

namespace effects {
using namespace isa::effects;
using namespace effect_words;
// clang-format off
constexpr EffectFacts texture_fetch{"texture_fetch", C::load, W::first, reads | lists | told_by_operands};    // tex
constexpr EffectFacts texture_gather{"texture_gather", C::load, W::first, reads | lists | told_by_operands};  // tld4
constexpr EffectFacts texture_query{"texture_query", C::other, W::first, reads | told_by_operands};           // txq
// clang-format on
}  // namespace effects

constexpr Row four_values(EffectFacts const* facts, Since since, OperandList const& operands) {
    return effect_row({}, Types<f32, s32, u32, f16>{}, since, Unit::texture, facts, operands);
}
constexpr Row other_values(EffectFacts const* facts, Since since, OperandList const& operands) {
    return effect_row({}, Types<>{}, since, Unit::texture, facts, operands);
}

/// The dimensions of a texture. Its coordinates are 1, 2 or 4 values of .ctype; that of an array begins with the
/// index.
struct Geometry {
    std::string_view name;
    OperandSpec floats;    // coordinates of type .f32
    OperandSpec integers;  // of type .s32
    int offset = 0;        // values in an offset; 0: it takes none
    int gradient = 0;      // values in a derivative
    Since since;
};
constexpr Since since_arrays = since(2, 3, 20);
constexpr Since since_samples = since(3, 2, 20);
constexpr Geometry line_1d{".1d", coordinates(1, b32), coordinates(1, s32), 1, 1, since(1, 0)};
constexpr Geometry plane_2d{".2d", coordinates(2, b32), coordinates(2, s32), 2, 2, since(1, 0)};
constexpr Geometry volume_3d{".3d", coordinates(4, b32), coordinates(4, s32), 4, 4, since(1, 0)};
constexpr Geometry lines_a1d{".a1d", indexed_coordinates(2, b32), indexed_coordinates(2, s32), 1, 1, since_arrays};
constexpr Geometry planes_a2d{".a2d",      indexed_coordinates(4, b32), indexed_coordinates(4, s32), 2, 2,
                              since_arrays};
constexpr Geometry cube{".cube", coordinates(4, b32), {}, 0, 4, since_arrays};
constexpr Geometry cubes_acube{".acube", indexed_coordinates(4, b32), {}, 0, 4, since_arrays};

/// What follows the coordinates: as the line prints it, and the operands. `e` is an offset, `f` the value that
/// depths are compared with.
struct Rest {
    std::string_view text;
    OperandList operands;
};
constexpr OperandSpec depth = f32;
constexpr Rest compared{", f", operands(depth)};
constexpr Rest may_compare{"{, f}", operands(optional(depth))};
constexpr Rest may_shift(int offset_values) { return {"{, e}", operands(optional(offset(offset_values)))}; }
constexpr Rest may_shift_and_compare(int offset_values) {
    return {"{, e}{, f}", operands(optional(offset(offset_values)), optional(depth))};
}

/// `[a{, b}, c]` is what `d[|p]` is fetched from: b is the sampler, which a unified texture does not need.
constexpr OperandList fetched(OperandSpec const& destination, OperandSpec const& c) {
    return operands(with_predicate(out(destination)), brackets(texture_handle, optional(u64), c));
}

/// Both kinds of results: four values, or pairs of halves.
constexpr auto add_tex = [](auto& add, std::string_view mode, std::string_view geometry, std::string_view ctype,
                            OperandSpec const& c, Rest const& level, Rest const& rest, Since since) {
    OperandList const more = operands(level.operands, rest.operands);
    add(words("tex", mode, geometry, ".v4.dtype", ctype, " d[|p], [a{, b}, c]", level.text, rest.text),
        four_values(&effects::texture_fetch, since, operands(fetched(texel, c), more)));
    add(words("tex", mode, geometry, ".v2.f16x2", ctype, " d[|p], [a{, b}, c]", level.text, rest.text),
        other_values(&effects::texture_fetch, since, operands(fetched(list(2, b32), c), more)));
};

/// The three ways to select the level of detail.
constexpr auto add_levels = [](auto& add, Geometry const& g, bool is_float, Rest const& rest) {
    std::string_view const ctype = is_float ? ".f32" : ".s32";
    OperandSpec const c = is_float ? g.floats : g.integers;
    OperandSpec const gradient = list(g.gradient, f32);
    add_tex(add, "{.base}", g.name, ctype, c, {}, rest, g.since);
    add_tex(add, ".level", g.name, ctype, c, {", lod", operands(is_float ? f32 : b32)}, rest, g.since);
    add_tex(add, ".grad", g.name, ctype, c, {", dPdx, dPdy", operands(gradient, gradient)}, rest, g.since);
};
constexpr auto add_plane = [](auto& add, Geometry const& g) {
    add_levels(add, g, true, may_shift_and_compare(g.offset));
    add_levels(add, g, false, may_shift(g.offset));
    add_levels(add, g, true, compared);  // with a filter
};
constexpr auto add_samples = [](auto& add, std::string_view geometry) {
    add_tex(add, "{.base}", geometry, ".s32", coordinates(4, b32), {}, may_shift(2), since_samples);
};

/// The four texels that a filter would read, one component of each.
constexpr auto add_gather = [](auto& add, Geometry const& g, Rest const& rest) {
    add(words("tld4.comp", g.name, ".v4.dtype.f32 d[|p], [a{, b}, c]", rest.text),
        four_values(&effects::texture_gather, since(3, 1, 20), operands(fetched(texel, g.floats), rest.operands)));
};

constexpr auto accesses = family([](auto& add) {
    add_plane(add, line_1d);
    add_plane(add, plane_2d);
    add_levels(add, volume_3d, true, may_shift(volume_3d.offset));
    add_levels(add, volume_3d, false, may_shift(volume_3d.offset));
    add_plane(add, lines_a1d);
    add_plane(add, planes_a2d);
    add_levels(add, cube, true, may_compare);
    add_levels(add, cubes_acube, true, may_compare);
    add_samples(add, ".2dms");
    add_samples(add, ".a2dms");
    for (Geometry const& g : {plane_2d, planes_a2d}) {
        add_gather(add, g, may_shift_and_compare(2));
        add_gather(add, g, compared);
    }
    add_gather(add, cube, may_compare);
    add_gather(add, cubes_acube, may_compare);
    add(words("txq.tquery.b32 d, [a]"),
        other_values(&effects::texture_query, since(1, 5), operands(out(b32), texture_handle)));
    add(words("txq.level.tlquery.b32 d, [a], lod"),
        other_values(&effects::texture_query, since(4, 3, 20), operands(out(b32), texture_handle, b32)));
});

}  // namespace

extern constinit std::span<Row const> const texture{checked(accesses)};

}  // namespace warpsim::isa::WARPSIM_HOST
