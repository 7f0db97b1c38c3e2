// The options that `run` and `exec` share, on the command line and as WARPSIM_... variables.
#pragma once

#include "runtime/launch.hpp"
#include "runtime/session/session.hpp"
#include "sim/config/config.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpsim::command {

struct SimulationOptions {
    std::string config;  // empty: not given
    std::vector<std::string> set;
    std::string mode;  // empty: not given
    int threads = 0;
    int devices = 1;
    std::string stats;
    std::string profile;
    std::uint64_t interval = 0;
    std::string trace;
    std::string trace_filter;
    std::uint64_t max_instructions = 0;
    bool no_register_sharing = false;
    int verbose = 0;
    bool quiet = false;
    std::string color = "auto";
    std::string progress = "auto";

    void add_to(CLI::App& app);
    /// Applies -v, -q and --color.
    void configure_log() const;
    /// The configuration that these options choose, over what a plan says.
    sim::Config load_config(std::string const& plan_config, std::vector<std::string> const& plan_overrides) const;
    /// The mode that these options choose, over what a plan says. Throws Error(usage) for options that it does not
    /// have.
    runtime::Mode choose_mode(std::string const& plan_mode) const;
    /// What goes on beside the launches, and how the device runs them.
    runtime::SessionOptions session(sim::Config const& loaded, runtime::Mode chosen) const;
    runtime::DeviceOptions device(runtime::Mode chosen) const;
};

}  // namespace warpsim::command
