#include "sim/timing/plan/expansion.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/folding.hpp"

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

/// A sequence as letters: a alu, f fma, h fp16, d fp64, s sfu, b branch, v vote. Small: needs the result of the
/// one before; capital: does not.
struct Sequence {
    std::string_view opcode;
    std::string_view types;      // words; empty: all. 32 and 64 stand for integers and bits of that width
    std::string_view modifiers;  // words that must be written; #: the operands from the third on are immediate
    std::string_view letters;
};

// As many, and of the units, as ptxas 13.0 takes on the usual way, around branches to what is rare
// (tests/timing/sass_operations.txt). The first line that fits is taken.
// clang-format off
constexpr Sequence sequences[] = {
    // 64-bit integers take pairs of 32-bit operations
    {"add", "64", "", "Aa"}, {"sub", "64", "", "Aa"}, {"neg", "64", "", "Aa"},
    {"addc", "64", "", "Aa"}, {"subc", "64", "", "Aa"},
    {"and", "64", "", "AA"}, {"or", "64", "", "AA"}, {"xor", "64", "", "AA"}, {"not", "64", "", "AA"}, {"lop3", "64", "", "AA"},
    {"shl", "64", "", "AA"}, {"shr", "64", "", "AA"}, {"setp", "64", "", "Aa"}, {"set", "64", "", "Aaa"},
    {"selp", "64", "", "AA"}, {"slct", "64", "", "AaA"}, {"min", "64", "", "AaaA"}, {"max", "64", "", "AaaA"}, {"abs", "64", "", "AAfaa"},
    {"mul", "s64", ".hi", "AFFFafaFaafaaaaaa"}, {"mul", "u64", ".hi", "FffaAaf"}, {"mul", "64", "", "FFfa"},
    {"mad", "s64", ".hi", "AFFFafaFaafaaaaaaaa"}, {"mad", "u64", ".hi", "FffaAafaa"}, {"mad", "64", "", "FFfa"},
    {"popc", "64", "", "SSa"}, {"clz", "64", "", "SSaa"}, {"bfind", "64", "", "SSaa"},
    {"brev", "64", "", "SS"}, {"bfe", "64", "", "AAaaaa"}, {"bfi", "64", "", "AAaaaaaa"},
    // a call of a routine each
    {"div", "u64", "", "abSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafaaaaaaaaaaab"},
    {"rem", "u64", "", "abSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffaaaaaaaaab"},
    {"div", "s64", "",
     "abAAaaSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafafffaffafaaaaaaaaaaaaaab"},
    {"rem", "s64", "",
     "abAAaaSsasffaffafaffaaffafaffffaffafafffaffafaffaaffafaffffaffafafffafaaaaaaaaaaab"},
    // 32-bit integers
    {"div", "u32 u16", "#", "SsasffffFaaaaa"}, {"rem", "u32 u16", "#", "Ssasaffffaaaa"},
    {"div", "s32 s16", "#", "SsasfffAAfAfaaaaaf"}, {"rem", "s32 s16", "#", "SsasaffAAffaaaaf"},
    {"div", "u32 u16", "", "SAAsasffffafafaaaa"}, {"rem", "u32 u16", "", "SFAsasaffffFaaafa"},
    {"div", "s32 s16", "", "AAssaAsAAffffFffaFaaAafa"}, {"rem", "s32 s16", "", "AAsAAsafsfaffFfaaaAfaa"},
    {"mul24", "", ".hi", "AAfFaa"}, {"mad24", "", ".hi", "AAfFaaf"}, {"mul24", "", "", "AAf"}, {"mad24", "", "", "AAf"},
    {"bfe", "", "#", "Aa"}, {"bfe", "", "", "FAAaaa"}, {"bfi", "", "#", "Aa"}, {"bfi", "", "", "AAAaaa"},
    {"clz", "", "", "Sa"}, {"popc", "", "", "S"}, {"bfind", "", "", "S"}, {"brev", "", "", "S"},
    {"fns", "", "", "FAaasSaaAassAasaafaasaafaafaaafaaaaa"},
    {"sad", "", "", "A"}, {"cnot", "", "", "Aaf"}, {"copysign", "f64", "", "A"}, {"abs", "s32 s16", "", "A"}, {"slct", "", "", "Aa"},
    {"setp", "16", "", "Aa"}, {"add", "s32", ".sat", "FAAaa"}, {"sub", "s32", ".sat", "FAAaa"},
    {"dp4a", "", "", "F"}, {"dp2a", "", "", "F"}, {"mul", "32 s16 u16", "", "F"}, {"mad", "32", ".hi", "Af"}, {"mad", "32 s16 u16", "", "F"},
    {"madc", "", "", "Fa"}, {"vabsdiff", "", "", "AAaaaaf"},
    // functions of f32; without .ftz an approximation's argument is scaled before and after
    {"div", "f32", ".approx .ftz", "Sf"}, {"div", "f32", ".approx", "FAasff"}, {"div", "f32", ".full .ftz", "FAasff"},
    {"div", "f32", ".full", "AFAaffsff"}, {"div", "f32", "", "SSfffffb"},
    {"rcp", "f32", ".approx .ftz", "S"}, {"rcp", "f32", ".approx", "FAAaafsf"}, {"rcp", "f32", "", "Aaabsfff"},
    {"sqrt", "f32", ".approx .ftz", "S"}, {"sqrt", "f32", ".approx", "Afsf"}, {"sqrt", "f32", "", "ASabfFff"},
    {"rsqrt", "f32", ".ftz", "S"}, {"rsqrt", "f32", "", "Afsf"}, {"sin", "", "", "Fs"}, {"cos", "", "", "Fs"},
    {"ex2", "f32", ".ftz", "S"}, {"ex2", "f32", "", "Afsf"}, {"lg2", "f32", ".ftz", "S"}, {"lg2", "f32", "", "Afsf"},
    {"tanh", "", "", "S"}, {"testp", "", "", "Aa"},
    // f64
    {"rcp", "f64", ".approx", "S"}, {"rsqrt", "f64", ".ftz", "S"},
    {"div", "f64", "", "ASAddddddddfab"}, {"rcp", "f64", "", "SAAdddddb"}, {"sqrt", "f64", "", "AASaAddddddadadb"},
    {"rsqrt", "f64", "", "AAASaAdddddb"}, {"min", "f64", "", "ADaaaaaa"}, {"max", "f64", "", "ADaaaaaa"}, {"setp", "f64", "", "D"},
    {"abs", "f64", "", "D"}, {"neg", "f64", "", "D"},
    {"selp", "f64 b64", "", "AA"},
};
// clang-format on

