// Launches as before CUDA 4: separate calls tell a function its block, its shared memory and its parameters, which
// it keeps.
#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/launch.hpp"

#include <map>
#include <mutex>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

struct Parts {
    warpsim::runtime::LaunchShape shape{};
    warpsim::runtime::Arguments arguments;
};

/// What functions were told, by their handles.
struct AllParts {
    std::mutex mutex;
    std::map<CUfunction, Parts> of;

    static AllParts& get() {
        static auto* const all = new AllParts;
        return *all;
    }
};

/// Calls work(parts) if the handle is a function.
template <class F> CUresult change_parts(CUfunction f, F&& work) {
    return in_context([&](Process& process, Gpu&) {
        process.kernels.get(f);
        AllParts& all = AllParts::get();
        std::lock_guard const lock(all.mutex);
        work(all.of[f]);
    });
}

CUresult set(CUfunction f, int offset, void const* value, std::size_t bytes) {
    return change_parts(f, [&](Parts& parts) {
        constexpr std::size_t most = 32764;
        auto const at = static_cast<std::size_t>(offset);
        if (offset < 0 || value == nullptr || bytes > most || at > most - bytes)
            throw Failure(Result::invalid_value);
        if (bytes != 0) parts.arguments.place(at, value, bytes);
    });
}

CUresult launch_grid(CUfunction f, int width, int height, CUstream s) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        auto const kernel = process.kernels.get(f);
        if (width <= 0 || height <= 0) throw Failure(Result::invalid_value);
        AllParts& all = AllParts::get();
        std::unique_lock lock(all.mutex);
        Parts const parts = all.of[f];
        lock.unlock();
        KernelWork work{kernel, parts.shape, parts.arguments, stream.priority, f};
        work.shape.grid = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1};
        launching(*kernel, [&] { launch(process, std::move(work), stream); });
    });
}

}  // namespace

WARPSIM_API CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
    Arguments const said(f, x, y, z);
    return change_parts(f, [&](Parts& parts) {
        if (x <= 0 || y <= 0 || z <= 0) throw Failure(Result::invalid_value);
        parts.shape.block = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                             static_cast<std::uint32_t>(z)};
    });
}
WARPSIM_API CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes) {
    Arguments const said(f, bytes);
    return change_parts(f, [&](Parts& parts) { parts.shape.dynamic_shared = bytes; });
}
/// The block of parameters grows as they are set; its final size is checked against the kernel's.
WARPSIM_API CUresult cuParamSetSize(CUfunction f, unsigned bytes) {
    Arguments const said(f, bytes);
    return change_parts(f, [&](Parts& parts) {
        if (bytes < parts.arguments.bytes().size()) throw Failure(Result::invalid_value);
    });
}
WARPSIM_API CUresult cuParamSeti(CUfunction f, int offset, unsigned value) {
    Arguments const said(f, offset, value);
    return set(f, offset, &value, sizeof value);
}
WARPSIM_API CUresult cuParamSetf(CUfunction f, int offset, float value) {
    Arguments const said(f, offset, value);
    return set(f, offset, &value, sizeof value);
}
WARPSIM_API CUresult cuParamSetv(CUfunction f, int offset, void const* value, unsigned bytes) {
    Arguments const said(f, offset, value, bytes);
    return set(f, offset, value, bytes);
}

WARPSIM_API CUresult cuLaunch(CUfunction f) {
    Arguments const said(f);
    return launch_grid(f, 1, 1, nullptr);
}
WARPSIM_API CUresult cuLaunchGrid(CUfunction f, int width, int height) {
    Arguments const said(f, width, height);
    return launch_grid(f, width, height, nullptr);
}
WARPSIM_API CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream s) {
    Arguments const said(f, width, height, s);
    return launch_grid(f, width, height, s);
}
