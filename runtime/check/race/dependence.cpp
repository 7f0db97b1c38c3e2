#include "runtime/check/race/dependence.hpp"

#include "frontend/ir/registers.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace warpsim::check {

using isa::Operation;

namespace {

bool is_of_arguments(isa::StateSpace space) {
    using enum isa::StateSpace;
    return space == param || space == param_entry || space == param_func || space == constant;
}

/// Whether an instruction gets its result from memory or from other threads.
bool brings_values(ir::Form const& form) {
    switch (form.operation) {
        case Operation::ld: return !is_of_arguments(form.space);
        case Operation::ldu:
        case Operation::ldmatrix:
        case Operation::atom:
        case Operation::call:
        case Operation::shfl:
        case Operation::vote:
        case Operation::match:
        case Operation::redux:
        case Operation::tex:
        case Operation::suld_b: return true;
        default: return false;
    }
}

/// Calls visit(instruction, index) for all that what these registers hold is computed from, until it says true; returns that.
template <class Visit>
bool for_each_source(ir::Module const& module, ir::Function const& function, std::vector<bool> is_needed,
                     Visit const& visit) {
    // Until nothing is added.
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
            ir::Instruction const& instruction = function.instructions[i];
            bool is_needed_here = false;
            ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
                is_needed_here |= is_written && reg < is_needed.size() && is_needed[reg];
            });
            if (!is_needed_here) continue;
            if (visit(instruction, i)) return true;
            ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
                if (is_written || reg >= is_needed.size() || is_needed[reg]) return;
                is_needed[reg] = has_grown = true;
            });
        }
    }
    return false;
}

bool leads_to(ir::Function const& function, std::uint32_t from, std::uint32_t to) {
    std::vector<bool> is_known(function.blocks.size(), false);
    std::vector<std::uint32_t> open{from};
    while (!open.empty()) {
        std::uint32_t const block = open.back();
        open.pop_back();
        for (std::uint32_t const next : function.blocks[block].successors) {
            if (next == to) return true;
            if (next >= is_known.size() || is_known[next]) continue;
            is_known[next] = true;
            open.push_back(next);
        }
    }
    return false;
}

}  // namespace

bool depends_on_memory(ir::Module const& module, ir::Function const& function, ir::Instruction const& store) {
    std::vector<bool> is_needed(function.registers.size(), false);
    for (ir::Operand const& operand : function.operands_of(store))
        if (operand.kind == ir::Operand::Kind::reg) is_needed[operand.index] = true;
    return for_each_source(
        module, function, std::move(is_needed),
        [&](ir::Instruction const& source, std::uint32_t) { return brings_values(module.forms[source.form]); });
}

bool decides_its_loop(ir::Module const& module, ir::Function const& function, std::uint32_t load) {
    std::uint32_t const home = function.block_of[load];
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        ir::Instruction const& branch = function.instructions[function.blocks[b].last];
        if (branch.guard == ir::none || module.forms[branch.form].operation != Operation::bra) continue;
        if (!leads_to(function, home, b) && home != b) continue;
        if (!leads_to(function, b, home)) continue;
        std::vector<bool> is_needed(function.registers.size(), false);
        is_needed[branch.guard] = true;
        bool const decides = for_each_source(module, function, std::move(is_needed),
                                             [&](ir::Instruction const&, std::uint32_t i) { return i == load; });
        if (decides) return true;
    }
    return false;
}

}  // namespace warpsim::check
