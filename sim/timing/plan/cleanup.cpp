#include "sim/timing/plan/cleanup.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/apart_addresses.hpp"
#include "sim/timing/plan/choices.hpp"
#include "sim/timing/plan/common_values.hpp"
#include "sim/timing/plan/constant_operands.hpp"
#include "sim/timing/plan/folding.hpp"
#include "sim/timing/plan/halves.hpp"
#include "sim/timing/plan/narrow_values.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/reciprocals.hpp"
#include "sim/timing/plan/scaled_addresses.hpp"
#include "sim/timing/plan/shared_variables.hpp"
#include "sim/timing/plan/texture_operands.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

/// Has no effect beyond its results.
bool is_pure(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& form = m.form(i);
    Effect const effect = ir::effect(*m.module, m.ir(i));
    if (effect == Effect::load) return form.order == isa::Order::weak && !form.has(isa::Modifier::volatile_);
    if (effect != Effect::move) return isa::facts(effect).is(isa::EffectFacts::pure);
    ir::Operand const& source = m.operands(i).back();
    return source.kind != Kind::special || !is_clock(static_cast<ir::SpecialRegister>(source.index));
}

/// What nothing reads, where each register is a copy of its root.
void remove_dead_code(MachineFunction& m, Definitions const& d) {
    std::vector<std::uint32_t> const& root = d.root;
    std::vector<std::uint32_t> uses(m.function->registers.size(), 0);
    auto const count = static_cast<std::uint32_t>(m.instructions.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        bool const is_gone = m.instructions[i].fate == Fate::removed && !d.is_joined[i];
        if (is_gone || is_idle_branch(m.form(i))) continue;
        for (std::uint32_t const reg : m.reads[i]) ++uses[root[reg]];
    }
    // Definitions almost always come before uses: going backward finds chains in one pass, a second pass finds
    // those in loops.
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t i = count; i-- > 0;) {
            if (m.instructions[i].fate != Fate::issued || m.writes[i].empty() || !is_pure(m, i)) continue;
            auto const writes = m.writes[i];
            if (std::any_of(writes.begin(), writes.end(), [&](std::uint32_t r) { return uses[root[r]] != 0; }))
                continue;
            m.instructions[i].fate = Fate::removed;
            for (std::uint32_t const reg : m.reads[i]) --uses[root[reg]];
        }
    }
}

class Copies {
public:
    Copies(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators, int capability)
        : m_(m), d_(d), dominators_(dominators), capability_(capability) {
        if (capability < 90) first_shared_ = first_shared_variable(m);
    }

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate == Fate::issued) look_at(i);
        }
    }

