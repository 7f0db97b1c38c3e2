#include "runtime/check/init/step.hpp"

#include "frontend/ir/analysis/liveness.hpp"
#include "frontend/ir/analysis/register_uses.hpp"
#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace warpsim::check {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using isa::Type;
using Operand = ir::Operand;
using Kind = ir::Operand::Kind;

unsigned width_of(Type type) { return static_cast<unsigned>(std::max(isa::width(type), 1)); }

std::optional<RuleFacts::Comparison> comparison_of(ir::Form const& form) {
    using enum RuleFacts::Comparison;
    struct Word {
        Modifier modifier;
        RuleFacts::Comparison comparison;
    };
    static constexpr Word words[] = {
        {Modifier::eq, eq}, {Modifier::ne, ne}, {Modifier::lt, lt}, {Modifier::le, le}, {Modifier::gt, gt},
        {Modifier::ge, ge}, {Modifier::lo, lt}, {Modifier::ls, le}, {Modifier::hi, gt}, {Modifier::hs, ge},
    };
    for (Word const& w : words)
        if (form.has(w.modifier)) return w.comparison;
    return std::nullopt;
}

bool is_packed(Type type) {
    return type == Type::f16x2 || type == Type::bf16x2 || type == Type::u16x2 || type == Type::s16x2 ||
           type == Type::f32x2;
}

/// Makes the step of one instruction.
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
            use(instruction_.guard, step_.effect == Effect::branch ? Use::branch : Use::guard);
        find_targets();
        find_way();
        return std::move(step_);
    }

