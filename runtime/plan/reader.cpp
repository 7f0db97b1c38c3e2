#include "runtime/plan/reader.hpp"

#include "frontend/diagnostic.hpp"
#include "runtime/plan/sequence.hpp"

#include <algorithm>
#include <cmath>

namespace warpsim::plan {

std::string suggestion(std::string_view word, std::vector<std::string_view> const& known) {
    std::string_view const near = frontend::nearest(word, known);
    if (!near.empty()) return "; did you mean '" + std::string(near) + "'?";
    if (known.empty() || known.size() > 16) return {};
    std::string text = "; known: ";
    for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(known[i]);
    return text;
}

std::string JsonPath::text() const {
    if (parent_ == nullptr) return {};
    std::string const before = parent_->text();
    if (is_index_) return before + "[" + std::to_string(index_) + "]";
    return before.empty() ? std::string(key_) : before + "." + std::string(key_);
}

void Reader::fail(JsonPath const& place, std::string const& message) const {
    std::string const where = place.text();
    throw Error(ErrorKind::plan, path_ + ": " + (where.empty() ? "" : where + ": ") + message);
}

void Reader::object(Json const& value, JsonPath const& place, std::vector<std::string_view> const& known) const {
    if (!value.is(Json::Kind::object)) fail(place, "an object is wanted, not " + describe(value));
    for (auto const& member : value.members)
        if (std::find(known.begin(), known.end(), member.name) == known.end())
            fail(JsonPath(place, member.name), "unknown key" + suggestion(member.name, known));
}

void Reader::array(Json const& value, JsonPath const& place) const {
    if (!value.is(Json::Kind::array)) fail(place, "an array is wanted, not " + describe(value));
}

std::string const& Reader::string(Json const& value, JsonPath const& place) const {
    if (!value.is(Json::Kind::string)) fail(place, "a string is wanted, not " + describe(value));
    return value.text;
}

bool Reader::boolean(Json const& value, JsonPath const& place) const {
    if (!value.is(Json::Kind::boolean)) fail(place, "true or false is wanted, not " + describe(value));
    return value.boolean;
}

Number Reader::number(Json const& value, JsonPath const& place) const {
    Number n;
    switch (value.kind) {
        case Json::Kind::integer:
            n.negative = value.negative;
            n.magnitude = value.magnitude;
            return n;
        case Json::Kind::real: return Number::of(value.real);
        case Json::Kind::string:
            if (auto const word = number_of_word(value.text)) return *word;
            [[fallthrough]];
        default: fail(place, "a number is wanted, not " + describe(value));
    }
}

std::uint64_t Reader::unsigned_integer(Json const& value, JsonPath const& place, std::uint64_t low,
                                       std::uint64_t high) const {
    Number const n = number(value, place);
    std::uint64_t result = 0;
    std::string const wrong = encode(n, Type::u64, IntegerRange::exact, reinterpret_cast<std::byte*>(&result));
    if (!wrong.empty() || result < low || result > high)
        fail(place, "an integer from " + std::to_string(low) + " to " + std::to_string(high) + " is wanted, not " +
                        to_text(n));
    return result;
}

double Reader::real(Json const& value, JsonPath const& place) const {
    double const result = number(value, place).as_double();
    if (std::isnan(result)) fail(place, "a number is wanted, not nan");
    return result;
}

Type Reader::type(Json const& object, JsonPath const& place) const {
    Json const* const written = object.find("type");
    if (written == nullptr) fail(place, "the key 'type' is missing");
    JsonPath const here(place, "type");
    std::string const& name = string(*written, here);
    Type const result = array_type(name);
    if (result == Type::none) {
        std::vector<std::string_view> names;
        for (Type const t : array_types()) names.push_back(isa::name(t));
        fail(here, "unknown type '" + name + "'" + suggestion(name, names));
    }
    return result;
}

std::string Reader::resolve(std::string const& file) const {
    return file.starts_with('/') ? file : folder_ + file;
}

Address Reader::address_of(std::string const& buffer, JsonPath const& place, std::uint64_t offset) {
    if (std::find(buffers.begin(), buffers.end(), buffer) == buffers.end())
        fail(place, "there is no buffer '" + buffer + "'" + suggestion(buffer, buffers));
    uses.push_back({place.text(), {buffer, offset}});
    return {buffer, offset};
}

Reference Reader::reference(Json const& value, JsonPath const& place) {
    if (auto object = texture_object(value, place)) return std::move(*object);
    return address(value, place);
}

Address Reader::address(Json const& value, JsonPath const& place) {
    object(value, place, {"buffer", "offset"});
    Json const* const buffer = value.find("buffer");
    Json const* const offset = value.find("offset");
    if (buffer == nullptr) fail(place, "the key 'buffer' is missing");
    std::uint64_t const bytes =
        offset == nullptr ? 0 : unsigned_integer(*offset, JsonPath(place, "offset"), 0, std::uint64_t{1} << 48);
    return address_of(string(*buffer, JsonPath(place, "buffer")), place, bytes);
}

std::vector<std::byte> Reader::hex(Json const& value, JsonPath const& place) const {
    std::vector<std::byte> bytes;
    int pending = -1;
    for (char const c : string(value, place)) {
        if (c == ' ' || c == '\n' || c == '\t') continue;
        int const digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) fail(place, std::string("'") + c + "' is not a hexadecimal digit");
        if (pending >= 0) bytes.push_back(static_cast<std::byte>(pending * 16 + digit));
        pending = pending >= 0 ? -1 : digit;
    }
    if (pending >= 0) fail(place, "an odd number of hexadecimal digits");
    return bytes;
}

