#include "sim/exec/lanes/transactions.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <numeric>

namespace warpsim::sim {

namespace {

constexpr int lanes = isa::warp_size;
constexpr std::uint32_t most_banks = 1024;  // that a configuration may have

/// The active lanes stand side by side, as they do but where lanes have parted.
bool is_run(LaneMask mask) {
    LaneMask const from_first = mask >> std::countr_zero(mask);
    return (from_first & (from_first + 1)) == 0;
}

/// Of the addresses of active lanes, counted from the lowest: the number of the unit of 1 << shift bytes that each
/// lies in. Returns how many there are.
std::uint32_t units_of_lanes(Addresses const& a, LaneMask mask, unsigned shift, std::uint32_t* units) {
    std::uint64_t const origin = a.low >> shift;
    if (a.pattern == Pattern::scattered && mask == isa::all_lanes) {
        for (int i = 0; i < lanes; ++i) units[i] = static_cast<std::uint32_t>((a.lane[i] >> shift) - origin);
        return lanes;
    }
    std::uint32_t count = 0;
    for (LaneMask m = mask; m != 0; m &= m - 1)
        units[count++] = static_cast<std::uint32_t>((a.of(std::countr_zero(m)) >> shift) - origin);
    return count;
}

/// Puts the keys into a table by their low bits, again and again, and takes away those that are found there, until
/// none is left. Each round takes one different key for each place that is wanted: the number of rounds is the most
/// different keys that any place is wanted by. Calls round(keys of this round) before each.
template <class Round>
std::uint32_t rounds(std::uint32_t* keys, std::uint32_t count, std::uint32_t places, Round&& round) {
    std::uint32_t table[most_banks];
    std::uint32_t result = 0;
    for (; count != 0; ++result) {
        for (std::uint32_t i = 0; i < count; ++i) table[keys[i] & (places - 1)] = keys[i];
        round(keys, count);
        std::uint32_t left = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t const key = keys[i];
            keys[left] = key;
            left += table[key & (places - 1)] != key;
        }
        count = left;
    }
    return result;
}

/// How many different ones there are.
std::uint32_t count_different(std::uint32_t* keys, std::uint32_t count) {
    std::uint32_t steps = 0, falls = 0;
    for (std::uint32_t i = 1; i < count; ++i) {
        steps += keys[i] != keys[i - 1];
        falls += keys[i] < keys[i - 1];
    }
    if (falls == 0) return steps + 1;
    std::uint32_t different = 0;
    rounds(keys, count, 64, [&](std::uint32_t const* left, std::uint32_t remaining) {
        std::uint64_t wanted = 0;
        for (std::uint32_t i = 0; i < remaining; ++i) wanted |= std::uint64_t{1} << (left[i] & 63);
        different += static_cast<std::uint32_t>(std::popcount(wanted));
    });
    return different;
}

/// Sectors of addresses that lie too far apart to be counted from the lowest in 32 bits.
std::uint32_t count_far_sectors(Addresses const& a) {
    std::uint64_t sectors[lanes];
    std::size_t count = 0;
    for (LaneMask m = a.mask; m != 0; m &= m - 1) sectors[count++] = a.of(std::countr_zero(m)) / sector_bytes;
    std::sort(sectors, sectors + count);
    return static_cast<std::uint32_t>(std::unique(sectors, sectors + count) - sectors);
}

/// Every lane is as far from the one before as the first from the second; the distance in bytes.
bool has_stride(Addresses const& a, std::int64_t& stride) {
    stride = static_cast<std::int64_t>(a.lane[1] - a.lane[0]);
    std::uint64_t off = 0;
    for (int i = 0; i < lanes; ++i)
        off |= a.lane[i] ^ (a.lane[0] + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(stride));
    return off == 0;
}

/// Lanes that the banks serve in one pass.
std::uint32_t lanes_of_pass(Addresses const& a, Banks banks) {
    return a.bytes <= banks.width_bytes ? lanes : std::max(lanes * banks.width_bytes / a.bytes, 1u);
}

/// Calls pass(its active lanes) for every pass that has any.
template <class Pass> void for_each_pass(Addresses const& a, Banks banks, Pass&& pass) {
    std::uint32_t const size = lanes_of_pass(a, banks);
    for (std::uint32_t first = 0; first < lanes; first += size) {
        LaneMask const members = (size >= lanes ? isa::all_lanes : (LaneMask{1} << size) - 1) << first;
        if ((a.mask & members) != 0) pass(a.mask & members);
    }
}

struct BankUse {
    std::uint32_t cycles = 0, passes = 0;
};

/// The words of one pass, each lane with all of its own.
std::uint32_t cycles_of_pass(Addresses const& a, LaneMask mask, Banks banks, unsigned shift) {
    std::uint32_t words[2 * lanes];
    std::uint32_t const active = units_of_lanes(a, mask, shift, words);
    std::uint32_t const words_of_lane = std::max(a.bytes >> shift, 1u);
    assert(active * words_of_lane <= std::size(words));
    std::uint32_t count = active;
    for (std::uint32_t w = 1; w < words_of_lane; ++w) {
        for (std::uint32_t i = 0; i < active; ++i) words[count++] = words[i] + w;
    }
    std::uint32_t low = words[0], high = words[0];
    for (std::uint32_t i = 1; i < count; ++i) {
        low = std::min(low, words[i]);
        high = std::max(high, words[i]);
    }
    if (high - low < banks.count) return 1;
    return rounds(words, count, banks.count, [](std::uint32_t const*, std::uint32_t) {});
}

BankUse use_banks(Addresses const& a, Banks banks) {
    if (a.pattern == Pattern::uniform) return {1, 1};
    auto const shift = static_cast<unsigned>(std::countr_zero(banks.width_bytes));
    BankUse use;
    // As many words side by side as there are banks lie in different ones, whichever of them the lanes want.
    if (((a.past_high - 1) >> shift) - (a.low >> shift) < banks.count) {
        for_each_pass(a, banks, [&](LaneMask) { ++use.passes; });
        use.cycles = use.passes;
        return use;
    }
    std::int64_t stride = 0;
    if (a.pattern == Pattern::scattered && a.mask == isa::all_lanes && a.bytes <= banks.width_bytes &&
        has_stride(a, stride) && (stride & (banks.width_bytes - 1)) == 0) {
        // Lanes come back to the bank of the first after as many as the banks and the stride's words have no
        // factor in common.
        std::uint64_t const words = static_cast<std::uint64_t>(stride < 0 ? -stride : stride) >> shift;
        auto const period = static_cast<std::uint32_t>(banks.count / std::gcd(words, std::uint64_t{banks.count}));
        return {(lanes + period - 1) / period, 1};
    }
    for_each_pass(a, banks, [&](LaneMask mask) {
        ++use.passes;
        use.cycles += cycles_of_pass(a, mask, banks, shift);
    });
    return use;
}

}  // namespace

