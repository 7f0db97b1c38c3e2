#include "sim/texture/sample.hpp"

#include "sim/texture/cube.hpp"
#include "sim/texture/level_fetch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpsim::sim::texture {

namespace {

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

/// Levels of detail have eight bits behind the point: the rest is cut off. NaN is 0.
std::int32_t level_in_256ths(float level, Image const& image, Sampler const& sampler) {
    level += sampler.level_bias;
    if (level != level) level = 0;
    level = std::min(std::max(level, sampler.least_level), sampler.most_level);
    level = std::min(std::max(level, 0.0f), static_cast<float>(image.levels() - 1));
    return static_cast<std::int32_t>(std::floor(level * weight_one));
}

Texel in_levels(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch, float level,
                Footprint* footprint) {
    std::int32_t const fixed = level_in_256ths(level, image, sampler), second = fixed & 255;
    auto const in_level = [&](std::int32_t which) {
        return LevelFetch(image, sampler, kind, fetch, footprint, static_cast<std::uint32_t>(which));
    };
    bool const blends = sampler.level_filter == Filter::linear && !image.format.is_integer() && !kind.gathers;
    if (!blends) return in_level((fixed + 128) >> 8).fetch();
    LevelFetch first = in_level(fixed >> 8);
    if (second == 0) return first.fetch();
    Blend blend(first.format());
    std::size_t const next = first.add_to(blend, weight_one - second, 0);
    in_level((fixed >> 8) + 1).add_to(blend, second, next);
    return blend.sum();
}

/// The mean of samples along the longer step.
Texel along_step(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch,
                 Detail const& detail, Footprint* footprint) {
    std::array<float, 4> sum{};
    auto const count = static_cast<float>(detail.samples);
    std::array<float, 3> const& step = detail.is_along_x ? fetch.dx : fetch.dy;
    for (std::uint32_t i = 0; i < detail.samples; ++i) {
        Fetch part = fetch;
        float const along = (static_cast<float>(i) + 0.5f) / count - 0.5f;
        for (std::size_t d = 0; d < 3; ++d) part.at[d] += step[d] * along;
        Texel const texel = in_levels(image, sampler, kind, part, detail.level, footprint);
        for (std::size_t c = 0; c < 4; ++c) sum[c] += std::bit_cast<float>(texel[c]) * (1 / count);
    }
    return std::bit_cast<Texel>(sum);
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
