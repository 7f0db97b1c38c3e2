// Calls, local memory, variables with initialisers, loads under divergence, locks.
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstring>
#include <numeric>

namespace functions_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Polynomial {
    std::array<std::int32_t, 4> coefficients;
    std::int16_t shift;
    std::int8_t sign;
};
static_assert(sizeof(Polynomial) == 20);

std::int64_t evaluate(Polynomial const& p, std::int32_t x, std::int64_t start) {
    std::int64_t value = start;
    for (std::int32_t const coefficient : p.coefficients) {
        value = value * x + coefficient;
    }
    return (value >> p.shift) * p.sign;
}

Polynomial derivative(Polynomial const& p) {
    auto const& c = p.coefficients;
    return {{0, 3 * c[0], 2 * c[1], c[2]}, p.shift, p.sign};
}

std::uint32_t digits_on_host(std::uint32_t number, std::uint32_t base, std::uint32_t i) {
    std::vector<std::uint32_t> stack;
    for (; number != 0; number /= base) {
        stack.push_back(number % base);
    }
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < stack.size(); ++k) {
        value = value * base + stack[k] + stack[(k * 7 + i) % stack.size()];
    }
    return value;
}

std::uint32_t divergent_load_on_host(std::vector<std::uint32_t> const& in, std::uint32_t i, std::uint32_t rounds,
                                     std::uint32_t stride) {
    std::uint32_t const mask = static_cast<std::uint32_t>(in.size()) - 1;
    std::uint32_t value = i;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        if (i % 32 < 16) {
            value += in[(i + round) & mask];
            value ^= value << 3;
        } else {
            value -= in[(i * stride + round * 7) & mask];
            value = value * 5 + (value >> 2);
        }
    }
    return value;
}

}  // namespace

TEST_CASE("The lanes of a warp recurse to different depths", "[kernels]") {
    std::array<std::uint32_t, 11> const fibonacci{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("functions", way);
        auto const out = machine.device.allocate(80 * 4);
        machine.launch("recursion", {2, 1, 1}, {40, 1, 1}, 0, out);
        auto const got = machine.device.download<std::uint32_t>(out, 80);
        for (std::size_t i = 0; i < got.size(); ++i) {
            CHECK(got[i] == fibonacci[i % 11]);
        }
    }
}

TEST_CASE("Structures travel by value through calls on two sides of a branch", "[kernels]") {
    Polynomial const p{{7, -3, 100, -9}, 2, -3};
    std::int64_t const start = -4;
    std::vector<std::int64_t> want;
    for (std::int32_t i = 0; i < 64; ++i) {
        want.push_back(i % 3 == 0 ? evaluate(derivative(p), i, start) : evaluate(p, i - 40, start + i));
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("functions", way);
        auto const out = machine.device.allocate(64 * 8);
        machine.launch("polynomials", {1, 1, 1}, {64, 1, 1}, 0, p, start, out);
        CHECK(machine.device.download<std::int64_t>(out, 64) == want);
    }
}

TEST_CASE("An array in local memory is indexed at run time, another place in each lane", "[kernels]") {
    auto in = random_integers<std::uint32_t>(128, 1);
    in[3] = 0;
    std::vector<std::uint32_t> want;
    for (std::uint32_t i = 0; i < 128; ++i) {
        want.push_back(digits_on_host(in[i], 3, i));
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("functions", way);
        auto const device_in = machine.device.upload(in);
        auto const out = machine.device.allocate(128 * 4);
        machine.launch("digits", {2, 1, 1}, {64, 1, 1}, 0, device_in, 3u, out);
        CHECK(machine.device.download<std::uint32_t>(out, 128) == want);
    }
}

TEST_CASE("One function reads local and shared memory through generic pointers", "[kernels]") {
    std::vector<std::uint32_t> want;
    for (std::uint32_t i = 0; i < 64; ++i) {
        std::uint32_t local = 8 * i + 280, shared = 0;
        for (std::uint32_t k = 0; k < 8; ++k) {
            shared += (i / 8 * 8 + k) * (i / 8 * 8 + k);
        }
        want.push_back((i % 2 == 0 ? local : shared) + 1000 * i);
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("functions", way);
        auto const out = machine.device.allocate(64 * 4);
        machine.launch("generic_pointers", {1, 1, 1}, {64, 1, 1}, 0, out);
        CHECK(machine.device.download<std::uint32_t>(out, 64) == want);
    }
}

