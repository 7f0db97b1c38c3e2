// The hash by which statistics name what was run.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpsim::runtime {

/// SHA-256 of the texts one after another, as sha256sum prints it: 64 hexadecimal digits.
std::string sha256(std::span<std::string_view const> texts);
inline std::string sha256(std::string_view text) { return sha256(std::span(&text, 1)); }

}  // namespace warpsim::runtime
