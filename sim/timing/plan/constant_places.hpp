// Where moves of constants stand: where the first instruction is that needs them, or in front of the loop around it.
#pragma once

#include "sim/timing/plan/block_loops.hpp"
#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

class ConstantPlaces {
public:
    struct Place {
        std::uint32_t block;
        BlockLoop const* loop = nullptr;  // at the end of the block, in front of this loop
    };

    ConstantPlaces(MachineFunction const& m, ir::DominatorTree const& dominators, int capability);

    /// For an instruction in the block.
    Place place_for(std::uint32_t block) const;
    /// Whether what has been moved there is still there for an instruction in the block.
    bool serves(Place const& moved, std::uint32_t block) const;

private:
    struct Loop {
        BlockLoop blocks;
        bool has_room = false;  // moves cost nothing in it
        bool is_long = false;   // has several blocks
    };

    ir::DominatorTree const& dominators_;
    std::vector<Loop> loops_;  // outer ones first
};

}  // namespace warpsim::timing
