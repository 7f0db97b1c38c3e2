// PTX ISA "Integer Arithmetic Instructions".
#include "frontend/isa/integers.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using Wideable = Types<u16, s16, u32, s32>;
using Words = Types<u32, s32>;

using FourBytes = Types<u8x4, s8x4>;

constexpr Since since_bytes = only_on("120f", 9, 2, 120);
constexpr Since saturated_sums = since_bytes;

constexpr Row rows[] = {
    row("add.type d, a, b", Integers{}, since(1, 0), Unit::alu, []<class T>(T a, T b) { return sum(a, b); })
        .with(is_commutative | is_uniform),
    row("add.type d, a, b", Types<u16x2, s16x2>{}, since(8, 0, 90), Unit::alu,
        []<class T>(T a, T b) { return halves(a, b, [](auto x, auto y) { return sum(x, y); }); })
        .with(is_commutative | is_uniform),
    row("add.sat.s32 d, a, b", Types<s32>{}, since(1, 0), Unit::alu,
        [](std::int32_t a, std::int32_t b) { return sum_saturated(a, b); })
        .with(is_commutative),
    row("add.sat.u32 d, a, b", Types<u32>{}, saturated_sums, Unit::alu,
        [](std::uint32_t a, std::uint32_t b) { return element_sum_saturated(a, b); })
        .with(is_commutative),
    row("add.sat.type d, a, b", Types<u16x2, s16x2>{}, saturated_sums, Unit::alu,
        []<class T>(T a, T b) { return halves(a, b, [](auto x, auto y) { return element_sum_saturated(x, y); }); })
        .with(is_commutative),
    row("add.type d, a, b", FourBytes{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return x + y; }); })
        .with(is_commutative),
    row("add.sat.type d, a, b", FourBytes{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return clamped_to_byte<T>(x + y); }); })
        .with(is_commutative),
    row("sub.type d, a, b", Integers{}, since(1, 0), Unit::alu, []<class T>(T a, T b) { return difference(a, b); })
        .with(is_uniform),
    row("sub.sat.s32 d, a, b", Types<s32>{}, since(1, 0), Unit::alu,
        [](std::int32_t a, std::int32_t b) { return difference_saturated(a, b); }),
    row("sub.type d, a, b", FourBytes{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return x - y; }); }),
    row("sub.sat.type d, a, b", FourBytes{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return clamped_to_byte<T>(x - y); }); }),

    row("mul.lo.type d, a, b", Integers{}, since(1, 0), Unit::fma, []<class T>(T a, T b) { return product(a, b); })
        .with(is_commutative | is_uniform),
    row("mul.hi.type d, a, b", Integers{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b) { return product_high(a, b); })
        .with(is_commutative | is_uniform),
    row("mul.wide.type d, a, b", Wideable{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b) {
            return static_cast<twice<T>>(static_cast<twice<T>>(a) * static_cast<twice<T>>(b));
        })
        .with(is_commutative | is_uniform),
    row("mad.lo.type d, a, b, c", Integers{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b, T c) { return sum(product(a, b), c); })
        .with(is_commutative | is_multiply_add | is_uniform),
    row("mad.hi.type d, a, b, c", Integers{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b, T c) { return sum(product_high(a, b), c); })
        .with(is_commutative | is_multiply_add | is_uniform),
    row("mad.hi.sat.s32 d, a, b, c", Types<s32>{}, since(1, 0), Unit::fma,
        [](std::int32_t a, std::int32_t b, std::int32_t c) { return sum_saturated(product_high(a, b), c); })
        .with(is_commutative | is_multiply_add),
    row("mad.wide.type d, a, b, c", Types<u16>{}, From<same, same, u32>{}, since(1, 0), Unit::fma, MadWide{})
        .with(is_commutative | is_multiply_add | is_uniform),
    row("mad.wide.type d, a, b, c", Types<s16>{}, From<same, same, s32>{}, since(1, 0), Unit::fma, MadWide{})
        .with(is_commutative | is_multiply_add | is_uniform),
    row("mad.wide.type d, a, b, c", Types<u32>{}, From<same, same, u64>{}, since(1, 0), Unit::fma, MadWide{})
        .with(is_commutative | is_multiply_add | is_uniform),
    row("mad.wide.type d, a, b, c", Types<s32>{}, From<same, same, s64>{}, since(1, 0), Unit::fma, MadWide{})
        .with(is_commutative | is_multiply_add | is_uniform),

    row("clmad.lo.type d, a, b, c", Types<u64>{}, since(9, 3, 80), Unit::fma,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return carryless_product<false>(a, b) ^ c; })
        .with(is_commutative),
    row("clmad.hi.type d, a, b, c", Types<u64>{}, since(9, 3, 80), Unit::fma,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return carryless_product<true>(a, b) ^ c; })
        .with(is_commutative),

    row("mul24.lo.type d, a, b", Words{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b) { return product24<false>(a, b); })
        .with(is_commutative),
    row("mul24.hi.type d, a, b", Words{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b) { return product24<true>(a, b); })
        .with(is_commutative),
    row("mad24.lo.type d, a, b, c", Words{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b, T c) { return sum(product24<false>(a, b), c); })
        .with(is_commutative | is_multiply_add),
    row("mad24.hi.type d, a, b, c", Words{}, since(1, 0), Unit::fma,
        []<class T>(T a, T b, T c) { return sum(product24<true>(a, b), c); })
        .with(is_commutative | is_multiply_add),
    row("mad24.hi.sat.s32 d, a, b, c", Types<s32>{}, since(1, 0), Unit::fma,
        [](std::int32_t a, std::int32_t b, std::int32_t c) { return sum_saturated(product24<true>(a, b), c); })
        .with(is_commutative | is_multiply_add),

    row("div.type d, a, b", Integers{}, since(1, 0), Unit::alu, []<class T>(T a, T b) { return quotient(a, b); }),
    row("rem.type d, a, b", Integers{}, since(1, 0), Unit::alu,
        []<class T>(T a, T b) { return remainder_of(a, b); }),
    row("abs.type d, a", Signed{}, since(1, 0), Unit::alu, []<class T>(T a) { return a < 0 ? negated(a) : a; }),
    row("neg.type d, a", Signed{}, since(1, 0), Unit::alu, []<class T>(T a) { return negated(a); })
        .with(is_uniform),
    row("neg.type d, a", Types<s8x4>{}, since_bytes, Unit::alu,
        []<class T>(T a) { return bytes(T{0}, a, [](auto x, auto y) { return x - y; }); }),

    row("min.atype d, a, b", Integers{}, since(1, 0), Unit::alu, []<class T>(T a, T b) { return a < b ? a : b; })
        .with(is_commutative),
    row("min.atype d, a, b", Types<u16x2, s16x2>{}, since(8, 0, 90), Unit::alu,
        []<class T>(T a, T b) { return halves(a, b, [](auto x, auto y) { return x < y ? x : y; }); })
        .with(is_commutative),
    row("min.atype d, a, b", FourBytes{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return x < y ? x : y; }); })
        .with(is_commutative),
    row("min.relu.s32 d, a, b", Types<s32>{}, since(8, 0, 90), Unit::alu,
        [](std::int32_t a, std::int32_t b) { return relu(a < b ? a : b); })
        .with(is_commutative),
    row("min.relu.s8x4 d, a, b", Types<s8x4>{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return relu(x < y ? x : y); }); })
        .with(is_commutative),
    row("min.relu.s16x2 d, a, b", Types<s16x2>{}, since(8, 0, 90), Unit::alu,
        []<class T>(T a, T b) { return halves(a, b, [](auto x, auto y) { return relu(x < y ? x : y); }); })
        .with(is_commutative),
    row("max.atype d, a, b", Integers{}, since(1, 0), Unit::alu, []<class T>(T a, T b) { return a > b ? a : b; })
        .with(is_commutative),
    row("max.atype d, a, b", Types<u16x2, s16x2>{}, since(8, 0, 90), Unit::alu,
        []<class T>(T a, T b) { return halves(a, b, [](auto x, auto y) { return x > y ? x : y; }); })
        .with(is_commutative),
    row("max.atype d, a, b", FourBytes{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return x > y ? x : y; }); })
        .with(is_commutative),
    row("max.relu.s32 d, a, b", Types<s32>{}, since(8, 0, 90), Unit::alu,
        [](std::int32_t a, std::int32_t b) { return relu(a > b ? a : b); })
        .with(is_commutative),
    row("max.relu.s8x4 d, a, b", Types<s8x4>{}, since_bytes, Unit::alu,
        []<class T>(T a, T b) { return bytes(a, b, [](auto x, auto y) { return relu(x > y ? x : y); }); })
        .with(is_commutative),
    row("max.relu.s16x2 d, a, b", Types<s16x2>{}, since(8, 0, 90), Unit::alu,
        []<class T>(T a, T b) { return halves(a, b, [](auto x, auto y) { return relu(x > y ? x : y); }); })
        .with(is_commutative),
};

}  // namespace

extern constinit std::span<Row const> const integer_arithmetic{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
