#include "sim/timing/plan/fusion.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

class Finder {
public:
    Finder(ir::Module const& module, ir::Function const& function)
        : module_(module), function_(function), uses_(function.registers.size(), 0), writes_(function.registers.size(), 0),
          fusions(function.instructions.size(), Fusion::none) {
        for (ir::Instruction const& i : function.instructions) {
            ir::for_each_register(module, function, i, [&](std::uint32_t reg, bool is_written) { ++(is_written ? writes_ : uses_)[reg]; });
        }
    }

    void run() {
        for (ir::Block const& block : function_.blocks) {
            for (std::uint32_t i = block.first; i <= block.last; ++i) look_at(block, i);
        }
        for (std::uint32_t i = 0; i < fusions.size(); ++i) {
            if (is_removed_copy(i)) fusions[i] = Fusion::folded;
        }
    }

private:
    ir::Form const& form(std::uint32_t i) const { return module_.forms[function_.instructions[i].form]; }
    std::span<ir::Operand const> operands(std::uint32_t i) const { return function_.operands_of(function_.instructions[i]); }

    /// The instruction before `i` in its block that makes operand `o`, when nobody else reads it and nothing that it
    /// reads changes in between; ir::none: there is none.
    std::uint32_t only_maker(ir::Block const& block, std::uint32_t i, ir::Operand const& o) const {
        if (o.kind != Kind::reg || uses_[o.index] != 1 || writes_[o.index] != 1) return ir::none;
        for (std::uint32_t k = i; k-- > block.first;) {
            auto const made = operands(k);
            if (made.empty() || made[0].kind != Kind::reg || made[0].index != o.index) continue;
            if (function_.instructions[k].guard != ir::none || fusions[k] != Fusion::none) return ir::none;
            for (std::size_t s = 1; s < made.size(); ++s) {
                if (made[s].kind == Kind::reg && writes_[made[s].index] > 1 && changes(k + 1, i, made[s].index)) return ir::none;
            }
            return k;
        }
        return ir::none;
    }
    bool changes(std::uint32_t from, std::uint32_t to, std::uint32_t reg) const {
        bool found = false;
        for (std::uint32_t k = from; k < to; ++k) {
            ir::for_each_register(module_, function_, function_.instructions[k],
                                  [&](std::uint32_t r, bool is_written) { found |= is_written && r == reg; });
        }
        return found;
    }

    void look_at(ir::Block const& block, std::uint32_t i) {
        ir::Form const& f = form(i);
        auto const o = operands(i);
        if ((f.opcode == "add" || f.opcode == "sub") && o.size() == 3 && function_.instructions[i].guard == ir::none) {
            bool const is_float = isa::is_float(f.types[0]);
            for (std::size_t s = 1; s < 3 && !is_float; ++s) {
                std::uint32_t const k = only_maker(block, i, o[s]);
                if (k == ir::none || fusions[i] != Fusion::none) continue;
                ir::Form const& made = form(k);
                bool const wide = made.opcode == "mul" && made.has(".wide") && isa::width(f.types[0]) == 64;
                bool const low = made.opcode == "mul" && made.has(".lo") && isa::width(f.types[0]) == 32;
                bool const shift = made.opcode == "shl" && isa::width(f.types[0]) == 32 && operands(k)[2].kind == Kind::immediate;
                if ((wide || low) && f.opcode == "add") {
                    fusions[k] = Fusion::folded;
                    fusions[i] = Fusion::multiply_add;
                } else if (shift) {   // LEA
                    fusions[k] = Fusion::folded;
                    break;
                }
            }
        }
        if ((f.opcode == "and" || f.opcode == "or") && f.types[0] == isa::Type::pred && o.size() == 3) {
            // ISETP takes a predicate and combines with it: the later of the comparisons does the work.
            std::uint32_t latest = ir::none;
            for (std::size_t s = 1; s < 3; ++s) {
                std::uint32_t const k = only_maker(block, i, o[s]);
                if (k != ir::none && form(k).opcode == "setp" && (latest == ir::none || k > latest)) latest = k;
            }
            if (latest != ir::none) fusions[latest] = Fusion::folded;
        }
        if (f.opcode == "ld" || f.opcode == "st" || f.opcode == "atom" || f.opcode == "red") fold_address(block, i);
        if ((f.opcode == "add" || f.opcode == "sub" || f.opcode == "mul" || f.opcode == "fma") && isa::is_float(f.types[0])) {
            for (ir::Operand const& source : o) {
                std::uint32_t const k = &source == o.data() ? ir::none : only_maker(block, i, source);
                if (k != ir::none && form(k).opcode == "neg") fusions[k] = Fusion::folded;
            }
        }
    }

    void fold_address(ir::Block const& block, std::uint32_t i) {
        for (ir::Operand const& o : operands(i)) {
            if (o.kind != Kind::address || o.base != ir::Operand::AddressBase::reg || fusions[i] != Fusion::none) continue;
            ir::Operand reg = o;
            reg.kind = Kind::reg;
            std::uint32_t const k = only_maker(block, i, reg);
            if (k != ir::none && form(k).opcode == "add" && operands(k)[2].kind == Kind::immediate) fusions[k] = Fusion::folded;
        }
    }

    /// A copy, or a constant that is an operand of its readers. Simplified: every copy between registers counts as
    /// removed; a compiler keeps those whose ends live at the same time.
    bool is_removed_copy(std::uint32_t i) const {
        ir::Form const& f = form(i);
        auto const o = operands(i);
        if (f.opcode != "mov" || o.size() != 2 || o[0].kind != Kind::reg) return false;
        if (o[1].kind == Kind::reg) return true;
        bool const is_constant = o[1].kind == Kind::immediate || o[1].kind == Kind::symbol || o[1].kind == Kind::function;
        return is_constant && writes_[o[0].index] == 1;
    }

    ir::Module const& module_;
    ir::Function const& function_;
    std::vector<std::uint32_t> uses_, writes_;   // per register, of the whole function

public:
    std::vector<Fusion> fusions;
};

}  // namespace

std::vector<Fusion> find_fusions(ir::Module const& module, ir::Function const& function) {
    Finder finder(module, function);
    finder.run();
    return std::move(finder.fusions);
}

}  // namespace warpsim::timing
