// What proceeds beside the warps of an SM: asynchronous copies, mbarriers at which other CTAs arrive, the barrier
// of a cluster.
#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/timing/sm/wake_up.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;
using AsyncKind = sim::Asynchronous::Kind;

bool CopyWait::is_over(WarpCopies const& copies) const {
    return std::none_of(copies.under_way.begin(), copies.under_way.end(), [&](WarpCopies::UnderWay const& c) {
        bool const waited = all || std::uint64_t{c.group} + left < copies.committed[is_bulk];
        return c.in_group && c.is_bulk == is_bulk && waited && !(reads_only && c.has_read);
    });
}

void Sm::add_event(Event event) {
    // The latest first; of equal cycles, the one that was added last.
    auto const at = std::lower_bound(events_.begin(), events_.end(), event.at,
                                     [](Event const& e, Cycle cycle) { return e.at > cycle; });
    next_ = std::min(next_, event.at);
    events_.insert(at, std::move(event));
}

void Sm::take_events(Cycle now) {
    while (!events_.empty() && events_.back().at <= now) {
        Event const event = std::move(events_.back());
        events_.pop_back();
        switch (event.kind) {
            case Event::Kind::copied: copied(event.index, now); break;
            case Event::Kind::source_read: {
                Copy const& copy = copies_[event.index];
                for (WarpCopies::UnderWay& c : copy.of->under_way) c.has_read |= c.sequence == copy.sequence;
                check_copy_wait(copy.warp, copy.generation, now);
                break;
            }
            case Event::Kind::landing: land_here(*event.transfer, now); break;
            case Event::Kind::arrivals: perform_arrivals(event.arrivals, now); break;
            case Event::Kind::release:
                if (ResidentGrid* const of = grid(event.grid))
                    of->interpreter.barriers().tell_cluster_release(*event.cta);
                if (CtaSlot* const place = slot_of(*event.cta)) wake_released(*place, now);
                break;
            case Event::Kind::resume:
                if (warps_[event.index].generation == event.generation) resume(event.index, now);
                break;
        }
    }
}

void Sm::take_messages(Cycle now) {
    for (; peer_inbox_.next_time() <= now; peer_inbox_.pop()) {
        SmMessage const& m = peer_inbox_.front();
        switch (m.kind) {
            case SmMessage::Kind::request: data_path_.serve(now, peer_inbox_.front_source(), m); break;
            case SmMessage::Kind::reply: data_path_.receive(now, m, arrivals_); break;
            case SmMessage::Kind::arrival: perform_arrivals({*m.arrival}, now); break;
            case SmMessage::Kind::work: give_work(m.work, now); break;
            case SmMessage::Kind::landing: land_here(*m.transfer, now); break;
        }
    }
}

Sm::CtaSlot* Sm::slot_of(sim::Cta const& cta) {
    for (CtaSlot& place : cta_slots_) {
        if (place.used && place.resident == &cta) return &place;
    }
    return nullptr;
}

void Sm::release_cluster(sim::Cta const& cta, Cycle at) {
    CtaSlot* const place = slot_of(cta);
    if (place == nullptr) return;
    place->cluster_release = at;
    Event event;
    event.at = at;
    event.kind = Event::Kind::release;
    event.grid = place->grid->number;
    event.cta = &cta;
    add_event(std::move(event));
}

void Sm::land(std::shared_ptr<Transfer> transfer, Cycle at) {
    Event event;
    event.at = at;
    event.kind = Event::Kind::landing;
    event.transfer = std::move(transfer);
    add_event(std::move(event));
}

std::uint32_t Sm::add_pending(Pending const& pending) {
    std::uint32_t p = static_cast<std::uint32_t>(pending_.size());
    if (free_pending_.empty()) {
        pending_.emplace_back();
    } else {
        p = free_pending_.back();
        free_pending_.pop_back();
    }
    pending_[p] = pending;
    return p;
}

std::uint32_t Sm::add_copy(std::uint32_t w, bool is_bulk, bool in_group) {
    WarpState& s = warps_[w];
    if (!s.copies) s.copies = std::make_shared<WarpCopies>();
    std::uint32_t c = static_cast<std::uint32_t>(copies_.size());
    if (free_copies_.empty()) {
        copies_.emplace_back();
    } else {
        c = free_copies_.back();
        free_copies_.pop_back();
    }
    copies_[c] = {s.grid, w, s.generation, ++s.copies->issued, s.copies, nullptr, {}, s.place};
    s.copies->under_way.push_back({s.copies->issued, s.copies->committed[is_bulk], is_bulk, in_group, false});
    return c;
}

