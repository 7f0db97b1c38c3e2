// Which registers the instructions of a function read and write, in lists that an analysis can traverse
// repeatedly.
#pragma once

#include "frontend/ir/analysis/lists.hpp"
#include "frontend/ir/module.hpp"

#include <vector>

namespace warpsim::ir {

/// For each instruction. What the PTX says, or what the instructions do that hardware executes in its place.
struct RegisterLists {
    Lists reads, writes;
};

/// As the PTX says; a guard counts as read.
RegisterLists list_registers(Module const& module, Function const& function);

/// What an analysis of registers sees of a function.
struct RegisterUses {
    Function const& function;
    Lists const& reads;
    Lists const& writes;
    /// For each instruction, whether the old values of what it writes may still be needed, as some lanes keep
    /// them.
    std::vector<bool> keeps_old;
};

/// Instructions under a guard keep the old values.
RegisterUses uses_of(Function const& function, RegisterLists const& lists);

}  // namespace warpsim::ir
