// Products of matrices and attention as Hopper computes them: tensor copies, mbarriers, products of warpgroups.
#include "tests/kernels/matrices.hpp"
#include "tests/support/catch.hpp"

#include <cmath>

using namespace warpsim;
using namespace warpsim::test;
using sim::tensor::Element;

namespace {

/// Calls `f` with a machine of each way, and one with a clock.
template <class F> void in_every_mode(std::string const& file, F const& f) {
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine(file, way);
        f(machine);
    }
    INFO("with a clock");
    Machine machine(file, with_clock());
    f(machine);
}

/// A sum of products, and of their magnitudes, by which a sum of less precision may differ.
struct Sum {
    double value = 0, magnitude = 0;
    void add(double product) {
        value += product;
        magnitude += std::abs(product);
    }
};

/// c = a * b of f16, with columns of b behind each other.
void check_gemm(char const* kernel, std::size_t m, std::size_t n, std::size_t k, std::size_t tile_columns,
                std::uint32_t ctas) {
    std::vector<float> const a = elements(m * k, 1, false), b = elements(n * k, 2, false);
    in_every_mode("hopper_gemm", [&](Machine& machine) {
        auto const da = machine.device.upload(halves_of(a)), db = machine.device.upload(halves_of(b)),
                   dc = machine.device.upload(std::vector<std::uint16_t>(m * n));
        auto const rows_of_b = static_cast<std::uint32_t>(tile_columns / 2);
        std::uint32_t const stage = 128 * 128 + static_cast<std::uint32_t>(tile_columns) * 128;
        machine.launch(kernel, {ctas, 1, 1}, {384, 1, 1}, 4 * stage + 2 * 8192 + 64, static_cast<int>(m),
                       static_cast<int>(n), static_cast<int>(k), map_of(Element::f16, da, k, m, 64, 128),
                       map_of(Element::f16, db, k, n, 64, rows_of_b), map_of(Element::f16, dc, n, m, 64, 64));
        auto const c = machine.device.download<std::uint16_t>(dc, m * n);
        double most = -1;
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                Sum sum;
                for (std::size_t l = 0; l < k; ++l)
                    sum.add(static_cast<double>(a[i * k + l]) * static_cast<double>(b[j * k + l]));
                double const got = static_cast<double>(float_of_half(c[i * n + j]));
                double const bound = sum.magnitude * 0x1p-22 * static_cast<double>(k / 16) +
                                     std::abs(sum.value) * 0x1p-11 + 0x1p-25;
                most = std::max(most, std::abs(got - sum.value) - bound);
            }
        }
        CHECK(most <= 0);
    });
}

}  // namespace

TEST_CASE("A persistent product by clusters of specialised warpgroups gives the host's", "[kernels]") {
    check_gemm("hopper_gemm", 512, 256, 320, 128, 4);
}

TEST_CASE("A persistent product with wide tiles gives the host's", "[kernels]") {
    check_gemm("hopper_wide_gemm", 256, 512, 192, 256, 2);
}
