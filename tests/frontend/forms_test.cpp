// forms/forms.txt holds instruction forms with the verdict of ptxas (tools/make-forms writes it); the frontend
// must agree. frontend/isa/README.md says where it does not, and why. One part, made with another seed, is held
// out: it is counted, but never printed.
#include "frontend/decode/decode.hpp"
#include "tests/support/catch.hpp"

#include <cctype>
#include <map>
#include <sstream>
#include <vector>

namespace forms_test {

using namespace warpsim::frontend;

namespace {

std::string const folder = std::string(WARPSIM_SOURCE_DIR) + "/tests/frontend/forms/";

struct Agreement {
    unsigned forms = 0;
    unsigned agreed = 0;
    std::string others;
    double share() const { return forms == 0 ? 1 : static_cast<double>(agreed) / forms; }
};

/// A declaration and the name that asks for it; `%b32_` stands for all registers that begin so.
struct Declaration {
    std::string where, name, text;
};

std::vector<std::string> fields_of(std::string const& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    return fields;
}

std::vector<Declaration> prelude() {
    std::vector<Declaration> declarations;
    std::istringstream lines(Source::read(folder + "prelude.txt"));
    for (std::string line; std::getline(lines, line);) {
        auto const fields = fields_of(line);
        REQUIRE(fields.size() == 3);
        declarations.push_back({fields[0], fields[1], fields[2]});
    }
    return declarations;
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

bool names(std::string const& form, std::string const& name) {
    bool const is_range = name.front() == '%';
    for (std::size_t at = form.find(name); at != std::string::npos; at = form.find(name, at + 1)) {
        char const before = at == 0 ? ' ' : form[at - 1];
        char const behind = at + name.size() < form.size() ? form[at + name.size()] : ' ';
        if (is_of_name(before) || before == '%') continue;
        if (is_range ? std::isdigit(static_cast<unsigned char>(behind)) != 0 : !is_of_name(behind)) return true;
    }
    return false;
}

std::string module_of(std::string const& target, std::string const& version, std::string const& form,
                      std::vector<Declaration> const& declarations) {
    std::string before, parameters, body;
    for (auto const& [where, name, text] : declarations) {
        if (!names(form, name)) continue;
        if (where == "module") before += text + "\n";
        else if (where == "body") body += text + "\n";
        else parameters += (parameters.empty() ? "" : ", ") + text;
    }
    return ".version " + version + "\n.target " + target + "\n.address_size 64\n" + before + ".visible .entry k(" +
           parameters + ") {\n" + body + form + ";\nL1: L2: ret; }\n";
}

bool is_accepted(std::string const& text) {
    auto const source = std::make_shared<Source const>("form", text);
    Diagnostics diagnostics(*source);
    compile(source, diagnostics);
    return diagnostics.error_count() == 0;
}

struct Limits {
    double accepted, refused, family;
};

}  // namespace

TEST_CASE("Instruction forms are accepted and refused as ptxas does") {
    auto const declarations = prelude();
    std::istringstream lines(Source::read(folder + "forms.txt"));
    std::map<std::string, Agreement> parts;  // "d family", "d +", "h -"
    for (std::string line; std::getline(lines, line);) {
        auto const f = fields_of(line);
        REQUIRE(f.size() == 6);
        std::string const &family = f[0], &target = f[1], &version = f[2], &verdict = f[3], &part = f[4],
                          &form = f[5];
        bool const agrees = is_accepted(module_of(target, version, form, declarations)) == (verdict == "+");
        for (std::string const& group : {part + " " + family, part + " " + verdict}) {
            Agreement& a = parts[group];
            ++a.forms;
            if (agrees) ++a.agreed;
            else if (part == "d") a.others += verdict + " " + target + " " + version + " " + form + "\n";
        }
    }
    CHECK(parts["d +"].forms > 1000);
    CHECK(parts["h +"].forms > 100);
    Limits const developed{0.99, 0.98, 0.95};
    Limits const held_out{0.99, 0.98, 0.95};
    for (auto const& [group, agreement] : parts) {
        if (agreement.forms < 20 && group[0] == 'h') continue;  // too few to say anything
        Limits const& limits = group[0] == 'd' ? developed : held_out;
        std::string const kind = group.substr(2);
        double const limit = kind == "+" ? limits.accepted : kind == "-" ? limits.refused : limits.family;
        INFO(group << ": " << agreement.agreed << " of " << agreement.forms << '\n' << agreement.others);
        CHECK(agreement.share() >= limit);
    }
}

}  // namespace forms_test
