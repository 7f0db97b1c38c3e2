#include "runtime/cuda/launch.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/registration.hpp"

#include <cstring>

using namespace warpsim::cuda;

namespace {

/// The numbers of cudaLaunchAttribute that mean something here; the others are hints.
enum LaunchAttribute : unsigned { cooperative = 2, cluster_dimension = 4, preferred_cluster = 11 };

warpsim::runtime::LaunchShape shape_of(dim3 grid, dim3 block, std::size_t shared) {
    if (shared > 0xffffffffu) throw Failure(Result::invalid_value);
    warpsim::runtime::LaunchShape shape;
    shape.grid = {grid.x, grid.y, grid.z};
    shape.block = {block.x, block.y, block.z};
    shape.dynamic_shared = static_cast<std::uint32_t>(shared);
    return shape;
}

cudaError_t launch_kernel(void const* function, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t s, bool own,
                          bool is_cooperative) {
    return call([&] {
        auto const kernel = Registrations::get().kernel(function);
        auto const stream = Process::get().stream(s, own);
        Registrations::get().place_managed_variables();
        auto shape = shape_of(grid, block, shared);
        shape.cooperative = is_cooperative;
        launch(*kernel, shape, arguments, *stream);
    });
}

cudaError_t launch_configured(cudaLaunchConfig_t const* config, void const* function, void** arguments, bool own) {
    return call([&] {
        if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) throw Failure(Result::invalid_value);
        auto const kernel = Registrations::get().kernel(function);
        auto const stream = Process::get().stream(config->stream, own);
        Registrations::get().place_managed_variables();
        auto shape = shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes);
        for (unsigned i = 0; i < config->numAttrs; ++i) {
            cudaLaunchAttribute const& a = config->attrs[i];
            if (a.id == cooperative) {
                int value = 0;
                std::memcpy(&value, a.value, sizeof value);
                shape.cooperative = value != 0;
            } else if (a.id == cluster_dimension) {
                std::memcpy(shape.cluster.data(), a.value, sizeof shape.cluster);
            }
        }
        launch(*kernel, shape, arguments, *stream);
    });
}

void fill_attributes(cudaFuncAttributes& out, Kernel& kernel, Gpu& gpu) {
    warpsim::runtime::KernelAttributes const a = gpu.device.attributes(*kernel.program->module(gpu), kernel.name);
    std::memset(&out, 0, sizeof out);
    out.sharedSizeBytes = a.shared_bytes;
    out.constSizeBytes = a.constant_bytes;
    out.localSizeBytes = a.local_bytes;
    out.maxThreadsPerBlock = static_cast<int>(a.max_threads_per_cta);
    out.numRegs = static_cast<int>(a.registers_per_thread);
    out.ptxVersion = a.target;
    out.binaryVersion = gpu.device.config().compute_capability.number();
    std::uint32_t const limit = kernel.dynamic_shared_limit;
    std::uint64_t const room = gpu.device.config().sm.shared.cta_default_bytes();
    out.maxDynamicSharedSizeBytes = static_cast<int>(limit != 0 ? limit : room - std::min<std::uint64_t>(room, a.shared_bytes));
    out.preferredShmemCarveout = kernel.preferred_carve_out;
    out.clusterDimMustBeSet = a.required_cluster[0] != 0;
    out.requiredClusterWidth = static_cast<int>(a.required_cluster[0]);
    out.requiredClusterHeight = static_cast<int>(a.required_cluster[1]);
    out.requiredClusterDepth = static_cast<int>(a.required_cluster[2]);
    out.nonPortableClusterSizeAllowed = kernel.non_portable_cluster;
}

void set_attribute(Kernel& kernel, Gpu& gpu, int number, int value) {
    switch (number) {
    case 8: {      // the most dynamic shared memory
        std::uint64_t const used = gpu.device.attributes(*kernel.program->module(gpu), kernel.name).shared_bytes;
        std::uint64_t const most = gpu.device.config().sm.shared.cta_opt_in_bytes();
        if (value < 0 || static_cast<std::uint64_t>(value) + used > most) throw Failure(Result::invalid_value);
        kernel.dynamic_shared_limit = static_cast<std::uint32_t>(value);
        break;
    }
    case 9:        // how to split the SM's memory
        if (value < -1 || value > 100) throw Failure(Result::invalid_value);
        kernel.preferred_carve_out = value;
        break;
    case 14: kernel.non_portable_cluster = value != 0; break;
    default: throw Failure(Result::invalid_value);
    }
}

}  // namespace

WARPSIM_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
    Thread::current().calls.push_back({{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, stream});
    return 0;
}

