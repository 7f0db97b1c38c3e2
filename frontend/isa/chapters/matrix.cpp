// PTX ISA "Warp Level Matrix Instructions".
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
// mma, wmma.mma
constexpr EffectFacts matrix_multiply{"matrix_multiply", computed, W::first, convergent | lists};
// movmatrix
constexpr EffectFacts matrix_transpose{"matrix_transpose", C::other, W::first, convergent};
// ldmatrix, stmatrix
constexpr EffectFacts matrix_load{"matrix_load", C::load, W::first, reads | convergent | access | lists};
constexpr EffectFacts matrix_store{"matrix_store", C::store, W::nothing, writes | convergent | access | lists};
// wmma.load, wmma.store
constexpr EffectFacts fragment_load{"fragment_load", C::load, W::first, reads | convergent | access | far_addresses | lists};
constexpr EffectFacts fragment_store{"fragment_store", C::store, W::nothing, writes | convergent | access | far_addresses | lists};
// clang-format on
}  // namespace effects

// ---- matrices of 8-bit and 16-bit elements in shared memory -----------------------------------------------------

constexpr std::span<Variant const> no_types = written_types<Types<>>;
constexpr std::span<Variant const> as_b16 = written_types<Types<b16>>;
constexpr std::span<Variant const> as_b8 = written_types<Types<b8>>;
constexpr Since byte_matrices = only_on("100f 110f 120f", 8, 6, 100);

/// ldmatrix and stmatrix: 1, 2 or 4 matrices, each of which takes one register of a thread.
struct MatrixAccess {
    std::string_view mnemonic, shape;
    int most = 4;
    std::string_view modifiers;
    std::span<Variant const> types;
    int registers = 1;
    Since since;
};
constexpr MatrixAccess loads[] = {
    {"ldmatrix", ".m8n8", 4, "{.trans}{.shared_cta}.b16", as_b16, 1, since(6, 5, 75)},
    {"ldmatrix", ".m8n16", 4, "{.shared_cta}.b8x16.packed_source", no_types, 1, byte_matrices},
    {"ldmatrix", ".m16n16", 2, ".trans{.shared_cta}.b8", as_b8, 2, byte_matrices},
    {"ldmatrix", ".m16n16", 2, ".trans{.shared_cta}.b8x16.packed_source", no_types, 2, byte_matrices},
};
constexpr MatrixAccess stores[] = {
    {"stmatrix", ".m8n8", 4, "{.trans}{.shared_cta}.b16", as_b16, 1, since(7, 8, 90)},
    {"stmatrix", ".m16n8", 4, ".trans{.shared_cta}.b8", as_b8, 1, byte_matrices},
};

constexpr auto accesses = family([](auto& add) {
    for (MatrixAccess const& m : loads) {
        for (int count = 1; count <= m.most; count *= 2) {
            add(words(m.mnemonic, ".sync.aligned", m.shape, ".x", count, m.modifiers, " r, [p]"),
                Row{{},
                    m.since,
                    Unit::lsu,
                    &effects::matrix_load,
                    m.types,
                    {},
                    operands(out(list(count * m.registers, b32)), address)});
        }
    }
    for (MatrixAccess const& m : stores) {
        for (int count = 1; count <= m.most; count *= 2) {
            add(words(m.mnemonic, ".sync.aligned", m.shape, ".x", count, m.modifiers, " [p], r"),
                Row{{},
                    m.since,
                    Unit::lsu,
                    &effects::matrix_store,
                    m.types,
                    {},
                    operands(address, list(count * m.registers, b32))});
        }
    }
    add(words("movmatrix.sync.aligned.m8n8.trans.b16 d, a"),
        Row{{}, since(7, 8, 75), Unit::alu, &effects::matrix_transpose, as_b16, {}, operands(out(b32), b32)});
});

// ---- fragments ---------------------------------------------------------------------------------------------------

