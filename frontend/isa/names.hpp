// The words at the beginning of a syntax line, after which enumerators are named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpsim::isa {

/// The instruction that a syntax line belongs to, without the optional parts of its name: "bar.red" for
/// "bar{.cta}.red.popc".
std::string operation_name(std::string_view syntax);
/// All modifiers that a syntax line takes, with their dots and including the members of its classes; no types.
std::vector<std::string_view> modifiers_of(std::string_view syntax);

}  // namespace warpsim::isa
