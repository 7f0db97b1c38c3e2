#include "sim/timing/plan/shared_variables.hpp"

#include "frontend/ir/registers.hpp"

#include <tuple>

namespace warpsim::timing {

namespace {

using Base = ir::Operand::AddressBase;
using Kind = ir::Operand::Kind;

std::optional<SharedVariable> shared_variable(MachineFunction const& m, ir::Operand const& o) {
    bool const is_address =
        o.kind == Kind::address && (o.base == Base::module_variable || o.base == Base::function_variable);
    if (o.kind != Kind::symbol && !is_address) return std::nullopt;
    bool const is_of_module = is_address ? o.base == Base::module_variable : o.is_module_variable;
    ir::Variable const& v = is_of_module ? m.module->variables[o.index] : m.function->variables[o.index];
    if (v.space != isa::StateSpace::shared) return std::nullopt;
    return SharedVariable{v.size == 0, is_of_module, o.index};
}

}  // namespace

std::optional<SharedVariable> first_shared_variable(MachineFunction const& m) {
    if (!m.function->is_entry) return std::nullopt;
    std::optional<SharedVariable> first;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (ir::effect(*m.module, m.ir(i)) == isa::Effect::call) return std::nullopt;
        for (ir::Operand const& o : m.operands(i)) {
            auto const found = shared_variable(m, o);
            auto const place = [](SharedVariable const& v) {
                return std::tuple(v.is_unsized, v.is_of_module, v.index);
            };
            if (found && (!first || place(*found) < place(*first))) first = found;
        }
    }
    return first;
}

bool is_shared_variable(MachineFunction const& m, ir::Operand const& o) {
    return o.kind == Kind::symbol && shared_variable(m, o).has_value();
}

}  // namespace warpsim::timing
