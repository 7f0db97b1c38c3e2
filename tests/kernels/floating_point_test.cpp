// Kernels of floating-point arithmetic. The expected values repeat the operations that nvcc chose, in their order:
// see the fma in each .ptx.
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floating_point_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::uint32_t ceiling(int count, int size) { return static_cast<std::uint32_t>((count + size - 1) / size); }

std::vector<float> matmul_on_host(int n, std::vector<float> const& a, std::vector<float> const& b) {
    std::vector<float> c(a.size());
    auto const at = [n](int row, int column) { return static_cast<std::size_t>(row * n + column); };
    for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
            float sum = 0.0f;
            for (int k = 0; k < n; ++k) {
                sum = std::fma(a[at(row, k)], b[at(k, column)], sum);
            }
            c[at(row, column)] = sum;
        }
    }
    return c;
}

struct View {
    int width, height;
    float x0, y0, dx, dy;
    int max_iterations;
};

int iterations_on_host(View const& view, int column, int row) {
    float const cx = std::fma(static_cast<float>(column), view.dx, view.x0);
    float const cy = std::fma(static_cast<float>(row), view.dy, view.y0);
    float x = 0.0f, y = 0.0f, xx = 0.0f, yy = 0.0f;
    int i = 0;
    while (xx + yy < 4.0f && i < view.max_iterations) {
        float const next = cx + (xx - yy);
        y = std::fma(x + x, y, cy);
        x = next;
        xx = x * x;
        yy = y * y;
        ++i;
    }
    return i;
}

std::vector<int> mandelbrot_on_host(View const& view) {
    std::vector<int> out;
    for (int row = 0; row < view.height; ++row) {
        for (int column = 0; column < view.width; ++column) {
            out.push_back(iterations_on_host(view, column, row));
        }
    }
    return out;
}

float stencil_on_host(std::vector<float> const& in, int width, int height, int x, int y, float centre,
                      float side) {
    auto const at = [&](int column, int row) {
        column = std::clamp(column, 0, width - 1);
        row = std::clamp(row, 0, height - 1);
        return in[static_cast<std::size_t>(row * width + column)];
    };
    float const sides = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
    return std::fma(at(x, y), centre, sides * side);
}

}  // namespace

TEST_CASE("saxpy is exact to the bit and leaves what lies behind n alone", "[kernels]") {
    int const n = 1000;
    auto const x = random_floats(1024, 1, -1, 1);
    auto const y = random_floats(1024, 2, -1, 1);
    auto want = y;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        want[i] = std::fma(x[i], 2.5f, y[i]);
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("saxpy", way);
        auto const device_x = machine.device.upload(x);
        auto const device_y = machine.device.upload(y);
        auto const result = machine.launch("saxpy", {4, 1, 1}, {256, 1, 1}, 0, n, 2.5f, device_x, device_y);
        CHECK(machine.device.download<float>(device_y, 1024) == want);
        CHECK(result.kernel == "saxpy");
        CHECK(result.branches.total == 32);
        CHECK(result.branches.divergent == 1);
    }
}

TEST_CASE("A tiled matrix product is exact to the bit, also where tiles overhang the matrix", "[kernels]") {
    int const n = 40;
    auto const a = random_floats(static_cast<std::size_t>(n * n), 3, -1, 1);
    auto const b = random_floats(static_cast<std::size_t>(n * n), 4, -1, 1);
    auto const want = matmul_on_host(n, a, b);
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("matmul", way);
        auto const device_a = machine.device.upload(a);
        auto const device_b = machine.device.upload(b);
        auto const device_c = machine.device.allocate(a.size() * sizeof(float));
        machine.launch("matmul", {3, 3, 1}, {16, 16, 1}, 0, n, device_a, device_b, device_c);
        CHECK(machine.device.download<float>(device_c, a.size()) == want);
    }
}

TEST_CASE("The Mandelbrot set has the iteration counts of the same arithmetic on the host", "[kernels]") {
    View const view{70, 50, -2.0f, -1.0f, 3.0f / 70, 2.0f / 50, 100};
    auto const want = mandelbrot_on_host(view);
    REQUIRE(std::count(want.begin(), want.end(), 100) > 100);
    for (Way const& way : every_way()) {
        for (std::array<std::uint32_t, 3> const block : {std::array{16u, 16u, 1u}, std::array{32u, 8u, 1u}}) {
            INFO(way.text() << ", block " << block[0] << "x" << block[1]);
            Machine machine("mandelbrot", way);
            auto const out = machine.device.allocate(want.size() * sizeof(int));
            auto const result = machine.launch(
                "mandelbrot",
                {ceiling(70, static_cast<int>(block[0])), ceiling(50, static_cast<int>(block[1])), 1}, block, 0,
                out, view.width, view.height, view.x0, view.y0, view.dx, view.dy, view.max_iterations);
            CHECK(machine.device.download<int>(out, want.size()) == want);
            CHECK(result.branches.divergent > 0);
        }
    }
}

TEST_CASE("A stencil is exact to the bit, its edges included", "[kernels]") {
    int const width = 45, height = 21;
    auto const in = random_floats(static_cast<std::size_t>(width * height), 5, 0, 1);
    std::vector<float> want;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            want.push_back(stencil_on_host(in, width, height, x, y, 0.5f, 0.125f));
        }
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("stencil", way);
        auto const device_in = machine.device.upload(in);
        auto const out = machine.device.allocate(in.size() * sizeof(float));
        machine.launch("stencil", {3, 3, 1}, {16, 8, 1}, 0, width, height, 0.5f, 0.125f, device_in, out);
        CHECK(machine.device.download<float>(out, in.size()) == want);
    }
}

TEST_CASE("Forces among bodies are near those of double precision", "[kernels]") {
    std::size_t const n = 96;
    float const softening = 0.01f;
    auto const bodies = random_floats(4 * n, 6, -1, 1);
    std::vector<double> want(3 * n), size(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            std::array<double, 3> distance{};
            double square = softening;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                distance[axis] = double{bodies[4 * j + axis]} - double{bodies[4 * i + axis]};
                square += distance[axis] * distance[axis];
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                double const part = distance[axis] * bodies[4 * j + 3] / (square * std::sqrt(square));
                want[3 * i + axis] += part;
                size[3 * i + axis] += std::abs(part);
            }
        }
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("nbody", way);
        auto const device_bodies = machine.device.upload(bodies);
        auto const out = machine.device.allocate(4 * n * sizeof(float));
        machine.launch("nbody", {3, 1, 1}, {32, 1, 1}, 32 * 16, static_cast<int>(n), softening, device_bodies,
                       out);
        auto const got = machine.device.download<float>(out, 4 * n);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                double const error = std::abs(double{got[4 * i + axis]} - want[3 * i + axis]);
                wrong += !(error <= 2e-5 * size[3 * i + axis]);
            }
            wrong += got[4 * i + 3] != 0;
        }
        CHECK(wrong == 0);
    }
}

}  // namespace floating_point_test
