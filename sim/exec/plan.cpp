#include "sim/exec/plan.hpp"

#include "frontend/ir/analysis/cycles.hpp"
#include "sim/demangled.hpp"
#include "sim/exec/callees.hpp"
#include "sim/exec/function_planner.hpp"
#include "sim/launch_error.hpp"

#include <algorithm>
#include <optional>

namespace warpsim::sim {

std::uint32_t function_at(std::uint64_t address, std::size_t functions) {
    if (address < 0x1000 || (address & 15) != 0) return ir::none;
    std::uint64_t const index = (address - 0x1000) / 16;
    return index < functions ? static_cast<std::uint32_t>(index) : ir::none;
}

namespace {

using ir::SpecialRegister;

/// Special registers that are the same for a whole launch, for a CTA, for a warp; laneid and its masks are
/// constants.
enum class Level { launch, cta, warp, constant };

Level level_of(SpecialRegister which) {
    switch (which) {
        case SpecialRegister::tid:
        case SpecialRegister::warpid: return Level::warp;
        case SpecialRegister::ctaid:
        case SpecialRegister::smid:
        case SpecialRegister::clusterid:
        case SpecialRegister::cluster_ctaid:
        case SpecialRegister::cluster_ctarank: return Level::cta;
        case SpecialRegister::laneid:
        case SpecialRegister::lanemask_eq:
        case SpecialRegister::lanemask_le:
        case SpecialRegister::lanemask_lt:
        case SpecialRegister::lanemask_ge:
        case SpecialRegister::lanemask_gt: return Level::constant;
        default: return Level::launch;
    }
}

std::uint32_t lane_constant(SpecialRegister which, std::uint32_t lane) {
    std::uint32_t const below = (1u << lane) - 1;
    std::uint32_t const self = 1u << lane;
    switch (which) {
        case SpecialRegister::lanemask_eq: return self;
        case SpecialRegister::lanemask_le: return below | self;
        case SpecialRegister::lanemask_lt: return below;
        case SpecialRegister::lanemask_ge: return ~below;
        case SpecialRegister::lanemask_gt: return ~(below | self);
        default: return lane;
    }
}

}  // namespace

bool is_clock(SpecialRegister which) {
    return which >= SpecialRegister::clock && which <= SpecialRegister::globaltimer_hi &&
           which != SpecialRegister::envreg;
}

Sharing sharing_of_special(SpecialRegister which) {
    Level const level = level_of(which);
    if (is_clock(which)) return Sharing::warp;
    return level == Level::launch ? Sharing::launch : level == Level::cta ? Sharing::cta : Sharing::warp;
}

/// Lanes meet at the same operation, qualifiers and types, whatever the order of the qualifiers and the position
/// in the code.
std::uint32_t KernelPlanner::collective_key(ir::Form const& form) {
    CollectiveIdentity identity{form.operation, form.modifiers, form.types};
    std::sort(identity.qualifiers.begin(), identity.qualifiers.end());
    auto& known = plan.collective_identities;
    auto const at = std::find(known.begin(), known.end(), identity);
    auto const key = static_cast<std::uint32_t>(at - known.begin());
    if (at == known.end()) known.push_back(std::move(identity));
    return key;
}

bool KernelPlanner::names_pairs() const {
    return std::any_of(module.forms.begin(), module.forms.end(),
                       [](ir::Form const& form) { return form.has(isa::Modifier::cta_group_2); });
}

Slot KernelPlanner::special(SpecialRegister which, std::uint32_t component, int log2) {
    Level const level = level_of(which);
    if (level == Level::constant) {
        std::uint64_t values[32];
        for (std::uint32_t i = 0; i < 32; ++i) values[i] = lane_constant(which, i);
        return constants.lanes(log2, static_cast<std::uint64_t>(which), values);
    }
    auto& list = level == Level::launch ? plan.launch_specials
                 : level == Level::cta  ? plan.cta_specials
                                        : plan.warp_specials;
    for (SpecialColumn const& known : list) {
        if (known.which == which && known.component == component && known.log2 == log2) return known.slot;
    }
    Slot slot = 0;
    if (level == Level::launch) {
        slot = constants.block.add(log2);
        constants.bytes.resize(constants.block.bytes());
    } else {
        slot = (level == Level::cta ? cta_block : warp_block).add(log2);
    }
    list.push_back({which, component, static_cast<std::uint8_t>(log2), slot});
    plan.reads_reserved_shared |=
        which >= SpecialRegister::reserved_smem_offset_begin && which <= SpecialRegister::reserved_smem_offset;
    return slot;
}

namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Visits everything that a kernel can call, in order of discovery, and lays out the CTA's static shared memory:
/// the module's variables that are used, in order of declaration, then each function's own, then the dynamic part.
class Reachable {
public:
    Reachable(ir::Module const& module, std::uint32_t entry) : module_(module), uses_(module.variables.size()) {
        visit(entry);
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (ir::Operand const& operand : module.functions[order[i]].operands) look_at(operand);
        }
    }

