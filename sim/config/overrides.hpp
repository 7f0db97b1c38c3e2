// Whether overrides are any, before it is known what they will be combined with.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpsim::sim {

/// Throws as load_config() does for keys and values that the schema does not know; whether the figures agree with one another is
/// not looked at.
void check_overrides(std::string_view name_or_path, std::span<std::string const> overrides);

}  // namespace warpsim::sim
