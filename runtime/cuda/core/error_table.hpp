// Every error of the CUDA runtime and of the CUDA driver: the number that both share, the name that each of them
// gives it, and the text. This is the only place that lists errors; a file that includes it defines
//   WARPSIM_CUDA_ERROR(name, number, name in the runtime, name in the driver, text)
//   WARPSIM_RUNTIME_ERROR(name, number, name in the runtime, what the driver says in its place, text)
//   WARPSIM_DRIVER_ERROR(name, number, name in the driver, text)
// The rows ascend by number.
// clang-format off
WARPSIM_CUDA_ERROR(success, 0, cudaSuccess, CUDA_SUCCESS, "no error")
WARPSIM_CUDA_ERROR(invalid_value, 1, cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE, "invalid argument")
WARPSIM_CUDA_ERROR(out_of_memory, 2, cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY, "out of memory")
WARPSIM_CUDA_ERROR(not_initialized, 3, cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED,
                   "initialization error")
WARPSIM_CUDA_ERROR(cudart_unloading, 4, cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED,
                   "driver shutting down")
WARPSIM_CUDA_ERROR(profiler_disabled, 5, cudaErrorProfilerDisabled, CUDA_ERROR_PROFILER_DISABLED,
                   "profiler disabled while using external profiling tool")
WARPSIM_CUDA_ERROR(profiler_not_initialized, 6, cudaErrorProfilerNotInitialized,
                   CUDA_ERROR_PROFILER_NOT_INITIALIZED,
                   "profiler not initialized: call cudaProfilerInitialize()")
WARPSIM_CUDA_ERROR(profiler_already_started, 7, cudaErrorProfilerAlreadyStarted,
                   CUDA_ERROR_PROFILER_ALREADY_STARTED, "profiler already started")
WARPSIM_CUDA_ERROR(profiler_already_stopped, 8, cudaErrorProfilerAlreadyStopped,
                   CUDA_ERROR_PROFILER_ALREADY_STOPPED, "profiler already stopped")
WARPSIM_RUNTIME_ERROR(invalid_configuration, 9, cudaErrorInvalidConfiguration, invalid_value,
                      "invalid configuration argument")
WARPSIM_RUNTIME_ERROR(invalid_pitch, 12, cudaErrorInvalidPitchValue, invalid_value, "invalid pitch argument")
WARPSIM_RUNTIME_ERROR(invalid_symbol, 13, cudaErrorInvalidSymbol, not_found, "invalid device symbol")
WARPSIM_RUNTIME_ERROR(invalid_host_pointer, 16, cudaErrorInvalidHostPointer, invalid_value, "invalid host pointer")
WARPSIM_RUNTIME_ERROR(invalid_device_pointer, 17, cudaErrorInvalidDevicePointer, invalid_value,
                      "invalid device pointer")
WARPSIM_RUNTIME_ERROR(invalid_texture, 18, cudaErrorInvalidTexture, invalid_value, "invalid texture reference")
WARPSIM_RUNTIME_ERROR(invalid_texture_binding, 19, cudaErrorInvalidTextureBinding, invalid_value,
                      "texture is not bound to a pointer")
WARPSIM_RUNTIME_ERROR(invalid_channel_descriptor, 20, cudaErrorInvalidChannelDescriptor, invalid_value,
                      "invalid channel descriptor")
WARPSIM_RUNTIME_ERROR(invalid_copy_direction, 21, cudaErrorInvalidMemcpyDirection, invalid_value,
                      "invalid copy direction for memcpy")
WARPSIM_RUNTIME_ERROR(address_of_constant, 22, cudaErrorAddressOfConstant, invalid_value,
                      "invalid address of constant")
WARPSIM_RUNTIME_ERROR(texture_fetch_failed, 23, cudaErrorTextureFetchFailed, launch_failed,
                      "fetch from texture failed")
WARPSIM_RUNTIME_ERROR(texture_not_bound, 24, cudaErrorTextureNotBound, invalid_value,
                      "cannot fetch from a texture that is not bound")
WARPSIM_RUNTIME_ERROR(synchronization_error, 25, cudaErrorSynchronizationError, launch_failed,
                      "incorrect use of __syncthreads()")
