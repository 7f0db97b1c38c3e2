// The words that a syntax line begins with, as enumerations are named after them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpsim::isa {

/// The instruction that a syntax line is of, without what is optional in its name: "bar.red" of "bar{.cta}.red.popc".
std::string operation_name(std::string_view syntax);
/// All modifiers that a syntax line takes, members of its classes included, each with its dot; no types.
std::vector<std::string_view> modifiers_of(std::string_view syntax);

}  // namespace warpsim::isa
