#include "sim/tensor_memory/instruction_descriptor.hpp"

#include <algorithm>

namespace warpsim::sim::tensor_memory {

namespace {

using isa::Type;
using matrix::Major;

std::string decimal(std::uint32_t value) { return std::to_string(value); }

/// Takes fields out of the bits.
class Fields {
public:
    Fields(std::uint32_t bits, std::string& wrong) : bits_(bits), wrong_(wrong) {}

    std::uint32_t take(int first, int count) const { return bits_ >> first & ((1u << count) - 1); }
    bool is_set(int bit) const { return take(bit, 1) != 0; }
    void must_be(bool is_right, std::string const& what) {
        if (!is_right && wrong_.empty()) wrong_ = what;
    }
    void must_be_zero(int first, int count) {
        must_be(take(first, count) == 0, "bits " + decimal(static_cast<std::uint32_t>(first)) + " to " +
                                             decimal(static_cast<std::uint32_t>(first + count - 1)) +
                                             " are reserved: they must be 0");
    }

private:
    std::uint32_t bits_;
    std::string& wrong_;
};

/// Type::none where the code has no meaning.
Type element_type(Kind kind, std::uint32_t code) {
    constexpr Type bytes[] = {Type::e4m3, Type::e5m2, Type::none, Type::e2m3,
                              Type::e3m2, Type::e2m1, Type::none, Type::none};
    switch (kind) {
        case Kind::f16: return code == 0 ? Type::f16 : code == 1 ? Type::bf16 : Type::none;
        case Kind::tf32: return code == 2 ? Type::tf32 : Type::none;
        case Kind::i8: return code == 0 ? Type::u8 : code == 1 ? Type::s8 : Type::none;
        case Kind::f8f6f4:
        case Kind::mxf8f6f4: return bytes[code & 7];
        default: return code == 1 ? Type::e2m1 : Type::none;
    }
}

/// Elements that may be contiguous across k.
bool may_be_transposed(Kind kind, Type type) {
    return !is_packed(kind) && type != Type::e2m3 && type != Type::e3m2 && type != Type::e2m1;
}

std::uint32_t depth(Kind kind, bool is_sparse) {
    std::uint32_t const dense = kind == Kind::f16 ? 16 : kind == Kind::tf32 ? 8 : is_packed(kind) ? 64 : 32;
    return is_sparse ? 2 * dense : dense;
}

void check_shape(Instruction const& i, Fields& fields) {
    Variation const& v = i.variation;
    std::uint32_t const m = i.shape.m, n = i.shape.n;
    if (v.is_weight_stationary) {
        fields.must_be(m == 32 || m == 64 || m == 128, "M is " + decimal(m) + "; .ws has 32, 64 and 128");
        fields.must_be(n == 64 || n == 128 || (n == 256 && !v.is_sparse),
                       "N is " + decimal(n) + "; .ws has 64, 128 and, of a dense matrix, 256");
        return;
    }
    std::uint32_t const most = v.of_pair ? 256 : 128;
    bool const has_half = !has_scales(v.kind) || (v.of_pair && !v.is_sparse);
    fields.must_be(m == most || (has_half && m == most / 2),
                   "M is " + decimal(m) + "; this kind of product has " +
                       (has_half ? decimal(most / 2) + " and " : "") + decimal(most) +
                       (v.of_pair ? " with .cta_group::2" : " with .cta_group::1"));
    bool const is_wide_b = i.b_major == Major::mn && (v.kind == Kind::f8f6f4 || v.kind == Kind::mxf8f6f4);
    std::uint32_t step = v.of_pair ? 16 : 8;
    if (is_wide_b) step *= 2;
    if (v.kind == Kind::i8) step = v.of_pair ? 32 : n > 32 ? 16 : 8;
    fields.must_be(n >= step && n <= 256 && n % step == 0,
                   "N is " + decimal(n) + "; legal are multiples of " + decimal(step) + " up to 256");
}

void decode_plain(Instruction& i, Fields& fields) {
    Kind const kind = i.variation.kind;
    i.selector = fields.take(0, 2);
    i.saturates = fields.is_set(3);
    fields.must_be(!i.saturates || kind == Kind::i8, "bit 3, saturation, is for integers");
    std::uint32_t const d = fields.take(4, 2);
    i.result_is_f16 = d == 0;
    bool const is_legal = kind == Kind::i8 ? d == 2 : d == 1 || (d == 0 && kind != Kind::tf32);
    fields.must_be(is_legal, "bits 4 and 5, the type of D, are " + decimal(d) + ", which this kind does not have");
    fields.must_be_zero(6, 1);
    i.a = element_type(kind, fields.take(7, 3));
    i.b = element_type(kind, fields.take(10, 3));
    fields.must_be_zero(23, 1);
    fields.must_be_zero(29, 1);
    std::uint32_t const shift = fields.take(30, 2);
    i.max_shift = shift == 0 ? 0 : 4u << shift;
    fields.must_be(shift == 0 || i.variation.is_weight_stationary,
                   "bits 30 and 31, the largest shift, are for .ws");
    fields.must_be(!i.variation.is_sparse || i.selector == 0 || kind == Kind::f16 || kind == Kind::tf32,
                   "bits 0 and 1, the sparsity selector, must be 0 for this kind");
    if (kind == Kind::f16 && i.result_is_f16)
        fields.must_be(i.a == Type::f16 && i.b == Type::f16, "sums in f16 are for factors in f16");
}

void decode_scaled(Instruction& i, Fields& fields) {
    Kind const kind = i.variation.kind;
    fields.must_be_zero(0, 2);
    fields.must_be_zero(3, 1);
    fields.must_be_zero(6, 1);
    i.scale_b = fields.take(4, 2);
    i.scale_a = fields.take(29, 2);
    i.a = element_type(kind, fields.take(7, 3));
    i.b = element_type(kind, fields.take(10, is_packed(kind) ? 2 : 3));
    if (is_packed(kind)) fields.must_be_zero(12, 1);
    i.scales_are_e4m3 = !fields.is_set(23);
    if (i.variation.scales == 0) i.variation.scales = kind == Kind::mxf8f6f4 ? 1 : 2;
    fields.must_be(!i.scales_are_e4m3 || kind == Kind::mxf4nvf4,
                   "bit 23: scales of this kind are ue8m0, which is 1");
    fields.must_be(!i.scales_are_e4m3 || i.variation.scales == 4,
                   "bit 23: scales in ue4m3 are for blocks of 16 elements");
    bool const is_long = is_packed(kind) && fields.is_set(31);
    fields.must_be(is_long || !fields.is_set(31), "bit 31 is reserved: it must be 0");
    fields.must_be(!is_long || i.variation.may_be_long, "bit 31: products of K = 96 are for sm_103a");
    fields.must_be(!is_long || !i.variation.is_sparse, "bit 31: products of K = 96 have no sparse A");
    // Rows of 96 elements follow each other in whole bytes: their scales begin in any place that a row before them leaves.
    std::uint32_t const step = is_long ? std::max(i.variation.scales / 2, 1u) : i.variation.scales;
    if (is_long) i.variation.scales += i.variation.scales / 2;
    fields.must_be(i.scale_a % step == 0 && i.scale_b % step == 0,
                   "the ids of the scale factors are " + decimal(i.scale_a) + " and " + decimal(i.scale_b) +
                       "; with " + decimal(i.variation.scales) + " for each row they are multiples of " +
                       decimal(step));
}

}  // namespace

Instruction instruction_of(Variation const& variation, std::uint32_t bits, std::string& wrong) {
    Fields fields(bits, wrong);
    Instruction i;
    i.variation = variation;
    bool const is_sparse = fields.is_set(2);
    fields.must_be(is_sparse == variation.is_sparse,
                   is_sparse ? "bit 2 says that A is sparse, which tcgen05.mma.sp multiplies"
                             : "bit 2 says that A is dense, and the instruction is tcgen05.mma.sp");
    if (has_scales(variation.kind)) decode_scaled(i, fields);
    else decode_plain(i, fields);
    fields.must_be(i.a != Type::none, "bits 7 to 9 are no type of A that this kind has");
    fields.must_be(i.b != Type::none, "bits 10 to 12 are no type of B that this kind has");
    i.negates_a = fields.is_set(13);
    i.negates_b = fields.is_set(14);
    fields.must_be(variation.kind != Kind::i8 || (!i.negates_a && !i.negates_b),
                   "bits 13 and 14: integers cannot be negated");
    i.a_major = fields.is_set(15) ? Major::mn : Major::k;
    i.b_major = fields.is_set(16) ? Major::mn : Major::k;
    fields.must_be(i.a_major == Major::k || may_be_transposed(variation.kind, i.a),
                   "bit 15: elements of this type cannot be transposed");
    fields.must_be(i.b_major == Major::k || may_be_transposed(variation.kind, i.b),
                   "bit 16: elements of this type cannot be transposed");
    bool const is_long = is_packed(variation.kind) && fields.is_set(31);
    i.shape = {fields.take(24, 5) << 4, fields.take(17, 6) << 3,
               is_long ? Instruction::long_k : depth(variation.kind, variation.is_sparse)};
    check_shape(i, fields);
    return i;
}

}  // namespace warpsim::sim::tensor_memory
