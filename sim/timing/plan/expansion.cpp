#include "sim/timing/plan/expansion.hpp"

#include "frontend/isa/effect.hpp"
#include "frontend/isa/table.hpp"
#include "sim/exec/matrix/fragment_accesses.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/folding.hpp"
#include "sim/timing/plan/fragment_addresses.hpp"
#include "sim/timing/plan/halves.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/retried_atomics.hpp"
#include "sim/timing/plan/texture_operands.hpp"

#include <algorithm>

namespace warpsim::timing {

std::string_view name(MicroUnit unit) {
    static constexpr std::string_view names[] = {"alu",     "fma",     "fp16",    "fp64",    "sfu", "tensor",
                                                 "branch",  "shuffle", "vote",    "special", "lsu", "constant",
                                                 "barrier", "fence",   "uniform", "texture"};
    return names[static_cast<std::size_t>(unit)];
}

namespace {

MicroUnit unit_of_letter(char letter) {
    switch (letter | 0x20) {
        case 'f': return MicroUnit::fma;
        case 'h': return MicroUnit::fp16;
        case 'd': return MicroUnit::fp64;
        case 's': return MicroUnit::sfu;
        case 't': return MicroUnit::tensor;
        case 'b': return MicroUnit::branch;
        case 'x': return MicroUnit::shuffle;
        case 'v': return MicroUnit::vote;
        case 'r': return MicroUnit::special;
        case 'l': return MicroUnit::lsu;
        case 'c': return MicroUnit::constant;
        case 'w': return MicroUnit::barrier;
        case 'm': return MicroUnit::fence;
        case 'y': return MicroUnit::texture;
        default: return MicroUnit::alu;
    }
}

/// MEMBAR and ERRBAR wait for the thread's own writes, from 9.0 on with one more for the cluster; CCTL invalidates
/// lines of L1 that others may have changed since. Neither is needed within a CTA.
void add_ordering(ir::Form const& form, sim::Config const& config, std::vector<MicroOp>& out) {
    if (form.scope == isa::Scope::cta || form.scope == isa::Scope::none) return;
    bool const releases =
        form.order == isa::Order::release || form.order == isa::Order::acq_rel || form.order == isa::Order::sc;
    bool const acquires =
        form.order == isa::Order::acquire || form.order == isa::Order::acq_rel || form.order == isa::Order::sc;
    int const waits = !releases ? 0 : config.compute_capability.number() >= 90 ? 3 : 2;
    for (int i = 0; i < waits + (acquires ? 1 : 0); ++i) out.push_back({MicroUnit::fence});
}

}  // namespace

void append(std::string_view letters, std::vector<MicroOp>& out) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
        out.push_back({unit_of_letter(letters[i]), i != 0 && (letters[i] & 0x20) != 0});
    }
}

void slow_integer_multiplies(sim::Config const& config, std::size_t first, std::vector<MicroOp>& out) {
    for (std::size_t i = first; i < out.size(); ++i) {
        if (out[i].unit == MicroUnit::fma)
            out[i].interval = static_cast<std::uint16_t>(config.sm.units->alu.issue_interval_cycles);
    }
}

void expansions::move(Expansion const& e) {
    auto const operands = e.operands();
    if (operands.size() < 2) return append("A", e.out);
    ir::Operand const& source = operands.back();
    if (source.kind == ir::Operand::Kind::special) {
        auto const which = static_cast<ir::SpecialRegister>(source.index);
        using S = ir::SpecialRegister;
        bool const is_clock = which == S::clock || which == S::clock64 || which == S::clock_hi;
        if (is_clock) return append("A", e.out);
        if (!is_fixed_at_launch(which)) e.out.push_back({MicroUnit::special});
        return;
    }
    // Packing and unpacking 16-bit halves permutes bytes; for 32-bit halves it is only renaming.
    int const bits = isa::width(e.form().types[0]);
    bool const packs =
        operands[0].kind == ir::Operand::Kind::vector || operands[1].kind == ir::Operand::Kind::vector;
    if (packs) return append(bits <= 32 ? "A" : "", e.out);
    append(bits > 32 ? "AA" : "A", e.out);
}

