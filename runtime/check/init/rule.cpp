#include "runtime/check/init/rule.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace warpsim::check {

namespace {

Bits copied_sign(Bits bits, unsigned from, unsigned to) {
    if (from >= to || from == 0) return bits & low_bits(to);
    bool const is_set = (bits >> (from - 1) & 1) != 0;
    return is_set ? (bits | ~low_bits(from)) & low_bits(to) : bits & low_bits(from);
}

Bits if_any(Bits undefined, unsigned bits) { return undefined != 0 ? low_bits(bits) : 0; }

Bits sum(Term a, Term b) {
    std::uint64_t const low = (a.value & ~a.undefined) + (b.value & ~b.undefined);
    std::uint64_t const high = (a.value | a.undefined) + (b.value | b.undefined);
    return a.undefined | b.undefined | (low ^ high);
}
Bits difference(Term a, Term b) {
    std::uint64_t const low = (a.value & ~a.undefined) - (b.value | b.undefined);
    std::uint64_t const high = (a.value | a.undefined) - (b.value & ~b.undefined);
    return a.undefined | b.undefined | (low ^ high);
}

/// Below the lowest bit that an undefined one can reach, a product is defined.
Bits lower_product(Term a, Term b) {
    auto const zeros = [](std::uint64_t v) { return static_cast<unsigned>(std::countr_zero(v)); };
    unsigned lowest = 64;
    if (a.undefined != 0) lowest = std::min(lowest, zeros(a.undefined) + zeros(b.value | b.undefined));
    if (b.undefined != 0) lowest = std::min(lowest, zeros(b.undefined) + zeros(a.value | a.undefined));
    return ~low_bits(lowest);
}

/// Bits are independent of each other: whatever an undefined one may be is tried.
Bits looked_up(std::uint64_t table, std::span<Term const> s) {
    auto const result = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        std::uint64_t r = 0;
        for (unsigned row = 0; row < 8; ++row) {
            if ((table >> row & 1) == 0) continue;
            r |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
        }
        return r;
    };
    Bits undefined = 0;
    std::uint64_t const first = result(s[0].value, s[1].value, s[2].value);
    for (unsigned choice = 1; choice < 8; ++choice) {
        auto const flipped = [&](unsigned i) {
            return s[i].value ^ ((choice >> i & 1) != 0 ? s[i].undefined : 0);
        };
        undefined |= first ^ result(flipped(0), flipped(1), flipped(2));
    }
    return undefined;
}

Bits merged(Term a, Term b) { return a.undefined | b.undefined | (a.value ^ b.value); }

Bits shifted(RuleFacts const& f, Term a, Term by) {
    bool const is_zero = (a.value | a.undefined) == 0;
    if (by.undefined != 0) return is_zero ? 0 : low_bits(f.bits);
    unsigned const distance = static_cast<unsigned>(std::min<std::uint64_t>(by.value & 0xffffffff, f.bits));
    if (f.rule == Rule::shift_left) return distance >= 64 ? 0 : a.undefined << distance;
    if (!f.is_signed) return distance >= 64 ? 0 : a.undefined >> distance;
    auto const wide = static_cast<std::int64_t>(copied_sign(a.undefined, f.bits, 64));
    return static_cast<Bits>(wide >> std::min(distance, 63u));
}

Bits funnelled(RuleFacts const& f, std::span<Term const> s) {
    if (s[2].undefined != 0) return low_bits(32);
    auto const count = static_cast<std::uint32_t>(s[2].value);
    unsigned const distance = f.wraps ? count & 31 : std::min(count, 32u);
    Bits const whole = s[1].undefined << 32 | (s[0].undefined & low_bits(32));
    return f.rule == Rule::funnel_left ? (whole << distance) >> 32 : whole >> distance;
}

Bits extracted(RuleFacts const& f, std::span<Term const> s) {
    if (((s[1].undefined | s[2].undefined) & 0xff) != 0) return low_bits(f.bits);
    unsigned const first = s[1].value & 0xff, length = s[2].value & 0xff;
    if (length == 0) return 0;
    Bits const bits = first >= 64 ? 0 : (s[0].undefined & low_bits(f.bits)) >> first & low_bits(length);
    unsigned const last = std::min(first + length - 1, f.bits - 1);
    bool const is_sign_undefined = f.is_signed && (s[0].undefined >> last & 1) != 0;
    unsigned const taken = first > last ? 0 : last - first + 1;
    return is_sign_undefined ? bits | ~low_bits(taken) : bits;
}

