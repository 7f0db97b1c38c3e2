#include "sim/exec/callees.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

struct Formal {
    isa::Type type = isa::Type::none;
    std::uint64_t bytes = 0;  // of an array; 0: any
    bool is_array = false;
    bool in_register = false;
};

std::vector<Formal> formals(ir::Function const& f, bool returns) {
    auto const& list = returns ? f.returns : f.parameters;
    auto const& in_register = returns ? f.return_in_register : f.parameter_in_register;
    std::vector<Formal> result;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (in_register[i]) {
            result.push_back({f.registers[list[i]].type, 0, false, true});
        } else {
            ir::Variable const& v = f.variables[list[i]];
            result.push_back({v.type, v.size, v.is_array, false});
        }
    }
    return result;
}

std::vector<Formal> formals(std::vector<ir::Variable> const& variables) {
    std::vector<Formal> result;
    for (ir::Variable const& v : variables)
        result.push_back({v.type, v.size, v.is_array, v.space == ir::StateSpace::reg});
    return result;
}

/// Untyped bits accept any type of their size; as in ptxas, integers and floating point are incompatible.
bool fits(Formal const& a, Formal const& b) {
    if (a.is_array != b.is_array || a.in_register != b.in_register) return false;
    if (a.is_array) return a.bytes == b.bytes || a.bytes == 0 || b.bytes == 0;
    bool const is_any = isa::is_untyped(a.type) || isa::is_untyped(b.type);
    return isa::width(a.type) == isa::width(b.type) && (is_any || isa::is_float(a.type) == isa::is_float(b.type));
}

std::string text(std::vector<Formal> const& list) {
    std::string result;
    for (Formal const& f : list) {
        result += (result.empty() ? "" : ", ") + std::string(f.in_register ? ".reg ." : ".param .") +
                  std::string(isa::name(f.type));
        if (f.is_array) result += "[" + (f.bytes == 0 ? std::string() : std::to_string(f.bytes)) + "]";
    }
    return "(" + result + ")";
}

std::string difference(std::vector<Formal> const& wanted, std::vector<Formal> const& own,
                       std::string const& what) {
    if (std::equal(wanted.begin(), wanted.end(), own.begin(), own.end(), fits)) return {};
    return "it " + what + " " + text(own) + " and the prototype of the call has " + text(wanted);
}

}  // namespace

std::string misfit(ir::Module const& module, ir::Prototype const& prototype, std::uint32_t function) {
    ir::Function const& f = module.functions[function];
    if (f.is_entry) return "it is a kernel";
    auto const& targets = prototype.targets;
    if (!targets.empty()) {
        if (std::find(targets.begin(), targets.end(), function) != targets.end()) return {};
        std::string names;
        for (std::uint32_t const target : targets)
            names += (names.empty() ? "" : ", ") + module.functions[target].name;
        return "it is not among the targets of the call: " + names;
    }
    std::string const taken = difference(formals(prototype.parameters), formals(f, false), "takes");
    return taken.empty() ? difference(formals(prototype.returns), formals(f, true), "returns") : taken;
}

std::vector<std::uint32_t> functions_with_addresses(ir::Module const& module) {
    std::vector<bool> has(module.functions.size());
    for (ir::Variable const& variable : module.variables) {
        for (ir::Relocation const& r : variable.relocations) {
            if (r.is_function) has[r.index] = true;
        }
    }
    for (ir::Function const& function : module.functions) {
        for (ir::Instruction const& instruction : function.instructions) {
            if (module.forms[instruction.form].operation == isa::Operation::call)
                continue;  // a direct call takes no address
            for (ir::Operand const& operand : function.operands_of(instruction)) {
                if (operand.kind == ir::Operand::Kind::function) has[operand.index] = true;
            }
        }
    }
    std::vector<std::uint32_t> list;
    for (std::uint32_t f = 0; f < has.size(); ++f) {
        if (has[f]) list.push_back(f);
    }
    return list;
}

}  // namespace warpsim::sim
