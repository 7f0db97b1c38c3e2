// The beginning of a CTA: its columns of special registers, its warps at the first instruction; and what is said of it
// when it cannot go on.
#include "sim/exec/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

using ir::SpecialRegister;

void fill_column(std::byte* block, SpecialColumn const& column, std::uint64_t value) {
    std::size_t const size = std::size_t{1} << column.log2;
    std::byte* const at = block + (column.slot & ~3);
    for (std::size_t i = 0; i < 32; ++i) std::memcpy(at + i * size, &value, size);
}

std::uint64_t launch_value(LaunchContext const& launch, SpecialColumn const& c) {
    auto const of = [&](std::array<std::uint32_t, 3> const& v) { return std::uint64_t{c.component < 3 ? v[c.component] : 0}; };
    switch (c.which) {
        case SpecialRegister::ntid: return of(launch.block);
        case SpecialRegister::nctaid:
        case SpecialRegister::nclusterid: return of(launch.grid);
        case SpecialRegister::cluster_nctaid: return c.component < 3 ? 1 : 0;
        case SpecialRegister::cluster_nctarank: return 1;
        case SpecialRegister::nwarpid: return (launch.threads() + 31) / 32;
        case SpecialRegister::nsmid: return launch.sms;
        case SpecialRegister::gridid: return launch.grid_id;
        case SpecialRegister::dynamic_smem_size: return launch.dynamic_shared;
        case SpecialRegister::total_smem_size:
        case SpecialRegister::aggr_smem_size: return launch.shared_bytes;
        default: return 0;
    }
}

}  // namespace

AlignedBytes make_plan_block(KernelPlan const& plan, LaunchContext const& launch, std::vector<std::byte> const& parameters) {
    AlignedBytes block = aligned_bytes(plan.constants.size());
    std::copy(plan.constants.begin(), plan.constants.end(), block.get());
    std::copy_n(parameters.begin(), std::min<std::size_t>(parameters.size(), plan.param_bytes), block.get());
    for (SpecialColumn const& column : plan.launch_specials) fill_column(block.get(), column, launch_value(launch, column));
    return block;
}

AlignedBytes make_warp_blocks(KernelPlan const& plan, LaunchContext const& launch) {
    std::uint32_t const warps = (launch.threads() + 31) / 32;
    AlignedBytes blocks = aligned_bytes(std::size_t{warps} * plan.warp_bytes);
    for (std::uint32_t w = 0; w < warps; ++w) {
        for (SpecialColumn const& column : plan.warp_specials) {
            std::size_t const size = std::size_t{1} << column.log2;
            std::byte* const at = blocks.get() + std::size_t{w} * plan.warp_bytes + (column.slot & ~3);
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                std::uint32_t const t = 32 * w + lane;
                std::uint32_t const tid[4] = {t % launch.block[0], t / launch.block[0] % launch.block[1],
                                              t / launch.block[0] / launch.block[1], 0};
                std::uint64_t const value = column.which == SpecialRegister::warpid ? w : tid[column.component & 3];
                std::memcpy(at + lane * size, &value, size);
            }
        }
    }
    return blocks;
}

void Interpreter::start(Cta& cta, std::uint64_t linear) {
    KernelPlan const& plan = launch_.plan;
    FunctionPlan const& kernel = plan.functions.front();
    cta.linear = linear;
    cta.id = {static_cast<std::uint32_t>(linear % launch_.grid[0]),
              static_cast<std::uint32_t>(linear / launch_.grid[0] % launch_.grid[1]),
              static_cast<std::uint32_t>(linear / launch_.grid[0] / launch_.grid[1])};
    cta.sm = static_cast<std::uint32_t>(linear % launch_.sms);
    cta.executed = cta.changes = cta.turn_changes = cta.stuck_epoch = cta.kept_hash = cta.kept_epoch = 0;
    if (!cta.columns) cta.columns = aligned_bytes(plan.cta_bytes);
    if (!cta.shared) cta.shared = aligned_bytes(launch_.shared_bytes);
    std::memset(cta.shared.get(), 0, launch_.shared_bytes);
    cta.barriers_in_use = 0;
    for (SpecialColumn const& column : plan.cta_specials) {
        std::uint64_t value = 0;
        if (column.which == SpecialRegister::smid) value = cta.sm;
        else if (column.which == SpecialRegister::ctaid || column.which == SpecialRegister::clusterid) {
            value = column.component < 3 ? cta.id[column.component] : 0;
        }
        fill_column(cta.columns.get(), column, value);
    }
    std::uint32_t const threads = launch_.threads();
    cta.warps.resize((threads + 31) / 32);
    for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
        Warp& warp = cta.warps[w];
        std::uint32_t const count = std::min(32u, threads - 32 * w);
        warp.index = w;
        warp.exists = count == 32 ? isa::all_lanes : (1u << count) - 1;
        warp.exited = 0;
        warp.executed = warp.slice_hash = warp.slice_changes = 0;
        warp.groups.clear();
        warp.convergences.clear();
        while (!warp.frames.empty()) free_frame(warp, warp.frames.back().get());
        Frame* const frame = make_frame(warp, kernel, nullptr, warp.exists);
        warp.bases[0] = frame->registers.get();
        warp.bases[1] = launch_.plan_block;
        warp.bases[2] = cta.columns.get();
        warp.bases[3] = launch_.warp_blocks + std::size_t{w} * plan.warp_bytes;
        add_group(warp, warp.exists, 0, frame);
        warp.current = 0;
    }
}

