// OpenGL. There is no graphics here, so a program's thread never has a context of OpenGL that the driver knows; these functions
// answer as NVIDIA's driver does then. Their old forms, EGL and VDPAU are "not supported".
#include "runtime/cuda/driver_api/call.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult no_graphics() {
    return in_context([](Gpu&) { throw Failure(Result::invalid_graphics_context); });
}

}  // namespace

WARPSIM_API CUresult cuGLGetDevices(unsigned*, CUdevice*, unsigned, int) { return no_graphics(); }
WARPSIM_API CUresult cuGLGetDevices_v2(unsigned*, CUdevice*, unsigned, int) { return no_graphics(); }
WARPSIM_API CUresult cuGraphicsGLRegisterBuffer(void**, unsigned, unsigned) { return no_graphics(); }
WARPSIM_API CUresult cuGraphicsGLRegisterImage(void**, unsigned, unsigned, unsigned) { return no_graphics(); }
