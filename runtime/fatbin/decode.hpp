// The two ways in which entries are compressed.
#pragma once

#include "runtime/fatbin/fatbin.hpp"

#include <string>

namespace warpsim::fatbin {

/// Decode a zstd frame, or an LZ4 block without a frame, of exactly `plain_size` bytes. False if the data is
/// invalid.
bool decode_zstd(Bytes packed, std::uint64_t plain_size, std::string& plain);
bool decode_lz4(Bytes packed, std::uint64_t plain_size, std::string& plain);

}  // namespace warpsim::fatbin
