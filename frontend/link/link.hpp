// Links several modules into one: shared names are resolved, private names stay separate, and the pools are
// concatenated.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpsim::frontend {

struct Linked {
    ir::Module module;
    std::string report;           // errors and warnings as a compiler prints them, with places in all texts
    std::size_t error_count = 0;  // if not zero, the module must not run
};

/// Links one or more modules that compiled without errors. A single module is linked too: whatever it declares
/// `.extern` must be defined, or be a function that the device runtime supplies (ir/builtins.hpp).
Linked link(std::vector<ir::Module> modules);

}  // namespace warpsim::frontend
