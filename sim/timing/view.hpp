// A GPU that stands still, for those who look, and who they are: a debugger. Nothing here changes anything.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/exec/warp.hpp"
#include "sim/timing/memory/view.hpp"
#include "sim/timing/plan/machine_text.hpp"
#include "sim/timing/sm/view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

class GpuView {
public:
    virtual ~GpuView() = default;
    /// The SMs that have had a CTA, by number.
    virtual std::vector<SmView> sms() const = 0;
    /// Whose CTA it is; null: it is on no SM.
    virtual sim::LaunchContext const* launch_of(sim::Cta const& cta) const = 0;
    /// None: it is on no SM.
    virtual std::optional<WarpView> warp(sim::Warp const& warp) const = 0;
    virtual std::uint32_t partitions() const = 0;
    virtual PartitionView partition(std::uint32_t number) const = 0;
    virtual std::uint32_t slices() const = 0;
    /// L1 of an SM that sms() has, L2 by slices.
    virtual CacheView l1(std::uint32_t sm) const = 0;
    virtual std::vector<CachedLine> l1_set(std::uint32_t sm, std::uint32_t set) const = 0;
    virtual CacheView l2(std::uint32_t slice) const = 0;
    virtual std::vector<CachedLine> l2_set(std::uint32_t slice, std::uint32_t set) const = 0;
    /// What a compiler has made of an instruction of a kernel that is under way.
    virtual MachineText machine_text(sim::FunctionPlan const& function, std::uint32_t instruction) const = 0;
};

/// With one, an epoch is one cycle, so that all SMs stand at the same one. Host threads are one.
class GpuObserver {
public:
    virtual ~GpuObserver() = default;
    /// A grid is launched in cycle `at`, on a GPU that lives until it has ended.
    virtual void grid_begins(GpuView const& gpu, Cycle at) = 0;
    /// The cycle before which it wants to look next; engine::never: none.
    virtual Cycle next_look() = 0;
    /// All that comes before cycle `now` has happened; next_look() is later than it afterwards.
    virtual void look(Cycle now) = 0;
};

}  // namespace warpsim::timing
