// Where lanes of a warp may part, and which values may be different in them, as a compiler sees it.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <vector>

namespace warpsim::timing {

/// Lanes part at the end of block `b`: marks the blocks that they go through until they meet again. `seen` has a
/// number for each block, of the last `b` that came there.
void mark_parted_blocks(ir::Function const& f, std::uint32_t b, std::vector<std::uint32_t>& seen,
                        std::vector<bool>& parted);

class Divergence {
public:
    explicit Divergence(MachineFunction const& m);

    bool varies(std::uint32_t reg) const { return varies_[reg]; }
    /// Something that the instruction reads, its guard included, varies.
    bool reads_varying(std::uint32_t i) const;
    /// Lanes may leave the block on different ways, none of which ends the program.
    bool splits(std::uint32_t b) const;

private:
    bool gives_varying(std::uint32_t i) const;
    bool spread();
    void find_split_blocks();

    MachineFunction const& m_;
    std::vector<bool> varies_, is_split_;  // registers; blocks that only some lanes may be in
    std::vector<std::uint32_t> definitions_;
};

}  // namespace warpsim::timing
