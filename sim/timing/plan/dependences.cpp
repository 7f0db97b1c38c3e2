#include "sim/timing/plan/dependences.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/routines.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::StateSpace;
using Kind = ir::Operand::Kind;

// How many operations back addresses are compared; older ones are assumed to overlap.
constexpr std::size_t memory_window = 24;

bool is_clock_operand(ir::Operand const& o) {
    return o.kind == Kind::special && is_clock(static_cast<ir::SpecialRegister>(o.index));
}

/// Nothing changes it while a kernel runs.
bool is_constant(ir::Form const& form) {
    return form.space == StateSpace::constant || form.space == StateSpace::param ||
           form.space == StateSpace::param_entry;
}

}  // namespace

bool orders_accesses(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& form = m.form(i);
    Effect const effect = ir::effect(*m.module, m.ir(i));
    if (effect != Effect::load && effect != Effect::store)
        return timing_of(effect).is(EffectTiming::orders_accesses);
    return form.order != isa::Order::weak || form.has(isa::Modifier::volatile_);
}

bool is_scheduling_barrier(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& form = m.form(i);
    Effect const effect = ir::effect(*m.module, m.ir(i));
    switch (effect) {
        case Effect::lanes: return m.instructions[i].micros != 0 && routine_of(form) != nullptr;
        case Effect::move: {
            auto const operands = m.operands(i);
            return std::any_of(operands.begin(), operands.end(), is_clock_operand);
        }
        case Effect::load:
        case Effect::store:
            // Arguments and results of calls stay with their call.
            if (form.space == StateSpace::param || form.space == StateSpace::param_func) {
                return m.writes[i].empty() || !m.function->is_entry ||
                       m.function->call_param_bytes > m.function->param_bytes;
            }
            return !is_one_of(form.operation, Operation::ld, Operation::ldu, Operation::st);
        case Effect::nothing: return !is_idle_branch(form);
        default: return !timing_of(effect).is(EffectTiming::moves) && !orders_accesses(m, i);
    }
}

Dependences::Dependences(MachineFunction const& m) : m_(m), states_(m.function->registers.size()) {}

std::vector<Dependence> const& Dependences::find(std::uint32_t first, std::uint32_t last) {
    ++piece_;
    found_.clear();
    readers_.clear();
    loads_.clear();
    stores_.clear();
    first_load_ = 0;
    overdue_load_ = last_in_order_ = last_fence_ = ir::none;
    since_fence_.clear();
    for (std::uint32_t i = first; i <= last; ++i) {
        bool const is_fence = orders_accesses(m_, i);
        if (is_fence) fence(i);
        else memory(i);  // before its own writes change the address register
        registers(i);
        if (m_.instructions[i].is_merged && i != last) add(i, i + 1, false);
        if (!is_fence && !timing_of(ir::effect(*m_.module, m_.ir(i))).is(EffectTiming::keeps_order)) continue;
        if (last_in_order_ != ir::none) add(last_in_order_, i, false);
        last_in_order_ = i;
    }
    return found_;
}

void Dependences::add(std::uint32_t from, std::uint32_t to, bool carries_value) {
    if (from != to) found_.push_back({from, to, carries_value});
}

Dependences::State& Dependences::state(std::uint32_t reg) {
    State& s = states_[reg];
    if (s.piece != piece_) s = {piece_, ir::none, ir::none};
    return s;
}

void Dependences::read(std::uint32_t i, std::uint32_t reg) {
    State& s = state(reg);
    if (s.writer != ir::none) add(s.writer, i, true);
    readers_.push_back({i, s.last_reader});
    s.last_reader = static_cast<std::uint32_t>(readers_.size() - 1);
}

std::uint32_t Dependences::merged_into(std::uint32_t i) const {
    while (m_.instructions[i].is_merged) ++i;
    return i;
}

/// The PTX instruction must find its values, and so must the hardware instruction: it may name the register of an equal
/// value that another instruction has computed.
void Dependences::registers(std::uint32_t i) {
    auto const reads = m_.reads[i];
    for (std::uint32_t const reg : reads) read(i, reg);
    for (std::uint32_t const reg : m_.machine_reads[i]) {
        if (std::find(reads.begin(), reads.end(), reg) == reads.end()) read(i, reg);
    }
    for (std::uint32_t const reg : m_.writes[i]) {
        State& s = state(reg);
        if (s.writer != ir::none) add(s.writer, i, false);
        for (std::uint32_t r = s.last_reader; r != ir::none; r = readers_[r].previous)
            add(readers_[r].instruction, i, false);
        s.writer = merged_into(i);
        s.last_reader = ir::none;
    }
}

