#include "runtime/cuda/launch.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

struct Dimensions {
    unsigned x, y, z;
};

/// Arguments as a list of addresses, or packed in the `extra` list: pairs of a tag and a value.
warpsim::runtime::Arguments arguments_from(Gpu& gpu, Kernel& kernel, void** parameters, void** extra) {
    if (extra == nullptr) return arguments_of(gpu, kernel, parameters);
    if (parameters != nullptr) throw Failure(Result::invalid_value);
    enum Tag : std::uintptr_t { end = 0, buffer = 1, buffer_size = 2 };
    void const* block = nullptr;
    std::size_t const* size = nullptr;
    for (std::size_t i = 0; number(extra[i]) != end; i += 2) {
        if (number(extra[i]) == buffer) block = extra[i + 1];
        else if (number(extra[i]) == buffer_size) size = static_cast<std::size_t const*>(extra[i + 1]);
        else throw Failure(Result::invalid_value);
    }
    if (block == nullptr || size == nullptr) throw Failure(Result::invalid_value);
    return packed_arguments(block, *size);
}

CUresult launch_kernel(CUfunction f, Dimensions grid, Dimensions block, unsigned shared, CUstream s, void** parameters,
                       void** extra, bool is_cooperative) {
    return in_stream(s, [&](Stream& stream) {
        auto const kernel = Process::get().kernels.get(f);
        Gpu& gpu = Process::get().gpu_of(stream);
        gpu.check();
        KernelWork work{kernel, {}, arguments_from(gpu, *kernel, parameters, extra), stream.priority};
        work.shape.grid = {grid.x, grid.y, grid.z};
        work.shape.block = {block.x, block.y, block.z};
        work.shape.dynamic_shared = shared;
        work.shape.cooperative = is_cooperative;
        launch(std::move(work), stream);
    });
}

}  // namespace

WARPSIM_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                    unsigned shared, CUstream s, void** parameters, void** extra) {
    return launch_kernel(f, {gx, gy, gz}, {bx, by, bz}, shared, s, parameters, extra, false);
}
WARPSIM_PER_THREAD(cuLaunchKernel, _ptsz)

WARPSIM_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                               unsigned bz, unsigned shared, CUstream s, void** parameters) {
    return launch_kernel(f, {gx, gy, gz}, {bx, by, bz}, shared, s, parameters, nullptr, true);
}
WARPSIM_PER_THREAD(cuLaunchCooperativeKernel, _ptsz)

WARPSIM_API CUresult cuLaunchKernelEx(CUlaunchConfig const* c, CUfunction f, void** parameters, void** extra) {
    if (c == nullptr) return number_of(Result::invalid_value);
    return in_stream(c->hStream, [&](Stream& stream) {
        auto const kernel = Process::get().kernels.get(f);
        Gpu& gpu = Process::get().gpu_of(stream);
        gpu.check();
        KernelWork work{kernel, {}, arguments_from(gpu, *kernel, parameters, extra), stream.priority};
        work.shape.grid = {c->gridDimX, c->gridDimY, c->gridDimZ};
        work.shape.block = {c->blockDimX, c->blockDimY, c->blockDimZ};
        work.shape.dynamic_shared = c->sharedMemBytes;
        launch(std::move(work), {c->attrs, c->numAttrs}, stream);
    });
}
WARPSIM_PER_THREAD(cuLaunchKernelEx, _ptsz)

WARPSIM_API CUresult cuLaunchHostFunc(CUstream s, CUhostFn function, void* data) {
    return in_stream(s, [&](Stream& stream) { call_host(stream, function, data); });
}
WARPSIM_PER_THREAD(cuLaunchHostFunc, _ptsz)
