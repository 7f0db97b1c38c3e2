#include "sim/timing/plan/loop_copies.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/executed.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

class LoopCopier {
public:
    LoopCopier(MachineFunction const& m, Divergence const& divergence, std::vector<std::uint8_t>& moves)
        : m_(m), divergence_(divergence), moves_(moves) {}

    void run() {
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            if (!is_plain_loop(b)) continue;
            add_pointers(b);
            add_counts(b);
        }
    }

private:
    /// A loop that is not unrolled, nor what is left behind one that is.
    bool is_plain_loop(std::uint32_t b) const {
        auto const& next = m_.function->blocks[b].successors;
        auto const weight = [&](std::uint32_t block) {
            return m_.instructions[m_.function->blocks[block].last].weight;
        };
        return std::find(next.begin(), next.end(), b) != next.end() && weight(b) == 1 &&
               (b == 0 || weight(b - 1) != leaves_loop);
    }

    /// Pointers that such a loop loads from and advances, in each lane another one, are in other registers than those that name
    /// the address. A product with a wide sum makes both halves at once: where one brings the pointer to the loop, a half is moved
    /// there as well, and where one advances it, both are, unless one brings it.
    /// Simplified: of more than two pointers ptxas moves now one and now most.
    void add_pointers(std::uint32_t b) {
        std::size_t left = has_counter(b) ? 2 : 1;
        bool is_first = left == 1;
        for (std::uint32_t const i : find_advances(b)) {
            std::uint32_t const bringing = find_bringing(i, b);
            bool const is_made_wide = bringing != ir::none && is_wide_product(bringing);
            if (is_wide_product(i)) {
                if (!is_made_wide) add(i, 2);
            } else if (!std::exchange(is_first, false) && left != 0) {
                --left;
                add(i, 1);
                if (is_made_wide) add(bringing, 1);
            }
        }
    }
    std::vector<std::uint32_t> find_advances(std::uint32_t b) const {
        ir::Block const& block = m_.function->blocks[b];
        std::vector<std::uint32_t> loaded, advances;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            isa::StateSpace const space = m_.form(i).space;
            bool const is_far = space == isa::StateSpace::global || space == isa::StateSpace::generic;
            if (ir::effect(*m_.module, m_.ir(i)) != isa::Effect::load || !is_far) continue;
            for (ir::Operand const& o : m_.operands(i))
                if (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg)
                    loaded.push_back(m_.root[o.index]);
        }
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            if (!adds_to_itself(i)) continue;
            std::uint32_t const reg = m_.operands(i)[0].index;
            bool const is_pointer = m_.units(reg) == 2 && divergence_.varies(reg);
            if (is_pointer && std::find(loaded.begin(), loaded.end(), reg) != loaded.end()) advances.push_back(i);
        }
        return advances;
    }
    bool adds_to_itself(std::uint32_t i) const {
        auto const o = m_.operands(i);
        return m_.instructions[i].fate == Fate::issued && is_plain_add(m_.form(i)) && o.size() == 3 &&
               o[1].kind == Kind::reg && o[0].index == o[1].index && m_.ir(i).guard == ir::none;
    }
    /// Something that does not depend on what is loaded says when the loop ends.
    bool has_counter(std::uint32_t b) const {
        ir::Block const& block = m_.function->blocks[b];
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            if (adds_to_itself(i) && m_.units(m_.operands(i)[0].index) == 1 && is_kept(m_.operands(i)[2], b))
                return true;
        }
        return false;
    }
    /// A number, or a register that the loop does not write.
    bool is_kept(ir::Operand const& o, std::uint32_t b) const {
        if (o.kind != Kind::reg) return true;
        ir::Block const& block = m_.function->blocks[b];
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            auto const writes = m_.writes[i];
            if (std::find(writes.begin(), writes.end(), o.index) != writes.end()) return false;
        }
        return true;
    }
    /// What computes the pointer before the loop, if that is one instruction.
    std::uint32_t find_bringing(std::uint32_t advance, std::uint32_t b) const {
        std::uint32_t const reg = m_.operands(advance)[0].index;
        std::uint32_t found = ir::none;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            auto const writes = m_.writes[i];
            if (m_.function->block_of[i] == b || std::find(writes.begin(), writes.end(), reg) == writes.end())
                continue;
            if (found != ir::none) return ir::none;
            found = i;
        }
        if (found == ir::none || m_.instructions[found].fate != Fate::removed) return found;
        ir::Operand const& from = m_.operands(found).back();
        return from.kind == Kind::reg ? m_.only_definition[m_.root[from.index]] : ir::none;
    }
    bool is_wide_product(std::uint32_t i) const {
        auto const& instruction = m_.instructions[i];
        return instruction.fate == Fate::issued && instruction.takes_product &&
               isa::width(m_.form(i).types[0]) == 64;
    }

    /// What counts by adding a number or zero is a sum, another one where the number is not chosen, and a move of either.
    void add_counts(std::uint32_t b) {
        ir::Block const& block = m_.function->blocks[b];
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            if (!adds_to_itself(i) || m_.units(m_.operands(i)[0].index) != 1) continue;
            ir::Operand const& term = m_.operands(i)[2];
            std::uint32_t const choice =
                term.kind == Kind::reg ? m_.only_definition[m_.root[term.index]] : ir::none;
            if (choice == ir::none || m_.form(choice).operation != Operation::selp) continue;
            auto const o = m_.operands(choice);
            bool const is_or_zero =
                o[1].kind == Kind::immediate && o[2].kind == Kind::immediate && o[2].value == 0;
            if (is_or_zero && m_.function->block_of[choice] == b) add(i, 1);
        }
    }

    void add(std::uint32_t i, std::uint8_t count) { moves_[i] = static_cast<std::uint8_t>(moves_[i] + count); }

    MachineFunction const& m_;
    Divergence const& divergence_;
    std::vector<std::uint8_t>& moves_;
};

}  // namespace

void add_loop_copies(MachineFunction const& m, Divergence const& divergence, std::vector<std::uint8_t>& moves) {
    LoopCopier(m, divergence, moves).run();
}

}  // namespace warpsim::timing
