// How a syntax line is parsed. The decoder keeps the result to match what is written; the compiler checks it when
// it makes the rows (sound_rows.hpp). The code is kept simple for its sake: anything else takes the compiler too
// long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsim::isa {

/// One operand of a syntax line. A pair `p|q` makes two of them.
struct OperandSlot {
    std::string_view name;
    bool is_address = false;  // [a]
    bool is_vector = false;   // {a, b}
    bool is_destination = false;
    bool opens_pair = false;   // the first of `p|q`
    bool closes_pair = false;  // the second
    bool pair_is_optional = false;
    bool can_be_negated = false;    // {!}c
    bool can_be_minus = false;      // {-}c
    bool can_be_selected = false;   // a{.asel}
    bool must_be_selected = false;  // d.dsel
    std::uint8_t group = 0;         // 0: not optional; else the number of the braces around it
};

/// `.type .dtype .atype .btype .ctype .stype ...`, and `.size` of an address conversion.
constexpr bool stands_for_type(std::string_view word) {
    return word == ".size" || (word.size() <= 6 && word.ends_with("type"));
}

/// Parses a line and reports what it finds, in order: `on.opcode(word)`, `on.modifier(word, group)` and, for every
/// pair of braces (numbered from 1), `on.group(outer)`; then `on.operand(slot)`.
template <class On> class LineReader {
public:
    constexpr LineReader(std::string_view line, On& on) : text_(line.data()), size_(line.size()), on_(on) {}

    /// False for a brace that is not closed or opened, or an unexpected character.
    constexpr bool read() {
        modifiers();
        operands();
        return is_well_formed_;
    }

private:
    static constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }
    static constexpr bool ends_modifier(char c) {
        return c == '.' || c == '{' || c == '}' || c == ';' || c == '\0' || is_space(c);
    }
    static constexpr bool ends_operand(char c) {
        return c == ',' || c == '|' || c == '[' || c == ']' || c == '{' || c == '}' || c == '(' || c == ')' ||
               c == ';' || c == '!' || c == '\0' || is_space(c);
    }
    constexpr char here(std::size_t further = 0) const {
        return at_ + further < size_ ? text_[at_ + further] : '\0';
    }
    constexpr std::string_view since(std::size_t first) const { return {text_ + first, at_ - first}; }

    constexpr void modifiers() {
        while (!ends_modifier(here())) ++at_;
        on_.opcode(since(0));
        std::uint8_t open[8] = {};
        std::uint8_t depth = 0;
        std::uint8_t groups = 0;
        while (here() != '\0' && here() != ';' && !is_space(here())) {
            if (here() == '{') {
                on_.group(open[depth]);
                open[++depth] = ++groups;
                ++at_;
            } else if (here() == '}') {
                if (depth == 0) is_well_formed_ = false;
                else --depth;
                ++at_;
            } else {
                std::size_t const first = at_++;
                while (!ends_modifier(here())) ++at_;
                on_.modifier(since(first), open[depth]);
            }
        }
        if (depth > 0) is_well_formed_ = false;
    }

    constexpr void operands() {
        while (true) {
            skip_separators();
            if (here() == '\0' || here() == ';') break;
            operand();
        }
        if (depth_ > 0) is_well_formed_ = false;
    }

    /// Blanks, commas, and the braces of `{, a}`.
    constexpr void skip_separators() {
        while (true) {
            char const c = here();
            if (is_space(c) || c == ',') {
                ++at_;
            } else if (c == '{' && opens_group()) {
                group_ = ++groups_;
                ++depth_;
                ++at_;
            } else if (c == '}' && depth_ > 0) {
                if (--depth_ == 0) group_ = 0;
                ++at_;
            } else {
                return;
            }
        }
    }
    constexpr bool opens_group() const {
        std::size_t next = 1;
        while (is_space(here(next))) ++next;
        return here(next) == ',';
    }

    constexpr std::string_view word() {
        std::size_t const first = at_;
        while (!ends_operand(here())) ++at_;
        return since(first);
    }
    constexpr std::string_view enclosed(char open, char close) {
        std::size_t const first = at_;
        int depth = 0;
        do {
            if (here() == open) ++depth;
            if (here() == close) --depth;
            ++at_;
        } while (here() != '\0' && depth > 0);
        if (depth > 0) is_well_formed_ = false;
        return since(first);
    }

    constexpr void sign(OperandSlot& slot) {
        if (here() == '!') {
            slot.can_be_negated = true;
            ++at_;
        } else if (here() == '{' && here(2) == '}') {
            slot.can_be_negated = here(1) == '!';
            slot.can_be_minus = here(1) == '-';
            if (slot.can_be_negated || slot.can_be_minus) at_ += 3;
        }
    }
    constexpr void operand() {
        OperandSlot slot;
        slot.group = group_;
        sign(slot);
        std::size_t const before = at_;
        if (here() == '[') {
            slot.name = enclosed('[', ']');
            slot.is_address = true;
            if (here() == '{' && here(1) == '.') enclosed('{', '}');  // `[a]{.unified}`
            else if (here() == '.') word();
        } else if (here() == '{') {
            slot.name = enclosed('{', '}');
            slot.is_vector = true;
        } else if (here() == '(') {
            slot.name = enclosed('(', ')');
        } else {
            slot.name = word();
            for (char const c : slot.name) slot.must_be_selected = slot.must_be_selected || c == '.';
            slot.can_be_selected = slot.must_be_selected || (here() == '{' && here(1) == '.');
            if (here() == '{' && here(1) == '.') enclosed('{', '}');
        }
        if (at_ == before) {
            is_well_formed_ = false;
            ++at_;
            return;
        }
        pair(slot);
    }
    /// `p|q` and `d[|p]`
    constexpr void pair(OperandSlot slot) {
        bool const is_optional = (here() == '[' || here() == '{') && here(1) == '|';
        if (!is_optional && here() != '|') {
            on_.operand(slot);
            return;
        }
        at_ += is_optional ? 2 : 1;
        slot.opens_pair = true;
        slot.pair_is_optional = is_optional;
        on_.operand(slot);
        slot.name = word();
        slot.opens_pair = false;
        slot.closes_pair = true;
        on_.operand(slot);
        if (is_optional) ++at_;
    }

    char const* text_;
    std::size_t size_;
    On& on_;
    std::size_t at_ = 0;
    std::uint8_t depth_ = 0;
    std::uint8_t group_ = 0;
    std::uint8_t groups_ = 0;
    bool is_well_formed_ = true;
};

}  // namespace warpsim::isa
