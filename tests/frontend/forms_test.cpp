// forms/forms.txt holds instruction forms with the verdict of ptxas (tools/make-forms writes it); the frontend must
// agree. Where it does not yet, or not on purpose, is in frontend/isa/README.md; the limits below are what was reached,
// and go up with it.
#include "frontend/decode/decode.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <sstream>

using namespace warpsim::frontend;

namespace {

std::string const folder = std::string(WARPSIM_SOURCE_DIR) + "/tests/frontend/forms/";

struct Agreement {
    unsigned forms = 0;
    unsigned agreed = 0;
    std::string others;
    double share() const { return forms == 0 ? 1 : static_cast<double>(agreed) / forms; }
};

bool is_accepted(std::string const& text) {
    auto const source = std::make_shared<Source const>("form", text);
    Diagnostics diagnostics(*source);
    compile(source, diagnostics);
    return diagnostics.error_count() == 0;
}

}  // namespace

TEST_CASE("Instruction forms are accepted and refused as ptxas does") {
    std::string const prelude = Source::read(folder + "prelude.txt");
    std::istringstream lines(Source::read(folder + "forms.txt"));
    std::map<std::string, Agreement> families;
    Agreement accepted;
    Agreement refused;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string family, target, verdict, form;
        std::getline(fields, family, '\t');
        std::getline(fields, target, '\t');
        std::getline(fields, verdict, '\t');
        std::getline(fields, form);
        bool const is_legal = verdict == "+";
        bool const agrees = is_accepted(".version 9.0\n.target " + target + "\n.address_size 64\n" + prelude + form +
                                        ";\nret; }\n") == is_legal;
        for (Agreement* const a : {&families[family], is_legal ? &accepted : &refused}) {
            ++a->forms;
            if (agrees) ++a->agreed;
            else a->others += verdict + " " + form + "\n";
        }
    }
    CHECK(accepted.forms > 500);
    {
        INFO(accepted.others);
        CHECK(accepted.share() >= 0.88);
    }
    {
        INFO(refused.others);
        CHECK(refused.share() >= 0.94);
    }
    for (auto const& [name, agreement] : families) {
        INFO(name << '\n' << agreement.others);
        CHECK(agreement.share() >= 0.78);
    }
}
