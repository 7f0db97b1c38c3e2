// PTX ISA "Extended-Precision Integer Arithmetic Instructions". The carry is a predicate without an operand: it is
// read from the slot behind the written sources and written to the slot after that. An instruction that reads no
// carry is given false; one that writes none writes a predicate that nothing reads.
#include "frontend/isa/integers.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

/// d = x + y + carry, where y is the last written source. A difference is x + ~y + carry, as hardware has it: what
/// comes out is a carry, which is false when something was borrowed.
struct Sum {
    static constexpr int sources = 2;
    static constexpr bool subtracts = false;
    static constexpr bool begins = false;  // a chain: whatever carry there is does not count
    template <class T> static T left(T a, T) { return a; }
};
struct Difference : Sum {
    static constexpr bool subtracts = true;
};
struct FirstDifference : Difference {
    static constexpr bool begins = true;
};
struct LowProduct : Sum {
    static constexpr int sources = 3;
    template <class T> static T left(T a, T b) { return product(a, b); }
};
struct HighProduct : LowProduct {
    template <class T> static T left(T a, T b) { return product_high(a, b); }
};

template <class F, class T>
[[gnu::flatten]] static void run_carried(Bases bases, Operands const& operands, LaneMask mask) {
    using U = std::make_unsigned_t<T>;
    SourceColumn<T> const a(bases, operands.slot[1]), b(bases, operands.slot[2]),
        last(bases, operands.slot[F::sources]);
    LaneMask const carry_in = *column<LaneMask>(bases, operands.slot[F::sources + 1]);
    alignas(64) T result[warp_size];
    alignas(64) std::make_signed_t<T> carry_out[warp_size];  // in the sign
    for (int i = 0; i < warp_size; ++i) {
        U const x = static_cast<U>(F::left(a[i], b[i]));
        U const y = static_cast<U>(F::subtracts ? ~last[i] : last[i]);
        auto const carry = static_cast<U>(F::begins ? 1 : carry_in >> i & 1);
        auto const d = static_cast<U>(x + y + carry);
        auto const out = static_cast<U>((x & y) | ((x | y) & ~d));
        result[i] = static_cast<T>(d);
        carry_out[i] = static_cast<std::make_signed_t<T>>(out);
    }
    store_masked(column<T>(bases, operands.slot[0]), result, mask);
    LaneMask* const c = column<LaneMask>(bases, operands.slot[F::sources + 2]);
    *c = (*c & ~mask) | (sign_mask(carry_out) & mask);
}

template <class F, Type T>
constexpr Variant carried_variant{{T},
                                  T,
                                  {T, T, F::sources == 2 ? pred : T, F::sources == 2 ? none : pred},
                                  F::sources + 1,
                                  0,
                                  &run_carried<F, native<T>>,
                                  nullptr,
                                  nullptr,
                                  nullptr};
template <class F>
constexpr Variant carried_variants[] = {carried_variant<F, u32>, carried_variant<F, s32>, carried_variant<F, u64>,
                                        carried_variant<F, s64>};

// ptxas also adds the carry to 16-bit words, which the manual does not mention; they produce no carry.
template <class F> constexpr Variant short_variants[] = {carried_variant<F, u16>, carried_variant<F, s16>};

constexpr Since of_words = since(1, 2);
constexpr Since of_products = since(3, 0, 20);

constexpr Row rows[] = {
    row_of("add.cc.type d, a, b", carried_variants<Sum>, of_words, Unit::alu),
    row_of("addc{.cc}.type d, a, b", carried_variants<Sum>, of_words, Unit::alu),
    row_of("addc.type d, a, b", short_variants<Sum>, of_words, Unit::alu),
    row_of("sub.cc.type d, a, b", carried_variants<FirstDifference>, of_words, Unit::alu),
    row_of("subc{.cc}.type d, a, b", carried_variants<Difference>, of_words, Unit::alu),
    row_of("subc.type d, a, b", short_variants<Difference>, of_words, Unit::alu),
    row_of("mad.hi.cc.type d, a, b, c", carried_variants<HighProduct>, of_products, Unit::fma)
        .with(is_multiply_add),
    row_of("mad.lo.cc.type d, a, b, c", carried_variants<LowProduct>, of_products, Unit::fma)
        .with(is_multiply_add),
    row_of("madc.hi{.cc}.type d, a, b, c", carried_variants<HighProduct>, of_products, Unit::fma)
        .with(is_multiply_add),
    row_of("madc.hi.type d, a, b, c", short_variants<HighProduct>, of_products, Unit::fma).with(is_multiply_add),
    row_of("madc.lo{.cc}.type d, a, b, c", carried_variants<LowProduct>, of_products, Unit::fma)
        .with(is_multiply_add),
    row_of("madc.lo.type d, a, b, c", short_variants<LowProduct>, of_products, Unit::fma).with(is_multiply_add),
};

}  // namespace

extern constinit std::span<Row const> const extended_precision{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
