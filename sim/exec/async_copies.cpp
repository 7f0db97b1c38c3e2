// Asynchronous copies: cp.async and cp.async.bulk, with the groups and mbarriers that signal their completion.
// They are performed when they are issued or, to reveal a missing wait, not before something waits for them.
#include "sim/exec/async_operations.hpp"

#include "sim/exec/copy_bytes.hpp"
#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/exec/warp_instruction.hpp"
#include "sim/tensor/elements.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

using AsynchronousKind = Asynchronous::Kind;

std::byte* host(Cluster const& cluster, Bytes const& place) {
    Cta const* const owner = cluster.owner(place);
    return owner != nullptr ? owner->shared.get() + place.at : reinterpret_cast<std::byte*>(place.at);
}

MemoryPlace told(Cluster const& cluster, Bytes const& place) { return {cluster.owner(place), place.at}; }

/// What an mbarrier counts of a copy. The padding between narrow elements of a tensor is not brought, and not counted: CUTLASS
/// and Triton expect the packed bytes.
std::uint32_t counted_bytes(UnderWay const& w) {
    return (w.box ? w.box->global_bytes : w.bytes) + w.ignored_bytes;
}

}  // namespace

void AsyncOperations::read_source(Cluster const& cluster, UnderWay& w) {
    if (w.has_read) return;
    w.has_read = true;
    if (w.box) {
        Cta const* const owner = cluster.owner(w.from);
        w.data = owner != nullptr ? w.box->gather(owner->shared.get(), w.from.at, w.bytes) : w.box->load(w.bytes);
        return;
    }
    w.data.assign(w.bytes, std::byte{0});
    if (w.source_bytes != 0) copy_weak(w.data.data(), host(cluster, w.from), w.source_bytes);
}

void AsyncOperations::write_target(Cluster const& cluster, UnderWay const& w) {
    if (w.box) {
        Cta const* const owner = cluster.owner(w.to);
        return owner != nullptr ? w.box->scatter(w.data, owner->shared.get(), w.to.at) : w.box->store(w.data);
    }
    if (w.plan != nullptr && w.plan->reduce[0] != nullptr) {
        return reduce_weak(host(cluster, w.to), w.data.data(), w.bytes, w.plan->element_bytes,
                           w.plan->reduce[w.to.is_shared()]);
    }
    if (w.byte_mask == 0xffff) return copy_weak(host(cluster, w.to), w.data.data(), w.bytes);
    for (std::size_t i = 0; i < w.bytes; ++i) {
        if ((w.byte_mask >> (i & 15) & 1) != 0) copy_weak(host(cluster, w.to) + i, w.data.data() + i, 1);
    }
}

void AsyncOperations::arrive_in_global(Cluster& cluster, UnderWay const& w, Culprit const& by) {
    write_target(cluster, w);
    tell_arrival(cluster, w, by);
}

/// The thread that issued the copy that `by` waits for.
Culprit AsyncOperations::issuer_of(Issue const& by, UnderWay const& w) const {
    Culprit issuer = execution_.faults.culprit(by);
    if (!launch_.late_copies) return issuer;
    issuer.cta = by.cta.cluster->ctas[w.issuer].id;
    issuer.thread = w.thread;
    return issuer;
}

void AsyncOperations::finish(Cluster& cluster, UnderWay const& w, std::uint64_t linear, Culprit const& by) {
    Cta& to = *cluster.owner(w.to);
    if (to.linear != linear || to.has_ended()) {
        throw execution_.faults.fault_of(by, "asynchronous copy to shared memory of rank " +
                                                 std::to_string(to.rank) + ", whose block has ended");
    }
    write_target(cluster, w);
    ++to.changes;
    tell_arrival(cluster, w, by);
    // An mbarrier of another CTA is for the caller.
    if (w.has_barrier && w.barrier.rank == w.to.rank)
        update(cluster,
               {w.barrier, AsynchronousKind::complete, counted_bytes(w), false, false, false, MbarrierCause::copy},
               linear, by);
}

void AsyncOperations::perform(Issue const& by, UnderWay& w) {
    if (w.work) {
        perform(*by.cta.cluster, *w.work);
        ++by.cta.changes;
    } else if (!w.only_arrives) {
        Cluster& cluster = *by.cta.cluster;
        read_source(cluster, w);
        if (Cta const* const to = cluster.owner(w.to); to != nullptr && to->has_ended()) {
            fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
                  "asynchronous copy to shared memory of rank " + std::to_string(to->rank) +
                      ", whose block has ended");
        }
        write_target(cluster, w);
        ++by.cta.changes;
        if (sinks_.want(EventKind::copy)) tell_arrival(cluster, w, issuer_of(by, w));
        if (w.has_barrier) complete_transaction(by, w.barrier, counted_bytes(w));
    } else {
        arrive_at(by, w.barrier, w.follows_work ? MbarrierCause::earlier_work : MbarrierCause::earlier_copies,
                  issuer_of(by, w));
    }
}

