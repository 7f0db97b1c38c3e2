// What an epoch will need of an SM: the warps that could issue, and what replies lead to: lines of L1, MSHRs, loads, other warps. It
// is known when the epoch begins, and comes into the host's caches all at once instead of one after the other.
#include "sim/host_prefetch.hpp"
#include "sim/timing/sm/sm.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpsim::timing {

void DataPath::prefetch(MemoryReply const& reply, int step) const {
    bool const is_line = reply.kind == RequestKind::read && (reply.token & load_token) == 0;
    if (step == 0 && is_line) tags_.prefetch_place(reply.token);
    if (step == 0 && reply.kind == RequestKind::write && reply.token < writes_.size())
        sim::prefetch(&writes_[reply.token]);
    if (step == 1 && is_line && tags_[reply.token].mshr != SectoredCache::none)
        mshrs_.prefetch(tags_[reply.token].mshr);
    if (step != 2) return;
    if (is_line && tags_[reply.token].mshr != SectoredCache::none) mshrs_.prefetch_others(tags_[reply.token].mshr);
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
    // Several replies often belong to one load, and several loads to one warp.
    std::array<std::uint32_t, engine::Inbox<MemoryReply>::first_few> owners;
    std::size_t count = 0;
    inbox_.each_before(end, [&](MemoryReply const& reply) {
        std::uint32_t const owner = data_path_.owner_of(reply);
        if (owner >= pending_.size() || (count != 0 && owners[count - 1] == owner)) return;
        owners[count++] = owner;
        sim::prefetch(&pending_[owner]);
    });
    WarpMask warps = 0;
    for (WarpMask left = used_warps_; left != 0; left &= left - 1) {
        auto const w = static_cast<std::uint32_t>(std::countr_zero(left));
        if (wake(w) < end) warps |= WarpMask{1} << w;
    }
    for (std::size_t i = 0; i < count; ++i) warps |= WarpMask{1} << pending_[owners[i]].warp;
    auto const each = [&](auto const& visitor) {
        for (WarpMask left = warps; left != 0; left &= left - 1)
            visitor(warps_[static_cast<std::size_t>(std::countr_zero(left))]);
    };
    // What each step of a warp needs stands at the beginning of its state.
    auto const prefetch_lines = [](void const* begin) {
        for (std::size_t line = 0; line < 2; ++line)
            sim::prefetch(static_cast<std::byte const*>(begin) + 64 * line);
    };
    each([&](WarpState const& s) { prefetch_lines(&s); });
    for (std::size_t i = 0; i < count; ++i) {
        Pending const& p = pending_[owners[i]];
        if (p.count == 0 || warps_[p.warp].generation != p.generation) continue;
        std::size_t const slot = p.warp * board_stride_ + p.results[0];
        sim::prefetch(&board_[slot]);
        sim::prefetch(&makers_[slot]);
    }
    each([&](WarpState const& s) {
        if (s.warp != nullptr) prefetch_lines(s.warp);
    });
    each([](WarpState const& s) {
        if (is_running(s)) sim::prefetch(&s.warp->running_frame());
    });
    each([](WarpState const& s) {
        if (is_running(s)) sim::Interpreter::prefetch_next(*s.warp);
    });
}

}  // namespace warpsim::timing
