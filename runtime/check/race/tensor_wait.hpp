// Whether what tcgen05.ld loads is waited for.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstdint>
#include <optional>

namespace warpsim::check {

/// The instruction that uses a register that `load`, a tcgen05.ld of this function, is still writing: no tcgen05.wait::ld is in
/// between. Looked for up to the next instruction that may go elsewhere, so that what is found is executed behind the load.
std::optional<std::uint32_t> use_before_wait(ir::Module const& module, ir::Function const& function,
                                             std::uint32_t load);

}  // namespace warpsim::check
