// Formal parameters and return values of kernels, functions and prototypes.
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

bool is_opaque(ir::Variable const& variable) { return isa::width(variable.type) == 0; }

std::uint64_t most_parameter_bytes(ir::Module const& module) {
    if (module.version >= 81 && module.target_sm >= 70) return 32764;
    return module.version >= 15 ? 4352 : 256;
}

syntax::Declarator const& declarator_of(Decoder const& decoder, syntax::Variable const& declared) {
    return decoder.tree.declarators[declared.declarators.first];
}

bool check_declarator(Decoder& decoder, syntax::Declarator const& declarator) {
    if (declarator.count.count == 0 && declarator.initializer.count == 0) return true;
    decoder.diagnostics.error(declarator.text, declarator.count.count > 0 ? "a parameter has one name"
                                                                          : "a parameter cannot be initialized");
    return false;
}

/// `may_be_open`: whether it may be an array of unknown size.
std::optional<ir::Variable> variable_in_memory(Decoder& decoder, syntax::Variable const& declared,
                                               bool may_be_open) {
    auto variable = make_variable(decoder, declared, declarator_of(decoder, declared));
    if (!variable) return {};
    if (variable->space != StateSpace::param) {
        decoder.diagnostics.error(declared.text, "a parameter is in .param or .reg");
        return {};
    }
    bool const is_open = variable->is_array && variable->size == 0;
    if (is_open && !may_be_open)
        decoder.diagnostics.error(declared.text, "only the last parameter of a function can be of unknown size");
    if (is_open) require(decoder, declared.text, "a parameter []", 60, 30);
    return variable;
}

void check_returns(Decoder& decoder, std::string_view where, Signature const& signature) {
    bool const in_memory = std::any_of(signature.returns.begin(), signature.returns.end(),
                                       [](Formal const& formal) { return !formal.in_register; });
    if (signature.returns.size() > 1 && in_memory)
        decoder.diagnostics.error(where, "several return parameters must be in .reg");
}

class Parameters {
public:
    Parameters(Decoder& decoder, ir::Function& function) : decoder_(decoder), function_(function) {}

    void declare(syntax::PoolRange range, bool is_return, Signature& signature) {
        for (std::uint32_t i = 0; i < range.count; ++i) {
            syntax::Variable const& declared = decoder_.tree.variables[range.first + i];
            syntax::Declarator const& declarator = declarator_of(decoder_, declared);
            auto& formals = is_return ? signature.returns : signature.parameters;
            bool const is_last = i + 1 == range.count;
            std::size_t const errors = decoder_.diagnostics.error_count();
            check_declarator(decoder_, declarator);
            if (declarator.name == "_") {
                decoder_.diagnostics.error(declared.text, "only the parameters of a .callprototype need no name");
            }
            if (declared.space == ".reg") formals.push_back(in_register(declared, declarator, is_return));
            else formals.push_back(in_memory(declared, declarator, is_return, is_last));
            if (decoder_.diagnostics.error_count() != errors) excuse(decoder_, declarator.name);
        }
    }
    std::uint64_t end() const { return end_; }
    /// Textures, samplers and surfaces do not count towards the limit.
    std::uint64_t limited_bytes() const { return limited_bytes_; }

private:
    Formal in_register(syntax::Variable const& declared, syntax::Declarator const& declarator, bool is_return) {
        if (function_.is_entry) {
            decoder_.diagnostics.error(declared.text, "the parameters of a kernel are in .param, not in .reg");
        }
        Type const type = has_type(decoder_, declared) ? register_type(decoder_, declared.type) : Type::none;
        if (type == Type::none) return {};
        unsigned const vector = vector_length(declared.vector);
        Symbol symbol;
        symbol.type = type;
        symbol.vector = vector;
        symbol.name = declarator.name;
        symbol.declared_at = declared.text;
        symbol.index = static_cast<std::uint32_t>(function_.registers.size());
        if (declarator.name == "_" || enter(decoder_, symbol, declarator.name)) {
            // A vector is handed over as its elements, one register each.
            std::uint32_t const first = add_registers(decoder_, declarator.name, type, vector);
            for (unsigned i = 0; i < vector; ++i) note(is_return, first + i, true);
        }
        return formal_of_register(type, vector);
    }

