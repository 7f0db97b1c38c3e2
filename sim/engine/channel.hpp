// Messages that components exchange at the end of an epoch. A component writes to its own outboxes only, so
// components can run at the same time. Messages are taken in the order (time, source, sequence), which does not
// depend on host threads.
#pragma once

#include "sim/huge_pages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::engine {

/// The messages of one source, sorted by destination as they are sent.
template <class Payload> class Outbox {
public:
    struct Message {
        std::uint64_t time;  // time of arrival, in the unit of sender and receiver
        Payload payload;
    };

    explicit Outbox(std::size_t destinations) : lists_(destinations), filled_((destinations + 63) / 64) {}

    void send(std::size_t destination, std::uint64_t time, Payload const& payload) {
        auto const number = static_cast<std::uint32_t>(sent_.size());
        List& list = lists_[destination];
        if (has(destination)) sent_[list.last].next = number;
        else list.first = number;
        list.last = number;
        sent_.push_back({{time, payload}, none});
        filled_[destination / 64] |= std::uint64_t{1} << destination % 64;
    }
    bool has(std::size_t destination) const { return (filled_[destination / 64] >> destination % 64 & 1) != 0; }
    /// Calls `visitor(message)` for all to one destination, in the order of sending.
    template <class Visitor> void each_to(std::size_t destination, Visitor&& visitor) const {
        if (!has(destination)) return;
        for (std::uint32_t i = lists_[destination].first; i != none; i = sent_[i].next) visitor(sent_[i].message);
    }
    bool is_empty() const {
        return std::all_of(filled_.begin(), filled_.end(), [](std::uint64_t word) { return word == 0; });
    }
    /// Calls `visitor(destination, message)` for all, by destination, in the order of sending.
    template <class Visitor> void each(Visitor&& visitor) const {
        for (std::size_t word = 0; word < filled_.size(); ++word) {
            for (std::uint64_t left = filled_[word]; left != 0; left &= left - 1) {
                std::size_t const destination = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
                each_to(destination, [&](Message const& message) { visitor(destination, message); });
            }
        }
    }
    /// Called between epochs, when everything has been collected.
    void clear() {
        sent_.clear();
        std::fill(filled_.begin(), filled_.end(), 0);
    }

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    // All messages lie together, those to one destination linked: most destinations get one or none in an epoch.
    struct Sent {
        Message message;
        std::uint32_t next;
    };
    struct List {
        std::uint32_t first = none, last = none;
    };
    sim::HugeVector<Sent> sent_;         // keeps its storage
    sim::HugeVector<List> lists_;        // of destinations that have any
    std::vector<std::uint64_t> filled_;  // one bit per destination
};

