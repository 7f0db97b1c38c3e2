#include "sim/timing/plan/scaled_addresses.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

class Scaler {
public:
    Scaler(MachineFunction& m, Definitions const& d) : m_(m), d_(d), readers_(m.function->registers.size()) {
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (m.instructions[i].fate == Fate::removed && !d.is_joined[i]) continue;
            for (std::uint32_t const reg : m.reads[i]) readers_[d.holder[d.root[reg]]].push_back(i);
        }
    }

    void run() {
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (!is_alive(i)) continue;
            if (int const bits = shift_of(i);
                bits != 0 && all_readers(i, [&](std::uint32_t j) { return takes(j, i); }))
                m_.instructions[i].fate = Fate::folded;
            else if (is_only_of_addresses(i)) take_row(i);
        }
    }

private:
    std::uint32_t count() const { return static_cast<std::uint32_t>(m_.instructions.size()); }
    bool is_alive(std::uint32_t i) const {
        return m_.instructions[i].fate == Fate::issued && m_.operands(i).size() > 1 &&
               m_.operands(i)[0].kind == Kind::reg && d_.only_definition[m_.operands(i)[0].index] == i;
    }
    bool is_known(ir::Operand const& o) const {
        return o.kind == Kind::symbol || o.kind == Kind::immediate ||
               (o.kind == Kind::reg && d_.constant[d_.root[o.index]] == Constant::immediate);
    }
    std::uint32_t maker(ir::Operand const& o) const {
        return o.kind == Kind::reg ? d_.only_definition[d_.root[o.index]] : ir::none;
    }
    template <class Holds> bool all_readers(std::uint32_t i, Holds const& holds) const {
        auto const& list = readers_[m_.operands(i)[0].index];
        return !list.empty() && std::all_of(list.begin(), list.end(), holds);
    }

    /// By how many bits it shifts an index to the left, if an address can do that; else 0. A mask of constant bits is moved behind
    /// the shift, and becomes one with it.
    int shift_of(std::uint32_t i) const {
        ir::Form const& f = m_.form(i);
        auto const o = m_.operands(i);
        bool const shifts = f.operation == Operation::shl && isa::width(f.types[0]) == 32 &&
                            o[1].kind == Kind::reg && o[2].kind == Kind::immediate && o[2].value >= 2 &&
                            o[2].value <= 4;
        if (!shifts) return 0;
        std::uint32_t const k = maker(o[1]);
        bool const is_masked =
            k != ir::none && m_.form(k).operation == Operation::and_ && m_.operands(k)[2].kind == Kind::immediate;
        return is_masked ? 0 : static_cast<int>(o[2].value);
    }

    /// An access whose address is this register and nothing else of it.
    bool is_address(std::uint32_t i, std::uint32_t root) const {
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        if (m_.form(i).space != ir::StateSpace::shared ||
            (effect != Effect::load && effect != Effect::store && effect != Effect::atomic))
            return false;
        auto const o = m_.operands(i);
        return std::none_of(o.begin(), o.end(), [&](ir::Operand const& each) {
            return each.kind == Kind::reg && d_.root[each.index] == root;
        });
    }
    /// A sum with a constant that its accesses add themselves.
    bool is_offset(std::uint32_t i) const {
        auto const o = m_.operands(i);
        return m_.instructions[i].fate == Fate::folded && is_plain_add(m_.form(i)) &&
               (is_known(o[1]) || is_known(o[2]));
    }
    bool is_only_address(std::uint32_t i) const {
        std::uint32_t const root = m_.operands(i)[0].index;
        return all_readers(i, [&](std::uint32_t j) { return is_address(j, root); });
    }
    /// What the shift reads is still the same there.
    bool sees(std::uint32_t j, std::uint32_t shift) const {
        std::uint32_t const index = d_.root[m_.operands(shift)[1].index];
        return d_.count[index] <= 1 || (m_.function->block_of[j] == m_.function->block_of[shift] && j > shift &&
                                        !d_.changes_between(index, shift, j));
    }
    bool takes(std::uint32_t j, std::uint32_t shift) const {
        if (is_address(j, m_.operands(shift)[0].index)) return sees(j, shift);
        return is_offset(j) && is_only_address(j) &&
               all_readers(j, [&](std::uint32_t a) { return sees(a, shift); });
    }

    /// The address of a row, made of multiples of the scale, in a sum with a shifted index: LEA and IMAD take both by elements.
    void take_row(std::uint32_t i) {
        auto const o = m_.operands(i);
        if (m_.form(i).operation == Operation::mad_lo && is_product(i)) {
            std::uint32_t const shift = maker(o[3]);
            bool const is_index = shift != ir::none && shift_of(shift) != 0 && is_only_in(shift, i);
            if (is_index && o[2].value % (std::int64_t{1} << shift_of(shift)) == 0)
                m_.instructions[shift].fate = Fate::folded;
        }
        if (!is_plain_add(m_.form(i))) return;
        for (std::size_t s = 1; s < 3; ++s) {
            std::uint32_t const shift = maker(o[s]), row = maker(o[3 - s]);
            if (shift == ir::none || row == ir::none || shift_of(shift) == 0) continue;
            // One of both is part of the sum already.
            std::uint32_t const other = m_.instructions[shift].fate == Fate::folded ? row : shift;
            if (m_.instructions[other == row ? shift : row].fate != Fate::folded || !is_only_in(other, i))
                continue;
            if (!is_multiple(row, std::int64_t{1} << shift_of(shift))) continue;
            m_.instructions[other].fate = Fate::folded;
            return;
        }
    }
    bool is_only_of_addresses(std::uint32_t i) const {
        return isa::width(m_.form(i).types[0]) == 32 &&
               (is_only_address(i) ||
                all_readers(i, [&](std::uint32_t j) { return is_offset(j) && is_only_address(j); }));
    }
    /// It is computed in front of the sum, for nothing else.
    bool is_only_in(std::uint32_t k, std::uint32_t sum) const {
        return is_alive(k) && k < sum && m_.function->block_of[k] == m_.function->block_of[sum] &&
               readers_[m_.operands(k)[0].index].size() == 1;
    }
    bool keeps_value(ir::Operand const& o) const { return o.kind == Kind::reg && d_.count[d_.root[o.index]] <= 1; }
    /// Of a register with one definition and a number.
    bool is_product(std::uint32_t k) const {
        auto const o = m_.operands(k);
        return isa::width(m_.form(k).types[0]) == 32 && keeps_value(o[1]) && o[2].kind == Kind::immediate;
    }
    /// Of a register with one definition, and perhaps a constant added.
    bool is_multiple(std::uint32_t k, std::int64_t scale) const {
        ir::Form const& f = m_.form(k);
        auto const o = m_.operands(k);
        if (f.operation == Operation::shl)
            return keeps_value(o[1]) && o[2].kind == Kind::immediate &&
                   (std::int64_t{1} << std::min<std::int64_t>(o[2].value, 31)) >= scale;
        bool const multiplies =
            f.operation == Operation::mul_lo || (f.operation == Operation::mad_lo && is_known(o[3]));
        if (multiplies) return is_product(k) && o[2].value % scale == 0;
        if (!is_plain_add(f)) return false;
        for (std::size_t s = 1; s < 3; ++s) {
            std::uint32_t const product = maker(o[s]);
            if (product == ir::none || product == k || !is_known(o[3 - s])) continue;
            bool const is_product = is_one_of(m_.form(product).operation, Operation::shl, Operation::mul_lo);
            if (is_product && m_.instructions[product].fate == Fate::folded) return is_multiple(product, scale);
        }
        return false;
    }

    MachineFunction& m_;
    Definitions const& d_;
    std::vector<std::vector<std::uint32_t>> readers_;
};

}  // namespace

void scale_addresses(MachineFunction& m, Definitions const& d, int capability) {
    if (capability < 90) Scaler(m, d).run();
}

}  // namespace warpsim::timing
