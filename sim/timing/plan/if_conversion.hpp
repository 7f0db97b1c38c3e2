// Short forward branches become guards: what stands on the path that lanes jump over is issued for all of them,
// each instruction under the branch's predicate, and the blocks around it are one.
#pragma once

#include "frontend/ir/module.hpp"
#include "sim/config/config.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// What an instruction was before branches became guards.
enum class Part : std::uint8_t {
    none,
    branch,     // does nothing any more; only its lanes are counted
    not_taken,  // executed by lanes that do not take the branch
    taken,
};

struct GuardedPlace {
    Part part = Part::none;
    bool replaces = false;     // guarded, but what its results held before is not needed by anybody
    std::uint16_t branch = 0;  // number of the branch, of the function
};

struct GuardedPaths {
    std::vector<GuardedPlace> places;  // per instruction; empty: none was converted
    std::uint32_t branches = 0;
};

/// Rewrites the function. Instructions keep their numbers.
GuardedPaths convert_branches(ir::Module& module, ir::Function& function, sim::Config const& config);

/// What a branch is that became guards: an instruction that does nothing.
bool is_idle_branch(ir::Form const& form);

/// A block that is but the end of the program.
bool only_ends(ir::Module const& module, ir::Function const& function, std::uint32_t block);

}  // namespace warpsim::timing
