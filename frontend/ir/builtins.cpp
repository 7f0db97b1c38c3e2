#include "frontend/ir/builtins.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::ir {

namespace {

// Structures of the CUDA headers are passed as arrays of bytes: dim3 12, cudaPitchedPtr 32, cudaExtent 24.
constexpr BuiltinFunction functions[] = {
    {Builtin::vprintf, "vprintf", "b32", "b64 b64"},
    {Builtin::assert_fail, "__assertfail", "", "b64 b64 b32 b64 b64"},
    {Builtin::malloc, "malloc", "b64", "b64"},
    {Builtin::free, "free", "", "b64"},
    {Builtin::get_parameter_buffer, "cudaGetParameterBuffer", "b64", "b64 b64"},
    {Builtin::get_parameter_buffer_v2, "cudaGetParameterBufferV2", "b64", "b64 b8[12] b8[12] b32"},
    {Builtin::launch_device, "cudaLaunchDevice", "b32", "b64 b64 b8[12] b8[12] b32 b64"},
    {Builtin::launch_device_v2, "cudaLaunchDeviceV2", "b32", "b64 b64"},
    {Builtin::device_synchronize, "cudaDeviceSynchronize", "b32", ""},
    {Builtin::stream_create_with_flags, "cudaStreamCreateWithFlags", "b32", "b64 b32"},
    {Builtin::stream_destroy, "cudaStreamDestroy", "b32", "b64"},
    {Builtin::stream_wait_event, "cudaStreamWaitEvent", "b32", "b64 b64 b32"},
    {Builtin::event_create_with_flags, "cudaEventCreateWithFlags", "b32", "b64 b32"},
    {Builtin::event_record, "cudaEventRecord", "b32", "b64 b64"},
    {Builtin::event_record_with_flags, "cudaEventRecordWithFlags", "b32", "b64 b64 b32"},
    {Builtin::event_destroy, "cudaEventDestroy", "b32", "b64"},
    {Builtin::device_malloc, "cudaMalloc", "b32", "b64 b64"},
    {Builtin::device_free, "cudaFree", "b32", "b64"},
    {Builtin::memcpy_async, "cudaMemcpyAsync", "b32", "b64 b64 b64 b32 b64"},
    {Builtin::memcpy_2d_async, "cudaMemcpy2DAsync", "b32", "b64 b64 b64 b64 b64 b64 b32 b64"},
    {Builtin::memcpy_3d_async, "cudaMemcpy3DAsync", "b32", "b64 b64"},
    {Builtin::memset_async, "cudaMemsetAsync", "b32", "b64 b32 b64 b64"},
    {Builtin::memset_2d_async, "cudaMemset2DAsync", "b32", "b64 b64 b32 b64 b64 b64"},
    {Builtin::memset_3d_async, "cudaMemset3DAsync", "b32", "b8[32] b32 b8[24] b64"},
    {Builtin::get_device, "cudaGetDevice", "b32", "b64"},
    {Builtin::get_device_count, "cudaGetDeviceCount", "b32", "b64"},
    {Builtin::get_last_error, "cudaGetLastError", "b32", ""},
    {Builtin::peek_at_last_error, "cudaPeekAtLastError", "b32", ""},
    {Builtin::get_error_string, "cudaGetErrorString", "b64", "b32"},
    {Builtin::get_error_name, "cudaGetErrorName", "b64", "b32"},
    {Builtin::device_get_attribute, "cudaDeviceGetAttribute", "b32", "b64 b32 b32"},
    {Builtin::device_get_limit, "cudaDeviceGetLimit", "b32", "b64 b32"},
    {Builtin::device_get_cache_config, "cudaDeviceGetCacheConfig", "b32", "b64"},
    {Builtin::device_get_shared_mem_config, "cudaDeviceGetSharedMemConfig", "b32", "b64"},
    {Builtin::func_get_attributes, "cudaFuncGetAttributes", "b32", "b64 b64"},
    {Builtin::runtime_get_version, "cudaRuntimeGetVersion", "b32", "b64"},
    {Builtin::occupancy, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "b32", "b64 b64 b32 b64"},
    {Builtin::occupancy_with_flags, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "b32",
     "b64 b64 b32 b64 b32"},
    {Builtin::graph_launch, "cudaGraphLaunch", "b32", "b64 b64"},
};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < std::size(functions); ++i) {
        if (static_cast<std::size_t>(functions[i].id) != i + 1) return false;
    }
    return true;
}
static_assert(is_in_order() && std::size(functions) == static_cast<std::size_t>(Builtin::graph_launch));

}  // namespace

std::span<BuiltinFunction const> builtin_functions() { return functions; }

BuiltinFunction const* builtin_function(std::string_view name) {
    constexpr std::string_view thread_stream = "_ptsz";
    constexpr std::string_view second_version = "__cudaCDP2";
    constexpr std::string_view runtime = "cuda";
    bool const is_second = name.starts_with(second_version);
    bool const is_of_runtime = is_second || name.starts_with(runtime);
    if (is_of_runtime && name.ends_with(thread_stream)) name.remove_suffix(thread_stream.size());
    if (is_second) name.remove_prefix(second_version.size());
    auto const* const found =
        std::find_if(std::begin(functions), std::end(functions), [&](BuiltinFunction const& one) {
            return is_second ? one.name.starts_with(runtime) && one.name.substr(runtime.size()) == name
                             : one.name == name;
        });
    return found == std::end(functions) ? nullptr : found;
}

BuiltinFunction const& builtin_function(Builtin id) { return functions[static_cast<std::size_t>(id) - 1]; }

}  // namespace warpsim::ir
