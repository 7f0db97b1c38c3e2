// PTX ISA "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions": read and checked, not executed.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Since wgmma_since = only_on("90a", 8, 0, 90);
template <Type... A, Type... B>
constexpr Row todo(std::string_view syntax, Types<A...> a, Types<B...> b, std::string_view operands) {
    return effect_row(syntax, a, b, wgmma_since, Unit::tensor, Effect::not_executed, operands);
}
constexpr Row todo(std::string_view syntax, std::string_view operands) {
    return effect_row(syntax, Types<>{}, wgmma_since, Unit::tensor, Effect::not_executed, operands);
}

// Matrix a comes as a descriptor or in registers; the sparse forms have twice the k and metadata with a selector.
#define WARPSIM_WGMMA_OF(make, shape, sparse_shape, selector, rest, d, scales, scale_words, descriptor_rest, \
                         register_rest, descriptor_words, register_words)                                    \
    make("wgmma.mma_async.sync{.aligned}" shape rest " d, a-desc, b-desc, scale-d" scales descriptor_rest,   \
         d " u64 u64 pred" scale_words descriptor_words),                                                    \
        make("wgmma.mma_async.sync{.aligned}" shape rest " d, a, b-desc, scale-d" scales register_rest,      \
             d " 4*b32 u64 pred" scale_words register_words),                                                \
        make("wgmma.mma_async.sp.sync{.aligned}" sparse_shape rest                                           \
             " d, a-desc, b-desc, sp-meta, sp-sel, scale-d" scales descriptor_rest,                          \
             d " u64 u64 &b32 " selector " pred" scale_words descriptor_words),                              \
        make("wgmma.mma_async.sp.sync{.aligned}" sparse_shape rest                                           \
             " d, a, b-desc, sp-meta, sp-sel, scale-d" scales register_rest,                                 \
             d " 4*b32 u64 &b32 " selector " pred" scale_words register_words)
#define WARPSIM_WGMMA_HALF(types, d)                                                                              \
    WARPSIM_WGMMA_OF(todo, ".shape_wgmma_k16", ".shape_wgmma_k32", "#0..1", types, d,                             \
                     ", imm-scale-a, imm-scale-b", " #-1/1 #-1/1", ", imm-trans-a, imm-trans-b", ", imm-trans-b", \
                     " #0..1 #0..1", " #0..1")
#define WARPSIM_WGMMA_OTHER(make, shape, sparse_shape, selector, types, d)                                        \
    WARPSIM_WGMMA_OF(make, shape, sparse_shape, selector, types, d, ", imm-scale-a, imm-scale-b", " #-1/1 #-1/1", \
                     "", "", "", "")

#define WARPSIM_WGMMA_BYTES(make)                                                        \
    WARPSIM_WGMMA_OF(make, ".shape_wgmma_integer_k32", ".shape_wgmma_integer_k64", "#0", \
                     "{.satfinite}.s32.atype.btype", "=n/2*s32", "", "", "", "", "", "")

constexpr Row byte_floats(std::string_view syntax, std::string_view operands) {
    return todo(syntax, Types<e4m3, e5m2>{}, Types<e4m3, e5m2>{}, operands);
}
constexpr Row bytes(std::string_view syntax, std::string_view operands) {
    return todo(syntax, Types<s8>{}, Types<s8>{}, operands);
}
constexpr Row unsigned_bytes(std::string_view syntax, std::string_view operands) {
    return todo(syntax, Types<u8>{}, Types<u8>{}, operands);
}
template <Type A, Type B> constexpr Row mixed_bytes(std::string_view syntax, std::string_view operands) {
    return effect_row(syntax, Types<A>{}, Types<B>{}, only_on("90a", 8, 4, 90), Unit::tensor, Effect::not_executed,
                      operands);
}

constexpr Row rows[] = {
    WARPSIM_WGMMA_HALF(".f16.f16.f16", "=n/4*b32"),
    WARPSIM_WGMMA_HALF(".f32.f16.f16", "=n/2*f32"),
    WARPSIM_WGMMA_HALF(".f32.bf16.bf16", "=n/2*f32"),
    WARPSIM_WGMMA_OTHER(todo, ".shape_wgmma_k8", ".shape_wgmma_k16", "#0..1", ".f32.tf32.tf32", "=n/2*f32"),
    WARPSIM_WGMMA_OTHER(byte_floats, ".shape_wgmma_k32", ".shape_wgmma_k64", "#0", ".f16.atype.btype", "=n/4*b32"),
    WARPSIM_WGMMA_OTHER(byte_floats, ".shape_wgmma_k32", ".shape_wgmma_k64", "#0", ".f32.atype.btype", "=n/2*f32"),
    WARPSIM_WGMMA_BYTES(bytes),
    WARPSIM_WGMMA_BYTES(unsigned_bytes),
    WARPSIM_WGMMA_BYTES((mixed_bytes<s8, u8>)),
    WARPSIM_WGMMA_BYTES((mixed_bytes<u8, s8>)),
    todo("wgmma.mma_async.sync{.aligned}.shape_wgmma_integer_k256.s32.b1.b1.and.popc d, a-desc, b-desc, scale-d",
         "=n/2*s32 u64 u64 pred"),
    todo("wgmma.mma_async.sync{.aligned}.shape_wgmma_integer_k256.s32.b1.b1.and.popc d, a, b-desc, scale-d",
         "=n/2*s32 4*b32 u64 pred"),
    todo("wgmma.fence.sync{.aligned}", ""),
    todo("wgmma.commit_group.sync{.aligned}", ""),
    todo("wgmma.wait_group.sync{.aligned} N", "#u32"),
};

}  // namespace

extern constinit std::span<Row const> const warpgroup_matrix{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