    std::uint64_t lay_out_shared(KernelPlanner& kernel) const {
        std::uint64_t end = 0;
        kernel.module_place.assign(module_.variables.size(), 0);
        kernel.function_shared.assign(module_.functions.size(), 0);
        auto const is_shared = [&](std::size_t i) {
            return uses_[i] && module_.variables[i].space == ir::StateSpace::shared;
        };
        for (std::size_t i = 0; i < module_.variables.size(); ++i) {
            if (!is_shared(i) || module_.variables[i].size == 0) continue;
            end = round_up(end, module_.variables[i].align);
            kernel.module_place[i] = end;
            end += module_.variables[i].size;
            kernel.plan.shared_variables.push_back(
                {ir::none, static_cast<std::uint32_t>(i), kernel.module_place[i], end});
        }
        for (std::uint32_t const f : order) {
            if (module_.functions[f].shared_bytes == 0) continue;
            end = round_up(end, 128);
            kernel.function_shared[f] = end;
            std::vector<ir::Variable> const& own = module_.functions[f].variables;
            for (std::uint32_t v = 0; v < own.size(); ++v) {
                if (own[v].space != ir::StateSpace::shared) continue;
                kernel.plan.shared_variables.push_back(
                    {f, v, end + own[v].offset, end + own[v].offset + own[v].size});
            }
            end += module_.functions[f].shared_bytes;
        }
        // All unsized arrays name the same dynamic memory; the strictest alignment applies.
        std::uint64_t dynamic = end;
        for (std::size_t i = 0; i < module_.variables.size(); ++i) {
            if (is_shared(i) && module_.variables[i].size == 0)
                dynamic = round_up(dynamic, module_.variables[i].align);
        }
        for (std::size_t i = 0; i < module_.variables.size(); ++i) {
            if (is_shared(i) && module_.variables[i].size == 0) kernel.module_place[i] = dynamic;
        }
        return dynamic;
    }

    /// PTX before 3.0 declares .local variables in the module: every thread has them once, after the kernel's own.
    std::uint64_t lay_out_local(KernelPlanner& kernel, std::uint32_t entry) const {
        std::uint64_t end = module_.functions[entry].local_bytes;
        for (std::size_t i = 0; i < module_.variables.size(); ++i) {
            ir::Variable const& v = module_.variables[i];
            if (!uses_[i] || v.space != ir::StateSpace::local) continue;
            kernel.module_place[i] = round_up(end, v.align);
            end = kernel.module_place[i] + v.size;
        }
        return end;
    }

    /// What no engine has memory for.
    std::vector<std::string> refusals() const {
        std::vector<std::string> list;
        // A kernel alone may have its own; if functions share them, they would have to survive calls.
        for (std::uint32_t const f : order) {
            ir::Function const& function = module_.functions[f];
            if (function.is_entry || !function.uses_module_registers) continue;
            list.push_back(module_.exact_place(function.instructions.front()) + ": function " +
                           demangled(function.name) + "   (it uses a register of the module)");
        }
        return list;
    }

    std::vector<std::uint32_t> order;

private:
    void visit(std::uint32_t function) {
        if (seen_.size() < module_.functions.size()) seen_.resize(module_.functions.size(), false);
        if (seen_[function] || !module_.functions[function].has_body) return;
        // Another kernel whose address is taken is meant to be launched; none can be called.
        if (module_.functions[function].is_entry && !order.empty()) return;
        seen_[function] = true;
        order.push_back(function);
    }
    void look_at(ir::Operand const& operand) {
        using Kind = ir::Operand::Kind;
        bool const names_variable =
            (operand.kind == Kind::symbol && operand.is_module_variable) ||
            (operand.kind == Kind::address && operand.base == ir::Operand::AddressBase::module_variable);
        if (operand.kind == Kind::function) visit(operand.index);
        if (operand.kind == Kind::prototype) look_at(operand.index);
        if (names_variable) use(operand.index);
    }
    /// An indirect call: any function that its address may name.
    void look_at(std::uint32_t prototype) {
        callees_.resize(module_.prototypes.size(), false);
        if (callees_[prototype]) return;
        callees_[prototype] = true;
        ir::Prototype const& p = module_.prototypes[prototype];
        for (std::uint32_t const target : p.targets) visit(target);
        if (!p.targets.empty()) return;
        if (!with_addresses_) with_addresses_ = functions_with_addresses(module_);
        for (std::uint32_t const f : *with_addresses_) {
            if (misfit(module_, p, f).empty()) visit(f);
        }
    }
    void use(std::uint32_t variable) {
        if (uses_[variable]) return;
        uses_[variable] = true;
        // Tables of functions and pointers lead to what they name.
        for (ir::Relocation const& r : module_.variables[variable].relocations) {
            if (r.is_function) visit(r.index);
            else use(r.index);
        }
    }

    ir::Module const& module_;
    std::vector<bool> uses_;
    std::vector<bool> seen_;
    std::vector<bool> callees_;                                 // prototypes that have been visited
    std::optional<std::vector<std::uint32_t>> with_addresses_;  // when it was needed
};

