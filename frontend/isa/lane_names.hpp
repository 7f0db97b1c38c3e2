// A unique name for each lane function, printable and the same in every build. A second compiler of the chapters
// finds its own version of a function by it.
#pragma once

#include "frontend/isa/row.hpp"

#include <string>
#include <string_view>

namespace warpsim::isa {

/// Which of a variant's functions.
enum class LaneKind : std::uint8_t { plain, ftz, directed, directed_ftz };
LaneFunction lane_function(Variant const& variant, LaneKind kind);

/// `setp.CmpOp.ftz.f32_p_q_a_b__lt.f32__pred.f32.f32__ftz`: the line, the compiled-in modifier and the written
/// types, the types of result and sources, the kind. Only letters, digits, `.` and `_`.
std::string lane_name(Row const& row, Variant const& variant, LaneKind kind);

}  // namespace warpsim::isa
