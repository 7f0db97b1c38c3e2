// The members of an aggregate, found by the compiler: a list of them that nobody writes cannot forget one.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace warpsim::checkpoint {

namespace detail {

struct Anything {
    template <class T> operator T() const;
};

template <class T, std::size_t... index> constexpr bool takes(std::index_sequence<index...>) {
    return requires { T{(static_cast<void>(index), Anything{})...}; };
}

/// A T can be made of so many values, and of no more. Members that are arrays of C, references or std::optional would be
/// miscounted: who has one lists its members itself.
template <class T, std::size_t most> constexpr std::size_t count_members() {
    if constexpr (most == 0 || takes<T>(std::make_index_sequence<most>{})) return most;
    else return count_members<T, most - 1>();
}

}  // namespace detail

inline constexpr std::size_t most_members = 28;
template <class T> inline constexpr std::size_t member_count = detail::count_members<T, most_members + 1>();

/// Calls visit(members...) with all of them.
template <class T, class Visit> void visit_members(T& x, Visit&& visit) {
    constexpr std::size_t count = member_count<T>;
    static_assert(count > 0 && count <= most_members, "list its members in a state() of its own");
    // clang-format off
    if constexpr (count == 1) { auto& [m0] = x; visit(m0); }
    else if constexpr (count == 2) { auto& [m0, m1] = x; visit(m0, m1); }
    else if constexpr (count == 3) { auto& [m0, m1, m2] = x; visit(m0, m1, m2); }
    else if constexpr (count == 4) { auto& [m0, m1, m2, m3] = x; visit(m0, m1, m2, m3); }
    else if constexpr (count == 5) { auto& [m0, m1, m2, m3, m4] = x; visit(m0, m1, m2, m3, m4); }
    else if constexpr (count == 6) { auto& [m0, m1, m2, m3, m4, m5] = x; visit(m0, m1, m2, m3, m4, m5); }
    else if constexpr (count == 7) { auto& [m0, m1, m2, m3, m4, m5, m6] = x; visit(m0, m1, m2, m3, m4, m5, m6); }
    else if constexpr (count == 8) { auto& [m0, m1, m2, m3, m4, m5, m6, m7] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7); }
    else if constexpr (count == 9) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8); }
    else if constexpr (count == 10) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9); }
    else if constexpr (count == 11) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10); }
    else if constexpr (count == 12) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11); }
    else if constexpr (count == 13) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12); }
    else if constexpr (count == 14) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13); }
    else if constexpr (count == 15) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14); }
    else if constexpr (count == 16) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15); }
    else if constexpr (count == 17) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16); }
    else if constexpr (count == 18) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17); }
    else if constexpr (count == 19) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18); }
    else if constexpr (count == 20) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19); }
    else if constexpr (count == 21) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20); }
    else if constexpr (count == 22) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21); }
    else if constexpr (count == 23) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22); }
    else if constexpr (count == 24) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23); }
    else if constexpr (count == 25) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24); }
    else if constexpr (count == 26) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25); }
    else if constexpr (count == 27) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26); }
    else if constexpr (count == 28) { auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = x; visit(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27); }
    // clang-format on
}

}  // namespace warpsim::checkpoint
