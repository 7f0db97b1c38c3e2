// PTX ISA "Texture Instructions": read and checked, not executed.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Row todo(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<f32, s32, u32, f16>{}, since, Unit::texture, Effect::not_executed, operands);
}
constexpr Row todo_pairs(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since, Unit::texture, Effect::not_executed, operands);
}

// Coordinates `c` come as 1, 2 or 4 values of .ctype, the first one of an array is its index. `e` is an offset,
// `f` the value that depths are compared with, `b` the sampler of a texture that is not unified with one.
#define WARPSIM_TEX(make, vec, d, geometry, c, operands, words, since) \
    make("tex" geometry vec " d[|p], [a{, b}, c]" operands, since, d " texture+?u64+>" c words)
#define WARPSIM_TEX_BOTH(mode, geometry, ctype, c, operands, words, since)                        \
    WARPSIM_TEX(todo, ".v4.dtype" ctype, "=bits|pred", mode geometry, c, operands, words, since), \
        WARPSIM_TEX(todo_pairs, ".v2.f16x2" ctype, "=2*b32|pred", mode geometry, c, operands, words, since)
#define WARPSIM_TEX_LEVELS(geometry, ctype, c, lod, g, offset, offset_word, since)                  \
    WARPSIM_TEX_BOTH("{.base}", geometry, ctype, c, offset, offset_word, since),                    \
        WARPSIM_TEX_BOTH(".level", geometry, ctype, c, ", lod" offset, " " lod offset_word, since), \
        WARPSIM_TEX_BOTH(".grad", geometry, ctype, c, ", dPdx, dPdy" offset, " " g " " g offset_word, since)
// Filtered ones.
#define WARPSIM_TEX_DEPTH(geometry, c, g, since)                                        \
    WARPSIM_TEX_BOTH("{.base}", geometry, ".f32", c, ", f", " f32", since),             \
        WARPSIM_TEX_BOTH(".level", geometry, ".f32", c, ", lod, f", " f32 f32", since), \
        WARPSIM_TEX_BOTH(".grad", geometry, ".f32", c, ", dPdx, dPdy, f", " " g " " g " f32", since)
#define WARPSIM_TEX_PLANE(geometry, cf, cs, e, g, since)                                    \
    WARPSIM_TEX_LEVELS(geometry, ".f32", cf, "f32", g, "{, e}{, f}", " @" e " f32", since), \
        WARPSIM_TEX_LEVELS(geometry, ".s32", cs, "b32", g, "{, e}", " @" e, since),         \
        WARPSIM_TEX_DEPTH(geometry, cf, g, since)
#define WARPSIM_TEX_CUBE(geometry, c, since) \
    WARPSIM_TEX_LEVELS(geometry, ".f32", c, "f32", "4*f32", "{, f}", " f32", since)
#define WARPSIM_TEX_SAMPLES(geometry, since) \
    WARPSIM_TEX_BOTH("{.base}", geometry, ".s32", "4*b32", "{, e}", " @2*s32", since)
#define WARPSIM_TLD4(geometry, c, e)                                                         \
    todo("tld4.comp" geometry ".v4.dtype.f32 d[|p], [a{, b}, c]{, e}{, f}", since(3, 1, 20), \
         "=bits|pred texture+?u64+>" c " @" e " f32"),                                       \
        todo("tld4.comp" geometry ".v4.dtype.f32 d[|p], [a{, b}, c], f", since(3, 1, 20),    \
             "=bits|pred texture+?u64+>" c " f32")
#define WARPSIM_TLD4_DEPTH(geometry, c)                                                 \
    todo("tld4.comp" geometry ".v4.dtype.f32 d[|p], [a{, b}, c]{, f}", since(3, 1, 20), \
         "=bits|pred texture+?u64+>" c " f32")

constexpr Row rows[] = {
    WARPSIM_TEX_PLANE(".1d", "1*b32", "1*s32", "1*s32", "1*f32", since(1, 0)),
    WARPSIM_TEX_PLANE(".2d", "2*b32", "2*s32", "2*s32", "2*f32", since(1, 0)),
    WARPSIM_TEX_LEVELS(".3d", ".f32", "4*b32", "f32", "4*f32", "{, e}", " @4*s32", since(1, 0)),
    WARPSIM_TEX_LEVELS(".3d", ".s32", "4*s32", "b32", "4*f32", "{, e}", " @4*s32", since(1, 0)),
    WARPSIM_TEX_PLANE(".a1d", "^2*b32", "^2*s32", "1*s32", "1*f32", since(2, 3, 20)),
    WARPSIM_TEX_PLANE(".a2d", "^4*b32", "^4*s32", "2*s32", "2*f32", since(2, 3, 20)),
    WARPSIM_TEX_CUBE(".cube", "4*b32", since(2, 3, 20)),
    WARPSIM_TEX_CUBE(".acube", "^4*b32", since(2, 3, 20)),
    WARPSIM_TEX_SAMPLES(".2dms", since(3, 2, 20)),
    WARPSIM_TEX_SAMPLES(".a2dms", since(3, 2, 20)),
    WARPSIM_TLD4(".2d", "2*b32", "2*s32"),
    WARPSIM_TLD4(".a2d", "^4*b32", "2*s32"),
    WARPSIM_TLD4_DEPTH(".cube", "4*b32"),
    WARPSIM_TLD4_DEPTH(".acube", "^4*b32"),
    todo_pairs("txq.tquery.b32 d, [a]", since(1, 5), "=b32 texture"),
    todo_pairs("txq.level.tlquery.b32 d, [a], lod", since(4, 3, 20), "=b32 texture b32"),
};

}  // namespace

extern constinit std::span<Row const> const texture{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
