// PTX ISA "Data Movement and Conversion Instructions: multimem". A multicast object of one device is that device's
// memory: a reduction over a single copy is a load.
#include "frontend/isa/lanes.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

constexpr Since multimem_since = since(8, 1, 90);
constexpr Since fp8_since = only_on("100f 110f 120a 121a", 8, 6, 100);
using Halves = Types<f16, bf16>;
using Pairs = Types<f16x2, bf16x2>;
using Fp8 = Types<e5m2, e4m3>;
using Fp8Pairs = Types<e5m2x2, e4m3x2>;
using Fp8Fours = Types<e5m2x4, e4m3x4>;

template <Word rest, class TypeList> constexpr Row load(TypeList types, Since since) {
    return effect_row(line<"multimem.ld_reduce{.weak}{.sem_acquire.scope}{.global}", rest, " d, [a]">, types,
                      since, Unit::lsu, &effects::load, operands(out(carrier), address));
}
template <Word rest, class TypeList> constexpr Row store(TypeList types, Since since) {
    return effect_row(line<"multimem.st{.weak}{.sem_red.scope}{.global}", rest, " [a], b">, types, since,
                      Unit::lsu, &effects::store, operands(address, carrier));
}
template <Word rest, class TypeList> constexpr Row reduction(TypeList types, Since since) {
    return effect_row(line<"multimem.red{.sem_red.scope}{.global}", rest, " [a], b">, types, since, Unit::lsu,
                      &effects::reduction, operands(address, carrier));
}

constexpr Since bulk_since = since(9, 1, 90);
constexpr Since strong_bulk = only_on("90a 100f 110f", 9, 3, 90);
constexpr OperandList bulk_operands = operands(global_address, shared_address, u32);

template <Word order, Word type> constexpr Row bulk(Since since) {
    return effect_row(
        line<"multimem.cp.async.bulk", order, ".global.shared::cta.bulk_group", type, " [dstMem], [srcMem], size">,
        Types<>{}, since, Unit::lsu, &effects::copy_bulk, bulk_operands);
}
template <Word order, Word type> constexpr Row masked_bulk(Since since) {
    return effect_row(line<"multimem.cp.async.bulk", order, ".global.shared::cta.bulk_group.cp_mask", type,
                           " [dstMem], [srcMem], size, byteMask">,
                      Types<>{}, since, Unit::lsu, &effects::copy_bulk,
                      operands(global_address, shared_address, u32, u16));
}
template <Word operation, class TypeList> constexpr Row bulk_reduction(TypeList types) {
    return effect_row(line<"multimem.cp.reduce.async.bulk{.relaxed.scope}.global.shared::cta.bulk_group",
                           operation, ".type [dstMem], [srcMem], size">,
                      types, bulk_since, Unit::lsu, &effects::copy_bulk, bulk_operands);
}

constexpr Row rows[] = {
    load<".op_minmax.type">(Types<u32, s32, u64, s64>{}, multimem_since),
    load<".add.type">(Types<u32, s32, u64, f64>{}, multimem_since),
    load<".logic.type">(Types<b32, b64>{}, multimem_since),
    load<".add{.vec2_4}.type">(Types<f32>{}, multimem_since),
    load<".op_minmax.vec.type">(Halves{}, multimem_since),
    load<".add{.acc::f32}.vec.type">(Halves{}, multimem_since),
    load<".op_minmax{.vec2_4}.type">(Pairs{}, multimem_since),
    load<".add{.acc::f32}{.vec2_4}.type">(Pairs{}, multimem_since),
    load<".op_minmax.vec.type">(Fp8Pairs{}, fp8_since),
    load<".add{.acc::f16}.vec.type">(Fp8Pairs{}, fp8_since),
    load<".op_minmax{.vec2_4}.type">(Fp8Fours{}, fp8_since),
    load<".add{.acc::f16}{.vec2_4}.type">(Fp8Fours{}, fp8_since),
    load<".op_minmax.vec4_8.type">(Fp8{}, fp8_since),
    load<".add{.acc::f16}.vec4_8.type">(Fp8{}, fp8_since),

    store<".type">(Types<b32, b64, u32, u64, s32, s64, f64>{}, multimem_since),
    store<"{.vec2_4}.type">(Types<f32>{}, multimem_since),
    store<".vec.type">(Halves{}, multimem_since),
    store<"{.vec2_4}.type">(Pairs{}, multimem_since),
    store<".vec4_8.type">(Fp8{}, fp8_since),
    store<".vec.type">(Fp8Pairs{}, fp8_since),
    store<"{.vec2_4}.type">(Fp8Fours{}, fp8_since),

    reduction<".op_minmax.type">(Types<u32, s32, u64, s64>{}, multimem_since),
    reduction<".add.type">(Types<u32, s32, u64, f64>{}, multimem_since),
    reduction<".logic.type">(Types<b32, b64>{}, multimem_since),
    reduction<".add{.vec2_4}.type">(Types<f32>{}, multimem_since),
    reduction<".op_redux.vec.type">(Halves{}, multimem_since),
    reduction<".add{.vec2_4}.type">(Pairs{}, multimem_since),
    reduction<".op_minmax.vec2_4.type">(Pairs{}, multimem_since),

    bulk<"{.weak}", "">(bulk_since),
    masked_bulk<"{.weak}", "">(since(9, 1, 100)),
    bulk<".relaxed.scope", ".b128">(strong_bulk),
    masked_bulk<".relaxed.scope", ".b128">(only_on("100f 110f", 9, 3, 100)),
    bulk_reduction<".logic">(Types<b32, b64>{}),
    bulk_reduction<".add">(Types<u32, s32, u64, f32, f64>{}),
    bulk_reduction<".add.noftz">(Halves{}),
    bulk_reduction<".op_minmax">(Types<u32, s32, u64, s64, f16, bf16>{}),
    bulk_reduction<".inc_dec">(Types<u32>{}),

    // Of one device, these are stores and reductions, which take effect at once.
    effect_row("multimem.st.async.release.scope_mmio{.global}.type [a], b",
               Types<b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64>{}, since(9, 3, 100),
               Unit::lsu, &effects::store, operands(address, carrier)),
    effect_row("multimem.red.async.release.scope_mmio{.global}.add.type [a], b", Types<u32, s32, u64>{},
               since(9, 3, 100), Unit::lsu, &effects::reduction, operands(address, carrier)),
};

}  // namespace

extern constinit std::span<Row const> const multimem{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
