#include "runtime/debug/dwarf/sections.hpp"

#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

namespace warpsim::debug {

namespace {

/// Numbers for the labels and variables of one text.
std::map<std::string, std::uint64_t, std::less<>> symbols_of(ir::Module const& module, std::uint32_t source) {
    std::map<std::string, std::uint64_t, std::less<>> symbols;
    for (std::size_t i = 0; i < module.variables.size(); ++i)
        if (module.variables[i].source == source)
            symbols.emplace(module.variables[i].name, symbol_address(SymbolKind::module_variable, 0, i));
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
        ir::Function const& function = module.functions[f];
        if (function.source != source) continue;
        for (auto const& [name, instruction] : function.labels)
            symbols.emplace(name, symbol_address(SymbolKind::code, f, instruction));
        for (std::size_t i = 0; i < function.variables.size(); ++i)
            symbols.emplace(function.variables[i].name, symbol_address(SymbolKind::function_variable, f, i));
        symbols.emplace(function.name, symbol_address(SymbolKind::code, f, 0));
    }
    return symbols;
}

class Assembler {
public:
    Assembler(std::map<std::string, std::uint64_t, std::less<>> symbols) : symbols_(std::move(symbols)) {}

    /// The data between the braces. Labels in it have no use, as nvcc refers to places in sections by their distance.
    std::vector<std::byte> assemble(std::string_view body) {
        std::vector<std::byte> bytes;
        while (!body.empty()) {
            std::size_t const end = body.find('\n');
            add_line(bytes, body.substr(0, end));
            body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
        }
        return bytes;
    }

private:
    static std::string_view trimmed(std::string_view text) {
        while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
        while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
        return text;
    }

    void add_line(std::vector<std::byte>& bytes, std::string_view line) const {
        line = trimmed(line.substr(0, line.find("//")));
        std::size_t const size = line.starts_with(".b8")    ? 1
                                 : line.starts_with(".b16") ? 2
                                 : line.starts_with(".b32") ? 4
                                 : line.starts_with(".b64") ? 8
                                                            : 0;
        if (size == 0) return;
        line.remove_prefix(size == 1 ? 3 : 4);
        while (!line.empty()) {
            std::size_t const comma = line.find(',');
            std::uint64_t value = value_of(trimmed(line.substr(0, comma)));
            for (std::size_t i = 0; i < size; ++i, value >>= 8)
                bytes.push_back(static_cast<std::byte>(value & 0xff));
            line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
        }
    }

    static std::optional<std::uint64_t> number(std::string_view text) {
        bool const is_negative = text.starts_with('-'), is_hexadecimal = text.starts_with("0x");
        text.remove_prefix(is_negative ? 1 : is_hexadecimal ? 2 : 0);
        std::uint64_t value = 0;
        auto const [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return is_negative ? 0 - value : value;
    }

    /// A number, a symbol, symbol+number, or the distance of two symbols; of a section, its own beginning is 0.
    std::uint64_t value_of(std::string_view text) const {
        if (std::optional<std::uint64_t> const plain = number(text)) return *plain;
        if (auto const known = symbols_.find(text); known != symbols_.end()) return known->second;
        std::size_t const sign = text.find_first_of("+-", 1);
        if (sign == std::string_view::npos) return 0;
        std::uint64_t const left = value_of(trimmed(text.substr(0, sign)));
        std::uint64_t const right = value_of(trimmed(text.substr(sign + 1)));
        return text[sign] == '+' ? left + right : left - right;
    }

    std::map<std::string, std::uint64_t, std::less<>> const symbols_;
};

}  // namespace

Sections assemble_sections(ir::Module const& module, std::uint32_t source) {
    Sections sections;
    std::string_view text = module.sources[source]->text();
    if (text.find(".debug_info") == std::string_view::npos) return sections;
    Assembler assembler(symbols_of(module, source));
    constexpr std::string_view word = ".section";
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
        at += word.size();
        std::size_t const open = text.find('{', at), close = text.find('}', at);
        if (open == std::string_view::npos || close == std::string_view::npos || close < open) break;
        std::size_t const name = text.find(".debug", at);
        if (name < open) {
            std::size_t const end = text.find_first_of(" \t\r\n{", name);
            sections[std::string(text.substr(name, end - name))] =
                assembler.assemble(text.substr(open + 1, close - open - 1));
        }
        at = close;
    }
    return sections;
}

}  // namespace warpsim::debug
