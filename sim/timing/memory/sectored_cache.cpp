#include "sim/timing/memory/sectored_cache.hpp"

#include "sim/timing/memory/components.hpp"

#include <algorithm>
#include <bit>
#include <emmintrin.h>
#include <span>

namespace warpsim::timing {

SectoredCache::SectoredCache(std::uint32_t lines, std::uint32_t ways, std::string const& replacement,
                             plugin::CacheLevel level, std::uint32_t number)
    : ways_(std::max(std::min(ways, lines), 1u)) {
    sets_ = std::max(lines / ways_, 1u);
    std::size_t const count = std::size_t{sets_} * ways_;
    lines_.resize(count);
    if (level == plugin::CacheLevel::l2) of_l2_.resize(count);
    pending_.assign(count, 0);
    Group empty;
    empty.entries.fill(none);
    std::size_t const groups = std::max<std::size_t>(std::bit_ceil(2 * count) / empty.entries.size(), 1);
    index_.assign(groups, empty);
    auto const homes = static_cast<unsigned>(std::countr_zero(groups));
    auto const places = static_cast<unsigned>(std::bit_width(count));  // that of no line is `none`
    shift_ = 32u - homes;
    places_ = static_cast<std::uint32_t>((std::uint64_t{1} << places) - 1);
    has_homes_ = homes + places <= 32;
    plugin::ReplacementSettings settings;
    settings.sets = sets_;
    settings.ways = ways_;
    settings.level = level;
    settings.number = number;
    policy_ = memory_components().make_replacement(replacement, settings);
}

std::uint32_t SectoredCache::set_of(std::uint64_t number) const {
    // The number is folded, so that a power-of-two stride uses more than a few sets.
    return static_cast<std::uint32_t>((number ^ number >> 7 ^ number >> 15) % sets_);
}

[[gnu::always_inline]] inline std::uint32_t SectoredCache::Group::with(std::uint32_t bits,
                                                                       std::uint32_t kept) const {
    __m128i const all = _mm_set1_epi32(static_cast<int>(bits)), mask = _mm_set1_epi32(static_cast<int>(kept));
    auto const* const four = reinterpret_cast<__m128i const*>(entries.data());
    auto const equal = [&](int i) {
        __m128i const differs = _mm_and_si128(_mm_xor_si128(_mm_load_si128(four + i), all), mask);
        return _mm_cmpeq_epi32(differs, _mm_setzero_si128());
    };
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(equal(0)))) |
           static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(equal(1)))) << 4;
}

[[gnu::always_inline]] inline std::uint32_t SectoredCache::find_in(Group const* groups, std::size_t mask,
                                                                   std::uint64_t number) const {
    std::uint32_t const hash = hash_of(number);
    for (std::size_t g = home_of(hash);; g = (g + 1) & mask) {
        Group const& group = groups[g];
        for (std::uint32_t alike = group.with(hash, ~places_); alike != 0; alike &= alike - 1) {
            std::uint32_t const here = group.entries[static_cast<std::size_t>(std::countr_zero(alike))];
            std::uint32_t const place = place_of(here);
            if (here != none && lines_[place].number == number) return place;
        }
        if (group.free() != 0) return none;
    }
}

std::uint32_t SectoredCache::find(std::uint64_t number) const {
    return find_in(index_.data(), index_.size() - 1, number);
}

void SectoredCache::find(std::span<LineAccess const> accesses, std::uint32_t* places) const {
    Group const* const groups = index_.data();
    std::size_t const mask = index_.size() - 1;
    for (LineAccess const& access : accesses) {
        std::uint32_t const place = find_in(groups, mask, access.line);
        if (place != none) prefetch_place(place);
        *places++ = place;
    }
}

void SectoredCache::prefetch_line(std::uint64_t number) const {
    std::uint32_t const hash = hash_of(number);
    Group const& group = index_[home_of(hash)];
    std::uint32_t const alike = group.with(hash, ~places_);
    if (alike == 0) return;
    std::uint32_t const here = group.entries[static_cast<std::size_t>(std::countr_zero(alike))];
    if (here != none) prefetch_place(place_of(here));
}

