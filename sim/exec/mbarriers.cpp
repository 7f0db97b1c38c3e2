// mbarrier instructions: arrivals, what is expected, whether a phase is complete.
#include "sim/exec/async_operations.hpp"
#include "sim/exec/mbarrier.hpp"

#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

Mbarrier load(Cluster const& cluster, Bytes const& place) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, cluster.owner(place)->shared.get() + place.at, 8);
    return Mbarrier(bits);
}

void store(Cluster& cluster, Bytes const& place, Mbarrier const& barrier) {
    std::uint64_t const bits = barrier.bits();
    Cta& owner = *cluster.owner(place);
    std::memcpy(owner.shared.get() + place.at, &bits, 8);
    ++owner.changes;
}

/// No copy has reported anything.
void clear_report(Warp& warp, Asynchronous const& a, LaneMask mask) {
    if (a.report[0] != discard) *isa::column<LaneMask>(warp.bases, a.report[0]) &= ~mask;
    if (a.report[1] == discard) return;
    for (LaneMask m = mask; m != 0; m &= m - 1)
        isa::column<std::uint16_t>(warp.bases, a.report[1])[std::countr_zero(m)] = 0;
}

MbarrierOperation operation_of(Asynchronous::Kind kind) {
    using Kind = Asynchronous::Kind;
    return kind == Kind::invalidate ? MbarrierOperation::invalidate
           : kind == Kind::expect   ? MbarrierOperation::expect
           : kind == Kind::complete ? MbarrierOperation::complete
                                    : MbarrierOperation::arrive;
}

}  // namespace

void AsyncOperations::mbarrier_fault(Issue const& by, Bytes const& place, std::string const& what) const {
    fault(by.cta, by.warp, by.op, by.lane, FaultKind::barrier_misuse,
          "mbarrier at shared " + std::to_string(place.at) + " of rank " + std::to_string(place.rank) + ": " +
              what);
}

void AsyncOperations::complete_transaction(Issue const& by, Bytes const& place, std::uint32_t bytes) {
    Mbarrier barrier = load(*by.cta.cluster, place);
    if (!barrier.is_valid()) mbarrier_fault(by, place, "used before mbarrier.init");
    std::uint32_t const phase = barrier.parity();
    if (std::string const wrong = barrier.complete(bytes); !wrong.empty()) mbarrier_fault(by, place, wrong);
    store(*by.cta.cluster, place, barrier);
    tell_mbarrier(*by.cta.cluster, place, MbarrierOperation::complete, bytes, execution_.faults.culprit(by), false,
                  barrier.parity() != phase, phase, MbarrierCause::copy);
}

void AsyncOperations::arrive_at(Issue const& by, Bytes const& place, MbarrierCause cause, Culprit const& issuer) {
    Mbarrier barrier = load(*by.cta.cluster, place);
    if (!barrier.is_valid()) mbarrier_fault(by, place, "used before mbarrier.init");
    std::uint32_t const phase = barrier.parity();
    if (std::string const wrong = barrier.arrive(1, false, false); !wrong.empty())
        mbarrier_fault(by, place, wrong);
    store(*by.cta.cluster, place, barrier);
    tell_mbarrier(*by.cta.cluster, place, MbarrierOperation::arrive, 1, issuer, false, barrier.parity() != phase,
                  phase, cause);
}

void AsyncOperations::update(Cluster& cluster, MbarrierUpdate const& u, std::uint64_t linear, Culprit const& by) {
    using Kind = Asynchronous::Kind;
    std::string const where =
        "mbarrier at shared " + std::to_string(u.place.at) + " of rank " + std::to_string(u.place.rank) + ": ";
    Cta const& owner = *cluster.owner(u.place);
    if (owner.linear != linear || owner.has_ended())
        throw execution_.faults.fault_of(by, where + "its block has ended");
    Mbarrier barrier = load(cluster, u.place);
    if (!barrier.is_valid()) throw execution_.faults.fault_of(by, where + "used before mbarrier.init");
    std::uint32_t const phase = barrier.parity();
    std::string wrong;
    if (u.kind == Kind::expect || u.expects) wrong = barrier.expect(u.count);
    else if (u.kind == Kind::complete) wrong = barrier.complete(u.count);
    bool const arrives = u.kind == Kind::arrive || u.kind == Kind::arrive_after;
    if (arrives && wrong.empty()) wrong = barrier.arrive(u.expects ? 1 : u.count, u.drops, u.must_not_complete);
    if (!wrong.empty()) throw execution_.faults.fault_of(by, where + wrong);
    store(cluster, u.place, barrier);
    if (u.expects) tell_mbarrier(cluster, u.place, MbarrierOperation::expect, u.count, by, false, false, phase);
    tell_mbarrier(cluster, u.place, operation_of(u.kind), u.expects ? 1 : u.count, by, false,
                  barrier.parity() != phase, phase, u.cause);
}

