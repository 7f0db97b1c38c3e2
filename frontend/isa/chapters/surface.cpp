// PTX ISA "Surface Instructions".
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
constexpr EffectFacts surface_load{"surface_load", C::load, W::first, reads | lists | told_by_operands};
constexpr EffectFacts surface_store{"surface_store", C::store, W::nothing, writes | lists | told_by_operands};
constexpr EffectFacts surface_reduce{"surface_reduce", C::atomic, W::nothing, reads | writes | lists | told_by_operands};
constexpr EffectFacts surface_query{"surface_query", C::other, W::first, reads | told_by_operands};
// clang-format on
}  // namespace effects

template <Type... T>
constexpr Row row(EffectFacts const* facts, std::string_view syntax, Types<T...> types, Since since,
                  OperandList const& operands) {
    return effect_row(syntax, types, since, Unit::texture, facts, operands);
}

constexpr Since since_loads = since(1, 5);
constexpr Since since_formatted = since(2, 0, 20);
constexpr Since since_reductions = since(3, 0, 20);
constexpr Since since_wide = since(8, 1, 30);

/// `[a, b]`: coordinates are 1, 2 or 4 values.
template <int count> constexpr OperandList element = brackets(surface_handle, coordinates(count, s32));
template <int count> constexpr OperandList loaded = operands(out(data(first_type)), element<count>);
template <int count> constexpr OperandList stored = operands(element<count>, data(first_type));
template <int count> constexpr OperandList reduced = operands(element<count>, first_type);

template <Word geometry, int count>
constexpr std::array accesses{
    row(&effects::surface_load, line<"suld.b", geometry, "{.cop_suld}{.vec2_4}.type.clampmode d, [a, b]">,
        Types<b8, b16, b32>{}, since_loads, loaded<count>),
    row(&effects::surface_load, line<"suld.b", geometry, "{.cop_suld}{.v2}.type.clampmode d, [a, b]">,
        Types<b64>{}, since_loads, loaded<count>),
    row(&effects::surface_store, line<"sust.b", geometry, "{.cop_sust}{.vec2_4}.type.clampmode [a, b], c">,
        Types<b8, b16, b32>{}, since_loads, stored<count>),
    row(&effects::surface_store, line<"sust.b", geometry, "{.cop_sust}{.v2}.type.clampmode [a, b], c">,
        Types<b64>{}, since_loads, stored<count>),
    row(&effects::surface_store, line<"sust.p", geometry, "{.cop_sust}{.vec2_4}.type.clampmode [a, b], c">,
        Types<b32>{}, since_formatted, stored<count>),
};
template <Word geometry, int count>
constexpr std::array reductions{
    row(&effects::surface_reduce, line<"sured.b.add", geometry, ".type.clampmode [a, b], c">,
        Types<u32, s32, u64>{}, since_reductions, reduced<count>),
    row(&effects::surface_reduce, line<"sured.b.op_minmax", geometry, ".type.clampmode [a, b], c">,
        Types<u32, s32>{}, since_reductions, reduced<count>),
    row(&effects::surface_reduce, line<"sured.b.op_minmax", geometry, ".type.clampmode [a, b], c">,
        Types<u64, s64>{}, since_wide, reduced<count>),
    row(&effects::surface_reduce, line<"sured.b.op_and_or", geometry, ".type.clampmode [a, b], c">, Types<b32>{},
        since_reductions, reduced<count>),
    row(&effects::surface_reduce, line<"sured.p.op_add_and_or", geometry, ".type.clampmode [a, b], c">,
        Types<b32>{}, since_reductions, reduced<count>),
    row(&effects::surface_reduce, line<"sured.p.op_minmax", geometry, ".type.clampmode [a, b], c">, Types<b32>{},
        since_reductions, reduced<count>),
    row(&effects::surface_reduce, line<"sured.p.op_minmax", geometry, ".type.clampmode [a, b], c">, Types<b64>{},
        since_wide, reduced<count>),
};

constexpr auto rows = join(accesses<".1d", 1>, accesses<".2d", 2>, accesses<".3d", 4>,        //
                           reductions<".1d", 1>, reductions<".2d", 2>, reductions<".3d", 4>,  //
                           accesses<".a1d", 2>, accesses<".a2d", 4>,
                           row(&effects::surface_query, "suq.query.b32 d, [a]", Types<>{}, since(1, 5),
                               operands(out(b32), surface_handle)));

}  // namespace

extern constinit std::span<Row const> const surface{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
