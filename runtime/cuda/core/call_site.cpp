#include "runtime/cuda/core/call_site.hpp"

#include "runtime/cuda/core/arguments.hpp"
#include "runtime/cuda/source_lines/source_lines.hpp"
#include "sim/demangled.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace warpsim::cuda {

namespace {

std::string_view file_name(char const* path) {
    std::string_view const name = path != nullptr ? path : "";
    return name.substr(name.rfind('/') + 1);
}

bool is_ours(std::string_view library) {
    return library.starts_with("libcudart.so") || library.starts_with("libcuda.so") ||
           library.starts_with("libwarpsim.so") || library.starts_with("libgpuocelot.so");
}

std::string place(std::uintptr_t address, Dl_info const& info) {
    auto const offset = [&](void const* base) {
        char text[32];
        std::snprintf(text, sizeof text, "+0x%llx",
                      static_cast<unsigned long long>(address - reinterpret_cast<std::uintptr_t>(base)));
        return std::string(text);
    };
    std::string const file(file_name(info.dli_fname));
    return info.dli_sname != nullptr ? sim::demangled(info.dli_sname) + offset(info.dli_saddr) + " in " + file
                                     : file + offset(info.dli_fbase);
}

/// The last function of ours, seen from inside, is what the program has called.
_Unwind_Reason_Code look_at(_Unwind_Context* context, void* into) {
    auto& site = *static_cast<CallSite*>(into);
    std::uintptr_t const address = _Unwind_GetIP(context) - 1;  // in the call, not behind it
    Dl_info info{};
    if (dladdr(std::bit_cast<void*>(address), &info) == 0) return _URC_END_OF_STACK;
    if (is_ours(file_name(info.dli_fname))) {
        if (site.code != 0) return _URC_END_OF_STACK;
        site.function = info.dli_sname != nullptr ? info.dli_sname : "";
        return _URC_NO_REASON;
    }
    if (site.function.empty()) return _URC_NO_REASON;
    if (site.code == 0) {
        site.from = place(address, info);
        site.code = address;
    }
    for (std::uintptr_t& caller : site.callers) {
        if (caller != 0) continue;
        caller = address;
        return &caller == &site.callers.back() ? _URC_END_OF_STACK : _URC_NO_REASON;
    }
    return _URC_END_OF_STACK;
}

/// CUDA's headers wrap some functions, and nvcc makes one of each kernel, which are not where the program calls.
bool is_wrapper(std::filesystem::path const& file) {
    auto const is_of_toolkit = [](std::filesystem::path const& folder) {
        return std::filesystem::exists(folder / "cuda_runtime_api.h");
    };
    return file.native().ends_with(".stub.c") || is_of_toolkit(file.parent_path()) ||
           is_of_toolkit(file.parent_path().parent_path());
}

/// The module stands beside this library.
FindSourceLine load_finder() {
    Dl_info info{};
    static int const here = 0;
    if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return nullptr;
    std::string const path = info.dli_fname;
    std::size_t const end = path.rfind('/');
    std::string const folder = end == std::string::npos ? "." : path.substr(0, end);
    void* const library = dlopen((folder + "/libwarpsim_source_lines.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : std::bit_cast<FindSourceLine>(dlsym(library, source_line_symbol));
}

}  // namespace

std::atomic<bool> CallSite::is_wanted{false};

CallSite CallSite::present() {
    CallSite site;
    _Unwind_Backtrace(look_at, &site);
    if (site.from.empty()) site.function.clear();
    site.arguments = Arguments::text();
    // As programs spell what nvcc makes __cudaLaunchKernel of.
    site.function.erase(0, std::min(site.function.find_first_not_of('_'), site.function.size()));
    return site;
}

SourcePlace CallSite::source() const {
    static FindSourceLine const find = load_finder();
    if (find == nullptr) return {};
    SourcePlace first;
    for (std::uintptr_t const caller : callers) {
        if (caller == 0) break;
        SourceLine line;
        find(std::bit_cast<void*>(caller), line);
        if (line.number == 0) break;
        if (!is_wrapper(line.file)) return {line.file, line.number};
        if (!first) first = {line.file, line.number};
    }
    return first;
}

std::string CallSite::text() const {
    return function + (arguments.empty() ? "" : "(" + arguments + ")") + place_text();
}

std::string CallSite::place_text() const {
    SourcePlace const place = source();
    return place ? " at " + place.file + ":" + std::to_string(place.line) : ", called from " + from;
}

}  // namespace warpsim::cuda
