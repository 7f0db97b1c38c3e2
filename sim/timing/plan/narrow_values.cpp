#include "sim/timing/plan/narrow_values.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

constexpr unsigned register_bits = 32;

bool is_integer_conversion(ir::Form const& f) {
    return f.operation == Operation::cvt && !isa::is_float(f.types[0]) && !isa::is_float(f.types[1]) && !f.sat;
}
unsigned bits_in(Type type) { return static_cast<unsigned>(isa::width(type)); }
/// Of an immediate operand, as the instruction's type has it.
unsigned bits_of(std::int64_t value, Type type) {
    auto const bits = static_cast<std::uint64_t>(value);
    return static_cast<unsigned>(
        std::bit_width(bits_in(type) < 64 ? bits & ((std::uint64_t{1} << bits_in(type)) - 1) : bits));
}

class BitCounter {
public:
    BitCounter(MachineFunction const& m, Definitions const& d) : m_(m), d_(d) {}

    unsigned of(ir::Operand const& o, Type type, int depth = 0) const {
        if (o.kind == Kind::immediate) return bits_of(o.value, type);
        if (o.kind != Kind::reg) return register_bits;
        std::uint32_t const i = d_.only_definition[d_.root[o.index]];
        if (i == ir::none || depth > 8 || d_.holder[d_.root[o.index]] != d_.root[o.index]) return register_bits;
        return of_result(i, depth + 1);
    }

private:
    unsigned of_result(std::uint32_t i, int depth) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        Type const type = f.types[0];
        if (ir::effect(*m_.module, m_.ir(i)) == Effect::load && f.vector <= 1) {
            bool const is_narrow = bits_in(type) < register_bits && !isa::is_signed(type);
            return is_narrow ? bits_in(type) : register_bits;
        }
        if (f.operation == Operation::mov && o.size() == 2) return of(o[1], type, depth);
        if (f.operation == Operation::mov && o[0].kind == Kind::vector) return bits_in(type) / o[0].count;
        if (isa::is_float(type) || bits_in(type) > register_bits) return register_bits;
        auto const source = [&](std::size_t s) { return of(o[s], type, depth); };
        switch (f.operation) {
            case Operation::and_: return std::min(source(1), source(2));
            case Operation::or_:
            case Operation::xor_:
            case Operation::selp: return std::max(source(1), source(2));
            case Operation::shr: {
                // Of 16 bits, what stands above them comes down.
                if (o[2].kind != Kind::immediate || o[2].value < 0 || isa::is_signed(type)) return register_bits;
                unsigned const bits = source(1),
                               by = static_cast<unsigned>(std::min<std::int64_t>(o[2].value, 32));
                if (bits > bits_in(type) || (bits_in(type) == 16 && bits == 16)) return register_bits;
                return bits - std::min(bits, by);
            }
            case Operation::bfe:
                return o[3].kind == Kind::immediate && !isa::is_signed(type) && o[3].value < register_bits
                           ? static_cast<unsigned>(o[3].value)
                           : register_bits;
            case Operation::cvt: {
                bool const is_extended = is_integer_conversion(f) && !isa::is_signed(f.types[1]);
                if (!is_extended) return register_bits;
                unsigned const bits = of(o[1], f.types[1], depth);
                return bits_in(type) > bits_in(f.types[1]) ? std::min(bits, bits_in(f.types[1])) : bits;
            }
            default: return register_bits;
        }
    }

    MachineFunction const& m_;
    Definitions const& d_;
};

/// Extended with its sign, from no more than so many bits.
bool has_sign_above(MachineFunction const& m, Definitions const& d, ir::Operand const& o, unsigned bits) {
    std::uint32_t const i = o.kind == Kind::reg ? d.only_definition[d.root[o.index]] : ir::none;
    if (i == ir::none) return false;
    ir::Form const& f = m.form(i);
    if (ir::effect(*m.module, m.ir(i)) == Effect::load)
        return f.vector <= 1 && isa::is_signed(f.types[0]) && bits_in(f.types[0]) <= bits;
    return is_integer_conversion(f) && isa::is_signed(f.types[1]) && bits_in(f.types[1]) <= bits &&
           bits_in(f.types[0]) > bits_in(f.types[1]);
}

}  // namespace

unsigned value_bits(MachineFunction const& m, Definitions const& d, ir::Operand const& o) {
    return BitCounter(m, d).of(o, Type::b32);
}

