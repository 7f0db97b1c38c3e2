// Products of matrices as Blackwell computes them: tensor copies, tensor memory, pairs of CTAs, scales of blocks.
#include "tests/kernels/matrices.hpp"
#include "tests/support/catch.hpp"

#include <cmath>

namespace blackwell_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::tensor::Element;

namespace {

/// Calls `f` with a machine of each way, one that copies and multiplies as late as it may, and one with a clock.
template <class F> void in_all_modes(F const& f) {
    std::string const generation = "compute_capability=10.0", file = "blackwell_gemm";
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine(file, with_threads(way.threads), {generation, "sm.control_flow=" + way.control_flow});
        f(machine);
    }
    {
        INFO("late");
        Machine machine(file, with_threads(1), {generation, "functional.late_async=true"});
        f(machine);
    }
    INFO("with a clock");
    Machine machine(file, with_clock(), {generation});
    f(machine);
}

constexpr std::uint32_t shared_of(std::uint32_t ctas) { return 3 * (16384 + 16384 / ctas + 2048) + 64; }

void check_f16(char const* kernel, std::uint32_t ctas, std::size_t m, std::size_t n, std::size_t k) {
    std::vector<float> const a = elements(m * k, 1, false), b = elements(n * k, 2, false);
    std::vector<double> sums(m * n), magnitudes(m * n);
    for (std::size_t i = 0; i < m * n; ++i) {
        for (std::size_t l = 0; l < k; ++l) {
            double const product = static_cast<double>(a[i / n * k + l]) * static_cast<double>(b[i % n * k + l]);
            sums[i] += product;
            magnitudes[i] += std::abs(product);
        }
    }
    in_all_modes([&](Machine& machine) {
        auto const da = machine.device.upload(halves_of(a)), db = machine.device.upload(halves_of(b)),
                   dc = machine.device.upload(std::vector<std::uint16_t>(m * n));
        machine.launch(kernel, {static_cast<std::uint32_t>(m / 128), static_cast<std::uint32_t>(n / 128), 1},
                       {192, 1, 1}, shared_of(ctas), static_cast<int>(n), static_cast<int>(k),
                       map_of(Element::f16, da, k, m, 64, 128), map_of(Element::f16, db, k, n, 64, 128 / ctas),
                       dc);
        auto const c = machine.device.download<std::uint16_t>(dc, m * n);
        double most = -1;
        for (std::size_t i = 0; i < m * n; ++i) {
            double const got = static_cast<double>(float_of_half(c[i]));
            double const bound =
                magnitudes[i] * 0x1p-22 * static_cast<double>(k / 16) + std::abs(sums[i]) * 0x1p-11 + 0x1p-25;
            most = std::max(most, std::abs(got - sums[i]) - bound);
        }
        CHECK(most <= 0);
    });
}

double value_of_e2m1(unsigned code) {
    constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return (code & 8) != 0 ? -magnitudes[code & 7] : magnitudes[code & 7];
}

/// Numbers of four bits, and exponents of every 32 of them as the kernel wants these.
struct ScaledMatrix {
    ScaledMatrix(std::size_t rows, std::size_t k, std::uint32_t seed)
        : codes(random_integers<std::uint8_t>(rows * k / 2, seed)), scales(rows * k / 32), k_(k) {
        for (std::uint8_t& s : scales)
            s = static_cast<std::uint8_t>(125 + (seed = seed * 1664525 + 1013904223) % 5);
    }
    double at(std::size_t row, std::size_t k) const {
        unsigned const code = codes[(row * k_ + k) / 2] >> (4 * (k % 2)) & 15;
        std::size_t const block = row / 128 * (k_ / 128) + k / 128;
        int const exponent = scales[block * 512 + row % 32 * 16 + row % 128 / 32 * 4 + k % 128 / 32];
        return std::ldexp(value_of_e2m1(code), exponent - 127);
    }
    /// Row by row.
    std::vector<double> values(std::size_t rows) const {
        std::vector<double> all;
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t k = 0; k < k_; ++k) all.push_back(at(row, k));
        return all;
    }
    std::vector<std::uint8_t> codes, scales;

private:
    std::size_t k_;
};

}  // namespace

TEST_CASE("A product by way of tensor memory gives the host's", "[kernels]") {
    check_f16("blackwell_gemm", 1, 256, 128, 256);
}

TEST_CASE("A product by pairs of blocks gives the host's", "[kernels]") {
    check_f16("blackwell_pair_gemm", 2, 256, 256, 256);
}

TEST_CASE("A product of four-bit numbers with scales gives the host's", "[kernels]") {
    constexpr std::size_t m = 128, n = 128, k = 1024;
    ScaledMatrix const a(m, k, 3), b(n, k, 4);
    std::vector<double> const of_a = a.values(m), of_b = b.values(n);
    // Few bits in each number and few exponents: every sum is exact, in f32 and here.
    std::vector<float> want;
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t l = 0; l < k; ++l) sum += of_a[i * k + l] * of_b[j * k + l];
            want.push_back(static_cast<float>(sum));
        }
    }
    in_all_modes([&](Machine& machine) {
        auto const da = machine.device.upload(a.codes), db = machine.device.upload(b.codes),
                   sa = machine.device.upload(a.scales), sb = machine.device.upload(b.scales),
                   dc = machine.device.upload(std::vector<float>(m * n));
        machine.launch("blackwell_mxfp4_gemm", {m / 128, n / 128, 1}, {192, 1, 1}, shared_of(1),
                       static_cast<int>(n), static_cast<int>(k), map_of(Element::u8, da, k / 2, m, 128, 128),
                       map_of(Element::u8, db, k / 2, n, 128, 128), sa, sb, dc);
        CHECK(machine.device.download<float>(dc, m * n) == want);
    });
}

}  // namespace blackwell_test
