// The program of a trace as the timing model runs it. Each SASS instruction is one micro-op; a PTX instruction stands
// in for it, so that the engine, its events and its counts need to know nothing of traces. What a stand-in would
// compute is replaced: it takes the lanes and addresses of the next record of its warp, and goes where the record
// behind that is.
#pragma once

#include "runtime/device.hpp"
#include "runtime/replay/sass_table.hpp"
#include "runtime/replay/trace.hpp"
#include "sim/exec/op.hpp"
#include "sim/timing/plan/timing_plan.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::replay {

inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 24;  // of shared memory in generic addresses

/// What a warp executes: a step is an instruction of the stand-in kernel.
struct Step {
    std::uint32_t instruction = 0;  // of the stand-in kernel
    std::uint32_t mask = 0;
    std::uint32_t first_address = 0;
};

class Program {
public:
    /// Throws Error(ptx) for an opcode that is unknown or not timed, at its first place in the trace.
    Program(KernelTrace const& trace, runtime::Device& device);

    sim::KernelPlan const& plan() const { return plan_; }
    timing::TimingPlan timing() const { return timing_; }
    runtime::Module::State& module() const { return module_->state(); }
    std::uint32_t missing_ctas() const { return missing_ctas_; }

    // While it runs.
    std::vector<Step> const& steps(std::uint64_t cta, std::uint32_t warp) const {
        std::uint32_t const place = cta < place_.size() ? place_[cta] : 0;
        return place != 0 ? steps_[(place - 1) * std::size_t{warps_} + warp] : nothing_;
    }
    std::uint32_t op_of(std::uint32_t instruction) const { return first_op_[instruction]; }
    std::uint64_t const* addresses(Step const& step) const { return trace_.addresses.data() + step.first_address; }
    KernelTrace const& trace() const { return trace_; }
    /// All threads of a warp come to it: a barrier, and the last exit.
    bool is_for_all(std::uint32_t instruction) const { return is_for_all_[instruction]; }

private:
    /// A stand-in. The first of all, and one behind each barrier, cost nothing: they only bring a warp to its next record.
    struct Line {
        SassInstruction const* sass = nullptr;  // null: it only leads on, or is the last exit
        SassRow const* row = nullptr;
    };
    void write_text(std::vector<Line> const& lines);
    void replace_ops(std::vector<Line> const& lines);
    void time(std::vector<Line> const& lines, sim::Config const& config);
    timing::TimedInstruction timed(Line const& line, std::uint32_t number, std::uint32_t code_address,
                                   bool is_last, sim::Config const& config);
    void add_registers(Line const& line);
    bool is_of_shared_memory(Record const& record) const;
    void follow_warps(std::vector<Line> const& lines);

    KernelTrace const& trace_;
    std::string text_;
    std::shared_ptr<runtime::Module> module_;
    sim::KernelPlan plan_;
    timing::TimingPlan timing_;
    std::vector<std::uint32_t> first_op_;   // of each instruction of the stand-in kernel
    std::vector<bool> is_for_all_;          // ... whether all threads of a warp come to it
    std::vector<std::uint32_t> line_of_;    // of each instruction of the trace: its stand-in
    std::uint32_t warps_ = 0;               // of a CTA
    std::uint32_t missing_ctas_ = 0;        // of the grid, that the trace does not have
    std::vector<std::uint32_t> place_;      // by CTA, from 1 on; 0: the trace does not have it
    std::vector<std::vector<Step>> steps_;  // by place and warp
    std::vector<Step> nothing_;             // of a warp that the trace does not have: it ends at once
};

}  // namespace warpsim::replay
