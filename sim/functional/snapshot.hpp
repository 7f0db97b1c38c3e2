// A launch that is stopped between two turns, and goes on from a copy.
#pragma once

#include "sim/exec/device_runtime.hpp"
#include "sim/exec/print_buffer.hpp"
#include "sim/functional/functional_run.hpp"
#include "sim/memory/device_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace warpsim::sim {

/// A launch between two turns with all that it changes. Copies go on alike, one after the other on the same device: on
/// one host thread to the bit, on several as far as the order of their atomics lets them.
struct Snapshot {
    Schedule::Standing standing;
    std::vector<std::unique_ptr<Cluster const>> clusters;  // that have begun, in the order of their turns
    OpCounters counters;
    std::vector<std::uint64_t> sm_clocks;
    struct Saved {
        std::uint64_t begin;
        std::vector<std::byte> bytes;
    };
    std::vector<Saved> memory;                    // all that is allocated, the device's heap among it
    std::optional<DeviceHeap::Ranges> heap;       // where there is one
    std::optional<PrintBuffer::Content> printed;  // the same
    std::unique_ptr<DeviceRuntime::Saved const>
        runtime;  // the same: launches that kernels have asked for, and more
};

/// Runs a launch for `turns` turns of clusters; none: it has ended by then. Throws Fault.
std::optional<Snapshot> run_for(LaunchContext const& launch, FunctionalOptions const& options, std::uint64_t turns,
                                LaunchStatistics& statistics);
/// Puts everything back as it was, memory included, and runs the launch to its end.
void run_from(Snapshot const& snapshot, LaunchContext const& launch, FunctionalOptions const& options,
              LaunchStatistics& statistics);

}  // namespace warpsim::sim
