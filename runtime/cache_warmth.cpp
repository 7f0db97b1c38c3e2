#include "runtime/cache_warmth.hpp"

#include "sim/exec/op.hpp"
#include "sim/timing/memory/coalescer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::runtime {

void CacheWarmth::access(sim::AccessEvent const& e) {
    if (e.space != sim::SpaceKind::global) return;
    bool const is_write = e.site.op.kind != sim::OpKind::load;
    ++now_;
    if (e.addresses.pattern == sim::Pattern::uniform)
        return note(e.addresses.low - moved_, e.addresses.past_high - moved_, is_write);
    for (isa::LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
        std::uint64_t const at = e.addresses.of(std::countr_zero(m)) - moved_;
        note(at, at + e.addresses.bytes, is_write);
    }
}

void CacheWarmth::note(std::uint64_t first, std::uint64_t past, bool is_write) {
    for (std::uint64_t sector = first / timing::sector_bytes; sector * timing::sector_bytes < past; ++sector) {
        constexpr std::uint64_t sectors = timing::line_bytes / timing::sector_bytes;
        Seen& line = lines_[sector / sectors];
        auto const bit = static_cast<std::uint8_t>(1u << sector % sectors);
        line.last = now_;
        line.valid |= bit;
        if (is_write) line.dirty |= bit;
    }
    if (lines_.size() <= 2 * most_) return;
    std::unordered_map<std::uint64_t, Seen> kept;
    for (timing::LineInL2 const& line : latest()) kept.insert(lines_.extract(line.number));
    lines_ = std::move(kept);
}

std::vector<timing::LineInL2> CacheWarmth::latest() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;  // when, and the line
    for (auto const& [number, seen] : lines_) order.emplace_back(seen.last, number);
    std::sort(order.begin(), order.end());
    std::vector<timing::LineInL2> list;
    for (std::size_t i = order.size() - std::min(order.size(), most_); i < order.size(); ++i) {
        Seen const& seen = lines_.at(order[i].second);
        list.push_back({order[i].second, seen.valid, seen.dirty});
    }
    return list;
}

std::vector<timing::LineInL2> CacheWarmth::take() {
    std::vector<timing::LineInL2> list = latest();
    lines_.clear();
    return list;
}

}  // namespace warpsim::runtime
