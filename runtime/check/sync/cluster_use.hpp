// Shared memory of other CTAs of a cluster, which is there only until their last thread has ended.
#pragma once

#include "runtime/check/sync/reporter.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

class ClusterUse {
public:
    explicit ClusterUse(Reporter& reporter) : reporter_(reporter) {}

    void begin() { ctas_.clear(); }
    void accesses(sim::RemoteAccessEvent const& e);
    void happens(sim::MbarrierEvent const& e);
    void fence(sim::FenceEvent const& e);
    void arrives(sim::BarrierArrival const& e);
    void releases(sim::BarrierRelease const& e);
    void ends(sim::Cta const& cta);

private:
    /// Of a thread, whose like of the same warp are not kept: until the owner can know that it is over.
    struct Use {
        Doer by;
        std::uint64_t cta;  // of the thread, by number in the grid
        bool is_of_mbarrier;
        bool is_told;  // the thread has gone on to what tells others
    };
    void add(sim::Cta const& owner, Use const& use);

    Reporter& reporter_;
    std::unordered_map<std::uint64_t, std::vector<Use>> ctas_;  // by the owner
};

}  // namespace warpsim::check
