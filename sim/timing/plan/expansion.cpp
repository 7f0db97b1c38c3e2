#include "sim/timing/plan/expansion.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/folding.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::timing {

std::string_view name(MicroUnit unit) {
    static constexpr std::string_view names[] = {"alu",    "fma",      "fp16",    "fp64",  "sfu",
                                                 "tensor", "branch",   "shuffle", "vote",  "special",
                                                 "lsu",    "constant", "barrier", "fence", "uniform"};
    return names[static_cast<std::size_t>(unit)];
}

namespace {

using isa::Effect;
using isa::Type;
using isa::Unit;

/// Operations that take the same sequence.
struct Operations {
    constexpr Operations(Operation one) : list{one, one, one} {}
    constexpr Operations(Operation one, Operation two) : list{one, two, two} {}
    constexpr Operations(Operation one, Operation two, Operation three) : list{one, two, three} {}
    constexpr bool contain(Operation o) const { return is_one_of(o, list[0], list[1], list[2]); }

    Operation list[3];
};

/// Types that a sequence is for: those that are named, and integers and bits of a width. Without either, all.
struct Types {
    constexpr Types() = default;
    constexpr Types(Type one, Type two = Type::none) : named{one, two} {}
    constexpr Types with(Type one, Type two = Type::none) const {
        Types more(one, two);
        more.bits = bits;
        return more;
    }
    bool contain(Type type) const {
        if (named[0] == Type::none && bits == 0) return true;
        if (type != Type::none && (type == named[0] || type == named[1])) return true;
        return bits != 0 && (isa::is_integer(type) || isa::is_untyped(type)) && isa::width(type) == bits;
    }

