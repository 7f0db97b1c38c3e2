#include "sim/timing/plan/apart_addresses.hpp"

#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

class ApartJoiner {
public:
    ApartJoiner(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators, int capability)
        : m_(m),
          d_(d),
          dominators_(dominators),
          has_bases_(capability >= 90),
          readers_(m.function->registers.size()) {
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (m.instructions[i].fate != Fate::issued && !d.is_joined[i]) continue;
            for (std::uint32_t const reg : m.reads[i]) readers_[d.root[reg]].push_back(i);
        }
    }

    void run() {
        std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>>
            known;  // by the terms that are no constants
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (!is_sum(i) || !is_only_address(i)) continue;
            terms_.clear();
            variables_.clear();
            find_terms(i, 0);
            // Of one term and a constant nothing is left but the constant, which the accesses take anyway.
            if (terms_.size() + variables_.size() < 2) continue;
            std::sort(terms_.begin(), terms_.end());
            terms_.insert(terms_.end(), variables_.begin(), variables_.end());
            auto& list = known[terms_];
            auto const first =
                std::find_if(list.begin(), list.end(), [&](std::uint32_t k) { return is_before(k, i); });
            if (first == list.end()) {
                list.push_back(i);
                continue;
            }
            d_.holder[result(i)] = result(*first);
            remove(i);
        }
    }

private:
    std::uint32_t count() const { return static_cast<std::uint32_t>(m_.instructions.size()); }
    std::uint32_t result(std::uint32_t i) const { return m_.operands(i)[0].index; }

    bool is_sum(std::uint32_t i) const {
        return m_.instructions[i].fate == Fate::issued && is_plain_add(m_.form(i)) && m_.ir(i).guard == ir::none &&
               isa::width(m_.form(i).types[0]) == 32 && m_.operands(i).size() == 3 &&
               m_.operands(i)[0].kind == Kind::reg && d_.only_definition[result(i)] == i;
    }
    bool is_before(std::uint32_t k, std::uint32_t i) const {
        std::uint32_t const a = m_.function->block_of[k], b = m_.function->block_of[i];
        return a == b ? k < i : dominators_.dominates(a, b);
    }

    /// Read by nothing but accesses to shared memory, as their address.
    bool is_only_address(std::uint32_t i) const {
        std::uint32_t const reg = result(i);
        auto const& list = readers_[reg];
        return !list.empty() && std::all_of(list.begin(), list.end(), [&](std::uint32_t j) {
            Effect const effect = ir::effect(*m_.module, m_.ir(j));
            bool const accesses = effect == Effect::load || effect == Effect::store || effect == Effect::atomic;
            if (m_.form(j).space != isa::StateSpace::shared || !accesses || m_.ir(j).guard == reg) return false;
            auto const o = m_.operands(j);
            return std::none_of(o.begin(), o.end(), [&](ir::Operand const& each) {
                return each.kind == Kind::reg && d_.root[each.index] == reg;
            });
        });
    }

    /// What it adds, but for constants; sums that only it reads are looked through.
    void find_terms(std::uint32_t i, int depth) {
        for (ir::Operand const& o : m_.operands(i).subspan(1)) {
            if (o.kind != Kind::reg) continue;
            std::uint32_t const root = d_.root[o.index], maker = d_.only_definition[root];
            if (d_.constant[root] == Constant::immediate) {
                // A variable whose address is computed has a base of its own.
                if (has_bases_ && maker != ir::none && m_.operands(maker).back().kind == Kind::symbol)
                    variables_.push_back(m_.operands(maker).back().index);
                continue;
            }
            if (maker != ir::none && depth < 4 && is_sum(maker)) find_terms(maker, depth + 1);
            // A register that changes is another term after each change: one that is never found again.
            else terms_.push_back(maker != ir::none || d_.is_parameter[root] ? root : unknown_--);
        }
    }

    void remove(std::uint32_t i) {
        m_.instructions[i].fate = Fate::removed;
        for (std::uint32_t const reg : m_.reads[i]) {
            std::uint32_t const root = d_.root[reg], maker = d_.only_definition[root];
            auto& list = readers_[root];
            list.erase(std::remove(list.begin(), list.end(), i), list.end());
            if (list.empty() && maker != ir::none && is_sum(maker)) remove(maker);
        }
    }

    MachineFunction& m_;
    Definitions& d_;
    ir::DominatorTree const& dominators_;
    bool const has_bases_;
    std::vector<std::vector<std::uint32_t>> readers_;  // per register: instructions
    std::vector<std::uint32_t> terms_, variables_;
    std::uint32_t unknown_ = ir::none;
};

}  // namespace

void join_apart_addresses(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators,
                          int capability) {
    ApartJoiner(m, d, dominators, capability).run();
}

}  // namespace warpsim::timing