/// Starts the copies that the executed instruction has issued.
void Sm::begin_copies(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    Recorder& recorder = s.grid->recorder;
    if (recorder.few()) {
        std::uint32_t const c = add_copy(w, false, true);
        copies_[c].few = recorder.few();
        bool const past_l1 = s.asynchronous != nullptr && s.asynchronous->past_l1;
        if (recorder.gather(*copies_[c].few, past_l1)) {
            MemoryOperation& operation = recorder.operation(recorder.operations() - 1);
            operation.grid = s.grid->number;
            operation.load = data_path_.begin_load(add_pending({w, s.generation, nullptr, 0, c, false}), 1);
            push(sub_core_of_[w], operation, now);
        } else {  // zeros only
            Event event;
            event.at = now + config_.sm.shared.banks->store_latency_cycles;
            event.kind = Event::Kind::copied;
            event.index = c;
            add_event(std::move(event));
        }
    }
    for (Issued& issued : recorder.copies()) begin_bulk(w, issued, now);
    for (MbarrierArrival const& arrival : recorder.arrivals()) {
        SmMessage m;
        m.kind = SmMessage::Kind::arrival;
        m.arrival = std::make_shared<MbarrierArrival>(arrival);
        m.arrival->grid = s.grid->number;
        data_path_.peers().send(arrival.cluster->owner(arrival.update.place)->sm,
                                now + config_.interconnect->sm_to_sm_latency_cycles, m);
    }
    begin_work(w, now);
    if (recorder.late_arrivals().empty()) return;
    if (!s.copies) s.copies = std::make_shared<WarpCopies>();
    for (MbarrierArrival& arrival : recorder.late_arrivals()) arrival.grid = s.grid->number;
    s.copies->late.push_back({s.copies->issued, recorder.late_arrivals()});
    check_late_arrivals(*s.copies, now);
}

/// What a copy reads or writes of global memory.
std::vector<ByteRange> Sm::ranges_of(sim::UnderWay const& copy) {
    std::vector<ByteRange> ranges;
    std::uint64_t const at = copy.to.is_shared() ? copy.from.at : copy.to.at;
    if (!copy.box && copy.bytes != 0) ranges.push_back({at, at + copy.bytes});
    if (!copy.box) return ranges;
    ranges.reserve(copy.box->runs.size());
    for (auto const& run : copy.box->runs) ranges.push_back({run.address, run.address + run.bytes});
    return ranges;
}

void Sm::begin_bulk(std::uint32_t w, Issued& issued, Cycle now) {
    sim::UnderWay const& first = issued.targets.front()->copy;
    bool const is_store = first.plan->kind == AsyncKind::store;
    bool const to_global = !first.to.is_shared();
    GridNumber const number = warps_[w].grid->number;
    for (std::shared_ptr<Transfer> const& target : issued.targets) target->grid = number;
    std::uint32_t const c = add_copy(w, true, first.in_group);
    copies_[c].targets = issued.targets;
    std::uint32_t const generation = warps_[w].generation;
    bool const is_in_global = (to_global || !first.from.is_shared()) && !(is_store && !to_global);
    std::vector<ByteRange> ranges = is_in_global ? ranges_of(first) : std::vector<ByteRange>{};
    if (!ranges.empty()) {
        std::uint32_t const owner = add_pending({w, generation, nullptr, 0, c, false});
        std::uint32_t const reads = to_global ? add_pending({w, generation, nullptr, 0, c, true}) : UINT32_MAX;
        data_path_.push_bulk(now, std::move(ranges), first.box ? first.box->map_address : BulkEngine::no_map,
                             warps_[w].grid->launch.memory.moved_by(), to_global, owner, reads, number);
        return;
    }
    // From registers or shared memory, or a box outside of its tensor: copied() adds the latency to another SM.
    Event event;
    event.at = is_store || first.bytes == 0 ? now + 1 : data_path_.bulk().pass(now, first.bytes);
    event.kind = Event::Kind::copied;
    event.index = c;
    add_event(std::move(event));
}