    Type named[2]{Type::none, Type::none};
    int bits = 0;
};
constexpr Types of_bits(int bits) {
    Types types;
    types.bits = bits;
    return types;
}

/// What an instruction must have for a sequence.
enum Needs : std::uint8_t {
    nothing = 0,
    constant = 1,  // the operands from the third on are immediate
    ftz = 2,
    approx = 4,
    sat = 8,
};

/// A sequence as letters: a alu, f fma, h fp16, d fp64, s sfu, b branch, v vote. Small: needs the result of the
/// one before; capital: does not.
struct Sequence {
    Operations operations;
    Types types;
    int needs;
    std::string_view letters;
};

using O = Operation;
using T = Type;
constexpr Types any, bits16 = of_bits(16), bits32 = of_bits(32), bits64 = of_bits(64);

// As many, and of the units, as ptxas 13.0 takes on the usual way, around branches to what is rare
// (tests/timing/sass_operations.txt). The first line that fits is taken.
// clang-format off
constexpr Sequence sequences[] = {
    // 64-bit integers take pairs of 32-bit operations
    {O::add, bits64, nothing, "Aa"}, {O::sub, bits64, nothing, "Aa"}, {O::neg, bits64, nothing, "Aa"},
    {O::addc, bits64, nothing, "Aa"}, {O::subc, bits64, nothing, "Aa"},
    {O::and_, bits64, nothing, "AA"}, {O::or_, bits64, nothing, "AA"}, {O::xor_, bits64, nothing, "AA"}, {O::not_, bits64, nothing, "AA"}, {O::lop3, bits64, nothing, "AA"},
    {O::shl, bits64, nothing, "AA"}, {O::shr, bits64, nothing, "AA"}, {O::setp, bits64, nothing, "Aa"}, {O::set, bits64, nothing, "Aaa"},
    {O::selp, bits64, nothing, "AA"}, {O::slct, bits64, nothing, "AaA"}, {O::min, bits64, nothing, "AaaA"}, {O::max, bits64, nothing, "AaaA"}, {O::abs, bits64, nothing, "AAfaa"},
    {O::mul_hi, T::s64, nothing, "AFFFafaFaafaaaaaa"}, {O::mul_hi, T::u64, nothing, "FffaAaf"}, {{O::mul_lo, O::mul_wide}, bits64, nothing, "FFfa"},
    {O::mad_hi, T::s64, nothing, "AFFFafaFaafaaaaaaaa"}, {O::mad_hi, T::u64, nothing, "FffaAafaa"}, {{O::mad_lo, O::mad_wide}, bits64, nothing, "FFfa"},
    {O::popc, bits64, nothing, "SSa"}, {O::clz, bits64, nothing, "SSaa"}, {O::bfind, bits64, nothing, "SSaa"},
    {O::brev, bits64, nothing, "SS"}, {O::bfe, bits64, nothing, "AAaaaa"}, {O::bfi, bits64, nothing, "AAaaaaaa"},
    // a call of a routine each
    {O::div, T::u64, nothing, "abSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafaaaaaaaaaaab"},
    {O::rem, T::u64, nothing, "abSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffaaaaaaaaab"},
    {O::div, T::s64, nothing, "abAAaaSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafafffaffafaaaaaaaaaaaaaab"},
    {O::rem, T::s64, nothing, "abAAaaSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafafffafaaaaaaaaaaab"},
    // 32-bit integers
    {O::div, {T::u32, T::u16}, constant, "SsasffffFaaaaa"}, {O::rem, {T::u32, T::u16}, constant, "Ssasaffffaaaa"},
    {O::div, {T::s32, T::s16}, constant, "SsasfffAAfAfaaaaaf"}, {O::rem, {T::s32, T::s16}, constant, "SsasaffAAffaaaaf"},
    {O::div, {T::u32, T::u16}, nothing, "SAAsasffffafafaaaa"}, {O::rem, {T::u32, T::u16}, nothing, "SFAsasaffffFaaafa"},
    {O::div, {T::s32, T::s16}, nothing, "AAssaAsAAffffFffaFaaAafa"}, {O::rem, {T::s32, T::s16}, nothing, "AAsAAsafsfaffFfaaaAfaa"},
    {O::mul24_hi, any, nothing, "AAfFaa"}, {O::mad24_hi, any, nothing, "AAfFaaf"}, {O::mul24_lo, any, nothing, "AAf"}, {O::mad24_lo, any, nothing, "AAf"},
    {O::bfe, any, constant, "Aa"}, {O::bfe, any, nothing, "FAAaaa"}, {O::bfi, any, constant, "Aa"}, {O::bfi, any, nothing, "AAAaaa"},
    {O::clz, any, nothing, "Sa"}, {O::popc, any, nothing, "S"}, {O::bfind, any, nothing, "S"}, {O::brev, any, nothing, "S"},
    {O::fns, any, nothing, "FAaasSaaAassAasaafaasaafaafaaafaaaaa"},
    {O::sad, any, nothing, "A"}, {O::cnot, any, nothing, "Aaf"}, {O::copysign, T::f64, nothing, "A"}, {O::abs, {T::s32, T::s16}, nothing, "A"}, {O::slct, any, nothing, "Aa"},
    {O::setp, bits16, nothing, "Aa"}, {O::add, T::s32, sat, "FAAaa"}, {O::sub, T::s32, sat, "FAAaa"},
    {O::dp4a, any, nothing, "F"}, {{O::dp2a_lo, O::dp2a_hi}, any, nothing, "F"}, {{O::mul_lo, O::mul_hi, O::mul_wide}, bits32.with(T::s16, T::u16), nothing, "F"}, {O::mad_hi, bits32, nothing, "Af"}, {{O::mad_lo, O::mad_hi, O::mad_wide}, bits32.with(T::s16, T::u16), nothing, "F"},
    {{O::madc_lo, O::madc_hi}, any, nothing, "Fa"}, {O::vabsdiff, any, nothing, "AAaaaaf"},
    // functions of f32; without .ftz an approximation's argument is scaled before and after
    {O::div, T::f32, approx | ftz, "Sf"}, {O::div, T::f32, approx, "FAasff"}, {O::div_full, T::f32, ftz, "FAasff"},
    {O::div_full, T::f32, nothing, "AFAaffsff"}, {O::div, T::f32, nothing, "SSfffffb"},
    {O::rcp, T::f32, approx | ftz, "S"}, {O::rcp, T::f32, approx, "FAAaafsf"}, {O::rcp, T::f32, nothing, "Aaabsfff"},
    {O::sqrt, T::f32, approx | ftz, "S"}, {O::sqrt, T::f32, approx, "Afsf"}, {O::sqrt, T::f32, nothing, "ASabfFff"},
    {O::rsqrt, T::f32, ftz, "S"}, {O::rsqrt, T::f32, nothing, "Afsf"}, {O::sin, any, nothing, "Fs"}, {O::cos, any, nothing, "Fs"},
    {O::ex2, T::f32, ftz, "S"}, {O::ex2, T::f32, nothing, "Afsf"}, {O::lg2, T::f32, ftz, "S"}, {O::lg2, T::f32, nothing, "Afsf"},
    {O::tanh, any, nothing, "S"}, {O::testp, any, nothing, "Aa"},
    // f64
    {O::rcp, T::f64, approx, "S"}, {O::rsqrt, T::f64, ftz, "S"},
    {O::div, T::f64, nothing, "ASAddddddddfab"}, {O::rcp, T::f64, nothing, "SAAdddddb"}, {O::sqrt, T::f64, nothing, "AASaAddddddadadb"},
    {O::rsqrt, T::f64, nothing, "AAASaAdddddb"}, {O::min, T::f64, nothing, "ADaaaaaa"}, {O::max, T::f64, nothing, "ADaaaaaa"}, {O::setp, T::f64, nothing, "D"},
    {O::abs, T::f64, nothing, "D"}, {O::neg, T::f64, nothing, "D"},
    {O::selp, {T::f64, T::b64}, nothing, "AA"},
};
// clang-format on

bool fits(Sequence const& s, ir::Form const& form, bool is_constant) {
    if (!s.operations.contain(form.operation)) return false;
    int const has = (is_constant ? constant : 0) | (form.ftz ? ftz : 0) |
                    (form.has(isa::Modifier::approx) ? approx : 0) | (form.has(isa::Modifier::sat) ? sat : 0);
    if ((s.needs & ~has) != 0) return false;
    // set names the destination's type first; what is compared decides.
    return s.types.contain(form.operation == Operation::set ? form.types[1] : form.types[0]);
}

MicroUnit unit_of_letter(char letter) {
    switch (letter | 0x20) {
        case 'f': return MicroUnit::fma;
        case 'h': return MicroUnit::fp16;
        case 'd': return MicroUnit::fp64;
        case 's': return MicroUnit::sfu;
        case 'b': return MicroUnit::branch;
        case 'v': return MicroUnit::vote;
        default: return MicroUnit::alu;
    }
}

void append(std::string_view letters, std::vector<MicroOp>& out) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
        out.push_back({unit_of_letter(letters[i]), i != 0 && (letters[i] & 0x20) != 0, 0});
    }
}

