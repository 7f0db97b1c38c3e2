// The keys of the statistics as a page for people.
#pragma once

#include <string>

namespace warpsim::statistics {

/// Markdown: keys.md is this text, which a test checks.
std::string keys();

}  // namespace warpsim::statistics
