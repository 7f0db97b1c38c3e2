// The points of a sweep before they are run: what each is, and by what it is known later.
#pragma once

#include "runtime/sweep/rows.hpp"
#include "runtime/sweep/sweep.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warpsim::sweep {

struct PlannedPoint {
    PointHead head;
    std::vector<std::string> command;                       // without what it writes
    std::shared_ptr<std::vector<std::string> const> files;  // that it reads, its plan first
    std::string refusal;                                    // why its configuration is none; empty: it is one
};

/// Of each plan all points. A point's id is a hash of everything that its results depend on: the plan with all files that it
/// reads, the whole configuration, the options and the build. Throws Error.
std::vector<PlannedPoint> planned_points(Options const& options);

}  // namespace warpsim::sweep
