// Messages that components exchange at the end of an epoch. A component writes to its own outboxes only, so
// components can run at the same time. Messages are taken in the order (time, source, sequence), which does not
// depend on host threads.
#pragma once

#include <algorithm>
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
        lists_[destination].push_back({time, payload});
        filled_[destination / 64] |= std::uint64_t{1} << destination % 64;
    }
    bool has(std::size_t destination) const { return (filled_[destination / 64] >> destination % 64 & 1) != 0; }
    std::vector<Message>& list(std::size_t destination) { return lists_[destination]; }
    bool is_empty() const {
        return std::all_of(filled_.begin(), filled_.end(), [](std::uint64_t word) { return word == 0; });
    }
    /// Calls `visitor(destination, message)` for all, by destination, in the order of sending.
    template <class Visitor> void each(Visitor&& visitor) const {
        for (std::size_t word = 0; word < filled_.size(); ++word) {
            for (std::uint64_t left = filled_[word]; left != 0; left &= left - 1) {
                std::size_t const destination = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
                for (Message const& message : lists_[destination]) visitor(destination, message);
            }
        }
    }
    /// Called between epochs, when everything has been collected.
    void clear() {
        for (std::size_t word = 0; word < filled_.size(); ++word) {
            for (std::uint64_t left = filled_[word]; left != 0; left &= left - 1) {
                lists_[64 * word + static_cast<std::size_t>(std::countr_zero(left))].clear();
            }
            filled_[word] = 0;
        }
    }

private:
    std::vector<std::vector<Message>> lists_;  // cleared lists keep their storage
    std::vector<std::uint64_t> filled_;        // one bit per destination
};

/// The messages to one destination, in the order (time, source, sequence).
template <class Payload> class Inbox {
public:
    bool empty() const { return next_ == items_.size(); }
    std::size_t size() const { return items_.size() - next_; }
    std::uint64_t next_time() const { return empty() ? UINT64_MAX : items_[next_].time; }
    Payload const& front() const { return items_[next_].payload; }
    std::uint32_t front_source() const { return static_cast<std::uint32_t>(items_[next_].order >> 32); }
    void pop() { ++next_; }

    /// Takes what all sources sent here in the epoch that ended; the first of them has the number `first`. Each
    /// message must arrive later than everything that was taken from this inbox in earlier epochs. Touches no outbox
    /// entry of another destination.
    void collect(std::size_t self, std::span<Outbox<Payload>* const> sources, std::size_t first = 0) {
        // Most inboxes get nothing in most epochs.
        for (std::size_t source = 0; source < sources.size(); ++source) {
            if (sources[source]->has(self)) return take(self, sources.subspan(source), first + source);
        }
    }
    /// Without what has been taken out.
    template <class Archive> void state(Archive& archive) {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
        archive(items_);
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
        for (std::size_t source = 0; source < sources.size(); ++source) {
            if (!sources[source]->has(self)) continue;
            std::uint64_t order = std::uint64_t{first + source} << 32;
            for (auto const& message : sources[source]->list(self))
                items_.push_back({message.time, order++, message.payload});
        }
        auto const middle = items_.begin() + static_cast<std::ptrdiff_t>(before);
        std::sort(middle, items_.end(), [](Item const& a, Item const& b) {
            return a.time != b.time ? a.time < b.time : a.order < b.order;
        });
        // Mostly what was there arrives before all that is new.
        auto const later = std::upper_bound(items_.begin() + static_cast<std::ptrdiff_t>(next_), middle, *middle,
                                            arrives_earlier);
        if (later != middle) std::inplace_merge(later, middle, items_.end(), arrives_earlier);
    }

    std::vector<Item> items_;
    std::size_t next_ = 0;
};

}  // namespace warpsim::engine
