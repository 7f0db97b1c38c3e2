// Several modules -> one: names that modules share are resolved, private ones stay apart, and all pools become
// one.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpsim::frontend {

struct Linked {
    ir::Module module;
    std::string report;           // errors and warnings as a compiler prints them, places in all the texts
    std::size_t error_count = 0;  // with errors the module must not run
};

/// Links modules that were compiled without errors; at least one. Also a single one is linked: what it declares
/// `.extern` must be defined, or be a function that the device runtime supplies (ir/builtins.hpp).
Linked link(std::vector<ir::Module> modules);

}  // namespace warpsim::frontend