private:
    void look_at(std::uint32_t i) {
        if (m_.keeps_old(i)) return;  // the old value is selected in some lanes
        auto const o = m_.operands(i);
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (effect == Effect::load) {
            if (is_constant_operand(m_, d_.only_definition, i))
                for (std::uint32_t const reg : m_.writes[i]) constant(i, reg, Constant::bank);
            return;
        }
        if (o.size() < 2 || o[0].kind != Kind::reg) return;
        std::uint32_t const to = o[0].index;
        bool const is_only = d_.only_definition[to] == i;
        if (effect == Effect::lanes && is_only && is_known(i)) return constant(i, to, Constant::immediate);
        if (effect == Effect::lanes && is_only && masks_nothing(m_, d_, i)) return copy(i, to, o[1].index, true);
        if (std::uint32_t const other = is_only ? added_to_first(i) : ir::none; other != ir::none)
            return copy(i, to, other, true);
        if (o.size() != 2) return;
        if (effect == Effect::move || effect == Effect::convert_address) {
            if (o[1].kind == Kind::reg) return copy(i, to, o[1].index, is_only);
            if (!is_only) return;
            bool const is_symbol = o[1].kind == Kind::symbol || o[1].kind == Kind::function;
            if (o[1].kind == Kind::immediate) constant(i, to, Constant::immediate);
            // The linker puts addresses of global variables into the constant bank; those in shared memory are
            // known.
            if (is_symbol) constant(i, to, in_constant_bank(o[1]) ? Constant::bank : Constant::immediate);
            if (o[1].kind == Kind::special) special(i, to, o[1]);
        } else if (effect == Effect::lanes && is_only && o[1].kind == Kind::reg) {
            if (changes_nothing(m_, d_, i)) copy(i, to, o[1].index, true);
            else if (takes_lower_half(i, o) && d_.constant[d_.root[o[1].index]] == Constant::bank)
                constant(i, to, Constant::bank);
        }
    }

    /// Of a value of 64 bits.
    bool takes_lower_half(std::uint32_t i, std::span<ir::Operand const> o) const {
        ir::Form const& f = m_.form(i);
        return f.operation == Operation::cvt && !f.sat && !isa::is_float(f.types[0]) &&
               !isa::is_float(f.types[1]) && isa::width(f.types[0]) == 32 &&
               isa::width(m_.function->registers[o[1].index].type) == 64;
    }
    /// It computes from immediate values only.
    bool is_known(std::uint32_t i) const {
        if (m_.writes[i].size() != 1 || !is_pure(m_, i)) return false;
        auto const sources = m_.operands(i).subspan(1);
        return std::all_of(sources.begin(), sources.end(), [&](ir::Operand const& o) {
            return o.kind == Kind::immediate || o.kind == Kind::sink ||
                   (o.kind == Kind::reg && d_.constant[d_.root[o.index]] == Constant::immediate);
        });
    }

    /// What a sum of 32 bits adds to the address of the first variable in shared memory, which is zero; ir::none: nothing.
    std::uint32_t added_to_first(std::uint32_t i) const {
        auto const o = m_.operands(i);
        if (!first_shared_ || !is_plain_add(m_.form(i)) || o.size() != 3) return ir::none;
        for (std::size_t const k : {1u, 2u}) {
            ir::Operand const& other = o[3 - k];
            if (o[k].kind != Kind::reg || other.kind != Kind::reg) continue;
            std::uint32_t const maker = d_.only_definition[d_.root[o[k].index]];
            if (maker == ir::none || ir::effect(*m_.module, m_.ir(maker)) != Effect::move) continue;
            if (first_shared_->is(m_.operands(maker).back()) && isa::width(m_.form(i).types[0]) == 32)
                return other.index;
        }
        return ir::none;
    }

    bool in_constant_bank(ir::Operand const& o) const {
        if (o.kind != Kind::symbol) return true;
        if (!o.is_module_variable) return m_.function->variables[o.index].space != ir::StateSpace::shared;
        return m_.module->variables[o.index].space == ir::StateSpace::global;
    }

    void copy(std::uint32_t i, std::uint32_t to, std::uint32_t from, bool is_only) {
        std::uint32_t const root = d_.root[from];
        if (is_only && (d_.only_definition[root] != ir::none || d_.is_parameter[root])) {
            d_.root[to] = root;
            m_.instructions[i].fate = Fate::removed;
        } else if (d_.constant[root] == Constant::none) {
            // One of several definitions: both registers get the same hardware register if their live ranges do
            // not overlap.
            m_.instructions[i].fate = Fate::removed;
            d_.is_joined[i] = true;
        }
    }

    void constant(std::uint32_t i, std::uint32_t to, Constant kind) {
        d_.constant[to] = kind;
        m_.instructions[i].fate = Fate::removed;
    }

    /// Where nothing changes them ptxas 13.0 reads special registers once for all that every path leads through; a
    /// warp's slot is read again behind branches, and for 9.0 always.
    void special(std::uint32_t i, std::uint32_t to, ir::Operand const& o) {
        auto const which = static_cast<ir::SpecialRegister>(o.index);
        if (is_fixed_at_launch(which)) return constant(i, to, Constant::bank);
        if (m_.ir(i).is_added) return;  // so that it takes no register until here
        bool const in_block_only = which == ir::SpecialRegister::warpid && capability_ < 90;
        if (!stays(which) && !in_block_only) return;
        auto& known = specials_[{o.index, o.value}];
        std::uint32_t const block = m_.function->block_of[i];
        for (auto const& [reader, reg] : known) {
            std::uint32_t const other = m_.function->block_of[reader];
            if (other != block && (in_block_only || !dominators_.dominates(other, block))) continue;
            if (m_.function->registers[reg].type != m_.function->registers[to].type) continue;
            d_.root[to] = reg;
            m_.instructions[i].fate = Fate::removed;
            return;
        }
        if (m_.ir(i).guard == ir::none) known.push_back({i, to});
    }
    static bool stays(ir::SpecialRegister which) {
        using S = ir::SpecialRegister;
        switch (which) {
            case S::tid:
            case S::ctaid:
            case S::laneid:
            case S::lanemask_eq:
            case S::lanemask_le:
            case S::lanemask_lt:
            case S::lanemask_ge:
            case S::lanemask_gt:
            case S::clusterid:
            case S::cluster_ctaid:
            case S::cluster_ctarank: return true;
            default: return false;
        }
    }

    MachineFunction& m_;
    Definitions& d_;
    ir::DominatorTree const& dominators_;
    int capability_;
    std::optional<SharedVariable> first_shared_;
    struct Known {
        std::uint32_t reader, reg;
    };
    std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<Known>>
        specials_;  // the instructions that read them
};

