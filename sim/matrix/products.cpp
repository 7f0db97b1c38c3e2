#include "sim/matrix/products.hpp"

#include "frontend/isa/by_host.hpp"
#include "sim/matrix/number.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <emmintrin.h>
#include <memory>
#include <new>

namespace warpsim::sim::matrix {

WARPSIM_BY_HOST(ProductFunctions, product_functions, functions)

void* memory_of_thread(isa::HostIsa host, std::size_t bytes) {
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    static thread_local std::array<std::unique_ptr<void, Free>, 3> kept;
    std::unique_ptr<void, Free>& memory = kept.at(static_cast<std::size_t>(host));
    if (memory == nullptr) [[unlikely]] {
        constexpr std::size_t line = 64;
        std::size_t const whole = (bytes + line - 1) / line * line;
        memory.reset(std::aligned_alloc(line, whole));
        if (memory == nullptr) throw std::bad_alloc();
        std::memset(memory.get(), 0, whole);
    }
    return memory.get();
}

void transpose_halves(std::uint32_t* to, std::uint32_t const* from) {
    __m128i rows[8], pairs[8], fours[8];
    auto const* const source = reinterpret_cast<__m128i const*>(from);
    for (std::size_t i = 0; i < 8; ++i) rows[i] = _mm_loadu_si128(source + i);
    // Neighbours of a column come together: two rows, four, eight.
    for (std::size_t i = 0; i < 8; i += 2) {
        pairs[i] = _mm_unpacklo_epi16(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm_unpackhi_epi16(rows[i], rows[i + 1]);
    }
    for (std::size_t i = 0; i < 8; i += 4) {
        for (std::size_t half = 0; half < 2; ++half) {
            fours[i + 2 * half] = _mm_unpacklo_epi32(pairs[i + half], pairs[i + 2 + half]);
            fours[i + 2 * half + 1] = _mm_unpackhi_epi32(pairs[i + half], pairs[i + 2 + half]);
        }
    }
    auto* const target = reinterpret_cast<__m128i*>(to);
    for (std::size_t i = 0; i < 4; ++i) {
        _mm_storeu_si128(target + 2 * i, _mm_unpacklo_epi64(fours[i], fours[i + 4]));
        _mm_storeu_si128(target + 2 * i + 1, _mm_unpackhi_epi64(fours[i], fours[i + 4]));
    }
}

namespace {

std::uint32_t converted(std::uint32_t bits, isa::Type from, isa::Type to, std::uint32_t nan) {
    Number const n = unpack(element_format(from), bits);
    ElementFormat const& format = element_format(to);
    std::uint32_t const sign = n.is_negative ? 1u << (format.exponent_bits + format.fraction_bits) : 0u;
    if (n.kind == Number::Kind::nan) return nan;
    if (n.kind == Number::Kind::infinite) return format.first_special | sign;
    if (n.significand == 0) return sign;
    return rounded(format, n.is_negative, {n.significand, n.exponent - n.fraction_bits, false},
                   format.fraction_bits, true);
}

}  // namespace

std::uint32_t f32_of_f16(std::uint32_t bits) { return converted(bits, isa::Type::f16, isa::Type::f32, nan_f32); }
std::uint32_t f16_of_f32(std::uint32_t bits) { return converted(bits, isa::Type::f32, isa::Type::f16, nan_f16); }

}  // namespace warpsim::sim::matrix
