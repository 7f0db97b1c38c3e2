// Calls: the target, its signature, and the arguments that must match it.
#include "frontend/decode/decoder.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;
using OperandKind = ir::Operand::Kind;

/// The parts of `call (returns), target, (arguments), prototype;` a missing part is empty.
struct Parts {
    std::span<Node const> returns;
    std::span<Node const> target;
    std::span<Node const> arguments;
    std::span<Node const> prototype;
    bool are_complete = false;
};

Parts parts_of(std::span<Node const> nodes) {
    Parts parts;
    if (!nodes.empty() && nodes[0].kind == NodeKind::tuple) {
        parts.returns = nodes.first(nodes[0].size);
        nodes = after(nodes);
    }
    if (nodes.empty() || nodes[0].kind != NodeKind::name) return parts;
    parts.target = nodes.first(1);
    nodes = after(nodes);
    if (!nodes.empty() && nodes[0].kind == NodeKind::tuple) {
        parts.arguments = nodes.first(nodes[0].size);
        nodes = after(nodes);
    }
    if (!nodes.empty() && nodes[0].kind == NodeKind::name) {
        parts.prototype = nodes.first(1);
        nodes = after(nodes);
    }
    parts.are_complete = nodes.empty();
    return parts;
}

class CallDecoder {
public:
    CallDecoder(Decoder& decoder, syntax::Instruction const& instruction)
        : decoder_(decoder), instruction_(instruction) {}

    bool decode() {
        Parts const parts = parts_of(decoder_.tree.node_range(instruction_.operands));
        if (!parts.are_complete) {
            decoder_.diagnostics.error(instruction_.text,
                                       "a call is written: call (returns), target, (arguments), prototype;");
            return false;
        }
        Signature const* const signature = find_signature(parts);
        if (signature == nullptr) return false;
        if (!list(parts.returns, signature->returns, *signature, true)) return false;
        append_target();
        if (!list(parts.arguments, signature->parameters, *signature, false)) return false;
        if (prototype_ != ir::none) append(decoder_, OperandKind::prototype, Type::none).index = prototype_;
        return true;
    }

private:
    Signature const* find_signature(Parts const& parts) {
        Node const& name = parts.target[0];
        target_name_ = name.text;
        Found const found = decoder_.symbols.find(name.text);
        if (!found) {
            report_unknown(decoder_, name.text, "function");
            return nullptr;
        }
        if (found.symbol->kind == Symbol::Kind::function) {
            if (decoder_.module.functions[found.index].is_entry) {
                decoder_.diagnostics.error(name.text, quoted(name.text) +
                                                          " is a kernel; only functions (.func) can be called");
                return nullptr;
            }
            target_ = found;
            return &decoder_.signatures[found.index];
        }
        bool const is_register = is_scalar_register(*found.symbol);
        if (!is_register ||
            !(agrees(found.symbol->type, Type::u64, false) || agrees(found.symbol->type, Type::u32, false))) {
            decoder_.diagnostics.error(name.text,
                                       quoted(name.text) +
                                           " is neither a function nor a register that holds the address of one");
            return nullptr;
        }
        target_ = found;
        return find_prototype(parts);
    }

    Signature const* find_prototype(Parts const& parts) {
        if (parts.prototype.empty()) {
            decoder_.diagnostics.error(instruction_.text,
                                       "an indirect call ends in the label of a .callprototype or .calltargets");
            return nullptr;
        }
        Node const& name = parts.prototype[0];
        Found const found = decoder_.symbols.find(name.text);
        if (found && found.symbol->kind == Symbol::Kind::module_variable) return find_table(name, found);
        if (!found || found.symbol->kind != Symbol::Kind::prototype) {
            if (!found) report_unknown(decoder_, name.text, "prototype");
            else
                decoder_.diagnostics.error(name.text, quoted(name.text) +
                                                          " is not the label of a .callprototype or .calltargets");
            return nullptr;
        }
        prototype_ = found.index;
        return &decoder_.prototypes[found.index];
    }

    /// A variable that is initialized to a list of functions serves as their `.calltargets`.
    Signature const* find_table(Node const& name, Found const& found) {
        auto const [entry, is_new] = decoder_.call_tables.try_emplace(found.index, ir::none);
        if (is_new) entry->second = prototype_of_table(name, decoder_.module.variables[found.index]);
        if (entry->second == ir::none) return nullptr;
        prototype_ = entry->second;
        return &decoder_.prototypes[prototype_];
    }

    std::uint32_t prototype_of_table(Node const& name, ir::Variable const& table) {
        std::vector<std::uint32_t> targets;
        bool is_table = table.is_array && !table.relocations.empty();
        for (ir::Relocation const& relocation : table.relocations) {
            is_table = is_table && relocation.is_function && relocation.index != ir::none;
            if (is_table) targets.push_back(relocation.index);
        }
        if (!is_table) {
            decoder_.diagnostics.error(name.text, quoted(name.text) +
                                                      " is neither a label of .callprototype or .calltargets, "
                                                      "nor an array of functions");
            note_declaration(decoder_, name.text);
            return ir::none;
        }
        bool const is_common = std::all_of(targets.begin(), targets.end(), [&](std::uint32_t target) {
            return same_signature(decoder_.signatures[targets[0]], decoder_.signatures[target]);
        });
        if (is_common) return add_call_targets(decoder_, std::move(targets));
        decoder_.diagnostics.error(name.text,
                                   "the functions of " + quoted(name.text) + " differ in their parameters");
        note_declaration(decoder_, name.text);
        return ir::none;
    }