void expansions::load(Expansion const& e) {
    ir::Form const& form = e.form();
    // One load of constants (LDC) brings at most 8 bytes.
    if (form.space == isa::StateSpace::constant)
        return append(isa::width(form.types[0]) * form.vector > 64 ? "cc" : "c", e.out);
    bool const is_parameter = form.space == isa::StateSpace::param || form.space == isa::StateSpace::param_entry ||
                              form.space == isa::StateSpace::param_func;
    if (!is_parameter) return ordered_access(e);
    // Kernel parameters are operands in the constant bank; parameters of calls stay in registers.
    ir::Operand const& address = e.operands().back();
    bool const is_indexed =
        address.kind == ir::Operand::Kind::address && address.base == ir::Operand::AddressBase::reg;
    if (is_indexed) append("c", e.out);
}

void expansions::store(Expansion const& e) {
    isa::StateSpace const space = e.form().space;
    if (space == isa::StateSpace::param || space == isa::StateSpace::param_func) return;
    e.out.insert(e.out.end(), e.extensions, {MicroUnit::alu});
    ordered_access(e);
}

void expansions::ordered_access(Expansion const& e) {
    Retried const loop = retried(e.form());
    if (loop.round.empty()) {
        append("l", e.out);
    } else {
        append("B", e.out);  // where lanes that need more rounds than others part from them, and meet
        std::size_t const first = e.out.size();
        append(loop.round, e.out);
        for (std::size_t i = first; i < e.out.size(); ++i)
            if (e.out[i].unit == MicroUnit::lsu)
                e.out[i].latency = static_cast<std::uint16_t>(e.config.sm.shared.banks->load_latency_cycles);
        append("B", e.out);
    }
    add_ordering(e.form(), e.config, e.out);
}

/// Layers end at 65,535; a direction is divided by its longest component. What brings operands was counted as extensions.
void expansions::texture(Expansion const& e) {
    using isa::Modifier;
    ir::Form const& form = e.form();
    if (fetches(form)) {
        bool const is_layered = form.has(Modifier::a1d) || form.has(Modifier::a2d) || form.has(Modifier::acube);
        if (is_layered) append("Aa", e.out);
        if (form.has(Modifier::cube) || form.has(Modifier::acube)) append("AasfFF", e.out);
    }
    e.out.insert(e.out.end(), e.extensions, {MicroUnit::alu});
    append("Y", e.out);
}

namespace {

/// Writes of the whole cluster are waited for (MEMBAR twice, ERRBAR, CGAERRBAR).
constexpr std::string_view release_to_cluster = "MMMM";
/// Lines of L1 that others in it may have changed are dropped (CCTL).
constexpr std::string_view acquire_of_cluster = "M";

}  // namespace

/// Operands come from uniform registers (R2UR), an address of 64 bits from two; of loads, lanes that could have operands of their own
/// take turns (ELECT). Simplified: one lane's turn is all that there is, and takes no longer than its issue.
void expansions::bulk_copy(Expansion const& e) {
    std::size_t moves = 0;
    for (ir::Operand const& o : e.operands()) {
        if (o.kind == ir::Operand::Kind::reg) ++moves;
        if (o.kind == ir::Operand::Kind::address && o.base == ir::Operand::AddressBase::reg)
            moves += isa::width(e.function.registers[o.index].type) == 64 ? 2u : 1u;
    }
    e.out.insert(e.out.end(), moves, {MicroUnit::alu});
    bool const is_load = e.form().has(isa::Modifier::mbarrier_complete_tx_bytes);
    append(is_load ? "AVAALB" : "L", e.out);
}

void expansions::mbarrier(Expansion const& e) {
    ir::Form const& form = e.form();
    bool const is_wide = form.scope == isa::Scope::cluster;
    bool const waits = waits_at_mbarrier(form.operation);
    if (is_wide && !waits && form.order != isa::Order::relaxed) append(release_to_cluster, e.out);
    append("l", e.out);
    if (is_wide && waits && form.order != isa::Order::relaxed) append(acquire_of_cluster, e.out);
}

void expansions::cluster_barrier(Expansion const& e) {
    bool const arrives = isa::rows(isa::HostIsa::baseline)[e.form().row].effect == isa::Effect::cluster_arrive;
    if (arrives && e.form().order != isa::Order::relaxed) append(release_to_cluster, e.out);
    append("w", e.out);
    if (!arrives) append(acquire_of_cluster, e.out);
}

void expansions::fence(Expansion const& e) {
    ir::Form const& form = e.form();
    bool const orders_gpu = is_one_of(form.operation, Operation::membar, Operation::membar_proxy, Operation::fence,
                                      Operation::fence_proxy) &&
                            !is_of_cta(form);
    append(!orders_gpu ? "M" : e.config.compute_capability.number() >= 90 ? "MMMM" : "MMM", e.out);
}