Init Reader::values(Json const& value, JsonPath const& place, Type type) {
    array(value, place);
    Init result;
    result.kind = Init::Kind::values;
    std::size_t const size = size_of(type);
    result.bytes.resize(value.items.size() * size);
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        Json const& item = value.items[i];
        JsonPath const here(place, i);
        bool const is_name = item.is(Json::Kind::string) && !number_of_word(item.text);
        if (is_name || item.is(Json::Kind::object)) {
            if (type != Type::u64)
                fail(here, (is_name ? describe(item) : "an address") + " cannot be a " +
                               std::string(isa::name(type)) + "; addresses and handles are u64");
            result.references.push_back({i * size, is_name ? address_of(item.text, here) : reference(item, here)});
            continue;
        }
        std::string const wrong =
            encode(number(item, here), type, IntegerRange::exact, result.bytes.data() + i * size);
        if (!wrong.empty()) fail(here, wrong);
    }
    return result;
}

Init Reader::iota(Json const& value, JsonPath const& place) const {
    object(value, place, {"start", "step"});
    Init result;
    result.kind = Init::Kind::iota;
    result.step = Number::integer(1);
    if (Json const* const start = value.find("start")) result.start = number(*start, JsonPath(place, "start"));
    if (Json const* const step = value.find("step")) result.step = number(*step, JsonPath(place, "step"));
    return result;
}

Init Reader::uniform(Json const& value, JsonPath const& place) const {
    object(value, place, {"seed", "low", "high"});
    Init result;
    result.kind = Init::Kind::uniform;
    result.high = Number::integer(1);
    if (Json const* const seed = value.find("seed"))
        result.seed = unsigned_integer(*seed, JsonPath(place, "seed"), 0, UINT64_MAX);
    if (Json const* const low = value.find("low")) result.low = number(*low, JsonPath(place, "low"));
    if (Json const* const high = value.find("high")) result.high = number(*high, JsonPath(place, "high"));
    return result;
}

Init Reader::init(Json const& value, JsonPath const& place, Type type,
                  std::vector<std::string_view> const& extra) {
    Init result;
    std::vector<std::string_view> const kinds{"fill", "values", "iota", "uniform", "file", "hex"};
    if (value.is(Json::Kind::string)) {
        if (value.text == "undefined") result.kind = Init::Kind::undefined;
        else if (value.text != "zero")
            fail(place, "unknown init '" + value.text + "'; known: \"zero\", \"undefined\", or an object with " +
                            "fill, values, iota, uniform, file or hex");
        return result;
    }
    std::vector<std::string_view> known = kinds;
    if (Json const* const file = value.find("file"); file != nullptr && file->text.ends_with(".png"))
        known.emplace_back("channels");
    known.insert(known.end(), extra.begin(), extra.end());
    object(value, place, known);
    bool found = false;
    for (auto const& [key, written] : value.members) {
        JsonPath const here(place, key);
        if (std::find(extra.begin(), extra.end(), key) != extra.end() || key == "channels") continue;
        if (found) fail(here, "only one of fill, values, iota, uniform, file and hex can be given");
        found = true;
        if (key == "fill") {
            result.kind = Init::Kind::fill;
            result.bytes.resize(size_of(type));
            std::string const wrong =
                encode(number(written, here), type, IntegerRange::exact, result.bytes.data());
            if (!wrong.empty()) fail(here, wrong);
        } else if (key == "values") {
            result = values(written, here, type);
        } else if (key == "iota") {
            result = iota(written, here);
        } else if (key == "uniform") {
            result = uniform(written, here);
        } else if (key == "file") {
            result.kind = Init::Kind::file;
            result.file = resolve(string(written, here));
            if (!result.file.ends_with(".npy") && !result.file.ends_with(".bin") && !result.file.ends_with(".png"))
                fail(here, "'" + written.text + "' is neither a .npy nor a .bin nor a .png file");
            if (Json const* const channels = value.find("channels"))
                result.channels =
                    static_cast<std::uint32_t>(unsigned_integer(*channels, JsonPath(place, "channels"), 1, 4));
            try {
                own_count(result, type);
            } catch (Error const& e) {
                fail(here, e.what());
            }
        } else {
            result.kind = Init::Kind::values;
            result.bytes = hex(written, here);
            if (result.bytes.size() % size_of(type) != 0)
                fail(here, std::to_string(result.bytes.size()) + " bytes are no multiple of the " +
                               std::to_string(size_of(type)) + " of " + std::string(isa::name(type)));
        }
    }
    if (!found) fail(place, "one of fill, values, iota, uniform, file and hex is wanted");
    return result;
}

}  // namespace warpsim::plan
