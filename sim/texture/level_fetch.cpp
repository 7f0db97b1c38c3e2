#include "sim/texture/level_fetch.hpp"

#include "sim/texture/cube.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warpsim::sim::texture {

namespace {

bool passes(Compare compare, float reference, float texel) {
    switch (compare) {
        case Compare::never: return false;
        case Compare::less: return reference < texel;
        case Compare::equal: return reference == texel;
        case Compare::less_equal: return reference <= texel;
        case Compare::greater: return reference > texel;
        case Compare::not_equal: return reference != texel;
        case Compare::greater_equal: return reference >= texel;
        default: return true;
    }
}

/// To the nearest, and of two equally near ones the one nearer to zero. NaN is 0.
std::uint32_t quantized_border(float value, float least, float most) {
    if (value != value) return 0;
    double const scaled = static_cast<double>(std::clamp(value, least, 1.0f)) * most;
    double const magnitude = std::ceil(std::fabs(scaled) - 0.5);
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::copysign(magnitude, scaled)));
}

}  // namespace

LevelFetch::LevelFetch(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch,
                       Footprint* footprint, std::uint32_t level)
    : image_(image),
      sampler_(sampler),
      kind_(kind),
      fetch_(fetch),
      footprint_(footprint),
      level_(level),
      size_(image.level_extent(level)) {
    if (!is_layered(kind.geometry)) return;
    std::uint32_t const layers = std::max(is_cube(kind.geometry) ? image.slices / 6 : image.slices, 1u);
    slice_ = std::min(fetch.layer, layers - 1) * (is_cube(kind.geometry) ? 6 : 1);
}

bool LevelFetch::is_linear() const {
    return kind_.gathers || (sampler_.filter == Filter::linear && !kind_.counts_texels &&
                             !image_.format.is_integer() && image_.arrangement != Arrangement::linear);
}

Taps LevelFetch::taps(std::size_t dimension, std::uint32_t size, float at) const {
    Address const mode = image_.arrangement == Arrangement::linear ? Address::border : sampler_.address[dimension];
    std::int32_t const offset = fetch_.offset[dimension];
    if (kind_.counts_texels) return texel_taps(fetch_.texel[dimension], size, mode, offset);
    if (is_linear()) return linear_taps(at, size, mode, sampler_.is_normalized, offset);
    return point_taps(at, size, mode, sampler_.is_normalized, offset);
}

/// A line is a plane of one row, and is read at the row's upper edge: half of it is above.
Taps LevelFetch::taps_of_line() const {
    bool const sees_border =
        is_linear() && effective(sampler_.address[1], sampler_.is_normalized) == Address::border;
    return sees_border ? linear_taps(0, 1, Address::border, sampler_.is_normalized, 0) : Taps{};
}

/// Cubes are square, and clamped or seamless whatever the address modes are. Indices may be one step outside.
Taps LevelFetch::face_taps(float at) const {
    auto const last = static_cast<std::int32_t>(size_.width);
    if (!is_linear()) return point_taps(at, size_.width, Address::clamp, true, 0);
    if (!sampler_.is_seamless) return linear_taps(at, size_.width, Address::clamp, true, 0);
    Taps const inner = linear_taps(at, size_.width, Address::border, true, 0);
    if (inner.at[0] == outside) return {{-1, 0}, inner.second};
    if (inner.at[1] == outside) return {{last - 1, last}, inner.second};
    return inner;
}

/// Where three faces meet there is no texel: gathers take the one beside it.
LevelFetch::Place LevelFetch::on_face(std::uint32_t face, std::int32_t x, std::int32_t y) const {
    auto const size = static_cast<std::int32_t>(size_.width);
    if (is_corner(x, y)) y = clamped(y, size);
    if (x >= 0 && x < size && y >= 0 && y < size) return {x, y, static_cast<std::int32_t>(face)};
    FaceTexel const t = across_edge(face, x, y, size);
    return {t.x, t.y, static_cast<std::int32_t>(t.face)};
}

bool LevelFetch::is_corner(std::int32_t x, std::int32_t y) const {
    auto const size = static_cast<std::int32_t>(size_.width);
    return (x < 0 || x >= size) && (y < 0 || y >= size);
}

LevelFetch::Square LevelFetch::around() const {
    if (is_cube(kind_.geometry)) {
        FacePoint const point = face_point(fetch_.at);
        return {face_taps(point.at[0]), face_taps(point.at[1]), {}, point.face};
    }
    int const count = dimensions(kind_.geometry);
    return {taps(0, size_.width, fetch_.at[0]), count > 1 ? taps(1, size_.height, fetch_.at[1]) : taps_of_line(),
            count > 2 ? taps(2, size_.depth, fetch_.at[2]) : Taps{}, 0};
}

