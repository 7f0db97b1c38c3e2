#include "sim/timing/plan/sharing.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

bool reads_vector_registers(MachineFunction const& m, std::uint32_t i) {
    auto const reads = m.machine_reads[i];
    return std::any_of(reads.begin(), reads.end(), [&](std::uint32_t reg) { return m.units(reg) != 0; });
}

Lateness lateness_of(MachineFunction const& m, std::uint32_t i) {
    if (m.instructions[i].is_constant) return Lateness::constant;
    isa::StateSpace const space = m.form(i).space;
    switch (ir::effect(*m.module, m.ir(i))) {
        case isa::Effect::move:
            return m.operands(i).back().kind == ir::Operand::Kind::special ? Lateness::special
                                                                           : Lateness::constant;
        case isa::Effect::load: {
            bool const is_parameter = space == isa::StateSpace::param_entry || space == isa::StateSpace::param;
            return is_parameter && !reads_vector_registers(m, i) ? Lateness::constant : Lateness::computed;
        }
        default: return Lateness::computed;
    }
}

bool ends_at(Value const& value, std::uint32_t i) {
    return std::any_of(value.pieces.begin(), value.pieces.end(),
                       [&](ir::LiveInterval const& p) { return p.end == ir::read_point(i); });
}

/// Matrix units read and write their operands in several steps.
bool takes_steps(MachineFunction const& m, std::uint32_t i) { return m.uses(i, {MicroUnit::tensor}); }

}  // namespace

Sharing::Sharing(MachineFunction const& m, Values const& values, std::vector<std::uint32_t> const& order)
    : m_(m), values_(values), of_(values.all().size()) {
    find_makers(order);
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) find_others(i);
}

void Sharing::find_makers(std::vector<std::uint32_t> const& order) {
    std::vector<bool> is_known(of_.size(), false);
    for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
        for (std::uint32_t const reg : m_.machine_writes[i]) {
            if (m_.units(reg) == 0) continue;
            std::uint32_t const v = values_.at(reg, ir::write_point(i));
            // What changes is no constant, even if it is one at first.
            of_[v].lateness = is_known[v] ? Lateness::computed : lateness_of(m_, i);
            of_[v].made = std::min(of_[v].made, order[i]);
            is_known[v] = true;
        }
    }
    for (std::uint32_t t = 0; t < values_.temporaries().size(); ++t) {
        Temporary const& temporary = values_.temporaries()[t];
        Of& of = of_[values_.first_temporary() + t];
        bool const is_constant = !temporary.readers.empty();
        of.reads = static_cast<std::uint32_t>(temporary.readers.size());
        if (is_constant) of.lateness = Lateness::constant;
        std::uint32_t const first = temporary.pieces.front().begin / 2;
        of.made = order[std::min<std::size_t>(first, order.size() - 1)];
    }
}

void Sharing::find_others(std::uint32_t i) {
    bool const is_copy = m_.instructions[i].micros == 0;
    std::vector<std::uint32_t> ending;
    for (std::uint32_t const t : values_.temporaries_read_by(i))
        if (ends_at(values_.all()[t], i)) ending.push_back(t);
    for (std::uint32_t const reg : m_.machine_reads[i]) {
        if (m_.units(reg) == 0) continue;
        std::uint32_t const v = values_.at(reg, ir::read_point(i));
        if (!is_copy) ++of_[v].reads;
        if (ends_at(values_.all()[v], i)) ending.push_back(v);
    }
    if (takes_steps(m_, i)) return;
    for (std::uint32_t const reg : m_.machine_writes[i]) {
        if (m_.units(reg) == 0) continue;
        std::uint32_t const made = values_.at(reg, ir::write_point(i));
        for (std::uint32_t const end : ending) {
            if (made == end) continue;
            bool const is_same = is_copy && values_.all()[made].units == values_.all()[end].units;
            (is_same ? of_[made].copies : of_[made].others).push_back(end);
            (is_same ? of_[end].copies : of_[end].others).push_back(made);
        }
    }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Sharing::copies() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (std::uint32_t v = 0; v < of_.size(); ++v) {
        for (std::uint32_t const o : of_[v].copies)
            if (v < o) found.emplace_back(v, o);
    }
    return found;
}

}  // namespace warpsim::timing
