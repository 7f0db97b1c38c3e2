// mbarriers, asynchronous copies and the groups that signal their completion, cancelling of launches.
#pragma once

#include "sim/exec/cluster_memory.hpp"
#include "sim/exec/divergence.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace warpsim::sim {

class AsyncOperations : public Component {
public:
    AsyncOperations(Execution& execution, Divergence const& divergence, ClusterMemory const& cluster)
        : Component(execution), divergence_(divergence), cluster_(cluster) {}

    /// Carries out the ops of all effects that an Asynchronous describes.
    static Flow carry_out(WarpInstruction& i);
    /// The details of the op that a warp stands at; null when it is not an asynchronous one.
    static Asynchronous const* find(FunctionPlan const& function, Op const& op) {
        bool const is_one = op.kind == OpKind::effect && op.carry_out == carry_out;
        return is_one ? &function.details_of<Asynchronous>(op) : nullptr;
    }
    /// Lanes exit: if they are the last of a CTA, its copies that are in flight end.
    void end_copies(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// How to keep the next cluster of the grid from starting, and get its number; none when all have
    /// started.
    void on_cancel(std::function<std::optional<std::uint64_t>()> cancel) { cancel_ = std::move(cancel); }
    /// Whether the warp is about to wait at an mbarrier (try_wait) in all its lanes; notes the test for reports.
    bool waits_for_mbarrier(Cta& cta, Warp& warp);
    static std::string polled_mbarrier(Cta const& cta, Warp const& warp);

    /// A lane gives the matrix unit something to do; it is done now unless a memory model takes it, or it is done late.
    void begin_work(Issue const& by, std::shared_ptr<MatrixWork const> work);
    /// An arrival at the mbarrier when the work of the thread is done.
    void arrive_after_work(Issue const& by, Bytes const& barrier, bool of_pair);

    // Performs what a memory model has deferred, when its time has come. All throw Fault.
    /// `linear` is the CTA that was meant, as its storage may belong to another one by now.
    void update(Cluster& cluster, MbarrierUpdate const& update, std::uint64_t linear, Culprit const& by);
    void perform(Cluster& cluster, MatrixWork const& work) const;
    static void read_source(Cluster const& cluster, UnderWay& w);
    /// Bytes of global memory.
    void arrive_in_global(Cluster& cluster, UnderWay const& w, Culprit const& by);
    /// Writes bytes of shared memory, and reports their number to the mbarrier.
    void finish(Cluster& cluster, UnderWay const& w, std::uint64_t linear, Culprit const& by);
    /// Writes what cp.async has read for a thread of the CTA.
    void land(Cta& cta, std::uint32_t thread, FewBytes const& few, std::byte const* data);
    /// The answer to clusterlaunchcontrol.try_cancel, which finish() delivers to one CTA.
    UnderWay cancelled(std::optional<std::uint64_t> cluster, Bytes const& response, Bytes const& barrier) const;

private:
    /// Performs the op for each lane; true when other warps should run first.
    bool issue_each(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    // mbarriers.cpp
    [[noreturn]] void mbarrier_fault(Issue const& by, Bytes const& place, std::string const& what) const;
    std::uint64_t mbarrier(Issue const& by, Asynchronous const& a);
    bool mbarriers(Cta& cta, Warp& warp, Op const& op, Asynchronous const& a, LaneMask mask);
    void complete_transaction(Issue const& by, Bytes const& place, std::uint32_t bytes);
    void arrive_at(Issue const& by, Bytes const& place, MbarrierCause cause, Culprit const& issuer);
    /// Reports what `by` did to an mbarrier and, if that has completed a phase, the phase of that parity.
    void tell_mbarrier(Cluster const& cluster, Bytes const& place, MbarrierOperation operation,
                       std::uint32_t count, Culprit const& by, bool passed, bool ends_phase, std::uint32_t parity,
                       MbarrierCause cause = MbarrierCause::instruction) const;
    // async_copies.cpp
    static void write_target(Cluster const& cluster, UnderWay const& w);
    void issue(Issue const& by, UnderWay&& w);
    void perform(Issue const& by, UnderWay& w);
    Culprit issuer_of(Issue const& by, UnderWay const& w) const;
    template <class Which> void perform_those(Issue const& by, Which const& which);
    void finish_for(Issue const& by, Bytes const& barrier);
    void wait_groups(Issue const& by, Asynchronous const& a);
    void copy_bulk(Issue const& by, Asynchronous const& a);
    void copy_between_edges(Issue const& by, Asynchronous const& a, UnderWay&& w);
    // tensor_copies.cpp
    void copy_tensor(Issue const& by, Asynchronous const& a);
    std::shared_ptr<TensorBox const> box_of(Issue const& by, Asynchronous const& a, std::uint32_t& shared_bytes);
    // few_copies.cpp
    bool copy_few_at_once(Cta& cta, Warp& warp, Op const& op, Asynchronous const& a, LaneMask mask);
    void tell_few(Issue const& by, UnderWay const& w) const;
    void copy_few(Issue const& by, Asynchronous const& a);
    // async_copies.cpp
    void issue_to_all(Issue const& by, Asynchronous const& a, UnderWay const& w);
    void store_late(Issue const& by, Asynchronous const& a);
    void cancel_launch(Issue const& by, Asynchronous const& a);
    void tell_issue(Issue const& by, UnderWay const& w) const;
    CopyIssue issue_of(Issue const& by, UnderWay const& w) const;
    /// Reports what an instruction does with groups of copies, if it is such a one.
    void tell_group(Cta& cta, Warp& warp, Op const& op, Asynchronous const& a, LaneMask mask) const;
    void tell_arrival(Cluster const& cluster, UnderWay const& w, Culprit const& by) const;

    Divergence const& divergence_;
    ClusterMemory const& cluster_;
    std::function<std::optional<std::uint64_t>()> cancel_;
};

}  // namespace warpsim::sim
