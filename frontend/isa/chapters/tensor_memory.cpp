// PTX ISA "TensorCore 5th Generation Family Instructions".
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
// tcgen05.alloc, tcgen05.dealloc, tcgen05.relinquish_alloc_permit
constexpr EffectFacts tensor_memory_allocate{"tensor_memory_allocate", C::other, W::nothing, writes | convergent | synchronises | told_by_operands};
// tcgen05.ld, tcgen05.st
constexpr EffectFacts tensor_memory_load{"tensor_memory_load", C::load, W::first_and_reduced, reads | convergent | lists};
constexpr EffectFacts tensor_memory_store{"tensor_memory_store", C::store, W::nothing, writes | convergent | lists};
// tcgen05.wait, tcgen05.fence
constexpr EffectFacts tensor_memory_order{"tensor_memory_order", C::barrier, W::nothing, synchronises};
// tcgen05.cp, tcgen05.shift
constexpr EffectFacts tensor_memory_copy{"tensor_memory_copy", C::store, W::nothing, reads | writes | told_by_operands};
// tcgen05.mma
constexpr EffectFacts tensor_memory_multiply{"tensor_memory_multiply", computed, W::nothing, reads | writes | lists | told_by_operands};
// tcgen05.commit
constexpr EffectFacts tensor_memory_commit{"tensor_memory_commit", C::barrier, W::nothing, reads | writes | synchronises | told_by_operands};
// clang-format on
}  // namespace effects

constexpr Since tensor_memory_since = only_on("100f 110f", 8, 6, 100);
constexpr Since reduction_since = only_on("101a 103a 103f 110f", 8, 8, 103);
constexpr Row row(EffectFacts const* facts, std::string_view syntax, OperandList const& operands,
                  Since since = tensor_memory_since) {
    return effect_row(syntax, Types<>{}, since, Unit::tensor, facts, operands);
}

// ---- loads and stores ----------------------------------------------------------------------------------------

/// The extent of one access: lanes of tensor memory, bits in each, and the 32-bit registers of a thread that hold
/// them.
struct Shape {
    std::string_view name;
    int registers = 1;
};
constexpr Shape shapes[] = {{".16x64b", 1}, {".16x128b", 2}, {".16x256b", 4}, {".32x32b", 1}};
constexpr int most_registers = 128;  // of a thread; .num repeats the shape up to it

constexpr auto accesses = family([](auto& add) {
    for (Shape const& shape : shapes) {
        for (int num = 1; num * shape.registers <= most_registers; num *= 2) {
            OperandSpec const r = list(num * shape.registers, b32);
            add(words("tcgen05.ld.sync{.aligned}", shape.name, ".x", num, "{.pack::16b}.b32 r, [taddr]"),
                row(&effects::tensor_memory_load, {}, operands(out(r), tensor_address)));
            add(words("tcgen05.st.sync{.aligned}", shape.name, ".x", num, "{.unpack::16b}.b32 [taddr], r"),
                row(&effects::tensor_memory_store, {}, operands(tensor_address, r)));
        }
    }
    // Two halves; the second one begins the given number of columns after the first.
    for (int num = 1; num <= most_registers; num *= 2) {
        OperandSpec const r = list(num, b32);
        add(words("tcgen05.ld.sync{.aligned}.16x32bx2.x", num, "{.pack::16b}.b32 r, [taddr], immHalfSplitoff"),
            row(&effects::tensor_memory_load, {}, operands(out(r), tensor_address, constant(b32))));
        add(words("tcgen05.st.sync{.aligned}.16x32bx2.x", num, "{.unpack::16b}.b32 [taddr], immHalfSplitoff, r"),
            row(&effects::tensor_memory_store, {}, operands(tensor_address, constant(b32), r)));
    }
    for (int num = 2; num <= most_registers; num *= 2) {
        OperandList const reduced = operands(out(list(num, b32)), out(b32), tensor_address);
        for (std::string_view const type : {".u32", ".s32", "{.abs}{.NaN}.f32"}) {
            add(words("tcgen05.ld.red.sync{.aligned}.32x32b.x", num, ".op_minmax", type, " r, d, [taddr]"),
                row(&effects::tensor_memory_load, {}, reduced, reduction_since));
        }
    }
});

// ---- products ------------------------------------------------------------------------------------------------

/// The words and operands of a sparse product: the mnemonic, and where the metadata is.
struct Sparsity {
    std::string_view mnemonic;
    std::string_view meta;
    OperandList operands;
};
constexpr OperandList metadata = operands(untyped_tensor_address);
constexpr Sparsity of_mma[] = {{"tcgen05.mma", "", {}}, {"tcgen05.mma.sp", ", [sp-meta-tmem]", metadata}};
constexpr Sparsity of_weight_stationary[] = {{"tcgen05.mma.ws", "", {}},
                                             {"tcgen05.mma.ws.sp", ", [sp-meta-tmem]", metadata}};

