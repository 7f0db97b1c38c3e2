// PTX ISA "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
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
// wgmma.mma_async
constexpr EffectFacts warpgroup_multiply{"warpgroup_multiply", computed, W::first, reads | convergent | lists | told_by_operands};
// wgmma.fence, wgmma.commit_group, wgmma.wait_group
constexpr EffectFacts warpgroup_order{"warpgroup_order", C::barrier, W::nothing, convergent | synchronises};
// clang-format on
}  // namespace effects

constexpr Since wgmma_since = only_on("90a", 8, 0, 90);
constexpr Since mixed_since = only_on("90a", 8, 4, 90);

constexpr Row product_row(std::span<Variant const> types, Since since, OperandList const& operands) {
    return {{}, since, Unit::tensor, &effects::warpgroup_multiply, types, {}, operands};
}

/// The immediates of a product beside scale-d.
enum class Immediates : std::uint8_t { none, scales, scales_and_transposes };

/// Products of one kind: each thread holds a part of the columns of d.
struct Product {
    std::string_view shape;         // classes of shapes
    std::string_view sparse_shape;  // with twice the k; "": there is no sparse form
    LegalValues selector;           // which threads supply the metadata
    std::string_view types;
    std::span<Variant const> variants;
    OperandSpec d;
    Immediates immediates = Immediates::none;
    Since since = wgmma_since;
};
constexpr std::span<Variant const> printed_types = written_types<Types<>>;
constexpr std::span<Variant const> byte_floats = written_types<Types<e4m3, e5m2>, Types<e4m3, e5m2>>;
template <Type A, Type B> constexpr std::span<Variant const> bytes = written_types<Types<A>, Types<B>>;

constexpr OperandSpec halves = list(columns / 4, b32);  // two in each register
constexpr OperandSpec floats = list(columns / 2, f32);
constexpr OperandSpec integers = list(columns / 2, s32);
constexpr LegalValues first_or_second = between(0, 1);
constexpr LegalValues first = between(0, 0);

constexpr Product of_halves(std::string_view types, OperandSpec const& d) {
    return {".shape_wgmma_k16",
            ".shape_wgmma_k32",
            first_or_second,
            types,
            printed_types,
            d,
            Immediates::scales_and_transposes};
}
constexpr Product of_byte_floats(std::string_view types, OperandSpec const& d) {
    return {".shape_wgmma_k32", ".shape_wgmma_k64", first, types, byte_floats, d, Immediates::scales};
}
constexpr Product of_bytes(std::span<Variant const> types, Since since = wgmma_since) {
    return {".shape_wgmma_integer_k32",
            ".shape_wgmma_integer_k64",
            first,
            "{.satfinite}.s32.atype.btype",
            types,
            integers,
            Immediates::none,
            since};
}
constexpr Product products[] = {
    of_halves(".f16.f16.f16", halves),
    of_halves(".f32.f16.f16", floats),
    of_halves(".f32.bf16.bf16", floats),
    {".shape_wgmma_k8", ".shape_wgmma_k16", first_or_second, ".f32.tf32.tf32", printed_types, floats,
     Immediates::scales},
    of_byte_floats(".f16.atype.btype", halves),
    of_byte_floats(".f32.atype.btype", floats),
    of_bytes(bytes<s8, s8>),
    of_bytes(bytes<u8, u8>),
    of_bytes(bytes<s8, u8>, mixed_since),
    of_bytes(bytes<u8, s8>, mixed_since),
    {".shape_wgmma_integer_k256", "", first, ".s32.b1.b1.and.popc", printed_types, integers},
};

constexpr OperandSpec scale = constant(either_sign);
constexpr OperandSpec transpose = constant(between(0, 1));
constexpr OperandList scales(Product const& p) {
    return p.immediates == Immediates::none ? operands() : operands(scale, scale);
}
constexpr OperandList transposes(Product const& p, bool a_is_described) {
    if (p.immediates != Immediates::scales_and_transposes) return {};
    return a_is_described ? operands(transpose, transpose) : operands(transpose);
}

constexpr auto multiplications = family([](auto& add) {
    for (Product const& p : products) {
        std::string_view const scale_words = p.immediates == Immediates::none ? "" : ", imm-scale-a, imm-scale-b";
        auto const add_form = [&](bool is_sparse, bool a_is_described) {
            bool const transposes_any = p.immediates == Immediates::scales_and_transposes;
            std::string_view const transpose_words = !transposes_any  ? ""
                                                     : a_is_described ? ", imm-trans-a, imm-trans-b"
                                                                      : ", imm-trans-b";
            OperandSpec const a = a_is_described ? OperandSpec(u64) : list(4, b32);
            OperandList const meta = is_sparse ? operands(in_register(b32), constant(p.selector)) : operands();
            add(words("wgmma.mma_async", is_sparse ? ".sp" : "", ".sync{.aligned}",
                      is_sparse ? p.sparse_shape : p.shape, p.types, a_is_described ? " d, a-desc" : " d, a",
                      ", b-desc", is_sparse ? ", sp-meta, sp-sel" : "", ", scale-d", scale_words, transpose_words),
                product_row(p.variants, p.since,
                            operands(out(p.d), a, u64, meta, pred, scales(p), transposes(p, a_is_described))));
        };
        for (bool const is_sparse : {false, true}) {
            if (is_sparse && p.sparse_shape.empty()) continue;
            add_form(is_sparse, true);
            add_form(is_sparse, false);
        }
    }
    auto const order = [](OperandList const& operands) -> Row {
        return {{}, wgmma_since, Unit::barrier, &effects::warpgroup_order, printed_types, {}, operands};
    };
    add(words("wgmma.fence.sync{.aligned}"), order(operands()));
    add(words("wgmma.commit_group.sync{.aligned}"), order(operands()));
    add(words("wgmma.wait_group.sync{.aligned} N"), order(operands(constant(u32))));
});

}  // namespace

extern constinit std::span<Row const> const warpgroup_matrix{checked(multiplications)};

}  // namespace warpsim::isa::WARPSIM_HOST
