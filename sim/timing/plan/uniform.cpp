#include "sim/timing/plan/uniform.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/divergence.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/uniform_places.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

/// The uniform datapath adds, multiplies, shifts, compares and selects integers; it has no floating point and no
/// memory accesses.
bool is_uniform_operation(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& form = m.form(i);
    Effect const effect = ir::effect(*m.module, m.ir(i));
    if (m.ir(i).guard != ir::none || form.sat || form.has(isa::Modifier::cc) || m.writes[i].size() != 1)
        return false;
    if (effect == Effect::move) {
        ir::Operand const& source = m.operands(i).back();
        if (source.kind != Kind::special) return m.operands(i)[0].kind == Kind::reg;
        using S = ir::SpecialRegister;
        auto const which = static_cast<S>(source.index);
        if (reads_clock_of_32_bits(m, i)) return true;
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
          divergence_(m),
          is_uniform_(m.function->registers.size(), true),
          is_loaded_(m.function->registers.size(), false),
          is_read_(m.function->registers.size(), false),
          leaves_block_(m.function->registers.size(), false),
          first_definition_(m.function->registers.size(), ir::none),
          diverges_(m.function->blocks.size(), false) {
        for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
            if (p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p])
                is_uniform_[m.function->parameters[p]] = false;
        }
        for (std::uint32_t const reg : m.machine_reads.items) is_read_[reg] = true;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
            for (std::uint32_t const reg : m.writes[i])
                if (first_definition_[reg] == ir::none) first_definition_[reg] = i;
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) look_at(i);
        find_divergent_blocks();
    }

    void run() {
        // Assumes that everything is uniform, and removes what contradicts this until nothing does.
        while (remove() || keep_one_each()) {}
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            m_.instructions[i].is_uniform = gives_uniform(i);
            m_.instructions[i].awaits_clock = m_.instructions[i].is_uniform && awaits_clock(i);
        }
        if (capability_ < 90) load_constants();
        m_.is_uniform = std::move(is_uniform_);
    }

