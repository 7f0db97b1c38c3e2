#include "frontend/diagnostic.hpp"

#include "tests/support/catch.hpp"

#include <string>

namespace diagnostic_test {

using namespace warpsim::frontend;

namespace {

std::string_view find(Source const& source, std::string_view word) {
    return source.text().substr(source.text().find(word), word.size());
}

}  // namespace

TEST_CASE("A diagnostic shows its place, its line and what it is about", "[frontend]") {
    Source const source("saxpy.ptx", ".version 9.0\n\n  addd.s32 %r1, %r2, %r3;\n");
    Diagnostics diagnostics(source);
    diagnostics.error(find(source, "addd.s32"), "unknown instruction 'addd.s32'; did you mean 'add.s32'?");
    CHECK(diagnostics.render() == "saxpy.ptx:3:3: error: unknown instruction 'addd.s32'; did you mean 'add.s32'?\n"
                                  "    3 |   addd.s32 %r1, %r2, %r3;\n"
                                  "      |   ^~~~~~~~\n");
}

TEST_CASE("A tab takes one column, so that the caret stands under its word", "[frontend]") {
    Source const source("a.ptx", "\tadd.s32\ta, b;");
    CHECK(render(source, {Severity::warning, source.span(find(source, "a, b")), "m"}) ==
          "a.ptx:1:10: warning: m\n"
          "    1 |  add.s32 a, b;\n"
          "      |          ^~~~\n");
}

TEST_CASE("An empty span gets one caret, also at the end of the text", "[frontend]") {
    Source const source("a.ptx", "ret");
    CHECK(render(source, {Severity::error, {3, 0}, "m"}) == "a.ptx:1:4: error: m\n"
                                                            "    1 | ret\n"
                                                            "      |    ^\n");
}

TEST_CASE("A span over several lines is underlined to the end of its first", "[frontend]") {
    Source const source("a.ptx", "add a,\n    b;\n");
    CHECK(render(source, {Severity::error, {4, 9}, "m"}) == "a.ptx:1:5: error: m\n"
                                                            "    1 | add a,\n"
                                                            "      |     ^~\n");
}

TEST_CASE("Of a very long line only the surroundings are shown", "[frontend]") {
    std::string const zeros(100000, '0');
    Source const source("a.ptx", zeros + "here" + zeros);
    std::string const text = render(source, {Severity::error, {100000, 4}, "m"});
    CHECK(text.size() < 500);
    std::size_t const line = text.find(" | ");
    std::size_t const caret_line = text.rfind(" | ");
    std::size_t const shown = text.find("here") - line;
    CHECK(text.find("^~~~\n") - caret_line == shown);
    CHECK(text.find("...0") != std::string::npos);
    CHECK(text.find("0...") != std::string::npos);
}

TEST_CASE("What cannot be printed is shown as a question mark", "[frontend]") {
    Source const source("a.ptx", "\x1b[31m\xc3\xa9 x");
    CHECK(render(source, {Severity::error, {8, 1}, "m"}).find("    1 | ?[31m?? x\n      |         ^\n") !=
          std::string::npos);
}

TEST_CASE("Line numbers of six digits keep the gutter straight", "[frontend]") {
    Source const source("a.ptx", std::string(123455, '\n') + "x");
    CHECK(render(source, {Severity::note, {123455, 1}, "m"}) == "a.ptx:123456:1: note: m\n"
                                                                "123456 | x\n"
                                                                "       | ^\n");
}

TEST_CASE("A list of errors ends at its limit with a count of the rest", "[frontend]") {
    Source const source("a.ptx", "abcdef");
    Diagnostics diagnostics(source);
    for (std::size_t i = 0; i < 5; ++i) diagnostics.error(source.text().substr(i, 1), "bad");
    diagnostics.note(source.text().substr(0, 1), "of the fifth");
    std::string const text = diagnostics.render(3);
    CHECK(text.find("a.ptx:1:3: error: bad") != std::string::npos);
    CHECK(text.find("a.ptx:1:4") == std::string::npos);
    CHECK(text.ends_with("a.ptx: 2 more errors not shown\n"));
    CHECK(diagnostics.render(5).ends_with("      | ^\n"));
    CHECK(diagnostics.render(5) == diagnostics.render(0));
    CHECK(diagnostics.render(4).ends_with("a.ptx: 1 more error not shown\n"));
}

TEST_CASE("Warnings and notes do not count as errors", "[frontend]") {
    Source const source("a.ptx", "abc");
    Diagnostics diagnostics(source);
    diagnostics.warning(source.text(), "w");
    diagnostics.note(source.text(), "n");
    CHECK(diagnostics.error_count() == 0);
    diagnostics.error(source.text(), "e");
    CHECK(diagnostics.error_count() == 1);
    CHECK(diagnostics.list().size() == 3);
}

TEST_CASE("The nearest word is a likely slip or nothing", "[frontend]") {
    std::vector<std::string_view> const words = {"add", "addc", "sub", "mul", "setp", "cvta", "bar.sync"};
    CHECK(nearest("addd", words) == "add");
    CHECK(nearest("ad", words) == "add");
    CHECK(nearest("step", words) == "setp");
    CHECK(nearest("bra.sync", words) == "bar.sync");
    CHECK(nearest("cvta", words) == "cvta");
    CHECK(nearest("xyz", words).empty());
    CHECK(nearest("", words).empty());
    CHECK(nearest("quite another word", words).empty());
    CHECK(nearest(std::string(100000, 'a'), words).empty());
    CHECK(nearest("add", {}).empty());
}

TEST_CASE("Findings are shown by place, with their notes, and none twice", "[frontend]") {
    Source const source("a.ptx", "one two three\n");
    Diagnostics diagnostics(source);
    diagnostics.error(find(source, "two"), "second");
    diagnostics.note(find(source, "three"), "see this");
    diagnostics.error(find(source, "one"), "first");
    diagnostics.advice("legal: a\nb");
    diagnostics.error(find(source, "two"), "second");
    diagnostics.warning(find(source, "three"), "third");
    CHECK(diagnostics.render() == "a.ptx:1:1: error: first\n"
                                  "    1 | one two three\n"
                                  "      | ^~~\n"
                                  "a.ptx:1:1: note: legal: a\n"
                                  "        b\n"
                                  "a.ptx:1:5: error: second\n"
                                  "    1 | one two three\n"
                                  "      |     ^~~\n"
                                  "a.ptx:1:9: note: see this\n"
                                  "    1 | one two three\n"
                                  "      |         ^~~~~\n"
                                  "a.ptx:1:9: warning: third\n"
                                  "    1 | one two three\n"
                                  "      |         ^~~~~\n");
    CHECK(diagnostics.shown(1, false).findings.size() == 2);
    CHECK(diagnostics.shown(1, false).errors_left_out == 1);
}

TEST_CASE("A word is taken for another when few of its letters differ", "[frontend]") {
    CHECK(nearest("%q1", {"%p1"}) == "");
    CHECK(nearest("%tidx", {"%tid.x", "%p"}) == "%tid.x");
    CHECK(nearest("ADD", {"and", "add"}) == "add");
    CHECK(nearest("B", {"A"}) == "");
    CHECK(nearest(".u33", {".u16", ".u32"}) == ".u32");
    CHECK(did_you_mean("tabel", {"table"}) == "; did you mean 'table'?");
    CHECK(did_you_mean("table", {"table"}).empty());
}

}  // namespace diagnostic_test
