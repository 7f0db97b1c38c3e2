#include "runtime/check/fault_recorder.hpp"

#include "runtime/check/findings/act.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/launch_context.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::check {

std::optional<Finding::Allocation> nearest_allocation(sim::LaunchContext const& launch, std::uint64_t address) {
    constexpr std::uint64_t near = std::uint64_t{1} << 20;
    auto const& all = launch.allocations.all();
    auto const after = std::upper_bound(all.begin(), all.end(), address,
                                        [](std::uint64_t a, sim::Allocation const& one) { return a < one.begin; });
    if (after != all.begin()) {
        sim::Allocation const& below = *std::prev(after);
        if (address < below.end || address - below.end < near)
            return Finding::Allocation{below.begin, below.end - below.begin};
    }
    if (after != all.end() && after->begin - address < near)
        return Finding::Allocation{after->begin, after->end - after->begin};
    return std::nullopt;
}

void FaultRecorder::launch_begins(sim::LaunchBegin const& e) {
    std::lock_guard const lock(mutex_);
    launches_[&e.launch] = next_launch_++;
}

void FaultRecorder::launch_ends(sim::LaunchEnd const& e) {
    std::lock_guard const lock(mutex_);
    launches_.erase(&e.launch);
}

void FaultRecorder::fault(sim::FaultEvent const& e) {
    sim::Fault const& fault = e.fault;
    RecordedFault recorded;
    recorded.kind = fault.kind;
    recorded.what = fault.what;
    recorded.details = fault.details;
    recorded.kernel = e.launch.plan.functions.front().function->name;
    if (fault.has_place) {
        auto const& block = e.launch.block;
        std::uint32_t const thread = fault.thread[0] + block[0] * (fault.thread[1] + block[1] * fault.thread[2]);
        recorded.act =
            act_of("", *e.launch.plan.module, {fault.function, fault.instruction}, fault.cta, thread, block);
        recorded.warp = fault.warp;
        recorded.lane = fault.lane;
        if (fault.sm != UINT32_MAX) recorded.sm = fault.sm;
    }
    if (fault.address) {
        recorded.space = fault.address->space;
        recorded.address = fault.address->address;
        recorded.bytes = fault.address->bytes;
        if (recorded.space == "global") recorded.allocation = nearest_allocation(e.launch, recorded.address);
    }
    std::lock_guard const lock(mutex_);
    recorded.launch = launches_[&e.launch];
    faults_.push_back(std::move(recorded));
}

std::vector<RecordedFault> FaultRecorder::faults() const {
    std::lock_guard const lock(mutex_);
    return faults_;
}

}  // namespace warpsim::check
