// Functions by their names, the version of CUDA a program was written for, and its default stream.
#include "runtime/cuda/driver_api/entries.hpp"

#include "runtime/cuda/driver_api/types.hpp"

#define NAME(function) extern "C" CUresult function();
#include "runtime/cuda/driver_api/functions/functions.hpp"
#undef NAME

namespace warpsim::cuda::driver {

namespace {

struct Entry {
    std::string_view name;
    int version;
    CUresult (*function)();
    bool is_per_thread;
};

Entry const entries[] = {
#define ENTRY(name, version, function, is_per_thread) {#name, version, &::function, is_per_thread},
#include "runtime/cuda/driver_api/functions/entries.hpp"
#undef ENTRY
};

}  // namespace

Found find_entry(std::string_view name, int version, bool per_thread, void** out) {
    Entry const* best = nullptr;
    bool is_known = false;
    for (Entry const& e : entries) {
        if (e.name != name) continue;
        is_known = true;
        if (e.version > version || (e.is_per_thread && !per_thread)) continue;
        // A per-thread form takes precedence; among forms of one kind, the later version comes last.
        best = &e;
    }
    *out = best != nullptr ? reinterpret_cast<void*>(best->function) : nullptr;
    if (best != nullptr) return Found::yes;
    return is_known ? Found::only_later : Found::no;
}

}  // namespace warpsim::cuda::driver