Dependences::MemoryAccess Dependences::access(std::uint32_t i) {
    ir::Form const& form = m_.form(i);
    MemoryAccess a;
    a.instruction = i;
    a.space = form.space == StateSpace::shared_cluster ? StateSpace::generic : form.space;
    for (ir::Operand const& o : m_.operands(i)) {
        if (o.kind != Kind::address || o.base == ir::Operand::AddressBase::immediate) continue;
        a.begin = o.value;
        a.is_variable = o.base != ir::Operand::AddressBase::reg;
        a.base = o.index;
        // Looks through sums with constants, as long as each register has one definition.
        for (int step = 0; step < 4 && !a.is_variable; ++step) {
            a.begin += m_.beyond_root[a.base];
            a.base = m_.root[a.base];
            std::uint32_t const maker = m_.only_definition[a.base];
            if (maker == ir::none || m_.form(maker).operation != Operation::add) break;
            auto const sum = m_.operands(maker);
            if (sum.size() != 3 || sum[1].kind != Kind::reg || sum[2].kind != Kind::immediate) break;
            if (m_.only_definition[m_.root[sum[1].index]] == ir::none) break;
            a.begin += sum[2].value;
            a.base = sum[1].index;
        }
        if (!a.is_variable) a.base_writer = state(a.base).writer;
        else if (o.base == ir::Operand::AddressBase::function_variable) a.base |= 0x80000000u;
        a.has_place = true;
    }
    std::int64_t const merged = m_.instructions[i].merged_bytes;
    if (merged != 0) a.begin &= -merged;
    a.end = a.begin + (merged != 0 ? merged : std::int64_t{isa::width(form.types[0]) / 8} * form.vector);
    return a;
}

bool Dependences::is_disjoint(MemoryAccess const& a, MemoryAccess const& b) {
    if (a.space != b.space && a.space != StateSpace::generic && b.space != StateSpace::generic) return true;
    if (!a.has_place || !b.has_place || a.is_variable != b.is_variable) return false;
    if (a.base != b.base)
        return a.is_variable && a.space != StateSpace::shared;  // all dynamic shared arrays share memory
    if (!a.is_variable && a.base_writer != b.base_writer) return false;
    return a.end <= b.begin || b.end <= a.begin;
}

void Dependences::fence(std::uint32_t i) {
    if (last_fence_ != ir::none) add(last_fence_, i, false);
    for (std::uint32_t const access : since_fence_) add(access, i, false);
    last_fence_ = i;
    since_fence_.clear();
    loads_.clear();
    stores_.clear();
    first_load_ = 0;
    overdue_load_ = ir::none;
}

/// A load or store stays after the earlier stores, and before the later ones, that it may overlap.
void Dependences::memory(std::uint32_t i) {
    Effect const effect = ir::effect(*m_.module, m_.ir(i));
    if (effect != Effect::load && effect != Effect::store) return;
    ir::Form const& form = m_.form(i);
    if (effect == Effect::load && is_constant(form)) return;
    if (last_fence_ != ir::none) add(last_fence_, i, false);
    since_fence_.push_back(i);
    // Loads of what is only read pass stores.
    bool const is_read_only = effect == Effect::load && form.has(isa::Modifier::nc);
    if (m_.instructions[i].is_merged || is_read_only) return;
    MemoryAccess const a = access(i);
    behind_stores(a);
    if (effect == Effect::load) {
        loads_.push_back(a);
        if (loads_.size() - first_load_ > memory_window) {
            // The next store waits for it; a chain of dependences extends this to all later stores.
            if (overdue_load_ != ir::none) add(overdue_load_, loads_[first_load_].instruction, false);
            overdue_load_ = loads_[first_load_++].instruction;
        }
        return;
    }
    if (overdue_load_ != ir::none) add(overdue_load_, i, false);
    for (std::size_t l = first_load_; l < loads_.size(); ++l) {
        if (!is_disjoint(a, loads_[l])) add(loads_[l].instruction, i, false);
    }
    stores_.push_back(a);
    // Who waits for the last of those that are too old to be compared waits for all of them.
    std::size_t const old = stores_.size() - std::min(stores_.size(), memory_window);
    if (old > 1) add(stores_[old - 2].instruction, stores_[old - 1].instruction, false);
}

void Dependences::behind_stores(MemoryAccess const& a) {
    std::size_t const begin = stores_.size() - std::min(stores_.size(), memory_window);
    if (begin > 0) add(stores_[begin - 1].instruction, a.instruction, false);
    for (std::size_t s = begin; s < stores_.size(); ++s) {
        if (!is_disjoint(a, stores_[s])) add(stores_[s].instruction, a.instruction, false);
    }
}

}  // namespace warpsim::timing
