#include "runtime/cuda/core/errors.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

namespace errors_test {

using namespace warpsim::cuda;

TEST_CASE("An error has its two names and one text", "[cuda]") {
    CHECK(std::strcmp(runtime_name(2), "cudaErrorMemoryAllocation") == 0);
    CHECK(std::strcmp(driver_name(2), "CUDA_ERROR_OUT_OF_MEMORY") == 0);
    CHECK(std::strcmp(description(2), "out of memory") == 0);
    CHECK(runtime_name(9) != nullptr);
    CHECK(driver_name(9) == nullptr);
    for (int const none : {-1, 10, 1000, 20000}) {
        CHECK(runtime_name(none) == nullptr);
        CHECK(driver_name(none) == nullptr);
        CHECK(description(none) == nullptr);
    }
}

TEST_CASE("The driver never answers with an error that only the runtime has", "[cuda]") {
    int checked = 0;
    for (int number = 0; number <= 10000; ++number) {
        if (description(number) == nullptr) continue;
        ++checked;
        INFO(number);
        auto const in_driver = static_cast<int>(as_driver_error(static_cast<Result>(number)));
        CHECK(driver_name(in_driver) != nullptr);
        if (driver_name(number) != nullptr) CHECK(in_driver == number);
    }
    CHECK(checked > 100);
    CHECK(as_driver_error(Result::invalid_symbol) == Result::not_found);
    CHECK(as_driver_error(Result::invalid_device_function) == Result::invalid_handle);
}

}  // namespace errors_test
