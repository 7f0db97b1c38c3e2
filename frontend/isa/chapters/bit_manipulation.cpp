// PTX ISA "Integer Arithmetic Instructions", those that move and count bits.
#include "frontend/isa/bits.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using Counted = Types<b32, b64>;
using Found = Types<u32, u64, s32, s64>;

/// Two types are written, those of a and b; the sum is signed when one of them is.
template <class F, Type A, Type B>
constexpr Variant dot_variant = [] {
    constexpr Type sum = A == s32 || B == s32 ? s32 : u32;
    Variant v = variant<plain, F, u32, A, B, u32>({A, B});
    v.result = sum;
    v.sources = {A, B, sum};
    return v;
}();
template <class F>
constexpr std::array<Variant, 4> dot_variants{dot_variant<F, u32, u32>, dot_variant<F, u32, s32>,
                                              dot_variant<F, s32, u32>, dot_variant<F, s32, s32>};
struct Dot4 {
    template <class A, class B> std::uint32_t operator()(A a, B b, std::uint32_t c) const { return dot4(a, b, c); }
};
template <bool high> struct Dot2 {
    template <class A, class B> std::uint32_t operator()(A a, B b, std::uint32_t c) const {
        return dot2<high>(a, b, c);
    }
};

/// The result is a u32, although the function may return the type of a b32 source.
template <class F, class Sources, class TypeList>
constexpr auto counting = [] {
    auto list = Variants<plain, F, Sources, TypeList>::list;
    for (Variant& v : list) v.result = u32;
    return list;
}();
constexpr auto ones = [](auto a) { return population(a); };
constexpr auto zeros = [](auto a) { return leading_zeros(a); };
constexpr auto clamped_mask = [](std::uint32_t a, std::uint32_t b) { return bit_mask(a, b); };
constexpr auto wrapped_mask = [](std::uint32_t a, std::uint32_t b) { return bit_mask(a & 31, b & 31); };

constexpr Row rows[] = {
    row("sad.type d, a, b, c", Integers{}, since(1, 0), Unit::alu,
        []<class T>(T a, T b, T c) { return sum(c, a < b ? difference(b, a) : difference(a, b)); })
        .with(is_commutative),
    row_of("popc.type d, a", counting<decltype(ones), From<same>, Counted>, since(2, 0, 20), Unit::alu)
        .with(is_uniform),
    row_of("clz.type d, a", counting<decltype(zeros), From<same>, Counted>, since(2, 0, 20), Unit::alu),
    row("bfind.type d, a", Found{}, From<same>{}, since(2, 0, 20), Unit::alu,
        [](auto a) { return find_bit<false>(a); }),
    row("bfind.shiftamt.type d, a", Found{}, From<same>{}, since(2, 0, 20), Unit::alu,
        [](auto a) { return find_bit<true>(a); }),
    row("brev.type d, a", Counted{}, From<same>{}, since(2, 0, 20), Unit::alu, [](auto a) { return reversed(a); }),
    row("fns.b32 d, mask, base, offset", Types<b32>{}, From<same, same, s32>{}, since(6, 0, 30), Unit::alu,
        [](std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
            return find_nth_set(mask, base, offset);
        }),
    row("bfe.type d, a, b, c", Found{}, From<same, u32, u32>{}, since(2, 0, 20), Unit::alu,
        [](auto a, std::uint32_t b, std::uint32_t c) { return extract(a, b, c); })
        .with(is_uniform),
    row("bfi.type f, a, b, c, d", Counted{}, From<same, same, u32, u32>{}, since(2, 0, 20), Unit::alu,
        []<class T>(T a, T b, std::uint32_t c, std::uint32_t d) { return inserted(a, b, c, d); }),
    row_of("bmsk.clamp.b32 d, a, b", counting<decltype(clamped_mask), From<u32, u32>, Types<b32>>, since(7, 6, 70),
           Unit::alu),
    row_of("bmsk.wrap.b32 d, a, b", counting<decltype(wrapped_mask), From<u32, u32>, Types<b32>>, since(7, 6, 70),
           Unit::alu),
    row("szext.clamp.type d, a, b", Types<u32, s32>{}, From<same, u32>{}, since(7, 6, 70), Unit::alu,
        []<class T>(T a, std::uint32_t b) { return extended(a, b > 32 ? 32 : b); }),
    row("szext.wrap.type d, a, b", Types<u32, s32>{}, From<same, u32>{}, since(7, 6, 70), Unit::alu,
        []<class T>(T a, std::uint32_t b) { return extended(a, b & 31); }),
    row("prmt.b32 d, a, b, c", Types<b32>{}, From<same, same, same>{}, since(2, 0, 20), Unit::alu,
        [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return permuted(a, b, c); })
        .with(is_uniform),
    row_selected<6>("prmt.b32.mode_prmt d, a, b, c", ".mode_prmt", Types<b32>{}, From<same, same, same>{},
                    since(2, 0, 20), Unit::alu,
                    []<int mode>(std::uint32_t a, std::uint32_t b,
                                 std::uint32_t c) { return permuted(a, b, selector_of<mode>(c)); })
        .with(is_uniform),
    row_of("dp4a.atype.btype d, a, b, c", dot_variants<Dot4>, since(5, 0, 61), Unit::alu),
    row_of("dp2a.lo.atype.btype d, a, b, c", dot_variants<Dot2<false>>, since(5, 0, 61), Unit::alu),
    row_of("dp2a.hi.atype.btype d, a, b, c", dot_variants<Dot2<true>>, since(5, 0, 61), Unit::alu),
};

}  // namespace

extern constinit std::span<Row const> const bit_manipulation{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
