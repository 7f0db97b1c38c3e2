#include "runtime/cuda/code/jit.hpp"
#include "runtime/cuda/driver_api/call.hpp"

#include <algorithm>
#include <cstring>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult load(CUmodule* out, void const* image, unsigned count, int const* numbers, void** values) {
    return in_context([&](Process& process, Gpu& gpu) {
        if (out == nullptr || image == nullptr) throw Failure(Result::invalid_value);
        gpu.check();
        JitOptions const options(count, numbers, values);
        *out = process.libraries.load(load_program(gpu, image, options, false), Thread::current().context());
    });
}

std::shared_ptr<Library> module_of(Process& process, CUmodule handle) { return process.libraries.get(handle); }

}  // namespace

WARPSIM_API CUresult cuModuleLoad(CUmodule* out, char const* path) {
    Arguments const said(out, path);
    return in_context([&](Process& process, Gpu& gpu) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        gpu.check();
        std::string const image = read_image(path);
        *out = process.libraries.load(load_program(gpu, image.data(), {}, false), Thread::current().context());
    });
}
WARPSIM_API CUresult cuModuleLoadData(CUmodule* out, void const* image) {
    Arguments const said(out, image);
    return load(out, image, 0, nullptr, nullptr);
}
WARPSIM_API CUresult cuModuleLoadDataEx(CUmodule* out, void const* image, unsigned count, int* numbers,
                                        void** values) {
    Arguments const said(out, image, count, numbers, values);
    return load(out, image, count, numbers, values);
}
WARPSIM_API CUresult cuModuleLoadFatBinary(CUmodule* out, void const* image) {
    Arguments const said(out, image);
    return load(out, image, 0, nullptr, nullptr);
}

WARPSIM_API CUresult cuModuleUnload(CUmodule handle) {
    Arguments const said(handle);
    return in_context([&](Process& process, Gpu& gpu) {
        if (module_of(process, handle)->context == nullptr) throw Failure(Result::invalid_handle);
        gpu.queue.wait_all();
        process.libraries.remove(handle);
    });
}

WARPSIM_API CUresult cuModuleGetLoadingMode(int* out) {
    Arguments const said(out);
    constexpr int eager = 1, lazy = 2;
    return call([&](Process& process) { give(out, process.is_eager ? eager : lazy); });
}

WARPSIM_API CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, char const* name) {
    Arguments const said(out, handle, name);
    return in_context(
        [&](Process& process, Gpu& gpu) { give(out, module_of(process, handle)->kernel(gpu, name)); });
}

WARPSIM_API CUresult cuModuleGetFunctionCount(unsigned* out, CUmodule handle) {
    Arguments const said(out, handle);
    return in_context(
        [&](Process& process, Gpu& gpu) { give(out, module_of(process, handle)->kernels(gpu).size()); });
}

WARPSIM_API CUresult cuModuleEnumerateFunctions(CUfunction* out, unsigned count, CUmodule handle) {
    Arguments const said(out, count, handle);
    return in_context([&](Process& process, Gpu& gpu) {
        std::vector<void*> const all = module_of(process, handle)->kernels(gpu);
        if (out == nullptr || count == 0) throw Failure(Result::invalid_value);
        std::copy_n(all.begin(), std::min<std::size_t>(count, all.size()), out);
    });
}

WARPSIM_API CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule handle,
                                          char const* name) {
    Arguments const said(address, bytes, handle, name);
    return in_context([&](Process& process, Gpu& gpu) {
        Library::Variable const v = module_of(process, handle)->variable(gpu, name);
        if (address != nullptr) *address = v.address;
        if (bytes != nullptr) *bytes = v.size;
    });
}
