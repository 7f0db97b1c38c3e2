#include "sim/timing/plan/known_values.hpp"

#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <optional>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;
using O = Operation;

/// As a register of that type holds it: with its sign, or without one.
std::int64_t in_type(std::uint64_t value, isa::Type type) {
    int const unused = 64 - isa::width(type);
    std::uint64_t const high = value << unused;
    if (isa::is_signed(type)) return static_cast<std::int64_t>(high) >> unused;
    return static_cast<std::int64_t>(high >> unused);
}

/// The integer result of known sources; nothing for what is not computed here.
std::optional<std::int64_t> result(ir::Form const& form, std::span<ir::Operand const> sources) {
    isa::Type const type = form.types[0];
    if (isa::is_float(type) || isa::width(type) > 64 || form.sat || form.has(isa::Modifier::cc))
        return std::nullopt;
    auto const source = [&](std::size_t i, isa::Type as) {
        return static_cast<std::uint64_t>(in_type(static_cast<std::uint64_t>(sources[i].value), as));
    };
    std::size_t const count = sources.size();
    if (form.operation == O::cvt && count == 1) {
        isa::Type const from = form.types[1];
        if (isa::is_float(from) || isa::width(from) > 64) return std::nullopt;
        return in_type(source(0, from), type);
    }
    if (form.operation == O::mov && count == 1) return in_type(source(0, type), type);
    if (count != 2) return std::nullopt;
    std::uint64_t const a = source(0, type), b = source(1, type);
    switch (form.operation) {
        case O::add: return in_type(a + b, type);
        case O::sub: return in_type(a - b, type);
        case O::mul_lo: return in_type(a * b, type);
        case O::mul_wide: return static_cast<std::int64_t>(a * b);
        case O::and_: return in_type(a & b, type);
        case O::or_: return in_type(a | b, type);
        case O::xor_: return in_type(a ^ b, type);
        case O::shl: {
            auto const by = static_cast<std::uint32_t>(sources[1].value);
            return in_type(by < 64 ? a << by : 0, type);
        }
        default: return std::nullopt;
    }
}

}  // namespace

bool takes_immediates(ir::Form const& form, isa::Effect effect, std::span<ir::Operand const> operands) {
    if (effect != isa::Effect::lanes && effect != isa::Effect::move) return false;
    bool const is_listed = is_one_of(form.operation, O::add, O::sub, O::mul_lo, O::mul_wide, O::mad_lo, O::and_,
                                     O::or_, O::xor_, O::shl, O::shr, O::cvt, O::setp, O::min, O::max, O::mov);
    return is_listed && std::none_of(operands.begin(), operands.end(),
                                     [](ir::Operand const& o) { return o.kind == Kind::vector; });
}

void KnownValues::execute(ir::Form const& form, isa::Effect effect, bool is_guarded,
                          std::span<ir::Operand> operands, std::span<std::uint32_t const> writes) {
    std::optional<std::int64_t> known;
    if (takes_immediates(form, effect, operands) && operands.size() > writes.size()) {
        bool all = true;
        std::span<ir::Operand> const sources = operands.subspan(form.operation == O::setp ? 2 : 1);
        for (ir::Operand& o : sources) {
            auto const it = o.kind == Kind::reg ? values_.find(o.index) : values_.end();
            if (it != values_.end()) {
                o.kind = Kind::immediate;
                o.value = in_type(static_cast<std::uint64_t>(it->second), o.type);
            }
            all = all && o.kind == Kind::immediate;
        }
        if (all && !is_guarded && form.operation != O::setp) known = result(form, sources);
    }
    for (std::uint32_t const reg : writes) values_.erase(reg);
    if (known && writes.size() == 1) values_[writes[0]] = *known;
}

}  // namespace warpsim::timing