void AsyncOperations::issue(Issue const& by, UnderWay&& w) {
    w.issuer = by.cta.rank;
    if (!w.only_arrives && !w.work) tell_issue(by, w);
    if (model_ != nullptr) return model_->copy(*by.cta.cluster, std::move(w), execution_.faults.culprit(by));
    if (!launch_.late_copies) return perform(by, w);
    w.thread = 32 * by.warp.index + static_cast<std::uint32_t>(by.lane);
    by.cta.committed.resize(launch_.threads());
    w.group = by.cta.committed[w.thread][w.is_bulk];
    by.cta.cluster->under_way.push_back(std::move(w));
}

/// Performs the copies that `which` selects in the order of their issue, then arrivals that have waited for them.
template <class Which> void AsyncOperations::perform_those(Issue const& by, Which const& which) {
    std::vector<UnderWay>& list = by.cta.cluster->under_way;
    for (std::size_t i = 0; i < list.size();) {
        if (!which(list[i])) {
            ++i;
            continue;
        }
        UnderWay one = std::move(list[i]);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        perform(by, one);
    }
    for (std::size_t i = 0; i < list.size();) {
        bool const waits =
            !list[i].only_arrives ||
            std::any_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), [&](UnderWay const& w) {
                return !w.is_bulk && !w.only_arrives && w.issuer == list[i].issuer && w.thread == list[i].thread;
            });
        if (waits) {
            ++i;
            continue;
        }
        UnderWay one = std::move(list[i]);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        perform(by, one);
    }
}

void AsyncOperations::finish_for(Issue const& by, Bytes const& barrier) {
    if (by.cta.cluster->under_way.empty()) return;
    std::vector<UnderWay> const& list = by.cta.cluster->under_way;
    // An arrival that waits for copies of its thread requests these.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> threads;  // rank, and thread of the CTA
    for (UnderWay const& w : list) {
        if (w.only_arrives && w.barrier == barrier) threads.emplace_back(w.issuer, w.thread);
    }
    perform_those(by, [&](UnderWay const& w) {
        if (w.has_barrier && !w.only_arrives && w.barrier == barrier) return true;
        return !w.is_bulk && !w.only_arrives &&
               std::find(threads.begin(), threads.end(), std::pair(w.issuer, w.thread)) != threads.end();
    });
}

void AsyncOperations::wait_groups(Issue const& by, Asynchronous const& a) {
    bool const is_bulk = a.kind == AsynchronousKind::bulk_wait;
    std::uint32_t const thread = 32 * by.warp.index + static_cast<std::uint32_t>(by.lane);
    if (by.cta.committed.empty()) return;  // the copies under way are those of other CTAs
    std::uint32_t const committed = by.cta.committed[thread][is_bulk];
    auto const is_waited = [&](UnderWay const& w) {
        bool const own = w.in_group && w.is_bulk == is_bulk && w.issuer == by.cta.rank && w.thread == thread;
        return own && (!a.has_count || std::uint64_t{w.group} + a.bytes < committed);
    };
    if (!a.reads_only) return perform_those(by, is_waited);
    for (UnderWay& w : by.cta.cluster->under_way) {
        if (is_waited(w)) read_source(*by.cta.cluster, w);
    }
}

void AsyncOperations::copy_bulk(Issue const& by, Asynchronous const& a) {
    UnderWay w;
    w.plan = &a;
    w.is_bulk = true;
    w.bytes = w.source_bytes = isa::column<std::uint32_t>(by.warp.bases, a.count)[by.lane];
    if (w.bytes % 16 != 0) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_operand,
              "bulk copy of " + std::to_string(w.bytes) + " bytes, which is not a multiple of 16");
    }
    if (a.ignores_edges) return copy_between_edges(by, a, std::move(w));
    w.from = a.from_shared ? cluster_.shared_bytes(by, a.source, w.bytes, 16)
                           : cluster_.global_bytes(by, a.source, w.bytes, 16, false);
    if (a.to_global) {
        w.to = cluster_.global_bytes(by, a.target, w.bytes, 16, true);
        w.in_group = true;
        if (a.has_mask) w.byte_mask = isa::column<std::uint16_t>(by.warp.bases, a.mask)[by.lane];
        return issue(by, std::move(w));
    }
    w.to = cluster_.shared_bytes(by, a.target, w.bytes, 16);
    w.barrier = cluster_.shared_bytes(by, a.barrier, 8, 8);
    w.has_barrier = true;
    if (!a.is_multicast) return issue(by, std::move(w));
    issue_to_all(by, a, w);
}

