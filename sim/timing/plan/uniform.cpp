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
        : m_(m), is_uniform_(m.function->registers.size(), true), diverges_(m.function->blocks.size(), false) {
        for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
            if (p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p])
                is_uniform_[m.function->parameters[p]] = false;
        }
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            if (takes_vectors(i)) {
                for (std::uint32_t const reg : m.machine_reads[i]) is_uniform_[reg] = false;
            }
            // A constant that was moved into a register is needed in a vector register.
            bool const is_constant =
                m.instructions[i].extra_moves != 0 && m.machine_reads[i].empty() && !m.machine_writes[i].empty();
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
        }
        m_.is_uniform = std::move(is_uniform_);
    }

private:
    /// Data of stores, atomics and shuffles, and operands of calls and matrix instructions.
    bool takes_vectors(std::uint32_t i) const {
        return !timing_of(ir::effect(*m_.module, m_.ir(i))).is(EffectTiming::takes_uniform);
    }

    bool remove() {
        bool changed = false;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            for (std::uint32_t const reg : m_.writes[i]) {
                if (!is_uniform_[reg]) continue;
                auto const reads = m_.reads[i];
                bool const reads_vector = std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) {
                    return !is_uniform_[r] && !is_constant(r);
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
    /// In the bank or immediate: never in a register of the hardware.
    bool is_constant(std::uint32_t reg) const {
        std::uint32_t const maker = m_.only_definition[m_.root[reg]];
        if (maker == ir::none) return false;
        Effect const effect = ir::effect(*m_.module, m_.ir(maker));
        return effect == Effect::load && m_.form(maker).space != isa::StateSpace::global &&
               m_.instructions[maker].fate == Fate::removed;
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
    std::vector<bool> is_uniform_, diverges_;
};

}  // namespace

void find_uniform(MachineFunction& m, int capability) { Finder(m, capability).run(); }

}  // namespace warpsim::timing
