// How threads and copies use mbarriers.
#pragma once

#include "runtime/check/sync/reporter.hpp"
#include "sim/exec/mbarrier.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

class MbarrierUse {
public:
    explicit MbarrierUse(Reporter& reporter) : reporter_(reporter) {}

    void begin();
    void happens(sim::MbarrierEvent const& e);
    void issues(sim::CopyIssue const& e);
    void ends_phase(sim::MbarrierRelease const& e);
    void fence(sim::FenceEvent const& e);
    void releases(sim::BarrierRelease const& e);
    void meet(sim::CollectiveEvent const& e);
    void ends(sim::Cta const& cta);

private:
    using Time = std::uint64_t;  // counts what happens
    struct Copy {
        Doer by;
        std::uint64_t phase;  // in which it completes
    };
    /// What an mbarrier must hold, as nothing but mbarrier instructions and copies may change it.
    struct Known {
        sim::Mbarrier holds{0};
        Doer made_by;
        Time made_at = 0;
        Doer last;                 // that changed it
        std::uint64_t phase = 0;   // how many have ended
        std::vector<Copy> copies;  // whose bytes nobody has waited for
        bool is_known = false;     // to all threads of its CTA
        bool is_told = false;      // something is wrong, and has been said
    };
    using Key = std::uint64_t;
    static Key key_of(sim::MemoryPlace const& place);
    Key thread_key(Doer const& by) const;
    void initialize(Known& known, sim::MbarrierEvent const& e, Doer const& by);
    void compare(Known& known, sim::MemoryPlace const& place, Doer const& by);
    void check_remote(Known const& known, sim::MemoryPlace const& place, Doer const& by);
    void check_order(Known& known, sim::MemoryPlace const& place, Doer const& by);
    bool is_fenced_since(Time since, Doer const& by) const;

    Reporter& reporter_;
    Time now_ = 0;
    std::unordered_map<Key, Known> all_;
    std::unordered_map<Key, Time> made_visible_;  // when threads last did so for the mbarriers that they made
    // When something was last passed on: by a fence of a thread, in a warp, in a CTA, in a cluster.
    std::unordered_map<Key, Time> fenced_, met_in_warp_;
    std::unordered_map<std::uint64_t, Time> met_in_cta_, met_in_cluster_;
};

}  // namespace warpsim::check