void Interpreter::fault(Cta const& cta, Warp const& warp, Op const& op, int lane, std::string what, std::string details) const {
    Fault fault;
    fault.what = std::move(what);
    fault.has_place = true;
    fault.cta = cta.id;
    std::uint32_t const t = 32 * warp.index + static_cast<std::uint32_t>(lane);
    fault.thread = {t % launch_.block[0], t / launch_.block[0] % launch_.block[1], t / launch_.block[0] / launch_.block[1]};
    fault.warp = warp.index;
    fault.lane = static_cast<std::uint32_t>(lane);
    if (warp.current < warp.groups.size()) fault.function = warp.groups[warp.current].frame->function->index;
    fault.instruction = op.instruction;
    fault.details = details.empty() ? call_trace(warp) : std::move(details);
    throw fault;
}

namespace {

std::string line_of(ir::Module const& module, FunctionPlan const& function, std::uint32_t pc) {
    Op const& op = function.ops[std::min<std::size_t>(pc, function.ops.size() - 1)];
    ir::Instruction const& instruction = function.function->instructions[op.instruction];
    std::string const source = module.source_place(instruction);
    return module.place(instruction) + ":  " + module.written(instruction) + (source.empty() ? "" : "      (" + source + ")");
}

std::string lanes_text(LaneMask lanes) {
    if (std::popcount(lanes) == 32) return "all lanes";
    std::string text = std::popcount(lanes) == 1 ? "lane " : "lanes ";
    bool first = true;
    for (int i = 0; i < 32; ++i) {
        if ((lanes >> i & 1) == 0) continue;
        int last = i;
        while (last < 31 && (lanes >> (last + 1) & 1) != 0) ++last;
        text += (first ? "" : ",") + std::to_string(i) + (last > i ? "-" + std::to_string(last) : "");
        first = false;
        i = last;
    }
    return text;
}

}  // namespace

std::string Interpreter::describe_waiting(Cta const& cta) const {
    std::string text;
    int shown = 0;
    auto const add = [&](Warp const& warp, LaneMask lanes, FunctionPlan const& function, std::uint32_t pc, std::string const& what) {
        if (++shown > 8) return;
        text += "  block (" + std::to_string(cta.id[0]) + "," + std::to_string(cta.id[1]) + "," + std::to_string(cta.id[2]) +
                "), warp " + std::to_string(warp.index) + ", " + lanes_text(lanes) + ": " + what + " at " +
                line_of(*launch_.plan.module, function, pc) + "\n";
    };
    for (Warp const& warp : cta.warps) {
        for (Group const& group : warp.groups) {
            FunctionPlan const& function = *group.frame->function;
            std::string what = "run in circles";
            if (group.state == Group::State::in_barrier) {
                BarrierState const& state = cta.barriers[group.barrier];
                std::uint32_t arrived = 0;
                for (LaneMask const lanes : state.arrived) arrived += static_cast<std::uint32_t>(std::popcount(lanes));
                what = "wait in barrier " + std::to_string(group.barrier) + " (" + std::to_string(arrived) + " of " +
                       std::to_string(state.count != 0 ? state.count : live_threads(cta)) + " threads have come)";
            } else if (group.state == Group::State::in_collective) {
                Collective const& c = function.collectives[function.ops[group.pc].target];
                auto const* const members = reinterpret_cast<std::uint32_t const*>(
                    ((c.members & 3) == 0 ? group.frame->registers.get() : warp.bases[c.members & 3]) + (c.members & ~3));
                LaneMask const missing = members[std::countr_zero(group.lanes)] & warp.live() & ~group.lanes;
                what = "wait for " + lanes_text(missing);
            }
            add(warp, group.lanes, function, group.pc, what);
        }
        for (Convergence const& c : warp.convergences) {
            if (c.arrived == 0) continue;
            add(warp, c.arrived, *c.frame->function, c.point, "wait to reconverge with " + lanes_text(c.lanes & ~c.arrived));
        }
    }
    if (shown > 8) text += "  ... and " + std::to_string(shown - 8) + " more\n";
    if (!text.empty()) text.pop_back();
    return text;
}

}  // namespace warpsim::sim
