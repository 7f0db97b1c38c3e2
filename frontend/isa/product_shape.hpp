// The shapes of matrix products, which mnemonics state: `.m16n8k16`.
#pragma once

#include "frontend/isa/operation.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace warpsim::isa {

/// d and c are m x n, a is m x k, b is k x n.
struct ProductShape {
    std::uint32_t m = 0, n = 0, k = 0;
};

/// None if the modifier is not a shape of all three.
inline std::optional<ProductShape> product_shape(Modifier modifier) {
    std::string_view const name = isa::name(modifier);
    char const* at = name.data();
    char const* const end = at + name.size();
    if (at != end && *at == '.') ++at;
    std::array<std::uint32_t, 3> sizes{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (at == end || *at++ != "mnk"[i]) return {};
        auto const read = std::from_chars(at, end, sizes[i]);
        if (read.ec != std::errc{}) return {};
        at = read.ptr;
    }
    if (at != end) return {};
    return ProductShape{sizes[0], sizes[1], sizes[2]};
}
/// Of the first modifier that is one.
inline std::optional<ProductShape> product_shape(std::span<Modifier const> modifiers) {
    for (Modifier const modifier : modifiers) {
        if (auto const shape = product_shape(modifier)) return shape;
    }
    return {};
}

}  // namespace warpsim::isa
