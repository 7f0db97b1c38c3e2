// What the replies of an epoch lead to in an SM: lines of L1, MSHRs, loads, warps. It is known when the epoch begins, and comes
// into the host's caches all at once instead of one after the other.
#include "sim/host_prefetch.hpp"
#include "sim/timing/sm/sm.hpp"

#include <cstddef>

namespace warpsim::timing {

void DataPath::prefetch(MemoryReply const& reply, int step) const {
    bool const is_line = reply.kind == RequestKind::read && (reply.token & load_token) == 0;
    if (step == 0 && is_line) tags_.prefetch_place(reply.token);
    if (step == 0 && reply.kind == RequestKind::write && reply.token < writes_.size())
        sim::prefetch(&writes_[reply.token]);
    if (step == 1 && is_line && tags_[reply.token].mshr != SectoredCache::none)
        mshrs_.prefetch(tags_[reply.token].mshr);
    if (step != 2) return;
    if (std::uint32_t const load = load_of(reply); load != nobody) sim::prefetch(&loads_[load]);
}

std::uint32_t DataPath::load_of(MemoryReply const& reply) const {
    if (reply.kind == RequestKind::write || reply.token == nobody) return nobody;
    if ((reply.token & load_token) != 0) return reply.token & ~load_token;
    if (reply.kind != RequestKind::read || tags_[reply.token].mshr == SectoredCache::none) return nobody;
    std::uint32_t const* const first = mshrs_.first(tags_[reply.token].mshr);
    return first != nullptr ? *first : nobody;
}

std::uint32_t DataPath::owner_of(MemoryReply const& reply) const {
    std::uint32_t const load = load_of(reply);
    return load != nobody ? loads_[load].owner : nobody;
}

void Sm::prefetch(Cycle end) const {
    for (int step = 0; step < DataPath::steps_to_reply; ++step)
        inbox_.each_before(end, [&](MemoryReply const& reply) { data_path_.prefetch(reply, step); });
    auto const each_pending = [&](auto const& visitor) {
        inbox_.each_before(end, [&](MemoryReply const& reply) {
            if (std::uint32_t const owner = data_path_.owner_of(reply); owner < pending_.size())
                visitor(pending_[owner]);
        });
    };
    each_pending([](Pending const& p) { sim::prefetch(&p); });
    each_pending([&](Pending const& p) {
        auto const* const warp = reinterpret_cast<std::byte const*>(&warps_[p.warp]);
        for (std::size_t at = 0; at < sizeof(WarpState); at += 64) sim::prefetch(warp + at);
        if (p.count == 0 || warps_[p.warp].generation != p.generation) return;
        std::size_t const slot = p.warp * board_stride_ + p.results[0];
        sim::prefetch(&board_[slot]);
        sim::prefetch(&makers_[slot]);
        if (sim::Warp const* const executed = warps_[p.warp].warp) sim::prefetch(executed);
    });
}

}  // namespace warpsim::timing
