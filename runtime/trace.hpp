// One line per executed warp instruction: the first thing a student looks at.
#pragma once

#include "frontend/ir/module.hpp"
#include "runtime/trace_filter.hpp"
#include "sim/events.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::runtime {

/// The trace of one launch. Each part of the engine (the host thread of functional mode, an SM of timing mode)
/// writes for itself; lines of timing mode come in the order (cycle, SM, sequence).
class Trace {
public:
    /// A line begins with its cycle, or, without a clock, with a number of its own.
    Trace(std::function<void(std::string_view)> print, TraceFilter filter, ir::Module const& module,
          bool has_clock);
    ~Trace();

    sim::EventSink& add_part();
    /// Of timing mode: prints what all parts have written.
    void epoch_ended();

private:
    class Part;
    struct Line {
        std::uint64_t cycle;
        std::string text;
    };
    void print_in_order();

    std::function<void(std::string_view)> print_;
    TraceFilter filter_;
    ir::Module const& module_;
    bool has_clock_;
    std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace warpsim::runtime
