#include "runtime/fatbin/register_counts.hpp"

#include "sim/error.hpp"

#include <elf.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

namespace warpsim::fatbin {

namespace {

// Attributes in .nv.info: a byte for how the value is written, a byte for what it is, two bytes of the value or its size.
constexpr std::uint8_t written_with_size = 4, registers_of_function = 0x2f;
constexpr std::size_t attribute_head = 4;

[[noreturn]] void damaged(char const* what) {
    throw Error(ErrorKind::usage, std::string("the machine code is damaged: ") + what);
}

/// Reads an ELF file whose offsets and sizes are not trusted.
class Elf {
public:
    explicit Elf(std::string_view bytes) : bytes_(bytes) {
        auto const head = at<Elf64_Ehdr>(0);
        if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
            damaged("it is no ELF file of 64 bits");
        if (head.e_shentsize != sizeof(Elf64_Shdr)) damaged("its sections have another size");
        for (std::size_t i = 0; i < head.e_shnum; ++i)
            sections_.push_back(at<Elf64_Shdr>(offset(head.e_shoff, i, sizeof(Elf64_Shdr))));
        if (head.e_shstrndx >= sections_.size()) damaged("the names of its sections are not there");
        names_ = contents(sections_[head.e_shstrndx]);
    }

    std::optional<Elf64_Shdr> section(std::string_view name) const {
        for (Elf64_Shdr const& s : sections_)
            if (text(names_, s.sh_name) == name) return s;
        return std::nullopt;
    }
    std::string_view contents(Elf64_Shdr const& section) const {
        if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset)
            damaged("a section is not in it");
        return bytes_.substr(section.sh_offset, section.sh_size);
    }
    std::string symbol_name(std::uint32_t index) const {
        auto const symbols = section(".symtab");
        if (!symbols || symbols->sh_link >= sections_.size()) damaged("its symbols are not there");
        auto const symbol = value<Elf64_Sym>(contents(*symbols), offset(0, index, sizeof(Elf64_Sym)));
        return std::string(text(contents(sections_[symbols->sh_link]), symbol.st_name));
    }

    template <class T> static T value(std::string_view bytes, std::uint64_t at) {
        if (at > bytes.size() || sizeof(T) > bytes.size() - at) damaged("it is cut off");
        T result;
        std::memcpy(&result, bytes.data() + at, sizeof result);
        return result;
    }

private:
    template <class T> T at(std::uint64_t offset) const { return value<T>(bytes_, offset); }
    static std::uint64_t offset(std::uint64_t begin, std::uint64_t index, std::uint64_t size) {
        std::uint64_t const at = begin + index * size;
        if (at < begin) damaged("an offset is too large");
        return at;
    }
    static std::string_view text(std::string_view strings, std::uint64_t at) {
        std::size_t const end = at < strings.size() ? strings.find('\0', at) : std::string_view::npos;
        if (end == std::string_view::npos) damaged("a name is not in it");
        return strings.substr(at, end - at);
    }

    std::string_view bytes_, names_;
    std::vector<Elf64_Shdr> sections_;
};

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The number that the text is.
std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t result = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc() || result == 0 || end != text.data() + text.size()) return std::nullopt;
    return result;
}

/// What stands between the two, if both are there.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view behind) {
    std::size_t const at = text.find(before);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view const rest = text.substr(at + before.size());
    std::size_t const end = rest.find(behind);
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
}

/// Of lines that begin to be counted at 1.
struct Place {
    std::string const& file;
    std::size_t line = 0;
    [[noreturn]] void fail(std::string const& what) const {
        throw Error(ErrorKind::usage, file + ":" + std::to_string(line) + ": " + what);
    }
};

void add(RegisterCounts& counts, std::string_view name, std::string_view text, Place const& place) {
    auto const registers = number(text);
    if (name.empty()) place.fail("no function is named before these registers");
    if (!registers) place.fail("'" + std::string(trimmed(text)) + "' is no number of registers");
    counts[std::string(name)] = *registers;
}

/// What NVIDIA's tools print: the name of a function in one line, its registers in one behind that.
RegisterCounts read_report(std::string const& text, std::string const& file) {
    constexpr std::string_view properties = "Function properties for ", function = "Function ";
    RegisterCounts counts;
    Place place{file};
    std::string name;
    std::istringstream lines(text);
    for (std::string whole; std::getline(lines, whole);) {
        ++place.line;
        std::string_view const line = trimmed(whole);
        std::size_t const at = line.find(properties);
        if (auto const entry = between(line, "Compiling entry function '", "'")) name = *entry;
        else if (at != std::string_view::npos) name = line.substr(at + properties.size());
        else if (line.starts_with(function) && line.ends_with(':'))
            name = line.substr(function.size(), line.size() - function.size() - 1);
        else if (auto const used = between(line, "Used ", " registers")) add(counts, name, *used, place);
        else if (auto const of_cuobjdump = between(line, "REG:", " ")) add(counts, name, *of_cuobjdump, place);
    }
    return counts;
}

/// Lines of a name and a number; those behind a # are left out.
RegisterCounts read_list(std::string const& text, std::string const& file) {
    RegisterCounts counts;
    Place place{file};
    std::istringstream lines(text);
    for (std::string whole; std::getline(lines, whole);) {
        ++place.line;
        std::string_view const line = trimmed(whole);
        if (line.empty() || line.front() == '#') continue;
        std::size_t const space = line.find_last_of(" \t");
        if (space == std::string_view::npos) place.fail("a name and a number of registers are wanted");
        add(counts, trimmed(line.substr(0, space)), line.substr(space + 1), place);
    }
    return counts;
}

}  // namespace

RegisterCounts machine_code_registers(std::string_view elf) {
    Elf const file(elf);
    RegisterCounts counts;
    auto const section = file.section(".nv.info");
    if (!section) return counts;
    std::string_view info = file.contents(*section);
    while (info.size() >= attribute_head) {
        auto const how = Elf::value<std::uint8_t>(info, 0), what = Elf::value<std::uint8_t>(info, 1);
        auto const size = Elf::value<std::uint16_t>(info, 2);
        info.remove_prefix(attribute_head);
        if (how != written_with_size) continue;
        if (what == registers_of_function)
            counts[file.symbol_name(Elf::value<std::uint32_t>(info, 0))] = Elf::value<std::uint32_t>(info, 4);
        if (size > info.size()) damaged("an attribute is cut off");
        info.remove_prefix(size);
    }
    return counts;
}

RegisterCounts read_register_counts(std::string const& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw Error(ErrorKind::usage, "'" + file + "' cannot be read");
    std::string const bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (bytes.starts_with(ELFMAG)) {
        try {
            return machine_code_registers(bytes);
        } catch (Error const& error) {
            throw Error(ErrorKind::usage, file + ": " + error.what());
        }
    }
    bool const is_report =
        bytes.find("ptxas info") != std::string::npos || bytes.find("Resource usage:") != std::string::npos;
    RegisterCounts counts = is_report ? read_report(bytes, file) : read_list(bytes, file);
    if (counts.empty()) throw Error(ErrorKind::usage, file + ": it tells registers of no function");
    return counts;
}

}  // namespace warpsim::fatbin