Bits inserted(RuleFacts const& f, std::span<Term const> s) {
    if (((s[2].undefined | s[3].undefined) & 0xff) != 0) return low_bits(f.bits);
    unsigned const first = s[2].value & 0xff, length = s[3].value & 0xff;
    if (first >= f.bits) return s[1].undefined;
    Bits const field = low_bits(length) << first;
    return (s[1].undefined & ~field) | (s[0].undefined << first & field);
}

Bits reversed_bits(Bits v, unsigned count) {
    Bits r = 0;
    for (unsigned i = 0; i < count; ++i) r |= (v >> i & 1) << (count - 1 - i);
    return r;
}

Bits permuted_bytes(std::span<Term const> s) {
    if ((s[2].undefined & 0xffff) != 0) return low_bits(32);
    Bits const bytes = s[1].undefined << 32 | (s[0].undefined & low_bits(32));
    Bits r = 0;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned const selector = static_cast<unsigned>(s[2].value >> (4 * i) & 15);
        Bits byte = bytes >> (8 * (selector & 7)) & 0xff;
        if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

/// What a value may be, as numbers whose order is that of unsigned ones.
struct Range {
    std::uint64_t low, high;
};
Range range_of(Term t, unsigned bits, bool is_signed) {
    std::uint64_t const sign = is_signed ? Bits{1} << (bits - 1) : 0;
    std::uint64_t const value = (t.value ^ sign) & low_bits(bits), undefined = t.undefined & low_bits(bits);
    return {value & ~undefined, value | undefined};
}

Bits chosen_extreme(RuleFacts const& f, Term a, Term b) {
    if ((a.undefined | b.undefined) == 0) return 0;
    if (f.is_float) return low_bits(f.bits);
    Range const x = range_of(a, f.bits, f.is_signed), y = range_of(b, f.bits, f.is_signed);
    bool const takes_low = f.rule == Rule::minimum;
    if (x.high <= y.low) return takes_low ? a.undefined : b.undefined;
    if (y.high <= x.low) return takes_low ? b.undefined : a.undefined;
    return low_bits(f.bits);
}

/// What a comparison gives, if the defined bits alone decide it.
std::optional<bool> compared(RuleFacts const& f, Term a, Term b) {
    using enum RuleFacts::Comparison;
    Bits const undefined = (a.undefined | b.undefined) & low_bits(f.bits);
    if (f.is_float) return undefined != 0 ? std::nullopt : std::optional(false);  // its value is not asked for
    bool const differ = ((a.value ^ b.value) & ~(a.undefined | b.undefined) & low_bits(f.bits)) != 0;
    Range const x = range_of(a, f.bits, f.is_signed), y = range_of(b, f.bits, f.is_signed);
    auto const less = [](Range const& l, Range const& r) -> std::optional<bool> {
        if (l.high < r.low) return true;
        return l.low >= r.high ? std::optional(false) : std::nullopt;
    };
    auto const opposite = [](std::optional<bool> v) { return v ? std::optional(!*v) : v; };
    switch (f.comparison) {
        case eq: return differ ? std::optional(false) : undefined != 0 ? std::nullopt : std::optional(true);
        case ne: return differ ? std::optional(true) : undefined != 0 ? std::nullopt : std::optional(false);
        case lt: return less(x, y);
        case gt: return less(y, x);
        case le: return opposite(less(y, x));
        case ge: return opposite(less(x, y));
    }
    return std::nullopt;
}

Bits combined(RuleFacts const& f, std::span<Term const> s) {
    std::optional<bool> const result = compared(f, s[0], s[1]);
    if (f.combination == RuleFacts::Combination::none || s.size() < 3) return result ? 0 : 3;
    bool const is_other_undefined = (s[2].undefined & 1) != 0, other = (s[2].value & 1) != 0;
    auto const undefined = [&](bool is_opposite) {
        if (result && !is_other_undefined) return false;
        if (f.combination == RuleFacts::Combination::xor_) return true;
        bool const decides =
            f.combination == RuleFacts::Combination::or_;  // this value, whatever the other one is
        if (!is_other_undefined && other == decides) return false;
        // The values of floats were not computed: those that are defined may decide.
        return !(result && (f.is_float || (*result != is_opposite) == decides));
    };
    return (undefined(false) ? 1u : 0u) | (undefined(true) ? 2u : 0u);
}

Bits by_halves(RuleFacts const& f, std::span<Term const> s) {
    unsigned const half = f.bits / 2;
    Bits all = 0;
    for (Term const& t : s) all |= t.undefined;
    return if_any(all & low_bits(half), half) | if_any(all >> half & low_bits(half), half) << half;
}

/// A source that is half as wide as the product.
Term widened(RuleFacts const& f, Term t) {
    if (f.source_bits >= f.bits) return t;
    std::uint64_t value = t.value & low_bits(f.source_bits);
    if (f.is_signed) value = copied_sign(value, f.source_bits, 64);
    return {value, f.is_signed ? copied_sign(t.undefined, f.source_bits, 64) : t.undefined};
}

Bits counted(RuleFacts const& f, Term a) {
    Bits const undefined = a.undefined & low_bits(f.source_bits);
    Bits const result = f.source_bits > 32 ? 0x7f : 0x3f;
    if (undefined == 0) return 0;
    // Bits below the highest one change nothing.
    bool const is_decided =
        f.rule == Rule::leading_zeros && (a.value & ~a.undefined & low_bits(f.source_bits)) > undefined;
    return is_decided ? 0 : result;
}

}  // namespace

