// The names of a module and of the function that is being decoded, with the scoping of PTX: `{ }` opens a scope,
// an inner name hides an outer one. `%r<100>` stays one symbol: `%r17` is found as its prefix and a number.
#pragma once

#include "frontend/decode/name_map.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

struct Symbol {
    enum class Kind : std::uint8_t {
        reg,              // index: first register; `count` of them
        register_range,   // %r<count>
        register_vector,  // .v2 .v4: `count` registers from index on
        module_variable,
        function_variable,
        variable_range,
        function,
        label,  // index: instruction
        branch_targets,
        prototype,
    };
    Kind kind = Kind::reg;
    ir::Type type = ir::Type::none;
    std::uint32_t index = 0;
    std::uint32_t count = 1;
    std::string_view name;         // of a range: the prefix
    std::string_view declared_at;  // what a note points to
    bool is_of_module = false;     // of a variable_range
    std::uint32_t depth = 0;
    std::uint32_t hidden = ir::none;  // the symbol of this name in an outer scope
};

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

    /// Declares a name in the innermost scope. When that scope has one that clashes, nothing happens and the
    /// earlier symbol is returned; null: all well. The pointer is valid until the next declaration.
    Symbol const* declare(Symbol symbol);
    Found find(std::string_view name) const;
    /// The symbol that exactly this name was declared as in the innermost scope; null: none.
    Symbol const* innermost(std::string_view name) const;
    /// The symbols that the scopes open now declare, innermost last.
    std::vector<Symbol> const& all() const { return symbols_; }

private:
    static bool is_range(Symbol const& symbol) {
        return symbol.kind == Symbol::Kind::register_range || symbol.kind == Symbol::Kind::variable_range;
    }
    Found find_in_range(std::string_view name, std::size_t prefix) const;

    std::vector<Symbol> symbols_;
    std::vector<std::uint32_t> scopes_;  // size of symbols_ when each was opened
    NameMap names_;
    NameMap prefixes_;
    bool digit_before_range_ = false;  // some prefix ends in a digit: %r1<5>
};

}  // namespace warpsim::frontend
