#include "sim/timing/occupancy.hpp"

#include <algorithm>

namespace warpsim::timing {

std::string_view name(Limiter limiter) {
    static constexpr std::string_view names[] = {"blocks",    "warps",         "threads",
                                                 "registers", "shared_memory", "barriers"};
    return names[static_cast<std::size_t>(limiter)];
}

CtaNeeds cta_needs(sim::Config const& config, sim::KernelPlan const& plan, std::uint32_t threads,
                   std::uint32_t registers_per_thread, std::uint64_t shared_bytes) {
    // Before 9.0, a CTA's use of barriers limits nothing (OCC).
    return {threads, registers_per_thread, shared_bytes,
            config.compute_capability.major >= 9 ? plan.named_barriers : 0};
}

Occupancy find_occupancy(sim::SmConfig const& sm, CtaNeeds const& needs) {
    std::uint32_t const warps = std::max((needs.threads + 31) / 32, 1u);
    Occupancy best{sm.max_ctas, Limiter::ctas, 0, 0};
    auto const limit = [&](Limiter which, std::uint64_t ctas) {
        if (ctas >= best.ctas) return;
        best.ctas = static_cast<std::uint32_t>(ctas);
        best.limiter = which;
    };
    limit(Limiter::warps, sm.max_warps / warps);
    limit(Limiter::threads, sm.max_threads / (warps * 32));
    // Each sub-core holds its share of the registers and its share of a CTA's warps.
    std::uint32_t const per_warp = sm.registers_per_warp(needs.registers_per_thread);
    std::uint32_t const granularity = std::max(sm.warp_allocation_granularity, 1u);
    if (per_warp != 0) {
        std::uint32_t const held = sm.registers / granularity / per_warp * granularity;
        std::uint32_t const taken = (warps + granularity - 1) / granularity * granularity;
        limit(Limiter::registers, taken > held ? 0 : held / warps);
    }
    std::uint64_t const shared = sm.shared.allocated_bytes(needs.shared_bytes);
    if (shared != 0) limit(Limiter::shared, sm.shared.size_bytes() / shared);
    if (sm.barriers != 0 && needs.barriers != 0) limit(Limiter::barriers, sm.barriers / needs.barriers);
    best.warps = best.ctas * warps;
    best.carve_out_kib = sm.shared.size_kib;
    for (std::uint32_t const kib : sm.shared.carve_outs_kib) {
        if (std::uint64_t{kib} * 1024 < shared * best.ctas) continue;
        best.carve_out_kib = kib;
        break;
    }
    return best;
}

}  // namespace warpsim::timing
