// Attention without a matrix of all scores, as on Ampere and on Hopper.
#include "tests/kernels/matrices.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>

namespace attention_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::tensor::Element;

namespace {

constexpr std::size_t width = 64;
constexpr float scale = 0.125f, to_powers_of_two = 1.44269504f;

struct Heads {
    std::size_t count, length;
    std::vector<float> q, k, v;  // numbers that f16 has

    Heads(std::size_t heads, std::size_t rows)
        : count(heads), length(rows), q(numbers(1)), k(numbers(2)), v(numbers(3)) {}

    /// Checks outputs of f16.
    void check(std::vector<std::uint16_t> const& got, bool is_causal) const {
        double most = -1;
        for (std::size_t row = 0; row < count * length; ++row) {
            std::size_t const head = row / length * length, seen = is_causal ? row - head + 1 : length;
            std::vector<double> weights(seen);
            double greatest = -INFINITY, total = 0;
            for (std::size_t j = 0; j < seen; ++j) {
                for (std::size_t i = 0; i < width; ++i)
                    weights[j] +=
                        product(q[row * width + i], k[(head + j) * width + i]) * static_cast<double>(scale);
                greatest = std::max(greatest, weights[j]);
            }
            for (double& weight : weights) total += weight = std::exp(weight - greatest);
            for (std::size_t i = 0; i < width; ++i) {
                double sum = 0, magnitude = 0;
                for (std::size_t j = 0; j < seen; ++j) {
                    double const term = weights[j] / total * static_cast<double>(v[(head + j) * width + i]);
                    sum += term;
                    magnitude += std::abs(term);
                }
                // Weights and outputs are rounded to f16.
                double const bound = magnitude * 0x1.2p-10 + 0x1p-20;
                double const is = static_cast<double>(float_of_half(got[row * width + i]));
                most = std::max(most, std::abs(is - sum) - bound);
            }
        }
        CHECK(most <= 0);
    }

private:
    static double product(float a, float b) { return static_cast<double>(a) * static_cast<double>(b); }
    std::vector<float> numbers(std::uint32_t seed) const { return elements(count * length * width, seed, false); }
};

}  // namespace

TEST_CASE("Attention by mma behind copies gives the host's", "[kernels]") {
    Heads const p(2, 192);
    for (int const is_causal : {0, 1}) {
        in_every_mode("attention", [&](Machine& machine) {
            auto const q = machine.device.upload(halves_of(p.q)), k = machine.device.upload(halves_of(p.k)),
                       v = machine.device.upload(halves_of(p.v)),
                       o = machine.device.upload(std::vector<std::uint16_t>(p.q.size()));
            machine.launch("attention", {3, 2, 1}, {128, 1, 1}, 0, 192, is_causal, scale * to_powers_of_two, q, k,
                           v, o);
            p.check(machine.device.download<std::uint16_t>(o, p.q.size()), is_causal != 0);
        });
    }
}

TEST_CASE("Attention by specialised warpgroups gives the host's", "[kernels]") {
    Heads const p(2, 256);
    for (int const is_causal : {0, 1}) {
        in_every_mode("hopper_attention", [&](Machine& machine) {
            auto const q = machine.device.upload(halves_of(p.q)), k = machine.device.upload(halves_of(p.k)),
                       v = machine.device.upload(halves_of(p.v)),
                       o = machine.device.upload(std::vector<std::uint16_t>(p.q.size()));
            auto const rows = [](std::uint64_t at) { return map_of(Element::f16, at, width, 512, 64, 64); };
            machine.launch("hopper_attention", {2, 2, 1}, {384, 1, 1}, 6 * 8192 + 128, 256, is_causal,
                           scale * to_powers_of_two, rows(q), rows(k), rows(v), o);
            p.check(machine.device.download<std::uint16_t>(o, p.q.size()), is_causal != 0);
        });
    }
}

}  // namespace attention_test