/// `[d-tmem], a, b-desc`: matrix a is given by a descriptor or is in tensor memory.
constexpr OperandList factors_described = operands(untyped_tensor_address, u64, u64);
constexpr OperandList factors_in_memory = operands(untyped_tensor_address, untyped_tensor_address, u64);
constexpr auto add_in_memory = [](auto& add, Sparsity const& s, std::string_view modifiers, std::string_view rest,
                                  OperandList const& more) {
    add(words(s.mnemonic, modifiers, " [d-tmem], [a-tmem], b-desc", s.meta, rest),
        row(&effects::tensor_memory_multiply, {}, operands(factors_in_memory, s.operands, more)));
};
constexpr auto add_both = [](auto& add, Sparsity const& s, std::string_view modifiers, std::string_view rest,
                             OperandList const& more) {
    add(words(s.mnemonic, modifiers, " [d-tmem], a-desc, b-desc", s.meta, rest),
        row(&effects::tensor_memory_multiply, {}, operands(factors_described, s.operands, more)));
    add_in_memory(add, s, modifiers, rest, more);
};

constexpr OperandSpec scale_of_d = optional(constant(between(0, 15)));
constexpr OperandList enabled = operands(b32, pred, scale_of_d);
/// The mask of lanes has 4 words for each CTA.
constexpr OperandList masked(int ctas) { return operands(b32, list(4 * ctas, b32), pred, scale_of_d); }
constexpr OperandList block_scaled = operands(b32, untyped_tensor_address, untyped_tensor_address, pred);

constexpr auto products = family([](auto& add) {
    std::string_view const rest = ", idesc, enable-input-d{, scale-input-d}";
    std::string_view const masked_rest = ", idesc, disable-output-lane, enable-input-d{, scale-input-d}";
    std::string_view const scaled_rest = ", idesc, [scale-A-tmem], [scale-B-tmem], enable-input-d";
    for (Sparsity const& s : of_mma) {
        add_both(add, s, ".cta_group::1.kind{.collector_usage_a}", rest, enabled);
        add_both(add, s, ".cta_group::2.kind{.collector_usage_a}", rest, enabled);
        add_in_memory(add, s, ".cta_group.kind.ashift{.collector_usage_a}", rest, enabled);
        add_both(add, s, ".cta_group::1.kind{.collector_usage_a}", masked_rest, masked(1));
        add_both(add, s, ".cta_group::2.kind{.collector_usage_a}", masked_rest, masked(2));
        for (std::string_view const modifiers :
             {".cta_group.kind::mxf8f6f4.block_scale{.scale_vectorsize_1X}{.collector_usage_a}",
              ".cta_group.kind::mxf4.block_scale{.scale_vectorsize_2X}{.collector_usage_a}",
              ".cta_group.kind::mxf4nvf4.block_scale.scale_vectorsize{.collector_usage_a}"})
            add_both(add, s, modifiers, scaled_rest, block_scaled);
    }
    for (Sparsity const& s : of_weight_stationary) {
        add_both(add, s, ".cta_group::1.kind{.collector_usage_b}",
                 ", idesc, enable-input-d{, zero-column-mask-desc}", operands(b32, pred, optional(u64)));
    }
});

constexpr auto rows = join(
    row(&effects::tensor_memory_allocate, "tcgen05.alloc.cta_group.sync.aligned{.shared_cta}.b32 [dst], nCols",
        operands(generic_address, limited(u32, powers_of_two(32, 512)))),
    row(&effects::tensor_memory_allocate, "tcgen05.dealloc.cta_group.sync.aligned.b32 taddr, nCols",
        operands(b32, limited(u32, multiples_of(32, 32, 512)))),
    row(&effects::tensor_memory_allocate, "tcgen05.relinquish_alloc_permit.cta_group.sync.aligned", operands()),
    accesses, row(&effects::tensor_memory_order, "tcgen05.wait::ld.sync.aligned", operands()),
    row(&effects::tensor_memory_order, "tcgen05.wait::st.sync.aligned", operands()),
    row(&effects::tensor_memory_order, "tcgen05.fence::before_thread_sync", operands()),
    row(&effects::tensor_memory_order, "tcgen05.fence::after_thread_sync", operands()),
    row(&effects::tensor_memory_copy, "tcgen05.cp.cta_group.128x256b{.b8x16.src_fmt} [taddr], s-desc",
        operands(tensor_address, u64)),
    row(&effects::tensor_memory_copy, "tcgen05.cp.cta_group.4x256b{.b8x16.src_fmt} [taddr], s-desc",
        operands(tensor_address, u64)),
    row(&effects::tensor_memory_copy, "tcgen05.cp.cta_group.128x128b{.b8x16.src_fmt} [taddr], s-desc",
        operands(tensor_address, u64)),
    row(&effects::tensor_memory_copy,
        "tcgen05.cp.cta_group.64x128b.multicast_warpx2{.b8x16.src_fmt} [taddr], s-desc",
        operands(tensor_address, u64)),
    row(&effects::tensor_memory_copy, "tcgen05.cp.cta_group.32x128b.warpx4{.b8x16.src_fmt} [taddr], s-desc",
        operands(tensor_address, u64)),
    row(&effects::tensor_memory_copy, "tcgen05.shift.cta_group.down [taddr]", operands(tensor_address),
        only_on("100a 103a 110a", 8, 6, 100)),
    row(&effects::tensor_memory_commit,
        "tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64 [mbar]"
        "{, ctaMask}",
        operands(generic_address, optional(u16))),
    products);

}  // namespace

extern constinit std::span<Row const> const tensor_memory{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
