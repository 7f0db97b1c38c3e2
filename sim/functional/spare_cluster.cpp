#include "sim/functional/spare_cluster.hpp"

#include "sim/exec/plan.hpp"

#include <utility>

namespace warpsim::sim {

namespace {

// A program may have thousands of kernels, and what larger blocks cost is not their storage.
constexpr std::uint64_t most_bytes = 32 << 10;

std::uint64_t bytes_of(LaunchContext const& launch) {
    std::uint64_t const warps = (launch.threads() + 31) / 32;
    return launch.ctas_per_cluster() * (launch.shared_bytes + warps * launch.plan.functions.front().frame_bytes);
}

}  // namespace

std::unique_ptr<Cluster> SpareCluster::take(LaunchContext const& launch) {
    std::lock_guard const lock(mutex_);
    if (!cluster_ || !(shape_ == shape_of(launch))) return nullptr;
    return std::move(cluster_);
}

void SpareCluster::give(LaunchContext const& launch, std::unique_ptr<Cluster> cluster) {
    if (!cluster || bytes_of(launch) > most_bytes) return;
    cluster->is_unmarked = false;  // its warps refer to this launch
    std::lock_guard const lock(mutex_);
    cluster_ = std::move(cluster);
    shape_ = shape_of(launch);
}

}  // namespace warpsim::sim
