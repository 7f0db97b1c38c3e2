// Miss status holding registers: which access waits for which sectors of which line. Fixed storage; knows no time.
#pragma once

#include "sim/host_prefetch.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// `Waiter` says what to do when the sectors have arrived.
template <class Waiter> class Mshrs {
public:
    Mshrs(std::uint32_t entries, std::uint32_t merges) : most_(merges), entries_(entries) {
        for (std::uint32_t i = entries; i-- > 0;) free_.push_back(i);
    }
    bool full() const { return free_.empty(); }
    std::uint32_t entries() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::uint32_t in_use() const { return static_cast<std::uint32_t>(entries_.size() - free_.size()); }
    std::uint32_t take() {
        std::uint32_t const entry = free_.back();
        free_.pop_back();
        return entry;
    }
    /// What is known of an entry comes into the host's caches.
    void prefetch(std::uint32_t entry) const { sim::prefetch(&entries_[entry]); }
    /// The waiter that came first; null: there is none.
    Waiter const* first(std::uint32_t entry) const {
        return entries_[entry].count != 0 ? &entries_[entry].first.waiter : nullptr;
    }
    bool can_merge(std::uint32_t entry) const { return entries_[entry].count < most_; }
    /// First come, first served.
    void add(std::uint32_t entry, std::uint8_t sectors, Waiter const& waiter) {
        Entry& e = entries_[entry];
        if (e.count++ == 0) {
            e.first = {waiter, sectors, none};
            e.last = none;
            return;
        }
        std::uint32_t node = spare_;
        if (node == none) {
            node = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
        } else {
            spare_ = nodes_[node].next;
        }
        nodes_[node] = {waiter, sectors, none};
        (e.last == none ? e.first.next : nodes_[e.last].next) = node;
        e.last = node;
    }
    /// Calls served(waiter, sectors) for each waiter with those of its sectors that have arrived now; a waiter is
    /// removed when it has all of them. `is_last` says that no waiter is left afterwards, and frees the entry.
    template <class Served> void fill(std::uint32_t entry, std::uint8_t sectors, bool is_last, Served&& served) {
        Entry& e = entries_[entry];
        if (e.count != 0) {
            serve(e.first, sectors, served);
            std::uint32_t before = none;
            for (std::uint32_t n = e.first.next; n != none;) {
                Node& node = nodes_[n];
                serve(node, sectors, served);
                std::uint32_t const next = node.next;
                if (node.sectors != 0) {
                    before = n;
                } else {
                    (before == none ? e.first.next : nodes_[before].next) = next;
                    if (next == none) e.last = before;
                    give_back(e, n);
                }
                n = next;
            }
            if (e.first.sectors == 0) remove_first(e);
        }
        if (is_last) free_.push_back(entry);
    }
    template <class Archive> void state(Archive& archive) { archive(entries_, free_, nodes_, spare_); }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Node {
        Waiter waiter{};
        std::uint8_t sectors = 0;
        std::uint32_t next = none;
    };
    /// Most have one waiter, which is found with them.
    struct Entry {
        Node first;                 // if there is any
        std::uint32_t last = none;  // of the nodes behind it
        std::uint32_t count = 0;
    };
    template <class Served> static void serve(Node& node, std::uint8_t sectors, Served& served) {
        std::uint8_t const got = node.sectors & sectors;
        if (got != 0) served(node.waiter, got);
        node.sectors &= static_cast<std::uint8_t>(~sectors);
    }
    void give_back(Entry& e, std::uint32_t node) {
        nodes_[node].next = spare_;
        spare_ = node;
        --e.count;
    }
    void remove_first(Entry& e) {
        std::uint32_t const next = e.first.next;
        if (next == none) {
            --e.count;
            return;
        }
        e.first = nodes_[next];
        if (e.first.next == none) e.last = none;
        give_back(e, next);
    }

    std::uint32_t most_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> free_;
    std::vector<Node> nodes_;  // of all waiters but the first of each entry
    std::uint32_t spare_ = none;
};

}  // namespace warpsim::timing
