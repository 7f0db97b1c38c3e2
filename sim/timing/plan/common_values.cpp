#include "sim/timing/plan/common_values.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

class Joiner {
public:
    Joiner(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators)
        : m_(m),
          d_(d),
          dominators_(dominators),
          number_(m.same_value),
          uses_(m.function->registers.size(), 0),
          reader_(m.function->registers.size(), ir::none) {
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            for (std::uint32_t const reg : m.reads[i]) {
                ++uses_[reg];
                reader_[reg] = i;
            }
        }
    }

    bool run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (!may_join(i)) continue;
            auto& known = known_[key(i)];
            auto const same =
                std::find_if(known.begin(), known.end(), [&](std::uint32_t k) { return is_before(k, i); });
            if (same == known.end()) {
                known.push_back(i);
                continue;
            }
            // What its reader absorbs stays, unless the reader itself is removed.
            number_[m_.writes[i][0]] = number_[m_.writes[*same][0]];
            if (goes_into_its_reader(i) || goes_into_its_reader(*same)) continue;
            d_.root[m_.writes[i][0]] = d_.root[m_.writes[*same][0]];
            m_.instructions[i].fate = Fate::removed;
            any_ = true;
        }
        if (!any_) return false;
        // Registers that were copies of removed ones.
        for (std::uint32_t reg = 0; reg < d_.root.size(); ++reg) {
            std::uint32_t& root = d_.root[reg];
            while (d_.root[root] != root) {
                d_.beyond_root[reg] += d_.beyond_root[root];
                root = d_.root[root];
            }
        }
        return true;
    }

private:
    /// Every path to `i` executes instruction `k`.
    bool is_before(std::uint32_t k, std::uint32_t i) const {
        std::uint32_t const a = m_.function->block_of[k], b = m_.function->block_of[i];
        return a == b ? k < i : dominators_.dominates(a, b);
    }

    /// Arithmetic on values that never change, whose definitions are known to come before it.
    bool may_join(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        bool const computes = m_.instructions[i].fate == Fate::issued && m_.ir(i).guard == ir::none &&
                              ir::effect(*m_.module, m_.ir(i)) == Effect::lanes && m_.writes[i].size() == 1 &&
                              !form.has(isa::Modifier::cc);
        if (!computes || m_.writes[i][0] == m_.function->carry || d_.only_definition[m_.writes[i][0]] != i)
            return false;
        auto const reads = m_.reads[i];
        return std::all_of(reads.begin(), reads.end(), [&](std::uint32_t reg) {
            std::uint32_t const root = d_.root[reg], maker = d_.only_definition[root];
            return reg != m_.function->carry &&
                   (d_.is_parameter[root] || (maker != ir::none && is_before(maker, i)));
        });
    }

    /// Sums, products and logic cost nothing when a single sum or logic operation absorbs them.
    bool goes_into_its_reader(std::uint32_t i) const {
        std::uint32_t const reg = m_.writes[i][0], reader = reader_[reg];
        if (uses_[reg] != 1 || m_.function->block_of[reader] != m_.function->block_of[i]) return false;
        Operation const made = m_.form(i).operation, taker = m_.form(reader).operation;
        bool const is_taken = is_multiplication(made) ||
                              is_one_of(made, Operation::add, Operation::sub, Operation::shl, Operation::neg,
                                        Operation::and_, Operation::or_, Operation::xor_, Operation::not_);
        return is_taken &&
               is_one_of(taker, Operation::add, Operation::sub, Operation::and_, Operation::or_, Operation::xor_);
    }

    std::vector<std::int64_t> key(std::uint32_t i) const {
        std::vector<std::int64_t> key{m_.ir(i).form};
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            key.push_back(static_cast<std::int64_t>(o.kind) * 4 + static_cast<std::int64_t>(o.base) +
                          (o.negated ? 1024 : 0) + (o.generic ? 2048 : 0) + (o.is_module_variable ? 4096 : 0));
            key.push_back(o.kind == Kind::reg ? number_[d_.root[o.index]] : o.index);
            key.push_back(o.value);
        }
        return key;
    }

    MachineFunction& m_;
    Definitions& d_;
    ir::DominatorTree const& dominators_;
    std::vector<std::uint32_t> number_;         // per register: the first one with its value
    std::vector<std::uint32_t> uses_, reader_;  // per register: how many read it, and one of them
    std::map<std::vector<std::int64_t>, std::vector<std::uint32_t>> known_;
    bool any_ = false;
};

}  // namespace

bool join_common_values(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators) {
    return Joiner(m, d, dominators).run();
}

}  // namespace warpsim::timing
