// PTX ISA "Data Movement and Conversion Instructions: multimem". A multicast object of one device is that
// device's memory: a reduction over one copy is a load.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

template <Type... T> constexpr Row load(std::string_view syntax, Types<T...> types, Since since) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::load, "=carrier address");
}
template <Type... T> constexpr Row store(std::string_view syntax, Types<T...> types, Since since) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::store, "address carrier");
}
template <Type... T> constexpr Row reduction(std::string_view syntax, Types<T...> types, Since since) {
    return effect_row(syntax, types, since, Unit::lsu, Effect::reduction, "address carrier");
}

#define WARPSIM_LOAD(rest) "multimem.ld_reduce{.weak}{.sem_acquire.scope}{.global}" rest " d, [a]"
#define WARPSIM_STORE(rest) "multimem.st{.weak}{.sem_red.scope}{.global}" rest " [a], b"
#define WARPSIM_RED(rest) "multimem.red{.sem_red.scope}{.global}" rest " [a], b"
constexpr Since multimem_since = since(8, 1, 90);
constexpr Since fp8_since = only_on("100f 110f 120a 121a", 8, 6, 100);
using Halves = Types<f16, bf16>;
using Pairs = Types<f16x2, bf16x2>;

constexpr Row rows[] = {
    load(WARPSIM_LOAD(".op_minmax.type"), Types<u32, s32, u64, s64>{}, multimem_since),
    load(WARPSIM_LOAD(".add.type"), Types<u32, s32, u64, f64>{}, multimem_since),
    load(WARPSIM_LOAD(".logic.type"), Types<b32, b64>{}, multimem_since),
    load(WARPSIM_LOAD(".add{.vec2_4}.type"), Types<f32>{}, multimem_since),
    load(WARPSIM_LOAD(".op_minmax.vec.type"), Halves{}, multimem_since),
    load(WARPSIM_LOAD(".add{.acc::f32}.vec.type"), Halves{}, multimem_since),
    load(WARPSIM_LOAD(".op_minmax{.vec2_4}.type"), Pairs{}, multimem_since),
    load(WARPSIM_LOAD(".add{.acc::f32}{.vec2_4}.type"), Pairs{}, multimem_since),
    load(WARPSIM_LOAD(".op_minmax.vec.type"), Types<e5m2x2, e4m3x2>{}, fp8_since),
    load(WARPSIM_LOAD(".add{.acc::f16}.vec.type"), Types<e5m2x2, e4m3x2>{}, fp8_since),
    load(WARPSIM_LOAD(".op_minmax{.vec2_4}.type"), Types<e5m2x4, e4m3x4>{}, fp8_since),
    load(WARPSIM_LOAD(".add{.acc::f16}{.vec2_4}.type"), Types<e5m2x4, e4m3x4>{}, fp8_since),
    load(WARPSIM_LOAD(".op_minmax.vec4_8.type"), Types<e5m2, e4m3>{}, fp8_since),
    load(WARPSIM_LOAD(".add{.acc::f16}.vec4_8.type"), Types<e5m2, e4m3>{}, fp8_since),

    store(WARPSIM_STORE(".type"), Types<b32, b64, u32, u64, s32, s64, f64>{}, multimem_since),
    store(WARPSIM_STORE("{.vec2_4}.type"), Types<f32>{}, multimem_since),
    store(WARPSIM_STORE(".vec.type"), Halves{}, multimem_since),
    store(WARPSIM_STORE("{.vec2_4}.type"), Pairs{}, multimem_since),
    store(WARPSIM_STORE(".vec4_8.type"), Types<e5m2, e4m3>{}, fp8_since),
    store(WARPSIM_STORE(".vec.type"), Types<e5m2x2, e4m3x2>{}, fp8_since),
    store(WARPSIM_STORE("{.vec2_4}.type"), Types<e5m2x4, e4m3x4>{}, fp8_since),

    reduction(WARPSIM_RED(".op_minmax.type"), Types<u32, s32, u64, s64>{}, multimem_since),
    reduction(WARPSIM_RED(".add.type"), Types<u32, s32, u64, f64>{}, multimem_since),
    reduction(WARPSIM_RED(".logic.type"), Types<b32, b64>{}, multimem_since),
    reduction(WARPSIM_RED(".add{.vec2_4}.type"), Types<f32>{}, multimem_since),
    reduction(WARPSIM_RED(".op_redux.vec.type"), Halves{}, multimem_since),
    reduction(WARPSIM_RED(".add{.vec2_4}.type"), Pairs{}, multimem_since),
    reduction(WARPSIM_RED(".op_minmax.vec2_4.type"), Pairs{}, multimem_since),
};

}  // namespace

extern constinit std::span<Row const> const multimem{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
