#include "sim/timing/plan/balance.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

/// The first GPUs with IMAD.
constexpr int first_capability = 70;

class Balancer {
public:
    Balancer(MachineFunction& m, sim::UnitsConfig const& units)
        : m_(m),
          alu_(std::max(units.alu.issue_interval_cycles, 1u)),
          fma_(std::max(units.fma.issue_interval_cycles, 1u)) {}

    void run(ir::Block const& block) {
        std::uint32_t on_alu = 0, on_fma = 0;
        movable_.clear();
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            for (MicroOp const& op : m_.micros_of(i)) {
                if (op.unit == MicroUnit::alu) on_alu += alu_;
                if (op.unit == MicroUnit::fma) on_fma += std::max<std::uint32_t>(op.interval, fma_);
            }
            if (is_movable(i)) movable_.push_back(m_.instructions[i].first_micro);
        }
        if (on_alu <= on_fma) return;
        auto const count = static_cast<std::uint32_t>(movable_.size());
        std::uint32_t const wanted = std::min((on_alu - on_fma) / (2 * alu_), count);
        for (std::uint32_t k = 0; k < count; ++k) {
            if ((k + 1) * wanted / count == k * wanted / count) continue;
            MicroOp& op = m_.micros[movable_[k]];
            op.unit = MicroUnit::fma;
            op.interval = static_cast<std::uint16_t>(alu_);
        }
    }

private:
    /// One operation of 32 bits that a multiplication by a constant and an addition can do.
    bool is_movable(std::uint32_t i) const {
        MachineInstruction const& instruction = m_.instructions[i];
        if (instruction.micros != 1 || m_.micros[instruction.first_micro].unit != MicroUnit::alu ||
            m_.micros[instruction.first_micro].interval != 0 || instruction.fate != Fate::issued)
            return false;
        ir::Form const& form = m_.form(i);
        bool const is_word = isa::width(form.types[0]) == 32 || instruction.halves == lower_half;
        if (!is_word || instruction.takes_shift) return false;
        bool const is_sum =
            (is_plain_add(form) || (form.operation == Operation::sub && !isa::is_float(form.types[0]) &&
                                    !form.sat && !form.has(isa::Modifier::cc))) &&
            m_.machine_reads[i].size() <= 2;
        auto const operands = m_.operands(i);
        bool const is_shift = form.operation == Operation::shl && operands.back().kind == Kind::immediate;
        bool const is_move = form.operation == Operation::mov && operands.size() == 2 &&
                             operands[0].kind == Kind::reg && operands[1].kind != Kind::special &&
                             operands[1].kind != Kind::vector;
        return is_sum || is_shift || is_move;
    }

    MachineFunction& m_;
    std::uint32_t alu_, fma_;             // cycles between two operations
    std::vector<std::uint32_t> movable_;  // micro-ops
};

}  // namespace

void balance_pipes(MachineFunction& m, sim::Config const& config) {
    if (!config.sm.units || config.compute_capability.number() < first_capability) return;
    Balancer balancer(m, *config.sm.units);
    for (ir::Block const& block : m.function->blocks) balancer.run(block);
}

}  // namespace warpsim::timing