bool changes_nothing(MachineFunction const& m, Definitions const& d, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    auto const o = m.operands(i);
    if (!is_integer_conversion(f)) return false;
    unsigned const to = bits_in(f.types[0]), from = bits_in(f.types[1]);
    if (to == from) return true;
    auto const of_register = [&](ir::Operand const& x) { return bits_in(m.function->registers[x.index].type); };
    if (of_register(o[0]) > register_bits || of_register(o[1]) > register_bits) return false;
    if (to < from) return to == 16;
    return isa::is_signed(f.types[1]) ? has_sign_above(m, d, o[1], from) : value_bits(m, d, o[1]) <= from;
}

bool masks_nothing(MachineFunction const& m, Definitions const& d, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    auto const o = m.operands(i);
    if (f.operation != Operation::and_ || f.types[0] == Type::pred || bits_in(f.types[0]) > register_bits ||
        o[1].kind != Kind::reg || o[2].kind != Kind::immediate)
        return false;
    unsigned const bits = value_bits(m, d, o[1]);
    return bits < register_bits &&
           std::countr_one(static_cast<std::uint64_t>(o[2].value)) >= static_cast<int>(bits);
}

namespace {

/// All that one register holds, in its order.
bool is_register(MachineFunction const& m, Definitions const& d, std::span<ir::Operand const> word) {
    if (word[0].kind != Kind::reg) return false;
    std::uint32_t const maker = d.only_definition[d.root[word[0].index]];
    if (maker == ir::none || m.writes[maker].size() < word.size()) return false;
    auto const results = m.operands(maker);
    auto const first = std::find_if(results.begin(), results.end(), [&](ir::Operand const& o) {
        return o.kind == Kind::reg && o.index == d.root[word[0].index];
    });
    if (results.end() - first < static_cast<std::ptrdiff_t>(word.size())) return false;
    return std::equal(
        word.begin() + 1, word.end(), first + 1, [&](ir::Operand const& x, ir::Operand const& result) {
            return x.kind == Kind::reg && result.kind == Kind::reg && d.root[x.index] == result.index &&
                   d.holder[result.index] == d.holder[first->index];
        });
}

/// A store of several narrow values packs them first, one after the other.
std::uint8_t count_packed(MachineFunction const& m, Definitions const& d, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    if (f.vector <= 1 || bits_in(f.types[0]) >= register_bits) return 0;
    auto const o = m.operands(i);
    auto const elements = o.last(f.vector);
    std::size_t const of_register = register_bits / bits_in(f.types[0]);
    std::size_t packed = 0;
    for (std::size_t k = 0; k < elements.size(); k += of_register) {
        auto const word = elements.subspan(k, std::min(of_register, elements.size() - k));
        bool const is_known = std::all_of(word.begin(), word.end(), [&](ir::Operand const& x) {
            return x.kind != Kind::reg || d.constant[d.root[x.index]] == Constant::immediate;
        });
        if (!is_known && !is_register(m, d, word)) packed += word.size() - 1;
    }
    return static_cast<std::uint8_t>(packed);
}

/// Elements of narrow vectors that change, and so need registers of their own.
std::uint8_t count_taken_apart(MachineFunction const& m, Definitions const& d, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    if (f.vector <= 1 || bits_in(f.types[0]) >= register_bits) return 0;
    auto const writes = m.writes[i];
    return static_cast<std::uint8_t>(std::count_if(
        writes.begin(), writes.end(), [&](std::uint32_t reg) { return d.only_definition[reg] != i; }));
}

}  // namespace

