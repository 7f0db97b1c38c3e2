// Syntax tree -> IR: checks names, types, operand kinds, versions and targets on the way, and builds the control
// flow.
#pragma once

#include "frontend/diagnostic.hpp"
#include "frontend/ir/module.hpp"
#include "frontend/syntax.hpp"

#include <memory>

namespace warpsim::frontend {

/// Decodes what the grammar read. If `diagnostics` contains errors the result is incomplete and must not be
/// executed.
ir::Module decode(std::shared_ptr<Source const> source, syntax::Module const& tree, Diagnostics& diagnostics);

/// Reads, checks and decodes a whole module.
ir::Module compile(std::shared_ptr<Source const> source, Diagnostics& diagnostics);

}  // namespace warpsim::frontend
