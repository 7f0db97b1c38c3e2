#include "frontend/decode/decoder.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace warpsim::frontend {

namespace {

using isa::StateSpace;
using isa::Type;

/// A few bytes of declarations can ask for a lot, so the totals of a module are bounded.
constexpr std::uint32_t max_variables = 1u << 16;
constexpr std::uint64_t max_module_variables = 1u << 20;
constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 40;
constexpr unsigned max_constant_bank = 10;

std::optional<StateSpace> space_named(std::string_view spelling) {
    if (spelling == ".reg") return StateSpace::reg;
    if (spelling == ".global") return StateSpace::global;
    if (spelling == ".shared" || spelling == ".shared::cta") return StateSpace::shared;
    if (spelling == ".const") return StateSpace::constant;
    if (spelling == ".local") return StateSpace::local;
    if (spelling == ".param") return StateSpace::param;
    if (spelling == ".tex") return StateSpace::texture;
    return {};
}

/// The space of a variable without its bank: `.const[3]` is in `.const`. Banks other than 0 are for arrays that the
/// driver binds. Reports one that is not possible.
std::string_view space_without_bank(Decoder& decoder, syntax::Variable const& declared) {
    std::size_t const bracket = declared.space.find('[');
    std::string_view const space = declared.space.substr(0, bracket);
    if (bracket == std::string_view::npos) return space;
    std::string_view const where = declared.space;
    unsigned bank = UINT32_MAX;
    auto const end = std::from_chars(where.data() + bracket + 1, where.data() + where.size(), bank);
    if (space != ".const" || end.ec != std::errc{} || *end.ptr != ']' || bank > max_constant_bank) {
        decoder.diagnostics.error(where, "a bank is one of .const[0] to .const[10]");
    } else if (!check_constant_bank(decoder, where)) {
        return space;
    } else if (bank != 0 && declared.linkage != ".extern") {
        decoder.diagnostics.error(where, "only bank 0 holds variables of its own; others are for .extern arrays");
    } else if (bank != 0) {
        require(decoder, where, where, 15);
    }
    return space;
}

constexpr std::string_view type_names[] = {
    ".b8",  ".b16", ".b32", ".b64",   ".b128", ".u8",  ".u16",  ".u32",    ".u64",        ".s8",     ".s16",
    ".s32", ".s64", ".f16", ".f16x2", ".f32",  ".f64", ".pred", ".texref", ".samplerref", ".surfref"};

void report_type(Decoder& decoder, std::string_view spelling) {
    std::vector<std::string_view> const known(std::begin(type_names), std::end(type_names));
    decoder.diagnostics.error(spelling, "unknown type " + quoted(spelling) + did_you_mean(spelling, known));
    std::string legal = "legal:";
    for (std::string_view const name : known) legal.append(1, ' ').append(name);
    decoder.diagnostics.advice(legal);
}

Type type_of_unit(Type type) { return is_opaque(type) ? Type::b64 : type; }

std::optional<std::uint32_t> alignment(Decoder& decoder, syntax::PoolRange tokens) {
    std::string_view const where = text_of(decoder, tokens);
    auto const value = integer_value(decoder, tokens, where);
    if (!value) return {};
    if (!std::has_single_bit(*value) || *value > (1u << 20)) {
        decoder.diagnostics.error(where, "an alignment must be a power of two, not " + std::to_string(*value));
        return {};
    }
    return static_cast<std::uint32_t>(*value);
}

/// The dimensions of an array; the first may be left open, which gives 0.
std::optional<std::vector<std::uint64_t>> dimensions_of(Decoder& decoder, syntax::Declarator const& declarator) {
    std::vector<std::uint64_t> dimensions;
    for (std::uint32_t i = 0; i < declarator.dimensions.count; ++i) {
        syntax::Dimension const& dimension = decoder.tree.dimensions[declarator.dimensions.first + i];
        if (dimension.tokens.count == 0) {
            if (i > 0) {
                decoder.diagnostics.error(declarator.text,
                                          "only the first dimension of an array may be left open");
                return {};
            }
            dimensions.push_back(0);
            continue;
        }
        auto const value = integer_value(decoder, dimension.tokens, text_of(decoder, dimension.tokens));
        if (!value) return {};
        if (*value == 0 || *value > max_variable_bytes) {
            decoder.diagnostics.error(text_of(decoder, dimension.tokens),
                                      "illegal array dimension " + std::to_string(*value));
            return {};
        }
        dimensions.push_back(*value);
    }
    return dimensions;
}

/// `.unified(high, low)`: the two halves of an identifier that all programs of a system share.
bool check_unified(Decoder& decoder, std::span<syntax::Node const> nodes) {
    require(decoder, nodes[0].text, ".unified", 80, 90);
    unsigned count = 0;
    for (auto rest = nodes.subspan(1, nodes[0].size - 1); !rest.empty(); rest = rest.subspan(rest[0].size))
        ++count;
    if (count == 2) return true;
    decoder.diagnostics.error(nodes[0].text, "an identifier is written: .unified(high, low)");
    return false;
}

bool read_attributes(Decoder& decoder, syntax::Variable const& declared, ir::Variable& variable) {
    for (auto nodes = decoder.tree.node_range(declared.attributes); !nodes.empty();
         nodes = nodes.subspan(nodes[0].size)) {
        std::string_view const name = nodes[0].text.substr(0, nodes[0].text.find_first_of(" \t("));
        if (name != ".managed" && name != ".unified") {
            decoder.diagnostics.error(nodes[0].text.substr(0, name.size()),
                                      "unknown attribute " + quoted(name) +
                                          did_you_mean(name, {".managed", ".unified"}));
            return false;
        }
        if (variable.space != StateSpace::global) {
            decoder.diagnostics.error(nodes[0].text, quoted(name) + " is for .global variables");
            return false;
        }
        if (name == ".managed") require(decoder, nodes[0].text, name, 40, 30);
        else if (!check_unified(decoder, nodes)) return false;
        variable.is_managed = variable.is_managed || name == ".managed";
    }
    return true;
}

void set_linkage(syntax::Variable const& declared, ir::Variable& variable) {
    variable.is_external = declared.linkage == ".extern";
    variable.is_visible = declared.linkage == ".visible";
    variable.is_weak = declared.linkage == ".weak";
    variable.is_common = declared.linkage == ".common";
}

bool check_space(Decoder& decoder, syntax::Variable const& declared, StateSpace space) {
    bool const in_function = decoder.body.has_value();
    if (!in_function && space == StateSpace::param) {
        decoder.diagnostics.error(declared.space, "a .param variable cannot be declared at module scope");
        return false;
    }
    if (!in_function && space == StateSpace::local && decoder.module.version >= 30) {
        decoder.diagnostics.error(declared.text, "a .local variable at module scope ended with PTX version 3.0");
        return false;
    }
    if (in_function && space == StateSpace::param && decoder.function().is_entry &&
        (decoder.module.version == 14 || decoder.module.version == 15)) {
        decoder.diagnostics.error(declared.text, "the parameters of a kernel stand in its parameter list");
        return false;
    }
    if (declared.linkage == ".common" && space != StateSpace::global) {
        decoder.diagnostics.error(declared.space, "a .common variable must be declared in .global");
        return false;
    }
    if (declared.linkage == ".common") {
        require(decoder, declared.linkage, ".common", 50, 0);
        if (is_opaque(variable_type(decoder, declared.type))) {
            decoder.diagnostics.error(declared.type, "a .common variable cannot be a texture, sampler or surface");
            return false;
        }
    }
    if (declared.linkage == ".weak") require(decoder, declared.linkage, ".weak", 31);
    return true;
}

/// Assigns a variable its place in the function.
void place_in_function(Decoder& decoder, ir::Variable& variable, std::string_view where) {
    ir::Function& function = decoder.function();
    if (variable.space == StateSpace::local) {
        variable.offset = align_up(function.local_bytes, variable.align);
        function.local_bytes = variable.offset + variable.size;
    } else if (variable.space == StateSpace::shared) {
        variable.offset = align_up(function.shared_bytes, variable.align);
        function.shared_bytes = variable.offset + variable.size;
    } else if (variable.space == StateSpace::param && function.is_entry && decoder.module.version < 14) {
        // PTX 1.0 to 1.3 declare the parameters of a kernel in its body.
        variable.offset = align_up(function.param_bytes, variable.align);
        function.param_bytes = variable.offset + variable.size;
        function.parameters.push_back(static_cast<std::uint32_t>(function.variables.size()));
        function.parameter_in_register.push_back(false);
        decoder.body->param_end = function.param_bytes;
        function.call_param_bytes = function.param_bytes;
        check_parameter_bytes(decoder, where, function.param_bytes);
    } else if (variable.space == StateSpace::param) {
        variable.offset = align_up(decoder.body->param_end, variable.align);
        decoder.body->param_end = variable.offset + variable.size;
        function.call_param_bytes = std::max(function.call_param_bytes, decoder.body->param_end);
    }
}

/// Inside a function, only .local, .shared and .param variables belong to it; .global and .const ones belong to
/// the module.
bool lives_in_function(Decoder const& decoder, StateSpace space) {
    return decoder.body &&
           (space == StateSpace::local || space == StateSpace::shared || space == StateSpace::param);
}

/// Merges another declaration of the same module variable: an .extern declaration and its definition are one.
bool merge_declaration(Decoder& decoder, syntax::Declarator const& declarator, ir::Variable const& variable) {
    if (decoder.symbols.depth() != 0) return false;
    Symbol const* const earlier = decoder.symbols.innermost(declarator.name);
    if (earlier == nullptr || earlier->kind != Symbol::Kind::module_variable) return false;
    ir::Variable& known = decoder.module.variables[earlier->index];
    if (!known.is_external && !variable.is_external) return false;
    bool const may_be_any_size = known.size == 0 || variable.size == 0;
    bool const is_private =
        !variable.is_external && !variable.is_visible && !variable.is_weak && !variable.is_common;
    if (known.space != variable.space || known.type != variable.type ||
        (!may_be_any_size && known.size != variable.size)) {
        decoder.diagnostics.error(declarator.name, "the declaration of " + quoted(declarator.name) +
                                                       " differs from an earlier one");
        decoder.diagnostics.note(earlier->declared_at, "declared here");
        return true;
    }
    if (known.is_external && is_private) {
        decoder.diagnostics.error(declarator.name, quoted(declarator.name) + " is private here and .extern in an "
                                                                             "earlier declaration");
        decoder.diagnostics.note(earlier->declared_at, "declared here");
        return true;
    }
    if (known.is_external && (!variable.is_external || known.size == 0)) known = variable;
    return true;
}

void place_in_module(Decoder& decoder, ir::Variable& variable, std::string_view where) {
    if (variable.space != StateSpace::constant) return;
    constexpr std::uint64_t bank_bytes = 64 * 1024;
    variable.offset = align_up(decoder.constant_end, variable.align);
    if (variable.is_external) return;
    decoder.constant_end = variable.offset + variable.size;
    if (decoder.constant_end > bank_bytes) {
        decoder.diagnostics.error(where, "the .const variables of a module have " + std::to_string(bank_bytes) +
                                             " bytes; these take " + std::to_string(decoder.constant_end));
    }
}

void add_variable(Decoder& decoder, syntax::Declarator const& declarator, unsigned vector, ir::Variable variable) {
    bool const local = lives_in_function(decoder, variable.space);
    if (!local && merge_declaration(decoder, declarator, variable)) return;
    if (local) place_in_function(decoder, variable, declarator.text);
    else place_in_module(decoder, variable, declarator.text);
    auto& variables = local ? decoder.function().variables : decoder.module.variables;
    Symbol symbol;
    symbol.kind = local ? Symbol::Kind::function_variable : Symbol::Kind::module_variable;
    symbol.type = variable.type;
    symbol.index = static_cast<std::uint32_t>(variables.size());
    symbol.vector = vector;
    symbol.name = declarator.name;
    symbol.declared_at = declarator.text;
    if (enter(decoder, symbol, declarator.name)) variables.push_back(std::move(variable));
}

/// `.global .u32 x<5>;`
void add_variable_family(Decoder& decoder, syntax::Declarator const& declarator, unsigned vector,
                         ir::Variable const& pattern) {
    if (declarator.dimensions.count > 0 || declarator.initializer.count > 0) {
        decoder.diagnostics.error(declarator.text, "a family of variables can be neither arrays nor initialized");
        return;
    }
    std::string_view const where = text_of(decoder, declarator.count);
    auto const count = integer_value(decoder, declarator.count, where);
    if (!count) return;
    std::size_t const so_far = decoder.module.variables.size();
    if (*count > max_variables || *count + so_far > max_module_variables) {
        decoder.diagnostics.error(where, "illegal number of variables: " + std::to_string(*count) + "; up to " +
                                             std::to_string(max_variables) + " are possible");
        return;
    }
    bool const local = lives_in_function(decoder, pattern.space);
    auto& variables = local ? decoder.function().variables : decoder.module.variables;
    Symbol symbol;
    symbol.kind = local ? Symbol::Kind::function_variable : Symbol::Kind::module_variable;
    symbol.is_family = true;
    symbol.vector = vector;
    symbol.type = pattern.type;
    symbol.index = static_cast<std::uint32_t>(variables.size());
    symbol.count = static_cast<std::uint32_t>(*count);
    symbol.name = declarator.name;
    symbol.declared_at = declarator.text;
    if (!enter(decoder, symbol, declarator.name)) return;
    for (std::uint64_t i = 0; i < *count; ++i) {
        ir::Variable variable = pattern;
        variable.name = std::string(declarator.name) + std::to_string(i);
        if (local) place_in_function(decoder, variable, declarator.text);
        else place_in_module(decoder, variable, declarator.text);
        variables.push_back(std::move(variable));
    }
}

void declare_variable(Decoder& decoder, syntax::Variable const& declared, syntax::Declarator const& declarator) {
    auto variable = make_variable(decoder, declared, declarator);
    if (!variable) return;
    if (declarator.initializer.count > 0) {
        if (variable->space != StateSpace::global && variable->space != StateSpace::constant) {
            decoder.diagnostics.error(declarator.text, "only .global and .const variables can be initialized");
            return;
        }
        if (variable->is_external) {
            decoder.diagnostics.error(declarator.text, "an .extern variable cannot be initialized");
            return;
        }
        auto const dimensions = dimensions_of(decoder, declarator);
        if (!dimensions) return;
        initialize(decoder, declarator, *dimensions, vector_length(declared.vector), *variable);
    } else if (variable->is_array && variable->size == 0 && !variable->is_external) {
        decoder.diagnostics.error(declarator.text, "the size of " + quoted(declarator.name) + " is not given");
        return;
    }
    if (declarator.count.count > 0)
        add_variable_family(decoder, declarator, vector_length(declared.vector), *variable);
    else add_variable(decoder, declarator, vector_length(declared.vector), std::move(*variable));
}

}  // namespace