/// Where the fma unit has twice the lanes of the integer one (8.6 and later), only half of them multiply integers:
/// those issue as seldom as additions (CPG, arithmetic throughput). Simplified: meanwhile the other half is idle.
void slow_integer_multiplies(sim::Config const& config, std::size_t first, std::vector<MicroOp>& out) {
    for (std::size_t i = first; i < out.size(); ++i) {
        if (out[i].unit == MicroUnit::fma)
            out[i].interval = static_cast<std::uint16_t>(config.sm.units->alu.issue_interval_cycles);
    }
}

/// Conversions by what they turn into what: integers are moved or shifted, everything else goes to the slow unit,
/// but f16 to f32, which is an addition of zero.
void expand_conversion(ir::Form const& form, std::vector<MicroOp>& out) {
    Type const to = form.types[0], from = form.types[1];
    bool const to_float = isa::is_float(to), from_float = isa::is_float(from);
    if (!to_float && !from_float)
        return append(isa::width(to) == 64 && isa::width(from) < 64 && isa::is_signed(from) ? "A"
                      : isa::width(to) < 32                                                 ? "A"
                      : form.sat                                                            ? "Aa"
                      : isa::width(to) > isa::width(from)                                   ? "A"
                                                                                            : "",
                      out);
    if (to == Type::f32 && (from == Type::f16 || from == Type::bf16)) return append("H", out);
    append("S", out);
}

/// Fused multiply-adds of one matrix instruction, from its shape .mAnBkC.
std::uint64_t shape_fmas(ir::Form const& form) {
    for (isa::Modifier const written : form.modifiers) {
        std::string_view const modifier = isa::name(written);
        if (modifier.size() < 6 || modifier[1] != 'm' || modifier.find('n') == std::string_view::npos) continue;
        std::uint64_t product = 1;
        for (char const* p = modifier.data() + 1; p < modifier.data() + modifier.size();) {
            if (*p < '0' || *p > '9') {
                ++p;
                continue;
            }
            std::uint32_t value = 0;
            p = std::from_chars(p, modifier.data() + modifier.size(), value).ptr;
            product *= value;
        }
        return product;
    }
    return 0;
}

