// Headers of kernels, functions and prototypes, and the ends of their bodies.
#include "frontend/decode/decoder.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::StateSpace;
using isa::Type;

Formal formal_of(ir::Variable const& variable) {
    return {variable.type, variable.size, variable.align, variable.is_array, false, 1};
}

Formal formal_of_register(Type type, std::uint32_t vector) {
    auto const bytes = static_cast<std::uint64_t>(isa::width(type) + 7) / 8;
    return {type, bytes * vector, static_cast<std::uint32_t>(bytes), false, true, vector};
}

// ---- parameters ----------------------------------------------------------------------------------------------

std::uint64_t most_parameter_bytes(ir::Module const& module) {
    if (module.version >= 81 && module.target_sm >= 70) return 32764;
    return module.version >= 15 ? 4352 : 256;
}

class Parameters {
public:
    Parameters(Decoder& decoder, ir::Function& function) : decoder_(decoder), function_(function) {}

    void declare(syntax::Range range, bool is_return, Signature& signature) {
        for (std::uint32_t i = 0; i < range.count; ++i) {
            syntax::Variable const& declared = decoder_.tree.variables[range.first + i];
            syntax::Declarator const& declarator = decoder_.tree.declarators[declared.declarators.first];
            auto& formals = is_return ? signature.returns : signature.parameters;
            bool const is_last = i + 1 == range.count;
            if (declarator.initializer.count > 0) {
                decoder_.diagnostics.error(declarator.text, "a parameter cannot be initialized");
            }
            if (declarator.name == "_") {
                decoder_.diagnostics.error(declared.text, "only the parameters of a .callprototype need no name");
            }
            std::size_t const errors = decoder_.diagnostics.error_count();
            if (declared.space == ".reg") formals.push_back(in_register(declared, declarator, is_return));
            else formals.push_back(in_memory(declared, declarator, is_return, is_last));
            if (decoder_.diagnostics.error_count() != errors) excuse(decoder_, declarator.name);
        }
    }
    std::uint64_t end() const { return end_; }

private:
    Formal in_register(syntax::Variable const& declared, syntax::Declarator const& declarator, bool is_return) {
        if (function_.is_entry) {
            decoder_.diagnostics.error(declared.text, "the parameters of a kernel are in .param, not in .reg");
        }
        Type const type = has_type(decoder_, declared) ? register_type(decoder_, declared.type) : Type::none;
        if (type == Type::none) return {};
        unsigned const vector = vector_length(declared.vector);
        Symbol symbol;
        symbol.kind = vector > 1 ? Symbol::Kind::register_vector : Symbol::Kind::reg;
        symbol.type = type;
        symbol.count = vector;
        symbol.name = declarator.name;
        symbol.declared_at = declared.text;
        symbol.index = static_cast<std::uint32_t>(function_.registers.size());
        if (declarator.name == "_" || enter(decoder_, symbol, declarator.name)) {
            note(is_return, add_registers(decoder_, declarator.name, type, vector, false), true);
        }
        return formal_of_register(type, vector);
    }

    Formal in_memory(syntax::Variable const& declared, syntax::Declarator const& declarator, bool is_return,
                     bool is_last) {
        auto variable = make_variable(decoder_, declared, declarator);
        if (!variable) return {};
        if (variable->space != StateSpace::param) {
            decoder_.diagnostics.error(declared.text, "a parameter is in .param or .reg");
            return {};
        }
        if (variable->is_array && variable->size == 0 && (!is_last || is_return || function_.is_entry)) {
            decoder_.diagnostics.error(declared.text,
                                       "only the last parameter of a function can be of unknown size");
        }
        if (variable->is_array && variable->size == 0) require(decoder_, declared.text, "a parameter []", 60, 30);
        check_parameter(declared, *variable);
        variable->offset = align_up(end_, variable->align);
        end_ = variable->offset + variable->size;
        Formal const formal = formal_of(*variable);
        Symbol symbol;
        symbol.kind = Symbol::Kind::function_variable;
        symbol.type = variable->type;
        symbol.index = static_cast<std::uint32_t>(function_.variables.size());
        symbol.name = declarator.name;
        symbol.declared_at = declared.text;
        if (declarator.name != "_" && !enter(decoder_, symbol, declarator.name)) return formal;
        note(is_return, symbol.index, false);
        function_.variables.push_back(std::move(*variable));
        return formal;
    }