/// d = a * b + c, where a has m x k elements and b has k x n.
struct Shape {
    int m = 0, n = 0, k = 0;
};
template <class Out> constexpr void put(Out& out, Shape const& shape) {
    isa::put(out, ".m");
    isa::put(out, shape.m);
    isa::put(out, "n");
    isa::put(out, shape.n);
    isa::put(out, "k");
    isa::put(out, shape.k);
}

/// Types of a and b, which a line either prints or leaves to its variants: as the line spells them, and how many
/// bits an element of each takes in a register.
struct Factors {
    std::string_view text;
    int bits = 0;
    std::span<Variant const> variants = no_types;
    Type element = b32;  // of a register
};
template <Type... T> constexpr std::span<Variant const> each_with_each = written_types<Types<T...>, Types<T...>>;
constexpr Factors halves{".f16.f16", 16};
constexpr Factors bfloats{".bf16.bf16", 16};
constexpr Factors tfloats{".tf32.tf32", 32};
constexpr Factors doubles{".f64.f64", 64, no_types, f64};
constexpr Factors bytes{".atype.btype", 8, each_with_each<s8, u8>};
constexpr Factors nibbles{".atype.btype", 4, each_with_each<s4, u4>};
constexpr Factors bits{".b1.b1", 1};
constexpr Factors byte_floats{".atype.btype", 8, each_with_each<e4m3, e5m2>};
constexpr Factors small_floats{".atype.btype", 8, each_with_each<e4m3, e5m2, e2m3, e3m2, e2m1>};  // each in a byte
constexpr Factors scaled_nibbles{".e2m1.e2m1", 4};

/// The elements of a matrix, divided among all threads of a warp.
constexpr OperandSpec shared_among_lanes(int elements, int element_bits, Type element) {
    int const register_bits = element == f64 ? 64 : 32;
    return list(elements * element_bits / register_bits / 32, element);
}
constexpr OperandSpec matrix_a(Shape const& s, Factors const& f) {
    return shared_among_lanes(s.m * s.k, f.bits, f.element);
}
constexpr OperandSpec matrix_b(Shape const& s, Factors const& f) {
    return shared_among_lanes(s.k * s.n, f.bits, f.element);
}
/// c and d.
constexpr OperandSpec accumulator(Shape const& s, Type type) {
    if (type == f16) return shared_among_lanes(s.m * s.n, 16, b32);
    return shared_among_lanes(s.m * s.n, width(type), type);
}
// ---- mma ---------------------------------------------------------------------------------------------------------

/// Factors that are scaled in blocks: their scales and the threads that supply them.
constexpr std::string_view scale_words =
    ", scale-a-data, {byte-id-a, thread-id-a}, scale-b-data, {byte-id-b, thread-id-b}";
constexpr OperandList scales = operands(b32, list(2, u16), b32, list(2, u16));

struct Product {
    Shape shape;
    std::string_view modifiers;  // between the layouts and the types
    Type sum;                    // of c and d
    Factors factors;
    Since since;
    std::string_view scale_type = "";  // "": they are not scaled
    std::string_view end = "";         // after the types
};
constexpr Since f8f6f4_bytes = only_on("100f 110f 120f", 8, 6, 100);
constexpr Since f8f6f4_bytes_to_half = only_on("100f 110f 120f", 8, 7, 100);
constexpr Since own_target = only_on("120f", 8, 7, 120);
constexpr Since own_target_late = only_on("120f", 9, 1, 120);
constexpr std::string_view mxf8f6f4 = ".kind::mxf8f6f4.block_scale{.scale_vec::1X}";
constexpr std::string_view mxf4 = ".kind::mxf4.block_scale{.scale_vec::2X}";
constexpr std::string_view nvf4_2 = ".kind::mxf4nvf4.block_scale.scale_vec::2X";
constexpr std::string_view nvf4_4 = ".kind::mxf4nvf4.block_scale.scale_vec::4X";
constexpr std::string_view f8f6f4 = ".kind::f8f6f4";