WARPSIM_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
    return call([&] {
        auto& calls = Thread::current().calls;
        if (calls.empty()) throw Failure(Result::missing_configuration);
        auto const c = calls.back();
        calls.pop_back();
        *grid = {c.grid[0], c.grid[1], c.grid[2]};
        *block = {c.block[0], c.block[1], c.block[2]};
        *shared = c.shared;
        *static_cast<void**>(stream) = c.stream;
    });
}

WARPSIM_API cudaError_t cudaLaunchKernel(void const* f, dim3 grid, dim3 block, void** args, std::size_t shared, cudaStream_t s) {
    return launch_kernel(f, grid, block, args, shared, s, false, false);
}
WARPSIM_API cudaError_t cudaLaunchKernel_ptsz(void const* f, dim3 grid, dim3 block, void** args, std::size_t shared,
                                              cudaStream_t s) {
    return launch_kernel(f, grid, block, args, shared, s, true, false);
}
WARPSIM_API cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block, void** args, std::size_t shared, cudaStream_t s) {
    return launch_kernel(f, grid, block, args, shared, s, false, false);
}
WARPSIM_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t f, dim3 grid, dim3 block, void** args, std::size_t shared,
                                                cudaStream_t s) {
    return launch_kernel(f, grid, block, args, shared, s, true, false);
}
WARPSIM_API cudaError_t cudaLaunchCooperativeKernel(void const* f, dim3 grid, dim3 block, void** args, std::size_t shared,
                                                    cudaStream_t s) {
    return launch_kernel(f, grid, block, args, shared, s, false, true);
}
WARPSIM_API cudaError_t cudaLaunchCooperativeKernel_ptsz(void const* f, dim3 grid, dim3 block, void** args, std::size_t shared,
                                                         cudaStream_t s) {
    return launch_kernel(f, grid, block, args, shared, s, true, true);
}
WARPSIM_API cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* f, void** args) {
    return launch_configured(config, f, args, false);
}
WARPSIM_API cudaError_t cudaLaunchKernelExC_ptsz(cudaLaunchConfig_t const* config, void const* f, void** args) {
    return launch_configured(config, f, args, true);
}

WARPSIM_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, void const* f) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        fill_attributes(*out, *Registrations::get().kernel(f), Process::get().current());
    });
}

WARPSIM_API cudaError_t cudaFuncSetAttribute(void const* f, int number, int value) {
    return call([&] { set_attribute(*Registrations::get().kernel(f), Process::get().current(), number, value); });
}

WARPSIM_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t f, int number, int value, int device) {
    return call([&] { set_attribute(*Registrations::get().kernel(f), Process::get().gpu(device), number, value); });
}

WARPSIM_API cudaError_t cudaFuncSetCacheConfig(void const* f, int config) {
    return call([&] {
        Registrations::get().kernel(f);
        if (config < 0 || config > 3) throw Failure(Result::invalid_value);
    });
}

WARPSIM_API cudaError_t cudaFuncGetName(char const** out, void const* f) {
    return call([&] { give(out, Registrations::get().kernel(f)->name.c_str()); });
}

WARPSIM_API cudaError_t cudaFuncGetParamInfo(void const* f, std::size_t index, std::size_t* offset, std::size_t* size) {
    return call([&] {
        auto const& parameters = Registrations::get().kernel(f)->parameters(Process::get().current());
        if (index >= parameters.size()) throw Failure(Result::invalid_value);
        give(offset, parameters[index].offset);
        if (size != nullptr) *size = parameters[index].size;
    });
}

WARPSIM_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* out, void const* f) {
    return call([&] { give(out, Registrations::get().kernel_handle(f)); });
}

WARPSIM_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, void const* f, int threads,
                                                                               std::size_t shared, unsigned) {
    return call([&] {
        if (threads <= 0) throw Failure(Result::invalid_value);
        auto const kernel = Registrations::get().kernel(f);
        give(out, occupancy(Process::get().current(), *kernel, static_cast<std::uint32_t>(threads), shared));
    });
}
WARPSIM_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* out, void const* f, int threads, std::size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, f, threads, shared, 0);
}

WARPSIM_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* out, void const* f, int blocks, int threads) {
    return call([&] {
        if (blocks <= 0 || threads <= 0) throw Failure(Result::invalid_value);
        Gpu& gpu = Process::get().current();
        auto const kernel = Registrations::get().kernel(f);
        auto const fits = [&](std::size_t bytes) {
            return occupancy(gpu, *kernel, static_cast<std::uint32_t>(threads), bytes) >= blocks;
        };
        std::size_t low = 0, high = gpu.device.config().sm.shared.cta_opt_in_bytes();
        if (!fits(0)) throw Failure(Result::invalid_value);
        while (low < high) {      // the most that fits
            std::size_t const middle = (low + high + 1) / 2;
            if (fits(middle)) low = middle;
            else high = middle - 1;
        }
        give(out, low);
    });
}
