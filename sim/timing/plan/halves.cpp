#include "sim/timing/plan/halves.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;
using Mask = unsigned;

constexpr Mask low = lower_half, high = upper_half, both = both_halves, neither = 0;

bool is_wide_integer(isa::Type type) { return isa::width(type) == 64 && !isa::is_float(type); }

/// Works on halves one after the other, so that these may be anywhere.
bool takes_halves(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    if (is_conversion(f.operation)) {
        ir::Operand const& source = m.operands(i)[1];
        return !isa::is_float(f.types[0]) && !isa::is_float(f.types[1]) && !f.sat && source.kind == Kind::reg &&
               isa::width(m.function->registers[source.index].type) == 64;
    }
    if (joins_halves(m, i)) return true;
    return is_wide_integer(f.types[0]) && !f.has(isa::Modifier::cc) &&
           is_one_of(f.operation, Operation::add, Operation::sub, Operation::neg, Operation::and_, Operation::or_,
                     Operation::xor_, Operation::not_, Operation::shl, Operation::shr, Operation::selp,
                     Operation::setp, Operation::min, Operation::max, Operation::mul_lo);
}
bool widens(ir::Form const& f) {
    return is_conversion(f.operation) && is_wide_integer(f.types[0]) && !isa::is_float(f.types[1]) &&
           isa::width(f.types[1]) <= 32;
}

/// One value of 64 bits, half by half, in all lanes.
bool writes_halves(MachineFunction const& m, std::uint32_t i) {
    auto const o = m.operands(i);
    return m.instructions[i].fate == Fate::issued && !o.empty() && o[0].kind == Kind::reg &&
           m.writes[i].size() == 1 && !m.keeps_old(i) && ir::effect(*m.module, m.ir(i)) == Effect::lanes &&
           (takes_halves(m, i) || widens(m.form(i))) && isa::width(m.function->registers[o[0].index].type) == 64;
}

}  // namespace

bool joins_halves(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    auto const o = m.operands(i);
    auto const is_32 = [](ir::Operand const& x) { return x.kind == Kind::immediate && x.value == 32; };
    return f.operation == Operation::bfi && f.types[0] == isa::Type::b64 && is_32(o[3]) && is_32(o[4]) &&
           o[1].kind == Kind::reg && o[2].kind == Kind::reg;
}

class Halves::Finder {
public:
    Finder(Halves& halves, MachineFunction& m, Definitions const& d)
        : h_(halves), m_(m), d_(d), uses_(m.function->registers.size(), 0) {
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            if (!counts(i)) continue;
            for (std::uint32_t const reg : m.reads[i]) ++uses_[d.root[reg]];
        }
    }

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (is_value(i)) h_.zero_[result(i)] = zero_halves(i);
        }
        find_wanted();
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate == Fate::issued) count(i);
        }
    }