namespace {

/// The number of an operand, as far as it is one.
std::optional<std::int64_t> number_of(MachineFunction const& m, Definitions const& d, ir::Operand const& o) {
    if (o.kind == Kind::immediate) return o.value;
    if (o.kind != Kind::reg || d.constant[d.root[o.index]] != Constant::immediate) return std::nullopt;
    std::uint32_t const maker = d.only_definition[d.root[o.index]];
    if (maker == ir::none || ir::effect(*m.module, m.ir(maker)) != Effect::move) return std::nullopt;
    ir::Operand const& made = m.operands(maker).back();
    return made.kind == Kind::immediate ? std::optional(made.value) : std::nullopt;
}

/// Moves of a store of several registers, each of which stands there alone: values that it names twice take one for all of its
/// registers, or all but the first if it names others as well, and zeros beside others one for two.
std::uint8_t count_repeated(MachineFunction const& m, Definitions const& d, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    if (f.vector < 2 || isa::width(f.types[0]) != register_bits) return 0;
    auto const elements = m.operands(i).last(f.vector);
    std::map<std::pair<bool, std::int64_t>, std::uint8_t> times;  // by register or number
    std::uint8_t zeros = 0, moves = 0;
    for (std::size_t k = 0; k < elements.size(); ++k) {
        ir::Operand const& o = elements[k];
        auto const number = number_of(m, d, o);
        bool const is_zero = number == 0;
        zeros = static_cast<std::uint8_t>(zeros + is_zero);
        bool const goes_with_last = k % 2 == 1 && number_of(m, d, elements[k - 1]) == 0;
        if (is_zero && !goes_with_last) ++moves;
        if (is_zero || (!number && o.kind != Kind::reg)) continue;
        ++times[number ? std::pair(true, *number) : std::pair(false, std::int64_t{d.root[o.index]})];
    }
    if (zeros == f.vector) return 0;
    for (auto const& [value, count] : times) {
        bool const is_constant =
            value.first || d.constant[static_cast<std::size_t>(value.second)] != Constant::none;
        moves = static_cast<std::uint8_t>(moves + (count == f.vector && !is_constant ? count : count - 1));
    }
    return moves;
}

}  // namespace

std::uint8_t count_extensions(MachineFunction const& m, Definitions const& d, std::uint32_t i, int capability) {
    ir::Form const& f = m.form(i);
    Effect const effect = ir::effect(*m.module, m.ir(i));
    if (effect == Effect::store) return static_cast<std::uint8_t>(count_packed(m, d, i) + count_repeated(m, d, i));
    if (effect == Effect::surface_store) return count_packed(m, d, i);
    if (effect == Effect::surface_load) {
        // What stands above one or two bytes is not zero.
        bool const is_masked =
            bits_in(f.types[0]) * std::max<unsigned>(f.vector, 1) < register_bits && bits_in(f.types[0]) == 8;
        return static_cast<std::uint8_t>(count_taken_apart(m, d, i) + is_masked);
    }
    if (bits_in(f.types[0]) != 16 || isa::is_float(f.types[0])) return 0;
    auto const o = m.operands(i);
    bool const multiplies = is_one_of(f.operation, Operation::mul_lo, Operation::mad_lo);
    bool const shifts = f.operation == Operation::shr;
    bool const limits =
        is_one_of(f.operation, Operation::min, Operation::max) && capability < 90;  // since then VIMNMX of halves
    if (!multiplies && !shifts && !limits && f.operation != Operation::setp) return 0;
    bool const is_unsigned = isa::is_integer(f.types[0]) && !isa::is_signed(f.types[0]) && !multiplies;
    std::uint8_t extensions = 0;
    std::size_t const first = f.operation == Operation::setp ? 2 : 1;
    for (ir::Operand const& x : o.subspan(first, shifts ? 1 : 2)) {
        if (x.kind != Kind::reg || d.constant[d.root[x.index]] == Constant::immediate) continue;
        unsigned const bits = value_bits(m, d, x);
        if (bits >= 16 + (is_unsigned || shifts ? 1u : 0u) && !(has_sign_above(m, d, x, 16) && !is_unsigned))
            ++extensions;
    }
    return extensions;
}

namespace {

class Packer {
public:
    Packer(MachineFunction& m, Definitions& d, int capability)
        : m_(m), d_(d), capability_(capability), readers_(m.function->registers.size()) {
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            if (m.instructions[i].fate == Fate::removed && !d.is_joined[i]) continue;
            for (std::uint32_t const reg : m.reads[i]) readers_[d.root[reg]].push_back(i);
        }
    }

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate != Fate::issued || m_.keeps_old(i)) continue;
            Effect const effect = ir::effect(*m_.module, m_.ir(i));
            auto const o = m_.operands(i);
            if (effect == Effect::load || effect == Effect::surface_load) share_elements(i);
            if (effect != Effect::move || isa::width(m_.form(i).types[0]) != 32 || o.size() != 4) continue;
            if (o[0].kind == Kind::vector && o[3].kind == Kind::reg) take_apart(i);
            if (o[1].kind == Kind::vector) pack(i);
        }
    }