void Sm::copied(std::uint32_t index, Cycle now) {
    Copy const copy = std::move(copies_[index]);
    copies_[index] = {};
    free_copies_.push_back(index);
    if (copy.few) {
        FewCopies const& few = *copy.few;
        // The CTA has not ended in the meantime.
        if (few.cta->linear == few.linear && !few.cta->has_ended()) {
            for (sim::LaneMask m = few.lanes; m != 0; m &= m - 1) {
                auto const i = static_cast<std::size_t>(std::countr_zero(m));
                copy.grid->interpreter.asynchronous().land(
                    *few.cta, few.first_thread + static_cast<std::uint32_t>(i), few.lane[i], few.data[i].data());
            }
        }
    }
    Cycle const way = config_.interconnect->sm_to_sm_latency_cycles;
    for (std::shared_ptr<Transfer> const& target : copy.targets) {
        sim::Cta const* const to = target->cluster->owner(target->copy.to);
        if (to == nullptr) continue;
        bool const from_here = target->copy.from.is_shared() || target->copy.plan->kind == AsyncKind::store;
        if (to->sm == number_ && !from_here) {
            land_here(*target, now);
        } else if (to->sm == number_) {
            land(target, now + std::max<Cycle>(way, 1));
        } else {
            SmMessage m;
            m.kind = SmMessage::Kind::landing;
            m.transfer = target;
            data_path_.peers().send(to->sm, now + way, m);
        }
    }
    std::erase_if(copy.of->under_way, [&](WarpCopies::UnderWay const& c) { return c.sequence == copy.sequence; });
    if (copy.grid->ctas == 0) copy.grid->last = now;
    check_late_arrivals(*copy.of, now);
    check_copy_wait(copy.warp, copy.generation, now);
}

void Sm::land_here(Transfer const& transfer, Cycle now) {
    sim::Cta& cta = *transfer.cluster->owner(transfer.copy.to);
    bool const has_ended = cta.linear != transfer.linear || cta.has_ended();
    if (has_ended && transfer.copy.issuer == cta.rank)
        return;  // nothing waited for it, and no other component refers to it
    acting_ = grid(transfer.grid);
    if (acting_ == nullptr) return;  // it came too late for its grid
    acting_->interpreter.asynchronous().finish(*transfer.cluster, transfer.copy, transfer.linear, transfer.by);
    if (sim::UnderWay const& copy = transfer.copy; copy.has_barrier && copy.barrier.rank != copy.to.rank)
        complete_elsewhere(transfer, now);
    if (CtaSlot* const place = slot_of(cta)) check_suspended(*place, now);
}

/// The mbarrier of a pair of CTAs is the other one's: its SM counts the bytes when a message has come.
void Sm::complete_elsewhere(Transfer const& transfer, Cycle now) {
    sim::UnderWay const& copy = transfer.copy;
    sim::Cta const& owner = *transfer.cluster->owner(copy.barrier);
    SmMessage m;
    m.kind = SmMessage::Kind::arrival;
    m.arrival = std::make_shared<MbarrierArrival>(
        MbarrierArrival{transfer.cluster,
                        {copy.barrier, AsyncKind::complete, copy.bytes, false, false, false},
                        transfer.by,
                        owner.linear,
                        transfer.grid});
    data_path_.peers().send(owner.sm, now + config_.interconnect->sm_to_sm_latency_cycles, m);
}

void Sm::perform_arrivals(std::vector<MbarrierArrival> const& arrivals, Cycle now) {
    for (MbarrierArrival const& a : arrivals) {
        sim::Cta const& cta = *a.cluster->owner(a.update.place);
        bool const has_ended = cta.linear != a.linear || cta.has_ended();
        if (has_ended && cta.id == a.by.cta) continue;
        acting_ = grid(a.grid);
        if (acting_ == nullptr) continue;
        acting_->interpreter.asynchronous().update(*a.cluster, a.update, a.linear, a.by);
        if (CtaSlot* const place = slot_of(cta)) check_suspended(*place, now);
    }
}

