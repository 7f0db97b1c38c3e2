#include "sim/timing/plan/temporaries.hpp"

#include "sim/timing/plan/constant_pieces.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/routines.hpp"

#include <algorithm>
#include <map>

namespace warpsim::timing {

namespace {

using isa::Type;

/// Registers of ptxas's sequences beside those of operands and results: as many as it takes more for a kernel of one such
/// operation than for one with an addition instead. Routines for rare operands are part of the kernel.
std::uint32_t inside(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& form = m.form(i);
    // Constants that are compared and stored; what else is moved for the access has no register here.
    bool const is_atomic = ir::effect(*m.module, m.ir(i)) == isa::Effect::atomic;
    if (is_atomic && form.has(isa::Modifier::cas))
        return std::min<std::uint32_t>(m.instructions[i].extra_moves, isa::width(form.types[0]) > 32 ? 4 : 2);
    if (m.instructions[i].product == WideProduct::whole) return 1;
    if (!is_one_of(form.operation, Operation::div, Operation::rem, Operation::rcp, Operation::sqrt)) return 0;
    Type const type = form.types[0];
    bool const approximates = form.has(isa::Modifier::approx);
    bool const divides = is_one_of(form.operation, Operation::div, Operation::rem);
    bool const is_signed = isa::is_signed(type), takes_rest = form.operation == Operation::rem;
    if (type == Type::f64 && !approximates) {
        return form.operation == Operation::div    ? 18
               : form.operation == Operation::sqrt ? 15
               : form.operation == Operation::rcp  ? 9
                                                   : 0;
    }
    if (type == Type::f32 && !approximates) {
        return is_one_of(form.operation, Operation::div, Operation::rcp) ? 10
               : form.operation == Operation::sqrt                       ? 8
                                                                         : 0;
    }
    if (!divides || isa::is_float(type)) return 0;
    if (isa::width(type) == 64) return is_signed ? (takes_rest ? 15 : 17) : 13;
    auto const o = m.operands(i);
    if (m.instructions[i].division != Division::alone || m.instructions[i].divides_by_number ||
        o.back().kind == ir::Operand::Kind::immediate)
        return 0;
    return is_signed ? 7 : 5;
}

/// Constants live from where they are made to the last instruction that reads them on any path.
void add_moved(MachineFunction const& m, std::vector<Temporary>& found) {
    std::map<std::uint16_t, std::vector<std::uint32_t>> by_constant, by_base;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (m.instructions[i].is_uniform || m.instructions[i].micros == 0) continue;
        for (std::uint16_t const constant : m.instructions[i].moved)
            if (constant != 0) by_constant[constant].push_back(i);
        if (m.instructions[i].base != 0) by_base[m.instructions[i].base].push_back(i);
    }
    for (auto& [base, readers] : by_base) {
        Temporary t{find_pieces(m, m.bases_made, base, readers), std::move(readers), 2, true};
        found.push_back(std::move(t));
    }
    for (auto& [constant, readers] : by_constant) {
        Temporary t{find_pieces(m, m.constants_made, constant, readers), std::move(readers)};
        found.push_back(std::move(t));
    }
}

}  // namespace

bool calls_routine(MachineFunction const& m, std::uint32_t i) {
    return m.instructions[i].micros != 0 &&
           (ir::effect(*m.module, m.ir(i)) == isa::Effect::call || routine_of(m.form(i)) != nullptr);
}

std::vector<Temporary> find_temporaries(MachineFunction const& m, LiveRanges const& ranges) {
    std::vector<Temporary> found;
    // From the first write to the last read.
    ir::LiveInterval kept;
    for (std::uint32_t reg = 0; reg < m.is_kept.size(); ++reg) {
        Pieces const pieces = ranges.of(reg);
        if (m.is_kept[reg] && !pieces.empty()) kept.extend(pieces.front().begin, pieces.back().end);
    }
    if (!kept.empty()) found.push_back({{kept}});
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (m.instructions[i].micros == 0) continue;
        for (std::uint32_t k = inside(m, i); k > 0; --k)
            found.push_back({{{ir::read_point(i), ir::write_point(i)}}});
    }
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        ir::LiveInterval const reads{ir::read_point(i), ir::read_point(i)};
        if (std::uint32_t const units = m.instructions[i].level_registers; units != 0)
            found.push_back({{reads}, {i}, units});
        // What the lanes have together, and the number of the lane that stores it.
        if (m.instructions[i].gathering != 0) {
            found.push_back({{reads}, {i}});
            found.push_back({{reads}});
        }
    }
    add_moved(m, found);
    return found;
}

}  // namespace warpsim::timing
