// Bytes in a .npy file that gzip has compressed: numpy.load(gzip.open(path)) reads it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace warpsim::plan {

/// Both throw Error(plan), which names the file.
void write_packed(std::string const& path, std::span<std::byte const> bytes);
std::vector<std::byte> read_packed(std::string const& path);

}  // namespace warpsim::plan
