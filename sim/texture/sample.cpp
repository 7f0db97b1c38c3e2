#include "sim/texture/sample.hpp"

#include "sim/texture/addressing.hpp"
#include "sim/texture/cube.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpsim::sim::texture {

namespace {

float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

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

/// A weighted sum of texels: what has no weight does not count, whatever it is.
struct WeightedSum {
    std::array<float, 4> sum{};

    void add(Texel const& texel, float weight) {
        if (weight == 0) return;
        for (std::size_t i = 0; i < 4; ++i) sum[i] += number(texel[i]) * weight;
    }
    Texel texel() const {
        Texel result;
        for (std::size_t i = 0; i < 4; ++i) result[i] = std::bit_cast<std::uint32_t>(sum[i]);
        return result;
    }
};

/// The lane's fetch in one level.
class LevelFetch {
public:
    LevelFetch(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch,
               Footprint* footprint, std::uint32_t level)
        : image_(image),
          sampler_(sampler),
          kind_(kind),
          fetch_(fetch),
          footprint_(footprint),
          level_(level),
          size_(image.level_extent(level)) {
        if (is_layered(kind.geometry)) {
            std::uint32_t const layers = is_cube(kind.geometry) ? image.slices / 6 : image.slices;
            layer_ = std::min(fetch.layer, std::max(layers, 1u) - 1);
        }
    }

    Texel fetch() {
        if (is_cube(kind_.geometry)) return on_face(face_point(fetch_.at));
        return filtered(taps(0, size_.width, fetch_.at[0]),
                        dimensions(kind_.geometry) > 1 ? taps(1, size_.height, fetch_.at[1]) : Taps{},
                        dimensions(kind_.geometry) > 2 ? taps(2, size_.depth, fetch_.at[2]) : Taps{});
    }

private:
    bool is_linear() const {
        return kind_.gathers || (sampler_.filter == Filter::linear && !kind_.counts_texels &&
                                 !image_.format.is_integer() && image_.arrangement != Arrangement::linear);
    }

    Taps taps(std::size_t dimension, std::uint32_t size, float at) const {
        Address const mode =
            image_.arrangement == Arrangement::linear ? Address::border : sampler_.address[dimension];
        std::int32_t const offset = fetch_.offset[dimension];
        if (kind_.counts_texels) return texel_taps(fetch_.texel[dimension], size, mode, offset);
        if (is_linear()) return linear_taps(at, size, mode, sampler_.is_normalized, offset);
        return point_taps(at, size, mode, sampler_.is_normalized, offset);
    }

    /// A texel with what its format does not have: OpenCL's (r, 0, 0, 1).
    Texel completed(Texel texel) const {
        if (image_.format.channels < 4)
            texel[3] = image_.format.is_integer() ? 1 : std::bit_cast<std::uint32_t>(1.0f);
        return texel;
    }
    Texel border() const {
        Texel texel{};
        if (image_.arrangement == Arrangement::linear) return texel;
        for (std::size_t i = 0; i < image_.format.channels; ++i)
            texel[i] = std::bit_cast<std::uint32_t>(sampler_.border[i]);
        return completed(texel);
    }

    Texel read(std::int32_t x, std::int32_t y, std::int32_t z) {
        if (x == outside || y == outside || z == outside) return border();
        auto column = static_cast<std::uint32_t>(x);
        if (is_multisample(kind_.geometry)) {
            std::uint32_t const samples = image_.layout.shape().samples;
            column = column * samples + std::min(fetch_.sample, samples - 1);
        }
        std::uint64_t const at =
            image_.texel(column, static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z) + slice_, level_);
        if (footprint_ != nullptr) footprint_->add(at);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
        return completed(decode(image_.format, reinterpret_cast<std::byte const*>(at)));
    }
    /// What filters and gathers take: the texel, or whether it passes the comparison.
    Texel value(Texel const& texel) const {
        if (!kind_.compares) return texel;
        bool const is_passed = passes(sampler_.compare, fetch_.reference, number(texel[0]));
        std::uint32_t const bits = is_passed ? std::bit_cast<std::uint32_t>(1.0f) : 0;
        return {bits, bits, bits, bits};
    }

    Texel filtered(Taps const& x, Taps const& y, Taps const& z) {
        slice_ = layer_;
        if (kind_.gathers)
            return gathered([&](std::size_t i, std::size_t j) { return value(read(x.at[i], y.at[j], z.at[0])); });
        if (!is_linear()) return value(read(x.at[0], y.at[0], z.at[0]));
        WeightedSum sum;
        std::uint32_t const ways_y = dimensions(kind_.geometry) > 1 ? 2 : 1;
        std::uint32_t const ways_z = dimensions(kind_.geometry) > 2 ? 2 : 1;
        for (std::uint32_t k = 0; k < ways_z; ++k) {
            for (std::uint32_t j = 0; j < ways_y; ++j) {
                for (std::uint32_t i = 0; i < 2; ++i)
                    sum.add(value(read(x.at[i], y.at[j], z.at[k])), weight(x, i) * weight(y, j) * weight(z, k));
            }
        }
        return sum.texel();
    }

