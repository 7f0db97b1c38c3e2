#include "runtime/replay/line_reader.hpp"

#include "frontend/diagnostic.hpp"
#include "sim/error.hpp"

#include <charconv>

namespace warpsim::replay {

void fail_at(frontend::Source const& source, std::string_view where, std::string const& message) {
    frontend::Diagnostic const diagnostic{frontend::Severity::error, source.span(where), message};
    throw Error(ErrorKind::ptx, frontend::render(source, diagnostic));
}

std::optional<std::uint64_t> number_of(std::string_view word, int base) {
    if (base == 16 && (word.starts_with("0x") || word.starts_with("0X"))) word.remove_prefix(2);
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> signed_number_of(std::string_view word) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

bool LineReader::next_line() {
    while (!rest_.empty()) {
        std::size_t const end = std::min(rest_.find('\n'), rest_.size());
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        left_ = line_;
        if (line_.find_first_not_of(" \t") != std::string_view::npos) return true;
    }
    return false;
}

std::string_view LineReader::word() {
    std::size_t const begin = std::min(left_.find_first_not_of(" \t"), left_.size());
    std::size_t const end = std::min(left_.find_first_of(" \t", begin), left_.size());
    std::string_view const found = left_.substr(begin, end - begin);
    left_.remove_prefix(end);
    return found;
}

std::string_view LineReader::expect(std::string_view what) {
    std::string_view const found = word();
    if (found.empty()) fail(line_.substr(line_.size() - 1), "the line ends before " + std::string(what));
    return found;
}

std::uint64_t LineReader::decimal(std::string_view what, std::uint64_t most) {
    std::string_view const found = expect(what);
    auto const value = number_of(found, 10);
    if (!value) fail(found, std::string(what) + " must be a decimal number");
    if (*value > most) fail(found, std::string(what) + " must be at most " + std::to_string(most));
    return *value;
}

std::uint64_t LineReader::hex(std::string_view what, std::uint64_t most) {
    std::string_view const found = expect(what);
    auto const value = number_of(found, 16);
    if (!value) fail(found, std::string(what) + " must be a hexadecimal number");
    if (*value > most) fail(found, std::string(what) + " is too large");
    return *value;
}

std::int64_t LineReader::signed_decimal(std::string_view what) {
    std::string_view const found = expect(what);
    auto const value = signed_number_of(found);
    if (!value) fail(found, std::string(what) + " must be a decimal number");
    return *value;
}

}  // namespace warpsim::replay
