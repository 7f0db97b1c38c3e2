// Elements of matrices as exact numbers, and exact numbers as results.
#pragma once

#include "frontend/isa/types.hpp"

#include <cstdint>

namespace warpsim::sim::matrix {

/// Floating-point elements as they lie in 32-bit registers.
struct ElementFormat {
    int container_bits;  // between one element and the next
    int shift;           // padding below the element
    int exponent_bits;
    int fraction_bits;
    int bias;
    /// Magnitudes from here on are no finite numbers. Of these the first one is infinity, if there are any infinities.
    std::uint32_t first_special;
    bool has_infinity;
};

/// Of f16, bf16, tf32, f32, e4m3, e5m2, e3m2, e2m3 and e2m1 in bytes, of e2m1 packed by two into a byte.
ElementFormat const& element_format(isa::Type type, bool is_packed = false);

struct Number {
    enum class Kind : std::uint8_t { finite, infinite, nan };
    Kind kind = Kind::finite;
    bool is_negative = false;
    std::uint64_t significand = 0;  // 0: the number is zero
    int exponent = 0;               // of the place of the implicit bit; the format's smallest for subnormals
    int fraction_bits = 0;          // places of the significand behind that one
};

/// `bits` holds the element in its low bits, with its padding.
Number unpack(ElementFormat const& format, std::uint32_t bits);

/// significand * 2^exponent, and less than 2^exponent more if `is_inexact`.
struct Magnitude {
    std::uint64_t significand = 0;  // below 2^62
    int exponent = 0;
    bool is_inexact = false;
};

inline constexpr std::uint32_t nan_f32 = 0x7fffffff;
inline constexpr std::uint32_t nan_f16 = 0x7fff;

/// The nearest number of the format (ties to even), or the next one toward zero; zero is positive. Only `kept_bits` of a
/// normal number's fraction are used. What is too large becomes infinity either way.
std::uint32_t rounded(ElementFormat const& format, bool is_negative, Magnitude magnitude, int kept_bits,
                      bool to_nearest);

}  // namespace warpsim::sim::matrix
