// Explains why a mnemonic is not known: what was probably meant, what is missing, which types are legal.
#include "frontend/decode/match.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Type;

std::string joined(std::span<std::string_view const> words) {
    std::string text;
    for (std::string_view const word : words) text += word;
    return text;
}

std::string_view extent_of(std::span<std::string_view const> parts) {
    char const* const first = parts.front().data();
    return {first, static_cast<std::size_t>(parts.back().data() + parts.back().size() - first)};
}

void add_once(std::vector<std::string>& words, std::string word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
}

/// ".lo, .hi or .wide"; shortened if there are many.
std::string choice(std::vector<std::string> const& words) {
    constexpr std::size_t most = 24;
    std::string text;
    std::size_t const shown = std::min(words.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return words.size() > most ? text + " and so on" : text;
}

class Explanation {
public:
    Explanation(std::string_view mnemonic, Diagnostics& diagnostics)
        : mnemonic_(mnemonic), written_(split_mnemonic(mnemonic)), diagnostics_(diagnostics) {}

    void report() {
        auto const all = rows_of(written_.opcode);
        if (all.empty()) {
            unknown_opcode();
            return;
        }
        for (std::uint32_t const row : all) {
            MnemonicProbe const near = probe(row, written_);
            if (near.is_complete) fitting_.push_back(row);
            else if (near.is_disordered && near.types_fit) disordered_.push_back(row);
            else if (near.all_placed && near.types_fit && !near.missing.empty()) lacking_.push_back(row);
        }
        if (fitting_.empty() && !disordered_.empty()) wrong_order();
        else if (!lacking_.empty()) missing_modifier();
        else if (!fitting_.empty()) wrong_type();
        else if (!unknown_modifier(all) && !excluded_modifier(all)) disagreement(all);
    }

private:
    void unknown_opcode() {
        std::string message = "unknown instruction " + quoted(mnemonic_);
        if (std::string_view const near = nearest(written_.opcode, opcodes()); !near.empty()) {
            std::string meant(near);
            meant += mnemonic_.substr(written_.opcode.size());
            message += "; did you mean " + quoted(meant) + "?";
        }
        diagnostics_.error(written_.opcode, message);
    }

    void wrong_order() {
        diagnostics_.error(mnemonic_, "the modifiers of " + quoted(written_.opcode) + " are in the wrong order");
        diagnostics_.advice(legal_lines(disordered_));
    }

    /// All rows whose types fit need another modifier: says which, if each lacks only one.
    void missing_modifier() {
        std::vector<std::string> wanted;
        for (std::uint32_t const row : lacking_) {
            MnemonicProbe const near = probe(row, written_);
            if (near.missing.size() > 1) continue;
            ModifierSlot const& slot = *near.missing[0];
            if (slot.members.empty()) add_once(wanted, std::string(slot.spelling));
            for (std::string_view const member : slot.members) add_once(wanted, std::string(member));
        }
        diagnostics_.error(mnemonic_, quoted(mnemonic_) + " needs another modifier" +
                                          (wanted.empty() ? "" : ": " + choice(wanted)));
        diagnostics_.advice(legal_lines(lacking_));
    }

    /// The type that no row takes at its position, and the types that some row takes there.
    void wrong_type() {
        std::string const name = std::string(written_.opcode) + joined(written_.modifiers);
        std::vector<std::vector<Type>> legal;
        for (std::uint32_t const row : fitting_) {
            auto const types = legal_types(row);
            legal.insert(legal.end(), types.begin(), types.end());
        }
        std::size_t at = 0;  // position of the first type that is not legal
        while (at < written_.types.size()) {
            Type const type = isa::type_named(written_.types[at].substr(1));
            std::vector<std::vector<Type>> kept;
            std::copy_if(legal.begin(), legal.end(), std::back_inserter(kept),
                         [&](auto const& types) { return at < types.size() && types[at] == type; });
            if (kept.empty()) break;
            legal = std::move(kept);
            ++at;
        }
        std::vector<std::string> words;
        for (auto const& types : legal) {
            if (at < types.size()) add_once(words, "." + std::string(isa::name(types[at])));
        }
        report_type(name, at, words);
        diagnostics_.advice(legal_lines(fitting_));
    }

    void report_type(std::string const& name, std::size_t at, std::vector<std::string> const& words) {
        auto const& types = written_.types;
        std::string const legal = words.empty() ? "" : "; legal: " + choice(words);
        if (types.empty()) {
            diagnostics_.error(mnemonic_,
                               quoted(name) + " needs a type" + (words.empty() ? "" : ": " + choice(words)));
        } else if (at >= types.size()) {
            diagnostics_.error(extent_of(types), quoted(joined(types)) + ": another type is missing" + legal);
        } else if (words.empty()) {
            diagnostics_.error(types[at], quoted(types[at]) + " is one type too many");
        } else {
            std::vector<std::string_view> const near(words.begin(), words.end());
            std::string const before = joined(std::span(types).first(at));
            diagnostics_.error(types[at], quoted(types[at]) + " is not a legal type of " + quoted(name) +
                                              (before.empty() ? "" : " after " + quoted(before)) + legal);
        }
    }

    /// All modifiers and types that rows of the opcode take: a misspelled type is read as a modifier.
    static std::vector<std::string> legal_modifiers(std::span<std::uint32_t const> rows) {
        std::vector<std::string> legal;
        for (std::uint32_t const row : rows) {
            for (ModifierSlot const& slot : syntax_line(row).modifiers) {
                if (slot.is_type) continue;
                if (slot.members.empty()) add_once(legal, std::string(slot.spelling));
                for (std::string_view const member : slot.members) add_once(legal, std::string(member));
            }
        }
        return legal;
    }

    bool unknown_modifier(std::span<std::uint32_t const> rows) {
        std::vector<std::string> legal = legal_modifiers(rows);
        for (std::string_view const modifier : written_.modifiers) {
            if (std::find(legal.begin(), legal.end(), modifier) != legal.end()) continue;
            for (std::uint32_t const row : rows) {
                for (auto const& types : legal_types(row)) {
                    for (Type const type : types) add_once(legal, "." + std::string(isa::name(type)));
                }
            }
            diagnostics_.error(modifier, quoted(modifier) + " is not a modifier of " + quoted(written_.opcode) +
                                             did_you_mean(modifier, {legal.begin(), legal.end()}));
            diagnostics_.advice(legal_lines(nearest_rows(rows, modifier)));
            return true;
        }
        return false;
    }

    /// Finds two modifiers that no row takes together.
    bool excluded_modifier(std::span<std::uint32_t const> rows) {
        auto const& modifiers = written_.modifiers;
        for (std::size_t second = 1; second < modifiers.size(); ++second) {
            for (std::size_t first = 0; first < second; ++first) {
                WrittenMnemonic two = written_;
                two.modifiers = {modifiers[first], modifiers[second]};
                if (std::any_of(rows.begin(), rows.end(),
                                [&](std::uint32_t row) { return probe(row, two).all_placed; })) {
                    continue;
                }
                bool const is_same = modifiers[first] == modifiers[second];
                diagnostics_.error(modifiers[second], is_same
                                                          ? quoted(modifiers[second]) + " is written twice"
                                                          : quoted(modifiers[second]) + " cannot stand beside " +
                                                                quoted(modifiers[first]));
                diagnostics_.advice(legal_lines(nearest_rows(rows, modifiers[second])));
                return true;
            }
        }
        return false;
    }

    void disagreement(std::span<std::uint32_t const> rows) {
        diagnostics_.error(mnemonic_, "the modifiers of " + quoted(mnemonic_) + " do not go together");
        diagnostics_.advice(legal_lines(nearest_rows(rows, {})));
    }

    /// Rows that take everything written except `without`, or else the rows that take the most of it.
    std::vector<std::uint32_t> nearest_rows(std::span<std::uint32_t const> rows, std::string_view without) const {
        std::vector<std::uint32_t> best;
        std::size_t most = 0;
        for (std::uint32_t const row : rows) {
            WrittenMnemonic one = written_;
            std::size_t taken = 0;
            for (std::string_view const modifier : written_.modifiers) {
                if (modifier.data() == without.data()) continue;
                one.modifiers = {modifier};
                taken += probe(row, one).all_placed ? 2u : 0u;
            }
            taken += probe(row, written_).types_fit ? 3u : 0u;
            if (taken > most || best.empty()) {
                best.clear();
                most = taken;
            }
            if (taken == most) best.push_back(row);
        }
        return best;
    }

    std::string_view mnemonic_;
    WrittenMnemonic written_;
    Diagnostics& diagnostics_;
    std::vector<std::uint32_t> fitting_;     // rows that take all modifiers as written
    std::vector<std::uint32_t> disordered_;  // rows that take the modifiers in another order
    std::vector<std::uint32_t> lacking_;     // rows that need one more modifier
};

}  // namespace

std::string legal_lines(std::span<std::uint32_t const> rows) {
    constexpr std::size_t most = 6;
    std::vector<std::string> lines;  // rows that differ only in their types are printed alike
    for (std::uint32_t const row : rows) {
        std::string line = isa::printed(row_at(row).syntax);
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    }
    std::string text = "legal: ";
    for (std::size_t i = 0; i < lines.size() && i < most; ++i) {
        if (i > 0) text += '\n';
        text += lines[i];
    }
    if (lines.size() > most) text.append("\nand ").append(std::to_string(lines.size() - most)).append(" more");
    return text;
}

void Mnemonics::explain(std::string_view mnemonic, Diagnostics& diagnostics) {
    Explanation(mnemonic, diagnostics).report();
}

}  // namespace warpsim::frontend
