// The grammar's only public header: PTX text in, syntax tree out. It shows nothing of the parser library.
#pragma once

#include "frontend/diagnostic.hpp"
#include "frontend/syntax.hpp"

namespace warpsim::frontend::grammar {

/// Parses the shape of a module. Errors go to `diagnostics`; after an error the reader skips to the next `;` or
/// `}` and continues, so one pass finds several. Never throws for bad input; nesting is limited to protect the
/// stack.
syntax::Module parse(Source const& source, Diagnostics& diagnostics);

}  // namespace warpsim::frontend::grammar
