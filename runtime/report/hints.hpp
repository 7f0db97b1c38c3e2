// What the numbers of a launch say about it, in sentences: one table of rules.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>
#include <vector>

namespace warpsim::report {

/// Of a launch (an element of "launches" of the statistics), its lines (null: unknown) and what the GPU can do: an array of
/// {"rule", "says", "evidence", "advice", "line"?}, in the order of the table.
nlohmann::ordered_json hints_of(nlohmann::ordered_json const& launch, nlohmann::ordered_json const& lines,
                                nlohmann::ordered_json const& peaks);
/// The names of all rules.
std::vector<std::string_view> rules();

}  // namespace warpsim::report