constexpr Product products[] = {
    {{16, 8, 8}, "", f16, halves, since(6, 5, 75)},
    {{16, 8, 8}, "", f32, halves, since(6, 5, 75)},
    {{16, 8, 8}, "", f32, bfloats, since(7, 0, 80)},
    {{16, 8, 16}, "", f16, halves, since(6, 5, 80)},
    {{16, 8, 16}, "", f32, halves, since(6, 5, 80)},
    {{16, 8, 16}, "", f32, bfloats, since(7, 0, 80)},
    {{16, 8, 4}, "", f32, tfloats, since(7, 0, 80)},
    {{16, 8, 8}, "", f32, tfloats, since(7, 0, 80)},
    {{8, 8, 4}, "{.rnd}", f64, doubles, since(7, 0, 80)},
    {{16, 8, 4}, "{.rnd}", f64, doubles, since(7, 8, 90)},
    {{16, 8, 8}, "{.rnd}", f64, doubles, since(7, 8, 90)},
    {{16, 8, 16}, "{.rnd}", f64, doubles, since(7, 8, 90)},
    {{8, 8, 16}, "{.satfinite}", s32, bytes, since(6, 5, 75)},
    {{16, 8, 16}, "{.satfinite}", s32, bytes, since(7, 0, 80)},
    {{16, 8, 32}, "{.satfinite}", s32, bytes, since(7, 0, 80)},
    {{8, 8, 32}, "{.satfinite}", s32, nibbles, since(6, 5, 75)},
    {{16, 8, 32}, "{.satfinite}", s32, nibbles, since(7, 0, 80)},
    {{16, 8, 64}, "{.satfinite}", s32, nibbles, since(7, 0, 80)},
    {{8, 8, 128}, "", s32, bits, since(7, 0, 75), "", ".bitOp.popc"},
    {{16, 8, 128}, "", s32, bits, since(7, 0, 80), "", ".bitOp.popc"},
    {{16, 8, 256}, "", s32, bits, since(7, 0, 80), "", ".bitOp.popc"},
    {{16, 8, 16}, "", f16, byte_floats, since(8, 7, 89)},
    {{16, 8, 16}, "", f32, byte_floats, since(8, 7, 89)},
    {{16, 8, 32}, "", f16, byte_floats, since(8, 7, 89)},
    {{16, 8, 32}, "", f32, byte_floats, since(8, 4, 89)},
    {{16, 8, 32}, f8f6f4, f16, byte_floats, f8f6f4_bytes_to_half},
    {{16, 8, 32}, f8f6f4, f32, byte_floats, f8f6f4_bytes},
    {{16, 8, 32}, f8f6f4, f16, small_floats, own_target},
    {{16, 8, 32}, f8f6f4, f32, small_floats, own_target},
    {{16, 8, 32}, mxf8f6f4, f32, small_floats, own_target, ".ue8m0"},
    {{16, 8, 64}, mxf4, f32, scaled_nibbles, own_target, ".ue8m0"},
    {{16, 8, 64}, nvf4_2, f32, scaled_nibbles, own_target, ".ue8m0"},
    {{16, 8, 64}, nvf4_4, f32, scaled_nibbles, own_target, ".ue4m3"},
    {{16, 8, 64}, nvf4_4, f32, scaled_nibbles, own_target_late, ".ue8m0"},
};