/// Performs arrivals whose copies are all complete.
void Sm::check_late_arrivals(WarpCopies& copies, Cycle now) {
    for (std::size_t i = 0; i < copies.late.size();) {
        bool const waits =
            std::any_of(copies.under_way.begin(), copies.under_way.end(), [&](WarpCopies::UnderWay const& c) {
                return !c.is_bulk && c.sequence <= copies.late[i].after;
            });
        if (waits) {
            ++i;
            continue;
        }
        Event event;
        event.at = now + config_.sm.shared.banks->store_latency_cycles;
        event.kind = Event::Kind::arrivals;
        event.arrivals = std::move(copies.late[i].arrivals);
        add_event(std::move(event));
        copies.late.erase(copies.late.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void Sm::hold(std::uint32_t w, StallReason reason) {
    warps_[w].held = true;
    set_wake(w, never, reason);
}

void Sm::check_copy_wait(std::uint32_t w, std::uint32_t generation, Cycle now) {
    WarpState& s = warps_[w];
    if (s.generation != generation || !s.waits_for_copies || !s.copy_wait.is_over(*s.copies)) return;
    s.waits_for_copies = false;
    resume(w, now);
}

/// The warp has issued a wait and has to wait.
void Sm::suspend(std::uint32_t w) {
    WarpState& s = warps_[w];
    s.suspended = true;
    ++cta_slots_[s.place].suspended;
    hold(w, StallReason::barrier);
}

/// Wakes the warps whose phase has ended; testing the mbarrier again takes as long as a load.
void Sm::check_suspended(CtaSlot& place, Cycle now) {
    if (place.suspended == 0) return;
    for (std::uint32_t const w : place.warps) {
        WarpState& s = warps_[w];
        if (s.warp == nullptr || !s.suspended || &cta_slots_[s.place] != &place) continue;
        if (s.grid->interpreter.asynchronous().waits_for_mbarrier(place.cta(), *s.warp)) continue;
        if (waits_for_room(s)) continue;
        s.suspended = false;
        --place.suspended;
        Event event;
        event.at = now + config_.sm.shared.banks->load_latency_cycles;
        event.index = w;
        event.generation = s.generation;
        add_event(std::move(event));
    }
}

bool Sm::end_waits(Cycle at) {
    bool any = false;
    for (std::uint32_t w = 0; w < warps_.size(); ++w) {
        WarpState& s = warps_[w];
        if (s.warp == nullptr || !s.suspended || waits_for_room(s)) continue;
        any = s.timed_out = true;
        s.suspended = false;
        --cta_slots_[s.place].suspended;
        Event event;
        event.at = at;
        event.index = w;
        event.generation = s.generation;
        add_event(std::move(event));
    }
    return any;
}

std::uint64_t Sm::changes() const {
    std::uint64_t sum = 0;
    for (CtaSlot const& place : cta_slots_) {
        if (place.used) sum += place.resident->changes;
    }
    return sum;
}

void Sm::resume(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    account(s, s.reason, now);
    FunctionTiming const& f = *s.code;
    TimedInstruction const& timed = *s.timed;
    if (timed.kind == TimedKind::beside && s.micro == 0) {  // it has not been executed yet
        sim::Op const* next = nullptr;
        if (!carry_out_from(w, s.instruction, now, next)) return suspend(w);
        s.held = false;
        s.micro = timed.micros;
        s.grid->statistics.thread_micro_ops += s.lanes;
        finish_instruction(w, f.micros[timed.first_micro + timed.micros - 1u], now, nullptr);
        return;
    }
    s.held = false;
    advance(w, now, now, s.reason);
}

void Sm::commit_copies(std::uint32_t w, bool is_bulk) {
    WarpState& s = warps_[w];
    if (!s.copies) s.copies = std::make_shared<WarpCopies>();
    ++s.copies->committed[is_bulk];
}

/// True when there is nothing to wait for.
bool Sm::await_copies(std::uint32_t w, CopyWait const& wait) {
    WarpState& s = warps_[w];
    s.copy_wait = wait;
    if (!s.copies || wait.is_over(*s.copies)) return true;
    s.waits_for_copies = true;
    hold(w, StallReason::long_scoreboard);
    return false;
}

/// Sets up what the warp has to wait for; true when it continues at once.
bool Sm::finish_beside(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    CtaSlot& place = cta_slots_[s.place];
    sim::SynchronisationConfig const& sync = *config_.sm.synchronisation;
    bool const is_alone = place.cta().cluster->ctas.size() == 1;
    if (s.beside == isa::Effect::cluster_arrive) {
        if (!is_alone) return true;
        place.cluster_release = now + sync.barrier_latency_cycles;
        advance(w, now, now + 1, StallReason::wait);
        wake_released(place, now);
        return false;
    }
    if (s.beside == isa::Effect::cluster_wait) {
        s.in_cluster_barrier = true;
        advance(w, now, std::max(now + 1, place.cluster_release), StallReason::barrier);
        if (s.warp != nullptr && !s.blocked) s.in_cluster_barrier = false;
        return false;
    }
    if (s.asynchronous == nullptr) return true;
    sim::Asynchronous const& a = *s.asynchronous;
    switch (a.kind) {
        case AsyncKind::commit:
        case AsyncKind::bulk_commit: commit_copies(w, a.kind == AsyncKind::bulk_commit); return true;
        case AsyncKind::wait:
        case AsyncKind::bulk_wait:
            return await_copies(w, {a.kind == AsyncKind::bulk_wait, !a.has_count, a.reads_only, a.bytes});
        default:
            if (a.kind < AsyncKind::test) check_suspended(place, now);  // it may have ended a phase
            return true;
    }
}

}  // namespace warpsim::timing
