// Where lanes of a warp may diverge, and which values may differ between them, as a compiler sees it.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <vector>

namespace warpsim::timing {

/// Lanes diverge at the end of block `b`: marks the blocks on their paths until they reconverge. `seen` holds for
/// each block the last `b` for which it was visited.
void mark_parted_blocks(ir::Function const& f, std::uint32_t b, std::vector<std::uint32_t>& seen,
                        std::vector<bool>& parted);

class Divergence {
public:
    explicit Divergence(MachineFunction const& m);

    bool varies(std::uint32_t reg) const { return varies_[reg]; }
    /// Something that the instruction reads, its guard included, may differ between lanes.
    bool reads_varying(std::uint32_t i) const;
    /// What the instruction writes may differ between lanes that execute it together.
    bool gives_varying(std::uint32_t i) const;
    /// Lanes may leave the block on different paths, none of which ends the program.
    bool splits(std::uint32_t b) const;

private:
    /// A branch at which lanes diverge.
    struct Split {
        std::vector<std::uint8_t> sides;  // per block: a bit for each way there, until the lanes reconverge
        bool is_loop = false;             // lanes come back to it, and leave one by one
    };
    bool makes_local_vary(std::uint32_t i) const;
    bool spread();
    bool spread_local();
    void find_splits();
    bool parts_definitions(std::uint32_t block, std::uint32_t reg) const;

    MachineFunction const& m_;
    std::vector<bool> varies_;        // per register
    std::vector<bool> local_varies_;  // per block: what its loads from local memory find
    std::vector<Split> splits_;
    std::vector<std::vector<std::uint32_t>> definitions_;  // per register: their blocks
};

}  // namespace warpsim::timing
