#include "sim/engine/clock.hpp"

#include "tests/support/catch.hpp"

namespace clock_test {

using warpsim::engine::Clock;

TEST_CASE("A clock's ticks do not drift over a long run", "[engine]") {
    Clock const clock(1530);  // a period of 653.59... ps
    CHECK(clock.time_of(0) == 0);
    CHECK(clock.time_of(1) == 653);
    CHECK(clock.time_of(2) == 1307);
    CHECK(clock.time_of(1530) == 1'000'000);
    CHECK(clock.time_of(1530ull * 3600 * 1'000'000) == 3600ull * 1'000'000 * 1'000'000);  // an hour
}

TEST_CASE("The first tick at a time is never before it and never one too late", "[engine]") {
    for (std::uint32_t const mhz : {877u, 1000u, 1530u, 3501u}) {
        Clock const clock(mhz);
        for (std::uint64_t n : {0ull, 1ull, 2ull, 876ull, 877ull, 12345ull, 1'000'000'007ull}) {
            CHECK(clock.first_at(clock.time_of(n)) == n);
            CHECK(clock.first_at(clock.time_of(n) + 1) == n + 1);
        }
    }
}

TEST_CASE("Ticks of one clock are found on another", "[engine]") {
    Clock const core(1530), memory(877);
    CHECK(memory.first_at(1530, core) == 877);
    CHECK(memory.first_at(1531, core) == 878);
    CHECK(core.first_at(877, memory) == 1530);
    CHECK(core.first_at(77, core) == 77);
}

}  // namespace clock_test