    void check_pointer(syntax::Variable const& declared) {
        if (declared.pointer_space == ".param") {
            decoder_.diagnostics.error(declared.pointer_space, "a pointer leads to .global .const .shared or .local");
        }
        if (declared.pointer_align.count == 0) return;
        auto const align = integer_value(decoder_, declared.pointer_align, declared.text);
        if (align && (*align == 0 || (*align & (*align - 1)) != 0)) {
            decoder_.diagnostics.error(declared.text, "an alignment must be a power of two, not " +
                                                          std::to_string(*align));
        }
    }

    void check_parameter(syntax::Variable const& declared, ir::Variable const& variable) {
        if (variable.is_pointer) check_pointer(declared);
        if (function_.is_entry) {
            if (!declared.vector.empty() || variable.type == Type::f16x2) {
                decoder_.diagnostics.error(declared.text, "a parameter in .param can be neither a vector nor .f16x2");
            }
            return;
        }
        bool const is_opaque = isa::width(variable.type) == 0;
        if (is_opaque || !declared.vector.empty()) {
            decoder_.diagnostics.error(declared.text, "a function takes neither textures nor vectors in .param");
        } else if (variable.is_pointer) {
            decoder_.diagnostics.error(declared.text, "'.ptr' is for the parameters of kernels");
        } else if (variable.align > 128) {
            decoder_.diagnostics.error(declared.text, "a parameter is aligned to 128 bytes at most");
        }
    }

    void note(bool is_return, std::uint32_t index, bool in_register) {
        (is_return ? function_.returns : function_.parameters).push_back(index);
        (is_return ? function_.return_in_register : function_.parameter_in_register).push_back(in_register);
    }

    Decoder& decoder_;
    ir::Function& function_;
    std::uint64_t end_ = 0;
};

// ---- launch bounds -------------------------------------------------------------------------------------------

std::vector<std::uint32_t> numbers(Decoder& decoder, syntax::Directive const& directive) {
    std::vector<std::uint32_t> values;
    for (syntax::Node const& node : decoder.tree.node_range(directive.operands)) {
        std::optional<Constant> value;
        if (node.kind == syntax::Node::Kind::expression)
            value = evaluate(decoder.tree.token_range(node.tokens)).value;
        else value = parse_literal(node.text);
        bool const is_cluster = directive.name == ".reqnctapercluster" || directive.name == ".maxclusterrank";
        if (value && value->is_integer() && value->bits == 0 && is_cluster) {
            decoder.diagnostics.warning(node.text, "a cluster has at least one CTA; the directive is ignored");
            return {};
        }
        if (!value || !value->is_integer() || node.minus || value->bits == 0 || value->bits > UINT32_MAX) {
            decoder.diagnostics.error(node.text, quoted(directive.name) + " takes positive integers");
            return {};
        }
        values.push_back(static_cast<std::uint32_t>(value->bits));
    }
    return values;
}

void extents(Decoder& decoder, syntax::Directive const& directive, std::array<std::uint32_t, 3>& to) {
    std::vector<std::uint32_t> const values = numbers(decoder, directive);
    if (values.size() > 3) {
        decoder.diagnostics.error(directive.text, quoted(directive.name) + " takes at most three extents");
        return;
    }
    if (values.empty()) return;
    to = {1, 1, 1};
    std::copy(values.begin(), values.end(), to.begin());
}

void single(Decoder& decoder, syntax::Directive const& directive, std::uint32_t& to) {
    std::vector<std::uint32_t> const values = numbers(decoder, directive);
    if (values.size() == 1) to = values[0];
    else if (!values.empty())
        decoder.diagnostics.error(directive.text, quoted(directive.name) + " takes one number");
}

