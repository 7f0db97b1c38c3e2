#include "runtime/cuda/devices/limits.hpp"
#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/streams.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

constexpr unsigned all_flags = 0xff;
constexpr unsigned scheduling_flags = 7;

void check_flags(unsigned flags) {
    unsigned const scheduling = flags & scheduling_flags;
    bool const is_one = scheduling == 0 || scheduling == 1 || scheduling == 2 || scheduling == 4;
    if ((flags & ~all_flags) != 0 || !is_one) throw Failure(Result::invalid_value);
}

CUresult create(CUcontext* out, unsigned flags, CUdevice device, unsigned version) {
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        check_flags(flags);
        process.gpu(device);
        *out = process.contexts.create(device, flags, version);
    });
}

/// The context of a handle, or the calling thread's for null.
std::shared_ptr<Context> context_of(Process& process, CUcontext handle) {
    if (handle != nullptr) return process.contexts.get(handle);
    current_gpu(process);
    return process.contexts.get(Thread::current().context());
}

CUresult on_primary(CUdevice device, void (Contexts::*action)(int)) {
    return call([&](Process& process) {
        process.gpu(device);
        (process.contexts.*action)(device);
    });
}

CUresult destroy_context(CUcontext handle) {
    return call([&](Process& process) { process.contexts.destroy(handle); });
}

CUresult push(CUcontext handle) {
    return call([&](Process& process) { process.contexts.push(handle); });
}

CUresult pop(CUcontext* out) {
    return call([&](Process& process) {
        CUcontext const handle = process.contexts.pop();
        if (out != nullptr) *out = handle;
    });
}

CUresult set_primary_flags(CUdevice device, unsigned flags) {
    return call([&](Process& process) {
        process.gpu(device);
        check_flags(flags);
        Contexts& contexts = process.contexts;
        contexts.get(contexts.primary(device))->flags = flags;
    });
}

}  // namespace

WARPSIM_API CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
    Arguments const said(out, device);
    return call([&](Process& process) {
        process.gpu(device);
        Contexts& contexts = process.contexts;
        give(out, contexts.primary(device));
        contexts.retain(device);
    });
}
WARPSIM_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    Arguments const said(device);
    return on_primary(device, &Contexts::release);
}
WARPSIM_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    Arguments const said(device);
    return on_primary(device, &Contexts::release);
}
WARPSIM_API CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    Arguments const said(device);
    return on_primary(device, &Contexts::reset);
}
WARPSIM_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    Arguments const said(device);
    return on_primary(device, &Contexts::reset);
}
WARPSIM_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    Arguments const said(device, flags);
    return set_primary_flags(device, flags);
}
WARPSIM_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    Arguments const said(device, flags);
    return set_primary_flags(device, flags);
}
WARPSIM_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    Arguments const said(device, flags, active);
    return call([&](Process& process) {
        process.gpu(device);
        Contexts& contexts = process.contexts;
        give(flags, contexts.get(contexts.primary(device))->flags.load());
        give(active, contexts.is_active(device));
    });
}

WARPSIM_API CUresult cuCtxCreate(CUcontext* out, unsigned flags, CUdevice device) {
    Arguments const said(out, flags, device);
    return create(out, flags, device, 3010);
}
WARPSIM_API CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device) {
    Arguments const said(out, flags, device);
    return create(out, flags, device, 3020);
}
WARPSIM_API CUresult cuCtxCreate_v3(CUcontext* out, void*, int affinities, unsigned flags, CUdevice device) {
    Arguments const said(out, affinities, flags, device);
    if (affinities != 0) return number_of(Result::unsupported_exec_affinity);
    return create(out, flags, device, 3030);
}
WARPSIM_API CUresult cuCtxCreate_v4(CUcontext* out, CUctxCreateParams* more, unsigned flags, CUdevice device) {
    Arguments const said(out, more, flags, device);
    if (more != nullptr && more->numExecAffinityParams != 0) return number_of(Result::unsupported_exec_affinity);
    if (more != nullptr && more->cigParams != nullptr) return number_of(Result::not_supported);
    return create(out, flags, device, 3040);
}
WARPSIM_API CUresult cuCtxDestroy(CUcontext handle) {
    Arguments const said(handle);
    return destroy_context(handle);
}
WARPSIM_API CUresult cuCtxDestroy_v2(CUcontext handle) {
    Arguments const said(handle);
    return destroy_context(handle);
}

// The predecessor of push and pop: a count of users.
WARPSIM_API CUresult cuCtxAttach(CUcontext* out, unsigned flags) {
    Arguments const said(out, flags);
    return call([&](Process& process) {
        if (out == nullptr || flags != 0) throw Failure(Result::invalid_value);
        ++context_of(process, nullptr)->uses;
        *out = Thread::current().context();
    });
}
WARPSIM_API CUresult cuCtxDetach(CUcontext handle) {
    Arguments const said(handle);
    return call([&](Process& process) {
        bool const is_current = handle != nullptr && handle == Thread::current().context();
        if (!is_current) throw Failure(Result::invalid_context);
        if (--context_of(process, handle)->uses == 0) process.contexts.destroy(handle);
    });
}

