// How a CUDA call ended. The runtime's cudaError_t and the driver's CUresult share their numbers.
#pragma once

#include <exception>

namespace warpsim::cuda {

enum class Result : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    invalid_configuration = 9,
    invalid_pitch = 12,
    invalid_symbol = 13,
    invalid_device_pointer = 17,
    invalid_texture = 18,
    invalid_channel_descriptor = 20,
    invalid_copy_direction = 21,
    missing_configuration = 52,
    launch_max_depth_exceeded = 65,
    launch_pending_count_exceeded = 69,
    invalid_device_function = 98,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    no_binary_for_gpu = 209,
    unsupported_limit = 215,
    peer_access_unsupported = 217,
    invalid_ptx = 218,
    unsupported_ptx_version = 222,
    unsupported_exec_affinity = 224,
    invalid_source = 300,
    file_not_found = 301,
    operating_system = 304,
    invalid_handle = 400,
    illegal_state = 401,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    peer_access_not_enabled = 705,
    primary_context_active = 708,
    context_is_destroyed = 709,
    assertion = 710,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    illegal_instruction = 715,
    misaligned_address = 716,
    invalid_address_space = 717,
    invalid_pc = 718,
    launch_failed = 719,
    cooperative_launch_too_large = 720,
    not_permitted = 800,
    not_supported = 801,
    stream_capture_unsupported = 900,
    stream_capture_invalidated = 901,
    stream_capture_merge = 902,
    stream_capture_unmatched = 903,
    stream_capture_unjoined = 904,
    stream_capture_isolation = 905,
    stream_capture_implicit = 906,
    captured_event = 907,
    stream_capture_wrong_thread = 908,
    graph_exec_update_failure = 910,
    invalid_cluster_size = 912,
    unknown = 999,
};

/// What the core of the CUDA libraries throws; their C functions return its number.
class Failure : public std::exception {
public:
    explicit Failure(Result result) : result_(result) {}
    Result result() const { return result_; }
    char const* what() const noexcept override { return "a CUDA call failed"; }

private:
    Result result_;
};

/// "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"; null for a number that has none.
char const* runtime_name(int number);
char const* driver_name(int number);
char const* description(int number);

}  // namespace warpsim::cuda
