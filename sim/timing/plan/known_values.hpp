// Values of registers that a compiler knows where all iterations of a loop are written down.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <map>
#include <span>

namespace warpsim::timing {

/// Whether immediate values may stand in place of all registers that the instruction reads.
bool takes_immediates(ir::Form const& form, isa::Effect effect, std::span<ir::Operand const> operands);

class KnownValues {
public:
    void set(std::uint32_t reg, std::int64_t value) { values_[reg] = value; }

    /// What is executed next, whose operands these are. Sources that are known become immediate.
    void execute(ir::Form const& form, isa::Effect effect, bool is_guarded, std::span<ir::Operand> operands,
                 std::span<std::uint32_t const> writes);

private:
    std::map<std::uint32_t, std::int64_t> values_;
};

}  // namespace warpsim::timing
