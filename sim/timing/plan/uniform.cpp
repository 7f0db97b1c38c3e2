#include "sim/timing/plan/uniform.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/divergence.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

/// The uniform datapath adds, multiplies, shifts, compares and selects integers; it has no floating point and no
/// memory accesses.
bool is_uniform_operation(MachineFunction const& m, std::uint32_t i, int capability) {
    ir::Form const& form = m.form(i);
    Effect const effect = ir::effect(*m.module, m.ir(i));
    if (m.ir(i).guard != ir::none || form.sat || form.has(isa::Modifier::cc) || m.writes[i].size() != 1)
        return false;
    if (effect == Effect::move) {
        ir::Operand const& source = m.operands(i).back();
        if (source.kind != Kind::special) return m.operands(i)[0].kind == Kind::reg;
        using S = ir::SpecialRegister;
        auto const which = static_cast<S>(source.index);
        // ptxas reads the CTA's index into a uniform register only from 9.0 on.
        if (which == S::ctaid && capability < 90) return false;
        return which == S::ctaid || which == S::ntid || which == S::nctaid || which == S::smid;
    }
    if (effect == Effect::convert_address) return true;
    if (effect != Effect::lanes) return false;
    if (is_conversion(form.operation)) {
        return !isa::is_float(form.types[0]) && !isa::is_float(form.types[1]) && isa::width(form.types[0]) >= 32;
    }
    bool const is_known = (isa::rows(isa::HostIsa::baseline)[form.row].properties & isa::is_uniform) != 0;
    return is_known && !isa::is_float(form.types[0]) && isa::width(form.types[0]) != 16;
}

class Finder {
public:
    Finder(MachineFunction& m, int capability)
        : m_(m),
          capability_(capability),
          is_uniform_(m.function->registers.size(), true),
          is_loaded_(m.function->registers.size(), false),
          is_read_(m.function->registers.size(), false),
          diverges_(m.function->blocks.size(), false) {
        for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
            if (p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p])
                is_uniform_[m.function->parameters[p]] = false;
        }
        for (std::uint32_t const reg : m.machine_reads.items) is_read_[reg] = true;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            for (std::uint32_t const reg : m.machine_reads[i]) {
                if (!takes_uniform(i, reg)) is_uniform_[reg] = false;
            }
            // A constant that was moved into a register is needed in a vector register, unless it was loaded, nothing
            // but the uniform datapath reads it, and no number stands beside it.
            bool const is_constant =
                m.instructions[i].extra_moves != 0 && m.machine_reads[i].empty() && !m.machine_writes[i].empty();
            if (is_constant && m.instructions[i].loads_constant && !m.instructions[i].loads_into_vector) {
                for (std::uint32_t const reg : m.machine_writes[i]) is_loaded_[reg] = true;
                continue;
            }
            if (is_uniform_operation(m, i, capability) && !is_constant) continue;
            for (std::uint32_t const reg : m.writes[i]) is_uniform_[reg] = false;
        }
    }

    void run() {
        // Assumes that everything is uniform, and removes what contradicts this until nothing does.
        do {
            find_divergent_blocks();
        } while (remove());
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            bool const computes = m_.machine_writes[i].size() == 1 && is_uniform_[m_.machine_writes[i][0]];
            m_.instructions[i].is_uniform = computes;
            if (computes || !scales_by_immediate(i)) continue;
            for (std::uint32_t const reg : m_.machine_reads[i])
                if (is_uniform_[reg]) ++m_.instructions[i].extra_moves;
        }
        m_.is_uniform = std::move(is_uniform_);
    }

