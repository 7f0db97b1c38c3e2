// Arithmetic as micro-ops: sequences of operations, conversions, products of matrices.
#include "sim/timing/plan/expansion.hpp"

#include "frontend/isa/product_shape.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>

namespace warpsim::timing {

namespace {

using isa::Type;
using isa::Unit;

/// Operations with the same sequence.
struct Operations {
    constexpr Operations(Operation one) : list{one, one, one} {}
    constexpr Operations(Operation one, Operation two) : list{one, two, two} {}
    constexpr Operations(Operation one, Operation two, Operation three) : list{one, two, three} {}
    constexpr bool contain(Operation o) const { return is_one_of(o, list[0], list[1], list[2]); }

    Operation list[3];
};

/// The types that a sequence applies to: those that are named, and integers and bits of a width. Without either,
/// all.
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

/// What an instruction must have for a sequence to apply.
enum Needs : std::uint8_t {
    nothing = 0,
    constant = 1,  // the operands from the third on are immediate
    ftz = 2,
    approx = 4,
    sat = 8,
    reciprocal_made = 16,
    quotient_made = 32,
};

/// A sequence as letters of append().
struct Sequence {
    Operations operations;
    Types types;
    int needs;
    std::string_view letters;
};

using O = Operation;
using T = Type;
constexpr Types any, bits16 = of_bits(16), bits32 = of_bits(32), bits64 = of_bits(64);

// As many micro-ops, on the same units, as ptxas 13.0 generates for the usual path, which branches around rare
// cases (tests/timing/sass_operations.txt). The first line that matches applies.
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
    // each a call of a routine
    {O::div, T::u64, nothing, "abSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafaaaaaaaaaaab"},
    {O::rem, T::u64, nothing, "abSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffaaaaaaaaab"},
    {O::div, T::s64, nothing, "abAAaaSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafafffaffafaaaaaaaaaaaaaab"},
    {O::rem, T::s64, nothing, "abAAaaSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafafffafaaaaaaaaaaab"},
    // 32-bit integers
    {{O::div, O::rem}, {T::u32, T::u16}, constant | quotient_made, "Aa"}, {{O::div, O::rem}, {T::u32, T::u16}, quotient_made, "Aaaaa"},
    {{O::div, O::rem}, {T::s32, T::s16}, constant | quotient_made, "Aaaaa"}, {{O::div, O::rem}, {T::s32, T::s16}, quotient_made, "AaaaaAaaa"},
    {O::div, {T::u32, T::u16}, constant | reciprocal_made, "Fafaaaa"}, {O::rem, {T::u32, T::u16}, constant | reciprocal_made, "Fafaaa"},
    {O::div, {T::s32, T::s16}, constant | reciprocal_made, "AfAAffafAaaf"}, {O::rem, {T::s32, T::s16}, constant | reciprocal_made, "AfffafafAaa"},
    {O::div, {T::u32, T::u16}, constant, "SsasffffFaaaaa"}, {O::rem, {T::u32, T::u16}, constant, "Ssasaffffaaaa"},
    {O::div, {T::s32, T::s16}, constant, "SsasfffAAfAfaaaaaf"}, {O::rem, {T::s32, T::s16}, constant, "SsasaffAAffaaaaf"},
    {O::div, {T::u32, T::u16}, reciprocal_made, "FafafAaaa"}, {O::rem, {T::u32, T::u16}, reciprocal_made, "Fafafaaa"},
    {O::div, {T::s32, T::s16}, reciprocal_made, "AfAAffafAaafa"}, {O::rem, {T::s32, T::s16}, reciprocal_made, "AfffafafAaa"},
    {O::div, {T::u32, T::u16}, nothing, "SAAsasffffafafaaaa"}, {O::rem, {T::u32, T::u16}, nothing, "SFAsasaffffFaaafa"},
    {O::div, {T::s32, T::s16}, nothing, "AAssaAsAAffffFffaFaaAafa"}, {O::rem, {T::s32, T::s16}, nothing, "AAsAAsafsfaffFfaaaAfaa"},
    {O::mul24_hi, any, nothing, "AAfFaa"}, {O::mad24_hi, any, nothing, "AAfFaaf"}, {O::mul24_lo, any, nothing, "AAf"}, {O::mad24_lo, any, nothing, "AAf"},
    {O::bfe, any, constant, "Aa"}, {O::bfe, any, nothing, "FAAaaa"}, {O::bfi, any, constant, "Aa"}, {O::bfi, any, nothing, "AAAaaa"},
    {O::clz, any, nothing, "Sa"}, {O::popc, any, nothing, "S"}, {O::bfind, any, nothing, "S"}, {O::brev, any, nothing, "S"},
    {O::fns, any, nothing, "FAaasSaaAassAasaafaasaafaafaaafaaaaa"},
    {O::sad, any, nothing, "A"}, {O::cnot, any, nothing, "Aaf"}, {O::copysign, T::f64, nothing, "A"}, {O::abs, {T::s32, T::s16}, nothing, "A"}, {O::slct, any, nothing, "Aa"},
    {O::add, T::s32, sat, "FAAaa"}, {O::sub, T::s32, sat, "FAAaa"},
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

bool fits(Sequence const& s, ir::Form const& form, bool is_constant, Division division) {
    if (!s.operations.contain(form.operation)) return false;
    int const has = (is_constant ? constant : 0) |
                    (division == Division::by_known_reciprocal ? reciprocal_made : 0) |
                    (division == Division::of_known_quotient ? quotient_made : 0) | (form.ftz ? ftz : 0) |
                    (form.has(isa::Modifier::approx) ? approx : 0) | (form.has(isa::Modifier::sat) ? sat : 0);
    if ((s.needs & ~has) != 0) return false;
    // set names the type of its destination first; the type that it compares decides.
    return s.types.contain(form.operation == Operation::set ? form.types[1] : form.types[0]);
}

bool is_narrow_float(Type type) { return isa::is_float(type) && isa::width(type) <= 32 && type != Type::f32; }

/// By the kind of conversion: between integers it is a move or a shift; everything else uses the slow unit, except
/// f16 to f32, and limits of f32, which are additions of zero, from 8.0 on narrow floats (F2FP), and from 8.6 on integers of 32 bits that
/// become f32 (I2FP).
void expand_conversion(ir::Form const& form, int capability, std::vector<MicroOp>& out) {
    Type const to = form.types[0], from = form.types[1];
    bool const to_float = isa::is_float(to), from_float = isa::is_float(from);
    if (!to_float && !from_float)
        return append(isa::width(to) == 64 && isa::width(from) < 64 && isa::is_signed(from) ? "A"
                      : isa::width(to) == 16 && isa::width(from) == 64                      ? ""
                      : isa::width(to) < 32                                                 ? "A"
                      : form.sat                                                            ? "Aa"
                      : isa::width(to) > isa::width(from)                                   ? "A"
                                                                                            : "",
                      out);
    if (to == Type::f32 && from == Type::f16) return append("H", out);
    if (to == Type::f32 && from == Type::bf16) return append("A", out);
    if (to == Type::tf32 && form.rounding == isa::Rounding::rna) return append("Aa", out);
    bool const is_between_narrow = is_narrow_float(to) && (from == Type::f32 || is_narrow_float(from));
    if (capability >= 80 && is_between_narrow) return append("A", out);
    if (capability >= 86 && to == Type::f32 && !from_float && isa::width(from) == 32) return append("A", out);
    if (to == Type::f32 && from == Type::f32 && form.rounding == isa::Rounding::none) return append("F", out);
    append("S", out);
}

bool is_of_warpgroup(ir::Form const& form) { return form.operation == Operation::wgmma_mma_async; }

/// The fused multiply-adds of one warp of a matrix instruction, from its shape .m16n8k16. Half of a sparse matrix is not
/// there.
std::uint64_t multiply_adds(ir::Form const& form) {
    auto const shape = isa::product_shape(form.modifiers).value_or(isa::ProductShape{});
    std::uint64_t const product = std::uint64_t{shape.m} * shape.n * shape.k;
    bool const is_sparse = form.has(isa::Modifier::sp) || form.has(isa::Modifier::sp_ordered_metadata);
    bool const has_four =
        form.has(isa::Modifier::m8n8k4) && form.types[1] == Type::f16;  // one for each eight lanes
    return product * (has_four ? 4 : 1) / (is_sparse ? 2 : 1) / (is_of_warpgroup(form) ? 4 : 1);
}

/// Multiply-adds of one SM and cycle for this type of factors; 0: the unit does not have it.
std::uint64_t tensor_rate(sim::TensorConfig const& t, Type type, bool is_packed, bool has_warpgroup) {
    auto const first = [](std::initializer_list<std::uint32_t> rates) {
        for (std::uint32_t const rate : rates)
            if (rate != 0) return rate;
        return 0u;
    };
    switch (type) {
        case Type::f64: return t.fp64_fma_per_cycle;
        case Type::tf32: return t.tf32_fma_per_cycle;
        case Type::f16:
        case Type::bf16: return t.fp16_fma_per_cycle;
        case Type::b1: return first({t.int1_fma_per_cycle, t.int4_fma_per_cycle, t.int8_fma_per_cycle});
        case Type::s4:
        case Type::u4: return first({t.int4_fma_per_cycle, t.int8_fma_per_cycle});
        case Type::s8:
        case Type::u8: return t.int8_fma_per_cycle;
        default: break;
    }
    if (has_warpgroup && t.warpgroup_fp8_fma_per_cycle != 0) return t.warpgroup_fp8_fma_per_cycle;
    return is_packed ? first({t.fp4_fma_per_cycle, t.fp8_fma_per_cycle, t.fp16_fma_per_cycle})
                     : first({t.fp8_fma_per_cycle, t.fp16_fma_per_cycle});
}

/// wmma leaves out the types of a and b if they are f16.
Type factor_type(ir::Form const& form) { return form.types[2] == Type::none ? Type::f16 : form.types[1]; }

bool is_packed(ir::Form const& form) {
    return form.has(isa::Modifier::kind_mxf4) || form.has(isa::Modifier::kind_mxf4nvf4);
}

/// How many instructions of the hardware make one product of a warp, as ptxas 13.0 divides it: 7.0 has products of 8 x 8 x 4 for each
/// eight lanes, in steps; 7.5 of 16 x 8 x 8 halves and of 8 x 8 bytes, nibbles or bits; from 8.0 on each mma is one, and wmma takes two
/// halves of 16 x 8, of tf32 only four deep.
std::uint64_t products(ir::Form const& form, int capability) {
    Type const type = factor_type(form);
    std::uint64_t const fmas = multiply_adds(form);
    auto const shape = isa::product_shape(form.modifiers).value_or(isa::ProductShape{});
    std::uint64_t of_one = fmas;
    if (type == Type::f16 && (capability < 75 || (capability < 80 && form.has(isa::Modifier::m8n8k4))))
        of_one = form.types[0] == Type::f32 ? 256 : 512;
    else if (capability < 80)
        of_one = type == Type::f16 ? std::uint64_t{16} * 8 * 8 : std::uint64_t{8} * 8 * shape.k;
    else if (type == Type::f64 && capability >= 100) of_one = std::uint64_t{8} * 8 * 4;
    else if (form.operation == Operation::wmma_mma)
        of_one = std::uint64_t{16} * 8 * (type == Type::tf32 ? 4 : shape.k);
    return std::max<std::uint64_t>(fmas / of_one, 1);
}

/// Cycles that a sub-core's tensor unit is busy with so many multiply-adds. What the unit does not have, other units do,
/// 32 at once.
std::uint64_t tensor_cycles(sim::Config const& config, ir::Form const& form, Type type, std::uint64_t fmas) {
    sim::UnitsConfig const& units = *config.sm.units;
    std::uint64_t rate = 0;
    if (units.tensor) {
        sim::TensorConfig const& t = *units.tensor;
        std::uint32_t const percent = is_of_warpgroup(form) ? 100 : t.warp_mma_percent;
        rate = tensor_rate(t, type, is_packed(form), is_of_warpgroup(form)) * percent / 100 /
               std::max(config.sm.sub_cores, 1u);
        bool const is_narrow = isa::is_float(type) && type != Type::f64 && type != Type::tf32;
        if (is_narrow && form.types[0] == Type::f32) rate = rate * t.f32_sum_percent / 100;
    }
    if (rate != 0) return (fmas + rate - 1) / rate;
    sim::UnitConfig const& other = type == Type::f64 ? units.fp64 : units.fma;
    return fmas / 32 * std::max(other.issue_interval_cycles, 1u);
}

/// Cycles that the banks of shared memory take for the operands of a warpgroup's product: b once for its four warps, and a
/// unless it comes from registers. LUO measures m64n8k16, n16 and n32 at 21, 38 and 63 % of the peak rate with a in shared
/// memory, and n32 with a in registers at 94 %: what 128 bytes a cycle allow, to a few percent; 144 cycles of a sparse n256
/// are the same. With a in registers n8 and n16 come every 12 cycles, no faster.
struct OperandCycles {
    std::uint64_t banks, registers, a;
};
OperandCycles operand_cycles(Expansion const& e) {
    constexpr std::uint64_t rows = 64, row_bytes = 32, least_from_registers = 12;
    bool const is_sparse = e.form().has(isa::Modifier::sp);
    std::size_t const sums = e.operands()[0].count;
    bool const a_is_shared = e.operands()[1 + sums].kind != ir::Operand::Kind::vector;
    std::uint64_t const columns = sums * (e.form().types[0] == Type::f16 ? 4 : 2);
    std::uint64_t const bytes = (a_is_shared ? rows * row_bytes : 0) + columns * row_bytes * (is_sparse ? 2 : 1);
    sim::SharedBanksConfig const& banks = *e.config.sm.shared.banks;
    std::uint64_t const width = std::uint64_t{banks.count} * banks.width_bytes;
    return {(bytes + width - 1) / width, a_is_shared ? 0 : least_from_registers,
            a_is_shared ? rows * row_bytes / width : 0};
}

/// Of several products for one instruction the last ends as if they were one.
void split(MicroOp const& whole, std::uint64_t parts, std::vector<MicroOp>& out) {
    MicroOp part = whole;
    part.interval = static_cast<std::uint16_t>(std::max<std::uint64_t>(whole.interval / parts, 1));
    std::uint64_t const before = (parts - 1) * part.interval;
    part.latency = static_cast<std::uint16_t>(whole.latency > before ? whole.latency - before : 1);
    out.insert(out.end(), parts, part);
}

/// A longer product takes longer by as many cycles as it keeps the unit longer. So much is measured: on A100 m16n8k8 takes
/// 13 cycles, m16n8k16 17 and m8n8k4 of f64 25 (NAK), where they keep the unit 4, 8 and 16 cycles. Products of a warpgroup
/// that add to one accumulator follow each other without a gap; everything else must wait for them by wgmma.wait_group.
void expand_matrix(Expansion const& e) {
    ir::Form const& form = e.form();
    sim::Config const& config = e.config;
    constexpr std::uint64_t most = 4096;
    Type const type = factor_type(form);
    MicroOp op{MicroUnit::tensor};
    std::uint64_t const fmas = multiply_adds(form);
    std::uint64_t const cycles = std::clamp<std::uint64_t>(tensor_cycles(config, form, type, fmas), 1, most);
    op.interval = static_cast<std::uint16_t>(cycles);
    if (is_of_warpgroup(form)) {
        OperandCycles const operands = operand_cycles(e);
        op.banks = static_cast<std::uint16_t>(operands.banks);
        op.interval = static_cast<std::uint16_t>(std::max({cycles, operands.banks, operands.registers}));
        op.latency = 1;
        std::uint64_t const tail = config.sm.units->tensor ? config.sm.units->tensor->warpgroup_tail_cycles : 0;
        op.wait = static_cast<std::uint16_t>(std::min(operands.a + cycles + tail, 4 * most));
    } else if (config.sm.units->tensor) {
        std::uint64_t const known = config.compute_capability.number() < 75 ? 16 * 16 * 16 : 16 * 8 * 16;
        sim::TensorConfig const& t = *config.sm.units->tensor;
        bool const is_f16_sum = form.types[0] == Type::f16 && t.f16_sum_latency_cycles != 0;
        std::uint64_t const latency = (is_f16_sum ? t.f16_sum_latency_cycles : t.latency_cycles) + cycles;
        std::uint64_t const of_known = tensor_cycles(config, form, Type::f16, known);
        op.latency = static_cast<std::uint16_t>(latency > of_known ? latency - of_known : 1);
    }
    split(op, is_of_warpgroup(form) ? 1 : products(form, config.compute_capability.number()), e.out);
}

/// A byte, or one half: PRMT.
bool takes_bytes(std::span<ir::Operand const> operands) {
    std::int64_t const position = operands[2].value, length = operands[3].value;
    return (length == 8 || length == 16) && position % length == 0 && position < 32;
}

/// Whole bytes (PRMT), or the lowest bits (LOP3).
bool inserts_simply(std::span<ir::Operand const> operands) {
    std::int64_t const position = operands[3].value, length = operands[4].value;
    return position < 32 && (position == 0 || (position % 8 == 0 && length % 8 == 0));
}

void expand_lanes(isa::Row const& row, Expansion const& e) {
    ir::Form const& form = e.form();
    std::span<ir::Operand const> const operands = e.operands();
    std::vector<MicroOp>& out = e.out;
    if (is_conversion(form.operation)) return expand_conversion(form, e.config.compute_capability.number(), out);
    // Positions and lengths of bit fields, or a divisor.
    auto const is_immediate = [](ir::Operand const& o) { return o.kind == ir::Operand::Kind::immediate; };
    std::size_t const first = form.operation == Operation::bfi ? 3 : 2;
    bool const is_constant =
        operands.size() > first &&
        std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end(), is_immediate);
    append(std::string_view("AA").substr(0, e.extensions), out);
    if (form.operation == Operation::bfe && is_constant && !isa::is_signed(form.types[0]) && takes_bytes(operands))
        return append("A", out);
    if (form.operation == Operation::bfi && is_constant && form.types[0] == Type::b32 && inserts_simply(operands))
        return append("A", out);
    if (e.product != WideProduct::none) return append(letters_of(e.product), out);
    for (Sequence const& s : sequences) {
        if (fits(s, form, is_constant || e.divides_by_number, e.division)) return append(s.letters, out);
    }
    bool const is_compare =
        is_one_of(form.operation, Operation::setp, Operation::set, Operation::selp, Operation::min, Operation::max,
                  Operation::abs, Operation::neg, Operation::slct);
    Type const type = form.types[0];
    if (form.operation == Operation::set && !isa::is_float(type)) return append("Aa", out);
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

/// Each register of the warp is 128 bytes, which the sub-core's quarter of tensor memory takes or gives. Shapes of 16 lanes
/// use half of its width; the rows of .16x256b lie so that half of the rest is lost. Packed, a register is two columns. All
/// that is measured (CIC).
void expansions::tensor_memory_access(Expansion const& e) {
    using isa::Modifier;
    ir::Form const& form = e.form();
    sim::TensorConfig const t = e.config.sm.units->tensor.value_or(sim::TensorConfig{});
    std::uint64_t registers = 0;
    for (ir::Operand const& operand : e.operands()) registers += operand.kind == ir::Operand::Kind::reg;
    std::uint64_t const parts = form.has(Modifier::_32x32b) ? 1 : form.has(Modifier::_16x256b) ? 4 : 2;
    bool const is_packed = form.has(Modifier::pack_16b) || form.has(Modifier::unpack_16b);
    std::uint64_t const cycles = registers * parts * (is_packed ? 2 : 1) * 128 / t.tensor_memory_bytes_per_cycle;
    MicroOp op{MicroUnit::tensor};
    op.interval = static_cast<std::uint16_t>(std::clamp<std::uint64_t>(cycles, 1, 4096));
    op.latency = static_cast<std::uint16_t>(t.tensor_memory_latency_cycles + op.interval);
    e.out.push_back(op);
}

std::uint64_t tensor_work(sim::Config const& config, ir::Form const& form) {
    isa::Effect const effect = isa::rows(isa::HostIsa::baseline)[form.row].effect;
    if (effect != isa::Effect::matrix_multiply && effect != isa::Effect::warpgroup_multiply) return 0;
    if (!config.sm.units || !config.sm.units->tensor) return 0;
    sim::TensorConfig const& t = *config.sm.units->tensor;
    std::uint64_t const rate = tensor_rate(t, factor_type(form), is_packed(form), is_of_warpgroup(form));
    return rate == 0 ? 0 : multiply_adds(form) * t.fp16_fma_per_cycle / rate;
}

void expansions::computation(Expansion const& e) {
    ir::Form const& form = e.form();
    isa::Row const& row = isa::rows(isa::HostIsa::baseline)[form.row];
    if (row.unit == Unit::tensor) return expand_matrix(e);
    std::size_t const first = e.out.size();
    expand_lanes(row, e);
    if (!isa::is_float(form.types[0]) && !is_conversion(form.operation))
        slow_integer_multiplies(e.config, first, e.out);
}

}  // namespace warpsim::timing
