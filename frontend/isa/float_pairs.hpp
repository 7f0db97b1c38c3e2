// Two f32 in one register: every f32 function, twice.
#pragma once

#include "frontend/isa/floats.hpp"

namespace warpsim::isa::WARPSIM_HOST {

struct Float2 {
    std::uint64_t bits;
};
template <> struct Native<Type::f32x2> { using type = Float2; };

[[gnu::always_inline]] inline float low_of(Float2 a) { return bits_as<float>(static_cast<std::uint32_t>(a.bits)); }
[[gnu::always_inline]] inline float high_of(Float2 a) {
    return bits_as<float>(static_cast<std::uint32_t>(a.bits >> 32));
}
[[gnu::always_inline]] inline Float2 paired(float low, float high) {
    return {std::uint64_t{bits_of_float(high)} << 32 | bits_of_float(low)};
}
template <> [[gnu::always_inline]] inline Float2 flush(Float2 value) {
    return paired(flush(low_of(value)), flush(high_of(value)));
}

template <class F> struct Paired {
    template <class... A> [[gnu::always_inline]] Float2 operator()(A... a) const {
        return paired(F{}(low_of(a)...), F{}(high_of(a)...));
    }
};

}  // namespace warpsim::isa::WARPSIM_HOST
