// Whether new code of a kernel is quicker than what ran before.
#pragma once

#include "sim/exec/compiled_code.hpp"

#include <vector>

namespace warpsim::sim {

/// Both have turns on the kernel's own work. Medians are compared, as the host may do something else at any time.
class Trial {
public:
    static constexpr std::size_t reports_of_turn = 7;

    /// `before`: null: the interpreter, which has taken so many nanoseconds an instruction so far.
    Trial(CompiledKernel const* fresh, CompiledKernel const* before, double ns_before)
        : code_{fresh, before}, ns_before_(ns_before) {}

    enum class Verdict : std::uint8_t { open, quicker, slower };
    Verdict add(KernelWork const& work);
    /// What has its turn.
    CompiledKernel const* turn() const { return code_[side()]; }
    CompiledKernel const* fresh() const { return code_[0]; }
    CompiledKernel const* before() const { return code_[1]; }
    /// How many times as long the new code takes.
    double ratio() const;

private:
    static constexpr std::size_t turns = 4;
    std::size_t side() const { return turn_ % 2; }

    CompiledKernel const* code_[2];
    double ns_before_;
    std::size_t turn_ = 0;
    std::vector<double> rates_[2];  // nanoseconds an instruction
};

}  // namespace warpsim::sim
