#include "runtime/cuda/core/call_site.hpp"

#include "runtime/cuda/core/arguments.hpp"
#include "runtime/cuda/source_lines/source_lines.hpp"
#include "sim/demangled.hpp"
#include "sim/own_file.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace warpsim::cuda {

namespace {

std::string_view file_name(char const* path) {
    std::string_view const name = path != nullptr ? path : "";
    return name.substr(name.rfind('/') + 1);
}

bool is_ours(char const* path) {
    std::string_view const library = file_name(path);
    // Stand-ins are called as what they replace.
    return library.starts_with("libcudart.so") || library.starts_with("libcuda.so") ||
           library.starts_with("libwarpsim") || library.starts_with("libgpuocelot.so") ||
           (path != nullptr && std::strstr(path, "/cuda/replaced/") != nullptr);
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

struct Walk {
    CallSite& site;
    LaunchSite launch;
    std::size_t callers = 0;

    void add(std::uintptr_t address, Dl_info const& info) {
        if (callers == 0) {
            site.from = place(address, info);
            site.code = address;
        }
        site.callers[callers++] = address;
    }
};

/// The last function of ours, seen from inside, is what the program has called.
_Unwind_Reason_Code look_at(_Unwind_Context* context, void* into) {
    auto& walk = *static_cast<Walk*>(into);
    std::uintptr_t const address = _Unwind_GetIP(context) - 1;  // in the call, not behind it
    Dl_info info{};
    if (dladdr(std::bit_cast<void*>(address), &info) == 0) return _URC_END_OF_STACK;
    if (is_ours(info.dli_fname)) {
        if (walk.callers != 0) return _URC_END_OF_STACK;
        walk.site.function = info.dli_sname != nullptr ? info.dli_sname : "";
        return _URC_NO_REASON;
    }
    if (walk.site.function.empty()) return _URC_NO_REASON;
    if (walk.launch.code != 0) {
        if (walk.callers == 0) {
            Dl_info launcher{};
            if (dladdr(std::bit_cast<void*>(walk.launch.code), &launcher) != 0)
                walk.add(walk.launch.code, launcher);
        }
        // What the compiler has made of the kernel, and the function that launches it, which is known.
        if (_Unwind_GetCFA(context) <= walk.launch.stack) return _URC_NO_REASON;
    }
    walk.add(address, info);
    return walk.callers == walk.site.callers.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

struct Interruption {
    CallSite& site;
    std::uintptr_t code;
    bool is_behind = false;  // the frame of the signal
    std::size_t callers = 0;
};

_Unwind_Reason_Code look_behind(_Unwind_Context* context, void* into) {
    auto& walk = *static_cast<Interruption*>(into);
    int is_exact = 0;  // else it is behind a call
    std::uintptr_t const at = _Unwind_GetIPInfo(context, &is_exact);
    walk.is_behind = walk.is_behind || at == walk.code;
    if (!walk.is_behind) return _URC_NO_REASON;
    std::uintptr_t const address = is_exact != 0 ? at : at - 1;
    Dl_info info{};
    if (dladdr(std::bit_cast<void*>(address), &info) == 0) return _URC_END_OF_STACK;
    std::string_view const library = file_name(info.dli_fname);
    bool const is_of_c = library.starts_with("libc.so") || library.starts_with("libc-");
    if (walk.callers == 0) {
        walk.site.from = place(address, info);
        walk.site.code = address;
        if (is_of_c) return _URC_NO_REASON;
    }
    walk.site.callers[walk.callers++] = address;
    return walk.callers == walk.site.callers.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// CUDA's headers wrap some functions, and nvcc makes one of each kernel, which are not where the program calls.
bool is_wrapper(std::filesystem::path const& file) {
    if (file.native().ends_with(".stub.c")) return true;
    for (std::filesystem::path folder = file.parent_path(); folder.has_relative_path();
         folder = folder.parent_path())
        if (std::filesystem::exists(folder / "cuda_runtime_api.h")) return true;
    return false;
}

FindSourceLine load_finder() {
    std::string const path = sim::own_file("libwarpsim_source_lines.so");
    void* const library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : std::bit_cast<FindSourceLine>(dlsym(library, source_line_symbol));
}

}  // namespace

std::atomic<bool> CallSite::is_wanted{false};

CallSite CallSite::present() {
    CallSite site;
    Walk walk{site, launch()};
    _Unwind_Backtrace(look_at, &walk);
    if (site.from.empty()) site.function.clear();
    site.arguments = CallArguments::text();
    // As programs spell what nvcc makes __cudaLaunchKernel of.
    site.function.erase(0, std::min(site.function.find_first_not_of('_'), site.function.size()));
    return site;
}

CallSite CallSite::interrupted(std::uintptr_t code) {
    CallSite site;
    Interruption walk{site, code};
    _Unwind_Backtrace(look_behind, &walk);
    return site;
}

LaunchSite& CallSite::launch() {
    thread_local LaunchSite site;
    return site;
}

SourcePlace CallSite::source() const {
    static FindSourceLine const find = load_finder();
    if (find == nullptr) return {};
    SourcePlace first;
    for (std::uintptr_t const caller : callers) {
        if (caller == 0) break;
        for (unsigned depth = 0;; ++depth) {
            SourceLine line;
            find(std::bit_cast<void*>(caller), depth, line);
            if (line.number == 0 && depth == 0) return first;
            if (line.number == 0) break;
            if (!is_wrapper(line.file)) return {line.file, line.number};
            if (!first) first = {line.file, line.number};
        }
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
