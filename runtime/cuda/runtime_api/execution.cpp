#include "runtime/cuda/code/functions.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/registration.hpp"
#include "runtime/cuda/streams/launch.hpp"

#include <cstring>

using namespace warpsim::cuda;

namespace {

warpsim::runtime::LaunchShape shape_of(dim3 grid, dim3 block, std::size_t shared) {
    if (shared > 0xffffffffu) throw Failure(Result::invalid_value);
    warpsim::runtime::LaunchShape shape;
    shape.grid = {grid.x, grid.y, grid.z};
    shape.block = {block.x, block.y, block.z};
    shape.dynamic_shared = static_cast<std::uint32_t>(shared);
    return shape;
}

/// Most programs do not see how a launch ended.
template <class F> void launch_and_note(Process& process, Kernel const& kernel, F&& work) {
    try {
        launching(kernel, work);
    } catch (Failure const& failure) {
        process.rejected_launches.add(Thread::current().id, kernel.name, failure);
        throw;
    }
}

cudaError_t launch_kernel(void const* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                          cudaStream_t s, bool is_cooperative) {
    cudaError_t const error = call([&](Process& process) {
        auto const kernel = Registrations::get().kernel(process, function);
        auto const stream = process.stream(s);
        Registrations::get().place_managed_variables(process);
        Gpu& gpu = stream->gpu;
        gpu.check();
        launch_and_note(process, *kernel, [&] {
            auto shape = shape_of(grid, block, shared);
            shape.cooperative = is_cooperative;
            launch(process,
                   {kernel, shape, arguments_of(gpu, *kernel, arguments), stream->priority,
                    const_cast<void*>(function)},
                   *stream);
        });
    });
    CallSite::launch() = {};
    return error;
}

cudaError_t launch_configured(cudaLaunchConfig_t const* config, void const* function, void** arguments) {
    return call([&](Process& process) {
        if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
            throw Failure(Result::invalid_value);
        auto const kernel = Registrations::get().kernel(process, function);
        auto const stream = process.stream(config->stream);
        Registrations::get().place_managed_variables(process);
        Gpu& gpu = stream->gpu;
        gpu.check();
        launch_and_note(process, *kernel, [&] {
            auto const shape = shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes);
            launch(process,
                   {kernel, shape, arguments_of(gpu, *kernel, arguments), stream->priority,
                    const_cast<void*>(function)},
                   {config->attrs, config->numAttrs}, *stream);
        });
    });
}

void fill_attributes(cudaFuncAttributes& out, Kernel& kernel, Gpu& gpu) {
    auto const value = [&](FunctionAttribute a) { return function_attribute(gpu, kernel, static_cast<int>(a)); };
    auto const bytes = [&](FunctionAttribute a) { return static_cast<std::size_t>(value(a)); };
    std::memset(&out, 0, sizeof out);
    out.sharedSizeBytes = bytes(FunctionAttribute::static_shared);
    out.constSizeBytes = bytes(FunctionAttribute::constant);
    out.localSizeBytes = bytes(FunctionAttribute::local);
    out.maxThreadsPerBlock = value(FunctionAttribute::max_threads);
    out.numRegs = value(FunctionAttribute::registers);
    out.ptxVersion = value(FunctionAttribute::ptx_version);
    out.binaryVersion = value(FunctionAttribute::binary_version);
    out.maxDynamicSharedSizeBytes = value(FunctionAttribute::max_dynamic_shared);
    out.preferredShmemCarveout = value(FunctionAttribute::carve_out);
    out.clusterDimMustBeSet = value(FunctionAttribute::cluster_must_be_set);
    out.requiredClusterWidth = value(FunctionAttribute::cluster_width);
    out.requiredClusterHeight = value(FunctionAttribute::cluster_height);
    out.requiredClusterDepth = value(FunctionAttribute::cluster_depth);
    out.clusterSchedulingPolicyPreference = value(FunctionAttribute::cluster_policy);
    out.nonPortableClusterSizeAllowed = value(FunctionAttribute::non_portable_cluster);
}

}  // namespace

WARPSIM_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
    Thread::current().calls.push_back(
        {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, stream, LaunchSite::caller()});
    return 0;
}

WARPSIM_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    return call([&] {
        auto& calls = Thread::current().calls;
        if (calls.empty()) throw Failure(Result::missing_configuration);
        auto const c = calls.back();
        calls.pop_back();
        CallSite::launch() = c.from;  // the launch itself follows
        *grid = {c.grid[0], c.grid[1], c.grid[2]};
        *block = {c.block[0], c.block[1], c.block[2]};
        *shared = c.shared;
        *static_cast<void**>(stream) = c.stream;
    });
}

