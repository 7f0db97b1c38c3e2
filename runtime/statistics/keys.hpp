// The keys of the statistics as a page for people.
#pragma once

#include <string>

namespace warpsim::statistics {

/// Markdown: keys.md is this text, and a test holds it to it.
std::string keys();

}  // namespace warpsim::statistics