/// A multicast: the same bytes, and their number, to the same offsets in each CTA of the mask.
void AsyncOperations::issue_to_all(Issue const& by, Asynchronous const& a, UnderWay const& w) {
    std::uint32_t const ranks = isa::column<std::uint16_t>(by.warp.bases, a.mask)[by.lane];
    auto& ctas = by.cta.cluster->ctas;
    for (std::uint32_t r = 0; r < 16; ++r) {
        if ((ranks >> r & 1) == 0) continue;
        if (r >= ctas.size()) {
            fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_operand,
                  "multicast to rank " + std::to_string(r) + " of a cluster of " + std::to_string(ctas.size()) +
                      " blocks");
        }
        UnderWay one = w;
        one.to.rank = r;
        // Pairs of CTAs: the one of each pair that is the same in its pair as the owner of the mbarrier.
        one.barrier.rank = a.is_of_pair ? (r & ~1u) | (w.barrier.rank & 1) : r;
        issue(by, std::move(one));
    }
}

/// .ignore_oob: a few bytes at the edges may lie outside of an allocation. They are not read, and what would receive
/// them keeps its value.
void AsyncOperations::copy_between_edges(Issue const& by, Asynchronous const& a, UnderWay&& w) {
    std::uint32_t edges[2];
    for (int i = 0; i < 2; ++i) {
        edges[i] = isa::column<std::uint32_t>(by.warp.bases, a.edges[i])[by.lane];
        if (edges[i] > 15) {
            fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_operand,
                  "bulk copy that ignores " + std::to_string(edges[i]) + " bytes; up to 15 are possible");
        }
    }
    w.ignored_bytes = std::min(edges[0] + edges[1], w.bytes);
    w.to = cluster_.shared_bytes(by, a.target, w.bytes, 16);
    w.barrier = cluster_.shared_bytes(by, a.barrier, 8, 8);
    w.has_barrier = true;
    w.bytes = w.source_bytes = w.bytes - w.ignored_bytes;
    w.to.at += edges[0];
    w.from = cluster_.global_bytes(by, a.source, 0, 16, false);  // its alignment
    AddressOperand inside = a.source;
    inside.offset += edges[0];
    w.from = cluster_.global_bytes(by, inside, w.bytes, 1, false);
    issue(by, std::move(w));
}

/// Values of registers, delivered later like a copy.
void AsyncOperations::store_late(Issue const& by, Asynchronous const& a) {
    UnderWay w;
    w.plan = &a;
    w.bytes = a.elements * a.element_bytes;
    w.has_read = true;
    w.data.resize(w.bytes);
    for (std::uint32_t e = 0; e < a.elements; ++e) {
        std::uint32_t const column_bytes = std::max(a.element_bytes, 2u);  // 8-bit registers take 16 bits
        std::byte const* const column = isa::column<std::byte>(by.warp.bases, a.data[e]);
        std::memcpy(w.data.data() + e * a.element_bytes,
                    column + static_cast<std::uint32_t>(by.lane) * column_bytes, a.element_bytes);
    }
    w.to = a.to_global ? cluster_.global_bytes(by, a.target, w.bytes, w.bytes, true)
                       : cluster_.shared_bytes(by, a.target, w.bytes, w.bytes);
    w.has_barrier = !a.to_global;
    if (w.has_barrier) w.barrier = cluster_.shared_bytes(by, a.barrier, 8, 8);
    issue(by, std::move(w));
}

