// Which accesses of a launch are ordered by synchronisation, as "Causality order" in the PTX ISA's memory consistency model
// defines it: program order, barriers, and release patterns that acquire patterns observe.
#pragma once

#include "frontend/isa/types.hpp"
#include "runtime/check/race/clock.hpp"
#include "sim/events.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

/// A place in memory at which threads synchronise: an address, and whose shared memory it is in; 0: global memory.
struct SyncPlace {
    std::uint64_t owner = 0;  // the CTA's number in the grid + 1
    std::uint64_t address = 0;

    bool operator==(SyncPlace const&) const = default;
};
struct SyncPlaceHash {
    std::size_t operator()(SyncPlace const& place) const {
        return (place.address >> 2) * 0x9e3779b97f4a7c15u ^ place.owner * 0xc2b2ae3d27d4eb4fu;
    }
};

/// A strong access by one thread.
struct StrongAccess {
    SyncPlace place;
    bool reads = false, writes = false;
    isa::Order order = isa::Order::relaxed;
    isa::Scope scope = isa::Scope::gpu;
    bool is_computed = false;  // what it writes depends on memory
};

class HappensBefore {
public:
    /// What a lane knows beyond its CTA, and what it has begun.
    struct Fence {
        Time time = 0;  // 0: none
        isa::Scope scope = isa::Scope::none;
        Time barrier = 0;  // of the CTA, before it
    };
    /// By strong reads, of shared and of other memory: known after a fence whose scope reaches those who had released it.
    using Seen = std::array<std::array<Knowledge, 3>, 2>;
    struct Lane {
        Knowledge learned;
        Seen seen;
        Fence fence;            // that releases
        Fence fence_of_shared;  // ... for synchronisation in shared memory only
    };
    struct Warp {
        Time synced = 0;    // when all of its lanes have last met
        Time changed = 0;   // when any has last synchronised: earlier accesses are told apart from later ones
        Time accessed = 0;  // when it has last begun to access memory since then
        isa::LaneMask waiting_in_cluster = 0;  // for a barrier of the cluster
        std::unique_ptr<std::array<Lane, 32>> lanes;
        Knowledge learned;  // by all of its lanes
        Seen seen;          // by any of its lanes, before all of them have last met
        std::unique_ptr<std::array<std::array<Time, 32>, 32>>
            met;  // by pairs of lanes, where only some of them met

        Lane& lane(std::uint32_t i) {
            if (!lanes) lanes = std::make_unique<std::array<Lane, 32>>();
            return (*lanes)[i];
        }
        /// By the lane alone.
        Knowledge learned_by(std::uint32_t i) const { return lanes ? (*lanes)[i].learned : nullptr; }
        /// Barriers are all that tells its threads of others.
        bool knows_barriers_only() const { return !learned && !lanes && !met; }
    };
    struct Arrival {
        std::uint32_t warp = 0;
        isa::LaneMask lanes = 0;
        bool is_whole = false;  // all of the warp
        Time time = 0;
        bool waits = false;
        bool is_relaxed = false;
    };
    struct Cta {
        std::uint64_t number = 0;
        std::uint64_t cluster = 0;
        Time barrier = 0;  // when all of its threads have last met
        Knowledge known;   // to all of its threads
        Seen seen;         // by any of them, before they have last met
        std::vector<Warp> warps;
        std::map<std::uint32_t, std::vector<Arrival>> arrivals;  // by barrier
        std::vector<Arrival> cluster_arrivals;
        Knowledge cluster_brings;  // by the last barrier of the cluster, for those who wait for it later
    };

    void begin();
    void start(std::uint64_t number, std::uint64_t cluster, std::size_t warps);
    /// All CTAs of the cluster have ended.
    void end(std::uint64_t cluster);
    Cta& cta(std::uint64_t number);

