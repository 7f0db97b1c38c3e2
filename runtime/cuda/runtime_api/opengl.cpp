// OpenGL: see driver_api/opengl.cpp.
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/types.hpp"

using namespace warpsim::cuda;

namespace {

cudaError_t no_graphics() {
    return call([] { throw Failure(Result::invalid_graphics_context); });
}

}  // namespace

WARPSIM_API cudaError_t cudaGLGetDevices(unsigned*, int*, unsigned, int) { return no_graphics(); }
WARPSIM_API cudaError_t cudaGraphicsGLRegisterBuffer(void**, unsigned, unsigned) { return no_graphics(); }
WARPSIM_API cudaError_t cudaGraphicsGLRegisterImage(void**, unsigned, unsigned, unsigned) { return no_graphics(); }