    Formal in_memory(syntax::Variable const& declared, syntax::Declarator const& declarator, bool is_return,
                     bool is_last) {
        auto variable = variable_in_memory(decoder_, declared, is_last && !is_return && !function_.is_entry);
        if (!variable) return {};
        check_parameter(declared, *variable);
        variable->offset = align_up(end_, variable->align);
        end_ = variable->offset + variable->size;
        if (!is_opaque(*variable)) limited_bytes_ = align_up(limited_bytes_, variable->align) + variable->size;
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
        require(decoder_, declared.text, ".ptr", 22);
        std::string_view const pointed = declared.pointer_space;
        if (pointed == ".param") {
            decoder_.diagnostics.error(pointed, "a pointer leads to .global .const .shared or .local");
        } else if (pointed.ends_with("ref")) {  // the handle of a texture, sampler or surface
            require(decoder_, pointed, pointed, 43);
        }
        if (declared.pointer_align.count == 0) return;
        auto const align = integer_value(decoder_, declared.pointer_align, declared.text);
        if (align && (*align == 0 || (*align & (*align - 1)) != 0)) {
            decoder_.diagnostics.error(declared.text,
                                       "an alignment must be a power of two, not " + std::to_string(*align));
        }
    }

    void check_parameter(syntax::Variable const& declared, ir::Variable const& variable) {
        if (variable.is_pointer) check_pointer(declared);
        if (function_.is_entry) {
            require(decoder_, declared.text, "a parameter in a kernel's header", 14);
            if (!declared.vector.empty() || variable.type == Type::f16x2) {
                decoder_.diagnostics.error(declared.text,
                                           "a parameter in .param can be neither a vector nor .f16x2");
            }
            return;
        }
        require(decoder_, declared.text, "a function's parameter in .param", 20, 20);
        if (is_opaque(variable) || !declared.vector.empty()) {
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
    std::uint64_t limited_bytes_ = 0;
};

bool is_formal(std::uint32_t variable, std::vector<std::uint32_t> const& formals,
               std::vector<bool> const& in_register) {
    for (std::size_t i = 0; i < formals.size(); ++i) {
        if (formals[i] == variable && !in_register[i]) return true;
    }
    return false;
}

}  // namespace

bool is_parameter(ir::Function const& function, std::uint32_t variable) {
    return is_formal(variable, function.parameters, function.parameter_in_register);
}

bool is_return_value(ir::Function const& function, std::uint32_t variable) {
    return is_formal(variable, function.returns, function.return_in_register);
}

void check_parameter_bytes(Decoder& decoder, std::string_view where, std::uint64_t bytes) {
    if (bytes <= most_parameter_bytes(decoder.module)) return;
    decoder.diagnostics.error(where, "the parameters take " + std::to_string(bytes) +
                                         " bytes; the limit of this PTX version and target is " +
                                         std::to_string(most_parameter_bytes(decoder.module)));
}

Signature declare_parameters(Decoder& decoder, syntax::Function const& declared) {
    ir::Function& function = decoder.function();
    Signature signature;
    Parameters parameters(decoder, function);
    parameters.declare(declared.returns, true, signature);
    parameters.declare(declared.parameters, false, signature);
    check_returns(decoder, declared.text, signature);
    if (function.is_entry) check_parameter_bytes(decoder, declared.text, parameters.limited_bytes());
    function.param_bytes = parameters.end();
    function.call_param_bytes = parameters.end();
    decoder.body->param_end = parameters.end();
    return signature;
}

Signature prototype_signature(Decoder& decoder, syntax::Function const& declared, ir::Prototype& prototype) {
    Signature signature;
    auto const read = [&](syntax::PoolRange range, std::vector<ir::Variable>& variables,
                          std::vector<Formal>& formals, bool is_return) {
        for (std::uint32_t i = 0; i < range.count; ++i) {
            syntax::Variable const& variable = decoder.tree.variables[range.first + i];
            check_declarator(decoder, declarator_of(decoder, variable));
            if (variable.space == ".reg") {
                if (!has_type(decoder, variable)) continue;
                ir::Variable made;
                made.space = StateSpace::reg;
                made.type = register_type(decoder, variable.type);
                formals.push_back(formal_of_register(made.type, vector_length(variable.vector)));
                made.size = formals.back().size / formals.back().vector;
                variables.insert(variables.end(), formals.back().vector, made);
            } else if (auto made = variable_in_memory(decoder, variable, !is_return && i + 1 == range.count)) {
                formals.push_back(formal_of(*made));
                variables.push_back(std::move(*made));
            }
        }
    };
    read(declared.returns, prototype.returns, signature.returns, true);
    read(declared.parameters, prototype.parameters, signature.parameters, false);
    check_returns(decoder, declared.text, signature);
    return signature;
}

}  // namespace warpsim::frontend
