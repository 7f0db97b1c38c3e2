#include "runtime/trace_filter.hpp"

#include "sim/error.hpp"

#include <charconv>

namespace warpsim::runtime {

namespace {

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "5" or "5-9".
std::optional<TraceFilter::LineRange> range(std::string_view text) {
    std::size_t const dash = text.find('-');
    auto const first = number(text.substr(0, dash));
    auto const last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return TraceFilter::LineRange{*first, *last};
}

[[noreturn]] void refuse(std::string_view word) {
    throw Error(ErrorKind::usage,
                "--trace-filter: '" + std::string(word) +
                    "' is not cta=X[,Y,Z], warp=N, kernel=NAME, line=N[-M], lane=N[-M] or values");
}

/// One `key=value`; true when further numbers of it may follow.
bool take(TraceFilter& filter, std::string_view word, std::string_view key, std::string_view value) {
    auto const numbers = range(value);
    if (key == "kernel") {
        filter.kernel = value;
    } else if (!numbers) {
        refuse(word);
    } else if (key == "line") {
        filter.lines = *numbers;
    } else if (key == "lane") {
        if (numbers->last > 31) refuse(word);
        filter.lanes = UINT32_MAX << numbers->first & UINT32_MAX >> (31 - numbers->last);
    } else if (numbers->first != numbers->last) {
        refuse(word);
    } else if (key == "cta") {
        filter.cta = {numbers->first, 0, 0};
        return true;
    } else if (key == "warp") {
        filter.warp = numbers->first;
    } else {
        refuse(word);
    }
    return false;
}

}  // namespace

TraceFilter TraceFilter::parse(std::string_view text) {
    TraceFilter filter;
    std::size_t components = 0;  // of the cta read so far, while numbers follow
    while (!text.empty()) {
        std::size_t const end = text.find_first_of(",;");
        std::string_view const word = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        std::size_t const equals = word.find('=');
        if (equals != std::string_view::npos) {
            components = take(filter, word, word.substr(0, equals), word.substr(equals + 1)) ? 1 : 0;
        } else if (word == "values") {
            filter.values = true;
            components = 0;
        } else {
            auto const n = number(word);
            if (components == 0 || components > 2 || !n) refuse(word);
            (*filter.cta)[components++] = *n;
        }
    }
    return filter;
}

}  // namespace warpsim::runtime
