// Blocks and labels: the possible targets of branches, and tables of targets.
#include "frontend/decode/decoder.hpp"
#include <algorithm>

namespace warpsim::frontend {

namespace {

void resolve(Decoder& decoder, LabelUse const& use, Symbol const& symbol) {
    ir::Function& function = decoder.function();
    if (use.kind == LabelUse::Kind::branch_target) function.branch_targets[use.index][use.position] = symbol.index;
    else function.operands[use.index].index = symbol.index;
}

void report_label(Decoder& decoder, LabelUse const& use) {
    if (Found const other = decoder.symbols.find(use.name)) {
        decoder.diagnostics.error(use.where, quoted(use.name) + " is not a label");
        note_declaration(decoder, use.name);
        return;
    }
    auto const& known = decoder.function().labels;
    if (may_search(decoder) &&
        std::any_of(known.begin(), known.end(), [&](auto const& label) { return label.first == use.name; })) {
        decoder.diagnostics.error(use.where,
                                  "label " + quoted(use.name) + " is in a block that is not around this branch");
        return;
    }
    report_unknown(decoder, use.name, "label", use.where);
}

}  // namespace

void resolve_labels(Decoder& decoder, std::size_t first, bool is_outermost) {
    auto& uses = decoder.body->label_uses;
    std::size_t kept = first;
    for (std::size_t i = first; i < uses.size(); ++i) {
        Symbol const* const symbol = decoder.symbols.innermost(uses[i].name);
        if (symbol != nullptr && symbol->kind == Symbol::Kind::label) resolve(decoder, uses[i], *symbol);
        else if (is_outermost) report_label(decoder, uses[i]);
        else uses[kept++] = uses[i];
    }
    uses.resize(kept);
}

void open_block(Decoder& decoder, std::string_view text) {
    OpenBlock block{decoder.body->label_uses.size(), decoder.body->param_end, ir::none};
    if (text.starts_with('@')) {
        decoder.diagnostics.warning(text, "a guarded block is read as a branch around it");
        block.skip = static_cast<std::uint32_t>(decoder.function().operands.size());
        append_implied(decoder, "bra", text, text.substr(0, text.find('{')));
        ir::Instruction& branch = decoder.function().instructions.back();
        branch.guard_negated = !branch.guard_negated;
        append(decoder, ir::Operand::Kind::label, isa::Type::none);
        branch.operand_count = 1;
    }
    decoder.symbols.open_scope();
    decoder.body->blocks.push_back(block);
}

void close_block(Decoder& decoder) {
    if (decoder.body->blocks.empty()) return;
    OpenBlock const block = decoder.body->blocks.back();
    decoder.body->blocks.pop_back();
    resolve_labels(decoder, block.first_label_use, false);
    decoder.body->param_end = block.param_end;  // the space for a call's arguments becomes free again
    ir::Function& function = decoder.function();
    if (block.skip != ir::none)
        function.operands[block.skip].index = static_cast<std::uint32_t>(function.instructions.size());
    decoder.symbols.close_scope();
}

void declare_label(Decoder& decoder, std::string_view label) {
    ir::Function& function = decoder.function();
    Symbol symbol;
    symbol.kind = Symbol::Kind::label;
    symbol.index = static_cast<std::uint32_t>(function.instructions.size());
    symbol.name = label;
    symbol.declared_at = label;
    if (enter(decoder, symbol, label)) function.labels.emplace_back(label, symbol.index);
}

namespace {

void add_branch_target(Decoder& decoder, std::string_view label, std::uint32_t table, std::string_view where) {
    auto& targets = decoder.function().branch_targets[table];
    LabelUse use;
    use.kind = LabelUse::Kind::branch_target;
    use.index = table;
    use.position = static_cast<std::uint32_t>(targets.size());
    use.name = label;
    use.where = where;
    targets.push_back(0);
    decoder.body->label_uses.push_back(use);
}

/// How many names `N<3>` stands for in a list; reports an error and returns 0 if the count is not valid.
std::uint64_t family_size(Decoder& decoder, std::span<syntax::Node const> nodes) {
    auto const count = nodes.size() > 1 ? parse_literal(nodes[1].text) : std::nullopt;
    constexpr std::uint64_t most = 1u << 16;
    constexpr std::uint64_t most_made = 1u << 20;
    bool const is_legal = count && count->is_integer() && count->bits != 0 && count->bits <= most &&
                          count->bits + decoder.made_names.size() <= most_made;
    if (!is_legal) decoder.diagnostics.error(nodes[0].text, "illegal number of names");
    return is_legal ? count->bits : 0;
}

/// `N<3>` in a list stands for the labels N0, N1, N2.
void add_label_family(Decoder& decoder, std::span<syntax::Node const> nodes, std::uint32_t table) {
    std::uint64_t const count = family_size(decoder, nodes);
    for (std::uint64_t i = 0; i < count; ++i) {
        add_branch_target(decoder, decoder.made_names.emplace_back(std::string(nodes[0].text) + std::to_string(i)),
                          table, nodes[0].text);
    }
}

/// The functions that a list names; `f<3>` stands for f0, f1, f2. Reports an error and returns false when one of
/// them is unknown.
bool call_targets(Decoder& decoder, std::span<syntax::Node const> nodes, std::vector<std::uint32_t>& targets) {
    auto const add = [&](std::string_view name, std::string_view where) {
        Found const found = decoder.symbols.find(name);
        if (!found || found.symbol->kind != Symbol::Kind::function) {
            report_unknown(decoder, name, "function", where);
            return false;
        }
        if (!targets.empty() && !same_signature(decoder.signatures[targets[0]], decoder.signatures[found.index])) {
            decoder.diagnostics.error(where, "the functions of a .calltargets list have the same parameters");
            return false;
        }
        targets.push_back(found.index);
        return true;
    };
    for (; !nodes.empty(); nodes = after(nodes)) {
        if (nodes[0].kind != syntax::Node::Kind::family) {
            if (!add(nodes[0].text, nodes[0].text)) return false;
            continue;
        }
        std::uint64_t const count = family_size(decoder, nodes);
        if (count == 0) return false;
        for (std::uint64_t i = 0; i < count; ++i) {
            std::string& name = decoder.made_names.emplace_back(std::string(nodes[0].text) + std::to_string(i));
            if (!add(name, nodes[0].text)) return false;
        }
    }
    return true;
}

void declare_call_targets(Decoder& decoder, syntax::Directive const& directive, std::string_view label) {
    require(decoder, directive.text, ".calltargets", 21, 20);
    std::vector<std::uint32_t> targets;
    if (!call_targets(decoder, decoder.tree.node_range(directive.operands), targets)) return;
    Symbol symbol;
    symbol.kind = Symbol::Kind::prototype;
    symbol.index = static_cast<std::uint32_t>(decoder.module.prototypes.size());
    symbol.name = label;
    symbol.declared_at = label;
    if (enter(decoder, symbol, label)) add_call_targets(decoder, std::move(targets));
}

}  // namespace

std::uint32_t add_call_targets(Decoder& decoder, std::vector<std::uint32_t> targets) {
    Signature const& common = decoder.signatures[targets.front()];
    ir::Prototype prototype;
    auto const copy = [](std::vector<Formal> const& formals, std::vector<ir::Variable>& variables) {
        for (Formal const& formal : formals) {
            ir::Variable made;
            made.space = formal.in_register ? isa::StateSpace::reg : isa::StateSpace::param;
            made.type = formal.type;
            made.size = formal.size / formal.vector;
            made.align = formal.align;
            made.is_array = formal.is_array;
            variables.insert(variables.end(), formal.vector, made);
        }
    };
    copy(common.returns, prototype.returns);
    copy(common.parameters, prototype.parameters);
    prototype.targets = std::move(targets);
    decoder.prototypes.push_back(common);
    decoder.module.prototypes.push_back(std::move(prototype));
    return static_cast<std::uint32_t>(decoder.prototypes.size() - 1);
}

void declare_targets(Decoder& decoder, syntax::Directive const& directive, std::string_view label) {
    if (label.empty()) {
        decoder.diagnostics.error(directive.text, quoted(directive.name) + " needs a label before it");
        return;
    }
    if (directive.name == ".calltargets") {
        declare_call_targets(decoder, directive, label);
        return;
    }
    require(decoder, directive.text, ".branchtargets", 60, 30);
    auto const table = static_cast<std::uint32_t>(decoder.function().branch_targets.size());
    Symbol symbol;
    symbol.kind = Symbol::Kind::branch_targets;
    symbol.index = table;
    symbol.name = label;
    symbol.declared_at = label;
    if (!enter(decoder, symbol, label)) return;
    decoder.function().branch_targets.emplace_back();
    for (auto nodes = decoder.tree.node_range(directive.operands); !nodes.empty();
         nodes = nodes.subspan(nodes[0].size)) {
        if (nodes[0].kind == syntax::Node::Kind::family) add_label_family(decoder, nodes, table);
        else add_branch_target(decoder, nodes[0].text, table, nodes[0].text);
    }
}

}  // namespace warpsim::frontend
