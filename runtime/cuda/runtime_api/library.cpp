#include "runtime/cuda/runtime_api/call.hpp"

namespace {

warpsim::cuda::Gpu& any_gpu() { return warpsim::cuda::Process::get().current(); }

}  // namespace

#include "runtime/cuda/interface/libraries.hpp"