void expand_matrix(ir::Form const& form, sim::Config const& config, std::vector<MicroOp>& out) {
    std::uint64_t const fmas = shape_fmas(form);
    std::uint64_t rate = 0;  // per SM and cycle
    if (config.sm.units->tensor) {
        sim::TensorConfig const& t = *config.sm.units->tensor;
        Type const type = form.types[1] == Type::none ? form.types[0] : form.types[1];
        rate = type == Type::f64       ? t.fp64_fma_per_cycle
               : type == Type::tf32    ? t.tf32_fma_per_cycle
               : isa::is_integer(type) ? t.int8_fma_per_cycle
                                       : t.fp16_fma_per_cycle;
        rate = rate * t.warp_mma_percent / 100 / std::max(config.sm.sub_cores, 1u);
    }
    MicroOp op{MicroUnit::tensor, false, 0};
    if (rate != 0 && fmas != 0)
        op.interval = static_cast<std::uint16_t>(std::min<std::uint64_t>((fmas + rate - 1) / rate, 4096));
    out.push_back(op);
}

void expand_move(ir::Function const& function, ir::Instruction const& instruction, ir::Form const& form,
                 std::vector<MicroOp>& out) {
    auto const operands = function.operands_of(instruction);
    if (operands.size() < 2) return append("A", out);
    ir::Operand const& source = operands.back();
    if (source.kind == ir::Operand::Kind::special) {
        auto const which = static_cast<ir::SpecialRegister>(source.index);
        using S = ir::SpecialRegister;
        bool const is_clock = which == S::clock || which == S::clock64 || which == S::clock_hi;
        if (is_clock) return append("A", out);
        if (!is_fixed_at_launch(which)) out.push_back({MicroUnit::special, false, 0});
        return;
    }
    // Packing and unpacking of 16-bit halves is a permutation of bytes; of 32-bit ones renaming.
    bool const packs =
        operands[0].kind == ir::Operand::Kind::vector || operands[1].kind == ir::Operand::Kind::vector;
    if (packs) return append(isa::width(form.types[0]) <= 32 ? "A" : "", out);
    append(isa::width(form.types[0]) > 32 ? "AA" : "A", out);
}

void expand_lanes(isa::Row const& row, ir::Form const& form, std::span<ir::Operand const> operands,
                  std::vector<MicroOp>& out) {
    if (is_conversion(form.operation)) return expand_conversion(form, out);
    // What the places and lengths of bit fields are, and a divisor.
    auto const is_immediate = [](ir::Operand const& o) { return o.kind == ir::Operand::Kind::immediate; };
    std::size_t const first = form.operation == Operation::bfi ? 3 : 2;
    bool const is_constant =
        operands.size() > first &&
        std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end(), is_immediate);
    for (Sequence const& s : sequences) {
        if (fits(s, form, is_constant)) return append(s.letters, out);
    }
    bool const is_compare =
        is_one_of(form.operation, Operation::setp, Operation::set, Operation::selp, Operation::min, Operation::max,
                  Operation::abs, Operation::neg, Operation::slct);
    Type const type = form.types[0];
    if (is_compare && type == Type::f32) return append("A", out);
    switch (row.unit) {
        case Unit::fma: return append("F", out);
        case Unit::fp16: return append("H", out);
        case Unit::fp64: return append("D", out);
        case Unit::sfu: return append("S", out);
        default: return append("A", out);
    }
}

}  // namespace

bool goes_on_beside(Effect effect) {
    switch (effect) {
        case Effect::mbarrier:
        case Effect::cluster_arrive:
        case Effect::cluster_wait:
        case Effect::copy_async:
        case Effect::copy_bulk:
        case Effect::commit_copies:
        case Effect::wait_copies:
        case Effect::arrive_copies:
        case Effect::store_async:
        case Effect::reduce_async:
        case Effect::cancel_launch: return true;
        default: return false;
    }
}

namespace {

/// Waiting for the thread's own writes is MEMBAR and ERRBAR, from 9.0 on with one for the cluster; giving up lines
/// of the L1 that others may have changed since is CCTL. Inside a CTA neither is needed.
void add_ordering(ir::Form const& form, sim::Config const& config, std::vector<MicroOp>& out) {
    if (form.scope == isa::Scope::cta || form.scope == isa::Scope::none) return;
    bool const releases =
        form.order == isa::Order::release || form.order == isa::Order::acq_rel || form.order == isa::Order::sc;
    bool const acquires =
        form.order == isa::Order::acquire || form.order == isa::Order::acq_rel || form.order == isa::Order::sc;
    int const waits = !releases ? 0 : config.compute_capability.number() >= 90 ? 3 : 2;
    for (int i = 0; i < waits + (acquires ? 1 : 0); ++i) out.push_back({MicroUnit::fence, false, 0});
}

void expand_fence(ir::Form const& form, sim::Config const& config, std::vector<MicroOp>& out) {
    bool const is_cta = form.scope == isa::Scope::cta || form.has(isa::Modifier::cta);
    bool const orders_gpu = is_one_of(form.operation, Operation::membar, Operation::membar_proxy, Operation::fence,
                                      Operation::fence_proxy) &&
                            !is_cta;
    int const count = !orders_gpu ? 1 : config.compute_capability.number() >= 90 ? 4 : 3;
    for (int i = 0; i < count; ++i) out.push_back({MicroUnit::fence, false, 0});
}

}  // namespace

