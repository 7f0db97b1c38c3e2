#include "sim/exec/registers.hpp"

#include "sim/config/config.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

// A function needs some registers: below this nothing can be spilled.
constexpr std::uint32_t least_limit = 16;

std::uint64_t threads_of(std::array<std::uint32_t, 3> const& size) {
    return std::uint64_t{size[0]} * size[1] * size[2];
}

}  // namespace

std::uint32_t registers_for_all(Config const& config, std::uint64_t threads, std::uint64_t ctas) {
    std::uint64_t const granularity = std::max(config.sm.warp_allocation_granularity, 1u);
    std::uint64_t const warps = (threads + 31) / 32 * std::max<std::uint64_t>(ctas, 1);
    std::uint64_t const taken = (warps + granularity - 1) / granularity * granularity;
    std::uint64_t const unit = std::max(config.sm.register_allocation_unit, 32u);
    std::uint64_t const share = config.sm.registers / std::max<std::uint64_t>(taken, 1);
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(share / unit * unit / 32, least_limit));
}

std::uint32_t register_limit(ir::Function const& kernel, Config const& config) {
    ir::LaunchBounds const& bounds = kernel.bounds;
    std::uint64_t limit = std::max(config.limits.max_registers_per_thread, least_limit);
    std::uint64_t const threads = std::max(threads_of(bounds.max_threads), threads_of(bounds.required_threads));
    if (threads != 0)
        limit = std::min<std::uint64_t>(limit, registers_for_all(config, threads, bounds.min_ctas_per_sm));
    if (bounds.max_registers != 0)
        limit = std::min<std::uint64_t>(limit, std::max(bounds.max_registers, least_limit));
    return static_cast<std::uint32_t>(limit);
}

std::uint32_t registers_at_entry(KernelPlan const& plan, Config const& config) {
    ir::Function const& kernel = *plan.functions.front().function;
    ir::LaunchBounds const& bounds = kernel.bounds;
    bool const has_size = bounds.max_threads[0] != 0 || bounds.required_threads[0] != 0;
    bool const is_fixed = bounds.max_registers != 0 || (has_size && bounds.min_ctas_per_sm != 0);
    if (!plan.changes_registers || !is_fixed) return 0;
    std::uint32_t const limit = register_limit(kernel, config);
    // As ptxas does: no more than a warp asks for later.
    return plan.most_registers == 0 ? limit : std::min(limit, plan.most_registers);
}

}  // namespace warpsim::sim
