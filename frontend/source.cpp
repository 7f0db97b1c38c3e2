#include "frontend/source.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <system_error>

namespace warpsim::frontend {

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    if (text_.size() >= UINT32_MAX) throw std::length_error(name_ + ": a source text is limited to 4 GiB");
    line_starts_.reserve(text_.size() / 32 + 1);
    line_starts_.push_back(0);
    // Lines are short: starting a new search in each line takes several times as long as this loop (9 ms for 10
    // MB).
    std::size_t at = 0;
    __m128i const newline = _mm_set1_epi8('\n');
    for (; at + 16 <= text_.size(); at += 16) {
        __m128i const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(text_.data() + at));
        auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newline)));
        for (; found != 0; found &= found - 1) {
            line_starts_.push_back(static_cast<std::uint32_t>(at) +
                                   static_cast<std::uint32_t>(std::countr_zero(found)) + 1);
        }
    }
    for (; at < text_.size(); ++at) {
        if (text_[at] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
    }
}

std::string Source::read(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::system_error(errno, std::generic_category(), path);
    std::string text;
    std::error_code unknown;  // ignored: a pipe has no size, and its length is known once it has been read
    std::uintmax_t const known = std::filesystem::file_size(path, unknown);
    std::size_t wanted = unknown ? 0 : static_cast<std::size_t>(known) + 1;
    for (std::size_t size = 0; file; wanted = 2 * size) {
        text.resize(std::max<std::size_t>(wanted, 1 << 16));
        file.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
        size += static_cast<std::size_t>(file.gcount());
        text.resize(size);
    }
    if (file.bad()) throw std::system_error(errno, std::generic_category(), path);
    return text;
}

Span Source::span(std::string_view part) const {
    // A view that lies outside the text has no place; it becomes the empty span.
    bool const is_inside = std::less_equal<>()(text_.data(), part.data()) &&
                           std::less_equal<>()(part.data() + part.size(), text_.data() + text_.size());
    if (!is_inside) return {};
    return {static_cast<std::uint32_t>(part.data() - text_.data()), static_cast<std::uint32_t>(part.size())};
}

LineColumn Source::position(std::uint32_t offset) const {
    auto const after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    auto const line = static_cast<std::uint32_t>(after - line_starts_.begin());
    return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view Source::line(std::uint32_t number) const {
    if (number == 0 || number > line_starts_.size()) return {};
    std::string_view rest = text().substr(line_starts_[number - 1]);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
}

std::string place_text(Source const& source, Span span) {
    LineColumn const at = source.position(span.offset);
    return source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace warpsim::frontend
