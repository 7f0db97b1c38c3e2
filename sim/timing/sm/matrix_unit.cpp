// What tcgen05 has an SM's matrix unit do: one operation after the other, beside the warps. An operation of a pair of CTAs
// keeps the units of both SMs busy; that of the other learns of it after the way there.
#include "sim/exec/tensor/tensor_allocation.hpp"
#include "sim/timing/sm/sm.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

namespace {

/// Multiply-adds of the SM and cycle; where the unit does not have the type, those of the next wider one.
std::uint64_t work_rate(sim::TensorConfig const& t, sim::MatrixWork::Effort const& effort) {
    std::uint64_t const f16 = t.fp16_fma_per_cycle;
    auto const or_wider = [](std::uint64_t rate, std::uint64_t wider) { return rate != 0 ? rate : wider; };
    switch (effort.type) {
        case isa::Type::f16:
        case isa::Type::bf16: return f16;
        case isa::Type::tf32: return or_wider(t.tf32_fma_per_cycle, f16 / 2);
        case isa::Type::s8:
        case isa::Type::u8: return or_wider(t.int8_fma_per_cycle, f16);
        default: break;
    }
    std::uint64_t const f8 = or_wider(t.fp8_fma_per_cycle, f16);
    return effort.is_packed ? or_wider(t.fp4_fma_per_cycle, f8) : f8;
}

}  // namespace

/// A product takes as long as its multiply-adds or its operands in shared memory, whichever is longer (SA).
WorkCycles Sm::work_cycles(sim::MatrixWork const& work) const {
    sim::TensorConfig const tensor = config_.sm.units->tensor.value_or(sim::TensorConfig{});
    sim::MatrixWork::Effort const effort = work.effort();
    auto const cycles = [](std::uint64_t amount, std::uint64_t rate) {
        return (amount + std::max<std::uint64_t>(rate, 1) - 1) / std::max<std::uint64_t>(rate, 1);
    };
    std::uint64_t const width =
        std::uint64_t{config_.sm.shared.banks->count} * config_.sm.shared.banks->width_bytes;
    WorkCycles c;
    c.banks = cycles(effort.bytes, width);
    c.first = cycles(effort.first_bytes, width);
    c.work = effort.type == isa::Type::none ? cycles(effort.bytes, tensor.tensor_memory_copy_bytes_per_cycle)
                                            : cycles(effort.multiply_adds, work_rate(tensor, effort));
    c.unit = std::max<Cycle>({c.work, c.banks, 1});
    return c;
}

/// The unit begins when it has done what it was given before, and reads the first operands of the next meanwhile. Its reads
/// of shared memory go before all others.
void Sm::give_work(WorkCycles const& work, Cycle now) {
    Cycle const begin = std::max(matrix_unit_.free, now + work.first);
    if (work.banks != 0) data_path_.give_operands(begin - work.first, work.banks, now);
    matrix_unit_.done = begin + work.work;
    matrix_unit_.free = begin + work.unit;
}

/// Allocations of tensor memory and of registers that have too few left wait until others are given back.
bool Sm::waits_for_room(WarpState const& s) {
    sim::Cta const& cta = cta_slots_[s.place].cta();
    sim::Warp const& warp = *s.warp;
    if (warp.current >= warp.splits.size()) return false;
    if (sim::waits_for_registers(s.grid->launch, cta, warp, warp.running())) return true;
    std::uint32_t const wanted = sim::wanted_tensor_columns(warp, warp.running());
    if (wanted == 0 || wanted > sim::tensor_memory::columns) return false;
    return wanted > matrix_unit_.free_columns || (cta.tensor_memory && !cta.tensor_memory->fits(wanted));
}

/// The unit of the other CTA of a pair works as long.
void Sm::share_work(sim::Cta const& cta, WorkCycles const& work, Cycle at) {
    std::uint32_t const other = cta.cluster->ctas[cta.rank ^ 1u].sm;
    if (other == number_) return;
    SmMessage m;
    m.kind = SmMessage::Kind::work;
    m.work = work;
    data_path_.peers().send(other, at, m);
}

/// Starts what the executed instruction has given the unit, and arrivals that wait for it.
void Sm::begin_work(std::uint32_t w, Cycle now) {
    ResidentGrid& grid = *warps_[w].grid;
    Recorder& recorder = grid.recorder;
    Cycle const way = config_.interconnect->sm_to_sm_latency_cycles;
    for (auto const& work : recorder.works()) {
        WorkCycles const cycles = work_cycles(*work);
        give_work(cycles, now);
        if (work->of_pair()) share_work(cta_slots_[warps_[w].place].cta(), cycles, now + way);
    }
    Cycle const latency = config_.sm.units->tensor ? config_.sm.units->tensor->tensor_memory_tail_cycles : 1;
    for (WorkArrival const& a : recorder.work_arrivals()) {
        Cycle at = std::max(matrix_unit_.done, now) + latency;
        // What a pair does is done between two epochs.
        if (a.of_pair) at = std::max(at, now + way);
        MbarrierArrival arrival = a.arrival;
        arrival.grid = grid.number;
        std::uint32_t const sm = arrival.cluster->owner(arrival.update.place)->sm;
        if (sm == number_) {
            Event event;
            event.at = at;
            event.kind = Event::Kind::arrivals;
            event.arrivals.push_back(std::move(arrival));
            add_event(std::move(event));
            continue;
        }
        SmMessage m;
        m.kind = SmMessage::Kind::arrival;
        m.arrival = std::make_shared<MbarrierArrival>(std::move(arrival));
        data_path_.peers().send(sm, at + way, m);
    }
    if (!recorder.has_returned_columns()) return;
    for (CtaSlot& place : cta_slots_) {
        if (place.used) check_suspended(place, now);
    }
}

}  // namespace warpsim::timing
