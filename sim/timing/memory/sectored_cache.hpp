// The tags of a cache whose lines are filled sector by sector: which sectors are present, dirty, or in flight. A
// line gets its entry when its first sector misses, long before the data arrives (tags and data are decoupled).
// Holds no bytes and knows no time.
#pragma once

#include "sim/plugin/plugin.hpp"
#include "sim/timing/memory/view.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::timing {

class SectoredCache {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Line {
        std::uint64_t number = UINT64_MAX;  // address / line size
        std::uint8_t valid = 0;             // a bit for each sector
        std::uint8_t dirty = 0;
        std::uint8_t partial = 0;    // partly written without having been read: dirty, not valid
        std::uint8_t rewritten = 0;  // of L2: ... and written again, in part, since somebody looked
        std::uint8_t copied = 0;     // of L2: sectors that the partition of other SMs keeps a copy of
        std::uint8_t prefetched =
            0;  // 1 + the grid that it was fetched for ahead of any load; 0 once one has asked for it
        std::uint32_t mshr = none;  // while sectors are in flight
    };
    struct Evicted {
        std::uint64_t number = 0;
        std::uint8_t dirty = 0;    // sectors to write back
        std::uint8_t partial = 0;  // ... of which parts are written
    };

    /// `lines` in sets of `ways` (fewer, if there are fewer lines). `number`: of the SM or the slice, for the policy.
    SectoredCache(std::uint32_t lines, std::uint32_t ways, std::string const& replacement,
                  plugin::CacheLevel level = plugin::CacheLevel::l1, std::uint32_t number = 0);

    /// The entry of the line; `none` when its tag is not present.
    std::uint32_t find(std::uint64_t number) const;
    /// A line will be looked for: where that begins comes into the host's caches, and when it is there, the line.
    void prefetch(std::uint64_t number) const { __builtin_prefetch(&index_[home_of(hash_of(number))]); }
    void prefetch_line(std::uint64_t number) const {
        std::uint32_t const place = index_[home_of(hash_of(number))].place;
        if (place != none) prefetch_place(place);
    }
    void prefetch_place(std::uint32_t place) const {
        __builtin_prefetch(&lines_[place], 1);
        __builtin_prefetch(&pending_[place], 1);
    }
    /// Makes room for a line that is not present; `none` when every line of its set waits for data.
    std::uint32_t allocate(std::uint64_t number, Evicted& evicted);
    void touch(std::uint32_t place) { policy_->used(place / ways_, place % ways_); }
    Line& operator[](std::uint32_t place) { return lines_[place]; }
    Line const& operator[](std::uint32_t place) const { return lines_[place]; }
    std::uint8_t pending(std::uint32_t place) const { return pending_[place]; }
    void expect(std::uint32_t place, std::uint8_t sectors) { pending_[place] |= sectors; }
    /// Sectors have arrived; those that were partly written in the meantime are complete now.
    void fill(std::uint32_t place, std::uint8_t sectors);
    /// Forgets all lines but those that wait for data.
    void invalidate();
    /// Forgets the lines from `first` to before `past`, the same way.
    void forget(std::uint64_t first, std::uint64_t past);
    /// Forgets one line, the same way.
    void forget(std::uint32_t place);
    std::uint32_t lines() const { return static_cast<std::uint32_t>(lines_.size()); }
    // For those who look; a set by its lines that are in use, of `line_bytes` each.
    CacheView view() const;
    std::vector<CachedLine> set(std::uint32_t number, std::uint32_t line_bytes) const;
    template <class Archive> void state(Archive& archive) {
        archive(lines_, pending_, index_);
        archive.component(policy_);
    }

private:
    /// Of the index. With the hash beside it, hardly any but the line that is looked for is read: they lie all over.
    struct Bucket {
        std::uint32_t hash = 0;  // of the line's number
        std::uint32_t place = none;

        template <class Archive> void state(Archive& archive) { archive(hash, place); }
    };
    std::uint32_t set_of(std::uint64_t number) const;
    static std::uint32_t hash_of(std::uint64_t number) {
        return static_cast<std::uint32_t>(number * 0x9e3779b97f4a7c15 >> 32);
    }
    std::size_t home_of(std::uint32_t hash) const { return hash >> shift_; }
    void insert(std::uint64_t number, std::uint32_t place);
    void remove(std::uint32_t place);

    std::uint32_t sets_, ways_;
    std::vector<Line> lines_;
    std::vector<std::uint8_t> pending_;  // sectors in flight, per line
    std::vector<Bucket> index_;          // open addressing: entry by line number
    unsigned shift_ = 0;
    std::unique_ptr<plugin::ReplacementPolicy> policy_;
};

}  // namespace warpsim::timing