    void arrive(Cta& cta, std::uint32_t barrier, Arrival arrival);
    void arrive_in_cluster(Cta& cta, Arrival arrival);
    void wait_in_cluster(Cta& cta, std::uint32_t warp, isa::LaneMask lanes);
    /// `live`: the lanes of each warp that have not exited; `is_for_all`: it is for all threads, not for a number of them. Whether
    /// all threads have met.
    bool release(Cta& cta, std::uint32_t barrier, std::vector<isa::LaneMask> const& live, bool is_for_all);
    /// `number`, below: that of the warp.
    void release_cluster(std::uint64_t cluster);
    void meet(Cta& cta, std::uint32_t number, isa::LaneMask lanes, isa::LaneMask live);
    /// One that only acquires or releases orders only what comes behind it or before it. `is_of_shared`: for synchronisation in
    /// shared memory alone.
    void fence(Cta& cta, std::uint32_t number, isa::LaneMask lanes, isa::Scope scope, isa::Order order,
               bool is_of_shared);
    /// What lanes know to be ordered by one way to memory is from now on ordered by another, too.
    void fence_proxy(Cta& cta, std::uint32_t number, isa::LaneMask lanes, isa::LaneMask live, Proxy by,
                     Proxy also);
    /// fence.proxy.tensormap. Lanes release what they know, for threads that the scope reaches; or acquire what such have released of
    /// the tensor map that `maps` has for each.
    void release_maps(Cta& cta, std::uint32_t number, isa::LaneMask lanes, isa::LaneMask live, isa::Scope scope);
    void acquire_maps(Cta& cta, std::uint32_t number, isa::LaneMask lanes, isa::Scope scope,
                      std::array<std::uint64_t, 32> const& maps);
    void access(Thread const& thread, StrongAccess const& access);
    /// Whether a strong access that only reads or writes has anything to do with synchronisation.
    bool concerns(Cta const& cta, std::uint32_t warp, isa::Order order) const {
        return order == isa::Order::acquire || order == isa::Order::release || order == isa::Order::acq_rel ||
               order == isa::Order::sc || cta.warps[warp].lanes != nullptr || !places_.empty() ||
               !mbarriers_.empty();
    }
    /// `is_relaxed`: it brings only what a fence has released before.
    void arrive_at_mbarrier(Thread const& thread, SyncPlace const& place, bool is_relaxed);
    /// Who waits for the phase will know that the agent has come so far.
    void arrive_at_mbarrier(SyncPlace const& place, Agent agent, Time time);
    void complete_mbarrier(SyncPlace const& place);
    void pass_mbarrier(Thread const& thread, SyncPlace const& place, bool is_relaxed);

    /// All lanes of the warp know from now on that the agent has come so far.
    void learn(Cta& cta, std::uint32_t warp, Agent agent, Time time);

    /// Lanes know from now on that the grid before has ended. `live`: all of the warp.
    void wait_for_grid(Cta& cta, std::uint32_t number, isa::LaneMask lanes, isa::LaneMask live);

    /// What the thread and those that it knows of have done so far.
    Knowledge known_now(Thread const& thread) {
        Knowledge known = known_to(thread, now_);
        step(cta(thread.cta).warps[thread.warp()]);
        return known;
    }

