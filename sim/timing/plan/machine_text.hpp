// An instruction as the hardware gets it, for people.
#pragma once

#include <cstdint>
#include <string>

namespace warpsim::timing {

struct CompiledFunction;

struct MachineText {
    std::string micro_ops;  // "2 alu, fma", or why there are none
    std::string registers;  // "R4 <- R2 R3"
};
MachineText machine_text(CompiledFunction const& function, std::uint32_t instruction);

}  // namespace warpsim::timing
