// How wide a table for people may be.
#pragma once

#include <cstddef>

namespace warpsim::statistics {

/// $COLUMNS, else the width of the terminal that is standard error, else 80; never less than 40.
std::size_t terminal_width();

}  // namespace warpsim::statistics
