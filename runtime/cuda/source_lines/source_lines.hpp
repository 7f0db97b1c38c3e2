// Which line of a program's source a place in its code belongs to, by its debugging information.
#pragma once

#include <cstddef>

namespace warpsim::cuda {

/// A line of a source; none where the program was built without -g, or this without elfutils.
struct SourceLine {
    char file[512] = {};
    int number = 0;  // 0: none
};

/// The only symbol of the module that reads it: libwarpsim_source_lines.so, which is loaded when the first line is asked for.
/// Code of functions that were inlined has several lines: depth 0 is the innermost, 1 where that function is called, and so on.
inline constexpr char source_line_symbol[] = "warpsim_source_line";
using FindSourceLine = void (*)(void const* code, unsigned depth, SourceLine& line);

}  // namespace warpsim::cuda