    void append_target() {
        if (target_.symbol->kind == Symbol::Kind::function) {
            append(decoder_, OperandKind::function, Type::none).index = target_.index;
        } else {
            append(decoder_, OperandKind::reg, target_.symbol->type).index = target_.index;
        }
    }

    bool list(std::span<Node const> tuple, std::vector<Formal> const& formals, Signature const& signature,
              bool is_return) {
        std::size_t const at = decoder_.function().operands.size();
        append(decoder_, OperandKind::list, Type::none);
        std::size_t count = 0;
        bool ok = true;
        if (!tuple.empty()) {
            for (auto rest = children(tuple); !rest.empty(); rest = after(rest)) {
                if (count < formals.size()) ok = argument(rest, formals[count], is_return) && ok;
                ++count;
            }
        }
        bool const last_is_open =
            !is_return && !formals.empty() && formals.back().is_array && formals.back().size == 0;
        bool const right_count = count == formals.size() || (last_is_open && count + 1 == formals.size());
        if (!right_count) {
            std::string_view const where = tuple.empty() ? instruction_.text : tuple[0].text;
            decoder_.diagnostics.error(where, quoted(target_name_) + " takes " + std::to_string(formals.size()) +
                                                  (is_return ? " return value" : " argument") +
                                                  (formals.size() == 1 ? "" : "s") + ", not " +
                                                  std::to_string(count));
            if (!signature.declared_at.empty()) decoder_.diagnostics.note(signature.declared_at, "declared here");
            return false;
        }
        decoder_.function().operands[at].count =
            static_cast<std::uint16_t>(decoder_.function().operands.size() - at - 1);
        return ok;
    }

    /// A .param variable stands for itself; every other argument must have the type of the formal parameter.
    bool argument(std::span<Node const> nodes, Formal const& formal, bool is_return) {
        Node const& node = nodes[0];
        if (node.kind == NodeKind::name) {
            Found const found = decoder_.symbols.find(node.text);
            if (found && found.symbol->kind == Symbol::Kind::function_variable)
                return param_argument(node, found, formal, is_return);
        }
        if (formal.is_array && node.text != "_") {
            decoder_.diagnostics.error(
                node.text, "an array is passed in a .param variable" +
                               (formal.size == 0 ? "" : " of " + std::to_string(formal.size) + " bytes"));
            return false;
        }
        Wanted wanted;
        wanted.type = formal.type;
        wanted.is_destination = is_return;
        wanted.can_be_sink = is_return;
        wanted.is_argument = true;
        wanted.vector = formal.vector;
        std::size_t const at = decoder_.function().operands.size();
        return decode_operand(decoder_, nodes, wanted) &&
               (formal.vector == 1 || take_apart(node, at, formal.vector));
    }

    /// Elements of a vector are arguments of their own.
    bool take_apart(Node const& node, std::size_t at, unsigned count) {
        auto& operands = decoder_.function().operands;
        if (operands[at].kind == OperandKind::vector) {
            operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (operands[at].kind == OperandKind::sink) {
            operands.resize(at + count, operands[at]);
        } else {
            decoder_.diagnostics.error(node.text,
                                       "a list of " + std::to_string(count) + " in braces is wanted here");
            return false;
        }
        return true;
    }

    bool param_argument(Node const& node, Found const& found, Formal const& formal, bool is_return) {
        ir::Variable const& variable = decoder_.function().variables[found.index];
        if (variable.space != isa::StateSpace::param) {
            decoder_.diagnostics.error(node.text,
                                       quoted(node.text) + " is in ." + std::string(isa::name(variable.space)) +
                                           "; an argument is a register, a constant or a .param variable");
            return false;
        }
        if (is_parameter(decoder_.function(), found.index) || is_return_value(decoder_.function(), found.index)) {
            decoder_.diagnostics.error(node.text, quoted(node.text) +
                                                      " is a parameter of the calling function; an argument is "
                                                      "a register, a constant or a .param variable of its own");
            return false;
        }
        bool const any_size = formal.is_array && formal.size == 0;
        bool const matches = variable.is_array == formal.is_array && (any_size || variable.size == formal.size) &&
                             (formal.is_array || agrees(variable.type, formal.type, false));
        if (matches && formal.is_array && variable.align != formal.align) {
            decoder_.diagnostics.error(node.text, quoted(node.text) + " is aligned to " +
                                                      std::to_string(variable.align) + " bytes, the " +
                                                      (is_return ? "return value" : "parameter") + " to " +
                                                      std::to_string(formal.align));
            return false;
        }
        if (!matches) {
            decoder_.diagnostics.error(
                node.text, quoted(node.text) + " (" + describe(variable.type, variable.size, variable.is_array) +
                               ") does not match the " + (is_return ? "return value" : "parameter") + " (" +
                               describe(formal.type, formal.size, formal.is_array) + ")");
            return false;
        }
        append(decoder_, OperandKind::param, formal.type).index = found.index;
        return true;
    }

    static std::string describe(Type type, std::uint64_t size, bool is_array) {
        std::string text = type_text(type);
        if (is_array) text += ", an array of " + std::to_string(size) + " bytes";
        return text;
    }

    Decoder& decoder_;
    syntax::Instruction const& instruction_;
    Found target_;
    std::string_view target_name_;
    std::uint32_t prototype_ = ir::none;
};

}  // namespace

bool decode_call(Decoder& decoder, syntax::Instruction const& instruction) {
    return CallDecoder(decoder, instruction).decode();
}

}  // namespace warpsim::frontend