void SectoredCache::insert(std::uint64_t number, std::uint32_t place) {
    std::size_t const mask = index_.size() - 1;
    std::uint32_t const hash = hash_of(number);
    std::size_t g = home_of(hash);
    std::uint32_t free = index_[g].free();
    for (; free == 0; free = index_[g].free()) g = (g + 1) & mask;
    index_[g].entries[static_cast<std::size_t>(std::countr_zero(free))] = entry_of(hash, place);
}

void SectoredCache::remove(std::uint32_t place) {
    std::size_t const mask = index_.size() - 1;
    std::uint32_t const hash = hash_of(lines_[place].number), entry = entry_of(hash, place);
    std::size_t g = home_of(hash);
    std::uint32_t found = index_[g].with(entry, none);
    for (; found == 0; found = index_[g].with(entry, none)) g = (g + 1) & mask;
    bool was_full = index_[g].free() == 0;
    std::uint32_t* hole = &index_[g].entries[static_cast<std::size_t>(std::countr_zero(found))];
    // Entries that a full group has sent on move up if they can be reached from their own.
    for (std::size_t next = (g + 1) & mask; was_full; next = (next + 1) & mask) {
        Group& group = index_[next];
        was_full = group.free() == 0;
        for (std::uint32_t& other : group.entries) {
            if (other == none || ((next - home_of_entry(other)) & mask) < ((next - g) & mask)) continue;
            *hole = other;
            hole = &other;
            g = next;
            break;
        }
    }
    *hole = none;
}

std::uint32_t SectoredCache::allocate(std::uint64_t number, Evicted& evicted) {
    std::uint32_t const set = set_of(number);
    auto const busy = std::span(pending_).subspan(std::size_t{set} * ways_, ways_);
    evicted = {};
    if (std::all_of(busy.begin(), busy.end(), [](std::uint8_t p) { return p != 0; })) return none;
    std::uint32_t const way = policy_->victim(set, busy);
    std::uint32_t const place = set * ways_ + way;
    Line& line = lines_[place];
    if (line.number != UINT64_MAX) {
        evicted = {line.number, static_cast<std::uint8_t>(line.dirty | line.partial), line.partial};
        remove(place);
    }
    line = {};
    line.number = number;
    if (!of_l2_.empty()) of_l2_[place] = {};
    insert(number, place);
    policy_->filled(set, way, number);
    return place;
}

void SectoredCache::fill(std::uint32_t place, std::uint8_t sectors) {
    Line& line = lines_[place];
    pending_[place] &= static_cast<std::uint8_t>(~sectors);
    line.valid |= sectors;
    line.dirty |= line.partial & sectors;
    line.partial &= static_cast<std::uint8_t>(~sectors);
}

void SectoredCache::invalidate() { forget(0, UINT64_MAX); }

void SectoredCache::forget(std::uint64_t first, std::uint64_t past) {
    for (std::uint32_t place = 0; place < lines(); ++place) {
        if (lines_[place].number >= first && lines_[place].number < past) forget(place);
    }
}

void SectoredCache::forget(std::uint32_t place) {
    Line& line = lines_[place];
    if (pending_[place] == 0) {
        remove(place);
        line = {};
        if (!of_l2_.empty()) of_l2_[place] = {};
    } else {
        line.valid = line.dirty = line.partial = line.prefetched = 0;
    }
}

CacheView SectoredCache::view() const {
    CacheView view{sets_, ways_, std::vector<std::uint32_t>(sets_)};
    for (std::uint32_t place = 0; place < lines(); ++place)
        if (lines_[place].number != UINT64_MAX) ++view.used[place / ways_];
    return view;
}

std::vector<CachedLine> SectoredCache::set(std::uint32_t number, std::uint32_t line_bytes) const {
    std::vector<std::uint32_t> const order = policy_->order(number);
    std::vector<CachedLine> lines;
    for (std::uint32_t way = 0; way < ways_; ++way) {
        std::uint32_t const place = number * ways_ + way;
        Line const& line = lines_[place];
        if (line.number == UINT64_MAX) continue;
        auto const rank = std::find(order.begin(), order.end(), way);
        lines.push_back({way, line.number * line_bytes, line.valid, line.dirty, line.partial, pending_[place],
                         static_cast<std::uint32_t>(rank - order.begin()), rank != order.end()});
    }
    return lines;
}

}  // namespace warpsim::timing
