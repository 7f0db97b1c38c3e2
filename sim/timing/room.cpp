#include "sim/timing/room.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

std::uint32_t warps_of(CtaNeeds const& needs) { return std::max((needs.threads + 31) / 32, 1u); }

std::uint64_t registers_of(sim::SmConfig const& sm, CtaNeeds const& needs) {
    return std::uint64_t{warps_of(needs)} * sm.registers_per_warp(needs.registers_per_thread);
}

}  // namespace

std::uint32_t Room::left(sim::SmConfig const& sm, CtaNeeds const& needs, Occupancy const& alone,
                         std::uint32_t own) const {
    std::uint64_t most = alone.ctas - std::min(own, alone.ctas);
    if (ctas_ == own) return static_cast<std::uint32_t>(most);
    auto const limit = [&](std::uint64_t all, std::uint64_t taken, std::uint64_t each) {
        if (each != 0) most = std::min(most, (all - std::min(taken, all)) / each);
    };
    limit(sm.max_ctas, ctas_, 1);
    limit(std::min(sm.max_warps, sm.max_threads / 32), warps_, warps_of(needs));
    limit(sm.registers, registers_, registers_of(sm, needs));
    limit(carve_out_, shared_, sm.shared.allocated_bytes(needs.shared_bytes));
    limit(sm.barriers, barriers_, needs.barriers);
    return static_cast<std::uint32_t>(most);
}

void Room::take(sim::SmConfig const& sm, CtaNeeds const& needs, Occupancy const& alone) {
    if (ctas_++ == 0) carve_out_ = std::uint64_t{alone.carve_out_kib} * 1024;
    warps_ += warps_of(needs);
    registers_ += registers_of(sm, needs);
    shared_ += sm.shared.allocated_bytes(needs.shared_bytes);
    barriers_ += needs.barriers;
}

void Room::give_back(sim::SmConfig const& sm, CtaNeeds const& needs) {
    --ctas_;
    warps_ -= warps_of(needs);
    registers_ -= registers_of(sm, needs);
    shared_ -= sm.shared.allocated_bytes(needs.shared_bytes);
    barriers_ -= needs.barriers;
}

}  // namespace warpsim::timing