TEST_CASE("The lanes of a warp call different functions through a table", "[kernels]") {
    std::vector<std::int32_t> want;
    for (std::int32_t i = 0; i < 50; ++i) {
        want.push_back((i % 3 == 0 ? 2 * i : i % 3 == 1 ? i * i : -i) + 1);
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("functions", way);
        auto const out = machine.device.allocate(50 * 4);
        machine.launch("indirect", {1, 1, 1}, {50, 1, 1}, 0, out);
        CHECK(machine.device.download<std::int32_t>(out, 50) == want);
    }
}

TEST_CASE("Variables hold their initialisers, addresses of other variables among them", "[kernels]") {
    std::array<int, 8> const weights{1, -2, 3, -4, 5, -6, 7, -8};
    auto const number = [](int k) { return k * k; };
    std::vector<float> want;
    for (int i = 0; i < 64; ++i) {
        int const sum =
            weights[static_cast<std::size_t>(i % 8)] * number(i % 16) + number(4 + i % 12) + number(15);
        want.push_back(0.5f * static_cast<float>(sum));
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("constants", way);
        auto const out = machine.device.allocate(64 * 4);
        machine.launch("constants", {1, 1, 1}, {64, 1, 1}, 0, out);
        CHECK(machine.device.download<float>(out, 64) == want);

        float const scale = 2.0f;
        machine.module->write_symbol("scale", 0, &scale, sizeof scale);
        machine.launch("constants", {1, 1, 1}, {64, 1, 1}, 0, out);
        CHECK(machine.device.download<float>(out, 64)[5] == 4.0f * want[5]);
        CHECK(machine.module->symbol("weights").is_constant);
        CHECK(machine.module->symbol("numbers").size == 64);
    }
}

TEST_CASE("Loads on two sides of a divergent branch in a loop read their own places", "[kernels]") {
    auto const in = random_integers<std::uint32_t>(256, 2);
    std::vector<std::uint32_t> want;
    for (std::uint32_t i = 0; i < 128; ++i) {
        want.push_back(divergent_load_on_host(in, i, 20, 9));
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("divergent_load", way);
        auto const device_in = machine.device.upload(in);
        auto const out = machine.device.allocate(128 * 4);
        machine.launch("divergent_load", {2, 1, 1}, {64, 1, 1}, 0, 256u, 20u, 9u, device_in, out);
        CHECK(machine.device.download<std::uint32_t>(out, 128) == want);
    }
}

TEST_CASE("Every lane of a warp gets a lock under independent thread scheduling", "[kernels]") {
    for (int const threads : {1, 2}) {
        Machine machine("warp_lock", Way{"independent", threads});
        auto const lock = machine.device.allocate(4);
        auto const counter = machine.device.allocate(4);
        machine.launch("warp_lock", {3, 1, 1}, {64, 1, 1}, 0, lock, counter);
        CHECK(machine.device.download<std::int32_t>(counter, 1)[0] == 3 * 64);
        CHECK(machine.device.download<std::int32_t>(lock, 1)[0] == 0);
    }
}

TEST_CASE("A lock among the lanes of one warp is reported as a deadlock of the reconvergence stack", "[kernels]") {
    Machine machine("warp_lock", Way{"stack", 1});
    auto const lock = machine.device.allocate(4);
    auto const counter = machine.device.allocate(4);
    std::string message;
    try {
        machine.launch("warp_lock", {1, 1, 1}, {32, 1, 1}, 0, lock, counter);
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::fault);
        message = error.what();
    }
    INFO(message);
    CHECK(message.find("deadlock") != std::string::npos);
    CHECK(message.find("kernel warp_lock") != std::string::npos);
}

}  // namespace functions_test
