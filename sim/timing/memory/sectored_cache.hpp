// The tags of a cache whose lines are filled sector by sector: which sectors are present, dirty, or in flight. A
// line gets its entry when its first sector misses, long before the data arrives (tags and data are decoupled).
// Holds no bytes and knows no time.
#pragma once

#include "sim/host_prefetch.hpp"
#include "sim/huge_pages.hpp"
#include "sim/plugin/plugin.hpp"
#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/view.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpsim::timing {

class SectoredCache {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Line {
        std::uint64_t number = UINT64_MAX;  // address / line size
        std::uint32_t mshr = none;          // while sectors are in flight
        std::uint8_t valid = 0;             // a bit for each sector
        std::uint8_t dirty = 0;
        std::uint8_t partial = 0;  // partly written without having been read: dirty, not valid
        std::uint8_t prefetched =
            0;  // 1 + the grid that it was fetched for ahead of any load; 0 once one has asked for it
    };
    static_assert(sizeof(Line) == 16);  // lines are found all over: none lies in two of the host's
    /// What L2 knows of a line in addition, of its sectors.
    struct LineOfL2 {
        std::uint8_t rewritten = 0;  // partly written, and written again, in part, since somebody looked
        std::uint8_t copied = 0;     // the partition of other SMs keeps a copy
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
    /// The same for each of these, which come into the host's caches, as they lie all over.
    void find(std::span<LineAccess const> accesses, std::uint32_t* places) const;
    /// A line will be looked for: where that begins comes into the host's caches, and when it is there, the line.
    void prefetch(std::uint64_t number) const { sim::prefetch(&index_[home_of(hash_of(number))]); }
    void prefetch_line(std::uint64_t number) const;
    void prefetch_place(std::uint32_t place) const {
        sim::prefetch(&lines_[place]);
        sim::prefetch(&pending_[place]);
    }
    /// Makes room for a line that is not present; `none` when every line of its set waits for data.
    std::uint32_t allocate(std::uint64_t number, Evicted& evicted);
    void touch(std::uint32_t place) { policy_->used(place / ways_, place % ways_); }
    Line& operator[](std::uint32_t place) { return lines_[place]; }
    Line const& operator[](std::uint32_t place) const { return lines_[place]; }
    LineOfL2& of_l2(std::uint32_t place) { return of_l2_[place]; }
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
        archive(lines_, of_l2_, pending_, index_);
        archive.component(policy_);
    }

private:
    std::uint32_t set_of(std::uint64_t number) const;
    static std::uint32_t hash_of(std::uint64_t number) {
        return static_cast<std::uint32_t>(number * 0x9e3779b97f4a7c15 >> 32);
    }
    // An entry of the index has the place of a line and, in the bits above, as many of its hash as there is room for: hardly any
    // line but the one that is looked for is read, as they lie all over.
    std::uint32_t place_of(std::uint32_t entry) const { return entry & places_; }
    std::uint32_t entry_of(std::uint32_t hash, std::uint32_t place) const { return (hash & ~places_) | place; }
    std::size_t home_of(std::uint32_t hash) const {
        return static_cast<std::size_t>(std::uint64_t{hash} >> shift_);
    }
    std::size_t home_of_entry(std::uint32_t entry) const {
        return home_of(has_homes_ ? entry : hash_of(lines_[place_of(entry)].number));
    }
    /// Entries that are compared all at once, since a host could not foresee after how many of them the search ends. A line's is in
    /// its home, or behind that, if all between were in use; half of all entries are free, so hardly any group is full.
    struct alignas(32) Group {
        std::array<std::uint32_t, 8> entries;

        /// A bit for each entry that has these bits where `kept` has ones.
        std::uint32_t with(std::uint32_t bits, std::uint32_t kept) const;
        std::uint32_t free() const { return with(none, none); }
        template <class Archive> void state(Archive& archive) { archive(entries); }
    };
    std::uint32_t find_in(Group const* groups, std::size_t mask, std::uint64_t number) const;
    void insert(std::uint64_t number, std::uint32_t place);
    void remove(std::uint32_t place);

    std::uint32_t sets_, ways_;
    sim::HugeVector<Line> lines_;
    sim::HugeVector<LineOfL2> of_l2_;        // empty in other caches
    sim::HugeVector<std::uint8_t> pending_;  // sectors in flight, per line
    sim::HugeVector<Group> index_;           // open addressing: entry by line number
    std::uint32_t places_ = 0;               // the bits of an entry that are the place
    bool has_homes_ = false;  // the others begin with those of the hash that say where the entry belongs
    unsigned shift_ = 0;
    std::unique_ptr<plugin::ReplacementPolicy> policy_;
};

}  // namespace warpsim::timing
