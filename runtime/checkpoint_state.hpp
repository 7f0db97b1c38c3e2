// What a checkpoint has beside the GPU: results of launches, and what kernels leave on a device. Where a class gets another
// member, its list here does not compile until it is looked at.
#pragma once

#include "sim/checkpoint/archive.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/print_buffer.hpp"
#include "sim/memory/device_heap.hpp"
#include "sim/statistics.hpp"

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace warpsim::checkpoint {

template <> struct StateOf<sim::IntervalSample> {
    template <class Archive> static void visit(Archive& archive, sim::IntervalSample& sample) {
        static_assert(sizeof sample == sizeof(sim::SmCounts) + sizeof sample.l2 + sizeof sample.dram);
        archive(static_cast<sim::SmCounts&>(sample), sample.l2, sample.dram);
    }
};

template <> struct StateOf<sim::Fault> {
    template <class Archive> static void visit(Archive& archive, sim::Fault& fault) {
        auto& [kind, what, has_place, cta, thread, warp, lane, sm, function, instruction, details, address] =
            fault;
        archive(kind, what, has_place, cta, thread, warp, lane, sm, function, instruction, details);
        bool has_address = address.has_value();
        archive(has_address);
        if (has_address && !address) address.emplace();
        if (has_address) keep_address(archive, *address);
    }

private:
    template <class Archive> static void keep_address(Archive& archive, sim::FaultAddress& to) {
        static std::set<std::string, std::less<>> spaces;  // a view of a name is all that a fault has
        std::string space(to.space);
        archive(space, to.address, to.bytes);
        if constexpr (!Archive::is_saving) to.space = *spaces.insert(std::move(space)).first;
    }
};

template <> struct StateOf<sim::TimingCounts> {
    template <class Archive> static void visit(Archive& archive, sim::TimingCounts& t) {
        archive(static_cast<sim::SmCounts&>(t), t.cycles, t.clock_mhz, t.sms, t.sub_cores, t.code_size,
                t.theoretical_occupancy, t.max_warps, t.limited_by, t.units, t.spills, t.sampling, t.l2, t.dram,
                t.tensor_work, t.energy, t.dram_channels, t.dram_clock_mhz, t.profile, t.interval_cycles,
                t.intervals);
    }
};

template <> struct StateOf<sim::LaunchStatistics> {
    template <class Archive> static void visit(Archive& archive, sim::LaunchStatistics& launch) {
        auto& [kernel, status, module_sha256, grid, block, dynamic_shared, registers_per_thread, shared_per_cta,
               instructions, branches, memory, compiled, timing, host_seconds, number] = launch;
        archive(kernel, status, module_sha256, grid, block, dynamic_shared, registers_per_thread, shared_per_cta,
                instructions, branches, memory, compiled, timing, host_seconds, number);
    }
};

}  // namespace warpsim::checkpoint
