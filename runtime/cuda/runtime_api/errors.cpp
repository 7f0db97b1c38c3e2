#include "runtime/cuda/runtime_api/call.hpp"

#include <utility>

using namespace warpsim::cuda;

namespace {

/// What the calling thread is told: the failure of its device, which persists until the device is reset, or else
/// the failure of its last failed call.
cudaError_t last_error(Result error) {
    if (error == Result::not_initialized) return static_cast<cudaError_t>(error);
    Result const failure = enter([](Process& process) {
        process.rejected_launches.look(Thread::current().id);
        process.checks.look(Thread::current().id);
        process.current().check();
    });
    return static_cast<cudaError_t>(failure != Result::success ? failure : error);
}

}  // namespace

WARPSIM_API cudaError_t cudaGetLastError() {
    return last_error(std::exchange(Thread::current().last_error, Result::success));
}

WARPSIM_API cudaError_t cudaPeekAtLastError() { return last_error(Thread::current().last_error); }

WARPSIM_API char const* cudaGetErrorName(cudaError_t error) {
    Arguments const said(error);
    look_at(error);
    char const* const name = runtime_name(error);
    return name != nullptr ? name : "unrecognized error code";
}

WARPSIM_API char const* cudaGetErrorString(cudaError_t error) {
    Arguments const said(error);
    look_at(error);
    char const* const text = runtime_name(error) != nullptr ? description(error) : nullptr;
    return text != nullptr ? text : "unrecognized error code";
}
