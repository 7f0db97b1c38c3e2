// Kernels whose threads work together: shared memory, barriers, shuffles, atomics.
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <numeric>

namespace shared_memory_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("A reduction through shared memory and one atomic per CTA gives the sum", "[kernels]") {
    auto const in = random_integers<std::uint32_t>(5000, 1);
    std::uint32_t const want = std::accumulate(in.begin(), in.end(), 0u);
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("reduce", way);
        auto const device_in = machine.device.upload(in);
        auto const sum = machine.device.allocate(4);
        machine.launch("reduce", {7, 1, 1}, {128, 1, 1}, 0, static_cast<int>(in.size()), device_in, sum);
        CHECK(machine.device.download<std::uint32_t>(sum, 1)[0] == want);
    }
}

TEST_CASE("A histogram by shared and global atomics counts every byte", "[kernels]") {
    auto in = random_integers<std::uint8_t>(6001, 2);
    std::fill_n(in.begin() + 1000, 1500, std::uint8_t{77});
    std::vector<std::uint32_t> want(256);
    for (std::uint8_t const byte : in) {
        ++want[byte];
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("histogram", way);
        auto const device_in = machine.device.upload(in);
        auto const bins = machine.device.allocate(256 * 4);
        machine.launch("histogram", {5, 1, 1}, {96, 1, 1}, 0, static_cast<int>(in.size()), device_in, bins);
        CHECK(machine.device.download<std::uint32_t>(bins, 256) == want);
    }
}

TEST_CASE("A transposition through a padded tile moves every element", "[kernels]") {
    std::size_t const width = 70, height = 45;
    auto const in = random_floats(width * height, 3, -1, 1);
    std::vector<float> want(in.size());
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            want[x * height + y] = in[y * width + x];
        }
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("transpose", way);
        auto const device_in = machine.device.upload(in);
        auto const out = machine.device.allocate(in.size() * 4);
        machine.launch("transpose", {3, 2, 1}, {32, 8, 1}, 0, static_cast<int>(width), static_cast<int>(height),
                       device_in, out);
        CHECK(machine.device.download<float>(out, in.size()) == want);
    }
}

TEST_CASE("A scan by shuffles gives each CTA's inclusive sums", "[kernels]") {
    for (std::size_t const threads : {32u, 96u, 1024u}) {
        auto const in = random_integers<std::int32_t>(2 * threads, 4);
        std::vector<std::int32_t> want(in.size());
        for (std::size_t i = 0; i < in.size(); ++i) {
            std::uint32_t const before = i % threads == 0 ? 0 : static_cast<std::uint32_t>(want[i - 1]);
            want[i] = static_cast<std::int32_t>(before + static_cast<std::uint32_t>(in[i]));
        }
        for (Way const& way : every_way()) {
            INFO(way.text() << ", " << threads << " threads");
            Machine machine("scan", way);
            auto const device_in = machine.device.upload(in);
            auto const out = machine.device.allocate(in.size() * 4);
            machine.launch("scan", {2, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1}, 0, device_in, out);
            CHECK(machine.device.download<std::int32_t>(out, in.size()) == want);
        }
    }
}

TEST_CASE("A bitonic sort of several launches sorts", "[kernels]") {
    std::uint32_t const count = 1024, threads = 64, in_cta = 2 * threads;
    auto const keys = random_integers<std::uint32_t>(count, 5);
    auto want = keys;
    std::sort(want.begin(), want.end());
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("bitonic", way);
        auto const device_keys = machine.device.upload(keys);
        auto const in_shared = [&](std::uint32_t first_size, std::uint32_t last_size) {
            machine.launch("bitonic_shared", {count / in_cta, 1, 1}, {threads, 1, 1}, in_cta * 4, device_keys,
                           first_size, last_size);
        };
        in_shared(2, in_cta);
        for (std::uint32_t size = 2 * in_cta; size <= count; size *= 2) {
            for (std::uint32_t distance = size / 2; distance >= in_cta; distance /= 2) {
                machine.launch("bitonic_global", {count / in_cta, 1, 1}, {threads, 1, 1}, 0, device_keys, size,
                               distance);
            }
            in_shared(size, size);
        }
        CHECK(machine.device.download<std::uint32_t>(device_keys, count) == want);
    }
}

TEST_CASE("Arrays of two types share the dynamic shared memory of a launch", "[kernels]") {
    std::uint32_t const threads = 96;
    auto const in = random_floats(3 * threads, 6, -1, 1);
    auto const bytes = random_integers<std::uint8_t>(3 * threads, 7);
    std::vector<float> want;
    std::vector<std::uint8_t> want_bytes;
    for (std::uint32_t i = 0; i < 3 * threads; ++i) {
        std::uint32_t const start = i / threads * threads;
        want.push_back(in[start + threads - 1 - i % threads]);
        want_bytes.push_back(bytes[start + (i + 1) % threads]);
    }
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("dynamic_shared", way);
        auto const device_in = machine.device.upload(in);
        auto const out = machine.device.allocate(in.size() * 4);
        auto const device_bytes = machine.device.upload(bytes);
        auto const result = machine.launch("dynamic_shared", {3, 1, 1}, {threads, 1, 1}, threads * 5, device_in,
                                           out, device_bytes);
        CHECK(machine.device.download<float>(out, in.size()) == want);
        CHECK(machine.device.download<std::uint8_t>(device_bytes, bytes.size()) == want_bytes);
        CHECK(result.dynamic_shared == threads * 5);
    }
}

}  // namespace shared_memory_test
