#include "sim/timing/plan/copied_numbers.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/executed.hpp"
#include "sim/timing/plan/loop_copies.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

/// It adds half a unit of the last place (0x1000), which one register has for all of a block.
bool rounds_to_tf32(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& form = m.form(i);
    return m.instructions[i].fate == Fate::issued && form.operation == Operation::cvt &&
           form.types[0] == isa::Type::tf32 && form.rounding == isa::Rounding::rna;
}

/// Which copies cannot leave their value where it is, since one of both registers changes while the other is needed.
class KeptCopies {
public:
    explicit KeptCopies(MachineFunction const& m)
        : m_(m), live_(ir::find_block_liveness(machine_uses(m))), events_(m.function->registers.size()) {
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            for (std::uint32_t const reg : m.machine_reads[i]) events_[reg].push_back({i, false});
            for (std::uint32_t const reg : m.machine_writes[i]) events_[reg].push_back({i, true});
        }
    }

    bool is_apart(std::uint32_t copy) const {
        std::uint32_t const from = m_.machine_reads[copy][0], to = m_.machine_writes[copy][0];
        return from != to && (changes_beside(to, from, copy) || changes_beside(from, to, copy));
    }

private:
    struct Event {
        std::uint32_t at;
        bool is_written;
    };

    /// Something else than the copy writes `reg` while the other one is needed.
    bool changes_beside(std::uint32_t reg, std::uint32_t other, std::uint32_t copy) const {
        return std::any_of(events_[reg].begin(), events_[reg].end(), [&](Event const& e) {
            return e.is_written && e.at != copy && is_needed_behind(other, e.at);
        });
    }
    bool is_needed_behind(std::uint32_t reg, std::uint32_t i) const {
        std::uint32_t const block = m_.function->block_of[i];
        auto const next = std::upper_bound(events_[reg].begin(), events_[reg].end(), i,
                                           [](std::uint32_t at, Event const& e) { return at < e.at; });
        if (next != events_[reg].end() && next->at <= m_.function->blocks[block].last)
            return !next->is_written || m_.keeps_old(next->at);
        auto const& out = live_.out[block];
        return std::binary_search(out.begin(), out.end(), reg);
    }

    MachineFunction const& m_;
    ir::BlockLiveness const live_;
    std::vector<std::vector<Event>> events_;  // per register, in order
};

/// ISETP cannot name the upper half of a uniform value first, with which another one is compared.
bool names_uniform_first(MachineFunction const& m, std::uint32_t i) {
    auto const o = m.operands(i);
    bool const is_order = !m.form(i).has(isa::Modifier::eq) && !m.form(i).has(isa::Modifier::ne);
    bool const compares = m.form(i).operation == Operation::setp && is_order &&
                          m.instructions[i].fate == Fate::issued && !m.instructions[i].is_uniform &&
                          isa::width(m.form(i).types[0]) == 64 && !isa::is_float(m.form(i).types[0]) &&
                          m.instructions[i].halves == both_halves;
    auto const is_uniform = [&](ir::Operand const& x) {
        return x.kind == ir::Operand::Kind::reg && m.in_uniform_file(m.root[x.index]);
    };
    return compares && is_uniform(o[2]) && o[3].kind == ir::Operand::Kind::reg && !is_uniform(o[3]);
}

}  // namespace

std::vector<std::uint8_t> find_copied_numbers(MachineFunction const& m, Divergence const& divergence) {
    std::vector<std::uint8_t> moves(m.instructions.size(), 0);
    KeptCopies const all(m);
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
            } else if (copies && all.is_apart(i)) {
                moves[i] = static_cast<std::uint8_t>(m.units(writes[0]));
            }
            if (names_uniform_first(m, i)) moves[i] = 1;
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
    add_loop_copies(m, divergence, moves);
    return moves;
}

}  // namespace warpsim::timing