    Time now() const { return now_; }
    /// What the warp does from now on is later than what it has done before; returns the time of the latter.
    Time step(Warp& warp) {
        warp.changed = now_ + 1;
        return now_++;
    }
    /// Whether a scope of one thread includes the other.
    bool reaches(isa::Scope scope, Thread const& from, Thread const& to) const;
    /// Whether all that `other` did up to `time` happens before what `thread` does now.
    bool is_before(Thread const& other, Time time, Cta const& cta, std::uint32_t warp, std::uint32_t lane) const;
    /// Whether what any thread of the other's warp did happens before what any thread of this warp does now, as far as that
    /// follows from what all of them know.
    bool is_before_all(Thread const& other, Time time, Cta const& cta, std::uint32_t warp) const;
    /// The same, with a proxy fence in between that makes it hold for this way to memory.
    bool is_seen(Thread const& other, Time time, Proxy by, Cta const& cta, std::uint32_t warp,
                 std::uint32_t lane) const {
        return knows(cta, warp, lane, [&](Clock const& known) { return known.of(other, by) >= time; });
    }
    /// Whether something that the thread has observed depends on what `other` has read up to `time`.
    bool is_behind_read(Thread const& other, Time time, Cta const& cta, std::uint32_t warp,
                        std::uint32_t lane) const {
        return is_seen(other, time, Proxy::dependent, cta, warp, lane);
    }
    /// Whether the thread knows that what the agent had begun up to `time` is complete.
    bool is_complete(Agent agent, Time time, Cta const& cta, std::uint32_t warp, std::uint32_t lane) const {
        return knows(cta, warp, lane, [&](Clock const& known) { return known.of_agent(agent) >= time; });
    }
    /// Whether something that a thread knows beside the barriers of its CTA is so.
    template <class Is> bool knows(Cta const& cta, std::uint32_t warp, std::uint32_t lane, Is const& is) const {
        Warp const& own = cta.warps[warp];
        return (cta.known && is(*cta.known)) || (own.learned && is(*own.learned)) ||
               (own.lanes && (*own.lanes)[lane].learned && is(*(*own.lanes)[lane].learned));
    }
    /// A release of the place, by a scope that did not reach the one who read it; or what that one has read, behind which its fence
    /// had a scope that did not reach the one who released it.
    struct ShortScope {
        Thread by;
        isa::Scope scope;
        bool is_of_reader = false;
    };
    std::optional<ShortScope> const& last_short_scope() const { return short_scope_; }

private:
    struct Released {
        Knowledge what;
        Knowledge depends_on;  // what the value may depend on
        Thread by;
        isa::Scope scope = isa::Scope::none;
    };
    struct Mbarrier {
        Clock present;     // what arrivals of the phase that goes on bring
        Knowledge before;  // ... of those that are complete
    };
    bool is_in_cluster_of(std::uint64_t one, std::uint64_t other) const;
    void add_known(Clock& clock, Thread const& thread, Time until);
    Knowledge known_to(Thread const& thread, Time until);
    Knowledge dependences(Thread const& thread);
    Knowledge join(Knowledge const& one, Knowledge const& more);
    void gather(Seen& all, Seen const& more);
    Knowledge fenced(Thread const& thread, Lane const& lane, Fence const& fence);
    std::size_t reach(Thread const& one, std::uint64_t other_cta) const;
    void read_mbarrier(Thread const& thread, StrongAccess const& access);
    void see(Lane& lane, Thread const& thread, SyncPlace const& place, Thread const& by, Knowledge const& what);
    void add_arrival(Clock& clock, Cta& cta, Arrival const& arrival);
    void learn(Cta& cta, std::uint32_t number, isa::LaneMask lanes, bool is_whole, Knowledge const& what);
    void learn(Cta& cta, std::uint32_t warp, std::uint32_t lane, Knowledge const& what);
    void settle(Cta& cta);
    Time tick(Warp& warp) { return warp.changed = ++now_; }

    Time now_ = 1;
    std::unordered_map<std::uint64_t, std::unique_ptr<Cta>> ctas_;
    Cta* last_cta_ = nullptr;                                                 // that was looked for
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> clusters_;  // which CTAs they have
    std::unordered_map<SyncPlace, Released, SyncPlaceHash> places_;
    std::unordered_map<SyncPlace, Mbarrier, SyncPlaceHash> mbarriers_;
    std::optional<ShortScope> short_scope_;
    /// The last two that were joined: lanes of a warp learn the same, one after the other.
    struct {
        Knowledge one, more, both;
    } last_joined_;
};

}  // namespace warpsim::check
