#include "sim/timing/plan/prologue.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/block_loops.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

using Base = ir::Operand::AddressBase;

// Instructions; the address of the CTA's shared memory serves for others, too.
constexpr std::uint8_t shared_base = 3, another_shared_base = 2;

bool is_in_shared_memory(MachineFunction const& m, ir::Operand const& o) {
    bool const is_variable =
        o.kind == Kind::symbol ||
        (o.kind == Kind::address && (o.base == Base::module_variable || o.base == Base::function_variable));
    if (!is_variable) return false;
    auto const& variables =
        o.is_module_variable || o.base == Base::module_variable ? m.module->variables : m.function->variables;
    return variables[o.index].space == ir::StateSpace::shared;
}

/// The address of a variable, itself or as a constant.
bool names_shared_memory(MachineFunction const& m, std::uint32_t i, int depth = 0) {
    auto const operands = m.operands(i);
    return std::any_of(operands.begin(), operands.end(), [&](ir::Operand const& o) {
        if (is_in_shared_memory(m, o)) return true;
        bool const is_register =
            o.kind == Kind::reg || (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg);
        std::uint32_t const maker = is_register ? m.only_definition[m.root[o.index]] : ir::none;
        return maker != ir::none && maker != i && depth < 8 && m.instructions[maker].fate != Fate::issued &&
               names_shared_memory(m, maker, depth + 1);
    });
}

/// A sum with the address of a variable in shared memory.
struct SharedSum {
    std::uint32_t term, variable;
    auto operator<=>(SharedSum const&) const = default;  // NOLINT(modernize-use-nullptr): the check misreads it
};

/// What is added to the operand; ir::none if that is no register.
std::uint32_t term_beside(MachineFunction const& m, std::uint32_t i, ir::Operand const& operand) {
    for (ir::Operand const& o : m.operands(i).subspan(1))
        if (o.kind == Kind::reg && m.root[o.index] != m.root[operand.index]) return m.root[o.index];
    return ir::none;
}

/// Those that the instruction is, or takes from others that are part of it.
void find_shared_sums(MachineFunction const& m, std::uint32_t i, std::set<SharedSum>& sums, int depth = 0) {
    for (ir::Operand const& o : m.operands(i)) {
        bool const is_register = o.kind == Kind::reg || (o.kind == Kind::address && o.base == Base::reg);
        std::uint32_t const maker = is_register ? m.only_definition[m.root[o.index]] : ir::none;
        if (maker == ir::none || maker == i || depth >= 8 || m.instructions[maker].fate == Fate::issued) continue;
        ir::Operand const& source = m.operands(maker).back();
        bool const is_variable =
            ir::effect(*m.module, m.ir(maker)) == isa::Effect::move && is_in_shared_memory(m, source);
        // What is at a known place has it in the access.
        if (is_variable && ir::effect(*m.module, m.ir(i)) == isa::Effect::lanes)
            sums.insert({term_beside(m, i, o), source.index * 2 + std::uint32_t{source.is_module_variable}});
        find_shared_sums(m, maker, sums, depth + 1);
    }
}

bool accesses_global_memory(MachineFunction const& m) {
    return std::any_of(m.function->instructions.begin(), m.function->instructions.end(),
                       [&](ir::Instruction const& i) {
                           ir::StateSpace const space = m.module->forms[i.form].space;
                           return isa::is_access(ir::effect(*m.module, i)) &&
                                  (space == ir::StateSpace::global || space == ir::StateSpace::generic);
                       });
}

/// The variable in global memory that the instruction accesses by its name; else ir::none.
std::uint32_t variable_of_access(MachineFunction const& m, std::uint32_t i) {
    auto const operands = m.operands(i);
    auto const named = std::find_if(operands.begin(), operands.end(), [&](ir::Operand const& o) {
        return o.kind == Kind::address && o.base == Base::module_variable &&
               m.module->variables[o.index].space == ir::StateSpace::global;
    });
    bool const is_one = isa::is_access(ir::effect(*m.module, m.ir(i))) && named != operands.end();
    return is_one ? named->index : ir::none;
}

/// Puts the instructions that bring bases of variables into registers in front of the loop around a block that needs them.
class BasePlacer {
public:
    BasePlacer(MachineFunction& m, ir::DominatorTree const& dominators)
        : m_(m), dominators_(dominators), loops_(find_block_loops(*m.function, dominators)) {}

    /// One base, of so many instructions, for all instructions that need it. Its number, if it takes vector registers; else 0.
    void place(std::uint8_t instructions, std::function<bool(std::uint32_t)> needs, std::uint16_t number = 0) {
        based_.clear();
        needs_ = std::move(needs);
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            // What is computed for a guarded path is there for others, but not for what all lanes execute.
            bool const is_guarded = !has_unguarded_user(b);
            bool const is_known = std::any_of(based_.begin(), based_.end(), [&](Based const& base) {
                if (base.is_guarded && !is_guarded) return false;
                return (base.loop != nullptr && base.loop->contains(b)) || dominators_.dominates(base.block, b);
            });
            std::uint32_t const user = is_known ? ir::none : first_user(b);
            if (user == ir::none) continue;
            // What only some lanes need does not leave the loop.
            BlockLoop const* const loop = m_.ir(user).guard == ir::none ? loop_around(b) : nullptr;
            std::uint32_t const before = loop != nullptr ? last_issued_before(*loop) : ir::none;
            std::uint8_t& prologue = m_.instructions[before != ir::none ? before : user].prologue;
            prologue = static_cast<std::uint8_t>(prologue + instructions);
            based_.push_back({b, before != ir::none ? loop : nullptr, is_guarded});
            if (number == 0) continue;
            bool const is_in_front = before != ir::none;
            m_.bases_made.push_back({number, is_in_front ? dominators_.immediate(loop->head) : b, is_in_front});
        }
    }