/// The response: the id of the first CTA of the cluster that will not start, and whether there is one.
void AsyncOperations::cancel_launch(Issue const& by, Asynchronous const& a) {
    Bytes const response = cluster_.shared_bytes(by, a.target, 16, 16),
                barrier = cluster_.shared_bytes(by, a.barrier, 8, 8);
    for (Cta const& cta : by.cta.cluster->ctas) {
        if (!a.is_multicast && cta.rank != response.rank) continue;
        UnderWay to_come;
        to_come.is_bulk = to_come.has_read = to_come.has_barrier = true;
        to_come.bytes = 16;
        to_come.to = {cta.rank, response.at};
        to_come.barrier = {cta.rank, barrier.at};
        tell_issue(by, to_come);
    }
    if (model_ != nullptr)
        return model_->cancel_launch(*by.cta.cluster, response, barrier, a.is_multicast,
                                     execution_.faults.culprit(by));
    UnderWay answer = cancelled(cancel_ ? cancel_() : std::nullopt, response, barrier);
    for (Cta& cta : by.cta.cluster->ctas) {
        if (!a.is_multicast && cta.rank != response.rank) continue;
        std::memcpy(cta.shared.get() + response.at, answer.data.data(), 16);
        answer.to.rank = cta.rank;
        tell_arrival(*cta.cluster, answer, execution_.faults.culprit(by));
        complete_transaction(by, {cta.rank, barrier.at}, 16);
    }
}

UnderWay AsyncOperations::cancelled(std::optional<std::uint64_t> next, Bytes const& response,
                                    Bytes const& barrier) const {
    std::uint32_t words[4] = {};
    if (next) {
        auto const& c = launch_.cluster;
        std::uint64_t const x = launch_.grid[0] / c[0], y = launch_.grid[1] / c[1];
        words[0] = static_cast<std::uint32_t>(*next % x) * c[0];
        words[1] = static_cast<std::uint32_t>(*next / x % y) * c[1];
        words[2] = static_cast<std::uint32_t>(*next / x / y) * c[2];
        words[3] = 1;
    }
    UnderWay answer;
    answer.has_read = answer.has_barrier = true;
    answer.bytes = 16;
    answer.to = response;
    answer.barrier = barrier;
    answer.data.resize(16);
    std::memcpy(answer.data.data(), words, 16);
    return answer;
}

Flow AsyncOperations::carry_out(WarpInstruction& i) {
    if (!i.parts.asynchronous.issue_each(i.cta, i.warp, i.op, i.mask)) return Flow::next;
    i.stop_behind();
    return Flow::give_way;
}

bool AsyncOperations::issue_each(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    Asynchronous const& a = warp.running_frame().function->details_of<Asynchronous>(op);
    if (a.kind <= AsynchronousKind::pending_count) return mbarriers(cta, warp, op, a, mask);
    if (a.kind == AsynchronousKind::copy_map) divergence_.check_aligned(cta, warp, op, mask);
    if (a.kind == AsynchronousKind::copy && copy_few_at_once(cta, warp, op, a, mask)) return false;
    if (sinks_.want(EventKind::copy_group)) tell_group(cta, warp, op, a, mask);
    bool const is_wait = a.kind == AsynchronousKind::wait || a.kind == AsynchronousKind::bulk_wait;
    if (is_wait && cta.cluster->under_way.empty()) return false;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        Issue const by{cta, warp, op, std::countr_zero(m)};
        switch (a.kind) {
            case AsynchronousKind::copy: copy_few(by, a); break;
            case AsynchronousKind::bulk: copy_bulk(by, a); break;
            case AsynchronousKind::tensor: copy_tensor(by, a); break;
            case AsynchronousKind::commit:
            case AsynchronousKind::bulk_commit:
                if (!launch_.late_copies) return false;
                cta.committed.resize(launch_.threads());
                ++cta.committed[32 * warp.index + static_cast<std::uint32_t>(by.lane)]
                               [a.kind == AsynchronousKind::bulk_commit];
                break;
            case AsynchronousKind::wait:
            case AsynchronousKind::bulk_wait: wait_groups(by, a); break;
            case AsynchronousKind::arrive_after: {
                mbarrier(by, a);
                if (model_ != nullptr) {
                    model_->arrival_after_copies(*cta.cluster,
                                                 {cluster_.shared_bytes(by, a.barrier, 8, 8), a.kind, 1, false,
                                                  false, false, MbarrierCause::earlier_copies},
                                                 execution_.faults.culprit(by));
                    break;
                }
                UnderWay w;
                w.only_arrives = w.has_barrier = true;
                w.barrier = cluster_.shared_bytes(by, a.barrier, 8, 8);
                issue(by, std::move(w));
                break;
            }
            case AsynchronousKind::store: store_late(by, a); break;
            case AsynchronousKind::cancel_launch: cancel_launch(by, a); break;
            case AsynchronousKind::copy_map: {
                // All lanes copy the same bytes; the fences in its name are implied by the order of this host
                // thread's accesses.
                Bytes const from = cluster_.shared_bytes(by, a.source, a.bytes, a.bytes),
                            to = cluster_.global_bytes(by, a.target, a.bytes, a.bytes, true);
                copy_weak(host(*cta.cluster, to), host(*cta.cluster, from), a.bytes);
                ++cta.changes;
                if (!sinks_.want(EventKind::copy)) break;
                UnderWay w;
                w.from = from;
                w.to = to;
                w.bytes = w.source_bytes = a.bytes;
                tell_issue(by, w);
                tell_arrival(*cta.cluster, w, execution_.faults.culprit(by));
                break;
            }
            default: return false;  // a prefetch moves nothing
        }
    }
    return false;
}