/// The messages to one destination, in the order (time, source, sequence).
template <class Payload> class Inbox {
public:
    bool empty() const { return next_ == items_.size(); }
    std::size_t size() const { return items_.size() - next_; }
    std::uint64_t next_time() const { return next_time_; }
    Payload const& front() const { return items_[next_].payload; }
    std::uint32_t front_source() const { return static_cast<std::uint32_t>(items_[next_].order >> 32); }
    void pop() {
        ++next_;
        find_next_time();
    }
    /// Calls `visitor(payload)` for those that arrive before `end`, but no more than the first few.
    static constexpr std::size_t first_few = 64;
    template <class Visitor> void each_before(std::uint64_t end, Visitor&& visitor) const {
        std::size_t const past = std::min(items_.size(), next_ + first_few);
        for (std::size_t i = next_; i < past && items_[i].time < end; ++i) visitor(items_[i].payload);
    }

    /// Takes what all sources sent here in the epoch that ended; the first of them has the number `first`. Each
    /// message must arrive later than everything that was taken from this inbox in earlier epochs. Touches no outbox
    /// entry of another destination. Whether there was anything.
    bool collect(std::size_t self, std::span<Outbox<Payload>* const> sources, std::size_t first = 0) {
        // Most inboxes get nothing in most epochs.
        for (std::size_t source = 0; source < sources.size(); ++source) {
            if (!sources[source]->has(self)) continue;
            take(self, sources.subspan(source), first + source);
            return true;
        }
        return false;
    }
    /// Without what has been taken out.
    template <class Archive> void state(Archive& archive) {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
        archive(items_);
        find_next_time();
    }

private:
    struct Item {
        std::uint64_t time;
        std::uint64_t order;  // source, sequence
        Payload payload;
    };

    /// Among equal times from one source, messages of an earlier epoch stay first.
    static bool arrives_earlier(Item const& a, Item const& b) {
        return a.time != b.time ? a.time < b.time : a.order >> 32 < b.order >> 32;
    }

    [[gnu::noinline]] void take(std::size_t self, std::span<Outbox<Payload>* const> sources, std::size_t first) {
        // What has been taken out is left where it is until that is half of all, as many may wait behind it.
        if (next_ >= items_.size() - next_) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
            next_ = 0;
        }
        std::size_t const before = items_.size();
        static thread_local std::vector<Item> taken;
        taken.clear();
        std::uint64_t earliest = UINT64_MAX, latest = 0;
        for (std::size_t source = 0; source < sources.size(); ++source) {
            if (!sources[source]->has(self)) continue;
            std::uint64_t order = std::uint64_t{first + source} << 32;
            sources[source]->each_to(self, [&](auto const& message) {
                taken.push_back({message.time, order++, message.payload});
                earliest = std::min(earliest, message.time);
                latest = std::max(latest, message.time);
            });
        }
        items_.resize(before + taken.size());
        auto const middle = items_.begin() + static_cast<std::ptrdiff_t>(before);
        if (latest - earliest < near && taken.size() < UINT16_MAX) {
            sort_near(taken, earliest, items_.data() + before);
        } else {
            std::copy(taken.begin(), taken.end(), middle);
            std::stable_sort(middle, items_.end(), [](Item const& a, Item const& b) { return a.time < b.time; });
        }
        // Mostly what was there arrives before all that is new.
        auto const later = std::upper_bound(items_.begin() + static_cast<std::ptrdiff_t>(next_), middle, *middle,
                                            arrives_earlier);
        if (later != middle) std::inplace_merge(later, middle, items_.end(), arrives_earlier);
        find_next_time();
    }
    void find_next_time() { next_time_ = empty() ? UINT64_MAX : items_[next_].time; }

    /// Puts items that arrive within `near` from `earliest` on in order of time, those of equal times as they were. Most arrive
    /// within an epoch, and in no order that a host could foresee: each goes to the end of its time's list.
    static void sort_near(std::vector<Item> const& taken, std::uint64_t earliest, Item* to) {
        std::array<std::uint64_t, near / 64> has{};
        std::array<std::uint16_t, near> firsts, lasts;
        static thread_local std::vector<std::uint16_t> next;
        next.resize(taken.size());
        for (std::size_t i = 0; i < taken.size(); ++i) {
            auto const time = static_cast<std::size_t>(taken[i].time - earliest);
            auto const number = static_cast<std::uint16_t>(i);
            std::uint64_t& word = has[time / 64];
            bool const is_first = (word >> time % 64 & 1) == 0;
            word |= std::uint64_t{1} << time % 64;
            next[is_first ? i : lasts[time]] = number;
            firsts[time] = is_first ? number : firsts[time];
            lasts[time] = number;
        }
        for (std::size_t word = 0; word < has.size(); ++word) {
            for (std::uint64_t left = has[word]; left != 0; left &= left - 1) {
                std::size_t const time = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
                std::size_t i = firsts[time];
                for (*to++ = taken[i]; i != lasts[time]; *to++ = taken[i]) i = next[i];
            }
        }
    }

    static constexpr std::size_t near = 512;
    sim::HugeVector<Item> items_;
    std::size_t next_ = 0;
    std::uint64_t next_time_ = UINT64_MAX;  // of the first of them: asked for in every cycle
};

}  // namespace warpsim::engine
