// What is left of a kernel's launch for the next one: making a cluster takes longer than many a small kernel runs.
#pragma once

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <cstdint>
#include <memory>
#include <mutex>

namespace warpsim::sim {

/// Storage of a small cluster that has finished, for launches of one plan.
class SpareCluster {
public:
    /// Null: there is none of that shape.
    std::unique_ptr<Cluster> take(LaunchContext const& launch);
    void give(LaunchContext const& launch, std::unique_ptr<Cluster> cluster);

private:
    struct Shape {
        std::uint32_t threads = 0, ctas = 0;
        std::uint64_t shared_bytes = 0, stack_bytes = 0;
        bool operator==(Shape const&) const = default;
    };
    static Shape shape_of(LaunchContext const& launch) {
        return {launch.threads(), launch.ctas_per_cluster(), launch.shared_bytes, launch.stack_bytes};
    }

    std::mutex mutex_;  // guards what follows: two launches may run beside each other
    std::unique_ptr<Cluster> cluster_;
    Shape shape_;
};

}  // namespace warpsim::sim
