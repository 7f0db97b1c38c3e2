// Which values may be different in the lanes of a warp, as a compiler sees it, and where lanes may part.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <vector>

namespace warpsim::timing {

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
    std::vector<bool> varies_, is_split_;   // registers; blocks that only some lanes may be in
    std::vector<std::uint32_t> definitions_;
};

}  // namespace warpsim::timing
