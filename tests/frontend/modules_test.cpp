// Whole modules, a line each, with the verdict of ptxas (modules/*.cases, stamped by tools/check-modules).
#include "frontend/decode/decode.hpp"

#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace modules_test {

using namespace warpsim;
using namespace warpsim::frontend;

namespace {

struct Tally {
    int accepted = 0;
    int refused = 0;
    int differences = 0;  // lines that are judged otherwise than by ptxas, each with its reason
};

std::string unescaped(std::string text) {
    for (auto const& [escape, character] : {std::pair{"\\n", "\n"}, std::pair{"\\r", "\r"}}) {
        for (std::size_t at = text.find(escape); at != std::string::npos; at = text.find(escape, at))
            text.replace(at, 2, character);
    }
    return text + "\n";
}

void check_line(std::string const& line, std::string const& header, Tally& tally) {
    char const verdict = line[0];
    std::size_t const reason = line.find(" ;; ");
    std::string text = line.substr(2, reason == std::string::npos ? reason : reason - 2);
    INFO(line);
    REQUIRE(std::string("+-><").find(verdict) != std::string::npos);
    bool const is_difference = verdict == '>' || verdict == '<';
    CHECK((reason != std::string::npos) == is_difference);
    bool const has_header = text.starts_with(".version") || text.starts_with(".target");
    if (!has_header) text = header + " " + text;
    auto const source = std::make_shared<Source const>("module.ptx", unescaped(text));
    Diagnostics diagnostics(*source);
    (void)compile(source, diagnostics);
    INFO(diagnostics.render());
    bool const is_wanted = verdict == '+' || verdict == '>';
    CHECK((diagnostics.error_count() == 0) == is_wanted);
    ++(is_wanted ? tally.accepted : tally.refused);
    tally.differences += is_difference ? 1 : 0;
}

Tally check_file(std::filesystem::path const& path) {
    std::ifstream file(path);
    Tally tally;
    std::string header;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        INFO(path.filename().string() << ":" << number);
        if (line.empty() || line[0] == '#') continue;
        if (line[0] == '@') header = line.substr(2);
        else check_line(line, header, tally);
    }
    return tally;
}

}  // namespace

TEST_CASE("Directives are accepted and refused as ptxas has it", "[modules]") {
    Tally const tally = check_file(WARPSIM_SOURCE_DIR "/tests/frontend/modules/directives.cases");
    CHECK(tally.accepted >= 150);
    CHECK(tally.refused >= 150);
    CHECK(tally.differences <= 25);
}

TEST_CASE("Names, constants, declarations, scopes and calls are accepted and refused as ptxas has it",
          "[modules]") {
    Tally const tally = check_file(WARPSIM_SOURCE_DIR "/tests/frontend/modules/language.cases");
    CHECK(tally.accepted >= 110);
    CHECK(tally.refused >= 100);
    CHECK(tally.differences <= 20);
}

TEST_CASE("Instructions of PTX 9.1 to 9.3 are accepted by version, target and operands", "[modules]") {
    Tally const tally = check_file(WARPSIM_SOURCE_DIR "/tests/frontend/later.cases");
    CHECK(tally.accepted >= 20);
    CHECK(tally.refused >= 30);
}

TEST_CASE("Names may have thousands of letters", "[modules]") {
    std::string const name(5000, 'n');
    std::string const text = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 " + name +
                             ";\n.entry k" + name + "() { .reg .u32 %" + name + "; ld.global.u32 %" + name +
                             ", [" + name + "]; ret; }\n";
    auto const source = std::make_shared<Source const>("module.ptx", text);
    Diagnostics diagnostics(*source);
    ir::Module const module = compile(source, diagnostics);
    CHECK(diagnostics.list().empty());
    CHECK(module.variable(name) != nullptr);
    CHECK(module.kernel("k" + name) != nullptr);
}

}  // namespace modules_test
