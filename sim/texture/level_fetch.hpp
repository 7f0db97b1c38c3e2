// The fetch of a lane in one level of an image.
#pragma once

#include "sim/texture/addressing.hpp"
#include "sim/texture/blend.hpp"
#include "sim/texture/sample.hpp"

#include <array>
#include <cstddef>

namespace warpsim::sim::texture {

class LevelFetch {
public:
    LevelFetch(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch,
               Footprint* footprint, std::uint32_t level);

    /// What the level gives alone.
    Texel fetch();
    /// Adds texels that together weigh so much, as planes from `first` on, and returns the next plane.
    std::size_t add_to(Blend& blend, std::int32_t weight, std::size_t first);

    /// The format of the results.
    Format format() const { return kind_.compares ? Format{Channel::f32, 4} : image_.format; }

private:
    struct Place {
        std::int32_t x = 0, y = 0, z = 0;
    };
    struct Square {
        Taps x, y, z;
        std::uint32_t face = 0;
    };

    bool is_linear() const;
    Taps taps(std::size_t dimension, std::uint32_t size, float at) const;
    Taps taps_of_line() const;
    Taps face_taps(float at) const;
    Square around() const;
    Place place(Square const& square, std::size_t i, std::size_t j, std::size_t k) const;
    Place on_face(std::uint32_t face, std::int32_t x, std::int32_t y) const;
    bool is_corner(std::int32_t x, std::int32_t y) const;
    void divide_corner(std::array<std::int32_t, 4>& weights, Square const& square) const;
    Texel border(Format format) const;
    Texel read(Place const& place, Format format);
    Texel value(Place const& place, Format format);

    Image const& image_;
    Sampler const& sampler_;
    FetchKind const& kind_;
    Fetch const& fetch_;
    Footprint* footprint_;
    std::uint32_t level_;
    Extent size_;
    std::uint32_t slice_ = 0;  // the first one of the layer
};

}  // namespace warpsim::sim::texture
