#pragma once

#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Inserts the lower half of one value as the upper one of another (bfi.b64 by 32, 32).
bool joins_halves(MachineFunction const& m, std::uint32_t i);

/// Integers of 64 bits are two of 32 for the hardware. What an operation does for a half that is zero, that nothing reads, or that
/// another value has already costs nothing: the upper half of a sum of which only the lower one goes on, `shr.u64 d, a, 32`, or
/// `and.b64 d, a, 0xffffffff00000000`.
class Halves {
public:
    explicit Halves(MachineFunction const& m)
        : zero_(m.function->registers.size(), 0), wanted_(zero_), in_pair_(zero_) {}

    /// Counts the halves that each operation computes, and folds those that compute none into their readers. Before fold().
    void find(MachineFunction& m, Definitions const& d);
    /// Which values take one register only. After fold().
    void keep(MachineFunction const& m, Definitions& d) const;

private:
    class Finder;
    // Per register: halves, and whether a reader takes both from a pair of registers.
    std::vector<unsigned> zero_, wanted_, in_pair_;
};

}  // namespace warpsim::timing