WARPSIM_API CUresult cuCtxPushCurrent(CUcontext handle) {
    Arguments const said(handle);
    return push(handle);
}
WARPSIM_API CUresult cuCtxPushCurrent_v2(CUcontext handle) {
    Arguments const said(handle);
    return push(handle);
}
WARPSIM_API CUresult cuCtxPopCurrent(CUcontext* out) {
    Arguments const said(out);
    return pop(out);
}
WARPSIM_API CUresult cuCtxPopCurrent_v2(CUcontext* out) {
    Arguments const said(out);
    return pop(out);
}
WARPSIM_API CUresult cuCtxSetCurrent(CUcontext handle) {
    Arguments const said(handle);
    return call([&](Process& process) { process.contexts.set_current(handle); });
}
WARPSIM_API CUresult cuCtxGetCurrent(CUcontext* out) {
    Arguments const said(out);
    return call([&] { give(out, Thread::current().context()); });
}

WARPSIM_API CUresult cuCtxGetDevice(CUdevice* out) {
    Arguments const said(out);
    return in_context([&](Gpu const& gpu) { give(out, gpu.ordinal); });
}
WARPSIM_API CUresult cuCtxGetDevice_v2(CUdevice* out, CUcontext handle) {
    Arguments const said(out, handle);
    return call([&](Process& process) { give(out, context_of(process, handle)->device); });
}
WARPSIM_API CUresult cuCtxGetFlags(unsigned* out) {
    Arguments const said(out);
    return call([&](Process& process) { give(out, context_of(process, nullptr)->flags.load()); });
}
WARPSIM_API CUresult cuCtxSetFlags(unsigned flags) {
    Arguments const said(flags);
    return call([&](Process& process) {
        check_flags(flags);
        context_of(process, nullptr)->flags = flags;
    });
}
WARPSIM_API CUresult cuCtxGetId(CUcontext handle, unsigned long long* out) {
    Arguments const said(handle, out);
    return call([&](Process& process) { give(out, context_of(process, handle)->id); });
}
WARPSIM_API CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* out) {
    Arguments const said(handle, out);
    return call([&](Process& process) { give(out, context_of(process, handle)->version); });
}

WARPSIM_API CUresult cuCtxSynchronize() {
    Arguments const said;
    return in_context([](Process& process, Gpu& gpu) { synchronize_device(process, gpu); });
}
WARPSIM_API CUresult cuCtxSynchronize_v2(CUcontext handle) {
    Arguments const said(handle);
    return call(
        [&](Process& process) { synchronize_device(process, process.gpu(context_of(process, handle)->device)); });
}

WARPSIM_API CUresult cuCtxGetLimit(std::size_t* out, int which) {
    Arguments const said(out, which);
    return in_context([&](Gpu const& gpu) { give(out, limit(gpu, which)); });
}
WARPSIM_API CUresult cuCtxSetLimit(int which, std::size_t value) {
    Arguments const said(which, value);
    return in_context([&](Gpu& gpu) { set_limit(gpu, which, value); });
}

WARPSIM_API CUresult cuCtxGetCacheConfig(int* out) {
    Arguments const said(out);
    return call([&](Process& process) { give(out, context_of(process, nullptr)->cache_preference.load()); });
}
WARPSIM_API CUresult cuCtxSetCacheConfig(int preference) {
    Arguments const said(preference);
    return call([&](Process& process) {
        if (preference < 0 || preference > 3) throw Failure(Result::invalid_value);
        context_of(process, nullptr)->cache_preference = preference;
    });
}
WARPSIM_API CUresult cuCtxGetSharedMemConfig(int* out) {
    Arguments const said(out);
    return call([&](Process& process) { give(out, context_of(process, nullptr)->bank_size.load()); });
}
WARPSIM_API CUresult cuCtxSetSharedMemConfig(int size) {
    Arguments const said(size);
    return call([&](Process& process) {
        if (size < 0 || size > 2) throw Failure(Result::invalid_value);
        context_of(process, nullptr)->bank_size = size;
    });
}
WARPSIM_API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    Arguments const said(least, greatest);
    return in_context([&](Gpu&) {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = -5;
    });
}
WARPSIM_API CUresult cuCtxGetExecAffinity(void*, int) {
    return in_context([](Gpu&) { throw Failure(Result::unsupported_exec_affinity); });
}
WARPSIM_API CUresult cuCtxResetPersistingL2Cache() {
    return in_context([](Gpu&) {});
}
