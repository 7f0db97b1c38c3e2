// What the CTAs of a cluster share: its barrier, and each other's shared memory.
#include "sim/exec/interpreter.hpp"
#include "sim/memory/host_memory.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

void Interpreter::cluster_arrive(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    // The group is already behind the instruction; a place in front of it is that of the fault only.
    if (op.operands.immediate != 0) check_aligned(cta, warp, op, mask);
    if (LaneMask const again = warp.cluster_owing & mask) {
        fault(cta, warp, op, std::countr_zero(again), FaultKind::barrier_misuse,
              "barrier.cluster.arrive a second time, without a barrier.cluster.wait after the first");
    }
    warp.cluster_arrived |= mask;
    warp.cluster_owing |= mask;
    cta.in_cluster_barrier = true;
    ++cta.changes;
    sinks_.tell<BarrierArrival>([&] {
        return BarrierArrival{site(cta, warp, op), BarrierScope::cluster, 0, mask, false};
    });
    check_cluster_barrier(cta);
}

/// True when the current group goes on at once.
bool Interpreter::cluster_wait(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    if (op.operands.immediate != 0) check_aligned(cta, warp, op, mask);
    if (LaneMask const early = mask & ~warp.cluster_owing) {
        fault(cta, warp, op, std::countr_zero(early), FaultKind::barrier_misuse,
              "barrier.cluster.wait without a barrier.cluster.arrive before it");
    }
    if ((warp.cluster_arrived & mask) == 0) {  // complete already
        warp.cluster_owing &= ~mask;
        return true;
    }
    block(warp, mask, Group::State::in_cluster_barrier, 0);
    return false;
}

void Interpreter::check_cluster_barrier(Cta& cta) {
    if (model_ != nullptr && cta.cluster->ctas.size() > 1) model_->cluster_arrival(cta);
    else end_cluster_phase(*cta.cluster);
}

/// Threads that have exited are not waited for.
bool Interpreter::end_cluster_phase(Cluster& cluster) {
    bool used = false;
    for (Cta const& cta : cluster.ctas) {
        for (Warp const& warp : cta.warps) {
            if ((warp.live() & ~warp.cluster_arrived) != 0) return false;
            used |= warp.cluster_arrived != 0;
        }
    }
    if (!used) return false;
    for (Cta& cta : cluster.ctas) {
        cta.in_cluster_barrier = false;
        ++cta.changes;
        if (model_ == nullptr || cluster.ctas.size() == 1) tell_cluster_release(cta);
        for (Warp& warp : cta.warps) {
            warp.cluster_arrived = 0;
            for (Group& group : warp.groups) {
                if (group.state != Group::State::in_cluster_barrier) continue;
                account(*group.frame->function, group.pc, group.pc + 1, group.lanes, warp);
                warp.cluster_owing &= ~group.lanes;
                group.state = Group::State::runnable;
                ++group.pc;
            }
        }
    }
    return true;
}

std::string Interpreter::missing_in_cluster(Cluster const& cluster) {
    std::string text;
    std::uint32_t threads = 0, arrived = 0;
    for (Cta const& cta : cluster.ctas) {
        std::uint32_t missing = 0;
        for (Warp const& warp : cta.warps) {
            threads += static_cast<std::uint32_t>(std::popcount(warp.live()));
            arrived += static_cast<std::uint32_t>(std::popcount(warp.live() & warp.cluster_arrived));
            missing += static_cast<std::uint32_t>(std::popcount(warp.live() & ~warp.cluster_arrived));
        }
        if (missing != 0)
            text += (text.empty() ? "; missing are " : ", ") + std::to_string(missing) + " of rank " +
                    std::to_string(cta.rank);
    }
    return " (" + std::to_string(arrived) + " of " + std::to_string(threads) + " threads have come" + text + ")";
}

/// The CTA whose shared memory an address is in.
Cta& Interpreter::owner(Issue const& by, std::uint64_t address) const {
    std::uint64_t const prefix = address >> rank_shift;
    if (prefix == 0) return by.cta;
    std::vector<Cta>& ctas = by.cta.cluster->ctas;
    if (prefix > ctas.size()) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: shared " + std::to_string(address) + " belongs to no block of a cluster of " +
                  std::to_string(ctas.size()));
    }
    Cta& cta = ctas[prefix - 1];
    if (&cta != &by.cta && model_ == nullptr && cta.has_ended()) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: shared memory of rank " + std::to_string(cta.rank) + ", whose block has ended");
    }
    return cta;
}

void Interpreter::check_own(Issue const& by, Cta const& owner) const {
    if (&owner == &by.cta) return;
    fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
          "illegal address: shared memory of rank " + std::to_string(owner.rank) +
              " is not .shared::cta of rank " + std::to_string(by.cta.rank) +
              "; .shared::cluster and generic addresses reach it");
}

std::uint64_t Interpreter::address_at(Issue const& by, Place const& place) const {
    std::uint64_t const address = place.is_64 ? isa::column<std::uint64_t>(by.warp.bases, place.column)[by.lane]
                                              : isa::column<std::uint32_t>(by.warp.bases, place.column)[by.lane];
    std::uint64_t const sum = address + static_cast<std::uint64_t>(place.offset);
    return place.is_64 ? sum : sum & UINT32_MAX;
}

