#include "sim/exec/plan_fixed.hpp"

#include "frontend/ir/analysis/liveness.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"

#include <algorithm>
#include <cstddef>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::StateSpace;
using Kind = ir::Operand::Kind;

/// Where operands may be columns of any base, and what lanes have that do not take part is of no use.
bool takes_shared_columns(Effect effect) {
    switch (effect) {
        case Effect::lanes:
        case Effect::move:
        case Effect::convert_address:
        case Effect::load:
        case Effect::store:
        case Effect::atomic: return true;
        default: return false;
    }
}

class Finder {
public:
    Finder(KernelPlanner const& kernel, ir::Function const& function)
        : module_(kernel.module), function_(function), names_pairs_(kernel.names_pairs()) {}

    FixedRegisters find() {
        found_.registers.assign(function_.registers.size(), Sharing::warp);
        found_.instructions.assign(function_.instructions.size(), Sharing::warp);
        if (!function_.is_entry) return std::move(found_);
        std::vector<bool> const may_be = find_candidates();
        for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
            ir::Instruction const& instruction = function_.instructions[i];
            std::uint32_t const result = result_of(instruction);
            if (result == ir::none || !may_be[result]) continue;
            found_.registers[result] = found_.instructions[i] = sharing_of(instruction);
        }
        return std::move(found_);
    }

private:
    /// Registers with one definition, before which nothing reads them.
    std::vector<bool> find_candidates() const {
        std::vector<std::uint32_t> definitions(function_.registers.size(), 0);
        std::vector<bool> may_be =
            ir::find_live_at_entry(ir::uses_of(function_, ir::list_registers(module_, function_)));
        may_be.flip();
        for (ir::Instruction const& i : function_.instructions) {
            bool const takes = takes_shared_columns(ir::effect(module_, i));
            ir::for_each_register(module_, function_, i, [&](std::uint32_t r, bool is_written) {
                if (is_written ? ++definitions[r] > 1 : !takes) may_be[r] = false;
            });
        }
        return may_be;
    }

    /// The only register that the instruction writes, for all lanes; none: it does something else.
    std::uint32_t result_of(ir::Instruction const& i) const {
        auto const operands = function_.operands_of(i);
        if (i.guard != ir::none || operands.size() < 2 || operands[0].kind != Kind::reg) return ir::none;
        std::uint32_t const result = operands[0].index;
        bool is_alone = function_.registers[result].type != isa::Type::pred;
        ir::for_each_register(module_, function_, i, [&](std::uint32_t r, bool is_written) {
            if (is_written && r != result) is_alone = false;
        });
        return is_alone ? result : ir::none;
    }

    Sharing sharing_of(ir::Instruction const& i) const {
        switch (ir::effect(module_, i)) {
            case Effect::load: return loads_parameter(i) ? Sharing::launch : Sharing::warp;
            case Effect::lanes:
                if (!computes_integers(i)) return Sharing::warp;
                [[fallthrough]];
            case Effect::move:
            case Effect::convert_address: return least_sharing(function_.operands_of(i).subspan(1));
            default: return Sharing::warp;
        }
    }

    /// What floating-point numbers become may depend on the state of the host thread that computes.
    bool computes_integers(ir::Instruction const& i) const {
        ir::Form const& form = module_.forms[i.form];
        bool const reads_carry = function_.carry != ir::none && ir::carry_use(module_, i).is_read;
        return !reads_carry && std::none_of(form.types.begin(), form.types.end(), isa::is_float);
    }

    bool loads_parameter(ir::Instruction const& i) const {
        ir::Form const& form = module_.forms[i.form];
        auto const operands = function_.operands_of(i);
        bool const is_space = form.space == StateSpace::param || form.space == StateSpace::param_entry;
        if (!is_space || form.vector != 1 || operands.size() != 2) return false;
        ir::Operand const& address = operands[1];
        bool const names_variable =
            address.kind == Kind::address && address.base == ir::Operand::AddressBase::function_variable;
        if (!names_variable || address.value < 0) return false;
        auto const& formals = function_.parameters;
        if (std::find(formals.begin(), formals.end(), address.index) == formals.end()) return false;
        std::uint64_t const begin =
            function_.variables[address.index].offset + static_cast<std::uint64_t>(address.value);
        return begin + static_cast<std::uint64_t>(isa::width(form.types[0])) / 8 <= function_.param_bytes;
    }

    Sharing least_sharing(std::span<ir::Operand const> operands) const {
        Sharing least = Sharing::launch;
        for (ir::Operand const& operand : operands) least = std::min(least, sharing_of(operand));
        return least;
    }

    Sharing sharing_of(ir::Operand const& operand) const {
        switch (operand.kind) {
            case Kind::immediate:
            case Kind::function: return Sharing::launch;
            case Kind::reg: return found_.registers[operand.index];
            case Kind::special: return sharing_of_special(static_cast<ir::SpecialRegister>(operand.index));
            case Kind::symbol: {
                ir::Variable const& v =
                    (operand.is_module_variable ? module_.variables : function_.variables)[operand.index];
                bool const is_known =
                    v.space != StateSpace::local && (v.space != StateSpace::shared || !names_pairs_);
                return is_known ? Sharing::launch : Sharing::warp;
            }
            default: return Sharing::warp;
        }
    }

    ir::Module const& module_;
    ir::Function const& function_;
    bool names_pairs_;
    FixedRegisters found_;
};

}  // namespace

FixedRegisters find_fixed(KernelPlanner const& kernel, ir::Function const& function) {
    return Finder(kernel, function).find();
}

}  // namespace warpsim::sim
