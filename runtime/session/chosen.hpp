// What the options choose, in the words of the rooms that do it: the command and the CUDA libraries read them here
// alike.
#pragma once

#include "runtime/launch.hpp"
#include "runtime/options/values.hpp"
#include "runtime/session/session.hpp"
#include "sim/config/config.hpp"

#include <string>
#include <vector>

namespace warpsim::runtime {

/// Gives the log its level and its colours.
void configure_log(options::Values const& chosen);
struct ChosenConfig {
    sim::Config config;
    std::string name;                    // or its file
    std::vector<std::string> overrides;  // KEY=VALUE, a plan's first
};

/// The configuration, over what a plan says, after plug-ins have been loaded. Throws Error(config), Error(usage).
ChosenConfig chosen_config(options::Values const& chosen, std::string const& plan_config = "",
                           std::vector<std::string> const& plan_overrides = {});
/// The mode, over what a plan says. Throws Error(usage) for options that it does not have.
Mode chosen_mode(options::Values const& chosen, std::string const& plan_mode = "");
/// The relative error that --sample allows; 0: everything is timed. Throws Error(usage) for what is none.
double chosen_sample(options::Values const& chosen, Mode mode);
/// What goes on beside the launches; of the progress line only whether it was asked for.
SessionOptions chosen_session(options::Values const& chosen, ChosenConfig const& config, Mode mode);
/// How a device runs them.
DeviceOptions chosen_device(options::Values const& chosen, Mode mode);

}  // namespace warpsim::runtime