Bytes Interpreter::shared_bytes(Issue const& by, Place const& place, std::uint32_t bytes,
                                std::uint32_t alignment) const {
    std::uint64_t address = address_at(by, place);
    if (place.is_generic) {
        if (!Windows::inside(address, launch_.windows.shared)) {
            fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
                  "illegal address: " + std::to_string(address) + " is not in shared memory");
        }
        address -= launch_.windows.shared;
    }
    Cta& cta = owner(by, address);
    if (place.own_shared) check_own(by, cta);
    std::uint64_t const at = address & ((std::uint64_t{1} << rank_shift) - 1);
    if (at % alignment != 0) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::misaligned_address,
              "misaligned address: shared " + std::to_string(at) + " is not a multiple of " +
                  std::to_string(alignment));
    }
    if (at + bytes > launch_.shared_bytes) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: " + std::to_string(bytes) + " bytes of shared memory at " + std::to_string(at) +
                  ", past the end of " + std::to_string(launch_.shared_bytes) + " bytes per block");
    }
    return {&cta, at};
}

Bytes Interpreter::global_bytes(Issue const& by, Place const& place, std::uint32_t bytes, std::uint32_t alignment,
                                bool is_written) const {
    std::uint64_t const address = address_at(by, place);
    if (address % alignment != 0) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::misaligned_address,
              "misaligned address: global " + std::to_string(address) + " is not a multiple of " +
                  std::to_string(alignment));
    }
    Allocation const* const found = launch_.allocations.find(address);
    if (bytes == 0 || (found != nullptr && bytes <= found->end - address)) return {nullptr, address};
    std::string why;
    if (launch_.host_trust && found == nullptr && !launch_.memory.owns(address)) {
        HostFault const failed = try_host_memory(address, bytes, is_written);
        if (!failed) return {nullptr, address};
        why = failed.reason;
    } else {
        why = launch_.memory.describe(found == nullptr ? address : found->end);
    }
    fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
          "illegal address: asynchronous copy of " + std::to_string(bytes) + " bytes of global memory: " + why);
}

/// mapa and getctarank.
void Interpreter::map_ranks(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    bool const is_64 = (op.operands.immediate & 1) != 0, is_generic = (op.operands.immediate & 2) != 0;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        Issue const by{cta, warp, op, std::countr_zero(m)};
        // A variable's own address is inside shared memory even where a generic one is wanted.
        std::uint64_t address = address_at(by, {op.operands.slot[1], is_64, false, 0});
        std::uint64_t const window = is_generic ? launch_.windows.shared : 0;
        if (is_generic && Windows::inside(address, window)) address -= window;
        Cta const& from = owner(by, address);
        if (op.kind == OpKind::rank_of) {
            isa::column<std::uint32_t>(warp.bases, op.operands.slot[0])[by.lane] = from.rank;
            continue;
        }
        std::uint32_t const rank = isa::column<std::uint32_t>(warp.bases, op.operands.slot[2])[by.lane];
        if (rank >= cta.cluster->ctas.size()) {
            fault(cta, warp, op, by.lane, FaultKind::illegal_operand,
                  "rank " + std::to_string(rank) + " in a cluster of " + std::to_string(cta.cluster->ctas.size()) +
                      " blocks");
        }
        // Its own rank stands there, too: another CTA may be told the address, if there is one.
        std::uint64_t const of_rank = cta.cluster->ctas.size() > 1 ? std::uint64_t{rank + 1} << rank_shift : 0;
        std::uint64_t const mapped = (address & ((std::uint64_t{1} << rank_shift) - 1)) + of_rank + window;
        if (is_64) isa::column<std::uint64_t>(warp.bases, op.operands.slot[0])[by.lane] = mapped;
        else
            isa::column<std::uint32_t>(warp.bases, op.operands.slot[0])[by.lane] =
                static_cast<std::uint32_t>(mapped);
    }
}

/// Loads, stores and atomics in shared memory of other CTAs of the cluster: the lanes of each CTA by themselves.
/// True when some take effect later.
bool Interpreter::access_cluster(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a) {
    bool is_late = false;
    for (LaneMask rest = a.mask; rest != 0;) {
        int const first = std::countr_zero(rest);
        std::uint64_t const prefix = a.of(first) >> rank_shift;
        Cta& peer = owner({cta, warp, op, first}, a.of(first));
        if (access.own_shared) check_own({cta, warp, op, first}, peer);
        Addresses part;
        part.pattern = Pattern::scattered;
        part.bytes = a.bytes;
        part.low = UINT64_MAX;
        for (LaneMask m = rest; m != 0; m &= m - 1) {
            int const lane = std::countr_zero(m);
            if (a.of(lane) >> rank_shift != prefix) continue;
            part.mask |= 1u << lane;
            part.lane[lane] = a.of(lane) & ((std::uint64_t{1} << rank_shift) - 1);
            part.low = std::min(part.low, part.lane[lane]);
            part.past_high = std::max(part.past_high, part.lane[lane] + a.bytes);
        }
        for (int lane = 0; lane < 32; ++lane) {
            if ((part.mask >> lane & 1) == 0) part.lane[lane] = part.low;
        }
        if (part.past_high > launch_.shared_bytes)
            bad_address(cta, warp, op, access, SpaceKind::shared, part, launch_.shared_bytes);
        rest &= ~part.mask;
        if (model_ != nullptr && &peer != &cta) {
            model_->remote(cta, warp, op, access, part, peer);
            is_late = true;
            continue;
        }
        auto const bias = reinterpret_cast<std::uint64_t>(peer.shared.get());
        if (op.kind == OpKind::atomic) atomic(warp, cta, access, part, bias, true);
        else move(warp, access, part, bias);
    }
    return is_late;
}

}  // namespace warpsim::sim
