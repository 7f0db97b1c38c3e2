// Undeclared names: what was probably meant, and when to suppress the message.
#include "frontend/decode/decoder.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

/// A name without its number: %r for %r17.
std::string_view stem_of(std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); }

bool is_register(Symbol const& symbol) { return symbol.kind == Symbol::Kind::reg; }

/// Whether a symbol is of the kind that is wanted.
bool suits(Symbol const& symbol, std::string_view what) {
    bool const is_function = symbol.kind == Symbol::Kind::function;
    if (what == "predicate") return is_register(symbol) && symbol.type == isa::Type::pred;
    if (what == "register") return is_register(symbol);
    if (what == "function") return is_function;
    if (what == "label") return symbol.kind == Symbol::Kind::label;
    if (what == "prototype") return symbol.kind == Symbol::Kind::prototype;
    if (what == "variable" || what == "variable or function")
        return !is_register(symbol) && symbol.kind != Symbol::Kind::label;
    return symbol.kind != Symbol::Kind::label && symbol.kind != Symbol::Kind::prototype;
}

/// Handles `%r17` when only `%r<9>` was declared.
bool report_number(Decoder& decoder, std::string_view name, std::string_view what) {
    std::string_view const whole = name.substr(0, name.rfind('.'));  // without the element of a vector
    std::string_view const stem = stem_of(whole);
    if (stem.size() == whole.size()) return false;
    auto const& symbols = decoder.symbols.all();
    auto const symbol = std::find_if(symbols.rbegin(), symbols.rend(),
                                     [&](Symbol const& s) { return s.is_family && s.name == stem; });
    if (symbol == symbols.rend()) return false;
    std::string const last = std::string(stem) + std::to_string(symbol->count - 1);
    decoder.diagnostics.error(name, "unknown " + std::string(what) + " " + quoted(name) +
                                        "; the last of these is " + quoted(last));
    decoder.diagnostics.note(symbol->declared_at, "declared here");
    return true;
}

}  // namespace

void report_unknown(Decoder& decoder, std::string_view name, std::string_view what, std::string_view where) {
    if (where.empty()) where = name;
    std::string_view const stem = stem_of(name);
    if (decoder.excused.contains(name) || (!stem.empty() && decoder.excused.contains(stem))) {
        // The module is refused already. If there were no other error, silence would hide this one.
        if (decoder.diagnostics.error_count() > 0) return;
    }
    // If %r1 is unknown, %r2 is too, for the same reason.
    std::string_view const known_as = name.starts_with('%') && stem.size() > 1 ? stem : name;
    if (decoder.body && !decoder.body->reported.insert(known_as).second) return;
    if (!may_search(decoder)) {
        decoder.diagnostics.error(where, "unknown " + std::string(what) + " " + quoted(name));
        return;
    }
    if (report_number(decoder, name, what)) return;
    std::vector<std::string> numbered;
    std::vector<std::string_view> candidates;
    numbered.reserve(decoder.symbols.all().size());
    for (Symbol const& symbol : decoder.symbols.all()) {
        if (!suits(symbol, what)) continue;
        if (symbol.is_family && stem.size() < name.size()) {
            numbered.push_back(std::string(symbol.name).append(name.substr(stem.size())));
            candidates.push_back(numbered.back());
        } else if (!symbol.is_family) {
            candidates.push_back(symbol.name);
        }
    }
    if (what == "name")
        candidates.insert(candidates.end(), special_register_names().begin(), special_register_names().end());
    std::string hint = did_you_mean(name, candidates);
    if (hint.empty() && what == "function") hint = "; functions are declared before their use";
    decoder.diagnostics.error(where, "unknown " + std::string(what) + " " + quoted(name) + hint);
}

void excuse(Decoder& decoder, std::string_view name) { decoder.excused.insert(name); }

void note_declaration(Decoder& decoder, std::string_view name) {
    Found found = decoder.symbols.find(name);
    if (!found) found = decoder.symbols.find(name.substr(0, name.rfind('.')));
    if (found && !found.symbol->declared_at.empty())
        decoder.diagnostics.note(found.symbol->declared_at, quoted(found.symbol->name) + " is declared here");
}

std::string_view text_of(Decoder const& decoder, syntax::PoolRange tokens) {
    std::string_view text;
    for (syntax::Token const& token : decoder.tree.token_range(tokens)) {
        if (token.text.empty()) continue;
        if (text.empty()) {
            text = token.text;
            continue;
        }
        char const* const first = std::min(text.data(), token.text.data());
        char const* const last = std::max(text.data() + text.size(), token.text.data() + token.text.size());
        text = {first, static_cast<std::size_t>(last - first)};
    }
    return text;
}

}  // namespace warpsim::frontend