private:
    void look_at(std::uint32_t i) {
        for (std::uint32_t const reg : m_.machine_reads[i]) {
            if (!takes_uniform(i, reg)) is_uniform_[reg] = false;
            std::uint32_t const maker = first_definition_[reg];
            if (maker != ir::none && m_.function->block_of[maker] != m_.function->block_of[i])
                leaves_block_[reg] = true;
        }
        // A constant that was brought into a register is needed in a vector register, unless nothing but the uniform datapath
        // reads it, and no number stands beside it.
        bool const is_constant = m_.instructions[i].is_constant && !m_.machine_writes[i].empty();
        if (is_constant && !m_.instructions[i].loads_into_vector) {
            for (std::uint32_t const reg : m_.machine_writes[i]) is_loaded_[reg] = true;
            return;
        }
        if (is_uniform_operation(m_, i) && !is_constant) return;
        for (std::uint32_t const reg : m_.writes[i]) is_uniform_[reg] = false;
    }

    bool gives_uniform(std::uint32_t i) const {
        auto const results = m_.machine_writes[i];
        return results.size() == 1 && is_uniform_[results[0]];
    }
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

    /// For an instruction that computes nothing uniform.
    bool needs_vector(std::uint32_t i, std::uint32_t reg) const {
        if (is_loaded_[reg]) return !adds_halves(i) && !is_base(i, reg);
        if (m_.function->registers[reg].type == ir::Type::pred) return true;
        // A vector register that is written in several places takes what it becomes from vector registers.
        bool const is_one_of_several =
            m_.machine_writes[i].size() == 1 && m_.only_definition[m_.machine_writes[i][0]] == ir::none;
        bool const is_value = m_.only_definition[reg] != ir::none;
        if (is_one_of_several && is_value && is_uniform_operation(m_, i) && reads_uniform_alone(i)) return true;
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        return (effect == Effect::lanes || effect == Effect::move) &&
               !has_place_for_uniform(m_, i, reg, capability_);
    }
    bool reads_uniform_alone(std::uint32_t i) const {
        auto const reads = m_.machine_reads[i];
        return std::all_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return is_uniform_[r]; });
    }
    bool remove() {
        bool changed = false;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            bool const is_uniform = gives_uniform(i);
            for (std::uint32_t const reg : m_.machine_reads[i]) {
                if (!is_uniform_[reg] || is_uniform || !needs_vector(i, reg)) continue;
                is_uniform_[reg] = false;
                changed = true;
            }
            for (std::uint32_t const reg : m_.writes[i]) {
                if (!is_uniform_[reg]) continue;
                auto const reads = m_.reads[i];
                bool const reads_vector = std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) {
                    return !is_uniform_[r] && !is_loaded_[r] && !is_constant(r);
                });
                // Of the lanes that are there others may be active in another block.
                bool const is_split = diverges_[m_.function->block_of[i]] &&
                                      (m_.only_definition[reg] == ir::none || leaves_block_[reg]);
                if (!reads_vector && !is_split) continue;
                is_uniform_[reg] = false;
                changed = true;
            }
        }
        return changed;
    }
    /// A vector instruction reads one uniform register: of several, that which the program makes first stays one.
    bool keep_one_each() {
        bool changed = false;
        auto const comes_first = [&](std::uint32_t a, std::uint32_t b) {
            return is_loaded_[a] != is_loaded_[b] ? is_loaded_[b] : first_definition_[a] < first_definition_[b];
        };
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (gives_uniform(i)) continue;
            std::uint32_t kept = ir::none;
            for (std::uint32_t const reg : m_.machine_reads[i])
                if (is_uniform_[reg] && (kept == ir::none || comes_first(reg, kept))) kept = reg;
            for (std::uint32_t const reg : m_.machine_reads[i]) {
                if (!is_uniform_[reg] || reg == kept) continue;
                is_uniform_[reg] = false;
                changed = true;
            }
        }
        return changed;
    }
    /// Whether an instruction behind it makes the warp wait until the clock has been read (DEPBAR, from 9.0 on NOP): not where the
    /// block ends behind it, and not where other blocks read it behind a branch at which lanes part.
    bool awaits_clock(std::uint32_t i) const {
        if (m_.instructions[i].fate != Fate::issued || !reads_clock_of_32_bits(m_, i)) return false;
        std::uint32_t const last = m_.function->blocks[m_.function->block_of[i]].last;
        bool const jumps = ir::effect(*m_.module, m_.ir(last)) == Effect::branch;
        std::uint32_t const guard = jumps ? m_.ir(last).guard : ir::none;
        if (guard != ir::none && divergence_.varies(guard) && leaves_block_[m_.writes[i][0]]) return false;
        for (std::uint32_t k = i + 1; k < last + (jumps ? 0u : 1u); ++k)
            if (m_.instructions[k].fate == Fate::issued) return true;
        return false;
    }
    /// The uniform datapath names no constants of the bank: each is loaded once in a block (ULDC). From 9.0 on all are loaded
    /// anyway.
    void load_constants() {
        std::set<std::uint32_t> loaded;
        std::uint32_t block = ir::none;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (block != m_.function->block_of[i]) loaded.clear();
            block = m_.function->block_of[i];
            MachineInstruction& instruction = m_.instructions[i];
            if (!instruction.is_uniform || instruction.fate != Fate::issued || instruction.is_constant) continue;
            std::uint8_t loads = 0;
            for (std::uint32_t const reg : named_constants(i))
                if (loaded.insert(reg).second) ++loads;
            instruction.extra_moves = std::max(instruction.extra_moves, loads);
        }
    }
    /// Of the bank, by the instruction or what is folded into it.
    std::vector<std::uint32_t> named_constants(std::uint32_t i) const {
        auto const reads = m_.machine_reads[i];
        std::vector<std::uint32_t> parts{i}, found;
        while (!parts.empty()) {
            std::uint32_t const part = parts.back();
            parts.pop_back();
            if (ir::effect(*m_.module, m_.ir(part)) != Effect::lanes) continue;
            for (ir::Operand const& o : m_.operands(part).subspan(1)) {
                if (o.kind != Kind::reg) continue;
                std::uint32_t const reg = m_.root[o.index];
                std::uint32_t const maker = m_.only_definition[reg];
                if (maker == ir::none) continue;
                if (std::find(reads.begin(), reads.end(), reg) != reads.end()) {
                    if (is_loaded_[reg] && !is_uniform_[reg]) found.push_back(reg);
                    continue;
                }
                if (m_.instructions[maker].fate == Fate::folded) parts.push_back(maker);
                else if (is_in_bank(m_, reg)) found.push_back(reg);
            }
        }
        return found;
    }
    /// A sum of 64 bits without a product in it: either of its instructions may read one uniform register.
    bool adds_halves(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        return is_plain_add(form) && isa::width(form.types[0]) == 64 && !m_.instructions[i].takes_product;
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
        std::vector<std::uint32_t> seen(diverges_.size(), ir::none);
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b)
            if (divergence_.splits(b)) mark_parted_blocks(*m_.function, b, seen, diverges_);
    }

    MachineFunction& m_;
    int const capability_;
    Divergence const divergence_;
    std::vector<bool> is_uniform_;
    std::vector<bool> is_loaded_;  // per register: a constant that is brought into either kind of register or both
    std::vector<bool> is_read_;    // per register
    std::vector<bool> leaves_block_;  // per register: other blocks than that of its first definition read it
    std::vector<std::uint32_t> first_definition_;  // per register
    std::vector<bool> diverges_;
};

}  // namespace

void find_uniform(MachineFunction& m, int capability) { Finder(m, capability).run(); }

}  // namespace warpsim::timing