private:
    struct Based {
        std::uint32_t block;
        BlockLoop const* loop;  // that it stands in front of, for this one alone
        bool is_guarded;
    };

    bool uses(std::uint32_t i) const { return m_.instructions[i].fate == Fate::issued && needs_(i); }
    std::uint32_t first_user(std::uint32_t b) const {
        for (std::uint32_t i = m_.function->blocks[b].first; i <= m_.function->blocks[b].last; ++i)
            if (uses(i)) return i;
        return ir::none;
    }
    bool has_unguarded_user(std::uint32_t b) const {
        for (std::uint32_t i = m_.function->blocks[b].first; i <= m_.function->blocks[b].last; ++i)
            if (m_.ir(i).guard == ir::none && uses(i)) return true;
        return false;
    }
    /// The innermost one.
    BlockLoop const* loop_around(std::uint32_t b) const {
        auto const loop = std::find_if(loops_.rbegin(), loops_.rend(), [&](BlockLoop const& l) {
            return l.contains(b) && dominators_.dominates(l.head, b);
        });
        return loop != loops_.rend() ? &*loop : nullptr;
    }
    std::uint32_t last_issued_before(BlockLoop const& loop) const {
        std::uint32_t at = ir::none;
        for (std::uint32_t b = dominators_.immediate(loop.head); b != ir::none && at == ir::none;
             b = dominators_.immediate(b))
            at = last_issued(b);
        return at;
    }
    std::uint32_t last_issued(std::uint32_t b) const {
        for (std::uint32_t i = m_.function->blocks[b].last + 1; i-- > m_.function->blocks[b].first;)
            if (m_.instructions[i].fate == Fate::issued) return i;
        return ir::none;
    }

    MachineFunction& m_;
    ir::DominatorTree const& dominators_;
    std::vector<BlockLoop> const loops_;
    std::vector<Based> based_;
    std::function<bool(std::uint32_t)> needs_;
};

/// Each variable in shared memory whose address is part of sums takes a base of its own, which no access adds by itself.
void add_shared_bases(MachineFunction& m, BasePlacer& placer) {
    placer.place(shared_base, [&](std::uint32_t i) { return names_shared_memory(m, i); });
    std::vector<std::set<SharedSum>> of_instruction(m.instructions.size());
    std::set<SharedSum> all;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (m.instructions[i].fate == Fate::issued) find_shared_sums(m, i, of_instruction[i]);
        all.insert(of_instruction[i].begin(), of_instruction[i].end());
    }
    std::set<std::uint32_t> variables;
    for (SharedSum const& sum : all) variables.insert(sum.variable);
    if (variables.size() < 2) return;
    std::uint32_t const first = *variables.begin();
    for (std::uint32_t const variable : variables) {
        auto const takes = [&](std::uint32_t i) {
            return std::any_of(of_instruction[i].begin(), of_instruction[i].end(),
                               [&](SharedSum const& sum) { return sum.variable == variable; });
        };
        if (variable != first) placer.place(another_shared_base, takes);
    }
    // One term with several variables is that many sums.
    std::set<SharedSum> further;
    for (auto sum = all.begin(); sum != all.end(); ++sum)
        if (sum != all.begin() && std::prev(sum)->term == sum->term && sum->term != ir::none) further.insert(*sum);
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
        for (SharedSum const& sum : of_instruction[i])
            if (further.erase(sum) != 0) ++m.instructions[i].prologue;
}

/// Addresses of variables stand in the constant bank: for 7.5 one instruction brings them into uniform registers.
void add_bases_of_variables(MachineFunction& m, BasePlacer& placer, int capability) {
    std::map<std::uint32_t, std::uint16_t> numbers;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        std::uint32_t const variable = variable_of_access(m, i);
        if (m.instructions[i].fate != Fate::issued || variable == ir::none) continue;
        auto const number =
            numbers.emplace(variable, static_cast<std::uint16_t>(numbers.size() + 1)).first->second;
        if (capability != 75) m.instructions[i].base = number;
    }
    std::uint8_t const instructions = capability == 75 || capability >= 90 ? 1 : 2;
    for (auto const& [variable, number] : numbers)
        placer.place(
            instructions, [&m, wanted = variable](std::uint32_t i) { return variable_of_access(m, i) == wanted; },
            capability != 75 ? number : 0);
}

}  // namespace

void add_prologue(MachineFunction& m, ir::DominatorTree const& dominators, int capability) {
    BasePlacer placer(m, dominators);
    if (capability >= 90) add_shared_bases(m, placer);
    add_bases_of_variables(m, placer, capability);
    if (!m.function->is_entry) return;
    for (MachineInstruction& first : m.instructions) {
        if (first.fate != Fate::issued) continue;
        bool const needs_descriptor = capability >= 80 && accesses_global_memory(m);
        first.prologue = static_cast<std::uint8_t>(first.prologue + (needs_descriptor ? 2 : 1));
        return;
    }
}

}  // namespace warpsim::timing