/// Half of a is zero: the other half, and metadata that says which half, with the number of the threads that
/// supply it.
struct SparseProduct {
    Product product;
    LegalValues selector;
    std::string_view variant = ".spvariant";
};
constexpr std::string_view ordered = ".sp::ordered_metadata";
constexpr SparseProduct sparse_products[] = {
    {{{16, 8, 64}, mxf8f6f4, f32, small_floats, own_target, ".ue8m0"}, between(0, 0), ordered},
    {{{16, 8, 128}, mxf4, f32, scaled_nibbles, own_target, ".ue8m0"}, between(0, 0), ordered},
    {{{16, 8, 128}, nvf4_2, f32, scaled_nibbles, own_target, ".ue8m0"}, between(0, 0), ordered},
    {{{16, 8, 128}, nvf4_4, f32, scaled_nibbles, own_target, ".ue4m3"}, between(0, 0), ordered},
    {{{16, 8, 128}, nvf4_4, f32, scaled_nibbles, own_target_late, ".ue8m0"}, between(0, 0), ordered},
    {{{16, 8, 16}, "", f16, halves, since(7, 1, 80)}, between(0, 3)},
    {{{16, 8, 32}, "", f16, halves, since(7, 1, 80)}, between(0, 1)},
    {{{16, 8, 16}, "", f32, halves, since(7, 1, 80)}, between(0, 3)},
    {{{16, 8, 32}, "", f32, halves, since(7, 1, 80)}, between(0, 1)},
    {{{16, 8, 16}, "", f32, bfloats, since(7, 1, 80)}, between(0, 3)},
    {{{16, 8, 32}, "", f32, bfloats, since(7, 1, 80)}, between(0, 1)},
    {{{16, 8, 8}, "", f32, tfloats, since(7, 1, 80)}, between(0, 3)},
    {{{16, 8, 16}, "", f32, tfloats, since(7, 1, 80)}, between(0, 1)},
    {{{16, 8, 32}, "{.satfinite}", s32, bytes, since(7, 1, 80)}, between(0, 1)},
    {{{16, 8, 64}, "{.satfinite}", s32, bytes, since(7, 1, 80)}, between(0, 0)},
    {{{16, 8, 64}, "{.satfinite}", s32, nibbles, since(7, 1, 80)}, between(0, 1)},
    {{{16, 8, 128}, "{.satfinite}", s32, nibbles, since(7, 1, 80)}, between(0, 0)},
    {{{16, 8, 64}, "", f16, byte_floats, own_target}, between(0, 0), ordered},
    {{{16, 8, 64}, "", f32, byte_floats, since(8, 4, 89)}, between(0, 0)},
    {{{16, 8, 64}, f8f6f4, f16, small_floats, own_target}, between(0, 0), ordered},
    {{{16, 8, 64}, f8f6f4, f32, small_floats, own_target}, between(0, 0), ordered},
};

constexpr Row product_row(std::span<Variant const> types, Since since, OperandList const& operands) {
    return {{}, since, Unit::tensor, &effects::matrix_multiply, types, {}, operands};
}

constexpr auto multiplications = family([](auto& add) {
    // For Volta, by groups of 8 lanes, each with fragments of its own.
    OperandSpec const factor = list(2, b32);
    auto const of_groups = [&](Type d, Type c) {
        auto const fragment = [](Type type) { return type == f16 ? list(4, b32) : list(8, f32); };
        add(words("mma.sync.aligned.m8n8k4.alayout.blayout", d, ".f16.f16", c, " d, a, b, c"),
            product_row(no_types, since(6, 4, 70), operands(out(fragment(d)), factor, factor, fragment(c))));
    };
    of_groups(f16, f16);
    of_groups(f32, f16);
    of_groups(f32, f32);
    for (Product const& p : products) {
        OperandSpec const sum = accumulator(p.shape, p.sum);
        bool const is_scaled = !p.scale_type.empty();
        OperandList const all = operands(out(sum), matrix_a(p.shape, p.factors), matrix_b(p.shape, p.factors), sum,
                                         is_scaled ? scales : operands());
        add(words("mma.sync.aligned", p.shape, ".row.col", p.modifiers, p.sum, p.factors.text, p.sum, p.scale_type,
                  p.end, " d, a, b, c", is_scaled ? scale_words : ""),
            product_row(p.factors.variants, p.since, all));
    }
    for (auto const& [p, selector, variant] : sparse_products) {
        OperandSpec const sum = accumulator(p.shape, p.sum);
        Shape const half_of_a{p.shape.m, p.shape.n, p.shape.k / 2};
        bool const is_scaled = !p.scale_type.empty();
        add(words("mma", variant, ".sync.aligned", p.shape, ".row.col", p.modifiers, p.sum, p.factors.text, p.sum,
                  p.scale_type, " d, a, b, c, e, f", is_scaled ? scale_words : ""),
            product_row(p.factors.variants, p.since,
                        operands(out(sum), matrix_a(half_of_a, p.factors), matrix_b(p.shape, p.factors), sum,
                                 in_register(b32), constant(selector), is_scaled ? scales : operands())));
    }
});

