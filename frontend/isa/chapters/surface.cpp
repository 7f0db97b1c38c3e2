// PTX ISA "Surface Instructions": read and checked, not executed.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

template <Type... T>
constexpr Row todo(std::string_view syntax, Types<T...> types, Since since, std::string_view operands) {
    return effect_row(syntax, types, since, Unit::texture, Effect::not_executed, operands);
}

// Coordinates `b` come as 1, 2 or 4 values.
#define WARPSIM_SURFACE(geometry, b)                                                                            \
    todo("suld.b" geometry "{.cop_suld}{.vec2_4}.type.clampmode d, [a, b]", Types<b8, b16, b32>{}, since(1, 5), \
         "=>type surface+>" b),                                                                                 \
        todo("suld.b" geometry "{.cop_suld}{.v2}.type.clampmode d, [a, b]", Types<b64>{}, since(1, 5),          \
             "=>type surface+>" b),                                                                             \
        todo("sust.b" geometry "{.cop_sust}{.vec2_4}.type.clampmode [a, b], c", Types<b8, b16, b32>{},          \
             since(1, 5), "surface+>" b " >type"),                                                              \
        todo("sust.b" geometry "{.cop_sust}{.v2}.type.clampmode [a, b], c", Types<b64>{}, since(1, 5),          \
             "surface+>" b " >type"),                                                                           \
        todo("sust.p" geometry "{.cop_sust}{.vec2_4}.type.clampmode [a, b], c", Types<b32>{}, since(2, 0, 20),  \
             "surface+>" b " >type")
#define WARPSIM_SURED(geometry, b)                                                                         \
    todo("sured.b.add" geometry ".type.clampmode [a, b], c", Types<u32, s32, u64>{}, since(3, 0, 20),      \
         "surface+>" b " type"),                                                                           \
        todo("sured.b.op_minmax" geometry ".type.clampmode [a, b], c", Types<u32, s32>{}, since(3, 0, 20), \
             "surface+>" b " type"),                                                                       \
        todo("sured.b.op_minmax" geometry ".type.clampmode [a, b], c", Types<u64, s64>{}, since(8, 1, 30), \
             "surface+>" b " type"),                                                                       \
        todo("sured.b.op_and_or" geometry ".type.clampmode [a, b], c", Types<b32>{}, since(3, 0, 20),      \
             "surface+>" b " type"),                                                                       \
        todo("sured.p.op_add_and_or" geometry ".type.clampmode [a, b], c", Types<b32>{}, since(3, 0, 20),  \
             "surface+>" b " type"),                                                                       \
        todo("sured.p.op_minmax" geometry ".type.clampmode [a, b], c", Types<b32>{}, since(3, 0, 20),      \
             "surface+>" b " type"),                                                                       \
        todo("sured.p.op_minmax" geometry ".type.clampmode [a, b], c", Types<b64>{}, since(8, 1, 30),      \
             "surface+>" b " type")

constexpr Row rows[] = {
    WARPSIM_SURFACE(".1d", "1*s32"),
    WARPSIM_SURFACE(".2d", "2*s32"),
    WARPSIM_SURFACE(".3d", "4*s32"),
    WARPSIM_SURED(".1d", "1*s32"),
    WARPSIM_SURED(".2d", "2*s32"),
    WARPSIM_SURED(".3d", "4*s32"),
    WARPSIM_SURFACE(".a1d", "2*s32"),
    WARPSIM_SURFACE(".a2d", "4*s32"),
    todo("suq.query.b32 d, [a]", Types<>{}, since(1, 5), "=b32 surface"),
};

}  // namespace

extern constinit std::span<Row const> const surface{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
