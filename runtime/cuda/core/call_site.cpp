#include "runtime/cuda/core/call_site.hpp"

#include "sim/demangled.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
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
        site.function = info.dli_sname != nullptr ? info.dli_sname : "";
        return _URC_NO_REASON;
    }
    if (site.function.empty()) return _URC_NO_REASON;
    site.from = place(address, info);
    return _URC_END_OF_STACK;
}

}  // namespace

std::atomic<bool> CallSite::is_wanted{false};

CallSite CallSite::present() {
    CallSite site;
    _Unwind_Backtrace(look_at, &site);
    if (site.from.empty()) site.function.clear();
    // As programs spell what nvcc makes __cudaLaunchKernel of.
    site.function.erase(0, std::min(site.function.find_first_not_of('_'), site.function.size()));
    return site;
}

std::string CallSite::text() const { return function + ", called from " + from; }

}  // namespace warpsim::cuda
