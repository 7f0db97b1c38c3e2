// Syntax tree -> IR: names, types, operand kinds, versions and targets are checked on the way, control flow is
// built.
#pragma once

#include "frontend/diagnostic.hpp"
#include "frontend/ir/module.hpp"
#include "frontend/syntax.hpp"

#include <memory>

namespace warpsim::frontend {

/// Decodes what the grammar read. With errors in `diagnostics` the result is incomplete and must not be executed.
ir::Module decode(std::shared_ptr<Source const> source, syntax::Module const& tree, Diagnostics& diagnostics);

/// Reads, checks and decodes a whole module.
ir::Module compile(std::shared_ptr<Source const> source, Diagnostics& diagnostics);

}  // namespace warpsim::frontend
