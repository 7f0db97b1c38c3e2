#include "runtime/debug/dap/message.hpp"

#include "sim/error.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

namespace warpsim::debug::dap {

namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr std::size_t most_header_bytes = 4096;
constexpr int most_depth = 100;

bool is_equal_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Of "Content-Length: 12" among other lines.
std::size_t length_in(std::string_view header) {
    while (!header.empty()) {
        std::size_t const end = header.find("\r\n");
        std::string_view const line = header.substr(0, end);
        header.remove_prefix(end == std::string_view::npos ? header.size() : end + 2);
        std::size_t const colon = line.find(':');
        if (colon == std::string_view::npos || !is_equal_name(line.substr(0, colon), "Content-Length")) continue;
        std::string_view value = line.substr(colon + 1);
        while (value.starts_with(' ')) value.remove_prefix(1);
        std::size_t length = 0;
        auto const [past, error] = std::from_chars(value.data(), value.data() + value.size(), length);
        if (error != std::errc() || past != value.data() + value.size() || length > most_bytes)
            throw Error(ErrorKind::usage, "'" + std::string(line) + "' is no length of a message");
        return length;
    }
    throw Error(ErrorKind::usage, "a message without Content-Length");
}

/// Recursive code would run out of stack.
bool is_too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (in_string && c == '\\') ++i;
        else if (c == '"') in_string = !in_string;
        else if (!in_string && (c == '[' || c == '{') && ++depth > most_depth) return true;
        else if (!in_string && (c == ']' || c == '}')) --depth;
    }
    return false;
}

}  // namespace

std::optional<std::string> MessageReader::next() {
    std::size_t const end = bytes_.find("\r\n\r\n");
    if (end == std::string::npos) {
        if (bytes_.size() > most_header_bytes) throw Error(ErrorKind::usage, "a header that does not end");
        return std::nullopt;
    }
    std::size_t const length = length_in(std::string_view(bytes_).substr(0, end));
    if (bytes_.size() < end + 4 + length) return std::nullopt;
    std::string text = bytes_.substr(end + 4, length);
    bytes_.erase(0, end + 4 + length);
    return text;
}

Json parsed(std::string const& text) {
    if (is_too_deep(text)) throw Error(ErrorKind::usage, "a message that is nested too deeply");
    Json message = Json::parse(text, nullptr, false);
    if (!message.is_object()) throw Error(ErrorKind::usage, "a message that is no JSON object");
    return message;
}

std::string framed(Json const& message) {
    // What programs print, and what files are called, need not be UTF-8.
    std::string const text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

std::size_t whole_characters(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(4, text.size()); ++back) {
        auto const c = static_cast<unsigned char>(text[text.size() - back]);
        if ((c & 0xc0) == 0x80) continue;
        std::size_t const length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        return length > back ? text.size() - back : text.size();
    }
    return text.size();
}

Json response_to(Json const& request, Json body) {
    Json response{{"type", "response"}, {"request_seq", 0}, {"success", true}, {"command", ""}};
    if (auto const seq = request.find("seq"); seq != request.end() && seq->is_number_integer())
        response["request_seq"] = *seq;
    if (auto const name = request.find("command"); name != request.end() && name->is_string())
        response["command"] = *name;
    if (!body.is_null()) response["body"] = std::move(body);
    return response;
}

Json refusal_of(Json const& request, std::string const& why) {
    // In `format`, braces stand for variables.
    Json response = response_to(
        request, {{"error", {{"id", 1}, {"format", "{why}"}, {"variables", {{"why", why}}}, {"showUser", true}}}});
    response["success"] = false;
    response["message"] = why;
    return response;
}

Json event_of(std::string_view name, Json body) {
    Json event{{"type", "event"}, {"event", name}};
    if (!body.is_null()) event["body"] = std::move(body);
    return event;
}

Json pending_answer(Json const& request) {
    Json list = Json::array();
    auto const arguments = request.find("arguments");
    bool const has_any =
        arguments != request.end() && arguments->is_object() && arguments->contains("breakpoints");
    if (!has_any || !arguments->at("breakpoints").is_array()) return {{"breakpoints", list}};
    for (Json const& wanted : arguments->at("breakpoints")) {
        Json told{{"verified", false}, {"reason", "pending"}, {"message", "no code of it yet"}};
        if (wanted.is_object() && wanted.contains("id")) told["id"] = wanted["id"];
        if (wanted.is_object() && wanted.contains("line")) told["line"] = wanted["line"];
        list.push_back(std::move(told));
    }
    return {{"breakpoints", list}};
}

Json no_threads() {
    // Editors offer to pause a thread, or nothing.
    return Json::array({{{"id", INT32_MAX}, {"name", "the program"}}});
}

Json output_of(std::string_view category, std::string_view text) {
    return event_of("output", {{"category", category}, {"output", text}});
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        // A write to a client that is gone is no reason to die.
        ssize_t written = send(file, text.data(), text.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == ENOTSOCK) written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

bool Writer::write(Json message) {
    std::lock_guard const guard(lock_);
    message["seq"] = next_++;
    return write_all(file_, framed(message));
}

}  // namespace warpsim::debug::dap
