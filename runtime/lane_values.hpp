// What a register holds in the lanes of a warp, as text.
#pragma once

#include "frontend/ir/module.hpp"
#include "sim/exec/warp.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::runtime {

/// "0:1.5 1:2 7:0x3f", or "all 5" where `lanes` are several and hold the same.
std::string lane_values(sim::Warp const& warp, sim::Frame const& frame, std::uint32_t ir_register,
                        isa::LaneMask lanes);

/// Registers that an instruction reads and writes, each once; the guard is not among them.
struct UsedRegisters {
    std::vector<std::uint32_t> read, written;
};
UsedRegisters used_registers(ir::Module const& module, ir::Function const& function,
                             ir::Instruction const& instruction);

}  // namespace warpsim::runtime
