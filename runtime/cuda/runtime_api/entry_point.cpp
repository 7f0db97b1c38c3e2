// Functions of the driver's interface, for programs that use both without linking it.
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/version.hpp"
#include "runtime/log.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string>

using namespace warpsim::cuda;

namespace {

using FindFunction = int (*)(char const* name, void** out, int version, std::uint64_t flags, int* status);

/// The driver's library, initialised, from the folder of this one. Null when it is not there.
FindFunction driver() {
    static FindFunction const find = [] {
        Dl_info self{};
        dladdr(reinterpret_cast<void*>(&driver), &self);
        std::string const path = std::filesystem::path(self.dli_fname).replace_filename("libcuda.so.1").string();
        void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            warpsim::log::warning("cannot load " + path);
            return FindFunction{};
        }
        reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"))(0);
        return reinterpret_cast<FindFunction>(dlsym(library, "cuGetProcAddress_v2"));
    }();
    return find;
}

cudaError_t find(char const* name, void** out, unsigned wanted, unsigned long long flags, int* status, bool own) {
    return call([&] {
        constexpr unsigned long long legacy_stream = 1, own_stream = 2;
        if (name == nullptr || *name == 0 || out == nullptr || flags > own_stream)
            throw Failure(Result::invalid_value);
        if (driver() == nullptr) throw Failure(Result::not_supported);
        int found = 0;
        std::uint64_t const with = own && flags != legacy_stream ? own_stream : flags;
        int const result = driver()(name, out, static_cast<int>(wanted), with, &found);
        if (result != 0) throw Failure(static_cast<Result>(result));
        if (status != nullptr) *status = found;
    });
}

}  // namespace

WARPSIM_API cudaError_t cudaGetDriverEntryPoint(char const* name, void** out, unsigned long long flags,
                                                int* status) {
    Arguments const said(name, out, flags, status);
    return find(name, out, runtime_version, flags, status, false);
}
WARPSIM_API cudaError_t cudaGetDriverEntryPoint_ptsz(char const* name, void** out, unsigned long long flags,
                                                     int* status) {
    Arguments const said(name, out, flags, status);
    return find(name, out, runtime_version, flags, status, true);
}
WARPSIM_API cudaError_t cudaGetDriverEntryPointByVersion(char const* name, void** out, unsigned wanted,
                                                         unsigned long long flags, int* status) {
    Arguments const said(name, out, wanted, flags, status);
    return find(name, out, wanted, flags, status, false);
}
WARPSIM_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(char const* name, void** out, unsigned wanted,
                                                              unsigned long long flags, int* status) {
    Arguments const said(name, out, wanted, flags, status);
    return find(name, out, wanted, flags, status, true);
}
