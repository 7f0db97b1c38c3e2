// {"tensormap": {...}}: an argument of 128 bytes that describes a tensor in a buffer.
#include "runtime/plan/reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

namespace warpsim::plan {

namespace {

namespace tensor = sim::tensor;
using Names = std::span<std::string_view const>;

// In the order of the enumerations.
constexpr std::string_view modes[] = {"tile", "im2col", "im2col_w", "im2col_w_128"};
constexpr std::string_view elements[] = {"u8",       "u16",   "u32",       "s32",      "u64",  "s64",
                                         "f16",      "f32",   "f32_ftz",   "f64",      "bf16", "tf32",
                                         "tf32_ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
constexpr std::string_view interleaves[] = {"none", "16B", "32B"};
constexpr std::string_view swizzles[] = {
    "none", "32B", "64B", "128B", "96B", "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B"};
constexpr std::string_view promotions[] = {"none", "64B", "128B", "256B"};
constexpr std::string_view fills[] = {"zeros", "nan"};

/// Reads the members of one map.
class MapReader {
public:
    MapReader(Reader& reader, Json const& value, JsonPath const& place)
        : reader_(reader), value_(value), place_(place) {}

    /// Which of the names a key has; the first when it is absent.
    std::size_t choice(std::string_view key, Names names) const {
        Json const* const written = value_.find(key);
        if (written == nullptr) return 0;
        JsonPath const here(place_, key);
        std::string const& name = reader_.string(*written, here);
        auto const found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
            reader_.fail(here, "'" + name + "' is not known" + suggestion(name, {names.begin(), names.end()}));
        return static_cast<std::size_t>(found - names.begin());
    }
    template <class E> E choose(std::string_view key, Names names) const {
        return static_cast<E>(choice(key, names));
    }

    template <class T, std::size_t n> std::size_t numbers(std::string_view key, std::array<T, n>& to) const {
        Json const* const written = value_.find(key);
        if (written == nullptr) return 0;
        JsonPath const here(place_, key);
        reader_.array(*written, here);
        if (written->items.size() > n) reader_.fail(here, "at most " + std::to_string(n) + " numbers are wanted");
        for (std::size_t i = 0; i < written->items.size(); ++i)
            to[i] = integer<T>(written->items[i], JsonPath(here, i));
        return written->items.size();
    }
    template <class T> void one(std::string_view key, T& to) const {
        if (Json const* const written = value_.find(key)) to = integer<T>(*written, JsonPath(place_, key));
    }
    Json const& wanted(std::string_view key) const {
        Json const* const written = value_.find(key);
        if (written == nullptr) reader_.fail(place_, "the key '" + std::string(key) + "' is missing");
        return *written;
    }

private:
    template <class T> T integer(Json const& value, JsonPath const& here) const {
        if constexpr (std::is_signed_v<T>) {
            constexpr double limit = 1 << 16;
            double const number = reader_.real(value, here);
            if (number != std::floor(number) || std::abs(number) > limit)
                reader_.fail(here, "an integer from -65536 to 65536 is wanted");
            return static_cast<T>(number);
        } else {
            return static_cast<T>(reader_.unsigned_integer(value, here, 0, std::numeric_limits<T>::max()));
        }
    }

    Reader& reader_;
    Json const& value_;
    JsonPath const& place_;
};

void set_swizzle(tensor::TensorMap& map, std::size_t choice) {
    constexpr std::size_t plain = 5;  // swizzles; then those of 128 bytes with another atomicity
    if (choice < plain) {
        map.swizzle = static_cast<tensor::Swizzle>(choice);
        return;
    }
    map.swizzle = tensor::Swizzle::bytes_128;
    map.atomicity = static_cast<tensor::Atomicity>(choice - plain + 1);
}

}  // namespace

TensorMapArgument Reader::tensor_map(Json const& value, JsonPath const& place) {
    object(value, place,
           {"address", "mode", "type", "dims", "strides", "box", "element_strides", "channels", "pixels", "lower",
            "upper", "interleave", "swizzle", "l2_promotion", "fill"});
    MapReader const read(*this, value, place);
    TensorMapArgument argument;
    tensor::TensorMap& map = argument.map;
    Json const& address_text = read.wanted("address");
    JsonPath const address_place(place, "address");
    argument.address = address_text.is(Json::Kind::string) ? address_of(address_text.text, address_place)
                                                           : address(address_text, address_place);
    read.wanted("type");
    read.wanted("dims");
    map.mode = read.choose<tensor::Mode>("mode", modes);
    map.element = read.choose<tensor::Element>("type", elements);
    map.rank = static_cast<std::uint32_t>(read.numbers("dims", map.dims));
    auto const same_count = [&](std::string_view key, std::size_t is, std::size_t wanted) {
        if (is != wanted)
            fail(JsonPath(place, key), std::to_string(wanted) + " numbers are wanted: one for each dimension" +
                                           (key == "strides" ? " but the first" : ""));
    };
    if (map.rank > 1) same_count("strides", read.numbers("strides", map.strides), map.rank - 1);
    if (map.mode == tensor::Mode::tile) same_count("box", read.numbers("box", map.box), map.rank);
    if (value.find("element_strides") != nullptr)
        same_count("element_strides", read.numbers("element_strides", map.element_strides), map.rank);
    read.one("channels", map.channels);
    read.one("pixels", map.pixels);
    read.numbers("lower", map.lower);
    read.numbers("upper", map.upper);
    map.interleave = read.choose<tensor::Interleave>("interleave", interleaves);
    set_swizzle(map, read.choice("swizzle", swizzles));
    map.promotion = read.choose<tensor::Promotion>("l2_promotion", promotions);
    map.fill = read.choose<tensor::Fill>("fill", fills);
    map.address = argument.address.offset;  // buffers are aligned
    if (auto const problem = tensor::check(map)) {
        std::string const field = problem->field == "rank" ? "dims" : problem->field;
        throw Error(ErrorKind::plan, path() + ": " + place.text() + "." + field + ": " + problem->what);
    }
    return argument;
}

}  // namespace warpsim::plan
