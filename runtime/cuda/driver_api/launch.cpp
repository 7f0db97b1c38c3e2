#include "runtime/cuda/streams/launch.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/streams.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

struct Dimensions {
    unsigned x, y, z;
};

CUresult launch_kernel(CUfunction f, Dimensions grid, Dimensions block, unsigned shared, CUstream s,
                       void** parameters, void** extra, bool is_cooperative) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        auto const kernel = process.kernels.get(f);
        Gpu& gpu = stream.gpu;
        gpu.check();
        launching(*kernel, [&] {
            KernelWork work{kernel, {}, arguments_from(gpu, *kernel, parameters, extra), stream.priority, f};
            work.shape.grid = {grid.x, grid.y, grid.z};
            work.shape.block = {block.x, block.y, block.z};
            work.shape.dynamic_shared = shared;
            work.shape.cooperative = is_cooperative;
            launch(process, std::move(work), stream);
        });
    });
}

}  // namespace

WARPSIM_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                    unsigned bz, unsigned shared, CUstream s, void** parameters, void** extra) {
    Arguments const said(f, gx, gy, gz, bx, by, bz, shared, s, parameters, extra);
    return launch_kernel(f, {gx, gy, gz}, {bx, by, bz}, shared, s, parameters, extra, false);
}
WARPSIM_PER_THREAD(cuLaunchKernel, cuLaunchKernel_ptsz)

WARPSIM_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                               unsigned by, unsigned bz, unsigned shared, CUstream s,
                                               void** parameters) {
    Arguments const said(f, gx, gy, gz, bx, by, bz, shared, s, parameters);
    return launch_kernel(f, {gx, gy, gz}, {bx, by, bz}, shared, s, parameters, nullptr, true);
}
WARPSIM_PER_THREAD(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz)

WARPSIM_API CUresult cuLaunchKernelEx(CUlaunchConfig const* c, CUfunction f, void** parameters, void** extra) {
    Arguments const said(c, f, parameters, extra);
    if (c == nullptr) return number_of(Result::invalid_value);
    return in_stream(c->hStream, [&](Process& process, Stream& stream) {
        auto const kernel = process.kernels.get(f);
        Gpu& gpu = stream.gpu;
        gpu.check();
        launching(*kernel, [&] {
            KernelWork work{kernel, {}, arguments_from(gpu, *kernel, parameters, extra), stream.priority, f};
            work.shape.grid = {c->gridDimX, c->gridDimY, c->gridDimZ};
            work.shape.block = {c->blockDimX, c->blockDimY, c->blockDimZ};
            work.shape.dynamic_shared = c->sharedMemBytes;
            launch(process, std::move(work), {c->attrs, c->numAttrs}, stream);
        });
    });
}
WARPSIM_PER_THREAD(cuLaunchKernelEx, cuLaunchKernelEx_ptsz)

WARPSIM_API CUresult cuLaunchHostFunc(CUstream s, CUhostFn function, void* data) {
    Arguments const said(s, function, data);
    return in_stream(s, [&](Process& process, Stream& stream) { call_host(process, stream, function, data); });
}
WARPSIM_PER_THREAD(cuLaunchHostFunc, cuLaunchHostFunc_ptsz)
