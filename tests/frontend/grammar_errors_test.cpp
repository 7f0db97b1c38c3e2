#include "frontend/grammar/parse.hpp"

#include "tests/frontend/grammar/outline.hpp"
#include "tests/support/catch.hpp"

#include <string>

namespace grammar_errors_test {

using namespace warpsim::frontend;
using test::Parsed;

namespace {

std::string data(std::string const& name) {
    return Source::read(std::string(WARPSIM_SOURCE_DIR "/tests/frontend/grammar/") + name);
}

/// The messages for a file of the folder `grammar` are those that stand beside it.
void check_messages(std::string const& name) {
    Source const source(name + ".ptx", data(name + ".ptx"));
    Diagnostics diagnostics(source);
    grammar::parse(source, diagnostics);
    CHECK(diagnostics.render(0) == data(name + ".expected"));
}

std::string repeated(std::string const& text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

}  // namespace

TEST_CASE("Every mistake in an instruction is reported in one pass", "[frontend]") {
    check_messages("instructions");
}

TEST_CASE("Every mistake in a declaration is reported in one pass", "[frontend]") {
    check_messages("declarations");
}

TEST_CASE("Braces that do not match are reported with what they belong to", "[frontend]") {
    check_messages("scopes");
}

TEST_CASE("After an error the next statements are read", "[frontend]") {
    Parsed const parsed(
        ".entry k(.param .u32 {\n add.s32 a, b c;\n sub.s32 a, b, c;\n mul.s32 a, {b, ];\n ret;\n}\n"
        ".entry l() { ret; }");
    CHECK(parsed.diagnostics->error_count() == 3);
    CHECK(parsed.module.functions.size() == 2);
    REQUIRE(parsed.module.instructions.size() == 3);
    CHECK(parsed.module.instructions[0].mnemonic == "sub.s32");
    CHECK(parsed.module.instructions[1].mnemonic == "ret");
}

TEST_CASE("A statement that lacks its semicolon leaves the next line alone", "[frontend]") {
    Parsed const parsed(".entry k() {\n add.s32 a, b, c\n sub.s32 a, b, c;\n}\n");
    CHECK(parsed.diagnostics->error_count() == 1);
    REQUIRE(parsed.module.instructions.size() == 1);
    CHECK(parsed.module.instructions[0].mnemonic == "sub.s32");
}

TEST_CASE("Characters that are not ASCII are worth one warning in comments", "[frontend]") {
    Parsed const parsed("// na\xc3\xafve, na\xc3\xafve\n/* \xc3\xaf */ .entry k() { ret; } // \xc3\xaf");
    CHECK(parsed.diagnostics->error_count() == 0);
    REQUIRE(parsed.diagnostics->list().size() == 1);
    CHECK(parsed.diagnostics->list()[0].span.offset == 5);
    CHECK(parsed.diagnostics->list()[0].span.length == 2);
    Parsed const string("/* \" */ .pragma \"// \xc3\xaf\"; /* \" */");
    CHECK(string.diagnostics->error_count() == 1);
}

TEST_CASE("A character that is not ASCII is an error outside comments, and reading goes on", "[frontend]") {
    Parsed const parsed("/**/ na\xc3\xafve\n;.entry k() { ret; }");
    REQUIRE(parsed.diagnostics->error_count() >= 1);
    CHECK(parsed.diagnostics->list()[0].span.offset == 7);
    CHECK(parsed.diagnostics->list()[0].span.length == 2);
    CHECK(parsed.module.instructions.size() == 1);
    // It is not reported a second time by the grammar.
    CHECK(Parsed(".global .b32 \xc3\xa9;").diagnostics->error_count() == 1);
}

TEST_CASE("A comment without an end is an error where it begins", "[frontend]") {
    Parsed const parsed(".version 9.0\n/* open\n.target sm_90\n");
    REQUIRE(parsed.diagnostics->error_count() == 1);
    CHECK(parsed.diagnostics->list()[0].span.offset == 13);
    CHECK(parsed.diagnostics->list()[0].message == "a comment without an end");
}

TEST_CASE("Nesting is limited, whatever is nested", "[frontend]") {
    std::string const kernel = ".entry k() {\n";
    struct Case {
        char const* what;
        std::string before, open, inner, close, after;
    };
    for (Case const& c : {Case{"parentheses", kernel + "mov a, ", "(", "1", ")", "; }"},
                          Case{"conditionals", kernel + "mov a, ", "1?2:", "3", "", "; }"},
                          Case{"vectors", kernel + "mov a, ", "{", "b", "}", "; }"},
                          Case{"indices", kernel + "mov a, ", "b[", "1", "]", "; }"},
                          Case{"initializers", ".global .b32 x = ", "{", "1", "}", ";"},
                          Case{"operators", ".global .b32 x = ", "generic(", "y", ")", ";"}}) {
        INFO(c.what);
        auto const text = [&c](std::size_t n) {
            return c.before + repeated(c.open, n) + c.inner + repeated(c.close, n) + c.after;
        };
        CHECK(Parsed(text(60)).ok());
        Parsed const deep(text(100000));
        REQUIRE(deep.diagnostics->error_count() >= 1);
        CHECK(deep.diagnostics->list()[0].message == "nested deeper than 256 levels");
    }
    Parsed const blocks(kernel + repeated("{", 300) + repeated("}", 300) + "}");
    REQUIRE(blocks.diagnostics->error_count() == 1);
    CHECK(blocks.diagnostics->list()[0].message == "blocks are nested deeper than 256 levels");
}

TEST_CASE("A long chain of prefix operators or terms is not nesting", "[frontend]") {
    CHECK(Parsed(".entry k() { mov a, " + repeated("-", 100000) + "1; }").ok());
    CHECK(Parsed(".entry k() { mov a, 1" + repeated("+1", 100000) + "; }").ok());
    CHECK(Parsed(".entry k() { mov a, x" + repeated("+1", 100000) + "; }").ok());
}

TEST_CASE("What is not PTX is given up after a number of errors", "[frontend]") {
    Parsed const parsed(repeated("?; ", 100000));
    CHECK(parsed.diagnostics->error_count() < 1000);
    CHECK(parsed.diagnostics->list().back().message == "too many errors; the rest of the text was not read");
}

TEST_CASE("A text that ends in the middle of anything is an error, not a crash", "[frontend]") {
    std::string const text = data("everything.ptx");
    REQUIRE(Parsed(text).ok());
    for (std::size_t length = 0; length < text.size(); ++length) {
        Parsed const parsed(text.substr(0, length));
        std::string const messages = parsed.diagnostics->render();
        INFO(length << messages);
        CHECK(messages.empty() == parsed.ok());
    }
}

}  // namespace grammar_errors_test
