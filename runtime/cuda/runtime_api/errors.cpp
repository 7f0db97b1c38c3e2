#include "runtime/cuda/runtime_api/call.hpp"

using namespace warpsim::cuda;

WARPSIM_API cudaError_t cudaGetLastError() {
    Thread& thread = Thread::current();
    Result const error = thread.last_error;
    thread.last_error = Result::success;
    try {
        // A device that has failed stays so until it is reset.
        if (error != Result::not_initialized) Process::get().current().check();
    } catch (Failure const& failure) {
        return static_cast<cudaError_t>(failure.result());
    }
    return static_cast<cudaError_t>(error);
}

WARPSIM_API cudaError_t cudaPeekAtLastError() {
    Result const error = Thread::current().last_error;
    try {
        if (error != Result::not_initialized) Process::get().current().check();
    } catch (Failure const& failure) {
        return static_cast<cudaError_t>(failure.result());
    }
    return static_cast<cudaError_t>(error);
}

WARPSIM_API char const* cudaGetErrorName(cudaError_t error) {
    char const* const name = runtime_name(error);
    return name != nullptr ? name : "unrecognized error code";
}

WARPSIM_API char const* cudaGetErrorString(cudaError_t error) {
    char const* const text = runtime_name(error) != nullptr ? description(error) : nullptr;
    return text != nullptr ? text : "unrecognized error code";
}
