// Which instructions make the values that an instruction reads, for passes that fold the one into the other.
#pragma once

#include "sim/timing/plan/folding.hpp"

#include <vector>

namespace warpsim::timing {

/// As it is before anything is folded: uses are counted once.
class Makers {
public:
    Makers(MachineFunction const& m, Definitions const& d);

    /// The issued instruction that is the only definition of the operand's register, if what it reads does not change before
    /// `i`; else ir::none.
    std::uint32_t of(std::uint32_t i, ir::Operand const& o) const;
    /// The same if it is in the block of `i`, the only one that reads its result.
    std::uint32_t single(std::uint32_t i, ir::Operand const& o) const;
    std::uint32_t uses_of(std::uint32_t k) const { return uses_[m_.operands(k)[0].index]; }
    bool are_near(std::uint32_t k, std::uint32_t i) const {
        return m_.function->block_of[k] == m_.function->block_of[i];
    }
    /// Whether the result of `i` is an address of an access, or goes on into one by sums.
    bool goes_into_address(std::uint32_t i, int depth = 0) const;

private:
    MachineFunction const& m_;
    Definitions const& d_;
    std::vector<std::uint32_t> uses_;                  // per register
    std::vector<std::vector<std::uint32_t>> readers_;  // per register
};

}  // namespace warpsim::timing
