#include "sim/exec/lanes/transactions.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

namespace {

constexpr std::uint32_t lanes = isa::warp_size;

UnitCounters const& counts() {
    static UnitCounters const& chosen = unit_counters(isa::host_isa());
    return chosen;
}

/// Sectors of addresses that are too far apart for UnitCounters.
std::uint32_t count_far_sectors(Addresses const& a) {
    std::uint64_t sectors[lanes];
    std::size_t count = 0;
    for (LaneMask m = a.mask; m != 0; m &= m - 1) sectors[count++] = a.of(std::countr_zero(m)) / sector_bytes;
    std::sort(sectors, sectors + count);
    return static_cast<std::uint32_t>(std::unique(sectors, sectors + count) - sectors);
}

unsigned log2(std::uint32_t power) { return static_cast<unsigned>(std::countr_zero(power)); }

/// Calls pass(its active lanes) for every pass that has any.
template <class Pass> void for_each_pass(Addresses const& a, Banks banks, Pass&& pass) {
    if (a.bytes <= banks.width_bytes) return pass(a.mask);
    std::uint32_t const size = std::max(lanes * banks.width_bytes / a.bytes, 1u);
    LaneMask const first = (LaneMask{1} << size) - 1;
    for (std::uint32_t begin = 0; begin < lanes; begin += size) {
        if (LaneMask const members = a.mask & first << begin; members != 0) pass(members);
    }
}

}  // namespace

std::uint32_t count_scattered_sectors(Addresses const& a) {
    bool const is_far = (a.past_high - a.low) / sector_bytes >= UINT32_MAX - 1;
    return is_far ? count_far_sectors(a) : counts().distinct(a, a.mask, log2(sector_bytes));
}

BankUse use_banks_repeatedly(Addresses const& a, Banks banks) {
    bool const is_narrow = a.bytes <= banks.width_bytes;
    // Accesses are aligned: the words of a wide access are in banks that serve no part of another one, so these
    // behave like one bank as wide as the access. If there are fewer banks, all are used several times.
    std::uint32_t const words = is_narrow ? 1 : a.bytes / banks.width_bytes;
    std::uint32_t const wide_banks = std::max(banks.count / words, 1u), times = std::max(words / banks.count, 1u);
    bool const has_no_conflict = a.pattern == Pattern::affine && banks.count >= lanes;
    BankUse use;
    for_each_pass(a, banks, [&](LaneMask mask) {
        ++use.passes;
        use.cycles += has_no_conflict
                          ? 1
                          : times * counts().most_in_bank(a, mask, log2(words * banks.width_bytes), wide_banks);
    });
    return use;
}

std::uint32_t atomic_bank_cycles(Addresses const& a, Banks banks) {
    std::uint32_t cycles = 0;
    for_each_pass(a, banks, [&](LaneMask mask) {
        cycles += counts().most_lanes_of_bank(a, mask, log2(banks.width_bytes), banks.count);
    });
    return cycles;
}

}  // namespace warpsim::sim
