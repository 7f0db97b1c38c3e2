#include "runtime/plan/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace warpsim::plan {

namespace {

constexpr std::size_t max_depth = 64;

// The event interface is used because the library's own tree would silently keep the last of two equal keys.
// Exceptions thrown from its handlers pass through the library unharmed.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    Builder(std::string const& name, std::string_view text) : name_(name), text_(text) {}

    Json take() { return std::move(root_); }

    bool null() override { return scalar(Json{}); }
    bool boolean(bool value) override {
        Json v;
        v.kind = Json::Kind::boolean;
        v.boolean = value;
        return scalar(std::move(v));
    }
    bool number_integer(number_integer_t value) override {
        Json v;
        v.kind = Json::Kind::integer;
        v.negative = value < 0;
        v.magnitude = v.negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        return scalar(std::move(v));
    }
    bool number_unsigned(number_unsigned_t value) override {
        Json v;
        v.kind = Json::Kind::integer;
        v.magnitude = value;
        return scalar(std::move(v));
    }
    bool number_float(number_float_t value, string_t const& written) override {
        Json v;
        v.kind = Json::Kind::real;
        v.real = value;
        v.text = written;
        return scalar(std::move(v));
    }
    bool string(string_t& value) override {
        Json v;
        v.kind = Json::Kind::string;
        v.text = std::move(value);
        return scalar(std::move(v));
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::Kind::object); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(Json::Kind::array); }
    bool end_array() override { return close(); }
    bool key(string_t& value) override {
        Json& object = *open_.back();
        if (object.find(value))
            throw Error(ErrorKind::plan, name_ + ": the key '" + value + "' stands twice in one object");
        object.members.push_back({value, Json{}});
        return true;
    }
    bool parse_error(std::size_t position, std::string const&, nlohmann::detail::exception const& e) override {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...": only the end
        // is fit for people, and the place is computed here so that all messages have the same form.
        std::string message = e.what();
        if (auto const at = message.find(": "); at != std::string::npos) message.erase(0, at + 2);
        else if (auto const head = message.find("] "); head != std::string::npos) message.erase(0, head + 2);
        fail(position, message);
    }

    [[noreturn]] void fail(std::size_t position, std::string const& message) const {
        std::string_view const before = text_.substr(0, position == 0 ? 0 : std::min(position, text_.size()) - 1);
        auto const line = 1 + std::count(before.begin(), before.end(), '\n');
        auto const start = before.rfind('\n');
        std::size_t const column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
        throw Error(ErrorKind::plan,
                    name_ + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + message);
    }

private:
    // The pointers in open_ stay valid: a parent's vector grows only while none of its children is open.
    Json& place() {
        if (open_.empty()) return root_;
        Json& parent = *open_.back();
        if (parent.is(Json::Kind::object)) return parent.members.back().value;
        return parent.items.emplace_back();
    }
    bool scalar(Json value) {
        place() = std::move(value);
        return true;
    }
    bool open(Json::Kind kind) {
        if (open_.size() >= max_depth)
            throw Error(ErrorKind::plan, name_ + ": nested deeper than " + std::to_string(max_depth) + " levels");
        Json& value = place();
        value.kind = kind;
        open_.push_back(&value);
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    std::string const& name_;
    std::string_view text_;
    Json root_;
    std::vector<Json*> open_;
};

nlohmann::ordered_json to_library(Json const& value) {
    switch (value.kind) {
        case Json::Kind::null: return nullptr;
        case Json::Kind::boolean: return value.boolean;
        case Json::Kind::integer:
            if (value.negative) return static_cast<std::int64_t>(0 - value.magnitude);
            return value.magnitude;
        case Json::Kind::real: return value.real;
        case Json::Kind::string: return value.text;
        case Json::Kind::array: {
            auto array = nlohmann::ordered_json::array();
            for (Json const& item : value.items) array.push_back(to_library(item));
            return array;
        }
        case Json::Kind::object: {
            auto object = nlohmann::ordered_json::object();
            for (auto const& [key, member] : value.members) object[key] = to_library(member);
            return object;
        }
    }
    return nullptr;
}

}  // namespace

Json const* Json::find(std::string_view key) const {
    for (auto const& [name, member] : members)
        if (name == key) return &member;
    return nullptr;
}

std::string to_text(Json const& value) {
    return to_library(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string describe(Json const& value) {
    switch (value.kind) {
        case Json::Kind::null: return "null";
        case Json::Kind::boolean: return value.boolean ? "true" : "false";
        case Json::Kind::integer: return "the number " + to_text(value);
        case Json::Kind::real: return "the number " + value.text;
        case Json::Kind::string: return "the string '" + value.text.substr(0, 40) + "'";
        case Json::Kind::array: return "an array";
        case Json::Kind::object: return "an object";
    }
    return {};
}

Json parse_json(std::string const& name, std::string_view text) {
    Builder builder(name, text);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json,
                              /*strict=*/true, /*ignore_comments=*/true);
    return builder.take();
}

}  // namespace warpsim::plan