/// One instruction. How long it takes is not published: as a chain of eight votes and two more would.
void expansions::match(Expansion const& e) {
    constexpr std::uint32_t chain = 8, others = 2;
    sim::UnitConfig const& vote = e.config.sm.units->vote;
    MicroOp& op = e.out.emplace_back(MicroOp{MicroUnit::vote});
    op.interval = static_cast<std::uint16_t>((chain + others) * vote.issue_interval_cycles);
    op.latency = static_cast<std::uint16_t>(chain * vote.latency_cycles + others * vote.issue_interval_cycles);
}

namespace {

void expand(Expansion const& e) {
    EffectTiming const& timing = timing_of(isa::rows(isa::HostIsa::baseline)[e.form().row].effect);
    if (timing.expand == nullptr) return append(timing.letters, e.out);
    timing.expand(e);
}

}  // namespace

std::string_view letters_of(WideProduct product) {
    switch (product) {
        case WideProduct::none: return "F";
        case WideProduct::whole: return "FFfa";
        case WideProduct::by_widened: return "FFa";
        case WideProduct::of_widened: return "Ff";
        case WideProduct::of_widened_by_number: return "AFa";
        case WideProduct::of_two_widened: break;
    }
    return "Fa";
}

void expand(ir::Module const& module, ir::Function const& function, ir::Instruction const& instruction,
            sim::Config const& config, std::vector<MicroOp>& out) {
    expand({module, function, instruction, config, out});
}

namespace {

/// One half of a result of 64 bits, or none.
void expand_half(MachineFunction const& m, std::uint32_t i, sim::Config const& config, std::vector<MicroOp>& out) {
    MachineInstruction const& instruction = m.instructions[i];
    if (instruction.halves == 0) return;
    Operation const operation = m.form(i).operation;
    bool const multiplies = instruction.takes_product || operation == Operation::mul_lo;
    std::size_t const first = out.size();
    append(multiplies ? "F" : is_one_of(operation, Operation::min, Operation::max) ? "Aaa" : "A", out);
    slow_integer_multiplies(config, first, out);
}

}  // namespace

void expand_machine(MachineFunction const& m, std::uint32_t i, sim::Config const& config,
                    std::vector<MicroOp>& out) {
    ir::Form const& form = m.form(i);
    bool const is_copy = isa::rows(isa::HostIsa::baseline)[form.row].effect == isa::Effect::convert_address;
    // This one writes a register with several definitions; all other copies are looked through.
    if (is_copy) return append(isa::width(form.types[0]) > 32 ? "AA" : "A", out);
    MachineInstruction const& instruction = m.instructions[i];
    if (instruction.is_beside) return;
    if (instruction.chosen != 0)
        return expand_machine(m, m.only_definition[m.root[m.operands(i)[instruction.chosen].index]], config, out);
    if (joins_halves(m, i) && instruction.halves == both_halves) return append("AA", out);
    if (instruction.halves != both_halves) return expand_half(m, i, config, out);
    if (!instruction.takes_product)
        return expand({*m.module, *m.function, m.ir(i), config, out, instruction.division,
                       instruction.divides_by_number, instruction.extensions, instruction.product});
    // IMAD takes 32-bit factors and 64-bit terms; the others compute in their own type.
    isa::Type const type = m.form(i).types[0];
    std::size_t const first = out.size();
    append(!isa::is_float(type)     ? letters_of(instruction.product)
           : isa::width(type) == 64 ? "D"
           : isa::width(type) == 32 ? "F"
                                    : "H",
           out);
    if (!isa::is_float(type)) slow_integer_multiplies(config, first, out);
}

/// The first access begins all. Simplified: what turns or packs halves and bytes follows at once, and takes turns of issue alone.
void expansions::fragment(Expansion const& e) {
    sim::FragmentAccesses const accesses = sim::fragment_accesses(e.form(), fragment_registers(e.operands()));
    e.out.insert(e.out.end(), accesses.count, {MicroUnit::lsu});
    e.out.insert(e.out.end(), accesses.transposes, {MicroUnit::shuffle});
    e.out.insert(e.out.end(), accesses.packed, {MicroUnit::alu});
}

}  // namespace warpsim::timing