bool is_opaque(Type type) { return type == Type::texref || type == Type::samplerref || type == Type::surfref; }

Type variable_type(Decoder& decoder, std::string_view spelling) {
    Type const type = spelling.size() > 1 ? isa::type_named(spelling.substr(1)) : Type::none;
    switch (type) {
        case Type::b8:
        case Type::b16:
        case Type::b32:
        case Type::b64:
        case Type::b128:
        case Type::u8:
        case Type::u16:
        case Type::u32:
        case Type::u64:
        case Type::s8:
        case Type::s16:
        case Type::s32:
        case Type::s64:
        case Type::f16:
        case Type::f16x2:
        case Type::f32:
        case Type::f64:
        case Type::texref:
        case Type::samplerref:
        case Type::surfref: return type;
        case Type::none: report_type(decoder, spelling); return Type::none;
        case Type::pred:
            decoder.diagnostics.error(spelling, "a predicate lives in a register only (.reg .pred)");
            return Type::none;
        default:
            decoder.diagnostics.error(spelling, "a variable cannot be of type " + quoted(spelling) +
                                                    "; declare its bits, as .b8 .b16 or .b32");
            return Type::none;
    }
}

bool check_vector(Decoder& decoder, std::string_view spelling) {
    if (spelling.empty() || spelling == ".v2" || spelling == ".v4") return true;
    decoder.diagnostics.error(spelling, "a variable is a vector of .v2 or .v4, not " + quoted(spelling));
    return false;
}

