#include "frontend/source.hpp"

#include "tests/support/catch.hpp"

#include <system_error>

namespace source_test {

using namespace warpsim::frontend;

TEST_CASE("A place in a text is a line and a column, both counted from one", "[frontend]") {
    Source const source("a.ptx", "ab\ncd\n\nx");
    struct Case {
        std::uint32_t offset, line, column;
    };
    for (auto const& [offset, line, column] : {Case{0, 1, 1}, Case{1, 1, 2}, Case{2, 1, 3}, Case{3, 2, 1},
                                               Case{6, 3, 1}, Case{7, 4, 1}, Case{8, 4, 2}}) {
        INFO("offset " << offset);
        CHECK(source.position(offset).line == line);
        CHECK(source.position(offset).column == column);
    }
}

TEST_CASE("A line is given without its end, whether that is LF or CRLF", "[frontend]") {
    Source const source("a.ptx", "one\r\ntwo\n\r\nlast");
    CHECK(source.line(1) == "one");
    CHECK(source.line(2) == "two");
    CHECK(source.line(3).empty());
    CHECK(source.line(4) == "last");
    CHECK(source.line(5).empty());
    CHECK(source.line(0).empty());
}

TEST_CASE("The span of a view and the view of a span are inverse", "[frontend]") {
    Source const source("a.ptx", "add.s32 a, b, c;");
    std::string_view const word = source.text().substr(4, 3);
    Span const span = source.span(word);
    CHECK(span.offset == 4);
    CHECK(span.length == 3);
    CHECK(source.view(span) == "s32");
}

TEST_CASE("An empty text has one empty line", "[frontend]") {
    Source const source("empty.ptx", "");
    CHECK(source.position(0).line == 1);
    CHECK(source.line(1).empty());
    CHECK(source.line(2).empty());
}

TEST_CASE("A file that cannot be read is an error that names it", "[frontend]") {
    try {
        Source::read("/nonexistent/missing.ptx");
        FAIL("it was read");
    } catch (std::system_error const& error) {
        CHECK(std::string(error.what()).find("/nonexistent/missing.ptx") != std::string::npos);
    }
}

TEST_CASE("A view that is not of the text has the text's beginning as its place") {
    Source const source("a.ptx", "one\ntwo");
    CHECK(source.span(std::string_view()).offset == 0);
    CHECK(source.span(std::string_view()).length == 0);
    std::string const other = "other";
    CHECK(source.span(other).offset == 0);
}

}  // namespace source_test
