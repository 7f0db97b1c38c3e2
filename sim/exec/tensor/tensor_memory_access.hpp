// What all instructions of tensor memory check, and the cells that they reach.
#pragma once

#include "sim/exec/function_planner.hpp"
#include "sim/exec/warp_instruction.hpp"
#include "sim/tensor_memory/shapes.hpp"
#include "sim/tensor_memory/tensor_memory.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsim::sim {

/// The instruction is for so many CTAs, as all of the kernel are; a pair has both. The peer may have ended if nothing is
/// done to it.
void check_tensor_group(Issue const& by, Execution const& execution, bool of_pair, bool needs_peer = true);
bool is_of_pair(ir::Form const& form);

/// `lanes` exit: if they are the last of the CTA, nothing must be left allocated.
void check_tensor_memory(Issue const& by, LaneMask lanes, Execution const& execution);

/// What tcgen05.ld and tcgen05.st move, and whether a register is two columns of 16 bits.
tensor_memory::AccessShape access_shape(ir::Form const& form);
bool packs_columns(ir::Form const& form);

/// The tensor memory of the CTA, where these columns are allocated. Else a text says what is wrong: "columns 32 to 63
/// of tensor memory are not allocated (allocated: columns 0 to 31)".
tensor_memory::TensorMemory* tensor_columns(Cta& cta, std::uint32_t first, std::uint32_t count,
                                            std::string& wrong);

/// A value that all lanes of the warp must bring.
std::uint32_t same_in_warp(WarpInstruction const& i, Slot slot, std::string_view what);

/// The column of an address of tensor memory, with its offset.
Slot tensor_address(FunctionPlanner& p, ir::Operand const& address);

/// "0x00200010 (lane 32, column 16)".
std::string tensor_address_text(std::uint32_t address);

}  // namespace warpsim::sim
