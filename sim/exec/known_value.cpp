#include "sim/exec/known_value.hpp"

#include "frontend/ir/registers.hpp"

namespace warpsim::sim {

namespace {

/// Null if there is none, or more than one.
ir::Instruction const* only_writer(FunctionPlanner const& p, std::uint32_t written) {
    ir::Instruction const* writer = nullptr;
    for (ir::Instruction const& i : p.function().instructions) {
        bool writes = false;
        ir::for_each_register(p.module(), p.function(), i,
                              [&](std::uint32_t r, bool is_written) { writes |= is_written && r == written; });
        if (writes && writer != nullptr) return nullptr;
        if (writes) writer = &i;
    }
    return writer;
}

}  // namespace

std::optional<std::uint64_t> known_value(FunctionPlanner const& p, ir::Operand const& operand) {
    using Kind = ir::Operand::Kind;
    if (operand.kind == Kind::immediate) return static_cast<std::uint64_t>(operand.value);
    if (operand.kind != Kind::reg) return std::nullopt;
    ir::Instruction const* const writer = only_writer(p, operand.index);
    bool const is_move = writer != nullptr && ir::effect(p.module(), *writer) == isa::Effect::move &&
                         writer->operand_count == 2 && writer->guard == ir::none;
    if (!is_move) return std::nullopt;
    ir::Operand const& source = p.function().operands_of(*writer)[1];
    if (source.kind != Kind::immediate) return std::nullopt;
    return static_cast<std::uint64_t>(source.value);
}

}  // namespace warpsim::sim
