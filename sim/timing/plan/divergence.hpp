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
    /// Lanes may leave the block on different paths, none of which ends the program.
    bool splits(std::uint32_t b) const;

private:
    bool gives_varying(std::uint32_t i) const;
    bool spread();
    void find_split_blocks();

    MachineFunction const& m_;
    std::vector<bool> varies_, is_split_;  // per register; per block whether only some of the lanes may execute it
    std::vector<std::uint32_t> definitions_;
};

}  // namespace warpsim::timing