bool check_reserved(Decoder& decoder, std::string_view name) {
    bool const is_reserved =
        name == "_" || name == "WARP_SZ" || (decoder.symbols.depth() == 0 && special_register(name));
    if (is_reserved)
        decoder.diagnostics.error(name, quoted(name) + " cannot be declared: it has a meaning of its own");
    return !is_reserved;
}

bool enter(Decoder& decoder, Symbol const& symbol, std::string_view where) {
    if (!check_reserved(decoder, where)) return false;
    Symbol const* const earlier = decoder.symbols.declare(symbol);
    if (earlier == nullptr) return true;
    bool const is_member = symbol.is_family && !earlier->is_family;
    decoder.diagnostics.error(where, quoted(is_member ? earlier->name : where) + " is declared twice");
    decoder.diagnostics.note(earlier->declared_at, "first declared here");
    return false;
}

std::optional<std::uint64_t> integer_value(Decoder& decoder, syntax::PoolRange tokens, std::string_view where) {
    Evaluated const result = evaluate(decoder.tree.token_range(tokens));
    if (!result.value) {
        decoder.diagnostics.error(result.where.data() == nullptr || result.where.empty() ? where : result.where,
                                  result.message);
        return {};
    }
    if (!result.value->is_integer()) {
        decoder.diagnostics.error(where, "an integer is wanted here");
        return {};
    }
    return result.value->bits;
}

