// The start of a CTA: its columns of special registers, its warps at the first instruction; and reports about it
// when it cannot continue.
#include "sim/exec/function_planner.hpp"
#include "sim/exec/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace warpsim::sim {

namespace {

using ir::SpecialRegister;

void fill_column(std::byte* block, SpecialColumn const& column, std::uint64_t value) {
    std::byte* const at = block + (column.slot & ~3);
    switch (column.log2) {
        case 1: std::fill_n(reinterpret_cast<std::uint16_t*>(at), 32, static_cast<std::uint16_t>(value)); break;
        case 2: std::fill_n(reinterpret_cast<std::uint32_t*>(at), 32, static_cast<std::uint32_t>(value)); break;
        case 3: std::fill_n(reinterpret_cast<std::uint64_t*>(at), 32, value); break;
        default: std::fill_n(at, 32, static_cast<std::byte>(value));
    }
}

std::uint64_t launch_value(LaunchContext const& launch, SpecialColumn const& c) {
    auto const of = [&](std::array<std::uint32_t, 3> const& v) {
        return std::uint64_t{c.component < 3 ? v[c.component] : 0};
    };
    switch (c.which) {
        case SpecialRegister::ntid: return of(launch.block);
        case SpecialRegister::nctaid: return of(launch.grid);
        case SpecialRegister::nclusterid:
            return c.component < 3 ? launch.grid[c.component] / launch.cluster[c.component] : 0;
        case SpecialRegister::cluster_nctaid: return of(launch.cluster);
        case SpecialRegister::cluster_nctarank: return launch.ctas_per_cluster();
        case SpecialRegister::is_explicit_cluster: return launch.explicit_cluster ? ~std::uint64_t{0} : 0;
        case SpecialRegister::nwarpid: return launch.warps_per_sm;
        case SpecialRegister::nsmid: return launch.sms;
        case SpecialRegister::gridid: return launch.grid_id;
        // The address at which nvcc's cooperative groups find the workspace of a grid barrier.
        case SpecialRegister::envreg:
            return c.component == 1   ? launch.grid_workspace >> 32
                   : c.component == 2 ? launch.grid_workspace & UINT32_MAX
                                      : 0;
        case SpecialRegister::dynamic_smem_size: return launch.dynamic_shared;
        case SpecialRegister::total_smem_size: return launch.user_shared;
        case SpecialRegister::aggr_smem_size: return launch.user_shared + launch.reserved_shared;
        case SpecialRegister::reserved_smem_offset_begin: return launch.user_shared;
        case SpecialRegister::reserved_smem_offset_end: return launch.user_shared + launch.reserved_shared;
        case SpecialRegister::reserved_smem_offset_cap: return launch.reserved_shared;
        // Two halves: cooperative groups keep the barriers of large tiles in the second.
        case SpecialRegister::reserved_smem_offset:
            return launch.user_shared + c.component * (launch.reserved_shared / 2);
        default: return 0;  // %current_graph_exec; %pm counts nothing
    }
}

}  // namespace

AlignedBytes make_plan_block(KernelPlan const& plan, LaunchContext const& launch,
                             std::vector<std::byte> const& parameters) {
    AlignedBytes block(plan.constants.size());
    std::copy(plan.constants.begin(), plan.constants.end(), block.get());
    std::copy_n(parameters.begin(), std::min<std::size_t>(parameters.size(), plan.param_bytes), block.get());
    for (SpecialColumn const& column : plan.launch_specials)
        fill_column(block.get(), column, launch_value(launch, column));
    std::byte* const bases[4] = {nullptr, block.get(), nullptr, nullptr};
    for (ColumnOp const& op : plan.launch_ops) op.run(bases, op.operands, isa::all_lanes);
    return block;
}

AlignedBytes make_warp_blocks(KernelPlan const& plan, LaunchContext const& launch) {
    std::uint32_t const warps = (launch.threads() + 31) / 32;
    AlignedBytes blocks(std::size_t{warps} * plan.warp_bytes);
    std::uint32_t const width = launch.block[0], height = launch.block[1];
    // The place of the next thread is counted: dividing for each takes longer than many a launch.
    std::uint32_t x = 0, y = 0, z = 0;
    for (std::uint32_t w = 0; w < warps; ++w) {
        std::uint32_t tid[4][32] = {};  // by component
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            tid[0][lane] = x, tid[1][lane] = y, tid[2][lane] = z;
            if (++x != width) continue;
            x = 0;
            if (++y != height) continue;
            y = 0, ++z;
        }
        for (SpecialColumn const& column : plan.warp_specials) {
            std::size_t const size = std::size_t{1} << column.log2;
            std::byte* const at = blocks.get() + std::size_t{w} * plan.warp_bytes + (column.slot & ~3);
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                std::uint64_t const value =
                    column.which == SpecialRegister::warpid ? w : tid[column.component & 3][lane];
                std::memcpy(at + lane * size, &value, size);
            }
        }
    }
    return blocks;
}

