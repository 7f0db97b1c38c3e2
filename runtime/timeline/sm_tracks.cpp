#include "runtime/timeline/sm_tracks.hpp"

#include "sim/exec/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace warpsim::timeline {

namespace {

/// "ld.global.f32" of "@%p1 ld.global.f32 %f1, [%rd4];"
std::string mnemonic(std::string const& text) {
    std::size_t begin = 0;
    if (text.starts_with('@')) begin = std::min(text.find_first_not_of(' ', text.find(' ')), text.size());
    std::size_t const end = text.find_first_of(" ;", begin);
    return text.substr(begin, end == std::string::npos ? end : end - begin);
}

std::string hexadecimal(std::uint32_t lanes) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", lanes);
    return text;
}

}  // namespace

std::uint32_t SmTracks::place(std::string const& text, std::string const& where) {
    auto const [at, is_new] =
        known_places_.try_emplace(where + ' ' + text, static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.push_back({mnemonic(text), text, where});
    return at->second;
}

SmTracks::Resident* SmTracks::find(sim::Cta const& cta) {
    if (is_full_) return nullptr;
    auto const known = residents_.find(&cta);
    return known != residents_.end() ? &known->second : nullptr;
}

void SmTracks::add(Record const& record) { records_.push_back(record); }

void SmTracks::check(std::uint64_t at) {
    if (records_.size() >= most_) cut(at);
}

void SmTracks::start(sim::Cta const& cta, std::uint64_t launch, std::uint64_t at) {
    if (is_full_) return;
    // A place is free for another CTA in the cycle in which the last warp leaves it.
    auto const free = std::find(slots_.begin(), slots_.end(), false);
    auto const slot = static_cast<std::uint32_t>(free - slots_.begin());
    if (free == slots_.end()) slots_.push_back(true);
    else *free = true;
    Resident& resident = residents_[&cta];
    resident = {
        launch, at, slot, static_cast<std::uint32_t>(names_.size()), static_cast<std::uint32_t>(cta.warps.size()),
        0};
    char name[64];
    std::snprintf(name, sizeof name, "CTA (%u,%u,%u)", cta.id[0], cta.id[1], cta.id[2]);
    names_.emplace_back(name);
}

void SmTracks::issue(sim::Cta const& cta, std::uint32_t warp, std::uint32_t place, std::uint64_t at) {
    Resident const* const r = find(cta);
    if (r == nullptr) return;
    add({at, 1, place, 0, 0, track(r->slot, warp), Kind::issue, 0});
    check(at + 1);
}

void SmTracks::stall(sim::Cta const& cta, std::uint32_t warp, std::uint32_t place, sim::StallReason reason,
                     std::uint64_t from, std::uint64_t until) {
    if (until == from) return;
    Resident const* const r = find(cta);
    if (r == nullptr) return;
    add({from, until - from, place, 0, 0, track(r->slot, warp), Kind::stall, static_cast<std::uint8_t>(reason)});
    check(until);
}

void SmTracks::mark(sim::Cta const& cta, std::uint32_t warp, std::uint32_t place, Mark mark, std::uint32_t a,
                    std::uint32_t b, std::uint64_t at) {
    Resident const* const r = find(cta);
    if (r == nullptr) return;
    std::uint16_t const where = mark == Mark::release ? track(r->slot) : track(r->slot, warp);
    add({at, 0, place, a, b, where, Kind::mark, static_cast<std::uint8_t>(mark)});
}

void SmTracks::leave(sim::Cta const& cta, std::uint32_t warp, std::uint64_t from, std::uint64_t until) {
    Resident* const r = find(cta);
    if (r == nullptr) return;
    if (has_warps_) add({from, until - from, 0, r->name, warp, track(r->slot, warp), Kind::warp, 0});
    r->gone |= std::uint64_t{1} << warp;
    if (--r->live == 0) {
        add({r->start, until - r->start, 0, r->name, static_cast<std::uint32_t>(r->launch), track(r->slot),
             Kind::cta, 0});
        slots_[r->slot] = false;
        residents_.erase(&cta);
    }
    check(until);
}

/// What is there still is shown up to that cycle.
void SmTracks::close(Resident const& r, std::uint64_t at) {
    auto const warps = static_cast<std::uint32_t>(r.live) + static_cast<std::uint32_t>(std::popcount(r.gone));
    for (std::uint32_t w = 0; has_warps_ && w < warps; ++w)
        if ((r.gone >> w & 1) == 0) add({r.start, at - r.start, 0, r.name, w, track(r.slot, w), Kind::warp, 0});
    add({r.start, at - r.start, 0, r.name, static_cast<std::uint32_t>(r.launch), track(r.slot), Kind::cta, 0});
}

void SmTracks::drop(std::uint64_t launch, std::uint64_t at) {
    for (auto it = residents_.begin(); it != residents_.end();) {
        if (it->second.launch != launch) {
            ++it;
            continue;
        }
        close(it->second, std::max(at, it->second.start));
        slots_[it->second.slot] = false;
        it = residents_.erase(it);
    }
}

void SmTracks::cut(std::uint64_t at) {
    // What has been told is over by then, but for waits that were told ahead of time, which none is.
    for (Record const& record : records_) at = std::max(at, record.at + record.length);
    std::vector<Resident> left;
    for (auto const& [cta, resident] : residents_) left.push_back(resident);
    for (Resident const& resident : left) close(resident, at);
    residents_.clear();
    add({at, 0, 0, 0, 0, 0, Kind::cut, 0});
    is_full_ = true;
}

void SmTracks::write(TraceFile& file, std::uint32_t group, Record const& r) const {
    Track const track{group, r.track};
    Fields fields;
    auto const add_place = [&] { fields.add("ptx", places_[r.place].text).add("at", places_[r.place].where); };
    switch (r.kind) {
        case Kind::cta:
            file.slice(track, r.at, r.length, names_[r.a], "cta", fields.add("launch", std::uint64_t{r.b}));
            break;
        case Kind::warp:
            file.slice(track, r.at, r.length, names_[r.a] + " warp " + std::to_string(r.b), "warp", fields);
            break;
        case Kind::stall:
            add_place();
            file.slice(track, r.at, r.length, sim::stall_name(r.what), "stall", fields);
            break;
        case Kind::issue:
            add_place();
            file.slice(track, r.at, r.length, places_[r.place].name, "issue", fields);
            break;
        case Kind::cut: file.mark(track, r.at, "what follows is left out: see --timeline-events", fields); break;
        case Kind::mark:
            switch (static_cast<Mark>(r.what)) {
                case Mark::divergence:
                    add_place();
                    file.mark(track, r.at, "divergence",
                              fields.add("taken", hexadecimal(r.a)).add("not_taken", hexadecimal(r.b)));
                    break;
                case Mark::reconvergence:
                    add_place();
                    file.mark(track, r.at, "reconvergence", fields.add("lanes", hexadecimal(r.a)));
                    break;
                case Mark::barrier:
                    add_place();
                    file.mark(track, r.at, "arrives at barrier " + std::to_string(r.a), fields);
                    break;
                case Mark::release: file.mark(track, r.at, "barrier " + std::to_string(r.a) + " releases", fields);
            }
    }
}

void SmTracks::write(TraceFile& file, std::uint32_t group) {
    // What contains others comes before them, and marks behind what begins with them.
    std::stable_sort(records_.begin(), records_.end(), [](Record const& a, Record const& b) {
        if (a.track != b.track) return a.track < b.track;
        if (a.at != b.at) return a.at < b.at;
        if (a.length != b.length) return a.length > b.length;
        return a.kind < b.kind;
    });
    file.name_group(group, "SM " + std::to_string(sm_));
    std::uint32_t last = UINT32_MAX;
    for (Record const& r : records_) {
        if (r.track != last && r.kind != Kind::cut) {
            last = r.track;
            std::uint32_t const slot = (r.track - 1u) / tracks_of_slot, of_slot = (r.track - 1u) % tracks_of_slot;
            file.name_track({group, r.track}, of_slot == 0 ? "place " + std::to_string(slot)
                                                           : "place " + std::to_string(slot) + ", warp " +
                                                                 std::to_string(of_slot - 1));
        }
        write(file, group, r);
    }
}

}  // namespace warpsim::timeline
