// Everything that waits for a warp's own stores and atomics: fences, releasing stores, and the end of the warp.
#include "sim/timing/sm/wake_up.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;

/// Within the CTA a write completes when L1 or shared memory has accepted it; for others, when L2 has acknowledged
/// it.
bool Sm::has_writes(std::uint32_t w, std::uint8_t scope) const {
    DataPath::Writes const& writes = data_path_.writes(w);
    return scope == 0 ? writes.queued != 0 : writes.any();
}

void Sm::await_writes(std::uint32_t w, WarpState::AfterWrites after, std::uint8_t scope) {
    WarpState& s = warps_[w];
    s.after_writes = after;
    s.fence_scope = scope;
    data_path_.watch(w, true);
    set_wake(w, never, after == WarpState::AfterWrites::leave ? StallReason::drain : StallReason::membar);
}

void Sm::begin_fence(std::uint32_t w, std::uint8_t scope, Cycle now) {
    if (!has_writes(w, scope))
        return advance(w, now, now + std::max<Cycle>(fence_cycles(scope), 1), StallReason::membar);
    warps_[w].held = true;
    await_writes(w, WarpState::AfterWrites::fence, scope);
}

/// The fence before the next instruction: false when it must wait for writes, else `earliest` is when it
/// completes.
bool Sm::releases(std::uint32_t w, std::uint8_t scope, Cycle& earliest) {
    WarpState& s = warps_[w];
    if (has_writes(w, scope)) {
        s.earliest = earliest;
        await_writes(w, WarpState::AfterWrites::release, scope);
        return false;
    }
    s.has_released = true;
    earliest = std::max(earliest, now_) + fence_cycles(scope);
    return true;
}

/// All threads have exited; the warp's resources are freed once L1 has taken its writes, whose acknowledgement nothing
/// of the warp waits for: stalls for `drain` take some 20 to 40 cycles of a warp that has stored, not a round trip to L2
/// (benchmarks/validation/hopper).
void Sm::leave(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    set_blocked(s, false);
    if (!has_writes(w, 0)) return end_warp(w, now);
    s.held = true;
    await_writes(w, WarpState::AfterWrites::leave, 0);
}

void Sm::take_progress(Cycle now) {
    std::vector<std::uint32_t>& progress = data_path_.progress();
    for (std::size_t i = 0; i < progress.size(); ++i) {
        std::uint32_t const w = progress[i];
        WarpState& s = warps_[w];
        if (s.after_writes == WarpState::AfterWrites::nothing || has_writes(w, s.fence_scope)) continue;
        data_path_.watch(w, false);
        switch (std::exchange(s.after_writes, WarpState::AfterWrites::nothing)) {
            case WarpState::AfterWrites::fence: {
                Event event;
                event.at = now + std::max<Cycle>(fence_cycles(s.fence_scope), 1);
                event.index = w;
                event.generation = s.generation;
                add_event(std::move(event));
                break;
            }
            case WarpState::AfterWrites::release:
                update_wake(w, std::max(now, s.earliest), StallReason::membar);
                break;
            default: end_warp(w, now); break;
        }
    }
    progress.clear();
}

}  // namespace warpsim::timing
