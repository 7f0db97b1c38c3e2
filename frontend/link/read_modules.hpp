// Compiles several texts, each on its own host thread, and links them into one module.
#pragma once

#include "frontend/decode/decode.hpp"
#include "frontend/link/link.hpp"

#include <string>
#include <vector>

namespace warpsim::frontend {

struct NamedText {
    std::string name;  // as messages show it: a path, or any name that the caller chooses
    std::string text;
};

/// Compiles and links. `threads` is the maximum number of host threads; 0 means one per core. The result and its
/// report do not depend on it.
Linked read_modules(std::vector<NamedText> texts, unsigned threads = 0, DecodeOptions const& options = {});

}  // namespace warpsim::frontend