WARPSIM_RUNTIME_ERROR(invalid_filter_setting, 26, cudaErrorInvalidFilterSetting, invalid_value,
                      "linear filtering not supported for non-float type")
WARPSIM_RUNTIME_ERROR(invalid_norm_setting, 27, cudaErrorInvalidNormSetting, invalid_value,
                      "read as normalized float not supported for data type")
WARPSIM_RUNTIME_ERROR(mixed_device_execution, 28, cudaErrorMixedDeviceExecution, unknown,
                      "device emulation mode and device execution mode cannot be mixed")
WARPSIM_RUNTIME_ERROR(not_yet_implemented, 31, cudaErrorNotYetImplemented, not_supported,
                      "feature not yet implemented")
WARPSIM_RUNTIME_ERROR(memory_value_too_large, 32, cudaErrorMemoryValueTooLarge, invalid_value,
                      "memory size or pointer value too large to fit in 32 bit")
WARPSIM_CUDA_ERROR(stub_library, 34, cudaErrorStubLibrary, CUDA_ERROR_STUB_LIBRARY,
                   "CUDA driver is a stub library")
WARPSIM_RUNTIME_ERROR(insufficient_driver, 35, cudaErrorInsufficientDriver, unknown,
                      "CUDA driver version is insufficient for CUDA runtime version")
WARPSIM_CUDA_ERROR(call_requires_newer_driver, 36, cudaErrorCallRequiresNewerDriver,
                   CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,
                   "API call is not supported in the installed CUDA driver")
WARPSIM_RUNTIME_ERROR(invalid_surface, 37, cudaErrorInvalidSurface, invalid_value, "invalid surface reference")
WARPSIM_RUNTIME_ERROR(duplicate_variable_name, 43, cudaErrorDuplicateVariableName, not_found,
                      "duplicate global variable looked up by string name")
WARPSIM_RUNTIME_ERROR(duplicate_texture_name, 44, cudaErrorDuplicateTextureName, not_found,
                      "duplicate texture looked up by string name")
WARPSIM_RUNTIME_ERROR(duplicate_surface_name, 45, cudaErrorDuplicateSurfaceName, not_found,
                      "duplicate surface looked up by string name")
WARPSIM_CUDA_ERROR(devices_unavailable, 46, cudaErrorDevicesUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE,
                   "CUDA-capable device(s) is/are busy or unavailable")
WARPSIM_RUNTIME_ERROR(incompatible_driver_context, 49, cudaErrorIncompatibleDriverContext, unknown,
                      "incompatible driver context")
WARPSIM_RUNTIME_ERROR(missing_configuration, 52, cudaErrorMissingConfiguration, invalid_value,
                      "__global__ function call is not configured")
WARPSIM_RUNTIME_ERROR(prior_launch_failure, 53, cudaErrorPriorLaunchFailure, launch_failed,
                      "unspecified launch failure in prior launch")
WARPSIM_RUNTIME_ERROR(launch_max_depth_exceeded, 65, cudaErrorLaunchMaxDepthExceeded, invalid_value,
                      "launch would exceed maximum depth of nested launches")
WARPSIM_RUNTIME_ERROR(launch_file_scoped_tex, 66, cudaErrorLaunchFileScopedTex,
                      unknown,
                      "launch failed because kernel uses unsupported, file-scoped textures (texture "
                      "objects are supported)")
WARPSIM_RUNTIME_ERROR(launch_file_scoped_surf, 67, cudaErrorLaunchFileScopedSurf,
                      unknown,
                      "launch failed because kernel uses unsupported, file-scoped surfaces (surface "
                      "objects are supported)")
WARPSIM_RUNTIME_ERROR(sync_depth_exceeded, 68, cudaErrorSyncDepthExceeded,
                      unknown,
                      "cudaDeviceSynchronize failed because caller's grid depth exceeds "
                      "cudaLimitDevRuntimeSyncDepth")
WARPSIM_RUNTIME_ERROR(launch_pending_count_exceeded, 69, cudaErrorLaunchPendingCountExceeded, invalid_value,
                      "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount")
