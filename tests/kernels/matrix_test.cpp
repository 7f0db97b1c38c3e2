// Products of matrices by tensor cores. Elements are small integers, so every order of the sums gives the same; and numbers
// with all their bits, whose sums are as near as their precision says.
#include "tests/kernels/matrices.hpp"
#include "tests/support/catch.hpp"

#include <cmath>

namespace matrix_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Problem {
    std::size_t m, n, k;
    bool are_small;
    std::vector<float> a, b, c;

    Problem(std::size_t rows, std::size_t columns, std::size_t depth, bool small)
        : m(rows),
          n(columns),
          k(depth),
          are_small(small),
          a(elements(rows * depth, 1, small)),
          b(elements(depth * columns, 2, small)),
          c(elements(rows * columns, 3, small)) {}

    /// `b_at(k, column)` is where an element of b stands.
    template <class F> void check(std::vector<float> const& got, bool adds_c, F const& b_at) const {
        double most = 0;
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                double sum = adds_c ? static_cast<double>(c[i * n + j]) : 0, magnitude = std::abs(sum);
                for (std::size_t l = 0; l < k; ++l) {
                    double const product = static_cast<double>(a[i * k + l]) * static_cast<double>(b[b_at(l, j)]);
                    sum += product;
                    magnitude += std::abs(product);
                }
                // A cut of each of the sums, whose units are those of the largest term and sum.
                double const bound = are_small ? 0 : magnitude * 0x1p-22 * static_cast<double>(k / 16);
                most = std::max(most, std::abs(static_cast<double>(got[i * n + j]) - sum) - bound);
            }
        }
        CHECK(most <= 0);
    }
};

}  // namespace

TEST_CASE("A tiled product by wmma gives the host's", "[kernels]") {
    for (bool const are_small : {true, false}) {
        Problem const p(128, 64, 96, are_small);
        for (Way const& way : every_way()) {
            INFO(way.text());
            Machine machine("matrix", way);
            auto const a = machine.device.upload(halves_of(p.a)), b = machine.device.upload(halves_of(p.b)),
                       c = machine.device.upload(p.c);
            machine.launch("wmma_gemm", {1, 2, 1}, {128, 1, 1}, 0, static_cast<int>(p.n), static_cast<int>(p.k), a,
                           b, c);
            p.check(machine.device.download<float>(c, p.c.size()), true,
                    [&](std::size_t l, std::size_t j) { return l * p.n + j; });
        }
    }
}

TEST_CASE("A product by mma behind stages of copies gives the host's", "[kernels]") {
    struct Kernel {
        char const *module, *name;
        std::uint32_t tile, shared_bytes;
    };
    for (Kernel const& kernel :
         {Kernel{"matrix", "mma_gemm", 64, 3 * 16384}, Kernel{"matrix", "mma_wide_gemm", 128, 4 * 16384},
          Kernel{"ampere_gemm", "ampere_gemm", 128, 4 * 16384}}) {
        for (bool const are_small : {true, false}) {
            Problem const p(kernel.tile, 2 * kernel.tile, 320, are_small);
            for (Way const& way : every_way()) {
                INFO(kernel.name << ", " << way.text());
                Machine machine(kernel.module, way);
                auto const a = machine.device.upload(halves_of(p.a)), b = machine.device.upload(halves_of(p.b)),
                           c = machine.device.upload(p.c);
                machine.launch(kernel.name, {2, 1, 1}, {128, 1, 1}, kernel.shared_bytes, static_cast<int>(p.n),
                               static_cast<int>(p.k), a, b, c);
                p.check(machine.device.download<float>(c, p.c.size()), false,
                        [&](std::size_t l, std::size_t j) { return l * p.n + j; });
            }
        }
    }
}

