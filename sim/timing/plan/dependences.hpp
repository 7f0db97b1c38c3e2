// The dependences inside a piece of a block.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

/// Nothing moves across it: control flow, clocks, exact divisions and roots, which branch to routines, and everything that is not
/// known to be harmless.
bool is_scheduling_barrier(MachineFunction const& m, std::uint32_t i);
/// Only computations move across it: barriers, fences, atomics, strong and volatile memory operations.
bool orders_accesses(MachineFunction const& m, std::uint32_t i);

struct Dependence {
    std::uint32_t from, to;  // instructions; `from` comes first
    bool carries_value;      // otherwise it only orders them
};

/// Finds the dependences of instructions [first, last] of one block, none of which is a scheduling barrier. Reuses
/// its storage from piece to piece.
class Dependences {
public:
    explicit Dependences(MachineFunction const& m);
    std::vector<Dependence> const& find(std::uint32_t first, std::uint32_t last);

private:
    struct MemoryAccess {
        std::uint32_t instruction = 0;
        std::uint32_t base = 0;           // a register or a variable
        std::uint32_t base_writer = 0;    // the instruction of the piece that defines it; none
        std::int64_t begin = 0, end = 0;  // bytes from there
        isa::StateSpace space = isa::StateSpace::generic;
        bool has_place = false;  // base and bytes are known
        bool is_variable = false;
    };
    struct State {                // of a register
        std::uint32_t piece = 0;  // values of older pieces are not valid
        std::uint32_t writer = ir::none;
        std::uint32_t last_reader = ir::none;  // head of a list in readers_
    };

    void registers(std::uint32_t i);
    /// The access that does its work.
    std::uint32_t merged_into(std::uint32_t i) const;
    void read(std::uint32_t i, std::uint32_t reg);
    void memory(std::uint32_t i);
    void behind_stores(MemoryAccess const& a);
    /// After all accesses before it.
    void fence(std::uint32_t i);
    void add(std::uint32_t from, std::uint32_t to, bool carries_value);
    State& state(std::uint32_t reg);
    MemoryAccess access(std::uint32_t i);
    static bool is_disjoint(MemoryAccess const& a, MemoryAccess const& b);

    MachineFunction const& m_;
    std::vector<State> states_;
    std::uint32_t piece_ = 0;
    struct Reader {
        std::uint32_t instruction, previous;
    };
    std::vector<Reader> readers_;
    std::vector<MemoryAccess> loads_,
        stores_;  // of the piece; the older ones are ordered through others
    std::size_t first_load_ = 0;
    std::uint32_t overdue_load_ = ir::none;
    std::uint32_t last_in_order_ = ir::none;
    std::uint32_t last_fence_ = ir::none;
    std::vector<std::uint32_t> since_fence_;  // accesses
    std::vector<Dependence> found_;
};

}  // namespace warpsim::timing
