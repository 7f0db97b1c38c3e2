// Writes operations.inc: an enumerator for each instruction, each modifier and each effect that the rows name, and
// the instruction of each row.
#include "frontend/isa/names.hpp"
#include "frontend/isa/table.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace warpsim;

/// An identifier for C++: `.shared::cta` becomes shared_cta, `.1d` _1d, `and` and_.
std::string identifier(std::string_view spelling) {
    std::string name;
    for (char const c : spelling.substr(spelling.front() == '.' ? 1 : 0)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
        else if (name.empty() || name.back() != '_') name += '_';
    }
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, 1, '_');
    constexpr std::string_view words[] = {"and",   "or",     "xor",    "not",  "volatile",
                                          "const", "switch", "return", "union"};
    if (std::find(std::begin(words), std::end(words), name) != std::end(words)) name += '_';
    return name;
}

/// False when two spellings become the same identifier.
bool write(std::ostream& out, std::string_view macro, std::set<std::string> const& spellings) {
    std::set<std::string> taken;
    out << "#ifdef " << macro << '\n';
    for (std::string const& spelling : spellings) {
        std::string const name = identifier(spelling);
        if (!taken.insert(name).second) {
            std::cerr << "two spellings are called " << name << ", one is " << spelling << '\n';
            return false;
        }
        out << macro << '(' << name << ", \"" << spelling << "\")\n";
    }
    out << "#endif\n";
    return true;
}

void write_rows(std::ostream& out, std::string_view macro) {
    out << "#ifdef " << macro << '\n';
    for (isa::Row const& row : isa::rows(isa::HostIsa::baseline))
        out << macro << '(' << identifier(isa::operation_name(row.syntax)) << ")\n";
    out << "#endif\n";
}

/// In the order of their numbers. False when two declarations have one name but say different things.
bool write_effects(std::ostream& out, std::string_view macro) {
    out << "#ifdef " << macro << '\n';
    std::vector<isa::EffectFacts const*> written;
    for (isa::Row const& row : isa::rows(isa::HostIsa::baseline)) {
        auto const number = static_cast<std::size_t>(row.effect);
        if (number == written.size()) {
            written.push_back(row.facts);
            out << macro << '(' << row.facts->name << ")\n";
        } else if (*row.facts != *written[number]) {
            std::cerr << "two effects are called " << row.facts->name << '\n';
            return false;
        }
    }
    out << "#endif\n";
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: generate-operations FILE\n";
        return 2;
    }
    std::set<std::string> operations;
    std::set<std::string> modifiers;
    for (isa::Row const& row : isa::rows(isa::HostIsa::baseline)) {
        operations.insert(isa::operation_name(row.syntax));
        for (std::string_view const modifier : isa::modifiers_of(row.syntax)) modifiers.emplace(modifier);
    }
    std::ofstream out(arguments[1]);
    // The spellings are those of PTX.
    out << "// NOLINTBEGIN(readability-identifier-naming)\n";
    bool const is_written = write(out, "WARPSIM_OPERATION", operations) &&
                            write(out, "WARPSIM_MODIFIER", modifiers) && write_effects(out, "WARPSIM_EFFECT");
    write_rows(out, "WARPSIM_ROW");
    out << "// NOLINTEND(readability-identifier-naming)\n";
    return is_written && out.flush() ? 0 : 1;
}
