#include "tests/hw/driver.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <vector>

namespace warpsim::hw {

template <class F> F* Driver::find(char const* name) const {
    void* const symbol = dlsym(library_, name);
    if (symbol == nullptr) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
    return reinterpret_cast<F*>(symbol);
}

void Driver::check(int status, char const* call) const {
    if (status == 0) return;
    char const* text = nullptr;
    find<int(int, char const**)>("cuGetErrorString")(status, &text);
    throw std::runtime_error(std::string(call) + ": " + (text != nullptr ? text : "unknown error"));
}

Driver::Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    check(find<int(unsigned)>("cuInit")(0), "cuInit");
    void* context = nullptr;
    check(find<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0), "cuDevicePrimaryCtxRetain");
    check(find<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
}

std::string Driver::device_name() const {
    char name[256] = {};
    check(find<int(char*, int, int)>("cuDeviceGetName")(name, sizeof name, 0), "cuDeviceGetName");
    return name;
}

void* Driver::load(std::string const& ptx, std::string& log) const {
    constexpr unsigned error_log = 5, error_log_bytes = 6;  // CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
    std::vector<char> text(8192);
    unsigned options[] = {error_log, error_log_bytes};
    void* values[] = {text.data(), reinterpret_cast<void*>(text.size())};
    void* module = nullptr;
    int const status = find<int(void**, void const*, unsigned, unsigned*, void**)>("cuModuleLoadDataEx")(
        &module, ptx.c_str(), 2, options, values);
    log = text.data();
    return status == 0 ? module : nullptr;
}

void Driver::unload(void* module) const { check(find<int(void*)>("cuModuleUnload")(module), "cuModuleUnload"); }

Driver::Pointer Driver::allocate(std::size_t bytes) const {
    Pointer pointer = 0;
    check(find<int(Pointer*, std::size_t)>("cuMemAlloc_v2")(&pointer, bytes), "cuMemAlloc");
    return pointer;
}

void Driver::upload(Pointer to, void const* from, std::size_t bytes) const {
    check(find<int(Pointer, void const*, std::size_t)>("cuMemcpyHtoD_v2")(to, from, bytes), "cuMemcpyHtoD");
}

void Driver::download(void* to, Pointer from, std::size_t bytes) const {
    check(find<int(void*, Pointer, std::size_t)>("cuMemcpyDtoH_v2")(to, from, bytes), "cuMemcpyDtoH");
}

void Driver::fill(Pointer to, std::uint8_t value, std::size_t bytes) const {
    check(find<int(Pointer, unsigned char, std::size_t)>("cuMemsetD8_v2")(to, value, bytes), "cuMemsetD8");
}

void Driver::launch(void* module, std::string const& kernel, unsigned blocks, unsigned threads,
                    void** arguments) const {
    void* function = nullptr;
    check(find<int(void**, void*, char const*)>("cuModuleGetFunction")(&function, module, kernel.c_str()),
          "cuModuleGetFunction");
    check(
        find<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                 void**)>("cuLaunchKernel")(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
        "cuLaunchKernel");
    check(find<int()>("cuCtxSynchronize")(), "cuCtxSynchronize");
}

}  // namespace warpsim::hw
