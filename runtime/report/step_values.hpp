// What a register holds in the lanes of a warp, as a step of the teaching view has it.
#pragma once

#include "runtime/lane_values.hpp"
#include "sim/events.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace warpsim::report {

class StepValues {
public:
    explicit StepValues(std::string name) : name_(std::move(name)) {}

    void take(sim::Site const& site, runtime::UsedRegister const& used, sim::LaneMask lanes);
    bool is_empty() const { return lanes_ == 0; }
    /// ["%r1", LANES, VALUES], where VALUES is "7" when all lanes hold it, [10, 4] when lane 0 holds or would hold 10 and each
    /// further one 4 more, and else a list of the texts of those lanes.
    std::string to_json() const;

private:
    std::string name_;
    sim::LaneMask lanes_ = 0;
    std::array<std::string, 32> texts_;
};

}  // namespace warpsim::report
