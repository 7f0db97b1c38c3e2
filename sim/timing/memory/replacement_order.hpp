// The ways of each set in some order, as a linked list, because a set may have hundreds of ways: seldom more than 16 bits count.
#pragma once

#include "sim/huge_pages.hpp"
#include "sim/plugin/plugin.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace warpsim::timing {

template <class Number> class WayOrder {
public:
    WayOrder(std::uint32_t sets, std::uint32_t ways) : ways_(ways), links_(std::size_t{sets} * (ways + 1)) {
        for (std::uint32_t set = 0; set < sets; ++set) {
            for (std::uint32_t w = 0; w <= ways; ++w) {
                at(set, w).previous = number(w == 0 ? ways : w - 1);
                at(set, w).next = number(w == ways ? 0 : w + 1);
            }
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
        Link* const links = &at(set, 0);
        std::uint32_t const head = ways_;
        Link const link = links[way];
        if (link.next == head) return;
        links[link.previous].next = link.next;
        links[link.next].previous = link.previous;
        std::uint32_t const last = links[head].previous;
        links[way] = {number(last), number(head)};
        links[last].next = number(way);
        links[head].previous = number(way);
    }
    template <class Archive> void state(Archive& archive) { archive(links_); }

private:
    struct Link {
        Number previous, next;

        template <class Archive> void state(Archive& archive) { archive(previous, next); }
    };
    static Number number(std::uint32_t way) { return static_cast<Number>(way); }
    Link& at(std::uint32_t set, std::uint32_t way) { return links_[std::size_t{set} * (ways_ + 1) + way]; }
    Link const& at(std::uint32_t set, std::uint32_t way) const {
        return links_[std::size_t{set} * (ways_ + 1) + way];
    }

    std::uint32_t ways_;
    sim::HugeVector<Link> links_;  // for each set its ways, then the head of the ring
};

/// A policy that keeps an order, with numbers as wide as its ways need.
template <template <class> class Policy>
std::unique_ptr<plugin::ReplacementPolicy> make_ordered(plugin::ReplacementSettings const& settings) {
    if (settings.ways < std::numeric_limits<std::uint16_t>::max())
        return std::make_unique<Policy<std::uint16_t>>(settings.sets, settings.ways);
    return std::make_unique<Policy<std::uint32_t>>(settings.sets, settings.ways);
}

}  // namespace warpsim::timing
