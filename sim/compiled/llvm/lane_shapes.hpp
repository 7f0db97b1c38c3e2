// How the 32 values of each column look at each op, when all lanes are active: the same in all lanes, linear in the lane,
// or anything. What is the same or linear is computed once for the warp. Knows no LLVM.
//
// The shapes are found as if all lanes always stayed together, which is true while native code for all lanes runs. Where
// it is entered the columns may have been written by lanes that were apart, so it looks whether they have their shapes.
#pragma once

#include "sim/compiled/flow.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpsim::sim {

/// Each includes those before it.
enum class LaneShape : std::uint8_t {
    unknown,  // not reached yet
    uniform,  // the same in all lanes
    linear,  // lane i has first + i % 16 * step + i / 16 * row_step: a line, or two rows of 16 as in blocks that are
             // 16 wide; modulo 2^bits
    any,
};
/// By column of the flow.
using LaneShapeList = std::vector<LaneShape>;

class LaneShapes {
public:
    LaneShapes(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow);

    LaneShapeList const& at_begin(std::uint32_t block) const { return begin_[block]; }
    /// Of an operand, while columns have the shapes of `now`.
    LaneShape of(LaneOperand const& operand, LaneShapeList const& now) const;
    /// Of what the op writes.
    LaneShape result(std::uint32_t op, LaneShapeList const& now) const;
    /// Which of the first two sources of a linear op that multiplies them varies with the lane.
    std::uint32_t varying_factor(LaneCall const& call, LaneShapeList const& now) const;

private:
    LaneShape lanes_result(LaneCall const& call, LaneShapeList const& now) const;
    LaneShape constant_shape(LaneOperand const& operand) const;
    void find();
    bool spread(std::vector<bool>& is_reached, std::vector<bool>& has_parted);
    bool enter(std::uint32_t block, LaneShapeList const& with);
    bool part(std::uint32_t branch);
    std::vector<std::uint32_t> written_apart(std::uint32_t branch) const;

    KernelPlan const& plan_;
    FunctionPlan const& function_;
    CodeFlow const& flow_;
    std::vector<LaneShapeList> begin_;
};

/// If the operand is a special register of a warp that is linear in blocks that are 16 wide, or as wide as a whole number
/// of warps: its step, from lane to lane of a row. Code looks whether that is so.
std::optional<std::uint32_t> position_step(KernelPlan const& plan, LaneOperand const& operand);

}  // namespace warpsim::sim