// ---- wmma --------------------------------------------------------------------------------------------------------

constexpr Row unexecuted(Since since, OperandList const& operands) {
    return {{}, since, Unit::tensor, &effects::not_executed, no_types, {}, operands};
}

/// Elements of one type, as registers hold them for wmma. Those of f16 are held twice.
struct Elements {
    Type type = f16;
    int bits = 16;
    Since since;
    Type element = b32;
};
constexpr OperandSpec wmma_a(Shape const& s, Elements const& e) {
    return e.type == f16 ? list(8, b32) : shared_among_lanes(s.m * s.k, e.bits, e.element);
}
constexpr OperandSpec wmma_b(Shape const& s, Elements const& e) {
    return e.type == f16 ? list(8, b32) : shared_among_lanes(s.k * s.n, e.bits, e.element);
}
constexpr Row fragment_row(EffectFacts const* facts, Since since, OperandList const& operands) {
    return {{}, since, Unit::lsu, facts, no_types, {}, operands};
}

constexpr auto add_loads = [](auto& add, std::string_view matrix, std::string_view layout, Shape const& shape,
                              Type type, OperandSpec const& r, Since since) {
    add(words("wmma.load.", matrix, ".sync.aligned", layout, shape, "{.ss_wmma}", type, " r, [p]{, stride}"),
        fragment_row(&effects::fragment_load, since, operands(out(r), address, optional(u32))));
};
/// Loads of c and stores of d.
constexpr auto add_sums = [](auto& add, Shape const& shape, Type type, Since since) {
    OperandSpec const r = accumulator(shape, type);
    add_loads(add, "c", ".layout", shape, type, r, since);
    add(words("wmma.store.d.sync.aligned.layout", shape, "{.ss_wmma}", type, " [p], r{, stride}"),
        fragment_row(&effects::fragment_store, since, operands(address, r, optional(u32))));
};
constexpr auto add_product = [](auto& add, std::string_view layouts, Shape const& shape, std::string_view types,
                                OperandSpec const& d, OperandSpec const& a, OperandSpec const& b,
                                OperandSpec const& c, Since since) {
    add(words("wmma.mma.sync.aligned", layouts, shape, types, " d, a, b, c"),
        product_row(no_types, since, operands(out(d), a, b, c)));
};

/// The shapes of 16-bit and 8-bit elements have the same forms.
constexpr auto add_common_shape = [](auto& add, Shape const& s, Since of_halves) {
    Elements const f16_elements{f16, 16, of_halves};
    Elements const bf16_elements{bf16, 16, since(7, 0, 80)};
    Elements const s8_elements{s8, 8, since(6, 3, 72)};
    Elements const u8_elements{u8, 8, since(6, 3, 72)};
    for (Elements const& e : {f16_elements, bf16_elements, s8_elements, u8_elements})
        add_loads(add, "a", ".layout", s, e.type, wmma_a(s, e), e.since);
    for (Elements const& e : {f16_elements, bf16_elements, s8_elements, u8_elements})
        add_loads(add, "b", ".layout", s, e.type, wmma_b(s, e), e.since);
    add_sums(add, s, f16, of_halves);
    add_sums(add, s, f32, of_halves);
    add_sums(add, s, s32, since(6, 3, 72));
    auto const product = [&](std::string_view types, Type d, Elements const& e, Type c) {
        add_product(add, ".alayout.blayout", s, types, accumulator(s, d), wmma_a(s, e), wmma_b(s, e),
                    accumulator(s, c), e.since);
    };
    product(".f16.f16{.satfinite}", f16, f16_elements, f16);
    product(".f16.f32{.satfinite}", f16, f16_elements, f32);
    product(".f32.f16{.satfinite}", f32, f16_elements, f16);
    product(".f32.f32{.satfinite}", f32, f16_elements, f32);
    product(".f32.bf16.bf16.f32", f32, bf16_elements, f32);
    product(".s32.s8.s8.s32{.satfinite}", s32, s8_elements, s32);
    product(".s32.u8.u8.s32{.satfinite}", s32, u8_elements, s32);
};

