// The same kernels under the headers of other PTX versions and targets.
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <numeric>

namespace variants_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// h100 is of compute capability 9.0: 12.1 is above it, which warns, and 9.0a is its own.
std::vector<std::string> const targets{"sm_50", "sm_80", "sm_90a", "sm_121"};

}  // namespace

TEST_CASE("saxpy runs under old and new headers", "[kernels]") {
    auto const x = random_floats(100, 1, -1, 1);
    auto const y = random_floats(100, 2, -1, 1);
    auto want = y;
    for (std::size_t i = 0; i < 100; ++i) {
        want[i] = std::fma(x[i], 3.0f, y[i]);
    }
    for (std::string const& target : targets) {
        INFO(target);
        Machine machine("variants/saxpy_" + target);
        auto const device_x = machine.device.upload(x);
        auto const device_y = machine.device.upload(y);
        machine.launch("saxpy", {2, 1, 1}, {64, 1, 1}, 0, 100, 3.0f, device_x, device_y);
        CHECK(machine.device.download<float>(device_y, 100) == want);
    }
}

TEST_CASE("A reduction runs under old and new headers", "[kernels]") {
    auto const in = random_integers<std::uint32_t>(1000, 3);
    for (std::string const& target : targets) {
        INFO(target);
        Machine machine("variants/reduce_" + target);
        auto const device_in = machine.device.upload(in);
        auto const sum = machine.device.allocate(4);
        machine.launch("reduce", {3, 1, 1}, {64, 1, 1}, 0, 1000, device_in, sum);
        CHECK(machine.device.download<std::uint32_t>(sum, 1)[0] == std::accumulate(in.begin(), in.end(), 0u));
    }
}

TEST_CASE("The Mandelbrot set is the same under old and new headers", "[kernels]") {
    auto const picture = [](std::string const& file) {
        Machine machine(file);
        auto const out = machine.device.allocate(64 * 32 * 4);
        machine.launch("mandelbrot", {4, 2, 1}, {16, 16, 1}, 0, out, 64, 32, -2.0f, -1.0f, 3.0f / 64, 2.0f / 32,
                       50);
        return machine.device.download<std::int32_t>(out, 64 * 32);
    };
    auto const want = picture("mandelbrot");
    CHECK(want[16 * 64 + 42] == 50);
    for (std::string const& target : targets) {
        INFO(target);
        CHECK(picture("variants/mandelbrot_" + target) == want);
    }
}

}  // namespace variants_test
