// Syntax tree -> IR: checks names, types, operand kinds, versions and targets on the way, and builds the control
// flow.
#pragma once

#include "frontend/diagnostic.hpp"
#include "frontend/ir/module.hpp"
#include "frontend/syntax.hpp"

#include <memory>
#include <string>

namespace warpsim::frontend {

struct DecodeOptions {
    /// Whether a text of a version that is not known yet gets a warning though nothing is wrong with it; one with
    /// errors always does, since they may come from it.
    bool warns_of_version = true;
};

/// What is to be said of a version above the newest that is known here; empty for all others.
std::string newer_version(int version);

/// Decodes what the grammar read. If `diagnostics` contains errors the result is incomplete and must not be
/// executed.
ir::Module decode(std::shared_ptr<Source const> source, syntax::Module const& tree, Diagnostics& diagnostics,
                  DecodeOptions const& options = {});

/// Reads, checks and decodes a whole module.
ir::Module compile(std::shared_ptr<Source const> source, Diagnostics& diagnostics,
                   DecodeOptions const& options = {});

}  // namespace warpsim::frontend
