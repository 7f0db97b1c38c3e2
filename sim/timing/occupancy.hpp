// How many CTAs of a launch fit on one SM at once, and which of its resources limits that.
#pragma once

#include "sim/config/config.hpp"
#include "sim/exec/op.hpp"

#include <cstdint>
#include <string_view>

namespace warpsim::timing {

enum class Limiter : std::uint8_t { ctas, warps, threads, registers, shared, barriers };
std::string_view name(Limiter limiter);

struct CtaNeeds {
    std::uint32_t threads = 0;
    std::uint32_t registers_per_thread = 0;
    std::uint64_t shared_bytes = 0;
    std::uint32_t barriers = 0;  // 0: they limit nothing
};

/// What a CTA with this many threads of the kernel needs; `shared_bytes` counts static and dynamic ones.
CtaNeeds cta_needs(sim::Config const& config, sim::KernelPlan const& plan, std::uint32_t threads,
                   std::uint32_t registers_per_thread, std::uint64_t shared_bytes);

struct Occupancy {
    std::uint32_t ctas = 0;  // per SM; 0: not even one fits
    Limiter limiter = Limiter::ctas;
    std::uint32_t warps = 0;          // per SM
    std::uint32_t carve_out_kib = 0;  // the smallest split of the SM's memory with room for those CTAs

    /// Share of the warps that an SM could hold.
    double theoretical(sim::SmConfig const& sm) const { return static_cast<double>(warps) / sm.max_warps; }
};

/// The rules of cuda_occupancy.h (OCC).
Occupancy find_occupancy(sim::SmConfig const& sm, CtaNeeds const& needs);

}  // namespace warpsim::timing
