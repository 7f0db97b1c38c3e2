// Inputs that nobody writes but somebody may send: they end in messages or in a module, and take memory in
// proportion to their size.
#include "frontend/decode/decode.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <string>

namespace robustness_test {

using namespace warpsim::frontend;

namespace {

struct Outcome {
    std::size_t errors = 0;
    std::string text;
    std::size_t registers = 0;
    std::size_t variables = 0;
};

Outcome outcome_of(std::string text) {
    auto const source = std::make_shared<Source const>("input.ptx", std::move(text));
    Diagnostics diagnostics(*source);
    warpsim::ir::Module const module = compile(source, diagnostics);
    Outcome outcome{diagnostics.error_count(), diagnostics.render(3), 0, module.variables.size()};
    for (auto const& function : module.functions) outcome.registers += function.registers.size();
    return outcome;
}

std::string const header = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string repeated(std::string const& text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

bool mentions(Outcome const& outcome, char const* text) { return outcome.text.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("Whatever is nested 10000 deep ends in one message", "[frontend]") {
    std::size_t const deep = 10000;
    for (std::string const& body : {repeated("{", deep) + repeated("}", deep),
                                    "mov.u32 a, " + repeated("(", deep) + "1" + repeated(")", deep) + ";",
                                    "mov.b64 a, " + repeated("{", deep) + "a" + repeated("}", deep) + ";",
                                    "mov.u32 a, " + repeated("1 ? 2 : ", deep) + "3;"}) {
        CAPTURE(body.substr(0, 30));
        Outcome const outcome = outcome_of(header + ".entry k() { .reg .b32 a; " + body + " ret; }");
        CHECK(outcome.errors == 1);
        CHECK(mentions(outcome, "nested deeper than 256 levels"));
    }
    CHECK(outcome_of(header + ".global .u32 x = " + repeated("{", deep)).errors > 0);
    CHECK(outcome_of(repeated("{", 100000)).errors > 0);
}

TEST_CASE("A few bytes cannot ask for more registers, variables or labels than a host holds", "[frontend]") {
    CHECK(mentions(outcome_of(header + ".entry k() { .reg .b32 %r<1000000000>; ret; }"),
                   "illegal number of registers"));
    CHECK(outcome_of(header + ".entry k() { .reg .b32 %r<99999>; ret; }").registers == 99999);
    std::string functions;
    for (int i = 0; i < 20; ++i)
        functions += ".func f" + std::to_string(i) + "() { .reg .b32 %r<1048576>; ret; }\n";
    Outcome const many = outcome_of(header + functions);
    CHECK(many.errors == 12);
    CHECK(many.registers == 8u << 20);
    std::string variables;
    for (char c = 'a'; c <= 'z'; ++c) variables += std::string(".global .b32 ") + c + "<65536>;\n";
    Outcome const families = outcome_of(header + variables);
    CHECK(families.errors == 10);
    CHECK(families.variables == 1u << 20);
    std::string targets;
    for (int i = 0; i < 40; ++i) targets += "T" + std::to_string(i) + ": .branchtargets N<65536>;\n";
    CHECK(mentions(outcome_of(header + ".entry k() {\n" + targets + "N0: ret; }"), "unknown label 'N1'"));
    CHECK(outcome_of(header + ".global .b8 x[1000000000000] = {1};").errors == 0);
}

TEST_CASE("Names may be long, and messages quote their beginning", "[frontend]") {
    std::string const name(5000, 'x');
    CHECK(outcome_of(header + ".entry " + name + "() { .reg .b32 %" + name + "; mov.u32 %" + name + ", 1; ret; }")
              .errors == 0);
    Outcome const unknown = outcome_of(header + ".entry k() { .reg .b32 a; mov.u32 a, " + name + "; ret; }");
    CHECK(unknown.errors == 1);
    CHECK(unknown.text.size() < 1000);
}

TEST_CASE("Very many unknown names are reported without a search for each", "[frontend]") {
    std::string body;
    for (int i = 0; i < 20000; ++i) {
        body += "L" + std::to_string(i) + ": bra M" + std::to_string(i) + "; add.s32 a, u" + std::to_string(i) +
                ", 1;\n";
    }
    CHECK(outcome_of(header + ".entry k() { .reg .b32 a;\n" + body + "}").errors == 40000);
}

TEST_CASE("Binary rubbish is refused", "[frontend]") {
    std::mt19937 random(1);
    std::string bytes(1 << 20, '\0');
    CHECK(outcome_of(bytes).errors > 0);
    for (char& c : bytes) c = static_cast<char>(random());
    CHECK(outcome_of(bytes).errors > 0);
    for (char& c : bytes) c = "abc.;{}[]()%, \n0189+-*<>@!|:\"/"[random() % 31];
    CHECK(outcome_of(bytes).errors > 0);
    CHECK(outcome_of("").errors == 1);
    CHECK(outcome_of(std::string(1 << 20, '\n')).errors == 1);
    CHECK(outcome_of(repeated("/*", 10000)).errors > 0);
}

TEST_CASE("A declaration without a type or name has a place in the text", "[frontend]") {
    Outcome const variable = outcome_of(header + ".global .align 8 d[3] = {1};");
    CHECK(variable.errors == 1);
    CHECK(mentions(variable, "input.ptx:4:18: error: the type of 'd' is missing"));
    Source const source("a.ptx", "text");
    CHECK(source.span({}).offset == 0);
    CHECK(source.span("another text").length == 0);
}

}  // namespace robustness_test
