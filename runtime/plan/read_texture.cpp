// {"texture": {...}}, {"surface": {...}} and {"sampler": {...}}: arguments and symbols of 8 bytes by which a kernel finds
// texels in a buffer, and how they are sampled.
#include "runtime/plan/reader.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace warpsim::plan {

namespace {

namespace texture = sim::texture;

// In the order of the enumerations.
constexpr std::string_view filters[] = {"point", "linear"};
constexpr std::string_view addresses[] = {"wrap", "clamp", "mirror", "border", "clamp_ogl"};
constexpr std::string_view layouts[] = {"array", "rows", "line"};
constexpr std::string_view comparisons[] = {"never",   "less",      "equal",         "less_equal",
                                            "greater", "not_equal", "greater_equal", "always"};

std::vector<std::string_view> const sampler_keys{"filter",   "level_filter", "address",   "normalized",
                                                 "border",   "level_bias",   "min_level", "max_level",
                                                 "seamless", "compare",      "anisotropy"};
std::vector<std::string_view> const picture_keys{"buffer", "offset", "format", "size",  "layout",
                                                 "pitch",  "layers", "cube",   "levels"};

std::vector<std::string_view> joined(std::vector<std::string_view> keys,
                                     std::vector<std::string_view> const& more) {
    keys.insert(keys.end(), more.begin(), more.end());
    return keys;
}

/// Reads the members of one object.
class ObjectReader {
public:
    ObjectReader(Reader& reader, Json const& value, JsonPath const& place)
        : reader_(reader), value_(value), place_(place) {}

    Picture picture();
    texture::Sampler sampler(bool is_integer) const;
    SamplerKeys sampler_keys_given() const {
        return {find("filter") != nullptr, find("address") != nullptr, find("normalized") != nullptr};
    }

private:
    Json const* find(std::string_view key) const { return value_.find(key); }
    std::size_t choice_of(Json const& written, JsonPath const& here,
                          std::span<std::string_view const> names) const {
        std::string const& name = reader_.string(written, here);
        auto const found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
            reader_.fail(here, "'" + name + "' is not known" + suggestion(name, {names.begin(), names.end()}));
        return static_cast<std::size_t>(found - names.begin());
    }
    template <class E> void choose(std::string_view key, std::span<std::string_view const> names, E& to) const {
        if (Json const* const written = find(key))
            to = static_cast<E>(choice_of(*written, JsonPath(place_, key), names));
    }
    void real(std::string_view key, float& to) const {
        if (Json const* const written = find(key))
            to = static_cast<float>(reader_.real(*written, JsonPath(place_, key)));
    }
    void boolean(std::string_view key, bool& to) const {
        if (Json const* const written = find(key)) to = reader_.boolean(*written, JsonPath(place_, key));
    }
    std::uint32_t integer(std::string_view key, std::uint32_t otherwise, std::uint32_t low,
                          std::uint32_t high) const {
        Json const* const written = find(key);
        if (written == nullptr) return otherwise;
        return static_cast<std::uint32_t>(reader_.unsigned_integer(*written, JsonPath(place_, key), low, high));
    }
    Json const& wanted(std::string_view key) const {
        Json const* const written = find(key);
        if (written == nullptr) reader_.fail(place_, "the key '" + std::string(key) + "' is missing");
        return *written;
    }
    texture::Format format() const;
    std::size_t size(texture::Extent& to) const;
    void slices(Picture& picture, std::size_t dimensions) const;
    void address_modes(texture::Sampler& sampler) const;
    void border(texture::Sampler& sampler, bool is_integer) const;

