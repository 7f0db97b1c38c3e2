#include "runtime/fatbin/write.hpp"

#include "runtime/fatbin/layout.hpp"
#include "sim/error.hpp"

#include <charconv>
#include <cstring>

namespace warpsim::fatbin {

namespace {

using layout::ContainerHeader;
using layout::EntryHeader;
using layout::OptionsRecord;

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// What follows the first `directive` outside of comments, up to the next blank, comma or comment; "" for none.
std::string_view word_after(std::string_view ptx, std::string_view directive) {
    constexpr std::string_view ends = " \t\r\n,/";
    for (std::size_t at = 0; at < ptx.size();) {
        if (ptx.substr(at, 2) == "//") at = std::min(ptx.find('\n', at), ptx.size());
        else if (ptx.substr(at, 2) == "/*") at = std::min(ptx.find("*/", at + 2), ptx.size() - 2) + 2;
        else if (ptx.substr(at, directive.size()) == directive) {
            std::size_t const begin = ptx.find_first_not_of(" \t", at + directive.size());
            if (begin == std::string_view::npos) return {};
            return ptx.substr(begin, ptx.find_first_of(ends, begin) - begin);
        } else if (ptx[at] == '{') break;  // a body: both stand at the beginning
        else ++at;
    }
    return {};
}

[[noreturn]] void lacks(std::string const& directive) {
    throw Error(ErrorKind::ptx, "error: this PTX has no " + directive + " directive\n");
}

/// The number at the beginning of `text`, which is cut off.
template <class Number> Number take_number(std::string_view& text, std::string const& directive) {
    Number number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) lacks(directive);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

template <class T> void append(std::string& bytes, T const& value) {
    bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
}

}  // namespace

std::string write(std::string_view ptx, std::string_view options, std::string_view first) {
    if (first.empty()) first = ptx;
    EntryHeader head{};
    head.kind = layout::ptx;
    head.version = 0x0101;
    head.flags = layout::wide | layout::linux_host;
    std::string_view version = word_after(first, ".version");
    head.major = take_number<std::uint16_t>(version, ".version");
    if (!version.starts_with('.')) lacks(".version");
    version.remove_prefix(1);
    head.minor = take_number<std::uint16_t>(version, ".version");
    std::string_view target = word_after(first, ".target");
    if (!target.starts_with("sm_")) lacks(".target sm_NN");
    target.remove_prefix(3);
    head.architecture = take_number<std::uint32_t>(target, ".target");
    if (target == "a") head.flags |= layout::exact_architecture;
    if (target == "f") head.flags |= layout::family_architecture;

    std::string strings;
    if (!options.empty()) {
        head.options_offset = sizeof head;
        append(strings,
               OptionsRecord{sizeof head + sizeof(OptionsRecord), static_cast<std::uint32_t>(options.size() + 1)});
        strings.append(options).push_back(0);
        strings.resize(padded(strings.size()));
    }
    std::string payload(ptx);
    payload.resize(padded(payload.size() + 1));  // a NUL ends the text
    head.header_size = static_cast<std::uint32_t>(sizeof head + strings.size());
    head.payload_size = payload.size();

    std::string bytes;
    append(bytes, ContainerHeader{layout::container_magic, 1, sizeof(ContainerHeader),
                                  head.header_size + payload.size()});
    append(bytes, head);
    return bytes + strings + payload;
}

}  // namespace warpsim::fatbin
