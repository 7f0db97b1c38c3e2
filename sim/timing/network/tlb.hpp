// Pages that can be translated without asking further, and those that are being looked up.
#pragma once

#include "sim/engine/clock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

/// Of so many entries, in sets of so many ways, of which the one makes room that was not used for longest.
class Tlb {
public:
    Tlb(std::uint32_t entries, std::uint32_t ways) : ways_(std::clamp(ways, 1u, std::max(entries, 1u))) {
        entries_.resize(std::max(entries / ways_, 1u) * std::size_t{ways_});
    }

    /// When the page is there; none: it is not, and nobody looks it up.
    Cycle const* find(std::uint64_t page) {
        Entry* const set = set_of(page);
        Entry* const found = std::find_if(set, set + ways_, [&](Entry const& e) { return e.page == page; });
        if (found == set + ways_) return nullptr;
        found->used = ++used_;
        return &found->ready;
    }
    void put(std::uint64_t page, Cycle ready) {
        Entry* const set = set_of(page);
        Entry* const oldest =
            std::min_element(set, set + ways_, [](Entry const& a, Entry const& b) { return a.used < b.used; });
        *oldest = {page, ready, ++used_};
    }
    template <class Archive> void state(Archive& archive) { archive(entries_, used_); }

private:
    struct Entry {
        std::uint64_t page = UINT64_MAX;
        Cycle ready = 0;
        std::uint64_t used = 0;
    };
    Entry* set_of(std::uint64_t page) { return entries_.data() + page % (entries_.size() / ways_) * ways_; }

    std::uint32_t ways_;
    std::vector<Entry> entries_;
    std::uint64_t used_ = 0;
};

}  // namespace warpsim::timing
