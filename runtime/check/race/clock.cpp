#include "runtime/check/race/clock.hpp"

#include <algorithm>

namespace warpsim::check {

Agent copies_of(Thread const& thread) { return Clock::key(thread.cta, Clock::copies_part + thread.number); }
Agent work_of(Thread const& thread) { return Clock::key(thread.cta, Clock::work_part + thread.number); }
Agent products_of(std::uint64_t cta, std::uint32_t warpgroup) {
    return Clock::key(cta, Clock::products_part + warpgroup);
}
Agent mbarrier_of(std::uint64_t cta, std::uint64_t offset) {
    return Clock::key(cta, Clock::mbarrier_part + static_cast<std::uint32_t>(offset / 8));
}
Agent map_at(std::uint64_t address) {
    constexpr std::uint64_t most = (std::uint64_t{1} << 41) - 1;
    return Clock::key(address / 128 & most, Clock::map_part);
}
Agent grid_before() { return Clock::key(0, Clock::grid_part); }

Clock::Entries::const_iterator Clock::find(std::uint64_t key) const {
    return std::lower_bound(entries_.begin(), entries_.end(), key,
                            [](Entry const& entry, std::uint64_t wanted) { return entry.key < wanted; });
}

void Clock::raise(std::uint64_t key, Time time) {
    auto const found = entries_.begin() + (find(key) - entries_.cbegin());
    if (found != entries_.end() && found->key == key) found->time = std::max(found->time, time);
    else entries_.insert(found, {key, time});
}

Time Clock::at(std::uint64_t key) const {
    auto const found = find(key);
    return found != entries_.end() && found->key == key ? found->time : 0;
}

bool Clock::includes(Clock const& other) const {
    auto mine = entries_.begin();
    for (Entry const& theirs : other.entries_) {
        while (mine != entries_.end() && mine->key < theirs.key) ++mine;
        if (mine == entries_.end() || mine->key != theirs.key || mine->time < theirs.time) return false;
    }
    return true;
}

/// Adds entries, whose keys `change` maps in their order.
void Clock::add(Clock const& other) {
    if (!includes(other)) merge(other.entries_, [](std::uint64_t key) { return key; });
}

Time Clock::of_warp(Thread const& thread, Proxy by) const {
    return std::max(at(key(thread.cta, cta_part, by)), at(key(thread.cta, warp_part + thread.warp(), by)));
}

Time Clock::of(Thread const& thread, Proxy by) const {
    return std::max(of_warp(thread, by), at(key(thread.cta, thread_part + thread.number, by)));
}

bool Clock::knows_parts_of(std::uint64_t cta) const {
    auto const part = find(key(cta, cta_part + 1));
    return part != entries_.end() && part->key < key(cta, agent_part);
}

bool Clock::knows_others_than(std::uint64_t cta) const {
    auto const end = find(key(0, 0, Proxy::async));
    return end != entries_.begin() &&
           (entries_.front().key >> part_bits != cta || (end - 1)->key >> part_bits != cta);
}

Knowledge joined(Knowledge const& one, Knowledge const& more) {
    if (!more || more->empty() || one == more) return one;
    if (!one || one->empty() || more->includes(*one)) return more;
    if (one->includes(*more)) return one;
    auto both = std::make_shared<Clock>(*one);
    both->add(*more);
    return both;
}

}  // namespace warpsim::check
