// Texts -> one linked module: each is compiled on a host thread of its own.
#pragma once

#include "frontend/link/link.hpp"

#include <string>
#include <vector>

namespace warpsim::frontend {

struct NamedText {
    std::string name;  // as messages show it: a path, or what the caller calls it
    std::string text;
};

/// Compiles and links. `threads`: host threads at most; 0: as many as there are cores. The result and its report
/// do not depend on it.
Linked read_modules(std::vector<NamedText> texts, unsigned threads = 0);

}  // namespace warpsim::frontend
