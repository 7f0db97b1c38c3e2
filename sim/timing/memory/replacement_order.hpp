// The ways of each set in some order, as a linked list, because a set may have hundreds of ways.
#pragma once

#include <cstdint>
#include <vector>

namespace warpsim::timing {

class WayOrder {
public:
    WayOrder(std::uint32_t sets, std::uint32_t ways) : ways_(ways), links_(std::size_t{sets} * (ways + 1)) {
        for (std::uint32_t set = 0; set < sets; ++set) {
            for (std::uint32_t w = 0; w <= ways; ++w) at(set, w) = {w == 0 ? ways : w - 1, w == ways ? 0 : w + 1};
        }
    }
    std::uint32_t first(std::uint32_t set) const { return at(set, ways_).next; }
    std::uint32_t next(std::uint32_t set, std::uint32_t way) const { return at(set, way).next; }
    std::uint32_t end() const { return ways_; }
    std::vector<std::uint32_t> all(std::uint32_t set) const {
        std::vector<std::uint32_t> ways;
        for (std::uint32_t w = first(set); w != end(); w = next(set, w)) ways.push_back(w);
        return ways;
    }
    void move_to_end(std::uint32_t set, std::uint32_t way) {
        Link const link = at(set, way);
        if (link.next == ways_) return;
        at(set, link.previous).next = link.next;
        at(set, link.next).previous = link.previous;
        std::uint32_t const last = at(set, ways_).previous;
        at(set, way) = {last, ways_};
        at(set, last).next = way;
        at(set, ways_).previous = way;
    }
    template <class Archive> void state(Archive& archive) { archive(links_); }

private:
    struct Link {
        std::uint32_t previous, next;

        template <class Archive> void state(Archive& archive) { archive(previous, next); }
    };
    Link& at(std::uint32_t set, std::uint32_t way) { return links_[std::size_t{set} * (ways_ + 1) + way]; }
    Link const& at(std::uint32_t set, std::uint32_t way) const {
        return links_[std::size_t{set} * (ways_ + 1) + way];
    }

    std::uint32_t ways_;
    std::vector<Link> links_;  // for each set its ways, then the head of the ring
};

}  // namespace warpsim::timing
