// Handles and versions of cuDNN, which is what a client asks for before it knows whether it needs an operation.
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

namespace {

enum Status : int { success = 0, bad_parameter = 2000, not_supported = 3000 };

struct Handle {
    void* stream = nullptr;
};

/// The first release under this library's name.
constexpr std::size_t oldest_version = 90000, runtime_version = 13000;

/// Of the library that is replaced, whose answer needs no device.
std::size_t version_of_replaced() {
    auto* const replaced =
        reinterpret_cast<char const* (*)(char const*)>(dlsym(RTLD_DEFAULT, "warpsim_replaced_library"));
    char const* const path = replaced != nullptr ? replaced("libcudnn.so.9") : nullptr;
    // dlmopen() is not among the functions that are redirected.
    void* const library = path != nullptr ? dlmopen(LM_ID_BASE, path, RTLD_LAZY | RTLD_LOCAL) : nullptr;
    void* const version = library != nullptr ? dlsym(library, "cudnnGetVersion") : nullptr;
    return version != nullptr ? reinterpret_cast<std::size_t (*)()>(version)() : oldest_version;
}

}  // namespace

WARPSIM_API std::size_t cudnnGetVersion() {
    static std::size_t const version = version_of_replaced();
    return version;
}
WARPSIM_API std::size_t cudnnGetMaxDeviceVersion() { return cudnnGetVersion(); }
WARPSIM_API std::size_t cudnnGetCudartVersion() { return runtime_version; }
WARPSIM_API int cudnnGetProperty(int which, int* value) {
    auto const version = static_cast<int>(cudnnGetVersion());
    std::array<int, 3> const parts{version / 10000, version / 100 % 100, version % 100};
    if (which < 0 || which > 2 || value == nullptr) return bad_parameter;
    *value = parts[static_cast<std::size_t>(which)];
    return success;
}

WARPSIM_API int cudnnCreate(Handle** out) {
    if (out == nullptr) return bad_parameter;
    *out = new Handle;
    return success;
}
WARPSIM_API int cudnnDestroy(Handle* handle) {
    delete handle;
    return success;
}
WARPSIM_API int cudnnSetStream(Handle* handle, void* stream) {
    if (handle == nullptr) return bad_parameter;
    handle->stream = stream;
    return success;
}
WARPSIM_API int cudnnGetStream(Handle* handle, void** out) {
    if (handle == nullptr || out == nullptr) return bad_parameter;
    *out = handle->stream;
    return success;
}

WARPSIM_API char const* cudnnGetErrorString(int status) {
    switch (status) {
        case success: return "CUDNN_STATUS_SUCCESS";
        case bad_parameter: return "CUDNN_STATUS_BAD_PARAM";
        case not_supported: return "CUDNN_STATUS_NOT_SUPPORTED";
        default: return "CUDNN_STATUS_UNKNOWN";
    }
}
WARPSIM_API void cudnnGetLastErrorString(char* message, std::size_t room) {
    if (message != nullptr && room != 0) std::snprintf(message, room, "cuDNN has no operations here");
}
