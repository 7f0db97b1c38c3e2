#include "runtime/cuda/core/errors.hpp"

#include "runtime/log.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace warpsim::cuda {

namespace {

struct Row {
    Result result;
    char const* runtime_name;  // null where the runtime has no such error
    char const* driver_name;   // null where the driver has none
    Result in_driver;
    char const* text;
};

constexpr Row rows[] = {
#define WARPSIM_CUDA_ERROR(name, number, runtime, driver, text) \
    {Result::name, #runtime, #driver, Result::name, text},
#define WARPSIM_RUNTIME_ERROR(name, number, runtime, driver, text) \
    {Result::name, #runtime, nullptr, Result::driver, text},
#define WARPSIM_DRIVER_ERROR(name, number, driver, text) {Result::name, nullptr, #driver, Result::name, text},
#include "runtime/cuda/core/error_table.hpp"
};

constexpr bool is_before(Row const& row, int number) { return static_cast<int>(row.result) < number; }

static_assert(std::is_sorted(std::begin(rows), std::end(rows), [](Row const& a, Row const& b) {
    return static_cast<int>(a.result) < static_cast<int>(b.result);
}));

Row const* row(int number) {
    auto const* const at = std::lower_bound(std::begin(rows), std::end(rows), number, is_before);
    return at != std::end(rows) && static_cast<int>(at->result) == number ? at : nullptr;
}

}  // namespace

Result result_of(LaunchError::Reason reason) {
    switch (reason) {
        case LaunchError::Reason::not_executed: return Result::not_supported;
        case LaunchError::Reason::cluster: return Result::invalid_cluster_size;
        case LaunchError::Reason::launch_bounds: return Result::invalid_value;
        case LaunchError::Reason::resources: break;
    }
    return Result::launch_out_of_resources;
}

Result tell(std::exception const& error) {
    std::string const text = error.what();
    auto const* const why = dynamic_cast<LaunchError const*>(&error);
    // A program may ask for each attribute of a kernel that cannot run.
    if (dynamic_cast<Error const*>(&error) != nullptr) log::failure_once(text);
    else log::failure_once("internal error: " + text + " (a bug in warpsim; please report it)");
    return why != nullptr ? result_of(why->reason()) : Result::unknown;
}

char const* runtime_name(int number) {
    Row const* const found = row(number);
    return found != nullptr ? found->runtime_name : nullptr;
}

char const* driver_name(int number) {
    Row const* const found = row(number);
    return found != nullptr ? found->driver_name : nullptr;
}

char const* description(int number) {
    Row const* const found = row(number);
    return found != nullptr ? found->text : nullptr;
}

Result as_driver_error(Result result) {
    Row const* const found = row(static_cast<int>(result));
    return found != nullptr ? found->in_driver : result;
}

}  // namespace warpsim::cuda
