#include "sim/timing/plan/copied_numbers.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/operations.hpp"

namespace warpsim::timing {

namespace {

/// It adds half a unit of the last place (0x1000), which one register has for all of a block.
bool rounds_to_tf32(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& form = m.form(i);
    return m.instructions[i].fate == Fate::issued && form.operation == Operation::cvt &&
           form.types[0] == isa::Type::tf32 && form.rounding == isa::Rounding::rna;
}

}  // namespace

std::vector<std::uint8_t> find_copied_numbers(MachineFunction const& m) {
    std::vector<std::uint8_t> moves(m.instructions.size(), 0);
    std::vector<std::uint32_t> maker(m.function->registers.size(), ir::none);  // in the block
    for (ir::Block const& block : m.function->blocks) {
        bool is_second = false, has_half = false;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            auto const writes = m.machine_writes[i], reads = m.machine_reads[i];
            bool const copies = m.instructions[i].fate == Fate::removed && writes.size() == 1 &&
                                reads.size() == 1 && ir::effect(*m.module, m.ir(i)) == isa::Effect::move;
            std::uint32_t const from = copies ? maker[reads[0]] : ir::none;
            if (from != ir::none && m.operands(from).back().kind == ir::Operand::Kind::immediate) {
                bool const is_zero = m.operands(from).back().value == 0;
                moves[i] = is_zero && is_second ? 0 : 1;
                is_second = is_zero && !is_second;
            }
            if (rounds_to_tf32(m, i)) {
                moves[i] = has_half ? 0 : 1;
                has_half = true;
            }
            for (std::uint32_t const reg : writes)
                maker[reg] = ir::effect(*m.module, m.ir(i)) == isa::Effect::move ? i : ir::none;
        }
        for (std::uint32_t i = block.first; i <= block.last; ++i)
            for (std::uint32_t const reg : m.machine_writes[i]) maker[reg] = ir::none;
    }
    return moves;
}

}  // namespace warpsim::timing
