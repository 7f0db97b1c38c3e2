// Packets pass a port one after the other, in its own clock.
#include "sim/timing/memory/port.hpp"
#include "tests/support/catch.hpp"

namespace port_test {

using namespace warpsim;
using engine::Clock;
using timing::Port;

TEST_CASE("Packets take their bytes' cycles and wait for one another", "[timing]") {
    Port port(Clock(1000), Clock(1000), 32);
    CHECK(port.pass(10, 32).begin == 10);
    CHECK(port.pass(10, 33).begin == 11);  // two cycles
    CHECK(port.pass(10, 1).begin == 13);
    CHECK(port.free() == 14);
    CHECK(port.pass(20, 128).last == 23);
    CHECK(port.free() == 24);
    CHECK(port.pass(30, 0).end == 30);  // nothing takes no time
    port.hold(50);
    CHECK(port.pass(40, 32).begin == 50);
}

TEST_CASE("Of a clock that does not divide the core's, no cycle is lost over time", "[timing]") {
    // 7 packets in 10 core cycles: packet n begins in the first core cycle that is not before n / 0.7.
    Port port(Clock(1000), Clock(700), 32);
    for (std::uint64_t n = 0; n < 700; ++n) CHECK(port.pass(0, 32).begin == (10 * n + 6) / 7);
    CHECK(port.free() == 1000);
    // A packet does not wait for an edge of the port's clock.
    CHECK(port.pass(1001, 32).begin == 1001);
    CHECK(port.pass(1001, 32).begin == 1003);  // 1.43 later
    Port fast(Clock(1000), Clock(2000), 32);
    for (std::uint64_t n = 0; n < 10; ++n) CHECK(fast.pass(5, 32).begin == 5 + (n + 1) / 2);
}

}  // namespace port_test
