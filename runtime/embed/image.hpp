// Images in the memory of a device, and the textures and surfaces that kernels know them by.
#pragma once

#include "runtime/embed/device.hpp"
#include "sim/texture/table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace warpsim::embed {

struct ImageShape {
    std::string format;  // of a texel: "f32x4", "u8"
    std::uint32_t width = 1, height = 1, depth = 1;
    std::uint32_t dimensions = 2;  // 1 to 3, without the layers
    std::uint32_t layers = 0;      // 0: it has none
};

struct Sampling {
    std::string filter = "point";               // or "linear"
    std::vector<std::string> address{"clamp"};  // of each dimension, or of all
    bool is_normalized = false;                 // coordinates are in [0, 1), not in texels
    bool reads_fractions = false;               // integers of 8 and 16 bits
    std::vector<float> border{};                // at most four
};

/// A CUDA array. Its handles live as long as it does.
class Image {
public:
    /// Throws Error(usage) for a shape that no image has, and Error(launch) when there is no memory.
    Image(std::shared_ptr<Device> device, ImageShape const& shape);
    ~Image();
    Image(Image const&) = delete;
    Image& operator=(Image const&) = delete;

    /// Texel after texel and row after row, without gaps.
    std::uint64_t bytes() const;
    void write(void const* from, std::size_t bytes);
    void read(void* to, std::size_t bytes) const;

    /// What kernels take. Throws Error(usage) for a sampling that this format does not have.
    sim::texture::Handle texture(Sampling const& sampling);
    sim::texture::Handle surface();

private:
    std::uint64_t row_bytes() const;
    std::uint64_t slices() const;
    void check_size(std::size_t bytes) const;
    sim::texture::Image seen_as(sim::texture::Format format) const;
    sim::texture::ArrayBox whole() const;

    std::shared_ptr<Device> const device_;
    ImageShape const shape_;
    sim::texture::Format const format_;
    sim::texture::ArrayLayout layout_;
    runtime::DevicePointer address_ = 0;
    std::mutex mutex_;  // guards the next
    std::vector<sim::texture::Handle> handles_;
};

}  // namespace warpsim::embed
