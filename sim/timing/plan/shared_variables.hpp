// Where the compiler places variables in shared memory.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <optional>

namespace warpsim::timing {

struct SharedVariable {
    bool is_unsized = false, is_of_module = false;
    std::uint32_t index = 0;

    /// Whether a move of that operand yields its address.
    bool is(ir::Operand const& o) const {
        return o.kind == ir::Operand::Kind::symbol && o.is_module_variable == is_of_module && o.index == index &&
               o.value == 0;
    }
};

/// The variable at address 0, until 8.9, in a kernel that calls nothing: of those that it uses its own come first, in their order,
/// then those of the module, and last arrays without a size.
std::optional<SharedVariable> first_shared_variable(MachineFunction const& m);

/// The address of a variable in shared memory.
bool is_shared_variable(MachineFunction const& m, ir::Operand const& o);

}  // namespace warpsim::timing
