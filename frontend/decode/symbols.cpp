#include "frontend/decode/symbols.hpp"

namespace warpsim::frontend {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Symbols::close_scope() {
    std::uint32_t const first = scopes_.back();
    scopes_.pop_back();
    while (symbols_.size() > first) {
        Symbol const& symbol = symbols_.back();
        (is_range(symbol) ? prefixes_ : names_)[symbol.name] = symbol.hidden;
        symbols_.pop_back();
    }
}

Symbol const* Symbols::declare(Symbol symbol) {
    symbol.depth = depth();
    if (!is_range(symbol)) {
        Found const other = find(symbol.name);
        if (other && other.symbol->depth == symbol.depth) return other.symbol;
    }
    NameMap& map = is_range(symbol) ? prefixes_ : names_;
    std::uint32_t& slot = map[symbol.name];
    if (slot != ir::none && symbols_[slot].depth == symbol.depth) return &symbols_[slot];
    symbol.hidden = slot;
    slot = static_cast<std::uint32_t>(symbols_.size());
    if (is_range(symbol) && !symbol.name.empty() && is_digit(symbol.name.back())) digit_before_range_ = true;
    symbols_.push_back(symbol);
    return nullptr;
}

Symbol const* Symbols::innermost(std::string_view name) const {
    std::uint32_t const at = names_.find(name);
    return at != ir::none && symbols_[at].depth == depth() ? &symbols_[at] : nullptr;
}

Found Symbols::find_in_range(std::string_view name, std::size_t prefix) const {
    std::size_t const digits = name.size() - prefix;
    if (digits == 0 || digits > 9 || (name[prefix] == '0' && digits > 1)) return {};
    std::uint32_t const at = prefixes_.find(name.substr(0, prefix));
    if (at == ir::none) return {};
    std::uint32_t number = 0;
    for (std::size_t i = prefix; i < name.size(); ++i)
        number = 10 * number + static_cast<std::uint32_t>(name[i] - '0');
    Symbol const& symbol = symbols_[at];
    if (number >= symbol.count) return {};
    return {&symbol, symbol.index + number};
}

Found Symbols::find(std::string_view name) const {
    Found best;
    if (std::size_t prefix = name.size(); prefix > 0 && is_digit(name.back())) {
        while (prefix > 0 && is_digit(name[prefix - 1])) --prefix;
        best = find_in_range(name, prefix);
        if (digit_before_range_) {
            for (++prefix; prefix < name.size(); ++prefix) {
                Found const other = find_in_range(name, prefix);
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
