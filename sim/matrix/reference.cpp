#include "sim/matrix/reference.hpp"

#include "sim/matrix/halves.hpp"
#include "sim/matrix/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace warpsim::sim::matrix {

namespace {

using Kind = Number::Kind;

/// A finite term of a sum: significand * 2^(exponent - fraction_bits).
struct Term {
    bool is_negative = false;
    std::uint64_t significand = 0;
    int exponent = 0;
    int fraction_bits = 0;
};

/// The terms of one block fused multiply-add.
class Terms {
public:
    void add(Number const& n) {
        if (n.kind == Kind::nan) is_nan_ = true;
        else if (n.kind == Kind::infinite)
            (n.is_negative ? has_negative_infinity_ : has_positive_infinity_) = true;
        else if (n.significand != 0)
            terms_[count_++] = {n.is_negative, n.significand, n.exponent, n.fraction_bits};
    }

    bool is_nan() const { return is_nan_ || (has_negative_infinity_ && has_positive_infinity_); }
    bool is_infinite() const { return has_negative_infinity_ || has_positive_infinity_; }
    bool is_negative_infinity() const { return has_negative_infinity_; }
    std::span<Term const> finite() const { return {terms_.data(), count_}; }

private:
    std::array<Term, 257> terms_;
    std::size_t count_ = 0;
    bool is_nan_ = false, has_positive_infinity_ = false, has_negative_infinity_ = false;
};

/// Not normalised: its significand is below 4.
Number multiplied(Number const& a, Number const& b) {
    Number p;
    p.is_negative = a.is_negative != b.is_negative;
    p.significand = a.significand * b.significand;
    p.exponent = a.exponent + b.exponent;
    p.fraction_bits = a.fraction_bits + b.fraction_bits;
    bool const is_invalid = (a.kind == Kind::infinite && b.kind == Kind::finite && b.significand == 0) ||
                            (b.kind == Kind::infinite && a.kind == Kind::finite && a.significand == 0);
    if (a.kind == Kind::nan || b.kind == Kind::nan || is_invalid) p.kind = Kind::nan;
    else if (a.kind == Kind::infinite || b.kind == Kind::infinite) p.kind = Kind::infinite;
    return p;
}

struct SignedMagnitude {
    bool is_negative = false;
    Magnitude magnitude;
};

/// The sum of terms that are cut behind `fraction_bits` places of the largest exponent.
SignedMagnitude aligned_sum(std::span<Term const> terms, int floor, int fraction_bits) {
    int largest = floor;
    for (Term const& t : terms) largest = std::max(largest, t.exponent);
    std::int64_t sum = 0;
    for (Term const& t : terms) {
        int const to_right = largest - t.exponent + t.fraction_bits - fraction_bits;
        std::uint64_t const cut = to_right <= 0   ? t.significand << -to_right
                                  : to_right < 64 ? t.significand >> to_right
                                                  : 0;
        sum += t.is_negative ? -static_cast<std::int64_t>(cut) : static_cast<std::int64_t>(cut);
    }
    return {sum < 0, {static_cast<std::uint64_t>(sum < 0 ? -sum : sum), largest - fraction_bits, false}};
}

/// A number of 1024 bits in two's complement, whose last place is 2^-448: no product or sum leaves it, scaled or not.
class WideSum {
public:
    void add(Term const& t) {
        auto const place = static_cast<std::size_t>(t.exponent - t.fraction_bits - last_place);
        std::size_t const word = place / 64, shift = place % 64;
        std::array<std::uint64_t, 2> const parts{t.significand << shift,
                                                 shift == 0 ? 0 : t.significand >> (64 - shift)};
        bool carry = t.is_negative;
        for (std::size_t i = t.is_negative ? 0 : word; i < words_.size(); ++i) {
            std::uint64_t const part = i == word ? parts[0] : i == word + 1 ? parts[1] : 0;
            std::uint64_t const term = t.is_negative ? ~part : part;
            std::uint64_t const sum = words_[i] + term;
            std::uint64_t const with_carry = sum + (carry ? 1 : 0);
            carry = sum < term || with_carry < sum;
            words_[i] = with_carry;
        }
    }

    SignedMagnitude value() const {
        bool const is_negative = words_.back() >> 63 != 0;
        std::array<std::uint64_t, size> magnitude = words_;
        if (is_negative) {
            bool carry = true;
            for (std::uint64_t& w : magnitude) {
                w = ~w + (carry ? 1 : 0);
                carry = carry && w == 0;
            }
        }
        std::size_t top = size;
        while (top > 0 && magnitude[top - 1] == 0) --top;
        if (top == 0) return {};
        // The first 61 bits, and whether there are others.
        int const leading = static_cast<int>(top) * 64 - 1 - std::countl_zero(magnitude[top - 1]);
        int const lowest = std::max(leading - 60, 0);
        auto const word = static_cast<std::size_t>(lowest / 64);
        int const shift = lowest % 64;
        std::uint64_t significand = magnitude[word] >> shift;
        if (shift != 0 && word + 1 < size) significand |= magnitude[word + 1] << (64 - shift);
        bool is_inexact = shift != 0 && magnitude[word] << (64 - shift) != 0;
        for (std::size_t i = 0; i < word; ++i) is_inexact = is_inexact || magnitude[i] != 0;
        return {is_negative, {significand & ((std::uint64_t{1} << 61) - 1), lowest + last_place, is_inexact}};
    }

private:
    static constexpr int last_place = -448;
    static constexpr std::size_t size = 16;
    std::array<std::uint64_t, size> words_{};
};

SignedMagnitude exact_sum(std::span<Term const> terms) {
    WideSum sum;
    for (Term const& t : terms) sum.add(t);
    return sum.value();
}

/// A power of two, or e4m3 without a sign.
Number scale(FloatProduct const& product, std::uint8_t code) {
    if (product.scales_are_e4m3) return unpack(element_format(isa::Type::e4m3), code & 0x7fu);
    Number n;
    if (code == 0xff) n.kind = Kind::nan;
    n.significand = 1;
    n.exponent = static_cast<int>(code) - 127;
    return n;
}

/// Products and addends of one element.
class Element {
public:
    Element(FloatProduct const& product, Vector a, Vector b)
        : product_(product),
          a_(a),
          b_(b),
          a_format_(element_format(product.a, product.is_packed)),
          b_format_(element_format(product.b, product.is_packed)) {}