WARPSIM_API cudaError_t cudaLaunchKernel(void const* f, dim3 grid, dim3 block, void** args, std::size_t shared,
                                         cudaStream_t s) {
    Arguments const said(f, grid, block, args, shared, s);
    return launch_kernel(f, grid, block, args, shared, s, false);
}
WARPSIM_PER_THREAD(cudaLaunchKernel, cudaLaunchKernel_ptsz)
WARPSIM_API cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block, void** args, std::size_t shared,
                                           cudaStream_t s) {
    Arguments const said(f, grid, block, args, shared, s);
    return launch_kernel(f, grid, block, args, shared, s, false);
}
WARPSIM_PER_THREAD(__cudaLaunchKernel, __cudaLaunchKernel_ptsz)
WARPSIM_API cudaError_t cudaLaunchCooperativeKernel(void const* f, dim3 grid, dim3 block, void** args,
                                                    std::size_t shared, cudaStream_t s) {
    Arguments const said(f, grid, block, args, shared, s);
    return launch_kernel(f, grid, block, args, shared, s, true);
}
WARPSIM_PER_THREAD(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz)
WARPSIM_API cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* f, void** args) {
    Arguments const said(config, f, args);
    return launch_configured(config, f, args);
}
WARPSIM_PER_THREAD(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz)

WARPSIM_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, void const* f) {
    Arguments const said(out, f);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        fill_attributes(*out, *Registrations::get().kernel(process, f), process.current());
    });
}

WARPSIM_API cudaError_t cudaFuncSetAttribute(void const* f, int number, int value) {
    Arguments const said(f, number, value);
    return call([&](Process& process) {
        set_function_attribute(process.current(), *Registrations::get().kernel(process, f), number, value);
    });
}

WARPSIM_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t f, int number, int value, int device) {
    Arguments const said(f, number, value, device);
    return call([&](Process& process) {
        set_function_attribute(process.gpu(device), *Registrations::get().kernel(process, f), number, value);
    });
}

WARPSIM_API cudaError_t cudaFuncSetCacheConfig(void const* f, int config) {
    Arguments const said(f, config);
    return call([&](Process& process) {
        Registrations::get().kernel(process, f);
        if (config < 0 || config > 3) throw Failure(Result::invalid_value);
    });
}

WARPSIM_API cudaError_t cudaFuncSetSharedMemConfig(void const* f, int size) {
    Arguments const said(f, size);
    return call([&](Process& process) {
        Registrations::get().kernel(process, f);
        if (size < 0 || size > 2) throw Failure(Result::invalid_value);
    });
}

WARPSIM_API cudaError_t cudaFuncGetName(char const** out, void const* f) {
    Arguments const said(out, f);
    return call([&](Process& process) { give(out, Registrations::get().kernel(process, f)->name.c_str()); });
}

WARPSIM_API cudaError_t cudaFuncGetParamInfo(void const* f, std::size_t index, std::size_t* offset,
                                             std::size_t* size) {
    Arguments const said(f, index, offset, size);
    return call([&](Process& process) {
        auto const& parameters = Registrations::get().kernel(process, f)->parameters(process.current());
        if (index >= parameters.size()) throw Failure(Result::invalid_value);
        give(offset, parameters[index].offset);
        if (size != nullptr) *size = parameters[index].size;
    });
}

WARPSIM_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* out, void const* f) {
    Arguments const said(out, f);
    return call([&](Process& process) { give(out, Registrations::get().kernel_handle(process, f)); });
}

WARPSIM_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, void const* f,
                                                                               int threads, std::size_t shared,
                                                                               unsigned) {
    Arguments const said(out, f, threads, shared);
    return call([&](Process& process) {
        if (threads <= 0) throw Failure(Result::invalid_value);
        auto const kernel = Registrations::get().kernel(process, f);
        give(out, occupancy(process.current(), *kernel, static_cast<std::uint32_t>(threads), shared));
    });
}
WARPSIM_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* out, void const* f, int threads,
                                                                      std::size_t shared) {
    Arguments const said(out, f, threads, shared);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, f, threads, shared, 0);
}

WARPSIM_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* out, void const* f, int blocks,
                                                                  int threads) {
    Arguments const said(out, f, blocks, threads);
    return call([&](Process& process) {
        give(out, available_shared(process.current(), *Registrations::get().kernel(process, f), blocks, threads));
    });
}

WARPSIM_API cudaError_t cudaOccupancyMaxActiveClusters(int* out, void const* f, LaunchDescription const* launch) {
    Arguments const said(out, f, launch);
    return call([&](Process& process) {
        if (launch == nullptr) throw Failure(Result::invalid_value);
        give(out, active_clusters(process.current(), *Registrations::get().kernel(process, f), *launch));
    });
}
WARPSIM_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* out, void const* f,
                                                             LaunchDescription const* launch) {
    Arguments const said(out, f, launch);
    return call([&](Process& process) {
        if (launch == nullptr) throw Failure(Result::invalid_value);
        give(out, largest_cluster(process.current(), *Registrations::get().kernel(process, f), *launch));
    });
}
