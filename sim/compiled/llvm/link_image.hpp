// An object file in memory becomes a CodeImage.
#pragma once

#include "sim/compiled/code_image.hpp"

#include <llvm/ADT/StringRef.h>
#include <string>
#include <vector>

namespace warpsim::sim {

/// Fills in the bytes, the imports, and where each function begins whose name is given ("": none). Throws
/// std::runtime_error for what cannot stand anywhere in memory.
void link_image(llvm::StringRef object, std::vector<std::string> const& names, CodeImage& image);

}  // namespace warpsim::sim
