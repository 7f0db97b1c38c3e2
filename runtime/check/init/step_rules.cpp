// Which rule the results of an instruction are made by.
#include "runtime/check/init/step_maker.hpp"

#include <optional>

namespace warpsim::check {

using isa::Modifier;
using isa::Operation;
using isa::Type;

namespace {

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

}  // namespace

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

}  // namespace warpsim::check