void read_bound(Decoder& decoder, syntax::Directive const& directive, ir::LaunchBounds& bounds) {
    std::string_view const name = directive.name;
    if (name == ".maxntid") extents(decoder, directive, bounds.max_threads);
    else if (name == ".reqntid") extents(decoder, directive, bounds.required_threads);
    else if (name == ".reqnctapercluster") extents(decoder, directive, bounds.required_cluster);
    else if (name == ".minnctapersm") single(decoder, directive, bounds.min_ctas_per_sm);
    else if (name == ".maxnctapersm") {
        std::uint32_t most = 0;
        single(decoder, directive, most);
        // PTX 2.0 renamed it to what it meant.
        if (decoder.module.version < 20) bounds.min_ctas_per_sm = most;
        else decoder.diagnostics.warning(directive.text, "'.maxnctapersm' ended with PTX version 2.0 and is ignored");
    }
    else if (name == ".maxnreg") single(decoder, directive, bounds.max_registers);
    else if (name == ".maxclusterrank") single(decoder, directive, bounds.max_cluster_rank);
    else if (name == ".explicitcluster") bounds.explicit_cluster = true;
    else if (name == ".blocksareclusters") bounds.blocks_are_clusters = true;
    else if (name != ".pragma" && name != ".noreturn" && name != ".abi_preserve" &&
             name != ".abi_preserve_control") {
        decoder.diagnostics.error(directive.text, quoted(name) + " cannot stand before a function's body");
    }
}

/// What brought a directive: its PTX version and target.
struct Since {
    std::string_view name;
    int version;
    int sm;
};
constexpr Since directives[] = {
    {".maxnreg", 13, 0},           {".maxntid", 13, 0},       {".reqntid", 21, 0},
    {".minnctapersm", 20, 0},      {".maxnctapersm", 13, 0},  {".reqnctapercluster", 78, 90},
    {".explicitcluster", 78, 90},  {".maxclusterrank", 78, 90}, {".blocksareclusters", 90, 90},
    {".abi_preserve", 90, 80},     {".abi_preserve_control", 90, 80},
};

void check_since(Decoder& decoder, syntax::Directive const& directive) {
    auto const* const found = std::find_if(std::begin(directives), std::end(directives),
                                           [&](Since const& since) { return since.name == directive.name; });
    if (found != std::end(directives)) require(decoder, directive.text, found->name, found->version, found->sm);
}

/// `.abi_preserve` may stand once; of the others the last one counts, as with ptxas.
void check_twice(Decoder& decoder, syntax::Function const& declared, std::uint32_t at) {
    syntax::Directive const* const all = decoder.tree.directives.data() + declared.directives.first;
    if (!all[at].name.starts_with(".abi")) return;
    for (std::uint32_t i = 0; i < at; ++i) {
        if (all[i].name != all[at].name) continue;
        decoder.diagnostics.error(all[at].text, quoted(all[at].name) + " stands here twice");
        decoder.diagnostics.note(all[i].text, "first here");
    }
}

void report_exclusion(Decoder& decoder, syntax::Function const& declared, std::string_view one,
                      std::string_view other) {
    std::string_view places[2];  // the first of them, and the last
    for (std::uint32_t i = 0; i < declared.directives.count; ++i) {
        syntax::Directive const& directive = decoder.tree.directives[declared.directives.first + i];
        if (directive.name == one || directive.name == other)
            places[places[0].empty() ? 0 : 1] = directive.text;
    }
    decoder.diagnostics.error(places[1], std::string(one) + " and " + std::string(other) + " exclude each other");
    decoder.diagnostics.note(places[0], "the other is here");
}

void read_bounds(Decoder& decoder, syntax::Function const& declared, ir::Function& function) {
    for (std::uint32_t i = 0; i < declared.directives.count; ++i) {
        syntax::Directive const& directive = decoder.tree.directives[declared.directives.first + i];
        bool const is_bound = directive.name.starts_with(".m") || directive.name.starts_with(".req") ||
                              directive.name.ends_with("cluster") || directive.name.ends_with("clusters");
        if (function.is_entry && directive.name.starts_with(".abi")) {
            decoder.diagnostics.error(directive.text,
                                      quoted(directive.name) + " belongs to functions (.func) only");
            continue;
        }
        if (is_bound && !function.is_entry) {
            decoder.diagnostics.error(directive.text,
                                      quoted(directive.name) + " belongs to kernels (.entry) only");
            continue;
        }
        check_since(decoder, directive);
        check_twice(decoder, declared, i);
        read_bound(decoder, directive, function.bounds);
    }
    ir::LaunchBounds const& bounds = function.bounds;
    if (bounds.max_threads[0] != 0 && bounds.required_threads[0] != 0) {
        report_exclusion(decoder, declared, ".maxntid", ".reqntid");
    }
    bool const has_size = bounds.max_threads[0] != 0 || bounds.required_threads[0] != 0;
    if (bounds.min_ctas_per_sm != 0 && !has_size && decoder.module.version >= 21) {
        decoder.diagnostics.warning(declared.text, ".minnctapersm counts only with .maxntid or .reqntid");
        function.bounds.min_ctas_per_sm = 0;
    }
    if (bounds.max_cluster_rank != 0 && bounds.required_cluster[0] != 0) {
        report_exclusion(decoder, declared, ".maxclusterrank", ".reqnctapercluster");
    }
    if (bounds.blocks_are_clusters && (bounds.required_threads[0] == 0 || bounds.required_cluster[0] == 0)) {
        decoder.diagnostics.error(declared.text, ".blocksareclusters needs .reqntid and .reqnctapercluster");
    }
}

