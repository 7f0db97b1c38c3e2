#include "sim/timing/plan/constant_operands.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <set>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

class Keeper {
public:
    Keeper(MachineFunction& m, Definitions& d) : m_(m), d_(d) {}

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate != Fate::issued) continue;
            if (m_.function->block_of[i] != block_) {
                block_ = m_.function->block_of[i];
                loaded_.clear();
            }
            named_ = 0;
            look_at(i, i, 0);
        }
        // A constant that somebody needs comes with a move for each 32 bits, and then all take it from the register.
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (m_.instructions[i].fate != Fate::removed) continue;
            std::size_t moves = 0;
            for (std::uint32_t const reg : m_.writes[i]) {
                if (d_.only_definition[reg] == i && d_.constant[reg] != Constant::none && d_.is_needed[reg]) moves += words(reg);
            }
            if (moves == 0) continue;
            d_.is_kept_constant[i] = true;
            m_.instructions[i].fate = Fate::issued;
            m_.instructions[i].extra_moves = static_cast<std::uint8_t>(std::min<std::size_t>(moves, 16));
        }
    }

private:
    std::size_t words(std::uint32_t reg) const { return isa::width(m_.function->registers[reg].type) > 32 ? 2 : 1; }

    /// Every operand of instruction `k`, as far as `issued` does its work.
    void look_at(std::uint32_t issued, std::uint32_t k, int depth) {
        Effect const effect = ir::effect(*m_.module, m_.ir(k));
        ir::Form const& form = m_.form(k);
        bool const from_registers = effect == Effect::store || effect == Effect::atomic || effect == Effect::reduction ||
                                    effect == Effect::shuffle || effect == Effect::match || effect == Effect::reduce_warp;
        bool const names_none = from_registers || form.opcode == "mma" || form.opcode == "wmma" || form.opcode == "ldmatrix" ||
                                form.opcode == "stmatrix";
        bool const counts = effect == Effect::lanes || effect == Effect::load;
        if (!names_none && !counts) return;
        if (form.space == isa::StateSpace::param || form.space == isa::StateSpace::param_func) return;
        bool is_first = true;
        auto const operands = m_.operands(k);
        for (std::size_t i = written(k); i < operands.size(); ++i) {
            ir::Operand const& o = operands[i];
            if (o.kind == Kind::vector) continue;
            bool const is_address = o.kind == Kind::address;
            // Lane numbers and masks of shuffles may be immediate.
            bool const must_be_register = names_none && !is_address && (effect != Effect::shuffle || is_first);
            is_first = is_first && is_address;
            look_at_operand(issued, o, is_address, must_be_register, depth);
        }
    }
    std::size_t written(std::uint32_t k) const {
        auto const operands = m_.operands(k);
        if (m_.writes[k].empty()) return 0;
        return operands[0].kind == Kind::vector ? std::size_t{1} + operands[0].count : 1;
    }

    void look_at_operand(std::uint32_t issued, ir::Operand const& o, bool is_address, bool must_be_register, int depth) {
        if (o.kind == Kind::immediate) {
            if (o.value != 0) name_immediate(issued, o.value, must_be_register);
            return;
        }
        bool const is_register = o.kind == Kind::reg || (is_address && o.base == ir::Operand::AddressBase::reg);
        if (!is_register) return;
        std::uint32_t const root = d_.root[o.index];
        std::uint32_t const maker = d_.only_definition[root];
        if (maker != ir::none && m_.instructions[maker].fate == Fate::folded && depth < 8) return look_at(issued, maker, depth + 1);
        if (d_.constant[root] == Constant::none) return;
        if (is_address) {
            // Offsets are immediate; a base in the constant bank has to be brought into registers.
            if (d_.constant[root] == Constant::bank) d_.is_needed[root] = true;
        } else if (must_be_register) {
            d_.is_needed[root] = d_.is_needed[root] || !is_zero(root);
        } else if (!is_zero(root) && ++named_ > 1) {
            d_.is_needed[root] = true;
        }
    }
    bool is_zero(std::uint32_t root) const {
        std::uint32_t const maker = d_.only_definition[root];
        auto const o = m_.operands(maker);
        return o.size() == 2 && o[1].kind == Kind::immediate && o[1].value == 0;
    }

    void name_immediate(std::uint32_t issued, std::int64_t value, bool must_be_register) {
        if (!must_be_register && ++named_ <= 1) return;
        if (!loaded_.insert(value).second) return;   // still there from before
        ++m_.instructions[issued].extra_moves;
    }

    MachineFunction& m_;
    Definitions& d_;
    std::uint32_t block_ = ir::none;
    std::uint32_t named_ = 0;
    std::set<std::int64_t> loaded_;
};

}  // namespace

void keep_constants(MachineFunction& m, Definitions& d) { Keeper(m, d).run(); }

}  // namespace warpsim::timing
