// Errors of the simulator as exceptions of the package.
#pragma once

#include "runtime/embed/launch.hpp"

#include <nanobind/nanobind.h>

#include <memory>

namespace warpsim::python {

/// What Python holds of a launch.
struct LaunchHandle {
    std::shared_ptr<embed::Launch const> launch;
};

/// A `Fault`, with what was counted until then.
nanobind::object python_fault(embed::Fault const& fault);
void translate_errors();

}  // namespace warpsim::python