// ---- declarations --------------------------------------------------------------------------------------------

bool same_formals(std::vector<Formal> const& a, std::vector<Formal> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Formal const& x, Formal const& y) {
        return x.type == y.type && x.size == y.size && x.align == y.align && x.is_array == y.is_array &&
               x.in_register == y.in_register && x.vector == y.vector;
    });
}

void check_linkage(Decoder& decoder, syntax::Function const& declared) {
    if (declared.linkage == ".common") {
        decoder.diagnostics.error(declared.linkage, "only variables in .global can be .common");
    } else if (declared.linkage == ".extern" && declared.has_body) {
        decoder.diagnostics.error(declared.linkage, quoted(declared.name) + " is .extern and has a body");
    } else if (declared.linkage == ".weak") {
        require(decoder, declared.linkage, ".weak", 31);
    }
    if (declared.attributes.count == 0) return;
    auto const nodes = decoder.tree.node_range(declared.attributes);
    if (nodes[0].text.starts_with(".unified")) require(decoder, nodes[0].text, ".unified", 80, 90);
    else decoder.diagnostics.error(nodes[0].text, "a function has the attribute .unified only");
}

/// A later declaration may leave the linkage out, and must otherwise repeat it.
void check_redeclaration(Decoder& decoder, syntax::Function const& declared, std::uint32_t index) {
    ir::Function const& known = decoder.module.functions[index];
    Signature const& signature = decoder.signatures[index];
    std::string message;
    if (known.has_body) {
        message = quoted(declared.name) + (declared.has_body ? " is defined twice" : " is declared after its definition");
    } else if (!declared.linkage.empty() && declared.linkage != signature.linkage) {
        message = quoted(declared.name) + " is " + std::string(declared.linkage) + " here and " +
                  (signature.linkage.empty() ? "private" : std::string(signature.linkage)) + " in an earlier declaration";
    } else if (signature.linkage == ".extern" && declared.has_body) {
        message = quoted(declared.name) + " is defined here and .extern in an earlier declaration";
    } else if (known.is_noreturn != declared.noreturn) {
        message = quoted(declared.name) + " differs from an earlier declaration in .noreturn";
    }
    if (message.empty()) return;
    decoder.diagnostics.error(declared.name, std::move(message));
    decoder.diagnostics.note(signature.declared_at, "first declared here");
}