private:
    void use(std::uint32_t reg, Use what) { step_.used.push_back({reg, what}); }

    unsigned register_bits(std::uint32_t reg) const { return width_of(function_.registers[reg].type); }

    void add_target(Operand const& operand) {
        Target t;
        t.bits = width_of(operand.type);
        t.is_signed = isa::is_signed(operand.type);
        if (operand.kind == Kind::reg) {
            t.reg = operand.index;
            t.register_bits = register_bits(operand.index);
        }
        step_.targets.push_back(t);
    }

    void find_targets() {
        if (step_.effect == Effect::call) return;
        int written = ir::written_operands(module_, function_, instruction_);
        for (; written > 0 && next_ < operands_.size(); --written) {
            Operand const& operand = operands_[next_++];
            if (operand.kind == Kind::address) return;  // an instruction whose line has no result
            if (operand.kind != Kind::vector) {
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

    Source source(Operand const& operand) const {
        Source s;
        s.bits = width_of(operand.type);
        s.is_negated = operand.negated;
        if (operand.kind == Kind::reg) {
            s.reg = operand.index;
            s.register_bits = register_bits(operand.index);
            s.is_signed = isa::is_signed(function_.registers[operand.index].type);
        } else if (operand.kind == Kind::immediate) {
            s.value = static_cast<std::uint64_t>(operand.value) & low_bits(s.bits);
        }
        return s;
    }

    /// The values that are read from `first` on, elements of lists one by one.
    void add_sources(std::size_t first) {
        for (std::size_t i = first; i < operands_.size(); ++i) {
            Operand const& operand = operands_[i];
            if (operand.kind == Kind::vector || operand.kind == Kind::address || operand.kind == Kind::sink)
                continue;
            step_.sources.push_back(source(operand));
        }
    }

    void use_addresses() {
        for (Operand const& operand : operands_)
            if (operand.kind == Kind::address && operand.base == Operand::AddressBase::reg)
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
        if (operands_.size() > next_ && operands_.back().kind == Kind::reg && form_.has(Modifier::sync))
            use(operands_.back().index, Use::operand);
    }

    /// It stands between the lists of results and of arguments.
    void use_call_target() {
        std::size_t at = 0;
        if (!operands_.empty() && operands_[0].kind == Kind::list &&
            ir::written_operands(module_, function_, instruction_) == 1)
            at = 1 + std::size_t{operands_[0].count};
        if (at < operands_.size() && operands_[at].kind == Kind::reg) use(operands_[at].index, Use::address);
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
    std::span<Operand const> operands_;
    std::size_t next_ = 0;  // the first operand that is not written
    Step step_;
};

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
        return add_sources(operands_[1].kind == Kind::immediate ? 2 : 1);
    // Data are lists of registers, or the last value of what has a type.
    isa::EffectFacts const& facts = isa::facts(step_.effect);
    bool const in_lists = facts.is(isa::EffectFacts::lists) && facts.is(isa::EffectFacts::convergent);
    bool const has_data = form_.types[0] != Type::none || facts.is(isa::EffectFacts::lists);
    std::size_t data = operands_.size(), count = 0;
    for (std::size_t i = next_; i < operands_.size(); ++i) {
        Operand const& o = operands_[i];
        std::size_t const elements = o.kind == Kind::vector ? o.count : 0;
        bool const is_value = elements != 0 || o.kind == Kind::reg || o.kind == Kind::immediate;
        if (has_data && is_value && (!in_lists || elements != 0)) {
            data = elements != 0 ? i + 1 : i;
            count = std::max<std::size_t>(elements, 1);
        }
        i += elements;
    }
    for (std::size_t i = next_; i < operands_.size(); ++i) {
        Operand const& o = operands_[i];
        bool const is_data = i >= data && i < data + count;
        if (is_data) step_.sources.push_back(source(o));
        else if (o.kind == Kind::reg) use(o.index, Use::operand);
    }
}

/// Descriptors and the predicate scale-d must be defined; fragments may be anything.
void StepMaker::find_warpgroup_product() {
    bool const has_fragment = next_ < operands_.size() && operands_[next_].kind == Kind::vector;
    std::size_t const first = has_fragment ? next_ + 1 + operands_[next_].count : next_;
    for (std::size_t i = first; i < operands_.size(); ++i)
        if (operands_[i].kind == Kind::reg) use(operands_[i].index, Use::operand);
    step_.way = Way::product;
}

void StepMaker::find_move() {
    add_sources(next_);
    bool const packs = next_ < operands_.size() && operands_[next_].kind == Kind::vector;
    bool const unpacks = operands_[0].kind == Kind::vector;
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

/// Operations on two or more values in a register: each for itself.
bool StepMaker::find_packed() {
    Type const type = form_.types[0];
    bool const makes_pair = (form_.operation == Operation::cvt) && is_packed(type) && step_.sources.size() >= 2;
    if (makes_pair) step_.facts.rule = Rule::pair;
    else if (is_packed(type) && form_.operation != Operation::cvt) step_.facts.rule = Rule::both_halves;
    else return false;
    step_.facts.bits = step_.targets[0].bits;
    return true;
}

void StepMaker::find_comparison() {
    std::optional<RuleFacts::Comparison> const comparison = comparison_of(form_);
    Type const type = form_.types[form_.operation == Operation::set ? 1 : 0];
    step_.facts.is_float = isa::is_float(type) || !comparison;
    step_.facts.is_signed = isa::is_signed(type);
    step_.facts.bits = width_of(type);
    if (comparison) step_.facts.comparison = *comparison;
    using enum RuleFacts::Combination;
    if (step_.sources.size() > 2)
        step_.facts.combination = form_.has(Modifier::and_) ? and_ : form_.has(Modifier::or_) ? or_ : xor_;
    step_.facts.rule = Rule::compare;
}

void StepMaker::find_conversion() {
    Type const to = form_.types[0], from = form_.types[1];
    auto const is_plain = [](Type t) { return isa::is_integer(t) || isa::is_untyped(t); };
    if (!is_plain(to) || !is_plain(from) || form_.sat || step_.sources.size() != 1) return;
    step_.facts.rule = Rule::extend;
    step_.facts.bits = width_of(to);
    step_.facts.source_bits = width_of(from);
    step_.facts.is_signed = isa::is_signed(from);
}

void StepMaker::find_rule() {
    step_.way = Way::rule;
    add_sources(next_);
    RuleFacts& f = step_.facts;
    Type const type = form_.types[0];
    f.bits = step_.targets.empty() ? 64 : step_.targets[0].bits;
    f.source_bits = step_.sources.empty() ? f.bits : step_.sources[0].bits;
    f.is_signed = isa::is_signed(type);
    f.is_float = isa::is_float(type);
    if (function_.carry != ir::none && ir::carry_use(module_, instruction_).is_read) {
        step_.sources.push_back(
            {function_.carry, 0, register_bits(function_.carry), register_bits(function_.carry), false, false});
        return;  // any
    }
    switch (form_.operation) {
        case Operation::selp: f.rule = Rule::select; return;
        case Operation::setp:
        case Operation::set: return find_comparison();
        default: break;
    }
    if (find_packed()) return;
    switch (form_.operation) {
        case Operation::and_: f.rule = Rule::bit_and; break;
        case Operation::or_: f.rule = Rule::bit_or; break;
        case Operation::xor_: f.rule = Rule::bit_xor; break;
        case Operation::not_: f.rule = Rule::copy; break;
        case Operation::lop3:
            // d|p takes a predicate as well.
            if (step_.sources.size() != 4 || step_.sources[3].reg != ir::none) break;
            f.rule = Rule::table;
            f.table = step_.sources[3].value;
            break;
        case Operation::cnot: f.rule = Rule::is_zero; break;
        case Operation::shl: f.rule = Rule::shift_left; break;
        case Operation::shr: f.rule = Rule::shift_right; break;
        case Operation::shf_l: f.rule = Rule::funnel_left; break;
        case Operation::shf_r: f.rule = Rule::funnel_right; break;
        case Operation::bfe: f.rule = Rule::extract; break;
        case Operation::bfi: f.rule = Rule::insert; break;
        case Operation::brev: f.rule = Rule::reverse; break;
        case Operation::popc: f.rule = Rule::ones; break;
        case Operation::clz: f.rule = Rule::leading_zeros; break;
        case Operation::prmt:
            if (form_.modifiers.empty()) f.rule = Rule::permute;
            break;
        case Operation::slct:
            f.rule = Rule::select_by_sign;
            f.is_float = isa::is_float(form_.types[1]);
            break;
        case Operation::cvt: find_conversion(); break;
        case Operation::min:
        case Operation::max:
            if (step_.sources.size() == 2)
                f.rule = form_.operation == Operation::min ? Rule::minimum : Rule::maximum;
            break;
        default: break;
    }
    f.wraps = form_.has(Modifier::wrap);
    if (f.is_float || form_.sat) return;
    switch (form_.operation) {
        case Operation::add: f.rule = Rule::add; break;
        case Operation::sub: f.rule = Rule::subtract; break;
        case Operation::mul_lo:
        case Operation::mul_wide: f.rule = Rule::product; break;
        case Operation::mad_lo:
        case Operation::mad_wide: f.rule = Rule::product_add; break;
        case Operation::mul_hi: f.rule = Rule::upper_product; break;
        default: break;
    }
}

}  // namespace

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
