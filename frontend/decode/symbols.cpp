#include "frontend/decode/symbols.hpp"

#include <algorithm>
#include <string>

namespace warpsim::frontend {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number after a family's prefix: 17 for `%r17`; none if the name does not have this form.
std::uint32_t member_number(std::string_view name, std::size_t prefix) {
    std::size_t const digits = name.size() - prefix;
    if (digits == 0 || digits > 9 || (name[prefix] == '0' && digits > 1)) return ir::none;
    std::uint32_t number = 0;
    for (std::size_t i = prefix; i < name.size(); ++i) {
        if (!is_digit(name[i])) return ir::none;
        number = 10 * number + static_cast<std::uint32_t>(name[i] - '0');
    }
    return number;
}

}  // namespace

void Symbols::close_scope() {
    std::uint32_t const first = scopes_.back();
    scopes_.pop_back();
    while (symbols_.size() > first) {
        Symbol const& symbol = symbols_.back();
        (symbol.is_family ? prefixes_ : names_)[symbol.name] = symbol.hidden;
        symbols_.pop_back();
    }
}

/// The symbol of the innermost scope with the same name; for a family, also one named like a member of it.
Symbol const* Symbols::clash(Symbol const& symbol) const {
    NameMap const& map = symbol.is_family ? prefixes_ : names_;
    std::uint32_t const at = map.find(symbol.name);
    if (at != ir::none && symbols_[at].depth == symbol.depth) return &symbols_[at];
    if (!symbol.is_family) {
        Found const other = find(symbol.name);
        return other && other.symbol->depth == symbol.depth ? other.symbol : nullptr;
    }
    std::size_t const first = scopes_.empty() ? 0 : scopes_.back();
    auto const is_member = [&](Symbol const& other) {
        return !other.is_family && other.name.starts_with(symbol.name) &&
               member_number(other.name, symbol.name.size()) < symbol.count;
    };
    if (symbols_.size() - first <= symbol.count) {
        auto const found =
            std::find_if(symbols_.begin() + static_cast<std::ptrdiff_t>(first), symbols_.end(), is_member);
        return found == symbols_.end() ? nullptr : &*found;
    }
    for (std::uint32_t i = 0; i < symbol.count; ++i) {  // few members, many names
        if (Symbol const* const other = innermost(std::string(symbol.name) + std::to_string(i))) return other;
    }
    return nullptr;
}

Symbol const* Symbols::declare(Symbol symbol) {
    symbol.depth = depth();
    if (Symbol const* const other = clash(symbol)) return other;
    std::uint32_t& slot = (symbol.is_family ? prefixes_ : names_)[symbol.name];
    symbol.hidden = slot;
    slot = static_cast<std::uint32_t>(symbols_.size());
    if (symbol.is_family && !symbol.name.empty() && is_digit(symbol.name.back())) digit_before_family_ = true;
    symbols_.push_back(symbol);
    return nullptr;
}

Symbol const* Symbols::innermost(std::string_view name) const {
    std::uint32_t const at = names_.find(name);
    return at != ir::none && symbols_[at].depth == depth() ? &symbols_[at] : nullptr;
}

Found Symbols::find_in_family(std::string_view name, std::size_t prefix) const {
    std::uint32_t const number = member_number(name, prefix);
    if (number == ir::none) return {};
    // A smaller inner family with the same prefix hides only its own members of the outer one.
    for (std::uint32_t at = prefixes_.find(name.substr(0, prefix)); at != ir::none; at = symbols_[at].hidden) {
        Symbol const& symbol = symbols_[at];
        if (number >= symbol.count) continue;
        bool const is_register = symbol.kind == Symbol::Kind::reg;
        return {&symbol, symbol.index + number * (is_register ? symbol.vector : 1)};
    }
    return {};
}

Found Symbols::find(std::string_view name) const {
    Found best;
    if (std::size_t prefix = name.size(); prefix > 0 && is_digit(name.back())) {
        while (prefix > 0 && is_digit(name[prefix - 1])) --prefix;
        best = find_in_family(name, prefix);
        if (digit_before_family_) {
            for (++prefix; prefix < name.size(); ++prefix) {
                Found const other = find_in_family(name, prefix);
                if (other && (!best || other.symbol->depth > best.symbol->depth)) best = other;
            }
        }
        if (best && best.symbol->depth == depth()) return best;
    }
    std::uint32_t const at = names_.find(name);
    if (at != ir::none && (!best || symbols_[at].depth > best.symbol->depth))
        best = {&symbols_[at], symbols_[at].index};
    return best;
}

}  // namespace warpsim::frontend