    Reader& reader_;
    Json const& value_;
    JsonPath const& place_;
};

texture::Format ObjectReader::format() const {
    JsonPath const here(place_, "format");
    std::string const& name = reader_.string(wanted("format"), here);
    if (auto const known = texture::format_named(name)) return *known;
    if (texture::is_block_compressed(name)) reader_.fail(here, "block-compressed formats are not supported");
    reader_.fail(here, "unknown format '" + name + "'; for example: u8x4, unorm8x4, srgb8x4, f16x2, f32");
}

std::size_t ObjectReader::size(texture::Extent& to) const {
    JsonPath const here(place_, "size");
    Json const& written = wanted("size");
    reader_.array(written, here);
    std::size_t const count = written.items.size();
    if (count < 1 || count > 3) reader_.fail(here, "one to three numbers are wanted");
    std::uint32_t* const sizes[] = {&to.width, &to.height, &to.depth};
    constexpr std::uint32_t most = 131072;  // as in CUDA
    for (std::size_t i = 0; i < count; ++i)
        *sizes[i] =
            static_cast<std::uint32_t>(reader_.unsigned_integer(written.items[i], JsonPath(here, i), 1, most));
    return count;
}

void ObjectReader::slices(Picture& p, std::size_t dimensions) const {
    using texture::Geometry;
    constexpr std::uint32_t most_layers = 2048;
    std::uint32_t const layers = integer("layers", 0, 1, most_layers);
    bool is_cube = false;
    boolean("cube", is_cube);
    bool const is_square = dimensions == 2 && p.shape.extent.width == p.shape.extent.height;
    if (is_cube && !is_square)
        reader_.fail(JsonPath(place_, "size"), "the faces of a cube have as many rows as columns");
    if (layers != 0 && dimensions == 3)
        reader_.fail(JsonPath(place_, "layers"), "layers have one or two dimensions");
    p.shape.slices = std::max(layers, 1u) * (is_cube ? 6 : 1);
    p.shape.is_line = dimensions == 1;
    if (is_cube) p.geometry = layers != 0 ? Geometry::layered_cubemap : Geometry::cubemap;
    else if (layers != 0) p.geometry = dimensions == 1 ? Geometry::layered_d1 : Geometry::layered_d2;
    else p.geometry = dimensions == 1 ? Geometry::d1 : dimensions == 2 ? Geometry::d2 : Geometry::d3;
    p.shape.levels = integer("levels", 1, 1, texture::whole_pyramid(p.shape.extent));
}

Picture ObjectReader::picture() {
    Picture p;
    std::uint64_t offset = 0;
    if (Json const* const written = find("offset"))
        offset = reader_.unsigned_integer(*written, JsonPath(place_, "offset"), 0, std::uint64_t{1} << 48);
    JsonPath const buffer(place_, "buffer");
    p.address = reader_.address_of(reader_.string(wanted("buffer"), buffer), buffer, offset);
    p.format = format();
    p.shape.texel_bytes = p.format.bytes();
    std::size_t const dimensions = size(p.shape.extent);
    choose("layout", layouts, p.layout);
    if (p.layout == Picture::Layout::array) {
        slices(p, dimensions);
        if (find("pitch") != nullptr)
            reader_.fail(JsonPath(place_, "pitch"), "only the layout 'rows' has a pitch");
    } else {
        std::size_t const own = p.layout == Picture::Layout::rows ? 2 : 1;
        if (dimensions != own)
            reader_.fail(JsonPath(place_, "size"), std::to_string(own) +
                                                       (own == 1 ? " number is" : " numbers are") +
                                                       " wanted for this layout");
        for (std::string_view const key : {"layers", "cube", "levels"}) {
            if (find(key) != nullptr) reader_.fail(JsonPath(place_, key), "only the layout 'array' has these");
        }
        constexpr std::uint32_t alignment = 32;  // as in CUDA
        std::uint32_t const row = p.shape.extent.width * p.shape.texel_bytes;
        p.pitch = integer("pitch", row, row, std::numeric_limits<std::uint32_t>::max());
        if (own == 2 && p.pitch % alignment != 0)
            reader_.fail(JsonPath(place_, "pitch"), "rows have to be a multiple of 32 bytes apart");
        p.geometry = own == 1 ? texture::Geometry::d1 : texture::Geometry::d2;
    }
    reader_.uses.push_back({place_.text(), p.address, p.bytes()});
    return p;
}

void ObjectReader::address_modes(texture::Sampler& sampler) const {
    Json const* const written = find("address");
    if (written == nullptr) return;
    JsonPath const here(place_, "address");
    if (written->is(Json::Kind::string)) {
        sampler.address.fill(static_cast<texture::Address>(choice_of(*written, here, addresses)));
    } else {
        reader_.array(*written, here);
        if (written->items.empty() || written->items.size() > 3)
            reader_.fail(here, "one to three words are wanted");
        for (std::size_t i = 0; i < written->items.size(); ++i)
            sampler.address[i] =
                static_cast<texture::Address>(choice_of(written->items[i], JsonPath(here, i), addresses));
    }
    bool const repeats = std::any_of(sampler.address.begin(), sampler.address.end(), [](texture::Address a) {
        return a == texture::Address::wrap || a == texture::Address::mirror;
    });
    if (repeats && !sampler.is_normalized)
        reader_.fail(here, "only normalised coordinates repeat; give \"normalized\": true");
}

void ObjectReader::border(texture::Sampler& sampler, bool is_integer) const {
    Json const* const written = find("border");
    if (written == nullptr) return;
    JsonPath const here(place_, "border");
    reader_.array(*written, here);
    if (written->items.size() > sampler.border.size()) reader_.fail(here, "at most four numbers are wanted");
    for (std::size_t i = 0; i < written->items.size(); ++i) {
        JsonPath const item(here, i);
        Type const type = is_integer ? Type::u32 : Type::f32;
        std::byte bytes[4];
        std::string const wrong =
            encode(reader_.number(written->items[i], item), type, IntegerRange::twos_complement, bytes);
        if (!wrong.empty()) reader_.fail(item, wrong);
        sampler.border[i] = std::bit_cast<float>(bytes);
    }
}

texture::Sampler ObjectReader::sampler(bool is_integer) const {
    texture::Sampler s;
    choose("filter", filters, s.filter);
    choose("level_filter", filters, s.level_filter);
    if (is_integer && (s.filter == texture::Filter::linear || s.level_filter == texture::Filter::linear))
        reader_.fail(JsonPath(place_, "format"),
                     "integers cannot be filtered; a format such as unorm8x4 reads them as fractions");
    boolean("normalized", s.is_normalized);
    boolean("seamless", s.is_seamless);
    address_modes(s);
    border(s, is_integer);
    real("level_bias", s.level_bias);
    real("min_level", s.least_level);
    real("max_level", s.most_level);
    choose("compare", comparisons, s.compare);
    constexpr std::uint32_t most_samples = 16;
    s.anisotropy = integer("anisotropy", 1, 1, most_samples);
    return s;
}

}  // namespace

