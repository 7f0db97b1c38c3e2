#include "runtime/check/init/step.hpp"

#include "frontend/ir/analysis/liveness.hpp"
#include "runtime/check/init/step_maker.hpp"

#include <algorithm>

namespace warpsim::check {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using isa::Type;

/// By what is true of all instructions with the effect, and by operation where that is not enough.
void StepMaker::find_way() {
    using enum isa::EffectFacts::Flag;
    isa::EffectFacts const& facts = isa::facts(step_.effect);
    switch (form_.operation) {
        case Operation::mma:
        case Operation::wmma_mma: step_.way = Way::matrix; return add_sources(next_);
        case Operation::wgmma_mma_async: return find_warpgroup_product();
        case Operation::shfl:
        case Operation::vote:
        case Operation::match:
        case Operation::redux:
            use_member_mask();
            step_.way = Way::later;
            return add_sources(next_);
        case Operation::alloca: return use_all(Use::size);
        case Operation::movmatrix: step_.way = Way::transpose; return add_sources(next_);
        default: break;
    }
    if (step_.effect == Effect::move) return find_move();
    if (facts.is(by_variants)) return find_rule();
    if (facts.is(pure)) return find_pure();
    if (step_.effect == Effect::call) {
        use_call_target();
        step_.way = Way::later;
        return;
    }
    switch (facts.counted) {
        case isa::InstructionClass::load: use_addresses(); return use_all(Use::address);
        case isa::InstructionClass::store:
        case isa::InstructionClass::atomic: return find_store();
        case isa::InstructionClass::control:
            if (step_.effect == Effect::branch_indexed) use_all(Use::branch);
            return;
        default: break;
    }
    bool const is_harmless = facts.written == isa::Written::nothing && !facts.is(synchronises) &&
                             !facts.is(convergent) && !facts.is(reads) && !facts.is(writes);
    if (!is_harmless) use_all(Use::operand);
}

void StepMaker::find_pure() {
    add_sources(next_);
    step_.way = Way::rule;
    step_.facts.bits = 64;
    if (form_.operation != Operation::cvta && form_.operation != Operation::cvta_to) return;
    step_.facts = {.rule = Rule::extend, .bits = step_.targets[0].bits, .source_bits = step_.sources[0].bits};
}

/// What is stored may be undefined; where, and how much, may not.
void StepMaker::find_store() {
    use_addresses();
    if (step_.effect == Effect::atomic || step_.effect == Effect::reduction) {
        step_.way = Way::later;
        step_.replaces = form_.has(Modifier::exch);
        step_.compares = form_.has(Modifier::cas);
        return add_sources(next_);
    }
    if (step_.effect == Effect::store || step_.effect == Effect::matrix_store) return add_sources(1);
    // A constant before the registers says where their second half is.
    if (step_.effect == Effect::tensor_memory_store)
        return add_sources(operands_[1].kind == ir::Operand::Kind::immediate ? 2 : 1);
    // Data are lists of registers, or the last value of what has a type.
    isa::EffectFacts const& facts = isa::facts(step_.effect);
    bool const in_lists = facts.is(isa::EffectFacts::lists) && facts.is(isa::EffectFacts::convergent);
    bool const has_data = form_.types[0] != Type::none || facts.is(isa::EffectFacts::lists);
    std::size_t data = operands_.size(), count = 0;
    for (std::size_t i = next_; i < operands_.size(); ++i) {
        ir::Operand const& o = operands_[i];
        std::size_t const elements = o.kind == ir::Operand::Kind::vector ? o.count : 0;
        bool const is_value =
            elements != 0 || o.kind == ir::Operand::Kind::reg || o.kind == ir::Operand::Kind::immediate;
        if (has_data && is_value && (!in_lists || elements != 0)) {
            data = elements != 0 ? i + 1 : i;
            count = std::max<std::size_t>(elements, 1);
        }
        i += elements;
    }
    for (std::size_t i = next_; i < operands_.size(); ++i) {
        ir::Operand const& o = operands_[i];
        bool const is_data = i >= data && i < data + count;
        if (is_data) step_.sources.push_back(source(o));
        else if (o.kind == ir::Operand::Kind::reg) use(o.index, Use::operand);
    }
}

/// Descriptors and the predicate scale-d must be defined; fragments may be anything.
void StepMaker::find_warpgroup_product() {
    bool const has_fragment = next_ < operands_.size() && operands_[next_].kind == ir::Operand::Kind::vector;
    std::size_t const first = has_fragment ? next_ + 1 + operands_[next_].count : next_;
    for (std::size_t i = first; i < operands_.size(); ++i)
        if (operands_[i].kind == ir::Operand::Kind::reg) use(operands_[i].index, Use::operand);
    step_.way = Way::product;
}

void StepMaker::find_move() {
    add_sources(next_);
    bool const packs = next_ < operands_.size() && operands_[next_].kind == ir::Operand::Kind::vector;
    bool const unpacks = operands_[0].kind == ir::Operand::Kind::vector;
    step_.way = packs && unpacks ? Way::elements : packs ? Way::pack : unpacks ? Way::unpack : Way::rule;
    step_.facts = {.rule = Rule::copy, .bits = step_.targets.empty() ? 64 : step_.targets[0].bits};
    if (step_.way == Way::unpack || step_.way == Way::pack) {
        unsigned const whole = width_of(form_.types[0]);
        std::size_t const parts = step_.way == Way::pack ? step_.sources.size() : step_.targets.size();
        unsigned const part = whole / static_cast<unsigned>(std::max<std::size_t>(parts, 1));
        for (Source& s : step_.sources) s.bits = step_.way == Way::pack ? part : whole;
        for (Target& t : step_.targets) t.bits = step_.way == Way::unpack ? part : whole;
    }
}

FunctionSteps make_steps(ir::Module const& module, ir::Function const& function) {
    FunctionSteps made;
    made.source = module.sources.empty() ? nullptr : module.sources.front();
    made.function = &function;
    for (ir::Instruction const& instruction : function.instructions)
        made.steps.push_back(StepMaker(module, function, instruction).make());
    ir::RegisterLists const lists = ir::list_registers(module, function);
    std::vector<bool> const live = ir::find_live_at_entry(ir::uses_of(function, lists));
    for (std::uint32_t reg = 0; reg < live.size(); ++reg)
        if (live[reg]) made.unwritten.push_back(reg);
    return made;
}

}  // namespace warpsim::check