    static float weight(Taps const& taps, std::uint32_t which) {
        return static_cast<float>(which == 1 ? taps.second : weight_one - taps.second) / weight_one;
    }

    /// Counter-clockwise from the lower left, where rows go down.
    template <class Read> Texel gathered(Read const& read) const {
        std::size_t const c = kind_.component;
        return {read(0, 1)[c], read(1, 1)[c], read(1, 0)[c], read(0, 0)[c]};
    }

    // Cubes are square, and clamped or seamless whatever the address modes are.
    Texel on_face(FacePoint const& point) {
        slice_ = layer_ * 6;
        std::uint32_t const size = size_.width;
        if (!is_linear()) {
            Taps const x = point_taps(point.at[0], size, Address::clamp, true, 0);
            Taps const y = point_taps(point.at[1], size, Address::clamp, true, 0);
            return value(read(x.at[0], y.at[0], static_cast<std::int32_t>(point.face)));
        }
        Taps const x = face_taps(point.at[0], size), y = face_taps(point.at[1], size);
        if (kind_.gathers)
            return gathered(
                [&](std::size_t i, std::size_t j) { return value(read_face(point.face, x.at[i], y.at[j])); });
        std::array<std::array<Texel, 2>, 2> texels;
        for (std::size_t j = 0; j < 2; ++j) {
            for (std::size_t i = 0; i < 2; ++i) texels[j][i] = value(read_face(point.face, x.at[i], y.at[j]));
        }
        if (sampler_.is_seamless) complete_corner(texels, x, y);
        WeightedSum sum;
        for (std::uint32_t j = 0; j < 2; ++j) {
            for (std::uint32_t i = 0; i < 2; ++i) sum.add(texels[j][i], weight(x, i) * weight(y, j));
        }
        return sum.texel();
    }
    /// Indices may be one step outside.
    static Taps face_taps(float at, std::uint32_t size) {
        Taps const inner = linear_taps(at, size, Address::border, true, 0);
        auto const last = static_cast<std::int32_t>(size);
        if (inner.at[0] == outside) return {{-1, 0}, inner.second};
        if (inner.at[1] == outside) return {{last - 1, last}, inner.second};
        return inner;
    }
    Texel read_face(std::uint32_t face, std::int32_t x, std::int32_t y) {
        auto const size = static_cast<std::int32_t>(size_.width);
        bool const is_beside = x < 0 || x >= size, is_above = y < 0 || y >= size;
        if (!sampler_.is_seamless || (is_beside && is_above)) {
            x = sampler_.is_seamless ? x : clamped(x, size);
            y = clamped(y, size);
        }
        if (x >= 0 && x < size && y >= 0 && y < size) return read(x, y, static_cast<std::int32_t>(face));
        FaceTexel const t = across_edge(face, x, y, size);
        return read(t.x, t.y, static_cast<std::int32_t>(t.face));
    }
    /// Three faces meet at a corner: the texel that is missing there is the mean of the others.
    void complete_corner(std::array<std::array<Texel, 2>, 2>& texels, Taps const& x, Taps const& y) const {
        auto const size = static_cast<std::int32_t>(size_.width);
        auto const is_out = [&](std::int32_t at) { return at < 0 || at >= size; };
        for (std::size_t j = 0; j < 2; ++j) {
            for (std::size_t i = 0; i < 2; ++i) {
                if (!is_out(x.at[i]) || !is_out(y.at[j])) continue;
                WeightedSum mean;
                mean.add(texels[j][1 - i], 1.0f / 3);
                mean.add(texels[1 - j][i], 1.0f / 3);
                mean.add(texels[1 - j][1 - i], 1.0f / 3);
                texels[j][i] = mean.texel();
            }
        }
    }

    Image const& image_;
    Sampler const& sampler_;
    FetchKind const& kind_;
    Fetch const& fetch_;
    Footprint* footprint_;
    std::uint32_t level_;
    Extent size_;
    std::uint32_t layer_ = 0;
    std::uint32_t slice_ = 0;
};

/// The steps of a fetch from one pixel to the next along both of the screen's axes, in texels of the first level.
struct Steps {
    std::array<float, 3> x{}, y{};
};

/// Of the minor coordinates on the face that the direction meets.
std::array<float, 3> step_on_face(std::array<float, 3> const& v, std::array<float, 3> const& step, float size) {
    FaceAxes const& axes = face_axes[face_of(v)];
    float const m = std::fabs(v[axes.major]);
    float const dm = v[axes.major] < 0 ? -step[axes.major] : step[axes.major];
    auto const part = [&](std::size_t axis) { return (step[axis] * m - v[axis] * dm) / (m * m) / 2 * size; };
    return {part(axes.s), part(axes.t), 0};
}

