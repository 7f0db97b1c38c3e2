#include "runtime/memory_statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpsim::runtime {

using sim::Addresses;
using sim::SpaceKind;

std::uint32_t count_sectors(Addresses const& a) {
    std::array<std::uint64_t, 64> sectors;
    std::size_t count = 0;
    for (isa::LaneMask m = a.mask; m != 0; m &= m - 1) {
        std::uint64_t const address = a.of(std::countr_zero(m));
        std::uint64_t const first = address / 32, last = (address + a.bytes - 1) / 32;
        sectors[count++] = first;
        if (last != first) sectors[count++] = last;
    }
    std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
    return static_cast<std::uint32_t>(
        std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count)) - sectors.begin());
}

std::uint32_t count_bank_conflicts(Addresses const& a) {
    int const lanes_per_pass = a.bytes <= 4 ? 32 : a.bytes == 8 ? 16 : 8;
    std::uint32_t conflicts = 0;
    for (int first = 0; first < 32; first += lanes_per_pass) {
        std::array<std::array<std::uint64_t, 32>, 32> words;  // distinct words per bank
        std::array<std::uint32_t, 32> count{};
        std::uint32_t worst = 0;
        for (int lane = first; lane < first + lanes_per_pass; ++lane) {
            if ((a.mask >> lane & 1) == 0) continue;
            for (std::uint64_t b = 0; b < std::max(a.bytes, 4u); b += 4) {
                std::uint64_t const word = (a.of(lane) + b) / 4;
                std::size_t const bank = word % 32;
                auto const end = words[bank].begin() + count[bank];
                if (std::find(words[bank].begin(), end, word) != end) continue;
                words[bank][count[bank]++] = word;
                worst = std::max(worst, count[bank]);
            }
        }
        if (worst > 1) conflicts += worst - 1;
    }
    return conflicts;
}

void MemoryStatistics::add_to(sim::MemoryCounts& total) const {
    total.global_requests += counts_.global_requests;
    total.global_sectors += counts_.global_sectors;
    total.shared_requests += counts_.shared_requests;
    total.shared_bank_conflicts += counts_.shared_bank_conflicts;
}

void MemoryStatistics::access(sim::Cta const& cta, sim::Warp const& warp, sim::Op const& op,
                              sim::Access const& access, SpaceKind space, Addresses const& addresses) {
    if (space == SpaceKind::global) {
        ++counts_.global_requests;
        counts_.global_sectors += count_sectors(addresses);
    } else if (space == SpaceKind::shared) {
        ++counts_.shared_requests;
        counts_.shared_bank_conflicts += count_bank_conflicts(addresses);
    }
    if (next_ != nullptr) next_->access(cta, warp, op, access, space, addresses);
}

void MemoryStatistics::instruction(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame,
                                   sim::Op const& op, isa::LaneMask active, isa::LaneMask mask) {
    if (next_ != nullptr) next_->instruction(cta, warp, frame, op, active, mask);
}

void MemoryStatistics::diverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame,
                                sim::Op const& op, isa::LaneMask taken, isa::LaneMask not_taken) {
    if (next_ != nullptr) next_->diverged(cta, warp, frame, op, taken, not_taken);
}

void MemoryStatistics::reconverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame,
                                   std::uint32_t pc, isa::LaneMask lanes) {
    if (next_ != nullptr) next_->reconverged(cta, warp, frame, pc, lanes);
}

}  // namespace warpsim::runtime