Bits undefined_result(RuleFacts const& f, std::span<Term const> s) {
    Bits all = 0;
    for (Term const& t : s) all |= t.undefined;
    if (all == 0) return 0;
    Bits result = 0;
    switch (f.rule) {
        case Rule::copy: result = s[0].undefined; break;
        case Rule::any: result = if_any(all, f.bits); break;
        case Rule::both_halves: result = by_halves(f, s); break;
        case Rule::pair:
            result = if_any(s[0].undefined, f.bits / 2) << (f.bits / 2) | if_any(s[1].undefined, f.bits / 2);
            break;
        case Rule::bit_and:
            result = s[0].undefined & (s[1].undefined | s[1].value);
            result |= s[1].undefined & (s[0].undefined | s[0].value);
            break;
        case Rule::bit_or:
            result = s[0].undefined & (s[1].undefined | ~s[1].value);
            result |= s[1].undefined & (s[0].undefined | ~s[0].value);
            break;
        case Rule::bit_xor: result = all; break;
        case Rule::table: result = looked_up(f.table, s); break;
        case Rule::add: result = sum(s[0], s[1]); break;
        case Rule::subtract: result = difference(s[0], s[1]); break;
        case Rule::product: result = lower_product(widened(f, s[0]), widened(f, s[1])); break;
        case Rule::product_add: {
            Term const a = widened(f, s[0]), b = widened(f, s[1]);
            result = sum({a.value * b.value, lower_product(a, b)}, s[2]);
            break;
        }
        case Rule::upper_product: {
            bool const is_zero = (s[0].value | s[0].undefined) == 0 || (s[1].value | s[1].undefined) == 0;
            result = is_zero && (s.size() < 3 || s[2].undefined == 0) ? 0 : low_bits(f.bits);
            break;
        }
        case Rule::shift_left:
        case Rule::shift_right: result = shifted(f, s[0], s[1]); break;
        case Rule::funnel_left:
        case Rule::funnel_right: result = funnelled(f, s); break;
        case Rule::extract: result = extracted(f, s); break;
        case Rule::insert: result = inserted(f, s); break;
        case Rule::reverse: result = reversed_bits(s[0].undefined, f.bits); break;
        case Rule::permute: result = permuted_bytes(s); break;
        case Rule::select:
            result =
                (s[2].undefined & 1) != 0 ? merged(s[0], s[1]) : ((s[2].value & 1) != 0 ? s[0] : s[1]).undefined;
            break;
        case Rule::select_by_sign: {
            Bits const decisive = f.is_float ? low_bits(32) : Bits{1} << 31;
            if ((s[2].undefined & decisive) != 0) {
                result = merged(s[0], s[1]);
                break;
            }
            float number = 0;
            auto const word = static_cast<std::uint32_t>(s[2].value);
            std::memcpy(&number, &word, sizeof number);
            bool const is_first = f.is_float ? number >= 0 : (word >> 31) == 0;
            result = (is_first ? s[0] : s[1]).undefined;
            break;
        }
        case Rule::minimum:
        case Rule::maximum: result = chosen_extreme(f, s[0], s[1]); break;
        case Rule::extend:
            result = s[0].undefined & low_bits(f.source_bits);
            if (f.is_signed) result = copied_sign(result, f.source_bits, f.bits);
            break;
        case Rule::ones:
        case Rule::leading_zeros: result = counted(f, s[0]); break;
        case Rule::is_zero: result = (s[0].value & ~s[0].undefined & low_bits(f.bits)) != 0 ? 0 : 1; break;
        case Rule::compare: return combined(f, s);
    }
    return result & low_bits(f.bits);
}

}  // namespace warpsim::check