Steps steps_of(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch) {
    Extent const size = image.level_extent(0);
    if (is_cube(kind.geometry)) {
        auto const edge = static_cast<float>(size.width);
        return {step_on_face(fetch.at, fetch.dx, edge), step_on_face(fetch.at, fetch.dy, edge)};
    }
    std::array<float, 3> scale{1, 1, 1};
    if (sampler.is_normalized)
        scale = {static_cast<float>(size.width), static_cast<float>(size.height), static_cast<float>(size.depth)};
    Steps steps;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions(kind.geometry)); ++i) {
        steps.x[i] = fetch.dx[i] * scale[i];
        steps.y[i] = fetch.dy[i] * scale[i];
    }
    return steps;
}

float length(std::array<float, 3> const& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// The level of detail, and how many samples along which step an anisotropic filter takes.
struct Detail {
    float level = 0;
    std::uint32_t samples = 1;
    bool is_along_x = true;
};

Detail detail_of(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch) {
    if (kind.levels == LevelChoice::given) return {fetch.level};
    Steps const steps = steps_of(image, sampler, kind, fetch);
    float const x = length(steps.x), y = length(steps.y);
    float const longer = std::max(x, y), shorter = std::min(x, y);
    Detail detail;
    detail.is_along_x = x >= y;
    if (sampler.anisotropy > 1 && longer > 1 && dimensions(kind.geometry) == 2 && !is_cube(kind.geometry)) {
        auto const most = static_cast<float>(std::min(sampler.anisotropy, 16u));
        float const ratio = longer / std::max(shorter, 1.0f);
        detail.samples = static_cast<std::uint32_t>(std::ceil(std::min(ratio, most)));
    }
    detail.level = std::log2(longer / static_cast<float>(detail.samples));
    return detail;
}

/// Levels of detail have eight bits behind the point. NaN is 0.
std::int32_t level_in_256ths(float level, Image const& image, Sampler const& sampler) {
    level += sampler.level_bias;
    if (level != level) level = 0;
    level = std::min(std::max(level, sampler.least_level), sampler.most_level);
    level = std::min(std::max(level, 0.0f), static_cast<float>(image.levels() - 1));
    return static_cast<std::int32_t>(std::nearbyint(level * 256));
}

Texel in_levels(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch, float level,
                Footprint* footprint) {
    std::int32_t const fixed = level_in_256ths(level, image, sampler);
    auto const in_level = [&](std::int32_t which) {
        return LevelFetch(image, sampler, kind, fetch, footprint, static_cast<std::uint32_t>(which)).fetch();
    };
    bool const blends = sampler.level_filter == Filter::linear && !image.format.is_integer() && !kind.gathers;
    if (!blends) return in_level((fixed + 128) >> 8);
    float const second = static_cast<float>(fixed & 255) / 256;
    if (second == 0) return in_level(fixed >> 8);
    WeightedSum sum;
    sum.add(in_level(fixed >> 8), 1 - second);
    sum.add(in_level((fixed >> 8) + 1), second);
    return sum.texel();
}

/// The mean of samples along the longer step.
Texel along_step(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch,
                 Detail const& detail, Footprint* footprint) {
    WeightedSum sum;
    auto const count = static_cast<float>(detail.samples);
    std::array<float, 3> const& step = detail.is_along_x ? fetch.dx : fetch.dy;
    for (std::uint32_t i = 0; i < detail.samples; ++i) {
        Fetch part = fetch;
        float const along = (static_cast<float>(i) + 0.5f) / count - 0.5f;
        for (std::size_t d = 0; d < 3; ++d) part.at[d] += step[d] * along;
        sum.add(in_levels(image, sampler, kind, part, detail.level, footprint), 1 / count);
    }
    return sum.texel();
}

}  // namespace

DetailOfFetch detail_of_fetch(Image const& image, Sampler const& sampler, FetchKind const& kind,
                              Fetch const& fetch) {
    Detail const detail = detail_of(image, sampler, kind, fetch);
    if (kind.counts_texels) {  // a whole level, whatever the sampler says
        auto const last = static_cast<float>(image.levels() - 1);
        float const inside = detail.level > 0 ? std::min(detail.level, last) : 0;
        return {static_cast<std::int32_t>(std::floor(inside + 0.5f)) * 256, 1};
    }
    return {level_in_256ths(detail.level, image, sampler), detail.samples};
}

Texel sample(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch,
             Footprint* footprint) {
    if (kind.levels == LevelChoice::base) return LevelFetch(image, sampler, kind, fetch, footprint, 0).fetch();
    if (kind.counts_texels) {
        std::int32_t const level = detail_of_fetch(image, sampler, kind, fetch).level >> 8;
        return LevelFetch(image, sampler, kind, fetch, footprint, static_cast<std::uint32_t>(level)).fetch();
    }
    Detail const detail = detail_of(image, sampler, kind, fetch);
    if (detail.samples > 1 && !image.format.is_integer() && !kind.gathers)
        return along_step(image, sampler, kind, fetch, detail, footprint);
    return in_levels(image, sampler, kind, fetch, detail.level, footprint);
}

}  // namespace warpsim::sim::texture
