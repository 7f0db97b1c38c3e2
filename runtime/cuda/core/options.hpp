// What the user of a CUDA program chose: the WARPSIM_... variables, which `warpsim exec` sets from its options.
#pragma once

#include "runtime/launch.hpp"
#include "runtime/session/session.hpp"
#include "sim/config/config.hpp"

#include <string>

namespace warpsim::cuda {

struct Options {
    sim::Config config;
    int devices = 1;  // as limited by CUDA_VISIBLE_DEVICES
    runtime::SessionOptions session;
    runtime::DeviceOptions device;
    bool is_eager = false;       // CUDA_MODULE_LOADING=EAGER
    bool launches_wait = false;  // CUDA_LAUNCH_BLOCKING=1
    std::string debug;           // the files of a debugger's user; empty: there is none
    std::string fault_marker;    // a file to create when a kernel faults, for `warpsim exec`
};

/// Whether somebody wants to know of all code of the program, also of what it never used.
bool wants_all_code();

/// The devices as they are before a program uses one: all that management libraries tell.
struct Overview {
    int devices = 1;
    sim::Config config;
};
/// Throws as options_from_environment().
Overview overview_from_environment();

/// Reads the environment and sets the level of the log. Throws Error(config) for a bad configuration, and
/// Error(usage), which names the variable and its legal values.
Options options_from_environment();

}  // namespace warpsim::cuda
