// Products of matrices as Hopper computes them: tensor copies, mbarriers, products of warpgroups.
#include "tests/kernels/matrices.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>

namespace hopper_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::tensor::Element;

namespace {

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
        std::uint32_t const stages = tile_columns == 128 ? 6 : 4;
        machine.launch(kernel, {ctas, 1, 1}, {384, 1, 1}, stages * stage + 2 * 8192 + 96, static_cast<int>(m),
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

/// Codes of e4m3: integers from -2 to 2, or numbers from 1/8 to 15 of either sign.
std::vector<std::uint8_t> byte_floats(std::size_t count, std::uint32_t seed, bool are_small) {
    constexpr std::uint8_t integers[] = {0, 0x38, 0x40, 0xb8, 0xc0};
    std::vector<std::uint8_t> codes;
    for (auto const bits : random_integers<std::uint32_t>(count, seed))
        codes.push_back(are_small ? integers[bits % 5]
                                  : static_cast<std::uint8_t>((bits & 0x87) | (4 + bits / 256 % 7) << 3));
    return codes;
}
double value_of(std::uint8_t code) {
    int const exponent = code >> 3 & 15, fraction = code & 7;
    double const magnitude = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

struct ScaledProblem {
    static constexpr std::size_t m = 256, n = 128, k = 640, blocks = k / 128;
    bool are_small;
    std::vector<std::uint8_t> a, b;
    std::vector<float> scales_of_a, scales_of_b;
    std::vector<double> sums = std::vector<double>(m * n), bounds = sums;

    explicit ScaledProblem(bool small)
        : are_small(small), a(byte_floats(m * k, 1, small)), b(byte_floats(n * k, 2, small)) {
        for (auto const bits : random_integers<std::uint32_t>(m * blocks, 3))
            scales_of_a.push_back(std::ldexp(1.f, static_cast<int>(bits % 4) - 2));
        for (auto const bits : random_integers<std::uint32_t>(n / 128 * blocks, 4))
            scales_of_b.push_back(small ? 1.f : 1.f + static_cast<float>(bits % 64) / 64);
        std::vector<double> x, y;
        for (std::uint8_t const code : a) x.push_back(value_of(code));
        for (std::uint8_t const code : b) y.push_back(value_of(code));
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) add_blocks(i, j, &x[i * k], &y[j * k]);
    }

    void check(std::vector<float> const& got) const {
        double most = -1;
        for (std::size_t i = 0; i < got.size(); ++i)
            most = std::max(most, std::abs(static_cast<double>(got[i]) - sums[i]) - bounds[i]);
        CHECK(most <= 0);
    }

private:
    void add_blocks(std::size_t i, std::size_t j, double const* x, double const* y) {
        double &sum = sums[i * n + j], &bound = bounds[i * n + j];
        for (std::size_t block = 0; block < blocks; ++block) {
            double part = 0, largest = 0;
            for (std::size_t l = 128 * block; l < 128 * (block + 1); ++l) {
                part += x[l] * y[l];
                largest = std::max({largest, std::abs(x[l] * y[l]), std::abs(part)});
            }
            double const scale = static_cast<double>(scales_of_a[i * blocks + block]) *
                                 static_cast<double>(scales_of_b[j / 128 * blocks + block]);
            sum += part * scale;
            // Each of 32 products, and the sum, is cut 13 places behind the largest, in each of four instructions.
            if (!are_small) bound += 4 * 33 * largest * 0x1p-12 * scale + std::abs(sum) * 0x1p-22;
        }
    }
};

/// Images of 8 by 16 pixels.
struct Convolution {
    static constexpr std::size_t images = 2, height = 8, width = 16, channels = 128, filters = 64, size = 3;
    std::vector<float> in = elements(images * height * width * channels, 1, true),
                       weights = elements(filters * size * size * channels, 2, true);

    double want(std::size_t image, std::size_t y, std::size_t x, std::size_t filter) const {
        double sum = 0;
        for (std::size_t r = 0; r < size; ++r) {
            for (std::size_t s = 0; s < size; ++s) {
                std::size_t const row = y + r - size / 2, column = x + s - size / 2;  // wraps beyond the edges
                if (row >= height || column >= width) continue;
                for (std::size_t c = 0; c < channels; ++c)
                    sum += static_cast<double>(in[((image * height + row) * width + column) * channels + c]) *
                           static_cast<double>(weights[((filter * size + r) * size + s) * channels + c]);
            }
        }
        return sum;
    }

    static MapArgument map_of_images(std::uint64_t at) {
        sim::tensor::TensorMap map;
        map.mode = sim::tensor::Mode::im2col;
        map.element = Element::f16;
        map.swizzle = sim::tensor::Swizzle::bytes_128;
        map.rank = 4;
        map.address = at;
        map.dims = {channels, width, height, images, 1};
        map.strides = {2 * channels, 2 * channels * width, 2 * channels * width * height, 0};
        map.channels = 64;
        map.pixels = 128;
        // From the place of a filter's first corner, -1, to that of the last filter that fits.
        map.lower = {-1, -1, 0};
        map.upper = {-1, -1, 0};
        return {sim::tensor::encode(map)};
    }
};

}  // namespace

TEST_CASE("A persistent product by clusters of specialised warpgroups gives the host's", "[kernels]") {
    check_gemm("hopper_gemm", 512, 256, 320, 128, 4);
}

TEST_CASE("A persistent product with wide tiles gives the host's", "[kernels]") {
    check_gemm("hopper_wide_gemm", 256, 512, 192, 256, 2);
}

TEST_CASE("A product of 8-bit floats with scales for blocks gives the host's", "[kernels]") {
    for (bool const are_small : {true, false}) {
        ScaledProblem const p(are_small);
        in_every_mode("hopper_fp8_gemm", [&](Machine& machine) {
            auto const a = machine.device.upload(p.a), b = machine.device.upload(p.b),
                       scales_of_a = machine.device.upload(p.scales_of_a),
                       scales_of_b = machine.device.upload(p.scales_of_b),
                       c = machine.device.upload(std::vector<float>(p.m * p.n));
            machine.launch("hopper_fp8_gemm", {p.n / 128, p.m / 128, 1}, {384, 1, 1}, 4 * 32768 + 64,
                           static_cast<int>(p.n), static_cast<int>(p.k),
                           map_of(Element::u8, a, p.k, p.m, 128, 128), map_of(Element::u8, b, p.k, p.n, 128, 128),
                           scales_of_a, scales_of_b, c);
            p.check(machine.device.download<float>(c, p.m * p.n));
        });
    }
}

TEST_CASE("A convolution whose pixels come by tensor copies gives the host's", "[kernels]") {
    using C = Convolution;
    Convolution const p;
    std::vector<double> want;
    for (std::size_t pixel = 0; pixel < C::images * C::height * C::width; ++pixel) {
        std::size_t const x = pixel % C::width, y = pixel / C::width % C::height;
        for (std::size_t filter = 0; filter < C::filters; ++filter)
            want.push_back(p.want(pixel / (C::width * C::height), y, x, filter));
    }
    in_every_mode("hopper_convolution", [&](Machine& machine) {
        auto const in = machine.device.upload(halves_of(p.in)),
                   weights = machine.device.upload(halves_of(p.weights)),
                   out = machine.device.upload(std::vector<float>(want.size()));
        machine.launch("hopper_convolution", {C::images * C::height * C::width / 128, C::filters / 64, 1},
                       {288, 1, 1}, 3 * 24576 + 64, static_cast<int>(C::height), static_cast<int>(C::width),
                       static_cast<int>(C::channels), static_cast<int>(C::size), C::map_of_images(in),
                       map_of(Element::f16, weights, C::size * C::size * C::channels, C::filters, 64, 64), out);
        auto const got = machine.device.download<float>(out, want.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < want.size(); ++i) wrong += static_cast<double>(got[i]) != want[i];
        CHECK(wrong == 0);
    });
}

}  // namespace hopper_test
