// NVIDIA's linker of device code as a library: takes PTX and what holds it, and LTO-IR where NVIDIA's own library makes
// PTX of it; gives a fat binary with PTX.
#include "runtime/cuda/compilers/compilers.hpp"
#include "runtime/cuda/nvjitlink/lto.hpp"
#include "runtime/cuda/stand_ins/tell.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

using namespace warpsim;

namespace {

enum Result : int {
    success = 0,
    unrecognized_option = 1,
    missing_architecture = 2,
    invalid_input = 3,
    ptx_error = 4,
    internal_error = 6,
    finalize_error = 9,
    null_input = 10,
    incompatible_options = 11,
    incorrect_type = 12,
    no_link_time_optimisation = 18,
};
enum Input : int { cubin = 1, ptx = 2, ltoir = 3, fatbin_image = 4, object = 5, library = 6, any = 10 };

/// Clients hand over LTO-IR from 12.3 on, and link by the driver before.
constexpr unsigned version[] = {12, 2};

struct Link {
    explicit Link(std::uint32_t its_architecture) : architecture(its_architecture), linker(its_architecture) {}
    std::uint32_t const architecture;
    cuda::PtxLinker linker;
    std::vector<nvjitlink::LtoInput> lto_inputs;
    std::vector<std::string> options;
    std::string recorded_options;
    std::optional<cuda::PtxLinker> linked;  // with what became of the LTO-IR
    std::string code, errors, information;

    bool has(std::string_view option) const {
        return std::find(options.begin(), options.end(), option) != options.end();
    }
};
using Handle = Link*;

constexpr std::string_view lto_code = "\xed\x43\x4e\x7f";

bool is_known(std::string_view option) {
    for (std::string_view const name : {"-time",
                                        "-v",
                                        "-verbose",
                                        "-lto",
                                        "-ptx",
                                        "-O",
                                        "-g",
                                        "-lineinfo",
                                        "-ftz",
                                        "-prec-div",
                                        "-prec-sqrt",
                                        "-fma",
                                        "-kernels-used",
                                        "-variables-used",
                                        "-optimize-unused-variables",
                                        "-Xptxas",
                                        "-Xnvvm",
                                        "-split-compile",
                                        "-jump-table-density",
                                        "-no-cache",
                                        "-device-stack-protector",
                                        "-r",
                                        "-opt-level",
                                        "-maxrregcount"})
        if (option.starts_with(name)) return true;
    return false;
}

Result create(Handle* handle, std::uint32_t count, char const** options) {
    if (handle == nullptr || (count != 0 && options == nullptr)) return null_input;
    std::uint32_t architecture = 0;
    std::string recorded;
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (options[i] == nullptr) return null_input;
        std::string_view option = options[i];
        if (option.starts_with("--")) option.remove_prefix(1);
        if (option.starts_with("-arch=")) {
            std::string_view name = option.substr(6);
            name.remove_prefix(name.starts_with("sm_") ? 3 : name.starts_with("compute_") ? 8 : name.size());
            std::from_chars(name.data(), name.data() + name.size(), architecture);
            if (architecture == 0) return unrecognized_option;
        } else if (!is_known(option)) {
            return unrecognized_option;
        }
        if (option.starts_with("-maxrregcount=")) recorded = option;
        all.emplace_back(option);
    }
    if (architecture == 0) return missing_architecture;
    auto made = std::make_unique<Link>(architecture);
    made->options = std::move(all);
    made->recorded_options = recorded;
    if (made->has("-ptx") && !made->has("-lto")) return incompatible_options;
    *handle = made.release();
    return success;
}

Result destroy(Handle* handle) {
    if (handle == nullptr || *handle == nullptr) return invalid_input;
    delete *handle;
    *handle = nullptr;
    return success;
}

Result add_lto(Link& link, std::string const& bytes, std::string const& name) {
    if (!link.has("-lto")) {
        link.errors += name + ": LTO-IR is linked with -lto only\n";
        return no_link_time_optimisation;
    }
    if (link.has("-r") || !nvjitlink::compiles_lto()) {
        link.errors +=
            name + ": LTO-IR cannot be linked here " +
            (link.has("-r") ? "with -r" : "without NVIDIA's own nvJitLink, which PyPI has as nvidia-nvjitlink") +
            ": have it compiled to PTX (nvcc -ptx, NVRTC's nvrtcGetPTX without -dlto, Numba's "
            "@cuda.jit(lto=False), cuda.core's compile(\"ptx\"))\n";
        return no_link_time_optimisation;
    }
    link.lto_inputs.push_back({bytes, name});
    return success;
}

Result add(Link& link, int type, std::string const& bytes, std::string const& name) {
    if (bytes.empty()) return null_input;
    if (type == ltoir || bytes.starts_with(lto_code)) return add_lto(link, bytes, name);
    if (type != any && (type < cubin || type > library)) return incorrect_type;
    try {
        link.linker.add(bytes, name);
        return success;
    } catch (Error const& error) {
        link.errors += error.what();
        return type == ptx ? ptx_error : invalid_input;
    }
}

Result add_data(Handle handle, int type, void const* data, std::size_t size, char const* name) {
    if (handle == nullptr || data == nullptr) return null_input;
    return add(*handle, type, {static_cast<char const*>(data), size},
               name != nullptr && *name != 0 ? name : "input");
}

