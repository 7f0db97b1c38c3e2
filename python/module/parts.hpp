// The parts of the module that have files of their own.
#pragma once

#include "runtime/embed/device.hpp"

#include <nanobind/nanobind.h>

namespace warpsim::python {

void add_streams(nanobind::module_& m, nanobind::class_<embed::Device>& device);
void add_images(nanobind::module_& m);

}  // namespace warpsim::python
