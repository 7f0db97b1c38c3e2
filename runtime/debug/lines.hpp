// Places in a program as its author knows them: lines of the source through `.loc`, else lines of PTX.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::debug {

struct Line {
    std::string file;
    std::uint32_t number = 0;  // 0: not known

    bool operator==(Line const&) const = default;
};

/// A function that an instruction stands in: its own, or one that was inlined there.
struct Inlined {
    std::string function;  // demangled
    Line line;
};
/// The innermost first; the last is the PTX function itself.
std::vector<Inlined> inlined_at(ir::Module const& module, ir::Function const& function, std::uint32_t instruction);
/// How many there are: 1 where nothing was inlined.
std::size_t inlined_depth(ir::Module const& module, ir::Instruction const& instruction);

Line ptx_line(ir::Module const& module, ir::Instruction const& instruction);
/// The innermost one of the source, else that of PTX.
Line line_of(ir::Module const& module, ir::Instruction const& instruction);

/// Whether a file's name means this file: the same, or the end of its path.
bool means_file(std::string const& wanted, std::string const& file);

/// An instruction of a module.
struct CodePlace {
    std::uint32_t function = 0;
    std::uint32_t instruction = 0;

    bool operator==(CodePlace const&) const = default;
};
/// The first instruction of a line in each function that has it, and in each copy that was inlined. `number` becomes the next
/// line with code if the line has none. Empty: the module has no such file, or no code from that line on.
std::vector<CodePlace> places_of(ir::Module const& module, std::string const& file, std::uint32_t& number);

/// The text of a line, of a file that is here or of PTX that was read; "" if it cannot be had.
std::string text_of(ir::Module const& module, Line const& line);
/// All lines of the file, the first of them 1; empty if it cannot be had.
std::vector<std::string> const& lines_of(ir::Module const& module, std::string const& file);

}  // namespace warpsim::debug
