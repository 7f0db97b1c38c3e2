// The table of options as a page for people.
#pragma once

#include <string>

namespace warpsim::options {

/// Markdown: reference.md is this text, and a test holds it to it.
std::string reference();

}  // namespace warpsim::options
