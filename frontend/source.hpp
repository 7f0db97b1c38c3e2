// One PTX text and the arithmetic of places in it. Knows nothing of the language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

/// A range of bytes of a source text.
struct Span {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
};

/// 1-based, as compilers print it; columns count bytes.
struct LineColumn {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};

/// A named text of at most 4 GiB - 1. Views into `text()` stay valid for the life of the Source, which is why it
/// cannot be copied or moved.
class Source {
public:
    Source(std::string name, std::string text);
    Source(Source const&) = delete;
    Source& operator=(Source const&) = delete;

    /// Reads a whole file; throws std::system_error with the path on failure.
    static std::string read(std::string const& path);

    std::string const& name() const { return name_; }
    std::string_view text() const { return text_; }

    /// The span of a view into `text()`; for any other view, the empty span at the beginning.
    Span span(std::string_view part) const;
    std::string_view view(Span span) const { return text().substr(span.offset, span.length); }
    LineColumn position(std::uint32_t offset) const;
    /// The text of a 1-based line, without its end-of-line characters.
    std::string_view line(std::uint32_t number) const;

private:
    std::string name_;
    std::string text_;
    std::vector<std::uint32_t> line_starts_;
};

/// "saxpy.ptx:41:5", where a span begins.
std::string place_text(Source const& source, Span span);

}  // namespace warpsim::frontend