private:
    bool counts(std::uint32_t i) const { return m_.instructions[i].fate != Fate::removed || d_.is_joined[i]; }
    std::uint32_t result(std::uint32_t i) const { return m_.operands(i)[0].index; }
    /// A value that is written once.
    bool is_value(std::uint32_t i) const {
        return writes_halves(m_, i) && d_.only_definition[m_.operands(i)[0].index] == i;
    }
    static Mask zero_of(std::int64_t value) {
        auto const bits = static_cast<std::uint64_t>(value);
        return (static_cast<std::uint32_t>(bits) == 0 ? low : neither) | (bits >> 32 == 0 ? high : neither);
    }
    static Mask ones_of(std::int64_t value) { return zero_of(~value); }
    Mask zero(ir::Operand const& o) const {
        if (o.kind == Kind::immediate) return zero_of(o.value);
        return o.kind == Kind::reg ? h_.zero_[d_.root[o.index]] : neither;
    }

    /// Which halves of the result are zero.
    Mask zero_halves(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (widens(f)) return isa::is_signed(f.types[1]) ? neither : high;
        switch (f.operation) {
            case Operation::bfi: return (zero(o[2]) & low) | ((zero(o[1]) & low) != 0 ? high : neither);
            case Operation::and_: return zero(o[1]) | zero(o[2]);
            case Operation::or_:
            case Operation::xor_:
            case Operation::selp:
            case Operation::min:
            case Operation::max: return zero(o[1]) & zero(o[2]);
            case Operation::shl: {
                if (o[2].kind != Kind::immediate) return neither;
                Mask const of = zero(o[1]);
                if (o[2].value >= 32) return low | ((of & low) != 0 ? high : neither);
                return of == both ? both : of & low;
            }
            case Operation::shr: {
                Mask const of = zero(o[1]);
                bool const has_sign = isa::is_signed(f.types[0]) && (of & high) == 0;
                if (o[2].kind != Kind::immediate || has_sign) return neither;
                if (o[2].value >= 32) return high | ((of & high) != 0 ? low : neither);
                return of == both ? both : of & high;
            }
            default: return neither;
        }
    }

    /// Which halves of the result are those of another value.
    Mask copied_halves(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (widens(f)) return isa::width(f.types[1]) == 32 ? low : neither;
        switch (f.operation) {
            case Operation::bfi: return both;
            case Operation::and_:
                return (o[1].kind == Kind::immediate ? ones_of(o[1].value) : neither) |
                       (o[2].kind == Kind::immediate ? ones_of(o[2].value) : neither);
            case Operation::or_:
            case Operation::xor_: return zero(o[1]) | zero(o[2]);
            case Operation::add: return (zero(o[1]) | zero(o[2])) & low;
            case Operation::sub: return zero(o[2]) & low;
            case Operation::shl: return o[2].kind == Kind::immediate && o[2].value == 32 ? high : neither;
            case Operation::shr: return o[2].kind == Kind::immediate && o[2].value == 32 ? low : neither;
            default: return neither;
        }
    }

    /// What the operation reads of its operand number `s` for these halves of its result.
    Mask reads(std::uint32_t i, std::size_t s, Mask wanted) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (wanted == neither) return neither;
        if (is_conversion(f.operation)) return isa::width(f.types[0]) == 64 && !widens(f) ? wanted : low;
        Mask const carried = (wanted & high) != 0 ? both : low;
        switch (f.operation) {
            case Operation::add:
            case Operation::sub:
            case Operation::neg:
            case Operation::mul_lo: return carried;
            case Operation::bfi:
                if (s == 1) return (wanted & high) != 0 ? low : neither;
                return s == 2 ? wanted & low : neither;
            case Operation::and_: {
                ir::Operand const& other = o[3 - s];
                return wanted & ~zero(other);
            }
            case Operation::or_:
            case Operation::xor_:
            case Operation::not_:
            case Operation::selp: return wanted;
            case Operation::shl:
                if (o[2].kind != Kind::immediate) return carried;
                return o[2].value >= 32 ? ((wanted & high) != 0 ? low : neither) : carried;
            case Operation::shr:
                if (o[2].kind != Kind::immediate) return (wanted & low) != 0 ? both : high;
                if (o[2].value >= 32) return high;
                return (wanted & low) != 0 ? both : high;
            case Operation::setp: return compared(i);
            default: return both;
        }
    }
    /// Equal halves of a value and a number are not compared.
    Mask compared(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        bool const is_equality = f.has(isa::Modifier::eq) || f.has(isa::Modifier::ne);
        if (!is_equality || o.size() != 4 || o[3].kind != Kind::immediate) return both;
        return both & ~(zero(o[2]) & zero(o[3]));
    }

    /// Backward until nothing changes: what goes on in loops is read by what stands above it.
    void find_wanted() {
        for (bool changed = true; changed;) {
            changed = false;
            for (auto i = static_cast<std::uint32_t>(m_.instructions.size()); i-- > 0;) {
                if (counts(i)) changed = look_at(i) || changed;
            }
        }
    }
    bool want(std::uint32_t reg, Mask halves, bool in_pair) {
        std::uint32_t const root = d_.root[reg];
        Mask const before = h_.wanted_[root], pair = h_.in_pair_[root];
        h_.wanted_[root] |= halves;
        if (in_pair) h_.in_pair_[root] = 1;
        return h_.wanted_[root] != before || h_.in_pair_[root] != pair;
    }
    bool look_at(std::uint32_t i) {
        auto const o = m_.operands(i);
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        bool changed = false;
        if (effect == Effect::move && o.size() == 2 && o[0].kind == Kind::reg && o[1].kind == Kind::reg)
            return want(o[1].index, h_.wanted_[d_.root[o[0].index]], h_.in_pair_[d_.root[o[0].index]] != 0);
        if (effect == Effect::move && o.size() == 4 && o[0].kind == Kind::vector && o[3].kind == Kind::reg) {
            // Taken apart.
            Mask const halves = (is_read(o[1]) ? low : neither) | (is_read(o[2]) ? high : neither);
            return want(o[3].index, isa::width(m_.form(i).types[0]) == 64 ? halves : both, false);
        }
        bool const by_halves = effect == Effect::lanes && takes_halves(m_, i);
        if (!by_halves) {
            std::uint32_t const near = near_address(i);
            for (std::uint32_t const reg : m_.reads[i])
                changed = (reg == near ? want(reg, low, false) : want(reg, both, true)) || changed;
            return changed;
        }
        bool const has_result = o[0].kind == Kind::reg && m_.form(i).operation != Operation::setp &&
                                isa::width(m_.function->registers[o[0].index].type) == 64;
        Mask const wanted = has_result ? h_.wanted_[d_.root[o[0].index]] : both;
        for (std::size_t s = 1; s < o.size(); ++s) {
            if (o[s].kind == Kind::reg)
                changed = want(o[s].index, reads(i, s, wanted), adds_product(i, s)) || changed;
        }
        return changed;
    }
    /// The register of an address in local, shared or constant memory, where 32 bits say everything; else ir::none.
    std::uint32_t near_address(std::uint32_t i) const {
        isa::StateSpace const space = m_.form(i).space;
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        bool const is_near = (effect == Effect::load || effect == Effect::store) &&
                             (space == isa::StateSpace::local || space == isa::StateSpace::shared ||
                              space == isa::StateSpace::constant);
        std::uint32_t reg = ir::none, times = 0;
        for (ir::Operand const& o : m_.operands(i)) {
            if (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg) reg = o.index;
        }
        for (ir::Operand const& o : m_.operands(i)) times += o.kind == Kind::reg && o.index == reg;
        return is_near && times == 0 ? reg : ir::none;
    }
    bool is_read(ir::Operand const& o) const { return o.kind == Kind::reg && uses_[d_.root[o.index]] != 0; }
    /// IMAD.WIDE adds a pair of registers.
    bool adds_product(std::uint32_t i, std::size_t s) const {
        auto const o = m_.operands(i);
        if (!is_plain_add(m_.form(i)) || o.size() != 3 || o[3 - s].kind != Kind::reg) return false;
        std::uint32_t const other = d_.only_definition[d_.root[o[3 - s].index]];
        return other != ir::none && m_.instructions[other].fate == Fate::issued &&
               is_multiplication(m_.form(other).operation) && uses_[d_.root[o[3 - s].index]] == 1;
    }

    void count(std::uint32_t i) {
        MachineInstruction& instruction = m_.instructions[i];
        ir::Form const& f = m_.form(i);
        bool const computes = ir::effect(*m_.module, m_.ir(i)) == Effect::lanes;
        if (computes && f.operation == Operation::setp && takes_halves(m_, i)) {
            Mask const halves = compared(i);
            instruction.halves = static_cast<std::uint8_t>(halves == neither ? low : halves);
        }
        if (computes && is_one_of(f.operation, Operation::mul_lo, Operation::mad_lo) &&
            is_wide_integer(f.types[0]))
            instruction.product = product(i);
        if (!writes_halves(m_, i)) return;
        std::uint32_t const reg = result(i);
        Mask const wanted = h_.wanted_[reg];
        Mask copied = is_value(i) ? copied_halves(i) : neither;
        if (joins_halves(m_, i) && h_.in_pair_[reg] != 0) {
            auto const o = m_.operands(i);
            if (is_read_elsewhere(o[1])) copied &= ~high;
            if (is_read_elsewhere(o[2])) copied &= ~low;
        }
        Mask halves = wanted & ~h_.zero_[reg] & ~copied;
        if (is_one_of(f.operation, Operation::add, Operation::sub, Operation::neg) && (halves & high) != 0)
            halves |= low & ~copied;
        // A pair has a register for zero, too.
        if (h_.in_pair_[reg] != 0) halves |= wanted & h_.zero_[reg];
        if (f.operation == Operation::mul_lo) halves = (wanted & high) != 0 ? both : low;
        // The lower half stays where it is; see fold() and keep() for signs.
        if (widens(f) && !is_value(i)) halves &= high;
        if (widens(f) && isa::is_signed(f.types[1]) && halves != neither) return;
        instruction.halves = static_cast<std::uint8_t>(halves);
        if (is_value(i) && halves == neither && h_.in_pair_[reg] == 0 && stays(i)) instruction.fate = Fate::folded;
    }
    /// A value, widened perhaps, that stays where it is.
    bool is_read_elsewhere(ir::Operand const& o) const {
        std::uint32_t const root = d_.root[o.index], maker = d_.only_definition[root];
        if (uses_[root] > 1) return true;
        bool const is_widened =
            maker != ir::none && widens(m_.form(maker)) && m_.operands(maker)[1].kind == Kind::reg;
        return is_widened && is_read_elsewhere(m_.operands(maker)[1]);
    }
    WideProduct product(std::uint32_t i) const {
        auto const o = m_.operands(i);
        bool const is_first = (zero(o[1]) & high) != 0, is_second = (zero(o[2]) & high) != 0;
        if (!is_first) return is_second ? WideProduct::by_widened : WideProduct::whole;
        if (o[2].kind == Kind::immediate)
            return is_second ? WideProduct::of_widened_by_number : WideProduct::of_widened;
        return is_second ? WideProduct::of_two_widened : WideProduct::of_widened;
    }
    /// What it reads is the same wherever its result is read.
    bool stays(std::uint32_t i) const {
        auto const reads = m_.reads[i];
        return std::all_of(reads.begin(), reads.end(), [&](std::uint32_t reg) { return d_.count[reg] <= 1; });
    }

    Halves& h_;
    MachineFunction& m_;
    Definitions const& d_;
    std::vector<std::uint32_t> uses_;  // per register
};