bool AsyncOperations::waits_for_mbarrier(Cta& cta, Warp& warp) {
    WarpSplit const& split = warp.running();
    Op const& op = warp.op_of(split);
    Asynchronous const* const found = find(warp.function_of(split), op);
    if (found == nullptr) return false;
    Asynchronous const& a = *found;
    // Others of the warp may be the threads that it waits for.
    if (!a.may_suspend || warp.splits.size() != 1 || split.lanes != warp.live()) return false;
    warp.bases[0] = warp.frame_of(split).registers.get();
    LaneMask const predicate = *isa::column<LaneMask>(warp.bases, op.guard);
    LaneMask const mask = split.lanes & (op.guard_negated ? ~predicate : predicate);
    if (mask == 0) return false;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        Bytes const place = cluster_.shared_bytes({cta, warp, op, lane}, a.barrier, 8, 8);
        if (place.rank != cta.rank) return false;  // that is a fault when it is executed
        Mbarrier const barrier = load(*cta.cluster, place);
        std::uint32_t const waited =
            a.by_parity ? isa::column<std::uint32_t>(warp.bases, a.count)[lane] & 1
                        : Mbarrier(isa::column<std::uint64_t>(warp.bases, a.state)[lane]).parity();
        if (!barrier.is_valid() || barrier.parity() != waited) return false;
        warp.polled_place = place;
    }
    warp.polled = &op;
    warp.polled_at = warp.executed;
    return true;
}

/// One lane's instruction, and its result if it has one. If copies complete late, a failed test completes those
/// that the barrier waits for, and tests again.
std::uint64_t AsyncOperations::mbarrier(Issue const& by, Asynchronous const& a) {
    using Kind = Asynchronous::Kind;
    auto const value = [&](Slot slot) { return isa::column<std::uint32_t>(by.warp.bases, slot)[by.lane]; };
    Bytes const place = cluster_.shared_bytes(by, a.barrier, 8, 8);
    if (model_ != nullptr && place.rank != by.cta.rank && a.kind != Kind::test) {
        bool const has_number = a.kind != Kind::arrive || a.expects || a.has_count;
        model_->remote_mbarrier(*by.cta.cluster,
                                {place, a.kind, has_number ? value(a.count) : 1,
                                 a.expects && a.kind == Kind::arrive, a.drops, a.must_not_complete},
                                execution_.faults.culprit(by));
        return 0;
    }
    if (a.kind == Kind::initialize) {
        std::uint32_t const count = value(a.count);
        std::uint32_t const most = Mbarrier::most_arrivals(a.with_report);
        if (count == 0 || count > most) {
            mbarrier_fault(by, place,
                           "initialized for " + std::to_string(count) + " arrivals: the count must be from 1 to " +
                               std::to_string(most));
        }
        store(*by.cta.cluster, place, Mbarrier::fresh(count, a.with_report));
        tell_mbarrier(*by.cta.cluster, place, MbarrierOperation::initialize, count, execution_.faults.culprit(by),
                      false, false, 0);
        return 0;
    }
    Mbarrier barrier = load(*by.cta.cluster, place);
    if (!barrier.is_valid()) mbarrier_fault(by, place, "used before mbarrier.init");
    if (a.kind == Kind::check_layout) return barrier.with_report() == a.with_report;
    std::uint64_t const before = barrier.bits();
    std::uint32_t const phase = barrier.parity();
    std::uint32_t number = 1;  // of arrivals or bytes
    std::string wrong;
    switch (a.kind) {
        case Kind::invalidate:
            if (barrier.transactions() != 0) wrong = "invalidated in use, with " + barrier.text();
            barrier = Mbarrier(0);
            break;
        case Kind::expect: wrong = barrier.expect(number = value(a.count)); break;
        case Kind::complete: wrong = barrier.complete(number = value(a.count)); break;
        case Kind::arrive:
            if (a.expects) wrong = barrier.expect(value(a.count));
            else if (a.has_count) number = value(a.count);
            if (wrong.empty()) wrong = barrier.arrive(number, a.drops, a.must_not_complete);
            break;
        case Kind::arrive_after:
            if (a.counts_itself) wrong = barrier.add_pending();
            break;
        default: {
            std::uint32_t const waited =
                a.by_parity ? value(a.count) & 1
                            : Mbarrier(isa::column<std::uint64_t>(by.warp.bases, a.state)[by.lane]).parity();
            if (barrier.parity() == waited) {
                finish_for(by, place);
                barrier = load(*by.cta.cluster, place);
            }
            bool const passes = barrier.parity() != waited;
            tell_mbarrier(*by.cta.cluster, place, MbarrierOperation::test, 0, execution_.faults.culprit(by),
                          passes, false, waited);
            return passes;
        }
    }
    if (!wrong.empty()) mbarrier_fault(by, place, wrong);
    store(*by.cta.cluster, place, barrier);
    // arrive_after arrives when copies are complete; until then it only adds to the pending count, if anything.
    bool const is_later = a.kind == Kind::arrive_after;
    if (is_later && !a.counts_itself) return before;
    if (a.expects && a.kind == Kind::arrive)
        tell_mbarrier(*by.cta.cluster, place, MbarrierOperation::expect, value(a.count),
                      execution_.faults.culprit(by), false, false, phase);
    tell_mbarrier(*by.cta.cluster, place, is_later ? MbarrierOperation::add_pending : operation_of(a.kind), number,
                  execution_.faults.culprit(by), false, a.kind != Kind::invalidate && barrier.parity() != phase,
                  phase);
    return before;
}

