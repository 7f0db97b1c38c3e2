// The JSON Schema of plans, for editors and for programs that write plans.
#pragma once

#include <string>

namespace warpsim::plan {

std::string schema();

}  // namespace warpsim::plan
