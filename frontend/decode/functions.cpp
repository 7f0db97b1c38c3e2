// Headers of kernels, functions and prototypes, and the ends of their bodies.
#include "frontend/decode/decoder.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

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
    if (declared.kind == syntax::Function::Kind::entry) {
        decoder.diagnostics.error(declared.text, "a kernel has no attributes; functions and variables may");
        return;
    }
    auto const nodes = decoder.tree.node_range(declared.attributes);
    if (nodes[0].text.starts_with(".unified")) require(decoder, nodes[0].text, ".unified", 80, 90);
    else decoder.diagnostics.error(nodes[0].text, "a function has the attribute .unified only");
}

void check_noreturn(Decoder& decoder, syntax::Function const& declared, Signature const& signature) {
    if (!declared.noreturn) return;
    require(decoder, declared.text, ".noreturn", 64, 30);
    if (declared.kind == syntax::Function::Kind::entry) {
        decoder.diagnostics.error(declared.text, "'.noreturn' belongs to functions (.func) only");
    } else if (!signature.returns.empty()) {
        decoder.diagnostics.error(declared.text, "a function that does not return has no return parameters");
    }
}

/// A later declaration may omit the linkage, but must otherwise repeat it.
void check_redeclaration(Decoder& decoder, syntax::Function const& declared, std::uint32_t index) {
    ir::Function const& known = decoder.module.functions[index];
    Signature const& signature = decoder.signatures[index];
    std::string message;
    if (known.has_body) {
        message = quoted(declared.name) +
                  (declared.has_body ? " is defined twice" : " is declared after its definition");
    } else if (!declared.linkage.empty() && declared.linkage != signature.linkage) {
        message = quoted(declared.name) + " is " + std::string(declared.linkage) + " here and " +
                  (signature.linkage.empty() ? "private" : std::string(signature.linkage)) +
                  " in an earlier declaration";
    } else if (signature.linkage == ".extern" && declared.has_body) {
        message = quoted(declared.name) + " is defined here and .extern in an earlier declaration";
    } else if (known.is_noreturn != declared.noreturn) {
        message = quoted(declared.name) + " differs from an earlier declaration in .noreturn";
    }
    if (message.empty()) return;
    decoder.diagnostics.error(declared.name, std::move(message));
    decoder.diagnostics.note(signature.declared_at, "first declared here");
}

/// The function of this name in the module, created if it is new. `none` if the name is taken.
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
    if (!check_reserved(decoder, declared.name)) return ir::none;
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
    Signature signature = prototype_signature(decoder, declared, prototype);
    signature.declared_at = declared.text;
    require(decoder, declared.text, ".callprototype", 21, 20);
    if (declared.name != "_")
        decoder.diagnostics.error(declared.name, "a prototype has no name of its own; write '_' here");
    check_noreturn(decoder, declared, signature);
    read_function_directives(decoder, declared, signature, nullptr);
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
    if (index == ir::none) {  // a clash: its body is still checked for errors, but has no name
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
    Signature signature = declare_parameters(decoder, declared);
    signature.declared_at = declared.name;
    signature.is_noreturn = function.is_noreturn;
    check_linkage(decoder, declared);
    check_noreturn(decoder, declared, signature);
    read_function_directives(decoder, declared, signature, function.is_entry ? &function : nullptr);
    Signature& known = decoder.signatures[index];
    signature.linkage = is_new ? declared.linkage : known.linkage;
    if (!is_new && (!same_signature(known, signature) || known.preserved != signature.preserved)) {
        bool const is_preserved = same_signature(known, signature);
        decoder.diagnostics.error(declared.name, is_preserved ? quoted(declared.name) +
                                                                    " differs from an earlier declaration "
                                                                    "in the registers it preserves"
                                                              : "the parameters of " + quoted(declared.name) +
                                                                    " differ from an earlier declaration");
        decoder.diagnostics.note(known.declared_at, "first declared here");
    }
    known = std::move(signature);
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
                           bool const is_base =
                               o.kind == ir::Operand::Kind::address && o.base == ir::Operand::AddressBase::reg;
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
    if (!function.is_entry) {
        function.param_bytes = function.call_param_bytes;
        move_addressed_parameters(decoder);
    }
    function.uses_module_registers = uses_module_registers(*decoder.body, function);
    decoder.symbols.close_scope();
    decoder.body.reset();
}

}  // namespace warpsim::frontend
