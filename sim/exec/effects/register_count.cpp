// setmaxnreg: warps give registers to the pool of their CTA, and take some from it.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/matrix/warpgroups.hpp"
#include "sim/exec/registers.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace warpsim::sim {

namespace {

using isa::Effect;

struct RegisterCount {
    std::uint32_t wanted = 0;  // of each thread
    bool takes = false;        // .inc
};

void plan_register_count(FunctionPlanner& p, Operands operands) {
    RegisterCount count;
    count.wanted = static_cast<std::uint32_t>(operands[0].value);
    count.takes = p.form().has(isa::Modifier::inc);
    KernelPlan& plan = p.kernel().plan;
    plan.changes_registers = true;
    if (count.takes) plan.most_registers = std::max(plan.most_registers, count.wanted);
    p.emit_effect_with(count);
}

/// Registers come in eights.
std::uint32_t at_entry(LaunchContext const& launch) { return (launch.registers_at_entry + 7) / 8 * 8; }

std::string text_of(RegisterCount const& count) {
    return std::string("setmaxnreg.") + (count.takes ? "inc" : "dec") + " to " + std::to_string(count.wanted);
}

RegisterPool& pool_of(WarpInstruction const& i) {
    if (!i.cta.registers) {
        RegisterPool pool;
        pool.warps.resize(i.cta.warps.size());
        for (RegisterPool::Owner& owner : pool.warps) owner.registers = at_entry(i.launch());
        i.cta.registers = Owned(std::move(pool));
    }
    return *i.cta.registers;
}

/// All warps of a warpgroup execute the same, and none goes on to another before all have.
void check_others(WarpInstruction const& i, RegisterPool const& pool, RegisterCount const& count) {
    std::uint32_t const own = pool.warps[i.warp.index].changes;
    std::uint32_t const first = i.warp.index / warps_of_group * warps_of_group;
    auto const end =
        std::min<std::uint32_t>(first + warps_of_group, static_cast<std::uint32_t>(pool.warps.size()));
    std::uint32_t behind = 0, ended = 0;
    for (std::uint32_t w = first; w < end; ++w) {
        RegisterPool::Owner const& other = pool.warps[w];
        bool const is_live = i.cta.warps[w].live() != 0;
        if (other.changes < own) behind |= 1u << (w - first);
        if (other.changes <= own && !is_live) ended |= 1u << (w - first);
        if (other.changes != own + 1) continue;
        RegisterCount const theirs{other.registers, other.took};
        if (theirs.wanted == count.wanted && theirs.takes == count.takes) continue;
        i.fault(0, FaultKind::broken_promise,
                text_of(count) + ", where warp " + std::to_string(w) + " of the same warpgroup executed " +
                    text_of(theirs));
    }
    if (ended != 0) {
        i.fault(0, FaultKind::broken_promise,
                text_of(count) + ", which " + warps_text(first, ended) +
                    " of the same warpgroup did not execute before ending");
    }
    if (behind != 0) {
        i.fault(0, FaultKind::broken_promise,
                text_of(count) + " before " + warps_text(first, behind) +
                    " of the same warpgroup have executed the one before: the warpgroup must synchronise between "
                    "them");
    }
}

Flow change_registers(WarpInstruction& i) {
    if (i.mask != isa::all_lanes && i.mask != i.warp.exists) {
        i.fault(std::countr_zero(i.warp.exists & ~i.mask), FaultKind::broken_promise,
                "setmaxnreg that not all threads of the warp execute: without " +
                    lanes_text(i.warp.exists & ~i.mask));
    }
    if (i.launch().registers_at_entry == 0) return Flow::next;
    auto const& count = i.function.details_of<RegisterCount>(i.op);
    RegisterPool& pool = pool_of(i);
    RegisterPool::Owner& owner = pool.warps[i.warp.index];
    // What leaves the warp as many as it has is no change that others have to keep up with. Triton repeats .inc at the head of
    // a loop, where the warps of a warpgroup have not synchronised since the one before.
    if (count.wanted == owner.registers) return Flow::next;
    check_others(i, pool, count);
    if (count.takes ? count.wanted < owner.registers : count.wanted > owner.registers) {
        i.fault(0, FaultKind::broken_promise,
                text_of(count) + " registers of threads that have " + std::to_string(owner.registers));
    }
    if (count.takes) {
        std::uint32_t const more = count.wanted - owner.registers;
        if (more > pool.free) return Flow::try_again;
        pool.free -= more;
    } else {
        pool.free += owner.registers - count.wanted;
    }
    owner.registers = count.wanted;
    owner.took = count.takes;
    ++owner.changes;
    ++i.cta.changes;
    return Flow::next;
}

RegisterCount const* count_at(Warp const& warp, WarpSplit const& split) {
    Op const& op = warp.op_of(split);
    bool const is_one = op.kind == OpKind::effect && op.carry_out == change_registers;
    if (!is_one || split.state != WarpSplit::State::runnable) return nullptr;
    return &warp.function_of(split).details_of<RegisterCount>(op);
}

/// What the warp has too few of: registers of a thread. 0: it waits for none.
std::uint32_t missing_registers(LaunchContext const& launch, Cta const& cta, Warp const& warp,
                                WarpSplit const& split) {
    RegisterCount const* const count = count_at(warp, split);
    if (count == nullptr || !count->takes || launch.registers_at_entry == 0) return 0;
    std::uint32_t const own = cta.registers ? cta.registers->warps[warp.index].registers : at_entry(launch);
    std::uint32_t const free = cta.registers ? cta.registers->free : 0;
    return count->wanted > own + free ? count->wanted - own : 0;
}

}  // namespace

bool waits_for_registers(LaunchContext const& launch, Cta const& cta, Warp const& warp, WarpSplit const& split) {
    return missing_registers(launch, cta, warp, split) != 0;
}

std::string waiting_text(LaunchContext const& launch, Cta const& cta, Warp const& warp, WarpSplit const& split) {
    return "wait for " + std::to_string(missing_registers(launch, cta, warp, split)) +
           " more registers a thread (the pool of the block has " +
           std::to_string(cta.registers ? cta.registers->free : 0) + ")";
}

EffectRules effects::register_count_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::change_registers, plan_register_count, change_registers},
    };
    return rules;
}

}  // namespace warpsim::sim
