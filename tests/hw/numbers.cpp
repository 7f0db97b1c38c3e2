#include "tests/hw/numbers.hpp"

#include "tests/hw/statements.hpp"

#include <initializer_list>

namespace warpsim::hw {

namespace {

/// Random bits that depend on two numbers.
std::uint64_t mixed(std::uint64_t i, std::uint64_t stream) {
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/// A format of floating-point numbers.
struct Format {
    int exponent_bits, mantissa_bits;

    std::uint64_t bias() const { return (1ull << (exponent_bits - 1)) - 1; }
    std::uint64_t top() const { return (1ull << exponent_bits) - 1; }
    std::uint64_t mantissa(std::uint64_t random) const { return random & ((1ull << mantissa_bits) - 1); }
    std::uint64_t make(std::uint64_t sign, std::uint64_t exponent, std::uint64_t mantissa_of) const {
        return (sign & 1) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa_of;
    }
};
constexpr Format half{5, 10}, brain{8, 7}, single{8, 23}, wide{11, 52};

/// Exponents of at most `reach` either way.
std::uint64_t near_one(Format f, std::uint64_t random, std::uint64_t reach) {
    return f.make(random >> 63, f.bias() - reach + (random >> 51 & 0xfff) % (2 * reach + 1), f.mantissa(random));
}

std::uint64_t special(Format f, std::uint64_t random) {
    std::uint64_t const sign = random >> 63, ones = f.mantissa(~0ull);
    switch (random >> 32 & 15) {
        case 0: return f.make(sign, 0, 0);
        case 1: return f.make(sign, 0, 1);
        case 2: return f.make(sign, 0, ones);
        case 3: return f.make(sign, 1, 0);
        case 4: return f.make(sign, f.top() - 1, ones);
        case 5: return f.make(sign, f.top(), 0);
        case 6: return f.make(sign, f.top(), 1);
        case 7: return f.make(sign, f.top(), ones);
        case 8: return f.make(sign, f.bias(), 0);
        case 9: return f.make(sign, f.bias() - 1, 0);
        case 10: return f.make(sign, f.bias() - 1, ones);
        case 11: return f.make(sign, f.bias(), 1);
        case 12: return f.make(sign, 0, f.mantissa(random));
        case 13: return f.make(sign, 1 + (random >> 20 & 1), f.mantissa(random));
        case 14: return f.make(sign, f.top() - 1 - (random >> 20 & 1), f.mantissa(random));
        default: return f.make(sign, f.top(), f.mantissa(random));
    }
}

/// A power of two, or a sum of two.
std::uint64_t sparse(Format f, std::uint64_t random) {
    std::uint64_t const bit = 1ull << (random >> 8) % static_cast<std::uint64_t>(f.mantissa_bits);
    return f.make(random >> 63, f.bias() - 8 + (random >> 40 & 15), (random & 1) != 0 ? bit : 0);
}

/// Whole numbers and halves, as far as they fit, near the limits of integer types too.
std::uint64_t whole(Format f, std::uint64_t random) {
    std::uint64_t const exponent = f.bias() + (random >> 48) % 66;
    if (exponent >= f.top()) return near_one(f, random, 4);
    std::uint64_t const size = exponent - f.bias();
    std::uint64_t mantissa = f.mantissa((random & 3) == 0 ? 0 : (random & 3) == 1 ? ~0ull : random >> 2);
    std::uint64_t const below = static_cast<std::uint64_t>(f.mantissa_bits);
    if (size + 1 < below) mantissa &= ~((1ull << (below - size - 1)) - 1);
    return f.make(random >> 63, exponent, mantissa);
}

std::uint64_t scalar(Format f, std::uint64_t i, std::uint64_t stream) {
    std::uint64_t const random = mixed(i, stream), sort = mixed(i, stream + 100) & 15;
    if (sort < 4) return random >> (63 - f.exponent_bits - f.mantissa_bits);
    if (sort < 8) return near_one(f, random, 4);
    if (sort < 10) return near_one(f, random, (f.bias() - 1) / 2);
    if (sort < 13) return special(f, random);
    if (sort < 14) return sparse(f, random);
    return whole(f, random);
}

/// For products of matrices: the numbers of a warp are of one sort.
std::uint64_t element(Format f, std::uint64_t i, std::uint64_t stream) {
    std::uint64_t const random = mixed(i, stream);
    switch (i >> 5 & 7) {
        case 0:
        case 1: return near_one(f, random, 3);
        case 2: return near_one(f, random, f.bias() / 2);
        case 3: return near_one(f, random, f.bias() / 4);
        case 4: return sparse(f, random);
        case 5: return (random >> 20 & 7) == 0 ? near_one(f, random, f.bias() / 3) : near_one(f, random, 1);
        case 6:
            return (random >> 20 & 1) == 0 ? f.make(random >> 63, random >> 40 & 1, f.mantissa(random))
                                           : near_one(f, random, 6);
        default: return (random >> 20 & 31) == 0 ? special(f, random) : near_one(f, random, f.bias() - 1);
    }
}

std::uint64_t four(Format f, std::uint64_t i, std::uint64_t stream,
                   std::uint64_t (*make)(Format, std::uint64_t, std::uint64_t)) {
    std::uint64_t value = 0;
    for (std::uint64_t k = 0; k < 4; ++k) value |= make(f, i, stream + k) << 16 * k;
    return value;
}

std::uint64_t integer(std::uint64_t i) {
    std::uint64_t const random = mixed(i, 7), sort = mixed(i, 8) & 15;
    std::uint64_t const negative = (random >> 62 & 1) != 0 ? ~0ull : 0;
    if (sort < 6) return random;
    if (sort < 8) return (random & 63) ^ negative;
    if (sort < 10) return (1ull << (random & 63)) + (random >> 8 & 3) - 1;
    if (sort < 12) return random >> (random & 63);
    constexpr std::uint64_t limits[] = {0,
                                        1,
                                        ~0ull,
                                        0x7f,
                                        0x80,
                                        0xff,
                                        0x100,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x10000,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x7fffffffffffffff,
                                        0x8000000000000000};
    std::uint64_t const limit = limits[random & 15];
    // The same in both halves, so that 32-bit sources see all of them.
    return sort < 14 ? limit : (limit & 0xffffffff) | limit << 32;
}

/// Pairs of positions, each ascending, as products of sparse matrices want them.
std::uint64_t positions(std::uint64_t i, std::initializer_list<std::uint64_t> legal, std::uint64_t stream) {
    std::uint64_t value = 0;
    for (std::uint64_t k = 0; k < 16; ++k) {
        value |= legal.begin()[(mixed(i, stream) >> 4 * k & 15) % legal.size()] << 4 * k;
    }
    return value;
}

}  // namespace

std::uint64_t number(Kind kind, std::uint64_t i) {
    switch (kind) {
        case Kind::bits: return mixed(i, 1);
        case Kind::integers: return integer(i);
        case Kind::f16: return four(half, i, 10, scalar);
        case Kind::bf16: return four(brain, i, 20, scalar);
        case Kind::f32: return scalar(single, i, 30);
        case Kind::f64: return scalar(wide, i, 40);
        case Kind::matrix_f16: return four(half, i, 50, element);
        case Kind::matrix_bf16: return four(brain, i, 60, element);
        case Kind::matrix_f32: return element(single, i, 70);
        case Kind::matrix_f64: return element(wide, i, 80);
        case Kind::matrix_f8:
            // Every other warp without infinities and NaNs.
            return mixed(i, 90) & ((i >> 5 & 1) != 0 ? ~0ull : 0xbfbfbfbfbfbfbfbfu);
        case Kind::metadata: return positions(i, {0x4, 0x8, 0x9, 0xc, 0xd, 0xe}, 110);
        case Kind::pairs_metadata: return positions(i, {0x4, 0xe}, 120);
        case Kind::count: break;
    }
    return 0;
}

std::vector<std::uint64_t> const& tables() {
    static std::vector<std::uint64_t> const all = [] {
        std::vector<std::uint64_t> numbers;
        for (std::size_t kind = 0; kind < static_cast<std::size_t>(Kind::count); ++kind) {
            for (std::uint64_t i = 0; i < table_numbers; ++i)
                numbers.push_back(number(static_cast<Kind>(kind), i));
        }
        return numbers;
    }();
    return all;
}

}  // namespace warpsim::hw
