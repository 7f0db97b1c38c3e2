// Vector clocks: up to which moment somebody knows what others have done. There are thousands of threads, and most learn of
// each other by barriers; so what is known of a whole CTA or warp is one entry.
#pragma once

#include <cstdint>
#include <memory>
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

class Clock;
/// What somebody knew at one moment never changes. Null: nothing.
using Knowledge = std::shared_ptr<Clock const>;

class Clock {
public:
    /// Everything that these have done before `time` is known.
    void add_thread(Thread const& thread, Time time) { raise(key(thread.cta, thread_part + thread.number), time); }
    void add_warp(std::uint64_t cta, std::uint32_t warp, Time time) { raise(key(cta, warp_part + warp), time); }
    void add_cta(std::uint64_t cta, Time time) { raise(key(cta, cta_part), time); }
    void add(Clock const& other);

    /// Up to when what the thread has done is known; 0: nothing.
    Time of(Thread const& thread) const;
    /// ... of all threads of its warp.
    Time of_warp(Thread const& thread) const;
    /// Whether anything is known of a part of the CTA that is not known of all of it.
    bool knows_parts_of(std::uint64_t cta) const;
    /// Whether anything is known of another CTA.
    bool knows_others_than(std::uint64_t cta) const;
    bool empty() const { return entries_.empty(); }

private:
    static constexpr std::uint32_t cta_part = 0, warp_part = 1, thread_part = 64;
    static constexpr unsigned part_bits = 12;
    static std::uint64_t key(std::uint64_t cta, std::uint32_t part) { return cta << part_bits | part; }
    struct Entry {
        std::uint64_t key;
        Time time;
    };
    void raise(std::uint64_t key, Time time);
    Time at(std::uint64_t key) const;

    std::vector<Entry> entries_;  // by key
};

/// What is known to somebody who learns `more`. Shares what it can.
Knowledge joined(Knowledge const& one, Knowledge const& more);

}  // namespace warpsim::check
