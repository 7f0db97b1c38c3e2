#include "runtime/check/race/clock.hpp"

#include <algorithm>

namespace warpsim::check {

void Clock::raise(std::uint64_t key, Time time) {
    auto const found =
        std::lower_bound(entries_.begin(), entries_.end(), key,
                         [](Entry const& entry, std::uint64_t wanted) { return entry.key < wanted; });
    if (found != entries_.end() && found->key == key) found->time = std::max(found->time, time);
    else entries_.insert(found, {key, time});
}

Time Clock::at(std::uint64_t key) const {
    auto const found =
        std::lower_bound(entries_.begin(), entries_.end(), key,
                         [](Entry const& entry, std::uint64_t wanted) { return entry.key < wanted; });
    return found != entries_.end() && found->key == key ? found->time : 0;
}

void Clock::add(Clock const& other) {
    if (other.entries_.empty()) return;
    std::vector<Entry> all;
    all.reserve(entries_.size() + other.entries_.size());
    auto mine = entries_.begin();
    for (Entry const& theirs : other.entries_) {
        for (; mine != entries_.end() && mine->key < theirs.key; ++mine) all.push_back(*mine);
        if (mine != entries_.end() && mine->key == theirs.key) {
            all.push_back({theirs.key, std::max(mine->time, theirs.time)});
            ++mine;
        } else {
            all.push_back(theirs);
        }
    }
    all.insert(all.end(), mine, entries_.end());
    entries_ = std::move(all);
}

Time Clock::of_warp(Thread const& thread) const {
    return std::max(at(key(thread.cta, cta_part)), at(key(thread.cta, warp_part + thread.warp())));
}

Time Clock::of(Thread const& thread) const {
    return std::max(of_warp(thread), at(key(thread.cta, thread_part + thread.number)));
}

bool Clock::knows_parts_of(std::uint64_t cta) const {
    auto const part =
        std::upper_bound(entries_.begin(), entries_.end(), key(cta, cta_part),
                         [](std::uint64_t wanted, Entry const& entry) { return wanted < entry.key; });
    return part != entries_.end() && part->key >> part_bits == cta;
}

bool Clock::knows_others_than(std::uint64_t cta) const {
    return !entries_.empty() &&
           (entries_.front().key >> part_bits != cta || entries_.back().key >> part_bits != cta);
}

Knowledge joined(Knowledge const& one, Knowledge const& more) {
    if (!more || more->empty() || one == more) return one;
    if (!one || one->empty()) return more;
    auto both = std::make_shared<Clock>(*one);
    both->add(*more);
    return both;
}

}  // namespace warpsim::check