private:
    /// Not data of stores, atomics and shuffles, operands of calls and matrix instructions, and addresses.
    bool takes_uniform(std::uint32_t i, std::uint32_t reg) const {
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (isa::is_access(effect)) return is_constant_access(i) || is_base(i, reg);
        return timing_of(effect).is(EffectTiming::takes_uniform);
    }
    bool is_constant_access(std::uint32_t i) const {
        isa::StateSpace const space = m_.form(i).space;
        return space == isa::StateSpace::param || space == isa::StateSpace::param_entry;
    }
    /// Of an address of global memory or a generic one, which is uniform on 7.5 where it does not go on in a loop.
    bool is_base(std::uint32_t i, std::uint32_t reg) const {
        ir::Form const& form = m_.form(i);
        bool const is_wide = isa::width(m_.function->registers[reg].type) == 64;
        bool const is_global = form.space == isa::StateSpace::global;
        if (capability_ != 75 || !(is_global || form.space == isa::StateSpace::generic) || !is_wide ||
            m_.only_definition[reg] == ir::none)
            return false;
        // Atomics of global memory that are no reductions, because something reads their results or there is none such, take vector registers.
        bool const returns =
            is_global && ir::effect(*m_.module, m_.ir(i)) == Effect::atomic &&
            (form.has(isa::Modifier::exch) || form.has(isa::Modifier::cas) ||
             std::any_of(m_.writes[i].begin(), m_.writes[i].end(), [&](auto r) { return is_read_[r]; }));
        auto const operands = m_.operands(i);
        return !returns && std::none_of(operands.begin(), operands.end(), [&](ir::Operand const& o) {
            return o.kind == Kind::reg && m_.root[o.index] == reg;
        });
    }

    bool remove() {
        bool changed = false;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            auto const results = m_.machine_writes[i];
            bool const is_uniform = results.size() == 1 && is_uniform_[results[0]];
            bool const scales = !is_uniform && scales_by_immediate(i);
            for (std::uint32_t const reg : m_.machine_reads[i]) {
                bool const needs_vector = (scales && !is_near(reg, i)) ||
                                          (!is_uniform && is_loaded_[reg] && !adds_halves(i) && !is_base(i, reg));
                if (!is_uniform_[reg] || !needs_vector) continue;
                is_uniform_[reg] = false;
                changed = true;
            }
            for (std::uint32_t const reg : m_.writes[i]) {
                if (!is_uniform_[reg]) continue;
                auto const reads = m_.reads[i];
                bool const reads_vector = std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) {
                    return !is_uniform_[r] && !is_loaded_[r] && !is_constant(r);
                });
                // In a divergent block only some of the lanes may be active.
                bool const is_split = diverges_[m_.function->block_of[i]];
                if (!reads_vector && !is_split) continue;
                is_uniform_[reg] = false;
                changed = true;
            }
        }
        return changed;
    }
    /// A sum of 64 bits without a product in it: either of its instructions may read one uniform register.
    bool adds_halves(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        return is_plain_add(form) && isa::width(form.types[0]) == 64 && !m_.instructions[i].takes_product;
    }
    /// Whether it is made in the same block: a copy then takes a vector register for a moment only.
    bool is_near(std::uint32_t reg, std::uint32_t i) const {
        std::uint32_t const maker = m_.only_definition[reg];
        return maker != ir::none && m_.function->block_of[maker] == m_.function->block_of[i];
    }
    /// A sum with a product by an immediate in it (IMAD, LEA): an instruction has no place for that and a uniform register.
    bool scales_by_immediate(std::uint32_t i) const {
        if (!m_.instructions[i].takes_product) return false;
        auto const operands = m_.operands(i);
        return std::any_of(operands.begin(), operands.end(), [&](ir::Operand const& o) {
            if (o.kind != Kind::reg) return false;
            std::uint32_t const maker = m_.only_definition[m_.root[o.index]];
            if (maker == ir::none || m_.instructions[maker].fate != Fate::folded) return false;
            return m_.operands(maker).back().kind == Kind::immediate;
        });
    }
    /// In the bank or immediate: in no vector register.
    bool is_constant(std::uint32_t reg) const {
        std::uint32_t const maker = m_.only_definition[m_.root[reg]];
        if (maker == ir::none) return false;
        Effect const effect = ir::effect(*m_.module, m_.ir(maker));
        MachineInstruction const& load = m_.instructions[maker];
        return effect == Effect::load && m_.form(maker).space != isa::StateSpace::global &&
               (load.fate == Fate::removed || (load.extra_moves != 0 && m_.machine_writes[maker].empty()));
    }

    void find_divergent_blocks() {
        std::fill(diverges_.begin(), diverges_.end(), false);
        std::vector<std::uint32_t> seen(diverges_.size(), ir::none);
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            ir::Block const& block = m_.function->blocks[b];
            std::uint32_t const guard = m_.ir(block.last).guard;
            Effect const effect = ir::effect(*m_.module, m_.ir(block.last));
            bool const splits = effect == Effect::branch_indexed || (guard != ir::none && !is_uniform_[guard]);
            if (!splits || block.successors.size() < 2) continue;
            // Lanes that exit do not come back, and no lane waits for them.
            auto const ends = [&](std::uint32_t s) { return only_ends(*m_.module, *m_.function, s); };
            if (std::any_of(block.successors.begin(), block.successors.end(), ends)) continue;
            mark_parted_blocks(*m_.function, b, seen, diverges_);
        }
    }

    MachineFunction& m_;
    int const capability_;
    std::vector<bool> is_uniform_;
    std::vector<bool> is_loaded_;  // per register: a constant that is loaded, into either kind of register or both
    std::vector<bool> is_read_;    // per register
    std::vector<bool> diverges_;
};

}  // namespace

void find_uniform(MachineFunction& m, int capability) { Finder(m, capability).run(); }

}  // namespace warpsim::timing
