#include "frontend/decode/decoder.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::frontend {

namespace {

using Node = syntax::Node;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.';
}

std::optional<std::uint64_t> number(Node const& node) {
    auto const value = node.kind == Node::Kind::literal ? parse_literal(node.text) : std::nullopt;
    if (!value || !value->is_integer()) return {};
    return value->bits;
}

constexpr std::uint64_t max_file = (1u << 12) - 1;
constexpr std::uint64_t max_column = (1u << 20) - 1;

std::uint64_t packed(std::uint64_t file, std::uint64_t line, std::uint64_t column) {
    return std::min(file, max_file) << 52 | (line & UINT32_MAX) << 20 | std::min(column, max_column);
}

}  // namespace

SourceLines::SourceLines(Decoder& decoder) : decoder_(decoder) {
    for (syntax::Section const& section : decoder.tree.sections) {
        if (section.name == ".debug_str") read_strings(section.body);
    }
}

/// Reads `label: .b8 95, 90 ...`: labels and the bytes between them.
void SourceLines::read_strings(std::string_view body) {
    std::size_t at = 0;
    std::size_t width = 1;
    while (at < body.size()) {
        if (!is_word(body[at])) {
            ++at;
            continue;
        }
        std::size_t const first = at;
        while (at < body.size() && is_word(body[at])) ++at;
        std::string_view const word = body.substr(first, at - first);
        if (at < body.size() && body[at] == ':') {
            labels_[word] = static_cast<std::uint32_t>(strings_.size());
        } else if (word.starts_with(".b")) {
            auto const bits = parse_literal(word.substr(2));
            width = bits ? std::max<std::uint64_t>(bits->bits / 8, 1) : 1;
        } else if (auto const value = parse_literal(word); value && width <= 8) {
            for (std::size_t i = 0; i < width; ++i) strings_ += static_cast<char>(value->bits >> 8 * i & 0xff);
        }
    }
}

void SourceLines::file(syntax::Directive const& directive) {
    auto const nodes = decoder_.tree.node_range(directive.operands);
    auto const index = nodes.empty() ? std::nullopt : number(nodes[0]);
    if (!index || nodes.size() < 2 || nodes[1].kind != Node::Kind::string || *index > max_file) {
        decoder_.diagnostics.error(directive.text, "a .file is written: .file number \"name\"");
        return;
    }
    if (nodes.size() > 4) decoder_.diagnostics.error(nodes[4].text, "a .file has a time and a size at most");
    if (auto const [earlier, is_new] = declared_.try_emplace(*index, directive.text); !is_new) {
        decoder_.diagnostics.error(directive.text, "file " + std::to_string(*index) + " is declared twice");
        decoder_.diagnostics.note(earlier->second, "first declared here");
    }
    auto& files = decoder_.module.files;
    if (files.size() <= *index) files.resize(*index + 1);
    std::string_view name = nodes[1].text;
    if (name.size() >= 2) name = name.substr(1, name.size() - 2);
    files[*index] = name;
}

std::uint32_t SourceLines::add(LocationKey const& key) {
    auto const [entry, is_new] =
        known_.try_emplace(key, static_cast<std::uint32_t>(decoder_.module.locations.size()));
    if (is_new) {
        ir::SourceLocation& made = decoder_.module.locations.emplace_back();
        made.file = static_cast<std::uint32_t>(key.packed >> 52);
        made.line = static_cast<std::uint32_t>(key.packed >> 20);
        made.column = static_cast<std::uint32_t>(key.packed & max_column);
        made.inlined_at = key.inlined_at;
        if (key.function < strings_.size()) made.function = strings_.c_str() + key.function;
    }
    latest_[key.packed] = entry->second;
    return entry->second;
}

std::uint32_t SourceLines::location(syntax::Directive const& directive) {
    std::uint64_t here[3] = {};
    std::uint64_t call[3] = {};
    unsigned here_count = 0;
    unsigned call_count = 0;
    bool is_inlined = false;
    bool has_function = false;
    bool is_late = false;  // function_name comes after inlined_at
    bool is_unknown = false;
    LocationKey key;
    auto const nodes = decoder_.tree.node_range(directive.operands);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].kind == Node::Kind::name) {
            if (nodes[i].text == "inlined_at") is_inlined = true;
            else if (nodes[i].text == "function_name") is_late = is_inlined, has_function = true;
            else if (nodes[i].text == ".debug_str") key.function = 0;
            else if (key.function = labels_.find(nodes[i].text); key.function == ir::none) is_unknown = true;
            continue;
        }
        auto const value = number(nodes[i]);
        if (!value) continue;
        if (nodes[i].separator == '+' && key.function != ir::none)
            key.function += static_cast<std::uint32_t>(*value);
        else if (is_inlined && call_count < 3) call[call_count++] = *value;
        else if (here_count < 3) here[here_count++] = *value;
    }
    if (here_count < 3 || (is_inlined && call_count < 3)) {
        decoder_.diagnostics.error(directive.text, "a .loc is written: .loc file line column");
        return decoder_.body ? decoder_.body->location : ir::none;
    }
    if (is_inlined != has_function || is_late || is_unknown) {
        // When a section could not be read all its labels are unknown; one message is enough.
        if (is_unknown && std::exchange(reported_unknown_, true))
            return decoder_.body ? decoder_.body->location : ir::none;
        decoder_.diagnostics.error(directive.text,
                                   is_unknown ? "the function name of a .loc is no label of .debug_str"
                                              : "a .loc has function_name and then inlined_at, or none of them");
        return add({packed(here[0], here[1], here[2]), ir::none, ir::none});
    }
    if (is_inlined) {
        std::uint64_t const at = packed(call[0], call[1], call[2]);
        auto const known = latest_.find(at);
        if (known != latest_.end()) {
            key.inlined_at = known->second;
        } else {
            decoder_.diagnostics.error(directive.text,
                                       "the place after inlined_at must be that of an earlier .loc");
            key.inlined_at = add({at, ir::none, ir::none});
        }
    }
    key.packed = packed(here[0], here[1], here[2]);
    return add(key);
}

}  // namespace warpsim::frontend
