// The JSON Schema of check reports.
#pragma once

#include <string_view>

namespace warpsim::check {

std::string_view schema();

}  // namespace warpsim::check