namespace {

/// A finite number of e4m3.
double number_of_e4m3(std::uint8_t code) {
    int const field = code >> 3 & 15, fraction = code & 7;
    double const magnitude = field == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, field - 10);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("Products of bytes give the host's", "[kernels]") {
    constexpr std::size_t m = 64, n = 128, k = 320, sums = k / 32;
    auto const integers_a = random_integers<std::int8_t>(m * k, 1),
               integers_b = random_integers<std::int8_t>(n * k, 2);
    // Numbers of e4m3 below 2 in magnitude.
    auto const floats_of = [](std::vector<std::int8_t> const& bytes) {
        std::vector<std::uint8_t> codes(bytes.size());
        for (std::size_t i = 0; i < bytes.size(); ++i) codes[i] = static_cast<std::uint8_t>(bytes[i]) & 0xbf;
        return codes;
    };
    auto const floats_a = floats_of(integers_a), floats_b = floats_of(integers_b);
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("byte_matrix", way);
        auto const c = machine.device.upload(std::vector<std::uint32_t>(m * n));
        auto const launch = [&](char const* kernel, auto const& a, auto const& b) {
            machine.launch(kernel, {n / 64, m / 64, 1}, {128, 1, 1}, 0, static_cast<int>(n), static_cast<int>(k),
                           machine.device.upload(a), machine.device.upload(b), c);
        };
        std::size_t wrong_integers = 0, wrong_floats = 0;
        launch("s8_gemm", integers_a, integers_b);
        auto const of_integers = machine.device.download<std::int32_t>(c, m * n);
        launch("e4m3_gemm", floats_a, floats_b);
        auto const of_floats = machine.device.download<float>(c, m * n);
        for (std::size_t i = 0; i < m * n; ++i) {
            std::int32_t integer = 0;
            double sum = 0, magnitude = 0;
            for (std::size_t l = 0; l < k; ++l) {
                std::size_t const at_a = i / n * k + l, at_b = i % n * k + l;
                integer += integers_a[at_a] * integers_b[at_b];
                double const product = number_of_e4m3(floats_a[at_a]) * number_of_e4m3(floats_b[at_b]);
                sum += product;
                magnitude += std::abs(product);
            }
            wrong_integers += of_integers[i] != integer ? 1u : 0u;
            // Each of the sums of 32 products is rounded.
            double const bound = magnitude * 0x1p-24 * static_cast<double>(sums);
            wrong_floats += std::abs(static_cast<double>(of_floats[i]) - sum) > bound ? 1u : 0u;
        }
        CHECK(wrong_integers == 0);
        CHECK(wrong_floats == 0);
    }
}

TEST_CASE("A product with a sparse matrix gives the host's", "[kernels]") {
    for (bool const are_small : {true, false}) {
        Problem p(32, 32, 128, are_small);
        // Of four neighbours in a row the first two or the last two remain, or the outer ones, in turn.
        std::vector<float> packed;
        std::vector<std::uint32_t> metadata(p.m / 16 * p.k / 32 * 16);
        constexpr std::uint32_t pairs[3][2] = {{0, 1}, {2, 3}, {0, 3}};
        for (std::size_t row = 0; row < p.m; ++row) {
            for (std::size_t chunk = 0; chunk < p.k / 4; ++chunk) {
                auto const& pair = pairs[(row + chunk) % 3];
                for (std::size_t place = 0; place < 4; ++place) {
                    float& element = p.a[row * p.k + 4 * chunk + place];
                    if (place == pair[0] || place == pair[1]) packed.push_back(element);
                    else element = 0;
                }
                std::size_t const word = (row / 16 * (p.k / 32) + chunk / 8) * 16 + 2 * (row % 8) + chunk % 8 / 4;
                metadata[word] |= (pair[0] | pair[1] << 2) << (16 * (row % 16 / 8) + 4 * (chunk % 4));
            }
        }
        for (Way const& way : every_way()) {
            INFO(way.text());
            Machine machine("matrix", way);
            auto const a = machine.device.upload(halves_of(packed)), e = machine.device.upload(metadata),
                       b = machine.device.upload(halves_of(p.b)), c = machine.device.upload(p.c);
            machine.launch("sparse_gemm", {2, 2, 1}, {64, 1, 1}, 0, static_cast<int>(p.n), static_cast<int>(p.k),
                           a, e, b, c);
            p.check(machine.device.download<float>(c, p.c.size()), false,
                    [&](std::size_t l, std::size_t j) { return j * p.k + l; });
        }
    }
}

}  // namespace matrix_test
