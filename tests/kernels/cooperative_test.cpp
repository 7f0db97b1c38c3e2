// Kernels of cooperative groups, barriers and pipelines against the host's own arithmetic.
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

namespace cooperative_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("Grid barriers of a cooperative launch keep the rounds of all blocks together", "[kernels]") {
    constexpr std::uint32_t n = 20 * 64;
    auto a = random_integers<std::uint32_t>(n, 1);
    auto const start = a;
    std::vector<std::uint32_t> b(n);
    for (int r = 0; r < 3; ++r) {
        for (std::uint32_t i = 0; i < n; ++i) b[i] = a[i] + a[(i + 64) % n];
        for (std::uint32_t i = 0; i < n; ++i) a[i] = b[i] + 1;
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("cooperative", way);
        auto const pa = machine.device.upload(start), pb = machine.device.allocate(4 * n);
        runtime::LaunchShape shape;
        shape.grid = {20, 1, 1};
        shape.block = {64, 1, 1};
        shape.cooperative = true;
        machine.device.launch(*machine.module, "grid_rounds", shape, runtime::Arguments::of(pa, pb, 3));
        CHECK(machine.device.download<std::uint32_t>(pa, n) == a);
        CHECK(machine.device.download<std::uint32_t>(pb, n) == b);
    }
}

TEST_CASE("A histogram spread over the shared memory of clusters counts every value once", "[kernels]") {
    auto const values = random_integers<std::uint32_t>(5000, 2);
    std::vector<std::uint32_t> want(256);
    for (std::uint32_t const v : values) ++want[v & 255];
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("cooperative", way);
        auto const in = machine.device.upload(values), bins = machine.device.allocate(1024);
        machine.launch("cluster_histogram", {8, 1, 1}, {96, 1, 1}, 0, in, bins, 5000);
        CHECK(machine.device.download<std::uint32_t>(bins, 256) == want);
    }
}

TEST_CASE("Tiles and coalesced threads of cooperative groups", "[kernels]") {
    auto const values = random_integers<std::uint32_t>(256, 3);
    std::vector<std::uint32_t> want;
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t sum = values[i ^ 3], odd = 0, before = 0;
        for (std::uint32_t k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) sum += values[k];
        for (std::uint32_t k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
            odd += values[k] & 1;
            before += k < i ? values[k] & 1 : 0;
        }
        want.push_back(sum + ((values[i] & 1) != 0 ? 1000 * odd + 100000 * before : 0));
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("cooperative", way);
        auto const in = machine.device.upload(values), out = machine.device.allocate(1024);
        machine.launch("tiles", {2, 1, 1}, {128, 1, 1}, 0, in, out);
        CHECK(machine.device.download<std::uint32_t>(out, 256) == want);
    }
}

TEST_CASE("Producers and consumers meet at barriers in shared memory", "[kernels]") {
    std::vector<std::uint32_t> want;
    for (std::uint32_t i = 0; i < 128; ++i) want.push_back(100 * 45 + 10 * (63 - i % 64));
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("cooperative", way);
        auto const out = machine.device.allocate(512);
        machine.launch("produce_consume", {2, 1, 1}, {128, 1, 1}, 0, out, 10);
        CHECK(machine.device.download<std::uint32_t>(out, 128) == want);
    }
}

TEST_CASE("A pipeline of copies hands over every batch in order", "[kernels]") {
    auto const values = random_integers<std::uint32_t>(7 * 64, 4);
    std::vector<std::uint32_t> want(64);
    for (std::uint32_t b = 0; b < 7; ++b) {
        for (std::uint32_t t = 0; t < 64; ++t) want[t] = want[t] * 3 + values[b * 64 + 63 - t];
    }
    for (bool const late : {false, true}) {
        for (Way const& way : every_way()) {
            INFO(way.text() << (late ? ", late copies" : ""));
            Machine machine("cooperative", with_threads(way.threads),
                            {"sm.control_flow=" + way.control_flow,
                             std::string("functional.late_async=") + (late ? "true" : "false")});
            auto const in = machine.device.upload(values), out = machine.device.allocate(256);
            machine.launch("pipelined", {1, 1, 1}, {64, 1, 1}, 0, in, out, 7);
            CHECK(machine.device.download<std::uint32_t>(out, 64) == want);
        }
    }
}

TEST_CASE("A stencil with two barriers a step", "[kernels]") {
    constexpr std::uint32_t n = 100;  // the last warp is not whole
    auto const start = random_integers<std::uint32_t>(2 * n, 5);
    auto want = start;
    for (int s = 0; s < 5; ++s) {
        auto const old = want;
        for (std::uint32_t i = 0; i < 2 * n; ++i) {
            std::uint32_t const first = i / n * n, t = i - first;
            want[i] = old[first + (t + n - 1) % n] + 2 * old[i] + old[first + (t + 1) % n];
        }
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("stencil_shared", way);
        auto const in = machine.device.upload(start), out = machine.device.allocate(8 * n);
        machine.launch("stencil_shared", {2, 1, 1}, {n, 1, 1}, 0, in, out, 5);
        CHECK(machine.device.download<std::uint32_t>(out, 2 * n) == want);
    }
}

}  // namespace cooperative_test
