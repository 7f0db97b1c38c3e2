// Miss status holding registers: which access waits for which sectors of which line. Fixed storage; knows no time.
#pragma once

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// `Waiter` says what to do when the sectors have arrived.
template <class Waiter> class Mshrs {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    Mshrs(std::uint32_t entries, std::uint32_t merges)
        : most_(merges), heads_(entries, none), counts_(entries, 0) {
        for (std::uint32_t i = entries; i-- > 0;) free_.push_back(i);
    }
    bool full() const { return free_.empty(); }
    std::uint32_t entries() const { return static_cast<std::uint32_t>(heads_.size()); }
    std::uint32_t in_use() const { return static_cast<std::uint32_t>(heads_.size() - free_.size()); }
    std::uint32_t take() {
        std::uint32_t const entry = free_.back();
        free_.pop_back();
        return entry;
    }
    bool can_merge(std::uint32_t entry) const { return counts_[entry] < most_; }
    void add(std::uint32_t entry, std::uint8_t sectors, Waiter const& waiter) {
        std::uint32_t node = spare_;
        if (node == none) {
            node = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
        } else {
            spare_ = nodes_[node].next;
        }
        nodes_[node] = {waiter, sectors, none};
        // Appended at the end: first come, first served.
        std::uint32_t* link = &heads_[entry];
        while (*link != none) link = &nodes_[*link].next;
        *link = node;
        ++counts_[entry];
    }
    /// Calls served(waiter, sectors) for each waiter with those of its sectors that have arrived now; a waiter is
    /// removed when it has all of them. `is_last` says that no waiter is left afterwards, and frees the entry.
    template <class Served> void fill(std::uint32_t entry, std::uint8_t sectors, bool is_last, Served&& served) {
        for (std::uint32_t* link = &heads_[entry]; *link != none;) {
            Node& node = nodes_[*link];
            std::uint8_t const got = node.sectors & sectors;
            if (got != 0) served(node.waiter, got);
            node.sectors &= static_cast<std::uint8_t>(~sectors);
            if (node.sectors != 0) {
                link = &node.next;
                continue;
            }
            std::uint32_t const gone = *link;
            *link = node.next;
            nodes_[gone].next = spare_;
            spare_ = gone;
            --counts_[entry];
        }
        if (is_last) free_.push_back(entry);
    }
    template <class Archive> void state(Archive& archive) { archive(heads_, counts_, free_, nodes_, spare_); }

private:
    struct Node {
        Waiter waiter;
        std::uint8_t sectors;
        std::uint32_t next;
    };
    std::uint32_t most_;
    std::vector<std::uint32_t> heads_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint32_t> free_;
    std::vector<Node> nodes_;
    std::uint32_t spare_ = none;
};

}  // namespace warpsim::timing