constexpr auto wmma_forms = family([](auto& add) {
    add_common_shape(add, {16, 16, 16}, since(6, 0, 70));
    add_common_shape(add, {8, 32, 16}, since(6, 1, 70));
    add_common_shape(add, {32, 8, 16}, since(6, 1, 70));

    Shape const of_tf32{16, 16, 8}, of_f64{8, 8, 4}, of_nibbles{8, 8, 32}, of_bits{8, 8, 128};
    Elements const tf32_elements{tf32, 32, since(7, 0, 80)};
    Elements const f64_elements{f64, 64, since(7, 0, 80), f64};
    Elements const s4_elements{s4, 4, since(6, 3, 75)};
    Elements const u4_elements{u4, 4, since(6, 3, 75)};
    Elements const b1_elements{b1, 1, since(6, 3, 75)};
    auto const load_factors = [&](std::string_view matrix, std::string_view integer_layout) {
        auto const load = [&](std::string_view layout, Shape const& s, Elements const& e) {
            add_loads(add, matrix, layout, s, e.type, matrix == "a" ? wmma_a(s, e) : wmma_b(s, e), e.since);
        };
        load(".layout", of_tf32, tf32_elements);
        load(".layout", of_f64, f64_elements);
        load(integer_layout, of_nibbles, s4_elements);
        load(integer_layout, of_nibbles, u4_elements);
        load(integer_layout, of_bits, b1_elements);
    };
    load_factors("a", ".row");
    load_factors("b", ".col");
    add_sums(add, of_tf32, f32, since(7, 0, 80));
    add_sums(add, of_f64, f64, since(7, 0, 80));
    add_sums(add, of_nibbles, s32, since(6, 3, 75));
    add_sums(add, of_bits, s32, since(6, 3, 75));

    auto const product = [&](std::string_view layouts, Shape const& s, std::string_view types, Type sum,
                             Elements const& e) {
        add_product(add, layouts, s, types, accumulator(s, sum), wmma_a(s, e), wmma_b(s, e), accumulator(s, sum),
                    e.since);
    };
    product(".alayout.blayout", of_tf32, ".f32.tf32.tf32.f32", f32, tf32_elements);
    product(".alayout.blayout", of_f64, "{.rnd}.f64.f64.f64.f64", f64, f64_elements);
    // For some targets ptxas allows elements of 4 bits in more shapes than the manual names. It makes calls of them, to
    // functions that no library has.
    Since const sub_byte = only_on("75-89", 6, 3, 75);
    for (Elements const& e : {s4_elements, u4_elements}) {
        std::string_view const types = e.type == s4 ? ".s32.s4.s4.s32{.satfinite}" : ".s32.u4.u4.s32{.satfinite}";
        product(".row.col", of_nibbles, types, s32, e);
        OperandSpec const factor = list(1, b32), two = list(2, s32), eight = list(8, s32);
        add(words("wmma.mma.sync.aligned.alayout.blayout.m8n8k4", types, " d, a, b, c"),
            unexecuted(sub_byte, operands(out(two), factor, factor, two)));
        add(words("wmma.mma.sync.aligned.alayout.blayout.shape_sub_byte", types, " d, a, b, c"),
            unexecuted(sub_byte, operands(out(eight), factor, factor, eight)));
    }
    OperandSpec const factor = list(1, b32), sum = list(2, s32);
    add(words("wmma.mma.bitOp.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 d, a, b, c"),
        product_row(no_types, since(6, 3, 75), operands(out(sum), factor, factor, sum)));
});

constexpr auto rows = join(accesses, multiplications, wmma_forms);

}  // namespace

extern constinit std::span<Row const> const matrix{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
