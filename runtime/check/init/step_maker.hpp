// Makes the step of one instruction: which of its operands are read and written, and by which rule.
#pragma once

#include "frontend/ir/analysis/register_uses.hpp"
#include "frontend/ir/registers.hpp"
#include "runtime/check/init/step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace warpsim::check {

inline unsigned width_of(isa::Type type) { return static_cast<unsigned>(std::max(isa::width(type), 1)); }

class StepMaker {
public:
    StepMaker(ir::Module const& module, ir::Function const& function, ir::Instruction const& instruction)
        : module_(module),
          function_(function),
          instruction_(instruction),
          form_(module.forms[instruction.form]),
          operands_(function.operands_of(instruction)) {
        step_.effect = ir::effect(module, instruction);
    }

    Step make() {
        if (instruction_.guard != ir::none)
            use(instruction_.guard, step_.effect == isa::Effect::branch ? Use::branch : Use::guard);
        find_targets();
        find_way();
        return std::move(step_);
    }

private:
    void use(std::uint32_t reg, Use what) { step_.used.push_back({reg, what}); }

    unsigned register_bits(std::uint32_t reg) const { return width_of(function_.registers[reg].type); }

    void add_target(ir::Operand const& operand) {
        Target t;
        t.bits = width_of(operand.type);
        t.is_signed = isa::is_signed(operand.type);
        if (operand.kind == ir::Operand::Kind::reg) {
            t.reg = operand.index;
            t.register_bits = register_bits(operand.index);
        }
        step_.targets.push_back(t);
    }

    void find_targets() {
        if (step_.effect == isa::Effect::call) return;
        int written = ir::written_operands(module_, function_, instruction_);
        for (; written > 0 && next_ < operands_.size(); --written) {
            ir::Operand const& operand = operands_[next_++];
            if (operand.kind == ir::Operand::Kind::address) return;  // an instruction whose line has no result
            if (operand.kind != ir::Operand::Kind::vector) {
                add_target(operand);
                continue;
            }
            for (std::size_t i = 0; i < operand.count; ++i) add_target(operands_[next_++]);
        }
        step_.first_targets = step_.targets.size();
        if (function_.carry != ir::none && ir::carry_use(module_, instruction_).is_written)
            step_.targets.push_back(
                {function_.carry, register_bits(function_.carry), register_bits(function_.carry), false});
    }

    Source source(ir::Operand const& operand) const {
        Source s;
        s.bits = width_of(operand.type);
        s.is_negated = operand.negated;
        if (operand.kind == ir::Operand::Kind::reg) {
            s.reg = operand.index;
            s.register_bits = register_bits(operand.index);
            s.is_signed = isa::is_signed(function_.registers[operand.index].type);
        } else if (operand.kind == ir::Operand::Kind::immediate) {
            s.value = static_cast<std::uint64_t>(operand.value) & low_bits(s.bits);
        }
        return s;
    }

    /// The values that are read from `first` on, elements of lists one by one.
    void add_sources(std::size_t first) {
        for (std::size_t i = first; i < operands_.size(); ++i) {
            ir::Operand const& operand = operands_[i];
            if (operand.kind == ir::Operand::Kind::vector || operand.kind == ir::Operand::Kind::address ||
                operand.kind == ir::Operand::Kind::sink)
                continue;
            step_.sources.push_back(source(operand));
        }
    }

    void use_addresses() {
        for (ir::Operand const& operand : operands_)
            if (operand.kind == ir::Operand::Kind::address && operand.base == ir::Operand::AddressBase::reg)
                use(operand.index, Use::address);
    }

    /// Everything that is read beside the guard.
    void use_all(Use what) {
        ir::for_each_register(module_, function_, instruction_, [&](std::uint32_t reg, bool is_written) {
            bool const is_known = std::any_of(step_.used.begin(), step_.used.end(),
                                              [&](UsedRegister const& u) { return u.reg == reg; });
            if (!is_written && !is_known && reg != function_.carry) use(reg, what);
        });
    }

    void use_member_mask() {
        if (operands_.size() > next_ && operands_.back().kind == ir::Operand::Kind::reg &&
            form_.has(isa::Modifier::sync))
            use(operands_.back().index, Use::operand);
    }

    /// It stands between the lists of results and of arguments.
    void use_call_target() {
        std::size_t at = 0;
        if (!operands_.empty() && operands_[0].kind == ir::Operand::Kind::list &&
            ir::written_operands(module_, function_, instruction_) == 1)
            at = 1 + std::size_t{operands_[0].count};
        if (at < operands_.size() && operands_[at].kind == ir::Operand::Kind::reg)
            use(operands_[at].index, Use::address);
    }

    void find_way();
    void find_pure();
    void find_store();
    void find_warpgroup_product();
    void find_move();
    void find_rule();
    void find_comparison();
    void find_conversion();
    bool find_packed();

    ir::Module const& module_;
    ir::Function const& function_;
    ir::Instruction const& instruction_;
    ir::Form const& form_;
    std::span<ir::Operand const> operands_;
    std::size_t next_ = 0;  // the first operand that is not written
    Step step_;
};

}  // namespace warpsim::check
