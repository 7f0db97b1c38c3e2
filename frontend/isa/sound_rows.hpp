// Checks rows during compilation: a chapter with a row whose line and operands contradict each other does not
// compile.
#pragma once

#include "frontend/isa/modifier_words.hpp"
#include "frontend/isa/row.hpp"
#include "frontend/isa/syntax_line.hpp"

#include <span>
#include <string_view>

namespace warpsim::isa {

/// Checks a line against the rest of its row. For a row that computes lane by lane, the functions say how many
/// sources there are.
class RowChecker {
public:
    constexpr explicit RowChecker(Row const& row) : row_(row), spec_(row.operands.begin()) {}

    constexpr std::string_view problem() {
        bool const is_well_formed = LineReader(row_.syntax, *this).read();
        if (!is_well_formed) return "a brace is missing, or a character has no meaning";
        if (!problem_.empty()) return problem_;
        if (!has_selector_) return "the modifier that is compiled in does not stand in the line";
        check_types();
        if (row_.facts->is(EffectFacts::by_variants)) check_sources();
        else if (spec_ != row_.operands.end()) problem_ = "the line has fewer operands";
        return problem_;
    }

    constexpr void opcode(std::string_view) {}
    constexpr void group(std::uint8_t) {}
    constexpr void modifier(std::string_view word, std::uint8_t) {
        has_selector_ = has_selector_ || word == row_.selector;
        combines_ = combines_ || word.starts_with(".BoolOp");
        WordKind const kind = stands_for_type(word) ? WordKind::open_type : kind_of(word);
        types_ += kind == WordKind::type || kind == WordKind::open_type ? 1 : 0;
        open_types_ += kind == WordKind::open_type ? 1 : 0;
        if (kind == WordKind::none) problem_ = "a modifier is no word, no class and no type";
    }
    constexpr void operand(OperandSlot const& slot) {
        if (slot.closes_pair) return;
        if (row_.facts->is(EffectFacts::by_variants)) count_sources(slot);
        else check(slot);
    }

private:
    static constexpr unsigned count_of(std::string_view text, char wanted) {
        unsigned n = 0;
        for (char const c : text) n += c == wanted ? 1 : 0;
        return n;
    }

    constexpr void count_sources(OperandSlot const& slot) {
        if (has_result_) sources_ += slot.is_vector ? count_of(slot.name, ',') + 1 : 1;
        has_result_ = true;
    }

    constexpr void check(OperandSlot const& slot) {
        if (spec_ == row_.operands.end()) {
            problem_ = "the line has more operands";
            return;
        }
        OperandSpec const& spec = *spec_++;
        unsigned parts = 0;
        for (; spec_ != row_.operands.end() && spec_->is_part; ++spec_) ++parts;
        if (slot.is_address != (spec.kind == OperandKind::address))
            problem_ = "an operand in brackets is an address, and no other is";
        else if ((slot.group != 0) != spec.is_optional)
            problem_ = "an operand in braces is optional, and no other is";
        else if (slot.opens_pair != spec.has_predicate)
            problem_ = "a predicate stands behind a bar, and nowhere else";
        else if (slot.is_vector && count_of(slot.name, ',') + 1 != spec.length)
            problem_ = "a list has another length";
        else if (slot.is_address && count_of(slot.name, ',') != parts)
            problem_ = "the brackets have another number of parts";
        else if (slot.name == "_" && spec.kind != OperandKind::sink) problem_ = "only a sink is printed as _";
    }

    constexpr void check_types() {
        unsigned named = 0;
        for (Type const type : row_.variants[0].types) named += type != Type::none ? 1 : 0;
        if (types_ != 0 && named != types_ && named != open_types_)
            problem_ = "the line has another number of types";
    }

    /// The carry is a source without an operand; the c that a BoolOp combines with is no source of the function.
    constexpr void check_sources() {
        Variant const& variant = row_.variants[0];
        bool const has_carry =
            variant.source_count > 0 && variant.sources[variant.source_count - 1u] == Type::pred;
        bool const fits = sources_ == variant.source_count ||
                          (has_carry && sources_ + 1 == variant.source_count) ||
                          (combines_ && sources_ == variant.source_count + 1u);
        if (!fits) problem_ = "the function takes another number of sources";
    }

    Row const& row_;
    OperandSpec const* spec_;
    std::string_view problem_;
    unsigned types_ = 0;
    unsigned open_types_ = 0;
    unsigned sources_ = 0;
    bool has_result_ = false;
    bool has_selector_ = row_.selector.empty();
    bool combines_ = false;
};

/// What is wrong with a row; "" when nothing is.
constexpr std::string_view problem_of(Row const& row) {
    if (row.variants.empty()) return "the row has no variants";
    return RowChecker(row).problem();
}

/// Not constexpr: a call stops compilation, and the compiler's message shows the arguments.
void row_is_wrong(std::size_t index, std::string_view problem);

/// A chapter's rows, if they are sound. They are the same for all hosts, so it is enough that one of them has them
/// checked.
template <class Rows> consteval std::span<Row const> checked(Rows const& rows) {
#ifdef WARPSIM_CHECKS_ROWS
    std::size_t index = 0;
    for (Row const& row : rows) {
        std::string_view const problem = problem_of(row);
        if (!problem.empty()) row_is_wrong(index, problem);
        ++index;
    }
#endif
    return rows;
}

}  // namespace warpsim::isa
