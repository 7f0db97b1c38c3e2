// What a register holds in the lanes of a warp, as text.
#pragma once

#include "frontend/ir/module.hpp"
#include "sim/exec/warp.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::runtime {

struct UsedRegister {
    std::uint32_t index = 0;           // in ir::Function::registers
    isa::Type type = isa::Type::none;  // that the instruction takes it for; of the register's width
};
/// Registers that an instruction reads and writes, each once; the guard is not among them.
struct UsedRegisters {
    std::vector<UsedRegister> read, written;
};

/// "1.5", "2", "0x3f": one for each of `lanes`, in order; empty when the register is used by nobody, so that it has no storage.
std::vector<std::string> lane_texts(sim::Warp const& warp, sim::Frame const& frame, UsedRegister const& used,
                                    isa::LaneMask lanes);

/// "0:1.5 1:2 7:0x3f", or "all 5" where `lanes` are several and hold the same.
std::string lane_values(sim::Warp const& warp, sim::Frame const& frame, UsedRegister const& used,
                        isa::LaneMask lanes);
UsedRegisters used_registers(ir::Module const& module, ir::Function const& function,
                             ir::Instruction const& instruction);

}  // namespace warpsim::runtime
