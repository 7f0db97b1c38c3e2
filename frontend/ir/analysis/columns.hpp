// The columns that an engine keeps a function's registers in, one value for each lane.
#pragma once

#include "frontend/ir/analysis/liveness.hpp"

#include <cstdint>

namespace warpsim::ir {

/// Registers share columns only with others of their class: under a partial mask, a store of another width would
/// overwrite bytes of other lanes.
enum class WidthClass : std::uint8_t { bits16, bits32, bits64, bits128, predicate, count };
WidthClass width_class(Type type);

/// A linear scan: registers with disjoint live ranges share a column; each gets the lowest that is free.
RegisterLayout share_columns(Function const& function, Liveness const& liveness);

/// Every register has a column of its own, for debugging; `pressure` is the same as with shared columns.
RegisterLayout separate_columns(Function const& function);

}  // namespace warpsim::ir
