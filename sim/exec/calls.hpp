// Activations: calls, returns, the end of threads, the passing of arguments, each thread's stack.
#pragma once

#include "sim/exec/divergence.hpp"

#include <memory>
#include <vector>

namespace warpsim::sim {

class Calls : public Component {
public:
    Calls(Execution& execution, Divergence& divergence)
        : Component(execution), divergence_(divergence), free_frames_(execution.launch.plan.functions.size()) {}

    FrameIndex make_frame(Warp& warp, FunctionPlan const& function, FrameIndex parent, LaneMask lanes);
    void free_all(Warp& warp);

    void call(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask mask);
    void return_lanes(Cta& cta, Warp& warp, LaneMask lanes);
    /// Lanes of the current warp split end: they leave all activations.
    void leave(Warp& warp, LaneMask lanes);
    /// alloca, stacksave and stackrestore, which move the end of the frame's local memory.
    void move_stack(Cta const& cta, Warp& warp, Op const& op, LaneMask mask);

    template <class Archive> void state(Archive& archive) { archive(free_frames_, activations_); }

private:
    void free_frame(Warp& warp, FrameIndex frame);
    void enter(Cta& cta, Warp& warp, FunctionPlan const& callee, CallPlan const& call, std::uint32_t return_op,
               LaneMask lanes, FrameIndex caller);
    /// The function at an address that a lane calls; it must be one that the call may reach.
    FunctionPlan const& callee_at(Cta const& cta, Warp const& warp, Op const& op, CallPlan const& call, int lane,
                                  std::uint64_t address) const;
    void copy(Warp& warp, Frame& from_frame, CallCopy::End const& from, Frame& to_frame, CallCopy::End const& to,
              LaneMask lanes);

    Divergence& divergence_;
    std::vector<std::vector<Owned<Frame>>> free_frames_;  // by plan function: storage to be reused
    std::uint64_t activations_ = 0;
};

}  // namespace warpsim::sim
