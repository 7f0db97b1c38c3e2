#include "runtime/cuda/code/functions.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/launch.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

std::shared_ptr<Kernel> kernel_of(Process& process, CUfunction handle) { return process.kernels.get(handle); }

CUresult resident(int* out, CUfunction handle, int threads, std::size_t shared) {
    return in_context([&](Process& process, Gpu& gpu) {
        if (threads <= 0) throw Failure(Result::invalid_value);
        give(out, occupancy(gpu, *kernel_of(process, handle), static_cast<std::uint32_t>(threads), shared));
    });
}

CUresult filling(int* ctas, int* threads, CUfunction handle, std::size_t (*shared_of)(int), std::size_t shared,
                 int limit) {
    return in_context([&](Process& process, Gpu& gpu) {
        Filling const best = best_filling(gpu, *kernel_of(process, handle), shared_of, shared, limit);
        give(ctas, best.ctas);
        give(threads, best.threads);
    });
}

}  // namespace

WARPSIM_API CUresult cuFuncGetAttribute(int* out, int number, CUfunction handle) {
    Arguments const said(out, number, handle);
    return in_context([&](Process& process, Gpu& gpu) {
        give(out, function_attribute(gpu, *kernel_of(process, handle), number));
    });
}

WARPSIM_API CUresult cuFuncSetAttribute(CUfunction handle, int number, int value) {
    Arguments const said(handle, number, value);
    return in_context([&](Process& process, Gpu& gpu) {
        set_function_attribute(gpu, *kernel_of(process, handle), number, value);
    });
}

WARPSIM_API CUresult cuFuncSetCacheConfig(CUfunction handle, int preference) {
    Arguments const said(handle, preference);
    return in_context([&](Process& process, Gpu&) {
        if (preference < 0 || preference > 3) throw Failure(Result::invalid_value);
        kernel_of(process, handle)->cache_preference = preference;
    });
}

WARPSIM_API CUresult cuFuncSetSharedMemConfig(CUfunction handle, int size) {
    Arguments const said(handle, size);
    return in_context([&](Process& process, Gpu&) {
        kernel_of(process, handle);
        if (size < 0 || size > 2) throw Failure(Result::invalid_value);
    });
}

WARPSIM_API CUresult cuFuncGetModule(CUmodule* out, CUfunction handle) {
    Arguments const said(out, handle);
    return in_context([&](Process& process, Gpu&) { give(out, kernel_of(process, handle)->library); });
}

WARPSIM_API CUresult cuFuncGetName(char const** out, CUfunction handle) {
    Arguments const said(out, handle);
    if (handle == nullptr) return number_of(Result::invalid_value);
    return call([&](Process& process) { give(out, kernel_of(process, handle)->name.c_str()); });
}

WARPSIM_API CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset,
                                        std::size_t* size) {
    Arguments const said(handle, index, offset, size);
    return in_context([&](Process& process, Gpu& gpu) {
        auto const& parameters = kernel_of(process, handle)->parameters(gpu);
        if (index >= parameters.size()) throw Failure(Result::invalid_value);
        give(offset, parameters[index].offset);
        if (size != nullptr) *size = parameters[index].size;
    });
}

WARPSIM_API CUresult cuFuncIsLoaded(int* out, CUfunction handle) {
    Arguments const said(out, handle);
    return in_context(
        [&](Process& process, Gpu& gpu) { give(out, kernel_of(process, handle)->program->is_loaded(gpu)); });
}

WARPSIM_API CUresult cuFuncLoad(CUfunction handle) {
    Arguments const said(handle);
    return in_context([&](Process& process, Gpu& gpu) { kernel_of(process, handle)->program->module(gpu); });
}

WARPSIM_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, CUfunction f, int threads,
                                                                 std::size_t shared) {
    Arguments const said(out, f, threads, shared);
    return resident(out, f, threads, shared);
}
WARPSIM_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, CUfunction f, int threads,
                                                                          std::size_t shared, unsigned flags) {
    Arguments const said(out, f, threads, shared, flags);
    return flags > 1 ? number_of(Result::invalid_value) : resident(out, f, threads, shared);
}
WARPSIM_API CUresult cuOccupancyMaxPotentialBlockSize(int* ctas, int* threads, CUfunction f,
                                                      std::size_t (*shared_of)(int), std::size_t shared,
                                                      int limit) {
    return filling(ctas, threads, f, shared_of, shared, limit);
}
WARPSIM_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* ctas, int* threads, CUfunction f,
                                                               std::size_t (*shared_of)(int), std::size_t shared,
                                                               int limit, unsigned flags) {
    return flags > 1 ? number_of(Result::invalid_value) : filling(ctas, threads, f, shared_of, shared, limit);
}
WARPSIM_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* out, CUfunction f, int ctas,
                                                             int threads) {
    Arguments const said(out, f, ctas, threads);
    return in_context([&](Process& process, Gpu& gpu) {
        give(out, available_shared(gpu, *kernel_of(process, f), ctas, threads));
    });
}

WARPSIM_API CUresult cuOccupancyMaxActiveClusters(int* out, CUfunction f, LaunchDescription const* launch) {
    Arguments const said(out, f, launch);
    return in_context([&](Process& process, Gpu& gpu) {
        if (launch == nullptr) throw Failure(Result::invalid_value);
        give(out, active_clusters(gpu, *kernel_of(process, f), *launch));
    });
}
WARPSIM_API CUresult cuOccupancyMaxPotentialClusterSize(int* out, CUfunction f, LaunchDescription const* launch) {
    Arguments const said(out, f, launch);
    return in_context([&](Process& process, Gpu& gpu) {
        if (launch == nullptr) throw Failure(Result::invalid_value);
        give(out, largest_cluster(gpu, *kernel_of(process, f), *launch));
    });
}
