// Who wants to know what warps do: traces, memory statistics. Without one nothing is recorded.
#pragma once

#include "sim/exec/warp.hpp"

namespace warpsim::sim {

class Observer {
public:
    virtual ~Observer() = default;
    /// Before an instruction executes; `active` before the guard, `mask` after it.
    virtual void instruction(Cta const&, Warp const&, Frame const&, Op const&, LaneMask active, LaneMask mask) = 0;
    /// One access of the lanes of `addresses.mask`, after its space is known.
    virtual void access(Cta const&, Warp const&, Op const&, Access const&, SpaceKind, Addresses const&) = 0;
    virtual void diverged(Cta const&, Warp const&, Frame const&, Op const&, LaneMask taken,
                          LaneMask not_taken) = 0;
    virtual void reconverged(Cta const&, Warp const&, Frame const&, std::uint32_t pc, LaneMask lanes) = 0;
    /// An access to global memory that may be made: true when the observer sees to its effect, now or later (then
    /// by Interpreter::perform()). Addresses are bytes of the host.
    virtual bool takes_global(Cta&, Warp&, Op const&, Access const&, Addresses const&) { return false; }
    /// The time that the program is to read; false: the observer has none.
    virtual bool tells_time(std::uint64_t& /*cycles*/, std::uint64_t& /*nanoseconds*/) { return false; }
};

}  // namespace warpsim::sim
