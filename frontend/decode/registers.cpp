// Registers: single ones, families such as %r<100>, and vectors.
#include "frontend/decode/decoder.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Type;

/// More registers than this in one function are a mistake, and would only fill the host's memory.
constexpr std::uint32_t max_registers = 1u << 20;
/// A few bytes of declarations can ask for a lot, so the total of a module is bounded too.
constexpr std::uint64_t max_module_registers = 8u << 20;

/// Expands `%r<100>`; `v<3>` of vectors becomes v0.x, v0.y, v1.x ...
void add_register_family(Decoder& decoder, Symbol const& family) {
    std::string name(family.name);
    for (std::uint32_t i = 0; i < family.count; ++i) {
        name.resize(family.name.size());
        add_registers(decoder, name += std::to_string(i), family.type, family.vector);
    }
}

}  // namespace

Type register_type(Decoder& decoder, std::string_view spelling) {
    if (spelling == ".pred") return Type::pred;
    Type const type = variable_type(decoder, spelling);
    if (is_opaque(type)) {
        decoder.diagnostics.error(spelling, "a register cannot be of type " + quoted(spelling));
        return Type::none;
    }
    return type;
}

std::uint32_t add_registers(Decoder& decoder, std::string_view name, Type type, std::uint32_t vector) {
    auto& registers = decoder.function().registers;
    auto const first = static_cast<std::uint32_t>(registers.size());
    for (std::uint32_t i = 0; i < vector; ++i) {
        ir::Register& made = registers.emplace_back();
        made.type = type;
        made.name = name;
        if (vector > 1) made.name.append(1, '.').append(1, "xyzw"[i]);
    }
    return first;
}

void declare_registers(Decoder& decoder, syntax::Variable const& declared) {
    if (!has_type(decoder, declared)) return;
    Type const type = register_type(decoder, declared.type);
    unsigned const vector = vector_length(declared.vector);
    if (type == Type::none || !check_vector(decoder, declared.vector)) return;
    if (!declared.linkage.empty() || declared.attributes.count > 0) {
        decoder.diagnostics.error(declared.text, "a register has neither linkage nor attributes");
        return;
    }
    if (vector > 1 && (type == Type::pred || vector * static_cast<unsigned>(isa::width(type)) > 128)) {
        decoder.diagnostics.error(covering(declared.vector, declared.type),
                                  "a vector is at most 128 bits and not of predicates");
        return;
    }
    for (std::uint32_t i = 0; i < declared.declarators.count; ++i) {
        syntax::Declarator const& declarator = decoder.tree.declarators[declared.declarators.first + i];
        if (declarator.dimensions.count > 0 || declarator.initializer.count > 0) {
            decoder.diagnostics.error(declarator.text, "a register can be neither an array nor initialized");
            continue;
        }
        Symbol symbol;
        symbol.type = type;
        symbol.name = declarator.name;
        symbol.declared_at = declarator.text;
        if (declarator.count.count > 0) {
            std::string_view const where = text_of(decoder, declarator.count);
            auto const count = integer_value(decoder, declarator.count, where);
            if (!count) continue;
            std::size_t const declared_so_far = decoder.function().registers.size();
            std::uint64_t const registers = std::min<std::uint64_t>(*count, max_registers + 1) * vector;
            bool const is_too_much = registers + decoder.register_count > max_module_registers;
            if (registers + declared_so_far > max_registers || is_too_much) {
                decoder.diagnostics.error(where, "illegal number of registers: " + std::to_string(*count) +
                                                     "; a function has up to " + std::to_string(max_registers));
                continue;
            }
            symbol.is_family = true;
            symbol.count = static_cast<std::uint32_t>(*count);
            decoder.register_count += *count * vector;
        }
        symbol.vector = vector;
        symbol.index = static_cast<std::uint32_t>(decoder.function().registers.size());
        if (!enter(decoder, symbol, declarator.name)) continue;
        if (symbol.is_family) add_register_family(decoder, symbol);
        else add_registers(decoder, symbol.name, type, vector);
    }
}

}  // namespace warpsim::frontend
