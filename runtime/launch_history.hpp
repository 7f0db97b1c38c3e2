// What launches of the same kernel and shape have taken, for --sample: when they agree, the next ones only execute, and
// their cycles are projected.
#pragma once

#include "runtime/launch.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpsim::runtime {

/// Launches that may be alike: of a kernel, by its module and index, in the same shape.
struct LaunchKind {
    void const* module = nullptr;
    std::uint32_t kernel = 0;
    std::array<std::uint32_t, 3> grid{}, block{}, cluster{};
    std::uint32_t dynamic_shared = 0;
    auto operator<=>(LaunchKind const&) const = default;
};

class LaunchHistory {
public:
    /// `error`: of the cycles of a launch, relative, that may be expected in 5 of 100.
    explicit LaunchHistory(double error) : error_(error) {}

    /// A launch that was timed, alone on the GPU.
    void add(LaunchKind const& kind, LaunchResult const& timed);
    /// Whether the next launch of the kind need not be timed. Now and then one is, although.
    bool may_project(LaunchKind const& kind) const;
    /// To a launch of the kind that was executed, what it would have counted in timing mode.
    void project(LaunchKind const& kind, LaunchResult& executed);

private:
    struct Known {
        std::vector<double> rates;  // cycles for each instruction, of the last launches that were timed
        double own_error = 0;       // of their cycles, where these were projected themselves
        LaunchResult last;
        std::uint64_t timed = 0, projected = 0;  // launches, and those since the last that was timed
        std::uint64_t interval = 8;              // so many are projected, then one is timed
        bool is_strange = false;                 // the last has executed more or less than any before
        double mean() const;
        double error() const;
    };

    double const error_;
    std::map<LaunchKind, Known> known_;
};

}  // namespace warpsim::runtime
