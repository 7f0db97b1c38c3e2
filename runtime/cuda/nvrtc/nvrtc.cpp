// NVRTC's functions. All go on to NVIDIA's library but for those that hand out machine code: they hand out a fat binary
// around the PTX that NVIDIA's library has made of the same program.
#include "runtime/cuda/compilers/compilers.hpp"
#include "runtime/cuda/nvrtc/real.hpp"
#include "runtime/cuda/stand_ins/tell.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

using namespace warpsim;

namespace {

using Result = int;
using Handle = struct Compilation*;

enum : Result { success = 0, invalid_input = 3, internal_error = 11 };

template <class... Arguments> Result forward(char const* name, Arguments... arguments) {
    auto* const function = reinterpret_cast<Result (*)(Arguments...)>(nvrtc::real_function(name));
    return function != nullptr ? function(arguments...) : internal_error;
}

/// What this library knows of a program beside NVIDIA's.
struct Known {
    std::string options;  // that are recorded with its code
    std::string code;
};

std::mutex mutex;
std::map<Handle, Known>& all_known() {
    static auto* const all = new std::map<Handle, Known>;  // programs compile from their last destructors
    return *all;
}

/// "-maxrregcount=32" of options that say so in one of the ways in which NVRTC reads it.
std::string recorded_options(int count, char const* const* options) {
    std::string recorded;
    for (int i = 0; i < count; ++i) {
        std::string_view const option = options[i];
        for (std::string_view const name : {"--maxrregcount", "-maxrregcount"}) {
            if (!option.starts_with(name)) continue;
            bool const has_value = option.size() > name.size();
            if (!has_value && i + 1 == count) continue;
            recorded = "-maxrregcount=" + std::string(has_value ? option.substr(name.size() + 1) : options[i + 1]);
        }
    }
    return recorded;
}

/// The code of a program that was compiled for a real architecture; `code` is empty for any other.
Result make_code(Handle program, std::string& code) {
    std::size_t machine_code = 0, size = 0;
    if (Result const r = forward("nvrtcGetCUBINSize", program, &machine_code); r != success) return r;
    code.clear();
    if (machine_code == 0) return success;
    if (Result const r = forward("nvrtcGetPTXSize", program, &size); r != success) return r;
    std::string text(size, '\0');
    if (Result const r = forward("nvrtcGetPTX", program, text.data()); r != success) return r;
    text.resize(std::min(text.size(), text.find('\0')));
    try {
        code = cuda::fat_binary(text, all_known()[program].options);
    } catch (Error const& error) {
        log::failure(error.what());
        return internal_error;
    }
    return success;
}

}  // namespace

WARPSIM_API Result nvrtcCompileProgram(Handle program, int count, char const* const* options) {
    Result const result = forward("nvrtcCompileProgram", program, count, options);
    if (result == success && count > 0 && options != nullptr) {
        std::lock_guard const lock(mutex);
        all_known()[program] = {recorded_options(count, options), {}};
    }
    return result;
}

WARPSIM_API Result nvrtcDestroyProgram(Handle* program) {
    if (program != nullptr) {
        std::lock_guard const lock(mutex);
        all_known().erase(*program);
    }
    return forward("nvrtcDestroyProgram", program);
}

WARPSIM_API Result nvrtcGetCUBINSize(Handle program, std::size_t* size) {
    if (size == nullptr) return invalid_input;
    std::lock_guard const lock(mutex);
    std::string code;
    Result const result = make_code(program, code);
    if (result == success) *size = code.size();
    return result;
}

WARPSIM_API Result nvrtcGetCUBIN(Handle program, char* to) {
    if (to == nullptr) return invalid_input;
    std::lock_guard const lock(mutex);
    std::string code;
    Result const result = make_code(program, code);
    if (result != success) return result;
    // What there is for a program without machine code, NVIDIA's library says.
    if (code.empty()) return forward("nvrtcGetCUBIN", program, to);
    cuda::tell_of_stand_in("nvrtc: asked for machine code, hands out a fat binary with PTX");
    std::memcpy(to, code.data(), code.size());
    return success;
}

WARPSIM_API char const* nvrtcGetErrorString(Result result) {
    auto* const function = reinterpret_cast<char const* (*)(Result)>(nvrtc::real_function("nvrtcGetErrorString"));
    return function != nullptr ? function(result) : "NVRTC_ERROR unknown";
}

// clang-format off
#define WARPSIM_FORWARD(name, parameters, ...) \
    WARPSIM_API Result name parameters { return forward(#name, __VA_ARGS__); }
WARPSIM_FORWARD(nvrtcVersion, (int* major, int* minor), major, minor)
WARPSIM_FORWARD(nvrtcGetNumSupportedArchs, (int* count), count)
WARPSIM_FORWARD(nvrtcGetSupportedArchs, (int* list), list)
WARPSIM_FORWARD(nvrtcCreateProgram, (Handle* program, char const* source, char const* name, int count, char const* const* headers, char const* const* names),
                program, source, name, count, headers, names)
WARPSIM_FORWARD(nvrtcGetPTXSize, (Handle program, std::size_t* size), program, size)
WARPSIM_FORWARD(nvrtcGetPTX, (Handle program, char* to), program, to)
WARPSIM_FORWARD(nvrtcGetNVVMSize, (Handle program, std::size_t* size), program, size)
WARPSIM_FORWARD(nvrtcGetNVVM, (Handle program, char* to), program, to)
WARPSIM_FORWARD(nvrtcGetLTOIRSize, (Handle program, std::size_t* size), program, size)
WARPSIM_FORWARD(nvrtcGetLTOIR, (Handle program, char* to), program, to)
WARPSIM_FORWARD(nvrtcGetOptiXIRSize, (Handle program, std::size_t* size), program, size)
WARPSIM_FORWARD(nvrtcGetOptiXIR, (Handle program, char* to), program, to)
WARPSIM_FORWARD(nvrtcGetProgramLogSize, (Handle program, std::size_t* size), program, size)
WARPSIM_FORWARD(nvrtcGetProgramLog, (Handle program, char* to), program, to)
WARPSIM_FORWARD(nvrtcAddNameExpression, (Handle program, char const* name), program, name)
WARPSIM_FORWARD(nvrtcGetLoweredName, (Handle program, char const* name, char const** lowered), program, name, lowered)
WARPSIM_FORWARD(nvrtcGetPCHHeapSize, (std::size_t* size), size)
WARPSIM_FORWARD(nvrtcSetPCHHeapSize, (std::size_t size), size)
WARPSIM_FORWARD(nvrtcGetPCHCreateStatus, (Handle program), program)
WARPSIM_FORWARD(nvrtcGetPCHHeapSizeRequired, (Handle program, std::size_t* size), program, size)
WARPSIM_FORWARD(nvrtcSetFlowCallback, (Handle program, int (*callback)(void*, void*), void* data), program, callback, data)
WARPSIM_FORWARD(nvrtcGetTileIRSize, (Handle program, std::size_t* size), program, size)
WARPSIM_FORWARD(nvrtcGetTileIR, (Handle program, char* to), program, to)
// Not documented; all its arguments are numbers or addresses, whatever they are.
WARPSIM_FORWARD(__nvrtcCPEx, (std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d, std::uintptr_t e, std::uintptr_t f),
                a, b, c, d, e, f)
// clang-format on