/// True when a test failed for all lanes: others should run first.
bool AsyncOperations::mbarriers(Cta& cta, Warp& warp, Op const& op, Asynchronous const& a, LaneMask mask) {
    using Kind = Asynchronous::Kind;
    bool const asks = a.kind == Kind::test || a.kind == Kind::check_layout;
    LaneMask passed = 0;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        if (a.kind == Kind::pending_count) {
            Mbarrier const state(isa::column<std::uint64_t>(warp.bases, a.state)[lane]);
            isa::column<std::uint32_t>(warp.bases, a.result)[lane] = state.pending();
            continue;
        }
        std::uint64_t const result = mbarrier({cta, warp, op, lane}, a);
        if (asks) passed |= static_cast<LaneMask>(result) << lane;
        else if (a.result != discard) isa::column<std::uint64_t>(warp.bases, a.result)[lane] = result;
    }
    if (!asks) return false;
    if (a.result != discard) {
        LaneMask* const d = isa::column<LaneMask>(warp.bases, a.result);
        *d = (*d & ~mask) | passed;
    }
    if (a.kind == Kind::check_layout) return false;
    clear_report(warp, a, mask);
    if (passed == 0) {
        warp.polled = &op;
        warp.polled_at = warp.executed;
        Bytes const place = cluster_.shared_bytes({cta, warp, op, std::countr_zero(mask)}, a.barrier, 8, 8);
        warp.polled_place = place;
    }
    return passed == 0;
}

std::string AsyncOperations::polled_mbarrier(Cta const& cta, Warp const& warp) {
    Bytes const& place = warp.polled_place;
    return "poll an mbarrier at shared " + std::to_string(place.at) + " of rank " + std::to_string(place.rank) +
           " (" + load(*cta.cluster, place).text() + ")";
}

void AsyncOperations::tell_mbarrier(Cluster const& cluster, Bytes const& place, MbarrierOperation operation,
                                    std::uint32_t count, Culprit const& by, bool passed, bool ends_phase,
                                    std::uint32_t parity, MbarrierCause cause) const {
    MemoryPlace const where{cluster.owner(place), place.at};
    sinks_.tell<MbarrierEvent>([&] {
        return MbarrierEvent{where,  operation, count, by.cta, by.thread, {by.function, by.instruction},
                             passed, cycle(),   cause};
    });
    if (ends_phase) sinks_.tell<MbarrierRelease>([&] { return MbarrierRelease{where, parity, cycle()}; });
}

}  // namespace warpsim::sim
