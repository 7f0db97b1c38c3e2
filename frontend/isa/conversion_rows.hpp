// Rows of cvt: one function for every rounding mode that is compiled in, destination and source.
#pragma once

#include "frontend/isa/conversions.hpp"

namespace warpsim::isa::WARPSIM_HOST {

using AllIntegers = Types<Type::u8, Type::u16, Type::u32, Type::u64, Type::s8, Type::s16, Type::s32, Type::s64>;
inline constexpr Since half_conversions = since(1, 0);
inline constexpr Since bfloat_conversions = since(7, 8, 90);

/// One function per rounding mode that is compiled in, destination and source: `F{}.operator()<mode, D>(a)`.
template <class F, int mode, class D> struct Mode {
    template <class A> [[gnu::always_inline]] D operator()(A a) const {
        return F{}.template operator()<mode, D>(a);
    }
};
template <unsigned forms, int modes, class F, class Destinations, class Sources> struct ModeVariants;
template <unsigned forms, int modes, class F, Type... D, Type... A>
struct ModeVariants<forms, modes, F, Types<D...>, Types<A...>> {
    template <int mode, Type X>
    static constexpr std::array<Variant, sizeof...(A)> to{
        variant<forms, Mode<F, mode, native<X>>, X, A>({X, A}, static_cast<unsigned>(mode))...};
    template <int mode> static constexpr auto in = joined(to<mode, D>...);
    static constexpr auto list = []<int... m>(std::integer_sequence<int, m...>) { return joined(in<m>...); }
    (std::make_integer_sequence<int, modes>{});
};
template <int modes, unsigned forms = plain, class F, Type... D, Type... A>
constexpr Row row_mode(std::string_view syntax, std::string_view selector, Types<D...>, Types<A...>, Since since,
                       Unit unit, F) {
    return row_of(syntax, ModeVariants<forms, modes, F, Types<D...>, Types<A...>>::list, since, unit, selector);
}

}  // namespace warpsim::isa::WARPSIM_HOST
