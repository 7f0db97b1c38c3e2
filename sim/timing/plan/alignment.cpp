#include "sim/timing/plan/alignment.hpp"

#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

std::uint8_t zeros(std::uint64_t value) {
    return static_cast<std::uint8_t>(std::min<int>(std::countr_zero(value), most_known_bits));
}

class Alignment {
public:
    explicit Alignment(MachineFunction const& m) : m_(m), known_(m.function->registers.size(), most_known_bits) {}

    /// Begins with the best case, which every definition of a register can only make worse.
    std::vector<std::uint8_t> run() {
        ir::Function const& function = *m_.function;
        for (std::size_t i = 0; i < function.parameter_in_register.size(); ++i)
            if (function.parameter_in_register[i]) known_[function.parameters[i]] = 0;
        for (bool changes = true; changes;) {
            changes = false;
            for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
                if (m_.writes[i].empty()) continue;
                std::uint8_t const result = of_result(i);
                for (std::uint32_t const reg : m_.writes[i]) {
                    if (result >= known_[reg]) continue;
                    known_[reg] = result;
                    changes = true;
                }
            }
        }
        return std::move(known_);
    }

private:
    std::uint8_t of(ir::Operand const& o) const {
        switch (o.kind) {
            case Kind::reg: return known_[o.index];
            case Kind::immediate: return zeros(static_cast<std::uint64_t>(o.value));
            case Kind::symbol: return std::min(of_variable(o), zeros(static_cast<std::uint64_t>(o.value)));
            default: return 0;
        }
    }
    std::uint8_t of_variable(ir::Operand const& o) const {
        ir::Variable const& v =
            o.is_module_variable ? m_.module->variables[o.index] : m_.function->variables[o.index];
        if (v.space == ir::StateSpace::constant) return known_bits_of_constants;
        return v.space == ir::StateSpace::shared ? most_known_bits : zeros(v.align);
    }

    std::uint8_t of_result(std::uint32_t i) const {
        auto const o = m_.operands(i);
        ir::Form const& form = m_.form(i);
        auto const sum = [](int a, int b) {
            return static_cast<std::uint8_t>(std::min<int>(a + b, most_known_bits));
        };
        if (m_.writes[i].size() != 1 || o.size() < 2 || isa::is_float(form.types[0]) ||
            isa::is_float(form.types[1]))
            return 0;
        switch (form.operation) {
            case Operation::mov:
            case Operation::cvta:
            case Operation::cvt: return of(o[1]);
            case Operation::add:
            case Operation::sub:
            case Operation::or_:
            case Operation::xor_:
            case Operation::selp:
            case Operation::min:
            case Operation::max: return std::min(of(o[1]), of(o[2]));
            case Operation::and_: return std::max(of(o[1]), of(o[2]));
            case Operation::mul_lo:
            case Operation::mul_wide: return sum(of(o[1]), of(o[2]));
            case Operation::mad_lo:
            case Operation::mad_wide: return std::min(sum(of(o[1]), of(o[2])), of(o[3]));
            case Operation::shl:
                return o[2].kind == Kind::immediate
                           ? sum(of(o[1]), static_cast<int>(std::min<std::int64_t>(o[2].value, most_known_bits)))
                           : of(o[1]);
            default: return 0;
        }
    }

    MachineFunction const& m_;
    std::vector<std::uint8_t> known_;
};

}  // namespace

std::vector<std::uint8_t> find_alignment(MachineFunction const& m) { return Alignment(m).run(); }

}  // namespace warpsim::timing
