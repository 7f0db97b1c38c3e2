// Many short lists of numbers in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::ir {

/// One list for each block, instruction or register; the items of all lists stand one after the other.
struct Lists {
    std::vector<std::uint32_t> first{0};
    std::vector<std::uint32_t> items;

    std::span<std::uint32_t const> operator[](std::size_t i) const {
        return {items.data() + first[i], first[i + 1] - first[i]};
    }
    void end_list() { first.push_back(static_cast<std::uint32_t>(items.size())); }
    std::size_t size() const { return first.size() - 1; }
};

}  // namespace warpsim::ir
