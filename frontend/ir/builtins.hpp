// Functions that PTX declares `.extern` and no module defines: the device runtime supplies them. A definition of
// the same name in a module takes precedence.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpsim::ir {

/// In the order of builtin_functions(), which begins with the one after `none`.
enum class Builtin : std::uint8_t {
    none,
    vprintf,
    assert_fail,
    malloc,
    free,
    // Dynamic parallelism.
    get_parameter_buffer,
    get_parameter_buffer_v2,
    launch_device,
    launch_device_v2,
    device_synchronize,
    stream_create_with_flags,
    stream_destroy,
    stream_wait_event,
    event_create_with_flags,
    event_record,
    event_record_with_flags,
    event_destroy,
    device_malloc,
    device_free,
    memcpy_async,
    memcpy_2d_async,
    memcpy_3d_async,
    memset_async,
    memset_2d_async,
    memset_3d_async,
    get_device,
    get_device_count,
    get_last_error,
    peek_at_last_error,
    get_error_string,
    get_error_name,
    device_get_attribute,
    device_get_limit,
    device_get_cache_config,
    device_get_shared_mem_config,
    func_get_attributes,
    runtime_get_version,
    occupancy,
    occupancy_with_flags,
    graph_launch,
};

struct BuiltinFunction {
    Builtin id;
    std::string_view name;
    std::string_view returns;     // types, separated by blanks: "b32"; empty for none
    std::string_view parameters;  // "b64 b64"; an array of bytes is "b8[12]"
};

std::span<BuiltinFunction const> builtin_functions();
/// Null when no builtin function has this name. Those of dynamic parallelism exist as cudaX and __cudaCDP2X, both
/// also with the suffix `_ptsz` (the default stream is the thread's own): all are the same functions.
BuiltinFunction const* builtin_function(std::string_view name);
BuiltinFunction const& builtin_function(Builtin id);  // not of `none`

}  // namespace warpsim::ir
