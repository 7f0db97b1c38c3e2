#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace warpsim::ir {

/// The nodes of a directed graph, 0 to count - 1, from which a path of one edge or more leads back to them.
std::vector<bool> on_cycles(std::size_t count, std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges);

}  // namespace warpsim::ir
