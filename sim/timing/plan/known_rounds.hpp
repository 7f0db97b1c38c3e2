// What a compiler would know in a loop's iterations if it wrote them all down.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// Follows the instructions of a loop of one block that counts in `counter`.
class KnownRounds {
public:
    /// `is_inner`: inside of another loop, where ptxas until 8.9 gains by addresses that only move by a constant as well.
    KnownRounds(MachineFunction const& m, ir::Block const& loop, std::uint32_t counter, bool is_inner,
                int capability);

    /// The next instruction. Returns whether it would not be executed.
    bool follow(std::uint32_t i);
    /// Whether an access to the address in this register would have it, or its distance from a register, in its code.
    bool is_known(std::uint32_t reg) const { return state_[reg] != Known::no; }

private:
    enum class Known : std::uint8_t {
        no,
        distance,  // from a value that the loop does not change
        number,
    };
    struct Writers {
        std::uint32_t constants = 0, advances = 0, loads = 0, others = 0, inside = 0;
    };
    std::vector<Writers> writers() const;
    Known before_loop(std::uint32_t reg, Writers const& by, bool is_inner) const;
    bool is_constant(std::uint32_t i) const;
    bool is_in_loop(std::uint32_t i) const { return i >= loop_.first && i <= loop_.last; }

    MachineFunction const& m_;
    ir::Block const& loop_;
    bool const knows_shared_;    // where variables of shared memory are
    std::vector<bool> goes_on_;  // per register: the loop only adds a constant to it
    std::vector<Known> state_;   // per register
};

}  // namespace warpsim::timing
