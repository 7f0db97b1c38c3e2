// Which micro-ops a PTX instruction becomes, by itself.
#pragma once

#include "frontend/ir/module.hpp"
#include "frontend/isa/row.hpp"
#include "sim/config/config.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <string_view>
#include <vector>

namespace warpsim::timing {

/// Appends the micro-ops of the instruction. None if it needs no hardware instruction: kernel parameters (operands
/// of their readers), cvta, values that are fixed at launch.
void expand(ir::Module const& module, ir::Function const& function, ir::Instruction const& instruction,
            sim::Config const& config, std::vector<MicroOp>& out);

/// The same for what clean_up() has made of the instruction.
void expand_machine(MachineFunction const& m, std::uint32_t i, sim::Config const& config,
                    std::vector<MicroOp>& out);

/// Micro-ops as letters: a alu, f fma, h fp16, d fp64, s sfu, t tensor, b branch, x shuffle, v vote, l lsu, c
/// constant, w barrier, m fence, y texture, r special register. A small letter needs the result of the one before; a capital, and the first, does
/// not.
void append(std::string_view letters, std::vector<MicroOp>& out);

/// A product of 64 bits, to which a sum adds nothing.
std::string_view letters_of(WideProduct product);

/// The reciprocal of an integer divisor, from its conversion to f32 on.
inline constexpr std::string_view reciprocal = "AsasafffAA";

/// The instruction that is being expanded, for effects that do not determine their micro-ops alone.
struct Expansion {
    ir::Module const& module;
    ir::Function const& function;
    ir::Instruction const& instruction;
    sim::Config const& config;
    std::vector<MicroOp>& out;
    // As in MachineInstruction.
    Division division = Division::alone;
    bool divides_by_number = false;
    std::uint8_t extensions = 0;
    WideProduct product = WideProduct::none;

    ir::Form const& form() const { return module.forms[instruction.form]; }
    std::span<ir::Operand const> operands() const { return function.operands_of(instruction); }
};
using Expand = void(Expansion const&);

/// The functions that lines of effect_timing.cpp name.
namespace expansions {

Expand computation;  // arithmetic of the lanes, and of matrices: computation.cpp
Expand move;
Expand load;
Expand store;
Expand ordered_access;  // one operation of the load and store unit, with the fences that its memory order requires
Expand fence;
Expand match;
Expand texture;    // and surfaces
Expand fragment;   // wmma.load, wmma.store
Expand bulk_copy;  // cp.async.bulk
Expand mbarrier;
Expand cluster_barrier;
Expand tensor_memory_access;  // tcgen05.ld, tcgen05.st

}  // namespace expansions

/// Multiply-adds in fp16 that the tensor units can do in the time that they need for one warp's product of matrices; 0 for
/// other instructions, and where they do not have its type.
std::uint64_t tensor_work(sim::Config const& config, ir::Form const& form);

/// Where the fma unit has twice the lanes of the integer one (8.6 and later), only half of them multiply integers:
/// such multiplications issue at the rate of additions (CPG, arithmetic throughput). Simplified: the other half is
/// idle meanwhile.
void slow_integer_multiplies(sim::Config const& config, std::size_t first, std::vector<MicroOp>& out);

}  // namespace warpsim::timing
