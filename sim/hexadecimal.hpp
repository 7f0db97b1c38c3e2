// Numbers as people read addresses.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace warpsim::sim {

/// 0x1f.
inline std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace warpsim::sim
