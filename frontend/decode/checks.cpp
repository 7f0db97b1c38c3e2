// Combinations of modifiers, space and operands that the syntax lines allow but the ISA does not.
#include "frontend/decode/decoder.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::frontend {

namespace {

using isa::Modifier;
using isa::Operation;
using isa::Order;
using isa::StateSpace;
using isa::Type;

/// Finds the first modifier that begins so, in the text that was written: messages point to it.
bool starts_with_any(ir::Form const& form, std::string_view prefix, std::string_view& found) {
    auto const written = split_mnemonic(form.text).modifiers;
    auto const at = std::find_if(written.begin(), written.end(),
                                 [prefix](std::string_view modifier) { return modifier.starts_with(prefix); });
    if (at == written.end()) return false;
    found = *at;
    return true;
}

bool is_global(StateSpace space) { return space == StateSpace::global || space == StateSpace::generic; }

/// The first error; `where` is the modifier to point at, or empty for the whole mnemonic.
std::string memory_fault(ir::Module const& module, ir::Form const& form, std::string_view& where) {
    int const bits = isa::width(form.types[0]) * form.vector;
    if (form.operation == Operation::mov) return bits > 128 ? "mov takes at most 128 bits" : "";
    if (bits == 256 && !is_global(form.space)) return "an access of 256 bits is possible in .global only";
    if (bits == 256 && (module.version < 88 || (module.target_sm != 0 && module.target_sm < 100)))
        return "an access of 256 bits needs PTX version 8.8 and target sm_100 or higher";
    if (form.types[0] == Type::b128 && form.scope == isa::Scope::sys && module.version < 84)
        return "a '.b128' access of '.sys' scope needs PTX version 8.4";
    if (bits > 256 || (bits == 256 && form.types[0] == Type::b128)) return "a vector is at most 256 bits";
    if (form.has(Modifier::weak) && form.order != Order::weak) {
        starts_with_any(form, ".weak", where);
        return "'.weak' stands beside another order";
    }
    bool const is_ordered =
        form.order == Order::relaxed || form.order == Order::acquire || form.order == Order::release;
    bool const is_private = form.space == StateSpace::local || form.space == StateSpace::constant ||
                            form.space == StateSpace::param || form.space == StateSpace::param_entry ||
                            form.space == StateSpace::param_func;
    bool const is_volatile_local = form.space == StateSpace::local && module.version >= 91;
    if (form.has(Modifier::volatile_) && is_private && !is_volatile_local)
        return "a volatile access is possible in .global and .shared only";
    if (is_ordered && is_private) return "an ordered access is possible in .global and .shared only";
    if (starts_with_any(form, ".L1::", where) && !is_global(form.space))
        return quoted(where) + " is for .global only";
    if (starts_with_any(form, ".L2::evict", where)) {
        if (bits != 256) return quoted(where) + " needs an access of 256 bits, .v8.b32 or .v4.b64";
    }
    for (Modifier const size : {Modifier::L2_64B, Modifier::L2_128B, Modifier::L2_256B, Modifier::L2_cache_hint}) {
        if (form.has(size) && !is_global(form.space)) {
            starts_with_any(form, isa::name(size), where);
            return quoted(where) + " is for .global only";
        }
    }
    return {};
}

/// The source text of one operand of the instruction.
std::string_view operand_text(Decoder const& decoder, syntax::Instruction const& instruction,
                              std::size_t operand) {
    auto nodes = decoder.tree.node_range(instruction.operands);
    for (; operand > 0 && nodes.size() > nodes[0].size; --operand) nodes = nodes.subspan(nodes[0].size);
    return nodes.empty() ? instruction.mnemonic : nodes[0].text;
}

}  // namespace

void check_memory(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form) {
    bool const is_plain =
        form.modifiers.empty() || (form.modifiers.size() == 1 && form.space != StateSpace::generic);
    if (form.vector == 1 && is_plain && form.order == Order::weak) return;
    std::string_view where;
    std::string message = memory_fault(decoder.module, form, where);
    if (!message.empty())
        decoder.diagnostics.error(where.empty() ? instruction.mnemonic : where, std::move(message));
}

void check_policy(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form,
                  std::span<ir::Operand const> operands) {
    auto const is_constant = [&](std::size_t i) {
        return operands.size() > i && operands[i].kind == ir::Operand::Kind::immediate;
    };
    if (form.has(Modifier::fractional) && is_constant(1)) {
        float const fraction = std::bit_cast<float>(static_cast<std::uint32_t>(operands[1].value));
        if (!(fraction > 0 && fraction <= 1))
            decoder.diagnostics.error(operand_text(decoder, instruction, 1),
                                      "a fraction is above 0 and at most 1");
    }
    if (form.has(Modifier::range) && is_constant(2) && is_constant(3) && operands[2].value > operands[3].value) {
        decoder.diagnostics.error(operand_text(decoder, instruction, 2),
                                  "the primary size is at most the total size, " +
                                      std::to_string(operands[3].value));
    }
}

void check_barrier(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form,
                   std::span<ir::Operand const> operands) {
    bool const is_reduction = form.has(Modifier::red);
    std::size_t const id = is_reduction ? 1 : 0;
    if (operands.size() <= id) return;
    constexpr std::int64_t barriers = 16;
    auto const is_constant = [&](std::size_t i) { return operands[i].kind == ir::Operand::Kind::immediate; };
    if (is_constant(id) && (operands[id].value < 0 || operands[id].value >= barriers)) {
        decoder.diagnostics.error(operand_text(decoder, instruction, id),
                                  "a CTA has barriers 0 to 15, not " + std::to_string(operands[id].value));
    }
    bool const has_count = operands.size() > id + (is_reduction ? 2 : 1);
    if (has_count && is_constant(id + 1) && operands[id + 1].value % isa::warp_size != 0) {
        decoder.diagnostics.error(operand_text(decoder, instruction, id + 1),
                                  "the threads of a barrier are a multiple of the warp size, not " +
                                      std::to_string(operands[id + 1].value));
    }
}

}  // namespace warpsim::frontend
