// Miss status holding registers: which access waits for which sectors of which line. Fixed storage; knows no time.
#pragma once

#include "sim/host_prefetch.hpp"
#include "sim/huge_pages.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
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
    /// ... and then, what is known of those that came behind the first one.
    void prefetch_others(std::uint32_t entry) const {
        if (entries_[entry].next != none) sim::prefetch(&blocks_[entries_[entry].next]);
    }
    /// The waiter that came first; null: there is none.
    Waiter const* first(std::uint32_t entry) const {
        return entries_[entry].count != 0 ? &entries_[entry].first.waiter : nullptr;
    }
    bool can_merge(std::uint32_t entry) const { return entries_[entry].count < most_; }
    /// First come, first served.
    void add(std::uint32_t entry, std::uint8_t sectors, Waiter const& waiter) {
        Entry& e = entries_[entry];
        if (e.count++ == 0) {
            e.first = {waiter, sectors};
            return;
        }
        if (e.last == none || blocks_[e.last].used == most_together) {
            std::uint32_t const block = take_block();
            (e.last == none ? e.next : blocks_[e.last].next) = block;
            e.last = block;
        }
        Block& last = blocks_[e.last];
        last.waiting[last.used++] = {waiter, sectors};
    }
    /// Calls served(waiter, sectors) for each waiter with those of its sectors that have arrived now; a waiter is
    /// removed when it has all of them. `is_last` says that no waiter is left afterwards, and frees the entry.
    template <class Served> void fill(std::uint32_t entry, std::uint8_t sectors, bool is_last, Served&& served) {
        Entry& e = entries_[entry];
        if (e.count != 0) {
            bool const goes_on = serve(e.first, sectors, served);
            e.count = goes_on ? 1 : 0;
            if (e.next != none) fill_blocks(e, sectors, served);
        }
        if (is_last) free_.push_back(entry);
    }
    template <class Archive> void state(Archive& archive) { archive(entries_, free_, blocks_, spare_); }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Waiting {
        Waiter waiter{};
        std::uint8_t sectors = 0;
    };
    // Others lie together, in a line or two of the host's caches.
    static constexpr std::uint32_t most_together = std::max<std::uint32_t>(56 / sizeof(Waiting), 3);
    struct Block {
        std::array<Waiting, most_together> waiting{};
        std::uint32_t used = 0;
        std::uint32_t next = none;  // with those that came later

        template <class Archive> void state(Archive& archive) { archive(waiting, used, next); }
    };
    /// Most have one waiter, which is found with them.
    struct Entry {
        Waiting first;              // if there is any
        std::uint32_t next = none;  // blocks behind it
        std::uint32_t last = none;
        std::uint32_t count = 0;
    };
    /// Whether it goes on waiting.
    template <class Served> static bool serve(Waiting& w, std::uint8_t sectors, Served& served) {
        std::uint8_t const got = w.sectors & sectors;
        if (got != 0) served(w.waiter, got);
        w.sectors &= static_cast<std::uint8_t>(~sectors);
        return w.sectors != 0;
    }
    /// Those that go on waiting move up.
    template <class Served> void fill_blocks(Entry& e, std::uint8_t sectors, Served& served) {
        std::uint32_t to = none, used = 0;
        for (std::uint32_t from = e.next; from != none; from = blocks_[from].next) {
            Block& block = blocks_[from];
            for (std::uint32_t i = 0; i < block.used; ++i) {
                if (!serve(block.waiting[i], sectors, served)) continue;
                if (e.count++ == 0) {
                    e.first = block.waiting[i];
                    continue;
                }
                if (to == none || used == most_together) {
                    to = to == none ? e.next : blocks_[to].next;
                    used = 0;
                }
                blocks_[to].waiting[used++] = block.waiting[i];
            }
        }
        std::uint32_t& behind = to == none ? e.next : blocks_[to].next;
        while (behind != none) behind = give_back(behind);
        if (to != none) blocks_[to].used = used;
        e.last = to;
    }
    std::uint32_t take_block() {
        if (spare_ == none) {
            blocks_.emplace_back();
            return static_cast<std::uint32_t>(blocks_.size() - 1);
        }
        std::uint32_t const block = spare_;
        spare_ = std::exchange(blocks_[block].next, none);
        return block;
    }
    /// The one behind it.
    std::uint32_t give_back(std::uint32_t block) {
        blocks_[block].used = 0;
        return std::exchange(blocks_[block].next, std::exchange(spare_, block));
    }

    std::uint32_t most_;
    sim::HugeVector<Entry> entries_;
    sim::HugeVector<std::uint32_t> free_;
    sim::HugeVector<Block> blocks_;  // of all waiters but the first of each entry
    std::uint32_t spare_ = none;
};

}  // namespace warpsim::timing
