#include "runtime/plan/reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpsim::plan {

namespace {

/// To a buffer or a texture object.
bool refers(Json const& value) {
    if (!value.is(Json::Kind::object)) return false;
    constexpr std::string_view keys[] = {"buffer", "texture", "surface", "sampler"};
    return std::any_of(std::begin(keys), std::end(keys), [&](auto key) { return value.find(key) != nullptr; });
}

std::size_t aligned(std::size_t at, std::size_t alignment) { return (at + alignment - 1) / alignment * alignment; }

}  // namespace

Argument Reader::argument(Json const& value, JsonPath const& place) {
    if (value.is(Json::Kind::string)) {
        if (auto const word = number_of_word(value.text)) return *word;
        return address_of(value.text, place);
    }
    if (!value.is(Json::Kind::object)) return number(value, place);
    if (value.find("buffer") != nullptr) return address(value, place);
    ArgumentBytes bytes;
    if (Json const* const written = value.find("hex")) {
        object(value, place, {"hex"});
        bytes.bytes = hex(*written, JsonPath(place, "hex"));
        if (bytes.bytes.empty()) fail(JsonPath(place, "hex"), "at least one byte is wanted");
        return bytes;
    }
    if (Json const* const fields = value.find("fields")) {
        object(value, place, {"fields"});
        JsonPath const here(place, "fields");
        array(*fields, here);
        if (fields->items.empty()) fail(here, "at least one field is wanted");
        for (std::size_t i = 0; i < fields->items.size(); ++i)
            add_field(fields->items[i], JsonPath(here, i), bytes);
        // A struct's size is a multiple of its alignment, as in C.
        bytes.bytes.resize(aligned(bytes.bytes.size(), bytes.alignment));
        return bytes;
    }
    if (Json const* const map = value.find("tensormap")) {
        object(value, place, {"tensormap"});
        return tensor_map(*map, JsonPath(place, "tensormap"));
    }
    if (auto object = texture_object(value, place)) return std::move(*object);
    object(value, place,
           {"buffer", "offset", "fields", "hex", "type", "value", "tensormap", "texture", "surface", "sampler"});
    add_field(value, place, bytes);
    return bytes;
}

void Reader::add_field(Json const& value, JsonPath const& place, ArgumentBytes& to) {
    if (refers(value)) {
        std::size_t const at = aligned(to.bytes.size(), 8);
        to.bytes.resize(at + 8);
        to.alignment = std::max<std::size_t>(to.alignment, 8);
        to.references.push_back({at, reference(value, place)});
        return;
    }
    object(value, place, {"type", "value", "buffer", "offset", "texture", "surface", "sampler"});
    Type const t = type(value, place);
    Json const* const written = value.find("value");
    if (written == nullptr) fail(place, "the key 'value' is missing");
    std::size_t const size = size_of(t);
    std::size_t const at = aligned(to.bytes.size(), size);
    to.bytes.resize(at + size);
    to.alignment = std::max(to.alignment, size);
    JsonPath const here(place, "value");
    if (std::string const wrong = encode(number(*written, here), t, IntegerRange::exact, to.bytes.data() + at);
        !wrong.empty())
        fail(here, wrong);
}

}  // namespace warpsim::plan
