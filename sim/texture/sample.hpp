// What a texture instruction reads: filtering, addressing, choice of levels, faces of cubes. Follows the CUDA C++
// programming guide, "Texture Fetching"; what it leaves open is listed in the README.
#pragma once

#include "sim/texture/image.hpp"
#include "sim/texture/sampler.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpsim::sim::texture {

enum class LevelChoice : std::uint8_t { base, given, gradients };

/// What is the same for all lanes of an instruction.
struct FetchKind {
    Geometry geometry = Geometry::d2;
    LevelChoice levels = LevelChoice::base;
    bool counts_texels = false;  // coordinates are integers: nothing is filtered
    bool compares = false;
    bool gathers = false;        // the four texels that a linear filter would read
    std::uint8_t component = 0;  // ... of which channel
};

/// What one lane asks for.
struct Fetch {
    std::array<float, 3> at{};  // with FetchKind::counts_texels instead:
    std::array<std::int32_t, 3> texel{};
    std::uint32_t layer = 0;
    std::uint32_t sample = 0;
    float level = 0;
    std::array<float, 3> dx{}, dy{};
    std::array<std::int32_t, 3> offset{};  // texels
    float reference = 0;                   // compared with
};

/// Which bytes a fetch has read, for those who want to know.
class Footprint {
public:
    void add(std::uint64_t address) { texels_.push_back(address); }
    void clear() { texels_.clear(); }
    std::vector<std::uint64_t> const& texels() const { return texels_; }

private:
    std::vector<std::uint64_t> texels_;
};

/// Which level of detail a fetch with a level or gradients takes, in units of 1/256, and how many samples of it.
struct DetailOfFetch {
    std::int32_t level = 0;
    std::uint32_t samples = 1;
};
DetailOfFetch detail_of_fetch(Image const& image, Sampler const& sampler, FetchKind const& kind,
                              Fetch const& fetch);

/// The image must be seen as the geometry of the kind, and all of the image's bytes must be there. `footprint` may be null.
Texel sample(Image const& image, Sampler const& sampler, FetchKind const& kind, Fetch const& fetch,
             Footprint* footprint);

}  // namespace warpsim::sim::texture
