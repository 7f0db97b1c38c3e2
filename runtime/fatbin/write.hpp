// Writes the container, for tools that are to leave PTX where others leave machine code.
#pragma once

#include <string>
#include <string_view>

namespace warpsim::fatbin {

/// A container with one PTX entry for the architecture and the version that the text names; `options` are recorded
/// as nvcc records its own ("-maxrregcount=32"). `head` stands for the text where it does not begin with both. Throws
/// Error(ptx) for a text without .version and .target.
std::string write(std::string_view ptx, std::string_view options = {}, std::string_view head = {});

}  // namespace warpsim::fatbin