bool has_type(Decoder& decoder, syntax::Variable const& declared) {
    if (!declared.type.empty()) return true;
    syntax::Declarator const& first = decoder.tree.declarators[declared.declarators.first];
    decoder.diagnostics.error(first.name, "the type of " + quoted(first.name) + " is missing");
    return false;
}

unsigned vector_length(std::string_view spelling) {
    if (spelling == ".v2") return 2;
    return spelling == ".v4" ? 4 : 1;
}

std::optional<ir::Variable> make_variable(Decoder& decoder, syntax::Variable const& declared,
                                          syntax::Declarator const& declarator) {
    if (!has_type(decoder, declared)) return {};
    Type type = variable_type(decoder, declared.type);
    auto const space = space_named(space_without_bank(decoder, declared));
    if (type == Type::none || !check_vector(decoder, declared.vector)) return {};
    if (!space) {
        decoder.diagnostics.error(declared.text, declared.space.empty()
                                                     ? "a variable needs a state space"
                                                     : "unknown state space " + quoted(declared.space));
        return {};
    }
    if (*space == StateSpace::texture && decoder.module.version >= 15) {
        decoder.diagnostics.error(declared.space, "'.tex' ends with PTX version 1.5; declare a .global .texref");
        return {};
    }
    if (*space == StateSpace::texture) {
        bool const can_be = (type == Type::u32 || type == Type::u64) && declared.vector.empty() &&
                            declarator.dimensions.count == 0;
        if (!can_be || decoder.body) {
            decoder.diagnostics.error(declared.text, "a '.tex' variable is one .u32 or .u64 at module scope");
            return {};
        }
        type = Type::texref;
    }
    bool const can_be_opaque =
        *space == StateSpace::global || *space == StateSpace::param || *space == StateSpace::texture;
    if (is_opaque(type) && !declared.vector.empty()) {
        decoder.diagnostics.error(covering(declared.vector, declared.type), "a vector is of numbers");
        return {};
    }
    if (is_opaque(type) && !can_be_opaque) {
        decoder.diagnostics.error(declared.text, "textures, samplers and surfaces are in .global, or parameters");
        return {};
    }
    if (type == Type::samplerref && !decoder.has_samplers) {
        decoder.diagnostics.error(declared.type, "a sampler of its own needs .target texmode_independent");
        return {};
    }
    ir::Variable variable;
    variable.name = declarator.name;
    variable.space = *space == StateSpace::texture ? StateSpace::global : *space;
    variable.type = type;
    unsigned const vector = vector_length(declared.vector);
    auto const unit = static_cast<std::uint64_t>(isa::width(type_of_unit(type))) / 8 * vector;
    if (unit > 16) {
        decoder.diagnostics.error(covering(declared.vector, declared.type), "a vector is at most 128 bits");
        return {};
    }
    auto const dimensions = dimensions_of(decoder, declarator);
    if (!dimensions) return {};
    variable.size = unit;
    for (std::uint64_t const dimension : *dimensions) {
        if (dimension != 0 && variable.size > max_variable_bytes / dimension) {
            decoder.diagnostics.error(declarator.text, "this array is too large");
            return {};
        }
        variable.size *= dimension;
    }
    variable.is_array = !dimensions->empty();
    variable.align = static_cast<std::uint32_t>(unit);
    if (declared.align.count > 0) {
        auto const align = alignment(decoder, declared.align);
        if (!align) return {};
        variable.align = *align;
    }
    variable.is_pointer = declared.is_pointer;
    variable.span = decoder.diagnostics.source().span(declarator.text);
    if (!read_attributes(decoder, declared, variable)) return {};
    set_linkage(declared, variable);
    return variable;
}

