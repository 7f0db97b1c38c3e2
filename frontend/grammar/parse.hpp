// The one door to the grammar: PTX text in, syntax tree out. Shows nothing of the parser library.
#pragma once

#include "frontend/diagnostic.hpp"
#include "frontend/syntax.hpp"

namespace warpsim::frontend::grammar {

/// Reads the shape of a module. Errors go to `diagnostics`; after one the reader skips to the next `;` or `}` and
/// goes on, so several are found in one pass. Never throws for bad input; nesting is limited, not the host stack.
syntax::Module parse(Source const& source, Diagnostics& diagnostics);

}  // namespace warpsim::frontend::grammar
