// Which bits of the registers of one activation nobody has written, and of its parameters.
#pragma once

#include "runtime/check/init/memory_shadow.hpp"
#include "runtime/check/init/step.hpp"
#include "sim/exec/warp.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpsim::check {

using sim::LaneMask;

/// For each register the lanes whose value has undefined bits: mostly none. The bits themselves exist only where some
/// register has had any. Of a register of 128 bits a bit stands for two.
class FrameShadow {
public:
    void begin(sim::Frame const& of, FunctionSteps const& steps);

    /// Whether it is as at the beginning of such an activation; then it is of this one now. Most kernels have nothing
    /// that begins undefined, and end without.
    bool can_begin_again(sim::Frame const& frame) {
        bool const can = is_simple_ && undefined_registers_ == 0 && of_ == &frame && plan_ == frame.function;
        if (can) activation_ = frame.activation;
        return can;
    }
    bool is_of(sim::Frame const& frame) const { return of_ == &frame && activation_ == frame.activation; }
    FunctionSteps const& steps() const { return *steps_; }
    bool is_clean() const { return undefined_registers_ == 0; }
    LaneMask undefined(std::uint32_t reg) const { return lanes_[reg]; }
    Bits bits(std::uint32_t reg, unsigned lane) const {
        return (lanes_[reg] >> lane & 1) != 0 ? columns_[reg * 32 + lane].bits : 0;
    }
    OriginId origin(std::uint32_t reg, unsigned lane) const {
        return (lanes_[reg] >> lane & 1) != 0 ? columns_[reg * 32 + lane].origin : 0;
    }
    void define(std::uint32_t reg, LaneMask lanes) {
        if ((lanes_[reg] & lanes) != 0) change(reg, lanes_[reg] & ~lanes);
    }
    void set(std::uint32_t reg, unsigned lane, Bits bits, OriginId origin);

    InterleavedShadow& parameters() { return parameters_; }

private:
    void change(std::uint32_t reg, LaneMask lanes) {
        undefined_registers_ -= lanes_[reg] != 0 && lanes == 0;
        undefined_registers_ += lanes_[reg] == 0 && lanes != 0;
        lanes_[reg] = lanes;
    }

    struct Cell {
        Bits bits = 0;
        OriginId origin = 0;
    };
    sim::Frame const* of_ = nullptr;
    sim::FunctionPlan const* plan_ = nullptr;
    std::uint64_t activation_ = 0;
    bool is_simple_ = false;  // no memory or parameters of its own
    FunctionSteps const* steps_ = nullptr;
    std::vector<LaneMask> lanes_;  // by register
    std::uint32_t undefined_registers_ = 0;
    std::vector<Cell> columns_;  // 32 for each register; valid where `lanes_` says so
    InterleavedShadow parameters_;
};

}  // namespace warpsim::check