namespace {

void declare_names(Decoder& decoder, syntax::Variable const& variable) {
    if (variable.space == ".reg") {
        if (decoder.body) {
            declare_registers(decoder, variable);
        } else {
            if (decoder.module.version >= 30) {
                decoder.diagnostics.error(variable.text, "registers at module scope ended with PTX version 3.0");
            } else if (!variable.linkage.empty()) {
                decoder.diagnostics.error(variable.linkage, "a register has no linkage");
            }
            decoder.module_registers.push_back(
                static_cast<std::uint32_t>(&variable - decoder.tree.variables.data()));
        }
        return;
    }
    auto const space = space_named(variable.space.substr(0, variable.space.find('[')));
    if (decoder.body && !variable.linkage.empty()) {
        decoder.diagnostics.error(variable.linkage, "only what stands outside functions has a linkage");
        return;
    }
    if (space && !check_space(decoder, variable, *space)) return;
    for (std::uint32_t i = 0; i < variable.declarators.count; ++i) {
        declare_variable(decoder, variable, decoder.tree.declarators[variable.declarators.first + i]);
    }
}

}  // namespace

void declare(Decoder& decoder, syntax::Variable const& variable) {
    std::size_t const errors = decoder.diagnostics.error_count();
    declare_names(decoder, variable);
    if (decoder.diagnostics.error_count() == errors) return;
    for (std::uint32_t i = 0; i < variable.declarators.count; ++i)
        excuse(decoder, decoder.tree.declarators[variable.declarators.first + i].name);
}

}  // namespace warpsim::frontend