std::uint64_t Picture::bytes() const {
    std::uint64_t const row = std::uint64_t{shape.extent.width} * shape.texel_bytes;
    if (layout == Layout::line) return row;
    if (layout == Layout::rows) return (shape.extent.height - 1) * pitch + row;
    std::uint64_t bytes = 0;
    texture::ArrayLayout const levels(shape);
    for (std::uint32_t i = 0; i < shape.levels; ++i)
        bytes += levels.width_bytes(i) * levels.level(i).extent.height * levels.slices(i);
    return bytes;
}

std::optional<TextureObject> Reader::texture_object(Json const& value, JsonPath const& place) {
    if (!value.is(Json::Kind::object)) return std::nullopt;
    if (Json const* const written = value.find("texture")) {
        object(value, place, {"texture"});
        JsonPath const here(place, "texture");
        object(*written, here, joined(picture_keys, sampler_keys));
        ObjectReader read(*this, *written, here);
        TextureArgument argument;
        argument.picture = read.picture();
        argument.sampler = read.sampler(argument.picture.format.is_integer());
        argument.keys = read.sampler_keys_given();
        return argument;
    }
    if (Json const* const written = value.find("surface")) {
        object(value, place, {"surface"});
        JsonPath const here(place, "surface");
        object(*written, here, picture_keys);
        SurfaceArgument const argument{ObjectReader(*this, *written, here).picture()};
        if (argument.picture.layout != Picture::Layout::array)
            fail(JsonPath(here, "layout"), "a surface is an array");
        return argument;
    }
    Json const* const written = value.find("sampler");
    if (written == nullptr) return std::nullopt;
    object(value, place, {"sampler"});
    JsonPath const here(place, "sampler");
    object(*written, here, sampler_keys);
    ObjectReader const read(*this, *written, here);
    return SamplerArgument{read.sampler(false), read.sampler_keys_given()};
}

}  // namespace warpsim::plan