/// What the hardware instruction reads: looks through copies and folded instructions and leaves out constants that
/// it can name itself.
class ReadsAndWrites {
public:
    ReadsAndWrites(MachineFunction& m, Definitions const& d)
        : m_(m), d_(d), is_read_(m.function->registers.size(), false) {
        for (std::uint32_t const reg : m.reads.items) is_read_[reg] = true;
    }

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            bool const counts = m_.instructions[i].fate == Fate::issued || d_.is_joined[i];
            if (counts) {
                begin_ = m_.machine_reads.items.size();
                add_reads(i, 0);
                for (std::uint32_t const reg : m_.writes[i]) {
                    if (d_.is_held(reg) && d_.holder[reg] == reg && is_written(i, reg))
                        m_.machine_writes.items.push_back(reg);
                }
            } else if (d_.is_kept_constant[i]) {
                for (std::uint32_t const reg : m_.writes[i]) {
                    if (d_.is_held(reg)) m_.machine_writes.items.push_back(reg);
                }
            }
            m_.machine_reads.end_list();
            m_.machine_writes.end_list();
        }
    }

private:
    /// Textures leave out what nothing reads.
    bool is_written(std::uint32_t i, std::uint32_t reg) const {
        return is_read_[reg] || ir::effect(*m_.module, m_.ir(i)) != isa::Effect::texture_fetch;
    }
    void add_reads(std::uint32_t i, int depth) {
        for (std::uint32_t const reg : m_.reads[i]) {
            std::uint32_t const root = d_.holder[d_.root[reg]];
            std::uint32_t const maker = d_.only_definition[root];
            if (maker != ir::none && m_.instructions[maker].fate == Fate::folded && depth < 8) {
                add_reads(maker, depth + 1);
                continue;
            }
            auto& items = m_.machine_reads.items;
            bool const is_there =
                std::find(items.begin() + static_cast<std::ptrdiff_t>(begin_), items.end(), root) != items.end();
            if (!d_.is_held(root) || is_there) continue;
            items.push_back(root);
            if (d_.is_upper[root]) add_reads(maker, depth + 1);
        }
    }

    MachineFunction& m_;
    Definitions const& d_;
    std::vector<bool> is_read_;  // per register
    std::size_t begin_ = 0;
};

}  // namespace