WARPSIM_RUNTIME_ERROR(invalid_device_function, 98, cudaErrorInvalidDeviceFunction, invalid_handle,
                      "invalid device function")
WARPSIM_CUDA_ERROR(no_device, 100, cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")
WARPSIM_CUDA_ERROR(invalid_device, 101, cudaErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE,
                   "invalid device ordinal")
WARPSIM_CUDA_ERROR(device_not_licensed, 102, cudaErrorDeviceNotLicensed, CUDA_ERROR_DEVICE_NOT_LICENSED,
                   "device doesn't have valid Grid license")
WARPSIM_RUNTIME_ERROR(software_validity_not_established, 103, cudaErrorSoftwareValidityNotEstablished, unknown,
                      "integrity checks failed")
WARPSIM_RUNTIME_ERROR(startup_failure, 127, cudaErrorStartupFailure, unknown, "startup failure in cuda runtime")
WARPSIM_CUDA_ERROR(invalid_image, 200, cudaErrorInvalidKernelImage, CUDA_ERROR_INVALID_IMAGE,
                   "device kernel image is invalid")
WARPSIM_CUDA_ERROR(invalid_context, 201, cudaErrorDeviceUninitialized, CUDA_ERROR_INVALID_CONTEXT,
                   "invalid device context")
WARPSIM_DRIVER_ERROR(context_already_current, 202, CUDA_ERROR_CONTEXT_ALREADY_CURRENT,
                     "context is current already")
WARPSIM_CUDA_ERROR(map_buffer_object_failed, 205, cudaErrorMapBufferObjectFailed, CUDA_ERROR_MAP_FAILED,
                   "mapping of buffer object failed")
WARPSIM_CUDA_ERROR(unmap_buffer_object_failed, 206, cudaErrorUnmapBufferObjectFailed, CUDA_ERROR_UNMAP_FAILED,
                   "unmapping of buffer object failed")
WARPSIM_CUDA_ERROR(array_is_mapped, 207, cudaErrorArrayIsMapped, CUDA_ERROR_ARRAY_IS_MAPPED, "array is mapped")
WARPSIM_CUDA_ERROR(already_mapped, 208, cudaErrorAlreadyMapped, CUDA_ERROR_ALREADY_MAPPED,
                   "resource already mapped")
WARPSIM_CUDA_ERROR(no_binary_for_gpu, 209, cudaErrorNoKernelImageForDevice, CUDA_ERROR_NO_BINARY_FOR_GPU,
                   "no kernel image is available for execution on the device")
WARPSIM_CUDA_ERROR(already_acquired, 210, cudaErrorAlreadyAcquired, CUDA_ERROR_ALREADY_ACQUIRED,
                   "resource already acquired")
WARPSIM_CUDA_ERROR(not_mapped, 211, cudaErrorNotMapped, CUDA_ERROR_NOT_MAPPED, "resource not mapped")
WARPSIM_CUDA_ERROR(not_mapped_as_array, 212, cudaErrorNotMappedAsArray, CUDA_ERROR_NOT_MAPPED_AS_ARRAY,
                   "resource not mapped as array")
WARPSIM_CUDA_ERROR(not_mapped_as_pointer, 213, cudaErrorNotMappedAsPointer, CUDA_ERROR_NOT_MAPPED_AS_POINTER,
                   "resource not mapped as pointer")
WARPSIM_CUDA_ERROR(ecc_uncorrectable, 214, cudaErrorECCUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE,
                   "uncorrectable ECC error encountered")
WARPSIM_CUDA_ERROR(unsupported_limit, 215, cudaErrorUnsupportedLimit, CUDA_ERROR_UNSUPPORTED_LIMIT,
                   "limit is not supported on this architecture")
WARPSIM_CUDA_ERROR(device_already_in_use, 216, cudaErrorDeviceAlreadyInUse, CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
                   "exclusive-thread device already in use by a different thread")
WARPSIM_CUDA_ERROR(peer_access_unsupported, 217, cudaErrorPeerAccessUnsupported,
                   CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices")
WARPSIM_CUDA_ERROR(invalid_ptx, 218, cudaErrorInvalidPtx, CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed")
WARPSIM_CUDA_ERROR(invalid_graphics_context, 219, cudaErrorInvalidGraphicsContext,
                   CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "invalid OpenGL or DirectX context")
WARPSIM_CUDA_ERROR(nvlink_uncorrectable, 220, cudaErrorNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE,
                   "uncorrectable NVLink error detected during the execution")
WARPSIM_CUDA_ERROR(jit_compiler_not_found, 221, cudaErrorJitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                   "PTX JIT compiler library not found")
WARPSIM_CUDA_ERROR(unsupported_ptx_version, 222, cudaErrorUnsupportedPtxVersion,
                   CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                   "the provided PTX was compiled with an unsupported toolchain.")
WARPSIM_CUDA_ERROR(jit_compilation_disabled, 223, cudaErrorJitCompilationDisabled,
                   CUDA_ERROR_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled")
WARPSIM_CUDA_ERROR(unsupported_exec_affinity, 224, cudaErrorUnsupportedExecAffinity,
                   CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "the provided execution affinity is not supported")
WARPSIM_CUDA_ERROR(unsupported_dev_side_sync, 225, cudaErrorUnsupportedDevSideSync,
                   CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
                   "the provided PTX contains unsupported call to cudaDeviceSynchronize")
WARPSIM_CUDA_ERROR(contained, 226, cudaErrorContained, CUDA_ERROR_CONTAINED,
                   "Invalid access of peer GPU memory over nvlink or a hardware error")
WARPSIM_CUDA_ERROR(invalid_source, 300, cudaErrorInvalidSource, CUDA_ERROR_INVALID_SOURCE,
                   "device kernel image is invalid")
WARPSIM_CUDA_ERROR(file_not_found, 301, cudaErrorFileNotFound, CUDA_ERROR_FILE_NOT_FOUND, "file not found")
WARPSIM_CUDA_ERROR(shared_object_symbol_not_found, 302, cudaErrorSharedObjectSymbolNotFound,
                   CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found")
WARPSIM_CUDA_ERROR(shared_object_init_failed, 303, cudaErrorSharedObjectInitFailed,
                   CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed")
WARPSIM_CUDA_ERROR(operating_system, 304, cudaErrorOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM,
                   "OS call failed or operation not supported on this OS")
WARPSIM_CUDA_ERROR(invalid_handle, 400, cudaErrorInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE,
                   "invalid resource handle")
WARPSIM_CUDA_ERROR(illegal_state, 401, cudaErrorIllegalState, CUDA_ERROR_ILLEGAL_STATE,
                   "the operation cannot be performed in the present state")
WARPSIM_CUDA_ERROR(lossy_query, 402, cudaErrorLossyQuery, CUDA_ERROR_LOSSY_QUERY,
                   "attempted introspection would be semantically lossy")
WARPSIM_CUDA_ERROR(not_found, 500, cudaErrorSymbolNotFound, CUDA_ERROR_NOT_FOUND, "named symbol not found")
WARPSIM_CUDA_ERROR(not_ready, 600, cudaErrorNotReady, CUDA_ERROR_NOT_READY, "device not ready")
WARPSIM_CUDA_ERROR(illegal_address, 700, cudaErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS,
                   "an illegal memory access was encountered")
WARPSIM_CUDA_ERROR(launch_out_of_resources, 701, cudaErrorLaunchOutOfResources,
                   CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch")
WARPSIM_CUDA_ERROR(launch_timeout, 702, cudaErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT,
                   "the launch timed out and was terminated")
WARPSIM_CUDA_ERROR(launch_incompatible_texturing, 703, cudaErrorLaunchIncompatibleTexturing,
                   CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "launch uses incompatible texturing mode")
WARPSIM_CUDA_ERROR(peer_access_already_enabled, 704, cudaErrorPeerAccessAlreadyEnabled,
                   CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled")
WARPSIM_CUDA_ERROR(peer_access_not_enabled, 705, cudaErrorPeerAccessNotEnabled,
                   CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled")
WARPSIM_CUDA_ERROR(primary_context_active, 708, cudaErrorSetOnActiveProcess, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
                   "cannot set while device is active in this process")
WARPSIM_CUDA_ERROR(context_is_destroyed, 709, cudaErrorContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED,
                   "context is destroyed")
WARPSIM_CUDA_ERROR(assertion, 710, cudaErrorAssert, CUDA_ERROR_ASSERT, "device-side assert triggered")
WARPSIM_CUDA_ERROR(too_many_peers, 711, cudaErrorTooManyPeers, CUDA_ERROR_TOO_MANY_PEERS,
                   "peer mapping resources exhausted")
WARPSIM_CUDA_ERROR(host_memory_already_registered, 712, cudaErrorHostMemoryAlreadyRegistered,
                   CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                   "part or all of the requested memory range is already mapped")
WARPSIM_CUDA_ERROR(host_memory_not_registered, 713, cudaErrorHostMemoryNotRegistered,
                   CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                   "pointer does not correspond to a registered memory region")
WARPSIM_CUDA_ERROR(hardware_stack_error, 714, cudaErrorHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR,
                   "hardware stack error")
WARPSIM_CUDA_ERROR(illegal_instruction, 715, cudaErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                   "an illegal instruction was encountered")
WARPSIM_CUDA_ERROR(misaligned_address, 716, cudaErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS,
                   "misaligned address")
WARPSIM_CUDA_ERROR(invalid_address_space, 717, cudaErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE,
                   "operation not supported on global/shared address space")
WARPSIM_CUDA_ERROR(invalid_pc, 718, cudaErrorInvalidPc, CUDA_ERROR_INVALID_PC, "invalid program counter")
WARPSIM_CUDA_ERROR(launch_failed, 719, cudaErrorLaunchFailure, CUDA_ERROR_LAUNCH_FAILED,
                   "unspecified launch failure")
WARPSIM_CUDA_ERROR(cooperative_launch_too_large, 720, cudaErrorCooperativeLaunchTooLarge,
                   CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch")
WARPSIM_CUDA_ERROR(tensor_memory_leak, 721, cudaErrorTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK,
                   "tensor memory not completely freed")
WARPSIM_CUDA_ERROR(not_permitted, 800, cudaErrorNotPermitted, CUDA_ERROR_NOT_PERMITTED,
                   "operation not permitted")
WARPSIM_CUDA_ERROR(not_supported, 801, cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED,
                   "operation not supported")
WARPSIM_CUDA_ERROR(system_not_ready, 802, cudaErrorSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY,
                   "system not yet initialized")
WARPSIM_CUDA_ERROR(system_driver_mismatch, 803, cudaErrorSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                   "system has unsupported display driver / cuda driver combination")
WARPSIM_CUDA_ERROR(compat_not_supported_on_device, 804, cudaErrorCompatNotSupportedOnDevice,
                   CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
                   "forward compatibility was attempted on non supported HW")
WARPSIM_CUDA_ERROR(mps_connection_failed, 805, cudaErrorMpsConnectionFailed, CUDA_ERROR_MPS_CONNECTION_FAILED,
                   "MPS client failed to connect to the MPS control daemon or the MPS server")
WARPSIM_CUDA_ERROR(mps_rpc_failure, 806, cudaErrorMpsRpcFailure, CUDA_ERROR_MPS_RPC_FAILURE,
                   "the remote procedural call between the MPS server and the MPS client failed")
WARPSIM_CUDA_ERROR(mps_server_not_ready, 807, cudaErrorMpsServerNotReady, CUDA_ERROR_MPS_SERVER_NOT_READY,
                   "MPS server is not ready to accept new MPS client requests")
WARPSIM_CUDA_ERROR(mps_max_clients_reached, 808, cudaErrorMpsMaxClientsReached,
                   CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
                   "the hardware resources required to create MPS client have been exhausted")
WARPSIM_CUDA_ERROR(mps_max_connections_reached, 809, cudaErrorMpsMaxConnectionsReached,
                   CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
                   "the hardware resources required to support device connections have been exhausted")
WARPSIM_CUDA_ERROR(mps_client_terminated, 810, cudaErrorMpsClientTerminated, CUDA_ERROR_MPS_CLIENT_TERMINATED,
                   "the MPS client has been terminated by the server")
WARPSIM_CUDA_ERROR(cdp_not_supported, 811, cudaErrorCdpNotSupported,
                   CUDA_ERROR_CDP_NOT_SUPPORTED,
                   "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, "
                   "does not support it")
WARPSIM_CUDA_ERROR(cdp_version_mismatch, 812, cudaErrorCdpVersionMismatch, CUDA_ERROR_CDP_VERSION_MISMATCH,
                   "unsupported interaction between different versions of CUDA Dynamic Parallelism")
WARPSIM_CUDA_ERROR(stream_capture_unsupported, 900, cudaErrorStreamCaptureUnsupported,
                   CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing")
WARPSIM_CUDA_ERROR(stream_capture_invalidated, 901, cudaErrorStreamCaptureInvalidated,
                   CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                   "operation failed due to a previous error during capture")
WARPSIM_CUDA_ERROR(stream_capture_merge, 902, cudaErrorStreamCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE,
                   "operation would result in a merge of separate capture sequences")
WARPSIM_CUDA_ERROR(stream_capture_unmatched, 903, cudaErrorStreamCaptureUnmatched,
                   CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not ended in the same stream as it began")
WARPSIM_CUDA_ERROR(stream_capture_unjoined, 904, cudaErrorStreamCaptureUnjoined,
                   CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work")
WARPSIM_CUDA_ERROR(stream_capture_isolation, 905, cudaErrorStreamCaptureIsolation,
                   CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                   "dependency created on uncaptured work in another stream")
WARPSIM_CUDA_ERROR(stream_capture_implicit, 906, cudaErrorStreamCaptureImplicit,
                   CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                   "operation would make the legacy stream depend on a capturing blocking stream")
WARPSIM_CUDA_ERROR(captured_event, 907, cudaErrorCapturedEvent, CUDA_ERROR_CAPTURED_EVENT,
                   "operation not permitted on an event last recorded in a capturing stream")
WARPSIM_CUDA_ERROR(stream_capture_wrong_thread, 908, cudaErrorStreamCaptureWrongThread,
                   CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                   "attempt to terminate a thread-local capture sequence from another thread")
WARPSIM_CUDA_ERROR(timeout, 909, cudaErrorTimeout, CUDA_ERROR_TIMEOUT, "wait operation timed out")
WARPSIM_CUDA_ERROR(graph_exec_update_failure, 910, cudaErrorGraphExecUpdateFailure,
                   CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                   "the graph update was not performed because it included changes which violated "
                   "constraints specific to instantiated graph update")
WARPSIM_CUDA_ERROR(external_device, 911, cudaErrorExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE,
                   "an async error has occured in external entity outside of CUDA")
WARPSIM_CUDA_ERROR(invalid_cluster_size, 912, cudaErrorInvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                   "a kernel launch error has occurred due to cluster misconfiguration")
WARPSIM_CUDA_ERROR(function_not_loaded, 913, cudaErrorFunctionNotLoaded, CUDA_ERROR_FUNCTION_NOT_LOADED,
                   "the function handle is not loaded when calling an API that requires a loaded function")
WARPSIM_CUDA_ERROR(invalid_resource_type, 914, cudaErrorInvalidResourceType, CUDA_ERROR_INVALID_RESOURCE_TYPE,
                   "one or more resources passed in are not valid resource types for the operation")
WARPSIM_CUDA_ERROR(invalid_resource_configuration, 915, cudaErrorInvalidResourceConfiguration,
                   CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                   "one or more resources are insufficient or non-applicable for the operation")
WARPSIM_DRIVER_ERROR(key_rotation, 916, CUDA_ERROR_KEY_ROTATION, "key rotation is under way")
WARPSIM_CUDA_ERROR(unknown, 999, cudaErrorUnknown, CUDA_ERROR_UNKNOWN, "unknown error")
WARPSIM_RUNTIME_ERROR(api_failure_base, 10000, cudaErrorApiFailureBase, unknown, "api failure base")
// clang-format on
#undef WARPSIM_CUDA_ERROR
#undef WARPSIM_RUNTIME_ERROR
#undef WARPSIM_DRIVER_ERROR
