#include "frontend/isa/lane_names.hpp"

#include "frontend/isa/modifiers.hpp"

#include <cctype>

namespace warpsim::isa {

namespace {

/// The line without punctuation: `d{.mask}, a{.asel}` gives `d.mask_a.asel`.
std::string words_of(std::string_view syntax) {
    std::string words;
    for (char const c : syntax) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.') words += c;
        else if (c == ' ' || c == '|') words += '_';
    }
    return words;
}

void append_type(std::string& text, Type type) {
    if (type == Type::none) return;
    if (!text.ends_with("__")) text += '.';
    text += name(type);
}

std::string_view word_of(LaneKind kind) {
    switch (kind) {
        case LaneKind::plain: return "plain";
        case LaneKind::ftz: return "ftz";
        case LaneKind::directed: return "directed";
        case LaneKind::directed_ftz: return "directed_ftz";
    }
    return "";
}

}  // namespace

LaneFunction lane_function(Variant const& variant, LaneKind kind) {
    switch (kind) {
        case LaneKind::plain: return variant.run;
        case LaneKind::ftz: return variant.run_ftz;
        case LaneKind::directed: return variant.run_directed;
        case LaneKind::directed_ftz: return variant.run_directed_ftz;
    }
    return nullptr;
}

std::string lane_name(Row const& row, Variant const& variant, LaneKind kind) {
    std::string text = words_of(row.syntax) + "__";
    if (!row.selector.empty()) text += modifier_class(row.selector)[variant.selector].substr(1);
    for (Type const type : variant.types) append_type(text, type);
    text += "__";
    append_type(text, variant.result);
    for (std::size_t i = 0; i < variant.source_count; ++i) append_type(text, variant.sources[i]);
    return text + "__" + std::string(word_of(kind));
}

}  // namespace warpsim::isa
