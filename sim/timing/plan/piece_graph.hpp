// What a list scheduler knows of a piece of a block: what each instruction waits for, and how long the paths are that lead to it and
// from it to the end.
#pragma once

#include "sim/timing/plan/compiler_model.hpp"
#include "sim/timing/plan/dependences.hpp"

#include <span>
#include <vector>

namespace warpsim::timing {

/// Instructions [first, last] of one block between which everything may move.
struct Piece {
    std::uint32_t first, last;
};

/// The pieces of a block; what stays where it is, such as a call, is one of its own.
std::vector<Piece> pieces_of(MachineFunction const& m, ir::Block const& block);

/// Reuses its storage from piece to piece.
class PieceGraph {
public:
    /// `zeros_wait`: what extends a value by zeros is put in front of the first that uses it, too.
    PieceGraph(MachineFunction const& m, CompilerModel const& model, bool zeros_wait = false);

    /// `found`: the dependences of the piece, in which `from` comes first.
    void build(Piece const& piece, std::span<Dependence const> found);

    /// Cycles to the end of the longest path from the instruction on, and from the beginning of the piece to its issue.
    std::uint32_t height(std::uint32_t i) const { return height_[i - piece_.first]; }
    std::uint32_t depth(std::uint32_t i) const { return depth_[i - piece_.first]; }
    /// Of two that are equal else: the one whose last user comes first, or that leads to the other one; of one user's, that which
    /// comes first in the program.
    bool comes_before(std::uint32_t a, std::uint32_t b) const;
    /// Those that wait for it.
    std::span<Dependence const> successors(std::uint32_t i) const;
    /// Cycles from the issue of an instruction to that of one that depends on it.
    std::uint32_t distance(Dependence const& d) const;

    /// What can issue at first.
    std::vector<std::uint32_t> ready();
    /// What else can, now that the micro-ops of this one have been issued in these cycles.
    std::vector<std::uint32_t> const& issue(std::uint32_t i, std::uint32_t first_cycle = 0,
                                            std::uint32_t last_cycle = 0);
    /// The cycle from which on it can.
    std::uint32_t ready_cycle(std::uint32_t i) const { return ready_cycle_[i - piece_.first]; }
    /// The instruction, behind those that were put off, have to come before it, and have not yet.
    std::vector<std::uint32_t> const& with_free(std::uint32_t i);

private:
    /// It happens as soon as nothing is in its way, and is put in front of the first that uses it, as what costs nothing.
    bool is_put_off(std::uint32_t i) const;
    void release(std::uint32_t i, std::vector<std::uint32_t>& found);
    void find_heights();
    void find_depths();
    void find_last_users();
    std::span<std::uint32_t const> predecessors(std::uint32_t i) const;

    MachineFunction const& m_;
    CompilerModel const& model_;
    bool zeros_wait_;
    Piece piece_{};
    std::vector<std::uint32_t> successor_begin_, predecessor_begin_, predecessors_;
    std::vector<Dependence> successors_;
    // per instruction of the piece
    std::vector<std::uint32_t> latency_, height_, depth_, last_user_, generation_, waits_for_, ready_cycle_;
    std::vector<bool> is_placed_;
    std::vector<std::uint32_t> free_, stack_, found_, placed_;
};

}  // namespace warpsim::timing