bool is_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        std::size_t const end = words.find(' ');
        if (words.substr(0, end) == word) return true;
        if (end == std::string_view::npos) return false;
        words.remove_prefix(end + 1);
    }
    return false;
}

bool has_all(std::string_view words, ir::Form const& form, bool is_constant) {
    while (!words.empty()) {
        std::size_t const end = words.find(' ');
        std::string_view const word = words.substr(0, end);
        if (word == "#" ? !is_constant : word == ".ftz" ? !form.ftz : !form.has(word)) return false;
        if (end == std::string_view::npos) return true;
        words.remove_prefix(end + 1);
    }
    return true;
}

bool fits(Sequence const& s, ir::Form const& form, bool is_constant) {
    if (s.opcode != form.opcode || !has_all(s.modifiers, form, is_constant)) return false;
    if (s.types.empty()) return true;
    // set and selp name the destination's type first; what is compared decides.
    Type const type = form.opcode == "set" ? form.types[1] : form.types[0];
    if (is_word(s.types, isa::name(type))) return true;
    bool const is_bits = isa::is_integer(type) || isa::is_untyped(type);
    return is_bits && is_word(s.types, std::to_string(isa::width(type)));
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
    if (form.opcode == "cvt") return expand_conversion(form, out);
    // What the places and lengths of bit fields are, and a divisor.
    auto const is_immediate = [](ir::Operand const& o) { return o.kind == ir::Operand::Kind::immediate; };
    std::size_t const first = form.opcode == "bfi" ? 3 : 2;
    bool const is_constant =
        operands.size() > first &&
        std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end(), is_immediate);
    for (Sequence const& s : sequences) {
        if (fits(s, form, is_constant)) return append(s.letters, out);
    }
    bool const is_compare = form.opcode == "setp" || form.opcode == "set" || form.opcode == "selp" ||
                            form.opcode == "min" || form.opcode == "max" || form.opcode == "abs" ||
                            form.opcode == "neg" || form.opcode == "slct";
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
        case Effect::cluster_barrier:
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
    bool const is_cta = form.scope == isa::Scope::cta || form.has(".cta");
    bool const orders_gpu = (form.opcode == "membar" || form.opcode == "fence") && !is_cta;
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
        case Effect::cluster_barrier: return one(MicroUnit::barrier);
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
    if (!isa::is_float(form.types[0]) && form.opcode != "cvt") slow_integer_multiplies(config, first, out);
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
