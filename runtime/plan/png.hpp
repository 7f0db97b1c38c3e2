// PNG files as arrays of bytes, row after row, for people to look at. Shows nothing of the library behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpsim::plan {

struct PngSize {
    std::uint32_t width = 0, height = 0;
    std::uint32_t channels = 0;  // of the file: 1 grey, 2 grey and alpha, 3 colours, 4 colours and alpha

    std::uint64_t bytes() const { return std::uint64_t{width} * height * channels; }
};

/// What the header says. Throws Error(plan) that names the file.
PngSize png_size(std::string const& path);

/// 8 bits per channel, as they are in the file, in so many channels; 0: in its own. What is transparent is on black where
/// alpha is left out. Throws Error(plan).
std::vector<std::byte> read_png(std::string const& path, std::uint32_t channels);

/// Throws Error(plan).
void write_png(std::string const& path, PngSize const& size, std::span<std::byte const> bytes);

}  // namespace warpsim::plan
