// How definedness passes through one operation: from the bits of its sources that nobody has written to those of its result.
#pragma once

#include <cstdint>
#include <span>

namespace warpsim::check {

/// A bit for each bit of a value: 1 if nobody has written it.
using Bits = std::uint64_t;

constexpr Bits low_bits(unsigned count) { return count >= 64 ? ~Bits{0} : (Bits{1} << count) - 1; }

/// A source in one lane. What stands in the bits that are undefined means nothing.
struct Term {
    std::uint64_t value = 0;
    Bits undefined = 0;
};

enum class Rule : std::uint8_t {
    copy,
    any,  // one undefined bit, and all of the result are
    both_halves,
    pair,  // the first source makes the upper half, the second the lower one
    bit_and,
    bit_or,
    bit_xor,
    table,  // lop3
    add,
    subtract,
    product,        // its lower bits, of sources as wide as the result or half of it
    product_add,    // ... and a third source
    upper_product,  // the upper half
    shift_left,
    shift_right,
    funnel_left,
    funnel_right,
    extract,
    insert,
    reverse,
    permute,
    select,
    select_by_sign,
    minimum,
    maximum,
    extend,  // or cut off
    ones,
    leading_zeros,
    is_zero,
    compare,
};

/// What is known of the operation beside its sources.
struct RuleFacts {
    Rule rule = Rule::any;
    unsigned bits = 32;         // of the result, or of what is compared
    unsigned source_bits = 32;  // of the first source
    bool is_signed = false;     // ... and what is compared
    bool is_float = false;
    bool wraps = false;       // a funnel's distance
    std::uint64_t table = 0;  // of lop3
    enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge };
    Comparison comparison = Comparison::eq;
    enum class Combination : std::uint8_t { none, and_, or_, xor_ };
    Combination combination = Combination::none;  // of a comparison and a predicate, the last source
};

/// The undefined bits of the result. A comparison has two results, which are predicates: bit 0, and its opposite in bit 1.
Bits undefined_result(RuleFacts const& facts, std::span<Term const> sources);

}  // namespace warpsim::check