/// For each prototype that a call uses, the functions that it may reach.
void find_callees(KernelPlan& plan) {
    ir::Module const& module = *plan.module;
    plan.callees.resize(module.prototypes.size());
    for (FunctionPlan const& caller : plan.functions) {
        for (CallPlan const& call : caller.calls) {
            if (call.prototype == ir::none || !plan.callees[call.prototype].empty()) continue;
            for (FunctionPlan const& callee : plan.functions) {
                plan.callees[call.prototype].push_back(
                    misfit(module, module.prototypes[call.prototype], callee.index).empty());
            }
        }
    }
}

/// Functions that a chain of calls leads back to. The stack of all others is known before the kernel starts.
void find_recursion(KernelPlan& plan) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t f = 0; f < plan.functions.size(); ++f) {
        for (CallPlan const& call : plan.functions[f].calls) {
            if (call.callee != ir::none) {
                edges.emplace_back(f, call.callee);
            } else if (call.prototype != ir::none) {
                std::vector<bool> const& callees = plan.callees[call.prototype];
                for (std::uint32_t callee = 0; callee < callees.size(); ++callee)
                    if (callees[callee]) edges.emplace_back(f, callee);
            }
        }
    }
    std::vector<bool> const is_recursive = ir::on_cycles(plan.functions.size(), edges);
    for (std::size_t f = 0; f < plan.functions.size(); ++f) plan.functions[f].is_recursive = is_recursive[f];
}

/// Functions that take an unsized array get room for the largest that any call can pass.
void make_room_for_unsized(KernelPlan& plan) {
    for (FunctionPlan const& caller : plan.functions) {
        for (CallPlan const& call : caller.calls) {
            using Place = CallCopy::End::Place;
            if (call.arguments.empty() || call.arguments.back().place == Place::column) continue;
            for (FunctionPlan& callee : plan.functions) {
                bool const may_be_called = call.callee == ir::none || &callee == &plan.functions[call.callee];
                if (!may_be_called || callee.unsized_parameter == UINT32_MAX) continue;
                std::uint64_t const end = std::uint64_t{callee.unsized_parameter} + call.arguments.back().bytes;
                if (callee.parameters.back().to.place == Place::local) {
                    callee.local_bytes = std::max(callee.local_bytes, round_up(end, 16));
                    continue;
                }
                std::uint64_t const words = (end + 3) / 4;
                callee.frame_bytes =
                    std::max(callee.frame_bytes, callee.param_area + static_cast<std::uint32_t>(words * 128));
            }
        }
    }
}

}  // namespace

KernelPlan make_plan(ir::Module const& module, std::uint32_t entry, SymbolAddresses const& symbols,
                     PlanOptions const& options) {
    KernelPlan plan;
    plan.module = &module;
    plan.plan_of.assign(module.functions.size(), ir::none);
    KernelPlanner kernel{module, symbols, options, plan};
    Reachable const reachable(module, entry);
    plan.shared_bytes = reachable.lay_out_shared(kernel);
    kernel.kernel_local_bytes = reachable.lay_out_local(kernel, entry);
    kernel.refusals = reachable.refusals();
    for (std::size_t i = 0; i < reachable.order.size(); ++i)
        plan.plan_of[reachable.order[i]] = static_cast<std::uint32_t>(i);
    plan.param_bytes = static_cast<std::uint32_t>(module.functions[entry].param_bytes);
    kernel.constants.block.reserve(std::max(plan.param_bytes, 1u));  // the parameter block
    for (std::uint32_t const function : reachable.order)
        plan.functions.push_back(FunctionPlanner(kernel, function).build());
    if (!kernel.refusals.empty()) {
        std::string text =
            "kernel " + demangled(module.functions[entry].name) + " cannot run: it uses what is not executed yet";
        for (std::size_t i = 0; i < kernel.refusals.size() && i < 10; ++i) text += "\n  " + kernel.refusals[i];
        if (kernel.refusals.size() > 10)
            text += "\n  ... and " + std::to_string(kernel.refusals.size() - 10) + " more places";
        throw LaunchError(LaunchError::Reason::not_executed, text);
    }
    kernel.constants.bytes.resize(kernel.constants.block.bytes());
    plan.constants = std::move(kernel.constants.bytes);
    plan.cta_bytes = kernel.cta_block.bytes();
    plan.warp_bytes = kernel.warp_block.bytes();
    make_room_for_unsized(plan);
    find_callees(plan);
    find_recursion(plan);
    for (FunctionPlan& f : plan.functions) {
        f.plan_index = plan.plan_of[f.index];
        f.counter_base = plan.op_count;
        plan.op_count += static_cast<std::uint32_t>(f.ops.size()) + 1;
        f.instructions_before.push_back(0);
        for (Op const& op : f.ops)
            f.instructions_before.push_back(f.instructions_before.back() + (op.is_primary ? 1 : 0));
    }
    return plan;
}

}  // namespace warpsim::sim