/// The last lanes of a CTA exit. Copies that still have to read from its memory continue there, although it is no
/// longer in use.
void AsyncOperations::end_copies(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    for (Warp const& other : cta.warps) {
        if (other.live() != (&other == &warp ? mask : 0)) return;
    }
    Issue const by{cta, warp, op, std::countr_zero(mask)};
    for (UnderWay const& w : cta.cluster->under_way) {
        if (w.issuer == cta.rank && w.from.rank == cta.rank && w.in_group && !w.has_read) {
            fault(cta, warp, op, by.lane, FaultKind::illegal_address,
                  "the block ends while a bulk copy of " + std::to_string(w.bytes) +
                      " bytes that it did not wait for reads its shared memory at " + std::to_string(w.from.at));
        }
    }
    perform_those(by, [&](UnderWay const& w) { return w.issuer == cta.rank; });
}

CopyIssue AsyncOperations::issue_of(Issue const& by, UnderWay const& w) const {
    bool const is_of_registers = w.has_read && !w.from.is_shared() && w.from.at == 0;
    bool const reduces =
        w.plan != nullptr && (w.plan->reduce[0] != nullptr || (w.box && w.box->reduce != nullptr));
    CopyIssue issue{site(by.cta, by.warp, by.op),
                    by.lane,
                    told(*by.cta.cluster, w.from),
                    told(*by.cta.cluster, w.to),
                    w.bytes,
                    w.source_bytes,
                    w.is_bulk,
                    is_of_registers,
                    w.box.get(),
                    w.in_group,
                    0,
                    {}};
    if (reduces)
        issue.reduced_bytes = w.box ? static_cast<std::uint32_t>(tensor::global_bits(w.box->map.element) / 8)
                                    : w.plan->element_bytes;
    if (w.has_barrier) issue.barrier = told(*by.cta.cluster, w.barrier);
    return issue;
}

void AsyncOperations::tell_issue(Issue const& by, UnderWay const& w) const {
    sinks_.tell<CopyIssue>([&] { return issue_of(by, w); });
    bool const is_few = w.plan != nullptr && w.plan->kind == AsynchronousKind::copy;
    if (!is_few) sinks_.tell<BulkCopyIssue>([&] { return BulkCopyIssue{issue_of(by, w)}; });
}

void AsyncOperations::tell_group(Cta& cta, Warp& warp, Op const& op, Asynchronous const& a, LaneMask mask) const {
    using Action = CopyGroupEvent::Action;
    bool const is_bulk = a.kind == AsynchronousKind::bulk_commit || a.kind == AsynchronousKind::bulk_wait;
    bool const commits = a.kind == AsynchronousKind::commit || a.kind == AsynchronousKind::bulk_commit;
    bool const waits = a.kind == AsynchronousKind::wait || a.kind == AsynchronousKind::bulk_wait;
    if (mask == 0 || (!commits && !waits && a.kind != AsynchronousKind::arrive_after)) return;
    sinks_.tell<CopyGroupEvent>([&] {
        return CopyGroupEvent{site(cta, warp, op),
                              mask,
                              is_bulk ? CopyGroupEvent::Of::bulk_copies : CopyGroupEvent::Of::copies,
                              commits ? Action::commit
                              : waits ? Action::wait
                                      : Action::arrive_after,
                              a.kind == AsynchronousKind::wait && !a.has_count ? 0 : a.bytes,
                              a.kind == AsynchronousKind::wait && !a.has_count,
                              a.reads_only};
    });
}

void AsyncOperations::tell_arrival(Cluster const& cluster, UnderWay const& w, Culprit const& by) const {
    sinks_.tell<CopyArrival>([&] {
        return CopyArrival{
            told(cluster, w.from), told(cluster, w.to), w.bytes, by.cta, by.thread, w.is_bulk, cycle()};
    });
}

}  // namespace warpsim::sim