Result add_file(Handle handle, int type, char const* path) {
    if (handle == nullptr || path == nullptr) return null_input;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        handle->errors += std::string(path) + " cannot be read\n";
        return invalid_input;
    }
    return add(*handle, type, {std::istreambuf_iterator<char>(file), {}}, path);
}

/// Without any input the code is that of an empty module.
std::string empty_module(Link const& link) {
    return cuda::fat_binary(".version 8.0\n.target sm_" + std::to_string(link.architecture) +
                            "\n.address_size 64\n");
}

Result complete(Handle handle) {
    if (handle == nullptr) return null_input;
    Link& link = *handle;
    cuda::tell_of_stand_in("nvJitLink: links PTX, and hands out a fat binary with PTX");
    try {
        cuda::PtxLinker all = link.linker;
        if (!link.lto_inputs.empty()) {
            nvjitlink::LtoCode const made = nvjitlink::compile_lto(link.lto_inputs, link.options);
            link.errors += made.errors;
            if (made.status != success) return static_cast<Result>(made.status);
            all.add(made.ptx, "LTO-IR");
        }
        link.code = all.texts().empty() ? empty_module(link) : all.link(link.recorded_options);
        link.information = "linked " + std::to_string(all.texts().size()) + " modules\n";
        link.linked = std::move(all);
        return success;
    } catch (Error const& error) {
        link.errors += error.what();
        return finalize_error;
    }
}

/// PTX that was linked can be handed out if it is of one module.
std::string const* linked_ptx(Handle handle) {
    if (handle == nullptr || !handle->linked || handle->linked->texts().size() != 1) return nullptr;
    return &handle->linked->texts().front().text;
}
std::string const* linked_code(Handle handle) {
    return handle != nullptr && !handle->code.empty() ? &handle->code : nullptr;
}
std::string const* errors(Handle handle) { return handle != nullptr ? &handle->errors : nullptr; }
std::string const* information(Handle handle) { return handle != nullptr ? &handle->information : nullptr; }

/// `ends`: texts are handed out with a NUL.
Result give_size(std::string const* bytes, std::size_t* size, bool ends) {
    if (bytes == nullptr) return internal_error;
    if (size == nullptr) return null_input;
    *size = bytes->size() + (ends ? 1 : 0);
    return success;
}
Result give_bytes(std::string const* bytes, void* to, bool ends) {
    if (bytes == nullptr) return internal_error;
    if (to == nullptr) return null_input;
    std::memcpy(to, bytes->c_str(), bytes->size() + (ends ? 1 : 0));
    return success;
}

}  // namespace

WARPSIM_API Result nvJitLinkVersion(unsigned* major, unsigned* minor) {
    if (major == nullptr || minor == nullptr) return null_input;
    *major = version[0];
    *minor = version[1];
    return success;
}

// Programs call functions by the version of their header; all do the same.
// clang-format off
#define WARPSIM_FUNCTION(name, parameters, ...) \
    WARPSIM_API Result nvJitLink##name parameters { return __VA_ARGS__; } \
    WARPSIM_VERSION(name, 12_0, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_1, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_2, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_3, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_4, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_5, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_6, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_7, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_8, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 12_9, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 13_0, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 13_1, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 13_2, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 13_3, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 13_4, parameters, __VA_ARGS__) \
    WARPSIM_VERSION(name, 13_5, parameters, __VA_ARGS__)
#define WARPSIM_VERSION(name, number, parameters, ...) \
    WARPSIM_API Result __nvJitLink##name##_##number parameters { return __VA_ARGS__; }
WARPSIM_FUNCTION(Create, (Handle* handle, std::uint32_t count, char const** options), create(handle, count, options))
WARPSIM_FUNCTION(Destroy, (Handle* handle), destroy(handle))
WARPSIM_FUNCTION(AddData, (Handle handle, int type, void const* data, std::size_t size, char const* name), add_data(handle, type, data, size, name))
WARPSIM_FUNCTION(AddFile, (Handle handle, int type, char const* path), add_file(handle, type, path))
WARPSIM_FUNCTION(Complete, (Handle handle), complete(handle))
WARPSIM_FUNCTION(GetLinkedCubinSize, (Handle handle, std::size_t* size), give_size(linked_code(handle), size, false))
WARPSIM_FUNCTION(GetLinkedCubin, (Handle handle, void* to), give_bytes(linked_code(handle), to, false))
WARPSIM_FUNCTION(GetLinkedPtxSize, (Handle handle, std::size_t* size), give_size(linked_ptx(handle), size, true))
WARPSIM_FUNCTION(GetLinkedPtx, (Handle handle, char* to), give_bytes(linked_ptx(handle), to, true))
WARPSIM_FUNCTION(GetErrorLogSize, (Handle handle, std::size_t* size), give_size(errors(handle), size, true))
WARPSIM_FUNCTION(GetErrorLog, (Handle handle, char* to), give_bytes(errors(handle), to, true))
WARPSIM_FUNCTION(GetInfoLogSize, (Handle handle, std::size_t* size), give_size(information(handle), size, true))
WARPSIM_FUNCTION(GetInfoLog, (Handle handle, char* to), give_bytes(information(handle), to, true))
// clang-format on
