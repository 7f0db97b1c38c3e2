// Which registers the instructions of a function read and write, in lists that an analysis can go through often.
#pragma once

#include "frontend/ir/analysis/lists.hpp"
#include "frontend/ir/module.hpp"

#include <vector>

namespace warpsim::ir {

/// Per instruction. What the PTX says, or what hardware that runs other instructions for it does.
struct RegisterLists {
    Lists reads, writes;
};

/// As the PTX says; a guard is read.
RegisterLists list_registers(Module const& module, Function const& function);

/// A function to an analysis of its registers.
struct RegisterUses {
    Function const& function;
    Lists const& reads;
    Lists const& writes;
    /// Per instruction: what it writes may be needed as it was before, because some lanes leave it so.
    std::vector<bool> keeps_old;
};

/// Instructions under a guard keep the old values.
RegisterUses uses_of(Function const& function, RegisterLists const& lists);

}  // namespace warpsim::ir
