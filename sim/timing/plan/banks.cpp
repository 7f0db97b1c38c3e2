#include "sim/timing/plan/banks.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

/// Textures take their operands one after another.
bool reads_together(MachineFunction const& m, std::uint32_t i) {
    return m.instructions[i].micros != 0 && !m.uses(i, {MicroUnit::texture});
}

bool is_access(MachineFunction const& m, std::uint32_t i) {
    return isa::is_access(ir::effect(*m.module, m.ir(i)));
}

/// A number of 16 bits, which PRMT makes: any bank is as good for it.
bool is_narrow_number(MachineFunction const& m, std::uint32_t reg) {
    std::uint32_t const maker = m.only_definition[reg];
    return isa::width(m.function->registers[reg].type) == 16 && maker != ir::none &&
           ir::effect(*m.module, m.ir(maker)) == isa::Effect::move &&
           m.operands(maker).back().kind == ir::Operand::Kind::immediate;
}

/// The pair that a product of 64 bits of two registers is added to is read from both banks.
bool reads_both_banks(MachineFunction const& m, std::uint32_t i, Value const& value) {
    return value.units == 2 && !is_access(m, i) && m.own_micros_of(i).size() == 1;
}

// From 8.6 on the multiplier takes a float each cycle.
constexpr int first_fast_floats = 86;

bool multiplies_floats(MachineFunction const& m, std::uint32_t i) {
    isa::Type const type = m.form(i).types[0];
    return isa::is_float(type) && isa::width(type) == 32 && m.uses(i, {MicroUnit::fma});
}

}  // namespace

Banks::Banks(MachineFunction const& m, Values const& values,
             std::vector<std::optional<std::uint32_t>> const& offsets, int capability)
    : m_(m),
      values_(values),
      offsets_(offsets),
      capability_(capability),
      partners_(values.all().size()),
      is_tied_(values.all().size(), false),
      settled_(values.all().size(), Bank::any) {
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (reads_together(m, i)) look_at(i, values.temporaries_read_by(i));
    }
}

void Banks::look_at(std::uint32_t i, std::vector<std::uint32_t> operands) {
    for (std::uint32_t const reg : m_.machine_reads[i]) {
        if (m_.units(reg) == 0 || is_narrow_number(m_, reg)) continue;
        std::uint32_t const v = values_.at(reg, ir::read_point(i));
        // What lanes have together is counted or added up before, into another register.
        if (m_.instructions[i].gathering != 0 && m_.units(reg) == 1) continue;
        // An access names a vector by its first register.
        if (is_access(m_, i) && offsets_[v].value_or(0) != 0) continue;
        if (std::find(operands.begin(), operands.end(), v) == operands.end()) operands.push_back(v);
    }
    if (operands.size() < 2) return;
    for (std::uint32_t const v : operands) is_tied_[v] = true;
    if (operands.size() > 3) return;
    if (operands.size() == 3)
        std::erase_if(operands, [&](std::uint32_t v) { return reads_both_banks(m_, i, values_.all()[v]); });
    for (std::uint32_t const v : operands)
        for (std::uint32_t const other : operands)
            if (v != other) partners_[v].push_back(other);
    if (operands.size() == 3 && capability_ >= first_fast_floats && multiplies_floats(m_, i))
        look_at_sum(i, operands);
}

/// The first factor, the one that is made first, and what the product is added to count twice.
void Banks::look_at_sum(std::uint32_t i, std::vector<std::uint32_t> operands) {
    auto const given = m_.operands(i);
    auto const is_summand = [&](std::uint32_t v) {
        std::uint32_t const reg = values_.all()[v].reg;
        auto const is_it = [&](ir::Operand const& o) {
            return o.kind == ir::Operand::Kind::reg && m_.root[o.index] == reg;
        };
        bool const is_fused = m_.form(i).operation == isa::Operation::fma;
        return reg != ir::none &&
               (is_fused ? is_it(given.back()) : std::any_of(given.begin() + 1, given.end(), is_it));
    };
    auto const summand = std::find_if(operands.begin(), operands.end(), is_summand);
    if (summand == operands.end()) return;
    std::uint32_t const sum = *summand;
    operands.erase(summand);
    std::uint32_t const first =
        *std::min_element(operands.begin(), operands.end(), [&](std::uint32_t a, std::uint32_t b) {
            return values_.all()[a].pieces.front().begin < values_.all()[b].pieces.front().begin;
        });
    partners_[sum].push_back(first);
    partners_[first].push_back(sum);
}

Bank Banks::wish(std::span<std::uint32_t const> values) const {
    int to_odd = 0;
    for (std::uint32_t const v : values) {
        for (std::uint32_t const other : partners_[v])
            if (settled_[other] != Bank::any) to_odd += settled_[other] == Bank::even ? 1 : -1;
    }
    return to_odd == 0 ? Bank::any : to_odd > 0 ? Bank::odd : Bank::even;
}

}  // namespace warpsim::timing
