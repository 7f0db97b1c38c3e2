// Compiled once per host instruction set (WARPSIM_HOST); see transactions.hpp. As in frontend/isa, no weak symbol
// may be emitted here, so everything is static or inlined.
#include "sim/exec/lanes/transactions.hpp"

#include "sim/exec/lanes/lane_bytes_host.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpsim::sim::WARPSIM_HOST {

extern UnitCounters const unit_functions;

namespace {

constexpr std::size_t lanes = isa::warp_size;
using Distances = std::make_integer_sequence<int, isa::warp_size>;  // 0 to 31

/// The numbers of the lanes' units, counted from 1 for the lowest; 0 for inactive lanes, which have none.
template <class Number> struct Units {
    alignas(64) Number number[lanes];

    [[gnu::always_inline]] inline Units(Addresses const& a, LaneMask mask, unsigned shift) {
        std::uint64_t const origin = (a.low >> shift << shift) - (std::uint64_t{1} << shift);
        if (a.pattern == Pattern::scattered) {
            for (std::size_t i = 0; i < lanes; ++i) number[i] = static_cast<Number>((a.lane[i] - origin) >> shift);
        } else {
            std::uint32_t const step = a.pattern == Pattern::affine ? a.bytes : 0;
            std::uint64_t const first = a.lane_zero - origin;  // for an inactive lane it may be below
            for (std::size_t i = 0; i < lanes; ++i) number[i] = static_cast<Number>((first + i * step) >> shift);
        }
        if (mask == isa::all_lanes) return;
        for (std::size_t i = 0; i < lanes; ++i) number[i] = (mask >> i & 1) != 0 ? number[i] : Number{0};
    }
    /// Byte `index` of each number.
    [[gnu::always_inline]] inline LaneBytes bytes(std::size_t index) const {
        alignas(64) std::uint8_t bytes[lanes];
        for (std::size_t i = 0; i < lanes; ++i) bytes[i] = static_cast<std::uint8_t>(number[i] >> 8 * index);
        return load_bytes(bytes);
    }
};

/// 0xff for lanes without a unit, and for lanes whose unit an earlier lane also has. The numbers are less than
/// 2^(8 * count).
template <std::size_t count, class Number>
[[gnu::always_inline]] inline LaneBytes repetitions(Units<Number> const& units) {
    LaneBytes part[count];
    for (std::size_t i = 0; i < count; ++i) part[i] = units.bytes(i);
    LaneBytes none = equal(part[0], same_in_all(0));
    for (std::size_t i = 1; i < count; ++i) none = none & equal(part[i], same_in_all(0));
    return [&]<int... distance>(std::integer_sequence<int, 0, distance...>) {
        auto const equals_one_before = [&]<int d>(std::integral_constant<int, d>) {
            LaneBytes same = equal(part[0], shift_up<d>(part[0]));
            for (std::size_t i = 1; i < count; ++i) same = same & equal(part[i], shift_up<d>(part[i]));
            return same;
        };
        return (none | ... | equals_one_before(std::integral_constant<int, distance>{}));
    }
    (Distances{});
}

/// The most lanes in one bank, not counting those for which `left_out` is 0xff.
template <class Number>
[[gnu::always_inline]] inline std::uint32_t most_in_one(Units<Number> const& units, LaneBytes left_out,
                                                        std::uint32_t banks) {
    if (banks <= 128) {
        LaneBytes const bank = units.bytes(0) & same_in_all(static_cast<std::uint8_t>(banks - 1));
        LaneBytes const counted = bank | left_out;
        return [&]<int... distance>(std::integer_sequence<int, distance...>) {
            return largest((same_in_all(0) - ... - equal(bank, rotate<distance>(counted))));
        }
        (Distances{});
    }
    // More banks than any GPU has.
    LaneMask const uncounted = sign_mask(left_out);
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
        std::uint32_t sum = 0;
        for (std::size_t j = 0; j < lanes; ++j) {
            bool const is_same = ((units.number[i] ^ units.number[j]) & (banks - 1)) == 0;
            sum += is_same && (uncounted >> j & 1) == 0;
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/// For adjacent active lanes whose units are evenly spaced, the most that are in one bank; 0 if they are not.
template <class Number>
[[gnu::always_inline]] inline std::uint32_t most_of_stride(Units<Number> const& units, LaneMask mask,
                                                           std::uint32_t banks) {
    int const first = __builtin_ctz(mask), last = 31 - __builtin_clz(mask);
    LaneMask const from_first = mask >> first;
    if ((from_first & (from_first + 1)) != 0 || first == last) return 0;
    Number const origin = units.number[first];
    auto const step = static_cast<Number>(units.number[first + 1] - origin);
    auto const start = static_cast<Number>(origin - static_cast<Number>(first) * step);  // lane 0's
    Number off = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
        auto const expected = static_cast<Number>(start + static_cast<Number>(i) * step);
        off = static_cast<Number>(off | ((mask >> i & 1) != 0 ? units.number[i] ^ expected : 0));
    }
    auto const distance = std::int64_t{units.number[first + 1]} - std::int64_t{origin};
    auto const spanned = std::int64_t{units.number[last]} - std::int64_t{origin};
    if (off != 0 || spanned != distance * (last - first)) return 0;
    if (step == 0) return 1;
    // They return to the first bank after a number of lanes equal to the banks divided by the greatest common
    // divisor of banks and step.
    int const common = __builtin_ctz(step | banks);
    auto const period = static_cast<int>(banks >> common);
    return static_cast<std::uint32_t>((last - first + period) / period);
}

/// A bit for each unit that a lane has, from the lowest on; they are less than 64 * words apart.
template <std::size_t words> struct UnitBits {
    std::uint64_t word[words] = {};

    [[gnu::always_inline]] inline UnitBits(Addresses const& a, LaneMask mask, unsigned shift) {
        std::uint64_t const origin = a.low >> shift << shift;
#ifdef __AVX2__
        if (a.pattern == Pattern::scattered) {
            add_all(a, mask, shift, origin);
            return;
        }
#endif
        std::uint32_t const step = a.pattern == Pattern::affine ? a.bytes : 0;
        for (LaneMask m = mask; m != 0; m &= m - 1) {
            auto const i = static_cast<std::size_t>(__builtin_ctz(m));
            std::uint64_t const at = a.pattern == Pattern::scattered ? a.lane[i] : a.lane_zero + i * step;
            std::uint64_t const unit = (at - origin) >> shift;
            word[unit / 64] |= std::uint64_t{1} << (unit & 63);
        }
    }
    std::uint32_t count() const {
        int sum = 0;
        for (std::uint64_t const w : word) sum += __builtin_popcountll(w);
        return static_cast<std::uint32_t>(sum);
    }

#ifdef __AVX2__
private:
    // Wider vectors take longer to be joined at the end.
    static constexpr std::size_t together = 4;
    using Lanes [[gnu::vector_size(8 * together)]] = std::uint64_t;

    [[gnu::always_inline]] inline void add_all(Addresses const& a, LaneMask mask, std::uint64_t shift,
                                               std::uint64_t origin) {
        Lanes number;
        for (std::size_t i = 0; i < together; ++i) number[i] = i;
        Lanes found[words] = {};
        for (std::size_t i = 0; i < lanes; i += together) {
            Lanes at;
            __builtin_memcpy(&at, a.lane + i, sizeof at);
            Lanes const unit = (at - origin) >> shift, active = std::uint64_t{mask} >> (number + i) & 1;
            Lanes const bit = active << (unit & 63);
            for (std::size_t w = 0; w < words; ++w) found[w] |= words == 1 ? bit : bit & (Lanes)(unit >> 6 == w);
        }
        for (std::size_t w = 0; w < words; ++w) {
            for (std::size_t i = 0; i < together; ++i) word[w] |= found[w][i];
        }
    }
#endif
};

/// If the units are in rows of `columns` (a power of two, at most 64), the most that are in one column.
template <std::size_t words, class Columns>
[[gnu::always_inline]] inline std::uint32_t most_in_column(UnitBits<words> const& units, Columns columns) {
    // The counts of 64 columns: bit c of count[k] is bit k of that of column c.
    std::uint64_t count[9] = {units.word[0]};
    std::size_t bits = 1;
    if constexpr (words == 4) {
        auto const& [a, b, c, d] = units.word;
        std::uint64_t const both = (a ^ b) & (c ^ d), first = a & b, last = c & d;
        count[0] = a ^ b ^ c ^ d;
        count[1] = first ^ last ^ both;
        count[2] = (first & last) | (first & both) | (last & both);
        bits = 3;
    }
    for (std::uint32_t width = 32; width >= columns; width /= 2, ++bits) {
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < bits; ++k) {
            std::uint64_t const other = count[k] >> width, sum = count[k] ^ other;
            std::uint64_t const next = (count[k] & other) | (sum & carry);
            count[k] = sum ^ carry;
            carry = next;
        }
        count[bits] = carry;
    }
    std::uint64_t candidates = columns < 64 ? (std::uint64_t{1} << columns) - 1 : ~std::uint64_t{0};
    std::uint32_t most = 0;
    for (std::size_t k = bits; k-- > 0;) {
        bool const has = (candidates & count[k]) != 0;
        candidates &= has ? count[k] : candidates;
        most |= static_cast<std::uint32_t>(has) << k;
    }
    return most;
}

/// The difference between the last unit and the first.
[[gnu::always_inline]] inline std::uint64_t span(Addresses const& a, unsigned shift) {
    return ((a.past_high - 1) >> shift) - (a.low >> shift);
}

std::uint32_t distinct(Addresses const& a, LaneMask mask, unsigned shift) {
    std::uint64_t const spanned = span(a, shift);
    if (spanned < 64) return UnitBits<1>(a, mask, shift).count();
    if (spanned < 256) return UnitBits<4>(a, mask, shift).count();
    LaneBytes const left_out = spanned < 0xffff ? repetitions<2>(Units<std::uint16_t>(a, mask, shift))
                                                : repetitions<4>(Units<std::uint32_t>(a, mask, shift));
    return lanes - static_cast<std::uint32_t>(__builtin_popcount(sign_mask(left_out)));
}

std::uint32_t most_in_bank(Addresses const& a, LaneMask mask, unsigned shift, std::uint32_t banks) {
    std::uint64_t const spanned = span(a, shift);
    if (spanned < 256 && banks <= 64) {
        constexpr std::integral_constant<std::uint32_t, 32> usual{};  // a constant, with which loops are unrolled
        if (spanned < 64) {
            UnitBits<1> const units(a, mask, shift);
            return banks == usual.value ? most_in_column(units, usual) : most_in_column(units, banks);
        }
        UnitBits<4> const units(a, mask, shift);
        return banks == usual.value ? most_in_column(units, usual) : most_in_column(units, banks);
    }
    if (spanned >= 0xffff) {
        Units<std::uint32_t> const units(a, mask, shift);
        std::uint32_t const most = most_of_stride(units, mask, banks);
        return most != 0 ? most : most_in_one(units, repetitions<4>(units), banks);
    }
    Units<std::uint16_t> const units(a, mask, shift);
    std::uint32_t const most = most_of_stride(units, mask, banks);
    return most != 0 ? most : most_in_one(units, repetitions<2>(units), banks);
}

std::uint32_t most_lanes_of_bank(Addresses const& a, LaneMask mask, unsigned shift, std::uint32_t banks) {
    Units<std::uint32_t> const units(a, mask, shift);
    alignas(64) std::uint8_t inactive[lanes];
    for (std::size_t i = 0; i < lanes; ++i) inactive[i] = (mask >> i & 1) != 0 ? 0 : 0xff;
    return most_in_one(units, load_bytes(inactive), banks);
}

}  // namespace

constinit UnitCounters const unit_functions = {distinct, most_in_bank, most_lanes_of_bank};

}  // namespace warpsim::sim::WARPSIM_HOST