void expand(ir::Module const& module, ir::Function const& function, ir::Instruction const& instruction,
            sim::Config const& config, std::vector<MicroOp>& out) {
    ir::Form const& form = module.forms[instruction.form];
    isa::Row const& row = isa::rows(isa::HostIsa::baseline)[form.row];
    auto const one = [&](MicroUnit unit) { out.push_back({unit, false, 0}); };
    switch (row.effect) {
        case Effect::move: return expand_move(function, instruction, form, out);
        case Effect::load:
            if (form.space == isa::StateSpace::constant) return one(MicroUnit::constant);
            if (form.space == isa::StateSpace::param || form.space == isa::StateSpace::param_entry ||
                form.space == isa::StateSpace::param_func) {
                // Parameters of kernels are operands in the constant bank; those of calls stay in registers.
                bool const is_indexed =
                    function.operands_of(instruction).back().kind == ir::Operand::Kind::address &&
                    function.operands_of(instruction).back().base == ir::Operand::AddressBase::reg;
                if (is_indexed) one(MicroUnit::constant);
                return;
            }
            one(MicroUnit::lsu);
            return add_ordering(form, config, out);
        case Effect::store:
            if (form.space == isa::StateSpace::param || form.space == isa::StateSpace::param_func) return;
            one(MicroUnit::lsu);
            return add_ordering(form, config, out);
        case Effect::bulk_store:
        case Effect::mbarrier:
        case Effect::copy_async:
        case Effect::copy_bulk:
        case Effect::commit_copies:
        case Effect::wait_copies:
        case Effect::arrive_copies:
        case Effect::store_async:
        case Effect::reduce_async:
        case Effect::cancel_launch: return one(MicroUnit::lsu);
        case Effect::atomic:
        case Effect::reduction:
        case Effect::copy_tensormap: one(MicroUnit::lsu); return add_ordering(form, config, out);
        case Effect::convert_address:
        case Effect::nothing:
        case Effect::prefetch:
        case Effect::breakpoint: return;
        case Effect::create_policy: return append("A", out);
        case Effect::branch:
        case Effect::branch_indexed:
        case Effect::call:
        case Effect::ret:
        case Effect::exit:
        case Effect::trap:
        case Effect::nanosleep: return one(MicroUnit::branch);
        case Effect::barrier:
        case Effect::cluster_arrive:
        case Effect::cluster_wait: return one(MicroUnit::barrier);
        case Effect::barrier_warp:
        case Effect::vote:
        case Effect::active_mask:
        case Effect::elect: return one(MicroUnit::vote);
        case Effect::match: return append("VvvvvvvvVV", out);
        case Effect::reduce_warp: return append("Sa", out);
        case Effect::fence: return expand_fence(form, config, out);
        case Effect::shuffle: return one(MicroUnit::shuffle);
        default: break;
    }
    if (row.unit == Unit::tensor) return expand_matrix(form, config, out);
    std::size_t const first = out.size();
    expand_lanes(row, form, function.operands_of(instruction), out);
    if (!isa::is_float(form.types[0]) && !is_conversion(form.operation))
        slow_integer_multiplies(config, first, out);
}

void expand_machine(MachineFunction const& m, std::uint32_t i, sim::Config const& config,
                    std::vector<MicroOp>& out) {
    ir::Form const& form = m.form(i);
    bool const is_copy = isa::rows(isa::HostIsa::baseline)[form.row].effect == Effect::convert_address;
    // Into a register with several writers; the others are looked through.
    if (is_copy) return append(isa::width(form.types[0]) > 32 ? "AA" : "A", out);
    if (!m.instructions[i].takes_product) return expand(*m.module, *m.function, m.ir(i), config, out);
    // IMAD takes 32-bit factors and 64-bit terms; FFMA and its kin what they are for.
    Type const type = m.form(i).types[0];
    std::size_t const first = out.size();
    append(!isa::is_float(type) ? "F" : isa::width(type) == 64 ? "D" : isa::width(type) == 32 ? "F" : "H", out);
    if (!isa::is_float(type)) slow_integer_multiplies(config, first, out);
}

}  // namespace warpsim::timing
