// Whether a launch can be placed at all, and how many of its CTAs fit on the GPU at once.
#include "runtime/device_state.hpp"
#include "sim/demangled.hpp"
#include "sim/exec/registers.hpp"
#include "sim/launch_error.hpp"

#include "sim/timing/occupancy.hpp"

#include <algorithm>

namespace warpsim::runtime {

namespace {

std::uint64_t product(std::array<std::uint32_t, 3> const& v) { return std::uint64_t{v[0]} * v[1] * v[2]; }

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

bool is_given(std::array<std::uint32_t, 3> const& bound) { return bound[0] != 0; }

}  // namespace

std::uint32_t registers_per_thread(sim::Config const& config, ir::Function const& kernel, std::uint32_t registers,
                                   LaunchShape const& shape) {
    // A compiler spills rather than exceed what the directives, or one CTA of this size, leave for each thread.
    std::uint64_t const threads = std::max<std::uint64_t>(
        {product(shape.block), product(kernel.bounds.max_threads), product(kernel.bounds.required_threads)});
    std::uint64_t limit = std::min(config.limits.max_registers_per_thread,
                                   sim::registers_for_all(config, threads, kernel.bounds.min_ctas_per_sm));
    if (kernel.bounds.max_registers != 0) limit = std::min<std::uint64_t>(limit, kernel.bounds.max_registers);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(registers, limit));
}

LaunchShape placed_shape(sim::Config const& config, ir::Function const& kernel, LaunchShape const& wanted) {
    ir::LaunchBounds const& bounds = kernel.bounds;
    auto const refuse = [&](std::string const& why) {
        auto const& cluster = is_given(wanted.cluster) ? wanted.cluster : bounds.required_cluster;
        throw LaunchError(LaunchError::Reason::cluster,
                          "cannot launch " + sim::demangled(kernel.name) + " with grid " + dims(wanted.grid) +
                              ", block " + dims(wanted.block) +
                              (is_given(cluster) ? ", cluster " + dims(cluster) : "") + ": " + why);
    };
    LaunchShape shape = wanted;
    if (product(wanted.cluster) == 0) {
        shape.cluster = bounds.required_cluster;
        if (bounds.explicit_cluster && !is_given(bounds.required_cluster)) {
            refuse("the kernel's .explicitcluster asks for cluster dimensions");
        }
    } else if (is_given(bounds.required_cluster) && wanted.cluster != bounds.required_cluster) {
        refuse("the kernel's .reqnctapercluster asks for clusters of " + dims(bounds.required_cluster));
    }
    std::uint64_t const size = product(shape.cluster);
    if (size == 0) return shape;
    std::uint64_t most = config.limits.max_cluster_size;
    if (wanted.non_portable_cluster) most = config.limits.max_cluster_size_non_portable;
    if (size > most) {
        refuse("blocks of a cluster: " + std::to_string(size) + " wanted, at most " + std::to_string(most) +
               " on " + config.name + (most == 1 ? ", which has no clusters" : ""));
    }
    if (bounds.max_cluster_rank != 0 && size > bounds.max_cluster_rank) {
        refuse("blocks of a cluster: " + std::to_string(size) + " wanted, the kernel's .maxclusterrank allows " +
               std::to_string(bounds.max_cluster_rank));
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (bounds.blocks_are_clusters) shape.grid[i] *= shape.cluster[i];
        if (shape.grid[i] % shape.cluster[i] != 0) {
            refuse("the grid is no multiple of the cluster: " + std::to_string(shape.grid[i]) +
                   " blocks in clusters of " + std::to_string(shape.cluster[i]));
        }
    }
    return shape;
}

