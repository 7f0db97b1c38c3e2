// Calls and ends of functions, whose ops the loop executes itself; functions of the runtime.
#include "sim/exec/effect_rule.hpp"

#include "sim/exec/device_runtime.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

CallCopy::End call_end(FunctionPlanner& p, ir::Operand const& operand) {
    CallCopy::End end;
    if (operand.kind == Kind::param) {
        end.place = CallCopy::End::Place::param_area;
        end.offset = static_cast<std::uint32_t>(p.function().variables[operand.index].offset);
        end.bytes = static_cast<std::uint32_t>(p.function().variables[operand.index].size);
    } else if (operand.kind == Kind::reg) {
        Type const type = p.function().registers[operand.index].type;
        end.slot = p.plan().register_slot[operand.index];
        end.bytes = type == Type::pred ? 0 : 1u << column_log2(type);
    } else if (operand.kind == Kind::sink) {
        end.slot = discard;
    } else {
        end.slot = p.source(operand);
        end.bytes = operand.type == Type::pred ? 0 : 1u << column_log2(operand.type);
    }
    return end;
}

void plan_runtime_call(FunctionPlanner& p, std::string const& name, CallPlan call) {
    ir::BuiltinFunction const* const builtin = ir::builtin_function(name);
    auto const none = [&](std::string const& why) {
        p.refuse(why);
        p.emit(OpKind::nothing);
    };
    if (builtin == nullptr) return none("function " + name + " has no body");
    bool const is_own = builtin->id <= ir::Builtin::free;
    if (!is_own && !DeviceRuntime::performs(builtin->id))
        return none("function " + name + " of the device runtime is not executed");
    auto const blanks =
        static_cast<std::size_t>(std::count(builtin->parameters.begin(), builtin->parameters.end(), ' '));
    std::size_t const wanted = builtin->parameters.empty() ? 0 : blanks + 1;
    if (p.module().address_bits == 32) return none("function " + name + " in a module with 32-bit addresses");
    if (call.arguments.size() != wanted)
        return none("function " + name + " takes (" + std::string(builtin->parameters) + ")");
    p.kernel().plan.uses_heap |= builtin->id == ir::Builtin::malloc || builtin->id == ir::Builtin::free ||
                                 builtin->id == ir::Builtin::device_malloc ||
                                 builtin->id == ir::Builtin::device_free;
    p.kernel().plan.uses_runtime |= !is_own;
    call.builtin = builtin->id;
    Op& op = p.emit_effect(RuntimeCalls::carry_out);
    op.target = static_cast<std::uint32_t>(p.plan().calls.size());
    p.plan().calls.push_back(std::move(call));
}

void plan_call(FunctionPlanner& p, Operands operands) {
    CallPlan call;
    std::size_t at = 0;
    auto const take_list = [&](std::vector<CallCopy::End>& ends) {
        std::size_t const count = operands[at].count;
        ++at;
        for (std::size_t i = 0; i < count; ++i, ++at) ends.push_back(call_end(p, operands[at]));
    };
    take_list(call.returns);
    ir::Operand const& target = operands[at++];
    take_list(call.arguments);
    if (target.kind == Kind::function) {
        ir::Function const& callee = p.module().functions[target.index];
        if (!callee.has_body) return plan_runtime_call(p, callee.name, std::move(call));
        call.callee = p.kernel().reach(target.index);
    } else {
        call.target = p.source(target);
        call.target_is_64 = column_log2(target.type) == 3;
        call.prototype = operands[at].index;
    }
    Op& op = p.emit(OpKind::call);
    op.target = static_cast<std::uint32_t>(p.plan().calls.size());
    p.plan().calls.push_back(std::move(call));
    // The carry does not survive a call.
    if (p.function().carry != ir::none) {
        p.emit_lanes(p.access().copy_predicate, p.plan().register_slot[p.function().carry],
                     p.kernel().constants.predicate(false));
    }
}

void plan_ret(FunctionPlanner& p, Operands) { p.emit(OpKind::ret); }
void plan_exit(FunctionPlanner& p, Operands) { p.emit(OpKind::exit); }

}  // namespace

EffectRules effects::call_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::call, plan_call},
        {Effect::ret, plan_ret},
        {Effect::exit, plan_exit},
    };
    return rules;
}

}  // namespace warpsim::sim