    std::size_t in_word() const { return 32 / static_cast<std::size_t>(a_format_.container_bits); }

    Number product(std::size_t k) const {
        Number const p = multiplied(factor(a_, a_format_, k), factor(b_, b_format_, k));
        if (product_.scale_block == 0) return p;
        std::size_t const block = k / static_cast<std::size_t>(product_.scale_block);
        Number const scales = multiplied(scale(product_, a_.scales[block * a_.scale_stride]),
                                         scale(product_, b_.scales[block * b_.scale_stride]));
        return multiplied(p, scales);
    }

    std::uint32_t result(Terms const& terms) const {
        ElementFormat const& format = result_format();
        bool const is_f16 = product_.result_is_f16;
        Accumulator const& how = product_.accumulator;
        if (terms.is_nan()) return is_f16 ? nan_f16 : nan_f32;
        if (terms.is_infinite()) {
            std::uint32_t const sign = is_f16 ? 0x8000u : 0x80000000u;
            return format.first_special | (terms.is_negative_infinity() ? sign : 0);
        }
        if (how.sum != Sum::aligned) {
            SignedMagnitude const sum = exact_sum(terms.finite());
            return rounded(format, sum.is_negative, sum.magnitude, format.fraction_bits, true);
        }
        int const floor = is_f16 ? how.floor_f16 : how.floor_f32;
        int const fraction_bits = 23 + how.extra_bits;
        SignedMagnitude const sum = aligned_sum(terms.finite(), floor, fraction_bits);
        return rounded(format, sum.is_negative, sum.magnitude, std::min(format.fraction_bits, fraction_bits),
                       is_f16 || how.rounds_to_nearest);
    }

    /// c, or the result of the group before.
    Number addend(std::uint32_t bits) const {
        if (!product_.result_is_f16) return unpack(element_format(isa::Type::f32), bits);
        Number n = unpack(element_format(isa::Type::f16), bits);
        // It is a number of f32 to the adder: subnormals of f16 are normal there.
        if (n.kind == Kind::finite && n.significand != 0) {
            int const to_left = n.fraction_bits - 63 + std::countl_zero(n.significand);
            n.significand <<= to_left;
            n.exponent -= to_left;
        }
        return n;
    }

private:
    ElementFormat const& result_format() const {
        return element_format(product_.result_is_f16 ? isa::Type::f16 : isa::Type::f32);
    }

    static Number factor(Vector v, ElementFormat const& format, std::size_t k) {
        std::size_t const in_word = 32 / static_cast<std::size_t>(format.container_bits);
        std::uint32_t const word = v.words[k / in_word * v.stride];
        return unpack(format, word >> (k % in_word * static_cast<std::size_t>(format.container_bits)));
    }

    FloatProduct const& product_;
    Vector a_, b_;
    ElementFormat const& a_format_;
    ElementFormat const& b_format_;
};

/// First two of each four elements of a row, then the others; of a sparse row every second four.
std::uint32_t reference_through_halves(FloatProduct const& product, Vector a, Vector b, int words,
                                       std::uint32_t c) {
    FloatProduct part = product;
    part.a = part.b = isa::Type::f16;
    part.accumulator.sum = Sum::aligned;
    std::uint32_t sum = 0;
    for (std::size_t turn = 0; turn < 2; ++turn) {
        std::vector<std::uint32_t> halves_a, halves_b;
        for (std::size_t word = 0; word < static_cast<std::size_t>(words); ++word) {
            for (std::size_t pair = 0; pair < 2; ++pair) {
                if ((product.a_is_sparse ? word % 2 : pair) != turn) continue;
                halves_a.push_back(halves_of_bytes(product.a, a.words[word * a.stride] >> 16 * pair));
                halves_b.push_back(halves_of_bytes(product.b, b.words[word * b.stride] >> 16 * pair));
            }
        }
        sum = reference(part, Vector{halves_a.data(), 1}, Vector{halves_b.data(), 1}, words, sum);
    }
    return sum_of_parts(product.result_is_f16, c, sum);
}

}  // namespace

std::uint32_t reference(FloatProduct const& product, Vector a, Vector b, int words, std::uint32_t c) {
    if (goes_through_halves(product)) return reference_through_halves(product, a, b, words, c);
    Element const element(product, a, b);
    std::size_t const count = static_cast<std::size_t>(words) * element.in_word();
    // The exact sum is one of all products.
    std::size_t const group =
        product.accumulator.sum != Sum::aligned
            ? count
            : static_cast<std::size_t>(product.accumulator.group) * (product.a_is_sparse ? 2 : 1);
    std::uint32_t sum = c;
    for (std::size_t first = 0; first < count; first += group) {
        Terms terms;
        for (std::size_t k = first; k < std::min(first + group, count); ++k) terms.add(element.product(k));
        terms.add(element.addend(sum));
        sum = element.result(terms);
    }
    return sum;
}

}  // namespace warpsim::sim::matrix
