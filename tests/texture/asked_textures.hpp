// The textures and the places in them that tests/hw/textures.cu asks a GPU for.
#pragma once

#include "sim/texture/sample.hpp"
#include "tests/texture/made_image.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::sim::texture {

/// A line of its output: "2d u8x4 wrap linear normalized".
struct AskedTexture {
    std::string shape;
    Format format{};
    Sampler sampler{};
    FetchKind kind{};  // of fetch i the component is i % 4

    explicit AskedTexture(std::string const& name);

    MadeImage image() const;
    std::vector<Fetch> fetches() const;
};
inline constexpr std::size_t asked_fetches = 2048;

/// Its random numbers, of which it makes digests as well.
constexpr std::uint64_t mixed(std::uint64_t i, std::uint64_t stream) {
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

}  // namespace warpsim::sim::texture
