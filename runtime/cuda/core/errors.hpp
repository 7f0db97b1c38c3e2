// How a CUDA call ended. The runtime's cudaError_t and the driver's CUresult share their numbers; error_table.hpp
// lists all of them.
#pragma once

#include "sim/launch_error.hpp"

#include <exception>
#include <string>
#include <utility>

namespace warpsim::cuda {

enum class Result : int {
#define WARPSIM_CUDA_ERROR(name, number, runtime, driver, text) name = number,
#define WARPSIM_RUNTIME_ERROR(name, number, runtime, driver, text) name = number,
#define WARPSIM_DRIVER_ERROR(name, number, driver, text) name = number,
#include "runtime/cuda/core/error_table.hpp"
};

/// What the core of the CUDA libraries throws; their C functions return its number.
class Failure : public std::exception {
public:
    explicit Failure(Result result, std::string reason = {}) : result_(result), reason_(std::move(reason)) {}
    Result result() const { return result_; }
    /// More than the number says, for messages; may be empty.
    std::string const& reason() const { return reason_; }
    /// That was to be launched, as it is called in PTX; empty: none.
    std::string const& kernel() const { return kernel_; }
    void set_kernel(std::string const& kernel) { kernel_ = kernel; }
    char const* what() const noexcept override { return "a CUDA call failed"; }

private:
    Result result_;
    std::string reason_, kernel_;
};

/// The error of a call for memory that is not what it must be; the reason says what is wrong.
class BadMemory : public Failure {
public:
    using Failure::Failure;
};

/// The error of a call for a kernel that cannot be launched.
Result result_of(LaunchError::Reason reason);
/// Prints an error of the simulator, once a process, and gives the number that a call returns for it.
Result tell(std::exception const& error);

/// Of an argument.
inline void require(bool is_valid) {
    if (!is_valid) throw Failure(Result::invalid_value);
}

/// "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE" and "invalid argument"; null for a number that has none.
char const* runtime_name(int number);
char const* driver_name(int number);
char const* description(int number);
/// The driver's own error for one that only the runtime has; any other error is the same in both.
Result as_driver_error(Result result);

}  // namespace warpsim::cuda