bool is_constant_operand(MachineFunction const& m, std::vector<std::uint32_t> const& only_definition,
                         std::uint32_t i) {
    auto const o = m.operands(i);
    if (o.empty() || o.back().kind != Kind::address) return false;
    ir::Form const& form = m.form(i);
    ir::Operand const& from = o.back();
    if (form.space == ir::StateSpace::constant) {
        // Narrow ones are loaded.
        if (from.base != ir::Operand::AddressBase::module_variable || isa::width(form.types[0]) < 32) return false;
        if (form.order != isa::Order::weak || form.has(isa::Modifier::volatile_)) return false;
    } else {
        auto const& parameters = m.function->parameters;
        if (!m.function->is_entry || from.base != ir::Operand::AddressBase::function_variable) return false;
        if (std::find(parameters.begin(), parameters.end(), from.index) == parameters.end()) return false;
    }
    auto const writes = m.writes[i];
    return std::all_of(writes.begin(), writes.end(), [&](std::uint32_t reg) { return only_definition[reg] == i; });
}

bool is_fixed_at_launch(ir::SpecialRegister which) {
    using S = ir::SpecialRegister;
    return which == S::ntid || which == S::nctaid || which == S::nsmid || which == S::gridid ||
           which == S::cluster_nctaid || which == S::cluster_nctarank || which == S::dynamic_smem_size ||
           which == S::total_smem_size;
}

Definitions find_definitions(MachineFunction const& m) {
    std::size_t const registers = m.function->registers.size();
    Definitions d;
    d.count.assign(registers, 0);
    d.only_definition.assign(registers, ir::none);
    d.root.resize(registers);
    d.constant.assign(registers, Constant::none);
    d.is_needed.assign(registers, false);
    d.is_parameter.assign(registers, false);
    d.is_joined.assign(m.instructions.size(), false);
    d.is_kept_constant.assign(m.instructions.size(), false);
    for (std::uint32_t r = 0; r < registers; ++r) d.root[r] = r;
    d.beyond_root.assign(registers, 0);
    d.holder = d.root;
    d.is_half.assign(registers, false);
    d.is_upper = d.is_half;
    for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
        bool const is_register =
            p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p];
        if (is_register) ++d.count[m.function->parameters[p]];
    }
    for (std::uint32_t const reg : m.writes.items) ++d.count[reg];
    for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
        bool const is_register =
            p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p];
        if (is_register) d.is_parameter[m.function->parameters[p]] = d.count[m.function->parameters[p]] == 1;
    }
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (m.keeps_old(i)) continue;
        for (std::uint32_t const reg : m.writes[i]) {
            if (d.count[reg] == 1) d.only_definition[reg] = i;
        }
    }
    // Where registers with several definitions change, in order.
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        for (std::uint32_t const reg : m.writes[i]) {
            if (d.count[reg] > 1) d.changes.push_back({reg, i});
        }
    }
    std::sort(d.changes.begin(), d.changes.end());
    return d;
}

bool Definitions::changes_between(std::uint32_t reg, std::uint32_t from, std::uint32_t to) const {
    if (count[reg] <= 1) return false;
    auto const next = std::upper_bound(changes.begin(), changes.end(), std::pair(reg, from));
    return next != changes.end() && next->first == reg && next->second < to;
}

void clean_up(MachineFunction& m, std::vector<UnrolledLoop> const& loops, ir::DominatorTree const& dominators,
              int capability) {
    Definitions d = find_definitions(m);
    remove_dead_code(m, d);
    Copies(m, d, dominators, capability).run();
    share_registers(m, d, capability);
    join_rounds(m, d, loops);
    if (join_common_values(m, d, dominators)) remove_dead_code(m, d);
    join_apart_addresses(m, d, dominators, capability);
    share_reciprocals(m, d, dominators);
    Halves halves(m);
    halves.find(m, d);
    fold(m, d, capability);
    make_choices(m, d);
    halves.keep(m, d);
    scale_addresses(m, d, capability);
    count_texture_operands(m, d, capability);
    keep_constants(m, d, dominators, capability);
    ReadsAndWrites(m, d).run();
    m.root = std::move(d.root);
    m.beyond_root = std::move(d.beyond_root);
    m.is_half = std::move(d.is_half);
    m.only_definition = std::move(d.only_definition);
}

}  // namespace warpsim::timing