std::uint32_t count_sectors(Addresses const& a) {
    std::uint64_t const spanned = (a.past_high - 1) / sector_bytes - a.low / sector_bytes + 1;
    // An access is aligned and no wider than a sector, so it lies in one.
    bool const is_dense = a.pattern == Pattern::uniform || (a.pattern == Pattern::affine && is_run(a.mask));
    if (is_dense || spanned == 1) return static_cast<std::uint32_t>(spanned);
    if (spanned > UINT32_MAX) return count_far_sectors(a);
    std::uint32_t sectors[lanes];
    std::uint32_t const count = units_of_lanes(a, a.mask, 5, sectors);
    static_assert(sector_bytes == 1u << 5);
    return count_different(sectors, count);
}

std::uint32_t bank_cycles(Addresses const& addresses, Banks banks) { return use_banks(addresses, banks).cycles; }

std::uint32_t bank_conflicts(Addresses const& addresses, Banks banks) {
    BankUse const use = use_banks(addresses, banks);
    return use.cycles - use.passes;
}

std::uint32_t atomic_bank_cycles(Addresses const& a, Banks banks) {
    auto const shift = static_cast<unsigned>(std::countr_zero(banks.width_bytes));
    std::uint32_t cycles = 0;
    for_each_pass(a, banks, [&](LaneMask mask) {
        std::uint16_t in_bank[most_banks];
        std::fill_n(in_bank, banks.count, std::uint16_t{0});
        std::uint16_t most = 1;
        for (LaneMask m = mask; m != 0; m &= m - 1) {
            std::uint64_t const word = a.of(std::countr_zero(m)) >> shift;
            most = std::max(most, ++in_bank[word & (banks.count - 1)]);
        }
        cycles += most;
    });
    return cycles;
}

}  // namespace warpsim::sim