void check_launch(sim::Config const& config, ir::Function const& kernel, sim::KernelPlan const& plan,
                  std::uint32_t compiled_registers, LaunchShape const& shape, std::size_t argument_bytes) {
    using enum LaunchError::Reason;
    auto const refuse = [&](std::string const& why, LaunchError::Reason reason = resources) {
        throw LaunchError(reason, "cannot launch " + sim::demangled(kernel.name) + " with grid " +
                                      dims(shape.grid) + ", block " + dims(shape.block) + ": " + why);
    };
    // Every launch comes through here: words are put together only for one that is refused.
    auto const limit = [&](char const* what, std::uint64_t wanted, std::uint64_t most) {
        if (wanted > most) {
            refuse(std::string(what) + ": " + std::to_string(wanted) + " wanted, at most " + std::to_string(most) +
                   " on " + config.name);
        }
    };
    static constexpr char const* grid_axes[] = {"blocks in x", "blocks in y", "blocks in z"};
    static constexpr char const* block_axes[] = {"threads of a block in x", "threads of a block in y",
                                                 "threads of a block in z"};
    for (std::size_t i = 0; i < 3; ++i) {
        if (shape.grid[i] == 0 || shape.block[i] == 0) refuse("a dimension is zero");
        limit(grid_axes[i], shape.grid[i], config.limits.max_grid_size[i]);
        limit(block_axes[i], shape.block[i], config.limits.max_cta_size[i]);
    }
    std::uint64_t const threads = product(shape.block);
    limit("threads per block", threads, config.limits.max_threads_per_cta);
    limit("threads per SM", threads, config.sm.max_threads);
    limit("warps per SM", (threads + 31) / 32, config.sm.max_warps);
    limit("bytes of shared memory per block", plan.shared_bytes, config.sm.shared.cta_opt_in_bytes());
    limit("bytes of shared memory per block, static and dynamic", plan.shared_bytes + shape.dynamic_shared,
          config.sm.shared.cta_opt_in_bytes());
    limit("bytes of local memory per thread", plan.functions.front().local_bytes,
          config.limits.local_bytes_per_thread);
    limit("bytes of parameters", plan.param_bytes, config.limits.parameter_bytes);
    if (argument_bytes < kernel.param_bytes) {
        refuse("arguments: " + std::to_string(argument_bytes) + " bytes given, the kernel's parameters take " +
               std::to_string(kernel.param_bytes));
    }
    ir::LaunchBounds const& bounds = kernel.bounds;
    if (is_given(bounds.max_threads) && threads > product(bounds.max_threads)) {
        refuse("threads per block: " + std::to_string(threads) + " wanted, the kernel's .maxntid allows " +
                   std::to_string(product(bounds.max_threads)),
               launch_bounds);
    }
    if (is_given(bounds.required_threads) && shape.block != bounds.required_threads) {
        refuse("the kernel's .reqntid asks for blocks of " + dims(bounds.required_threads), launch_bounds);
    }
    std::uint64_t const registers = registers_per_thread(config, kernel, compiled_registers, shape);
    std::uint64_t const warps = round_up((threads + 31) / 32, config.sm.warp_allocation_granularity);
    limit("registers per block", warps * config.sm.registers_per_warp(static_cast<std::uint32_t>(registers)),
          std::min(config.sm.registers, config.limits.max_registers_per_cta));
    limit("barriers per block",
          timing::cta_needs(config, plan, static_cast<std::uint32_t>(threads), 0, 0).barriers, config.sm.barriers);
    std::uint64_t const together = product(shape.cluster);
    if (together <= 1 && !shape.cooperative) return;
    std::uint64_t const resident = resident_ctas(config, plan, compiled_registers, shape);
    limit("blocks of a cluster, which are resident together", together, resident);
    if (shape.cooperative) limit("blocks of a cooperative launch", product(shape.grid), resident);
}

std::uint32_t ctas_per_sm(sim::Config const& config, sim::KernelPlan const& plan, std::uint32_t compiled_registers,
                          LaunchShape const& shape) {
    std::uint32_t const registers =
        registers_per_thread(config, *plan.functions.front().function, compiled_registers, shape);
    auto const threads = static_cast<std::uint32_t>(product(shape.block));
    return timing::find_occupancy(config.sm, timing::cta_needs(config, plan, threads, registers,
                                                               plan.shared_bytes + shape.dynamic_shared))
        .ctas;
}

std::uint64_t resident_ctas(sim::Config const& config, sim::KernelPlan const& plan,
                            std::uint32_t compiled_registers, LaunchShape const& shape) {
    return std::uint64_t{std::max(ctas_per_sm(config, plan, compiled_registers, shape), 1u)} * config.sm.count;
}

KernelAttributes kernel_attributes(sim::Config const& config, Module::State& module, std::uint32_t kernel) {
    ir::Function const& f = module.module.functions[kernel];
    sim::KernelPlan const& plan = module.plan(kernel);
    KernelAttributes a;
    a.registers_per_thread = registers_per_thread(config, f, module.registers(kernel, config), LaunchShape{});
    a.shared_bytes = plan.shared_bytes;
    a.local_bytes = plan.functions.front().local_bytes;
    a.parameter_bytes = f.param_bytes;
    a.target = module.module.target_sm;
    a.version = module.module.version;
    a.required_cluster = f.bounds.required_cluster;
    for (ir::Variable const& v : module.module.variables) {
        if (v.space == ir::StateSpace::constant) a.constant_bytes = std::max(a.constant_bytes, v.offset + v.size);
    }
    std::uint64_t threads = config.limits.max_threads_per_cta;
    if (is_given(f.bounds.max_threads)) threads = std::min(threads, product(f.bounds.max_threads));
    if (is_given(f.bounds.required_threads)) threads = std::min(threads, product(f.bounds.required_threads));
    // The largest CTA whose registers the SM has: warps come in whole allocation units.
    std::uint64_t const per_warp = config.sm.registers_per_warp(a.registers_per_thread);
    std::uint64_t const registers = std::min(config.sm.registers, config.limits.max_registers_per_cta);
    std::uint64_t const unit = config.sm.warp_allocation_granularity;
    if (per_warp != 0) threads = std::min(threads, registers / per_warp / unit * unit * 32);
    a.max_threads_per_cta = static_cast<std::uint32_t>(threads);
    for (sim::FunctionPlan const& function : plan.functions) {
        for (ir::Instruction const& instruction : function.function->instructions) {
            ir::Form const& form = module.module.forms[instruction.form];
            if (form.operation != isa::Operation::griddepcontrol) continue;
            (form.has(isa::Modifier::wait) ? a.waits_for_grids : a.lets_grids_begin) = true;
        }
    }
    return a;
}

}  // namespace warpsim::runtime
