// Faults and notices of the simulator as findings.
#pragma once

#include "runtime/check/findings/findings.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/launch_context.hpp"

#include <optional>
#include <string>

namespace warpsim::check {

/// The checker that a fault belongs to; none for what a program does on purpose: trap, assert.
std::optional<Kind> kind_of(FaultKind fault);

/// Counts it under `kind`. `add` may add to what is said of the first one of its like.
void add_fault(Findings& findings, Kind kind, sim::LaunchContext const& launch, sim::Fault const& fault,
               std::function<void(Finding&)> const& add = {});

}  // namespace warpsim::check