namespace {

/// x varies fastest.
std::array<std::uint32_t, 3> place_in(std::uint64_t linear, std::uint64_t x, std::uint64_t y) {
    return {static_cast<std::uint32_t>(linear % x), static_cast<std::uint32_t>(linear / x % y),
            static_cast<std::uint32_t>(linear / x / y)};
}

std::uint64_t cta_special(LaunchContext const& launch, Cta const& cta, SpecialColumn const& c) {
    std::size_t const i = c.component;
    switch (c.which) {
        case SpecialRegister::smid: return cta.sm;
        case SpecialRegister::cluster_ctarank:
            return c.component != rank_component   ? cta.rank
                   : launch.ctas_per_cluster() > 1 ? rank_bits(cta.rank)
                                                   : 0;
        case SpecialRegister::ctaid: return i < 3 ? cta.id[i] : 0;
        case SpecialRegister::clusterid: return i < 3 ? cta.id[i] / launch.cluster[i] : 0;
        case SpecialRegister::cluster_ctaid: return i < 3 ? cta.id[i] % launch.cluster[i] : 0;
        default: return 0;
    }
}

void set_bases(LaunchContext const& launch, Cta const& cta, Warp& warp) {
    warp.bases[0] = warp.current < warp.splits.size() ? warp.running_frame().registers.get() : nullptr;
    warp.bases[1] = launch.plan_block;
    warp.bases[2] = cta.columns.get();
    warp.bases[3] = launch.warp_blocks + std::size_t{warp.index} * launch.plan.warp_bytes;
}

}  // namespace

void Interpreter::start(Cluster& cluster, std::uint64_t linear, std::uint32_t sm) {
    start(cluster, linear, std::vector<std::uint32_t>(sm != UINT32_MAX ? launch_.ctas_per_cluster() : 0, sm));
}

void Interpreter::start(Cluster& cluster, std::uint64_t linear, std::vector<std::uint32_t> const& sms) {
    cluster.linear = linear;
    cluster.executed = cluster.turn_changes = cluster.turn_times = cluster.stuck_epoch = cluster.kept_hash =
        cluster.kept_epoch = 0;
    cluster.released = 0;
    cluster.may_poll = false;
    cluster.under_way.clear();
    bool const is_unmarked = std::exchange(cluster.is_unmarked, false);
    std::uint32_t const size = launch_.ctas_per_cluster();
    cluster.ctas.resize(size);
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        Cta& cta = cluster.ctas[rank];
        cta.cluster = &cluster;
        cta.rank = rank;
        cta.linear = linear;
        if (size == 1) {
            cta.id = place_in(linear, launch_.grid[0], launch_.grid[1]);
        } else {
            auto const& c = launch_.cluster;
            auto const at = place_in(linear, launch_.grid[0] / c[0], launch_.grid[1] / c[1]);
            auto const in = place_in(rank, c[0], c[1]);
            cta.id = {at[0] * c[0] + in[0], at[1] * c[1] + in[1], at[2] * c[2] + in[2]};
            cta.linear = cta.id[0] + launch_.grid[0] * (cta.id[1] + std::uint64_t{launch_.grid[1]} * cta.id[2]);
        }
        cta.sm = !sms.empty() ? sms[rank] : static_cast<std::uint32_t>(cta.linear % launch_.sms);
        start_cta(cta, is_unmarked);
        if (model_ == nullptr) tell_start(cta);
    }
}

void Interpreter::start_cta(Cta& cta, bool is_unmarked) {
    KernelPlan const& plan = launch_.plan;
    cta.executed = cta.changes = cta.looked_at_time = 0;
    if (!cta.columns) cta.columns = AlignedBytes(plan.cta_bytes);
    if (!cta.shared) cta.shared = AlignedBytes(launch_.shared_bytes);
    std::memset(cta.shared.get(), 0, launch_.shared_bytes);
    for (SpecialColumn const& column : plan.cta_specials) {
        fill_column(cta.columns.get(), column, cta_special(launch_, cta, column));
    }
    std::byte* const bases[4] = {nullptr, launch_.plan_block, cta.columns.get(), nullptr};
    for (ColumnOp const& op : plan.cta_ops) op.run(bases, op.operands, isa::all_lanes);
    if (is_unmarked) return;
    cta.barriers_in_use = 0;
    cta.warpgroups.clear();
    cta.in_cluster_barrier = false;
    cta.committed.clear();
    cta.tensor_memory = {};
    cta.registers = {};
    cta.tensor_group = 0;
    cta.warps.resize((launch_.threads() + 31) / 32);
    for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
        cta.warps[w].index = w;
        start_warp(cta, cta.warps[w]);
    }
}

void Interpreter::start_warp(Cta& cta, Warp& warp) {
    std::uint32_t const count = std::min(32u, launch_.threads() - 32 * warp.index);
    warp.exists = count == 32 ? isa::all_lanes : (1u << count) - 1;
    warp.exited = warp.cluster_arrived = warp.cluster_owing = 0;
    warp.executed = warp.slice_hash = warp.slice_changes = warp.own_changes = 0;
    warp.polled = nullptr;
    warp.slice_end = UINT64_MAX;
    warp.let_go = false;
    // What an earlier CTA left in local memory must not be visible: it would depend on the host's threads.
    if (warp.local_used != 0) std::fill_n(warp.local.begin(), warp.local_used * 32, std::byte{});
    warp.local_used = 0;
    warp.splits.clear();
    warp.convergence_barriers.clear();
    parts_.calls.free_all(warp);
    FrameIndex const frame = parts_.calls.make_frame(warp, launch_.plan.functions.front(), no_frame, warp.exists);
    parts_.divergence.add_split(warp, warp.exists, 0, frame);
    warp.current = 0;
    set_bases(launch_, cta, warp);
}

void Interpreter::adopt(Cluster& cluster) const {
    for (Cta& cta : cluster.ctas) {
        cta.cluster = &cluster;
        for (Warp& warp : cta.warps) set_bases(launch_, cta, warp);
    }
}

}  // namespace warpsim::sim
