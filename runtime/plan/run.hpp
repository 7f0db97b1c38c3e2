// Runs a launch plan on a simulated device.
#pragma once

#include "runtime/device.hpp"
#include "runtime/plan/plan.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace warpsim::plan {

struct RunOptions {
    runtime::DeviceOptions device;
    std::string out;                                             // folder of saved files; empty: the plan's
    std::function<void(runtime::LaunchResult const&)> launched;  // after each launch
    /// Called with what is wrong with each expectation, or ""; may be null.
    std::function<void(Expectation const&, std::string const& failure)> judged;
    /// Told whenever the plan turns to a buffer: "the plan as 'x'", "the plan, which saves 'x'". May be null.
    std::function<void(std::string const& who)> turns_to;
    /// Called after the last launch with each buffer and its contents; may be null.
    std::function<void(Array const&, std::span<std::byte const>)> inspect;
};

/// Loads the modules, creates the buffers, runs the launches, saves, compares. Returns one result per run of a
/// launch. Throws Error: plan (a kernel, argument or symbol that the module does not have), ptx, launch, fault,
/// and comparison with the whole report if an expectation failed, after everything has been saved.
std::vector<runtime::LaunchResult> run_plan(LaunchPlan const& plan, sim::Config const& config,
                                            RunOptions const& options);

}  // namespace warpsim::plan
