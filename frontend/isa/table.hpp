// All rows as one list, per host instruction set. The rows of every host are the same but for their functions, so
// an index names one row in all of them.
#pragma once

#include "frontend/isa/modifiers.hpp"
#include "frontend/isa/row.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::isa {

enum class HostIsa : std::uint8_t { baseline, avx2, avx512 };
std::string_view name(HostIsa host);
/// The best that this machine runs, or what WARPSIM_HOST_ISA asks for (throws std::runtime_error when it cannot).
HostIsa host_isa();
/// Whether this build has functions for that host (WARPSIM_HOSTS), and this machine what they need.
bool runs_here(HostIsa host);

/// A chapter of the manual: its title and rows.
struct Chapter {
    std::string_view title;
    std::span<Row const> rows;
};
std::vector<Chapter> const& chapters(HostIsa host);
/// The rows of all chapters in order; a row's position is its index. Those of another host where this build has
/// none for this one.
std::vector<Row> const& rows(HostIsa host);

/// `.sat` of floating point as a second pass, from slot[1] to slot[0] (they may be the same): [0, 1], NaN gives
/// +0. Null for other types: `.sat` of integers is compiled into the functions of the rows that have it.
LaneFunction saturate(HostIsa host, Type type);

/// Whether the row knows the carry, which no operand names: the last source of its variants is the carry that is
/// read, and the slot behind it gets the one that is written.
bool carries(Row const& row);

/// What a modifier or type needs beyond the rows whose line begins with `name`.
struct Requirement {
    std::string_view name;
    std::string_view modifier;
    Since since;
    int below = 0;  // only of targets below it; 0: of all
};
std::span<Requirement const> requirements();

/// The beginning of a syntax line that is written in this order, as "cp.async.bulk" or "bar{.cta}.red": what
/// follows it may come in any order. At least the opcode.
std::string_view instruction_name(std::string_view syntax);
/// A syntax line as people read it. Where the manual gives one class name different members in different
/// instructions, the table tells them apart by a suffix (".space_cvta"), which is left out here.
std::string printed(std::string_view syntax);

}  // namespace warpsim::isa