Texel LevelFetch::fetch() {
    if (is_linear() && !kind_.gathers) {
        Blend blend(format());
        add_to(blend, weight_one, 0);
        return blend.sum();
    }
    Square const square = around();
    auto const read_at = [&](std::size_t i, std::size_t j) {
        return value(place(square, i, j, 0), image_.format);
    };
    if (!kind_.gathers) return read_at(0, 0);
    // Counter-clockwise from the lower left, where rows go down.
    std::size_t const c = kind_.component;
    return {read_at(0, 1)[c], read_at(1, 1)[c], read_at(1, 0)[c], read_at(0, 0)[c]};
}

LevelFetch::Place LevelFetch::place(Square const& square, std::size_t i, std::size_t j, std::size_t k) const {
    if (is_cube(kind_.geometry)) return on_face(square.face, square.x.at[i], square.y.at[j]);
    return {square.x.at[i], square.y.at[j], square.z.at[k]};
}

std::size_t LevelFetch::add_to(Blend& blend, std::int32_t weight, std::size_t first) {
    Square const square = around();
    if (!is_linear()) {
        blend.add(value(place(square, 0, 0, 0), added_as(image_.format)), weight, first);
        return first + 1;
    }
    int const count = dimensions(kind_.geometry);
    bool const has_rows = count > 1 || square.y.second != 0;
    std::int32_t const behind = part_of(weight, square.z.second);
    std::size_t const planes = count > 2 ? 2 : 1;
    for (std::size_t k = 0; k < planes; ++k) {
        auto weights = square_weights(k == 1 ? behind : weight - behind, square.x.second, square.y.second);
        if (is_cube(kind_.geometry)) divide_corner(weights, square);
        for (std::size_t tap = 0; tap < (has_rows ? 4u : 2u); ++tap) {
            std::size_t const i = tap & 1, j = tap >> 1;
            if (is_cube(kind_.geometry) && is_corner(square.x.at[i], square.y.at[j])) continue;
            blend.add(value(place(square, i, j, k), added_as(image_.format)), weights[tap], first + k);
        }
    }
    return first + planes;
}

/// The weight of the texel that is missing where three faces meet goes to the others, a third each.
void LevelFetch::divide_corner(std::array<std::int32_t, 4>& weights, Square const& square) const {
    for (std::size_t tap = 0; tap < 4; ++tap) {
        if (!is_corner(square.x.at[tap & 1], square.y.at[tap >> 1])) continue;
        std::int32_t const third = part_of(weights[tap], 85);
        weights[tap ^ 1] += third;
        weights[tap ^ 2] += third;
        weights[tap ^ 3] += weights[tap] - 2 * third;
        weights[tap] = 0;
    }
}

/// The channels that the format has, as it has them.
Texel LevelFetch::border(Format format) const {
    Texel texel{};
    if (image_.arrangement == Arrangement::linear) return texel;
    for (std::size_t i = 0; i < format.channels; ++i) texel[i] = std::bit_cast<std::uint32_t>(sampler_.border[i]);
    Format const integers = added_as(image_.format);
    if (integers == image_.format) return texel;
    std::uint32_t const bits = integers.bytes() / integers.channels * 8;
    auto const most = static_cast<float>((1u << (integers.is_signed() ? bits - 1 : bits)) - 1);
    for (std::size_t i = 0; i < format.channels; ++i)
        texel[i] = quantized_border(sampler_.border[i], integers.is_signed() ? -1.0f : 0.0f, most);
    std::array<std::byte, 16> bytes{};
    encode(integers, texel, bytes.data());
    return decode(format, bytes.data());
}

Texel LevelFetch::read(Place const& place, Format format) {
    if (place.x == outside || place.y == outside || place.z == outside) return border(format);
    auto column = static_cast<std::uint32_t>(place.x);
    if (is_multisample(kind_.geometry)) {
        std::uint32_t const samples = image_.layout.shape().samples;
        column = column * samples + std::min(fetch_.sample, samples - 1);
    }
    std::uint64_t const at = image_.texel(column, static_cast<std::uint32_t>(place.y),
                                          static_cast<std::uint32_t>(place.z) + slice_, level_);
    if (footprint_ != nullptr) footprint_->add(at);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    return decode(format, reinterpret_cast<std::byte const*>(at));
}

/// What filters and gathers take: the texel, or whether it passes the comparison.
Texel LevelFetch::value(Place const& place, Format format) {
    if (!kind_.compares) return read(place, format);
    Texel const texel = read(place, image_.format);
    bool const is_passed = passes(sampler_.compare, fetch_.reference, std::bit_cast<float>(texel[0]));
    std::uint32_t const bits = is_passed ? std::bit_cast<std::uint32_t>(1.0f) : 0;
    return {bits, bits, bits, bits};
}

}  // namespace warpsim::sim::texture
