// Short forward branches become guards: the path that some lanes would have skipped is issued for all of them,
// each instruction under the branch's predicate, and the blocks around it become one.
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
    bool replaces = false;     // guarded, but the old values of its results are not needed
    std::uint16_t branch = 0;  // number of the branch within the function
};

struct GuardedPaths {
    std::vector<GuardedPlace> places;  // per instruction; empty: no branch was converted
    std::uint32_t branches = 0;
};

/// Rewrites the function. Instructions keep their numbers.
GuardedPaths convert_branches(ir::Module& module, ir::Function& function, sim::Config const& config);

/// The form of a branch of the module's source with that number that does nothing; its lanes are only counted.
std::uint32_t idle_branch_form(ir::Module& module, std::uint32_t source);

/// Whether a branch has become guards, or was that of a loop of which nothing is left: it is an instruction that does nothing.
bool is_idle_branch(ir::Form const& form);

/// Whether a block only ends the program.
bool only_ends(ir::Module const& module, ir::Function const& function, std::uint32_t block);

}  // namespace warpsim::timing