/// The function of this name in the module, made when it is new. `none` when the name is taken.
std::uint32_t function_named(Decoder& decoder, syntax::Function const& declared) {
    if (declared.name.empty()) return ir::none;  // its header could not be read
    if (Found const found = decoder.symbols.find(declared.name)) {
        bool const is_function = found.symbol->kind == Symbol::Kind::function;
        ir::Function const* const known = is_function ? &decoder.module.functions[found.index] : nullptr;
        bool const same_kind =
            known != nullptr && known->is_entry == (declared.kind == syntax::Function::Kind::entry);
        if (same_kind) {
            bool const is_defined = known->has_body;
            check_redeclaration(decoder, declared, found.index);
            return is_defined ? ir::none : found.index;
        }
        std::string_view const where = found.symbol->declared_at;
        decoder.diagnostics.error(declared.name, quoted(declared.name) + " is declared twice");
        decoder.diagnostics.note(where, "first declared here");
        return ir::none;
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::function;
    symbol.index = static_cast<std::uint32_t>(decoder.module.functions.size());
    symbol.name = declared.name;
    symbol.declared_at = declared.name;
    decoder.symbols.declare(symbol);
    decoder.module.functions.emplace_back();
    decoder.signatures.emplace_back();
    return symbol.index;
}

void begin_prototype(Decoder& decoder, syntax::Function const& declared, std::string_view label) {
    ir::Prototype prototype;
    Signature signature;
    auto const read = [&](syntax::Range range, std::vector<ir::Variable>& variables,
                          std::vector<Formal>& formals) {
        for (std::uint32_t i = 0; i < range.count; ++i) {
            syntax::Variable const& variable = decoder.tree.variables[range.first + i];
            syntax::Declarator const& declarator = decoder.tree.declarators[variable.declarators.first];
            if (variable.space == ".reg") {
                if (!has_type(decoder, variable)) continue;
                ir::Variable made;
                made.space = StateSpace::reg;
                made.type = register_type(decoder, variable.type);
                formals.push_back(formal_of_register(made.type, vector_length(variable.vector)));
                made.size = formals.back().size;
                variables.push_back(made);
            } else if (auto made = make_variable(decoder, variable, declarator)) {
                formals.push_back(formal_of(*made));
                variables.push_back(std::move(*made));
            }
        }
    };
    read(declared.returns, prototype.returns, signature.returns);
    read(declared.parameters, prototype.parameters, signature.parameters);
    signature.declared_at = declared.text;
    require(decoder, declared.text, ".callprototype", 21, 20);
    if (declared.noreturn) require(decoder, declared.text, ".noreturn", 64, 30);
    if (declared.noreturn && !signature.returns.empty()) {
        decoder.diagnostics.error(declared.text, "a function that does not return has no return parameters");
    }
    if (label.empty()) {
        decoder.diagnostics.error(declared.text, "a .callprototype needs a label before it");
        return;
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::prototype;
    symbol.index = static_cast<std::uint32_t>(decoder.module.prototypes.size());
    symbol.name = label;
    symbol.declared_at = label;
    if (!enter(decoder, symbol, label)) return;
    decoder.module.prototypes.push_back(std::move(prototype));
    decoder.prototypes.push_back(std::move(signature));
}

void reset(ir::Function& function) {
    function.registers.clear();
    function.variables.clear();
    function.parameters.clear();
    function.returns.clear();
    function.parameter_in_register.clear();
    function.return_in_register.clear();
}

void set_properties(Decoder& decoder, syntax::Function const& declared, ir::Function& function) {
    function.name = declared.name;
    function.is_entry = declared.kind == syntax::Function::Kind::entry;
    function.is_visible = function.is_visible || declared.linkage == ".visible";
    function.is_weak = function.is_weak || declared.linkage == ".weak";
    function.is_external = declared.linkage == ".extern" && !declared.has_body && !function.has_body;
    function.is_noreturn = function.is_noreturn || declared.noreturn;
    function.has_body = declared.has_body;
    function.span = decoder.diagnostics.source().span(declared.text);
}

}  // namespace

bool same_signature(Signature const& a, Signature const& b) {
    return same_formals(a.returns, b.returns) && same_formals(a.parameters, b.parameters);
}

void begin_function(Decoder& decoder, syntax::Function const& declared, std::string_view label) {
    if (declared.kind == syntax::Function::Kind::prototype) {
        begin_prototype(decoder, declared, label);
        return;
    }
    std::uint32_t index = function_named(decoder, declared);
    bool const is_new = index == ir::none || decoder.signatures[index].declared_at.empty();
    if (index == ir::none) {  // a clash: its body is still read for its own errors, under no name
        index = static_cast<std::uint32_t>(decoder.module.functions.size());
        decoder.module.functions.emplace_back();
        decoder.signatures.emplace_back();
    }
    decoder.body.emplace();
    decoder.body->function = index;
    ir::Function& function = decoder.function();
    reset(function);
    set_properties(decoder, declared, function);
    decoder.symbols.open_scope();
    Signature signature;
    Parameters parameters(decoder, function);
    parameters.declare(declared.returns, true, signature);
    parameters.declare(declared.parameters, false, signature);
    signature.declared_at = declared.name;
    signature.is_noreturn = function.is_noreturn;
    bool const in_memory = std::any_of(signature.returns.begin(), signature.returns.end(),
                                       [](Formal const& formal) { return !formal.in_register; });
    if (signature.returns.size() > 1 && in_memory) {
        decoder.diagnostics.error(declared.text, "several return parameters must be in .reg");
    }
    if (function.is_entry && function.is_noreturn) {
        decoder.diagnostics.error(declared.text, "'.noreturn' belongs to functions (.func) only");
    }
    if (function.is_noreturn) require(decoder, declared.text, ".noreturn", 64, 30);
    check_linkage(decoder, declared);
    if (function.is_noreturn && !signature.returns.empty()) {
        decoder.diagnostics.error(declared.text, "a function that does not return has no return parameters");
    }
    if (function.is_entry && parameters.end() > most_parameter_bytes(decoder.module)) {
        decoder.diagnostics.error(declared.text, "the parameters take " + std::to_string(parameters.end()) +
                                                     " bytes; the limit of this PTX version and target is " +
                                                     std::to_string(most_parameter_bytes(decoder.module)));
    }
    function.param_bytes = parameters.end();
    decoder.body->param_end = parameters.end();
    function.call_param_bytes = parameters.end();
    Signature& known = decoder.signatures[index];
    signature.linkage = is_new ? declared.linkage : known.linkage;
    if (!is_new && !same_signature(known, signature)) {
        decoder.diagnostics.error(declared.name, "the parameters of " + quoted(declared.name) +
                                                     " differ from an earlier declaration");
        decoder.diagnostics.note(known.declared_at, "first declared here");
    }
    known = std::move(signature);
    read_bounds(decoder, declared, function);
    if (!declared.has_body) {
        decoder.symbols.close_scope();
        decoder.body.reset();
        return;
    }
    decoder.body->module_registers_begin = static_cast<std::uint32_t>(function.registers.size());
    for (std::uint32_t const variable : decoder.module_registers)
        declare(decoder, decoder.tree.variables[variable]);
    decoder.body->module_registers_end = static_cast<std::uint32_t>(function.registers.size());
}

namespace {

bool uses_module_registers(Body const& body, ir::Function const& function) {
    auto const is_one = [&](std::uint32_t reg) {
        return reg >= body.module_registers_begin && reg < body.module_registers_end;
    };
    if (body.module_registers_begin == body.module_registers_end) return false;
    return std::any_of(function.operands.begin(), function.operands.end(),
                       [&](ir::Operand const& o) {
                           bool const is_base = o.kind == ir::Operand::Kind::address &&
                                                o.base == ir::Operand::AddressBase::reg;
                           return (o.kind == ir::Operand::Kind::reg || is_base) && is_one(o.index);
                       }) ||
           std::any_of(function.instructions.begin(), function.instructions.end(),
                       [&](ir::Instruction const& i) { return is_one(i.guard); });
}

bool control_falls_off(ir::Module const& module, ir::Function const& function) {
    if (function.instructions.empty() || function.instructions.back().guard != ir::none) return true;
    ir::Instruction const& last = function.instructions.back();
    switch (isa::rows(isa::HostIsa::baseline)[module.forms[last.form].row].effect) {
        case isa::Effect::ret:
        case isa::Effect::exit:
        case isa::Effect::branch:
        case isa::Effect::branch_indexed:
        case isa::Effect::trap: break;
        default: return true;
    }
    auto const end = static_cast<std::uint32_t>(function.instructions.size());
    bool const labelled = std::any_of(function.labels.begin(), function.labels.end(),
                                      [end](auto const& label) { return label.second == end; });
    return labelled ||
           std::any_of(function.operands.begin(), function.operands.end(), [end](ir::Operand const& operand) {
               return operand.kind == ir::Operand::Kind::label && operand.index == end;
           });
}

}  // namespace

void end_function(Decoder& decoder, std::string_view brace) {
    while (!decoder.body->blocks.empty()) close_block(decoder);
    resolve_labels(decoder, 0, true);
    ir::Function& function = decoder.function();
    if (control_falls_off(decoder.module, function)) append_implied(decoder, "ret", brace);
    if (!function.is_entry) function.param_bytes = function.call_param_bytes;
    function.uses_module_registers = uses_module_registers(*decoder.body, function);
    decoder.symbols.close_scope();
    decoder.body.reset();
}

}  // namespace warpsim::frontend
