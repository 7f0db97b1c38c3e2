// Kernels whose threads and CTAs communicate through memory: fences, locks, queues, cuda::atomic.
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace synchronization_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("The last CTA sees the partial sums of all others behind __threadfence", "[kernels]") {
    auto const in = random_integers<std::int32_t>(5000, 4);
    std::uint32_t want = 0;
    for (std::int32_t const value : in) want += static_cast<std::uint32_t>(value);
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("synchronization", way);
        auto const device_in = machine.device.upload(in);
        auto const partial = machine.device.allocate(64 * 4);
        auto const out = machine.device.allocate(4);
        for (std::uint32_t const ctas : {1u, 9u, 40u}) {  // the ticket counter wraps to zero each time
            machine.launch("last_block_sum", {ctas, 1, 1}, {64, 1, 1}, 0, static_cast<int>(in.size()), device_in,
                           partial, out);
            CHECK(machine.device.download<std::uint32_t>(out, 1)[0] == want);
        }
    }
}

TEST_CASE("A ticket lock of cuda::atomic serves CTAs in the order of their tickets", "[kernels]") {
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("synchronization", way);
        std::uint32_t const count = 12 * 10;
        auto const lock = machine.device.allocate(8);
        auto const counter = machine.device.allocate(4);
        auto const order = machine.device.allocate(count * 4);
        machine.launch("ticket_lock", {12, 1, 1}, {32, 1, 1}, 0, lock, counter, order, 10);
        CHECK(machine.device.download<std::uint32_t>(counter, 1)[0] == count);
        std::vector<std::uint32_t> want(count);
        std::iota(want.begin(), want.end(), 0u);
        CHECK(machine.device.download<std::uint32_t>(order, count) == want);
    }
}

TEST_CASE("A queue between two CTAs delivers every message whole", "[kernels]") {
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("synchronization", way);
        int const messages = 40, capacity = 3;
        std::uint32_t const width = 64;
        auto const slots = machine.device.allocate(capacity * width * 4);
        auto const flags = machine.device.allocate(capacity * 4);
        auto const out = machine.device.allocate(messages * 4);
        machine.launch("message_queue", {2, 1, 1}, {width, 1, 1}, 0, slots, flags, capacity, messages, out);
        std::vector<std::uint32_t> want;
        for (std::uint32_t m = 0; m < messages; ++m) want.push_back(m * 1000 * width + width * (width - 1) / 2);
        CHECK(machine.device.download<std::uint32_t>(out, messages) == want);
    }
}

TEST_CASE("Dekker's algorithm with sequentially consistent atomics keeps two CTAs apart", "[kernels]") {
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("synchronization", way);
        auto const flags = machine.device.allocate(12);
        auto const counter = machine.device.allocate(4);
        machine.launch("dekker", {2, 1, 1}, {1, 1, 1}, 0, flags, counter, 300);
        CHECK(machine.device.download<std::uint32_t>(counter, 1)[0] == 600);
    }
}

TEST_CASE("Every atomic operation of CUDA C++ gives what a thread alone would", "[kernels]") {
    std::uint32_t const ctas = 20, width = 128, n = 2500;
    std::vector<std::uint32_t> u{5, 0xffffffff, 0, 0, 0, 0xffffffff, 1, 3}, want_u = u;
    std::vector<std::int64_t> s(ctas + 1), want_s = s;
    for (std::uint32_t i = 0; i < n; ++i) {
        want_u[0] += i;
        want_u[1] = std::min(want_u[1], i + 7);
        want_u[2] = std::max(want_u[2], i);
        want_u[3] |= 1u << i % 32;
        want_u[4] ^= 1u << i % 32;
        want_u[5] &= ~(1u << i % 16);
        want_s[i / width] -= std::int64_t{i} << 33;
        want_u[7] = want_u[7] == 0 || want_u[7] > 99 ? 99 : want_u[7] - 1;
    }
    want_s[ctas] = -std::int64_t{n - 1};
    want_u[6] = 77;
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine("synchronization", way);
        auto const du = machine.device.upload(u);
        auto const ds = machine.device.upload(s);
        auto const f = machine.device.allocate(8);
        auto const d = machine.device.allocate(8);
        auto const h = machine.device.allocate(4);
        machine.launch("every_operation", {ctas, 1, 1}, {width, 1, 1}, 0, du, ds, f, d, h, n);
        CHECK(machine.device.download<std::uint32_t>(du, 8) == want_u);
        CHECK(machine.device.download<std::int64_t>(ds, ctas + 1) == want_s);
        CHECK(machine.device.download<float>(f, 2) == std::vector<float>{2500, 999});
        CHECK(machine.device.download<double>(d, 1)[0] == 1250);
        CHECK(machine.device.download<std::uint32_t>(h, 1)[0] == 0xe7d067d0);  // 2000 and -2000 as f16
    }
}

}  // namespace synchronization_test
