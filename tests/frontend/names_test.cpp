// Every instruction and special register that the PTX ISA 9.0 lists (names/*.txt, a line each) is known.
#include "frontend/decode/decode.hpp"
#include "frontend/isa/table.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace names_test {

using namespace warpsim;

namespace {

std::vector<std::string> lines(std::string const& name) {
    std::ifstream file(WARPSIM_SOURCE_DIR "/tests/frontend/names/" + name);
    REQUIRE(file);
    std::vector<std::string> list;
    for (std::string line; std::getline(file, line);) list.push_back(line);
    REQUIRE(list.size() > 50);
    return list;
}

std::vector<std::string> words(std::string const& dotted) {
    std::vector<std::string> list;
    std::istringstream stream(dotted);
    for (std::string word; std::getline(stream, word, '.');) list.push_back(word);
    return list;
}

/// The words of a syntax line's mnemonic, optional ones too.
std::vector<std::string> words_of(std::string_view syntax) {
    std::string mnemonic(syntax.substr(0, syntax.find(' ')));
    std::erase_if(mnemonic, [](char c) { return c == '{' || c == '}'; });
    return words(mnemonic);
}

bool has(std::vector<std::string> const& syntax, std::vector<std::string> const& name) {
    if (syntax.empty() || syntax[0] != name[0]) return false;
    return std::all_of(name.begin(), name.end(), [&](std::string const& word) {
        return std::find(syntax.begin(), syntax.end(), word) != syntax.end();
    });
}

std::string errors_of(std::string const& text) {
    auto const source = std::make_shared<frontend::Source const>("names.ptx", text);
    frontend::Diagnostics diagnostics(*source);
    frontend::compile(source, diagnostics);
    return diagnostics.render();
}

}  // namespace

TEST_CASE("Every instruction of the ISA has a row", "[frontend]") {
    std::vector<std::vector<std::string>> known;
    for (isa::Row const& row : isa::rows(isa::HostIsa::baseline)) known.push_back(words_of(row.syntax));
    for (std::string const& name : lines("instructions.txt")) {
        INFO(name);
        auto const wanted = words(name);
        CHECK(std::any_of(known.begin(), known.end(), [&](auto const& syntax) { return has(syntax, wanted); }));
    }
}

TEST_CASE("Every special register of the ISA can be read", "[frontend]") {
    std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry kernel()\n{\n"
                       "    .reg .b32 %a;\n    .reg .b64 %b;\n    .reg .pred %p;\n";
    for (std::string const& line : lines("registers.txt")) {
        std::string const type = line.substr(0, line.find(' ')), name = line.substr(line.find(' ') + 1);
        char const* const to = type == "pred" ? "%p" : type == "u64" ? "%b" : "%a";
        text += "    mov." + type + " " + to + ", " + name + ";\n";
    }
    CHECK(errors_of(text + "    ret;\n}\n") == "");
    CHECK(errors_of(text + "    mov.u32 %a, %no_such_register;\n    ret;\n}\n") != "");
}

}  // namespace names_test
