#include "runtime/check/init/frame_shadow.hpp"

#include <algorithm>

namespace warpsim::check {

void FrameShadow::begin(sim::Frame const& of, FunctionSteps const& steps) {
    of_ = &of;
    plan_ = of.function;
    activation_ = of.activation;
    steps_ = &steps;
    lanes_.assign(steps.function->registers.size(), 0);
    undefined_registers_ = 0;
    std::uint64_t const area = (of.function->frame_bytes - of.function->param_area) / 32;
    // The parameters of a kernel itself lie elsewhere, and are defined.
    bool const has_area = !of.is_kernel() || steps.function->call_param_bytes != 0;
    parameters_.flat().reset(has_area ? area * 32 : 0);
    is_simple_ = !has_area && of.function->local_bytes == 0 && steps.unwritten.empty();
}

void FrameShadow::set(std::uint32_t reg, unsigned lane, Bits bits, OriginId origin) {
    LaneMask const one = LaneMask{1} << lane;
    if (bits == 0) return define(reg, one);
    if (columns_.size() < lanes_.size() * 32) columns_.resize(lanes_.size() * 32);
    columns_[reg * 32 + lane] = {bits, origin};
    if ((lanes_[reg] & one) == 0) change(reg, lanes_[reg] | one);
}

}  // namespace warpsim::check
