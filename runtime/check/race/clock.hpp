// Vector clocks: up to which moment somebody knows what others have done. There are thousands of threads, and most learn of
// each other by barriers; so what is known of a whole CTA or warp is one entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace warpsim::check {

/// Counts the synchronising actions of a launch, in the order in which they happened.
using Time = std::uint64_t;

/// A thread of the launch: its CTA in the grid, and its number there.
struct Thread {
    std::uint64_t cta = 0;
    std::uint32_t number = 0;

    std::uint32_t warp() const { return number / 32; }
    std::uint32_t lane() const { return number % 32; }
    bool operator==(Thread const&) const = default;
};

/// What works beside the threads of a CTA: who knows that it has come to some point knows that what it had begun before is
/// complete. 0: nothing.
using Agent = std::uint64_t;
/// All copies by cp.async of a thread, as far as cp.async.mbarrier.arrive tells of them.
Agent copies_of(Thread const& thread);
/// Its work of the matrix unit, as far as tcgen05.commit tells of it.
Agent work_of(Thread const& thread);
/// The products of a warpgroup, which are counted in groups.
Agent products_of(std::uint64_t cta, std::uint32_t warpgroup);
/// Copies that count their bytes at an mbarrier, by its offset in the CTA's shared memory.
Agent mbarrier_of(std::uint64_t cta, std::uint64_t offset);

/// Who acquires a tensor map, by its address, knows what has been released of it before; others know nothing.
Agent map_at(std::uint64_t address);
/// The grid before, which may end while this one runs.
Agent grid_before();

/// Ways to memory. What is known of an access by one way may not hold for another: a proxy fence has to be in between.
/// `released_map` is what a release has made ready for the acquire of a tensor map; `released_map_nearby`, one whose scope is no
/// wider than the cluster. `dependent` is no way of its own: these are
/// reads on whose values something depends that has been observed, though nobody has released it.
enum class Proxy : std::uint8_t { generic, async, released_map, map, texture, dependent, released_map_nearby };

class Clock;
/// What somebody knew at one moment never changes. Null: nothing.
using Knowledge = std::shared_ptr<Clock const>;

class Clock {
public:
    /// Everything that these have done before `time` is known.
    void add_thread(Thread const& thread, Time time) { raise(key(thread.cta, thread_part + thread.number), time); }
    void add_warp(std::uint64_t cta, std::uint32_t warp, Time time) { raise(key(cta, warp_part + warp), time); }
    void add_cta(std::uint64_t cta, Time time) { raise(key(cta, cta_part), time); }
    void add_agent(Agent agent, Time time) { raise(agent, time); }
    void add(Clock const& other);
    /// What is known by one way becomes known by another: of the CTAs for which reaches(cta) is so.
    template <class Reaches> void add_seen(Clock const& other, Proxy by, Proxy also, Reaches const& reaches) {
        auto const begin = other.find(key(0, 0, by)),
                   end = other.find(key(0, 0, static_cast<Proxy>(static_cast<std::uint8_t>(by) + 1)));
        std::uint64_t const from = key(0, 0, by), to = key(0, 0, also);
        Entries entries;
        std::copy_if(begin, end, std::back_inserter(entries),
                     [&](Entry const& entry) { return reaches((entry.key - from) >> part_bits); });
        merge(entries, [=](std::uint64_t k) { return k - from + to; });
    }
    void add_seen(Clock const& other, Proxy by, Proxy also) {
        add_seen(other, by, also, [](std::uint64_t) { return true; });
    }

    /// Up to when what the thread has done is known; 0: nothing.
    Time of(Thread const& thread, Proxy by = Proxy::generic) const;
    /// ... of all threads of its warp.
    Time of_warp(Thread const& thread, Proxy by = Proxy::generic) const;
    Time of_agent(Agent agent) const { return at(agent); }
    /// Whether anything is known of a part of the CTA that is not known of all of it.
    bool knows_parts_of(std::uint64_t cta) const;
    /// Whether anything is known of another CTA.
    bool knows_others_than(std::uint64_t cta) const;
    bool empty() const { return entries_.empty(); }
    /// Whether all of the other's knowledge is in this one.
    bool includes(Clock const& other) const;

private:
    friend Agent copies_of(Thread const& thread);
    friend Agent work_of(Thread const& thread);
    friend Agent products_of(std::uint64_t cta, std::uint32_t warpgroup);
    friend Agent mbarrier_of(std::uint64_t cta, std::uint64_t offset);
    friend Agent map_at(std::uint64_t address);
    friend Agent grid_before();

    // The parts of a CTA; those before the agents are knowledge of threads.
    static constexpr std::uint32_t cta_part = 0, warp_part = 1, thread_part = 64, agent_part = 0x1000;
    static constexpr std::uint32_t copies_part = 0x1000, work_part = 0x2000, products_part = 0x3000,
                                   grid_part = 0x4000, map_part = 0x5000, mbarrier_part = 0x10000;
    static constexpr unsigned part_bits = 20, proxy_shift = 61;
    static std::uint64_t key(std::uint64_t cta, std::uint32_t part, Proxy by = Proxy::generic) {
        return std::uint64_t{static_cast<std::uint8_t>(by)} << proxy_shift | cta << part_bits | part;
    }
    struct Entry {
        std::uint64_t key;
        Time time;
    };
    using Entries = std::vector<Entry>;
    Entries::const_iterator find(std::uint64_t key) const;
    void raise(std::uint64_t key, Time time);
    Time at(std::uint64_t key) const;
    template <class Change> void merge(Entries const& others, Change const& change) {
        Entries all;
        all.reserve(entries_.size() + others.size());
        auto mine = entries_.begin();
        for (Entry const& other : others) {
            std::uint64_t const key = change(other.key);
            while (mine != entries_.end() && mine->key < key) all.push_back(*mine++);
            if (mine != entries_.end() && mine->key == key) {
                all.push_back({key, std::max(mine->time, other.time)});
                ++mine;
            } else {
                all.push_back({key, other.time});
            }
        }
        all.insert(all.end(), mine, entries_.end());
        entries_ = std::move(all);
    }

    Entries entries_;  // by key
};

/// What is known to somebody who learns `more`. Shares what it can.
Knowledge joined(Knowledge const& one, Knowledge const& more);

}  // namespace warpsim::check
