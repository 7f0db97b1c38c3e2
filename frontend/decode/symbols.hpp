// The names of a module and of the function being decoded, scoped as in PTX: `{ }` opens a scope, and an inner
// name hides an outer one. `%r<100>` remains one symbol: `%r17` is found by its prefix and number.
#pragma once

#include "frontend/decode/name_map.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

struct Symbol {
    enum class Kind : std::uint8_t {
        reg,  // index: the first register
        module_variable,
        function_variable,
        function,
        label,  // index: instruction
        branch_targets,
        prototype,
    };
    Kind kind = Kind::reg;
    ir::Type type = ir::Type::none;
    std::uint32_t index = 0;
    std::uint32_t vector = 1;      // elements of each: 2 for .v2; each element of a register is a register itself
    std::uint32_t count = 1;       // members of a family
    bool is_family = false;        // %r<count>
    std::string_view name;         // for a family, the prefix
    std::string_view declared_at;  // where a note points
    std::uint32_t depth = 0;
    std::uint32_t hidden = ir::none;  // the symbol with this name in an outer scope
};

inline bool is_scalar_register(Symbol const& symbol) {
    return symbol.kind == Symbol::Kind::reg && symbol.vector == 1;
}
inline bool is_vector_register(Symbol const& symbol) {
    return symbol.kind == Symbol::Kind::reg && symbol.vector > 1;
}
inline bool is_variable(Symbol const& symbol) {
    return symbol.kind == Symbol::Kind::module_variable || symbol.kind == Symbol::Kind::function_variable;
}

/// What a name stands for: the symbol, and which of its registers or variables.
struct Found {
    Symbol const* symbol = nullptr;
    std::uint32_t index = 0;
    explicit operator bool() const { return symbol != nullptr; }
};

class Symbols {
public:
    void open_scope() { scopes_.push_back(static_cast<std::uint32_t>(symbols_.size())); }
    void close_scope();
    std::uint32_t depth() const { return static_cast<std::uint32_t>(scopes_.size()); }

    /// Declares a name in the innermost scope and returns null. If the name clashes with a symbol of that scope,
    /// changes nothing and returns that symbol. The pointer is valid until the next declaration.
    Symbol const* declare(Symbol symbol);
    Found find(std::string_view name) const;
    /// The symbol declared in the innermost scope with exactly this name; null if there is none.
    Symbol const* innermost(std::string_view name) const;
    /// The symbols that all open scopes declare, innermost last.
    std::vector<Symbol> const& all() const { return symbols_; }

private:
    Found find_in_family(std::string_view name, std::size_t prefix) const;
    Symbol const* clash(Symbol const& symbol) const;

    std::vector<Symbol> symbols_;
    std::vector<std::uint32_t> scopes_;  // size of symbols_ when each scope was opened
    NameMap names_;
    NameMap prefixes_;
    bool digit_before_family_ = false;  // whether some prefix ends in a digit: %r1<5>
};

}  // namespace warpsim::frontend