private:
    bool is_only(std::uint32_t i, ir::Operand const& o) const {
        return o.kind == Kind::reg && d_.only_definition[o.index] == i;
    }

    /// Of one register each that a load writes.
    void share_elements(std::uint32_t i) {
        ir::Form const& f = m_.form(i);
        auto const bits = static_cast<std::size_t>(isa::width(f.types[0]));
        if (f.vector <= 1 || bits >= register_bits) return;
        auto const elements = m_.operands(i).subspan(1, m_.operands(i)[0].count);
        std::size_t const of_register = register_bits / bits;
        for (std::size_t k = 0; k < elements.size(); ++k) {
            ir::Operand const& first = elements[k / of_register * of_register];
            if (k % of_register != 0 && is_only(i, elements[k]) && is_only(i, first))
                d_.holder[elements[k].index] = first.index;
        }
    }

    /// What is read at `i` is the same for all readers of the result.
    bool lasts(std::uint32_t from, std::uint32_t i, ir::Operand const& result) const {
        if (d_.only_definition[from] != ir::none || d_.is_parameter[from] || result.kind == Kind::sink)
            return true;
        auto const& readers = readers_[result.index];
        return std::all_of(readers.begin(), readers.end(), [&](std::uint32_t k) {
            return k > i && m_.function->block_of[k] == m_.function->block_of[i] &&
                   !d_.changes_between(from, i, k);
        });
    }

    /// The lower half is where it was.
    void take_apart(std::uint32_t i) {
        auto const o = m_.operands(i);
        std::uint32_t const from = d_.root[o[3].index];
        if (d_.constant[from] != Constant::none) return;
        for (std::size_t s : {1u, 2u})
            if ((o[s].kind != Kind::sink && !is_only(i, o[s])) || !lasts(from, i, o[s])) return;
        if (o[1].kind == Kind::reg) d_.holder[o[1].index] = d_.holder[from];
        if (o[2].kind == Kind::reg && !all_readers(o[2].index, &Packer::selects)) return;
        if (o[2].kind == Kind::reg) d_.holder[o[2].index] = d_.holder[from];
        m_.instructions[i].fate = Fate::folded;
    }

    void pack(std::uint32_t i) {
        auto const o = m_.operands(i);
        if (!is_only(i, o[0]) || o[2].kind != Kind::reg || o[3].kind != Kind::reg) return;
        std::uint32_t const a = d_.only_definition[d_.root[o[2].index]],
                            b = d_.only_definition[d_.root[o[3].index]];
        if (a == ir::none || b == ir::none) return;
        if (d_.root[o[2].index] == d_.root[o[3].index]) {
            if (all_readers(o[0].index, &Packer::selects_pairs)) m_.instructions[i].fate = Fate::folded;
            return;
        }
        if (capability_ >= 80 && narrows(i, a, o[2]) && narrows(i, b, o[3]))
            m_.instructions[a].fate = m_.instructions[b].fate = Fate::folded;
    }
    /// A conversion for this instruction alone.
    bool narrows(std::uint32_t i, std::uint32_t k, ir::Operand const& o) const {
        ir::Form const& f = m_.form(k);
        return m_.instructions[k].fate == Fate::issued && f.operation == Operation::cvt &&
               f.types[1] == Type::f32 && (f.types[0] == Type::f16 || f.types[0] == Type::bf16) &&
               readers_[d_.root[o.index]].size() == 1 && m_.function->block_of[k] == m_.function->block_of[i];
    }

    bool all_readers(std::uint32_t reg, bool (Packer::*accepts)(std::uint32_t) const) const {
        auto const& readers = readers_[d_.root[reg]];
        return std::all_of(readers.begin(), readers.end(), [&](std::uint32_t i) { return (this->*accepts)(i); });
    }
    static bool is_half_float(Type type) {
        return type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2;
    }
    bool selects_pairs(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        return is_half_float(f.types[0]) &&
               is_one_of(f.operation, Operation::add, Operation::sub, Operation::mul, Operation::fma,
                         Operation::neg, Operation::abs, Operation::min, Operation::max, Operation::setp);
    }
    bool selects(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        if (f.operation == Operation::cvt) return isa::is_float(f.types[0]) && bits_in(f.types[1]) <= 16;
        if (f.operation == Operation::mov) return o.size() > 2 && o[1].kind == Kind::vector;
        return selects_pairs(i);
    }

    MachineFunction& m_;
    Definitions& d_;
    int const capability_;
    std::vector<std::vector<std::uint32_t>> readers_;  // per register
};

}  // namespace

void share_registers(MachineFunction& m, Definitions& d, int capability) { Packer(m, d, capability).run(); }

}  // namespace warpsim::timing