void Halves::find(MachineFunction& m, Definitions const& d) { Finder(*this, m, d).run(); }

void Halves::keep(MachineFunction const& m, Definitions& d) const {
    // Of values with several definitions all must be halves.
    std::vector<std::uint32_t> halves(m.function->registers.size(), 0);
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        auto const o = m.operands(i);
        bool const is_wide_product = m.form(i).operation == Operation::mul_wide &&
                                     m.instructions[i].fate == Fate::issued &&
                                     isa::width(m.function->registers[o[0].index].type) == 64;
        // A product of which only the lower half is needed is not wide.
        if (is_wide_product && wanted_[o[0].index] == low) ++halves[o[0].index];
        if (!writes_halves(m, i)) continue;
        std::uint32_t const reg = o[0].index;
        bool const is_only = d.only_definition[reg] == i;
        bool const multiplies = m.instructions[i].takes_product || m.form(i).operation == Operation::mul_lo;
        if (in_pair_[reg] != 0 || (multiplies && m.instructions[i].halves != low)) continue;
        Mask const kept = wanted_[reg] & ~zero_[reg];
        if (kept == low || kept == high) ++halves[reg];
        // Of a signed value that is widened the lower half is the value itself.
        bool const is_upper = is_only && kept == both && widens(m.form(i)) && isa::is_signed(m.form(i).types[1]) &&
                              o[1].kind == Kind::reg && d.only_definition[d.root[o[1].index]] != ir::none;
        if (is_upper) d.is_upper[reg] = d.is_half[reg] = true;
    }
    for (std::uint32_t reg = 0; reg < halves.size(); ++reg)
        if (halves[reg] != 0 && halves[reg] == d.count[reg]) d.is_half[reg] = true;
}

}  // namespace warpsim::timing
