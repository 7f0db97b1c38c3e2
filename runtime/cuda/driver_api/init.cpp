#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/entries.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace warpsim::cuda::driver {

namespace {

constexpr int version = 13000;  // of the interface: 13.0

/// The tables that NVIDIA's runtime asks for first.
constexpr std::string_view tables_of_runtime[] = {
    {"\xf8\xcf\xf9\x51\x21\x46\x8b\x4e\xb9\xe2\xfb\x46\x9e\x7c\x0d\xd9", 16},
    {"\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9", 16},
};

bool is_of_runtime(CUuuid const& id) {
    std::string_view const bytes(reinterpret_cast<char const*>(&id), sizeof id);
    return std::find(std::begin(tables_of_runtime), std::end(tables_of_runtime), bytes) !=
           std::end(tables_of_runtime);
}

}  // namespace

Gpu& current_gpu(Process& process) {
    void* const handle = Thread::current().context();
    if (handle == nullptr) throw Failure(Result::invalid_context);
    if (!process.contexts.exists(handle)) throw Failure(Result::context_is_destroyed);
    return process.gpu(Thread::current().device);
}

}  // namespace warpsim::cuda::driver

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

WARPSIM_API CUresult cuInit(unsigned flags) {
    Arguments const said(flags);
    if (flags != 0) return number_of(Result::invalid_value);
    Result const result = enter([](Process&) {});
    return result == Result::success ? 0 : number_of(result);
}

WARPSIM_API CUresult cuDriverGetVersion(int* out) {
    Arguments const said(out);
    if (out == nullptr) return number_of(Result::invalid_value);
    *out = version;
    return 0;
}

WARPSIM_API CUresult cuGetProcAddress_v2(char const* name, void** out, int wanted, std::uint64_t flags,
                                         int* status) {
    Arguments const said(name, out, wanted, flags, status);
    constexpr std::uint64_t own_stream = 2;
    if (name == nullptr || *name == 0 || out == nullptr || flags > 3) return number_of(Result::invalid_value);
    Found const found = find_entry(name, wanted, (flags & own_stream) != 0, out);
    if (status != nullptr) *status = static_cast<int>(found);
    return found == Found::yes || status != nullptr ? 0 : number_of(Result::not_found);
}

WARPSIM_API CUresult cuGetProcAddress(char const* name, void** out, int wanted, std::uint64_t flags) {
    Arguments const said(name, out, wanted, flags);
    return cuGetProcAddress_v2(name, out, wanted, flags, nullptr);
}

WARPSIM_API CUresult cuGetErrorName(CUresult error, char const** out) {
    Arguments const said(error, out);
    if (out == nullptr) return number_of(Result::invalid_value);
    look_at(error);
    *out = driver_name(error);
    return *out != nullptr ? 0 : number_of(Result::invalid_value);
}

WARPSIM_API CUresult cuGetErrorString(CUresult error, char const** out) {
    Arguments const said(error, out);
    if (out == nullptr) return number_of(Result::invalid_value);
    look_at(error);
    *out = driver_name(error) != nullptr ? description(error) : nullptr;
    return *out != nullptr ? 0 : number_of(Result::invalid_value);
}

/// Tables for NVIDIA's own libraries, among them the one that proves the driver's origin. None is available. A runtime
/// that asks for its own stops: its program is told what to do instead. Others, such as NVRTC, continue without.
WARPSIM_API CUresult cuGetExportTable(void const** table, CUuuid const* id) {
    Arguments const said(table, id);
    if (id != nullptr && is_of_runtime(*id)) tell_of_linked_runtime();
    if (table != nullptr) *table = nullptr;
    return number_of(Result::not_found);
}

WARPSIM_API CUresult cuProfilerInitialize(char const*, char const*, int) {
    return number_of(Result::not_supported);
}
WARPSIM_API CUresult cuProfilerStart() {
    return in_context([](Gpu&) {});
}
WARPSIM_API CUresult cuProfilerStop() {
    return in_context([](Gpu&) {});
}
