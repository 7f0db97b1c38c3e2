#include "sim/timing/sm/unit_times.hpp"
#include "sim/timing/sm/wake_times.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace wake_times_test {

using namespace warpsim;
using engine::Cycle;
using timing::MicroUnit;
using timing::UnitTimes;
using timing::WakeTimes;

TEST_CASE("Warps come in their cycles, whatever is changed in between", "[timing]") {
    std::mt19937 random(5);
    WakeTimes times;
    std::array<Cycle, WakeTimes::most> at;
    std::array<MicroUnit, WakeTimes::most> unit{};
    std::array<bool, WakeTimes::most> has_come{};
    at.fill(engine::never);
    Cycle now = 0;
    for (int round = 0; round < 20'000; ++round) {
        for (unsigned changes = random() % 4; changes > 0; --changes) {
            std::uint32_t const seat = random() % WakeTimes::most;
            Cycle const distances[] = {0, 1, 2, 31, 32, random() % 40, 100 + random() % 1000, engine::never};
            Cycle const distance = distances[random() % 8];
            at[seat] = distance == engine::never ? distance : now + distance;
            unit[seat] = static_cast<MicroUnit>(random() % timing::micro_units);
            has_come[seat] = false;
            times.set(seat, at[seat], unit[seat], now);
        }
        for (WakeTimes::Mask came = times.pass(now); came != 0; came &= static_cast<WakeTimes::Mask>(came - 1)) {
            std::uint32_t const seat = WakeTimes::seat_of(came);
            CHECK(at[seat] <= now);
            CHECK(times.unit(seat) == unit[seat]);
            CHECK_FALSE(has_come[seat]);
            has_come[seat] = true;
        }
        Cycle next = engine::never;
        std::array<WakeTimes::Mask, timing::micro_units> waiting{};
        for (std::uint32_t seat = 0; seat < WakeTimes::most; ++seat) {
            REQUIRE(times.at(seat) == at[seat]);
            REQUIRE(has_come[seat] == (at[seat] <= now));
            REQUIRE(times.has_come(seat) == has_come[seat]);
            if (has_come[seat])
                waiting[static_cast<std::size_t>(unit[seat])] |= static_cast<WakeTimes::Mask>(1u << seat);
            else next = std::min(next, at[seat]);
        }
        for (std::size_t u = 0; u < timing::micro_units; ++u) {
            REQUIRE(times.waiting(static_cast<MicroUnit>(u)) == waiting[u]);
            REQUIRE((times.units() >> u & 1) == (waiting[u] != 0));
        }
        REQUIRE(times.next(now) == next);
        now = std::min(next, now + 1 + random() % 50);
    }
}

TEST_CASE("A unit counts each cycle in which it accepts nothing once", "[timing]") {
    std::mt19937 random(7);
    UnitTimes times;
    Cycle due = 0, free = 0;
    bool is_full = false;
    std::uint32_t busy = 0, delayed = 0;
    int accepted = 0;
    for (Cycle now = 1; now < 20'000; ++now) {
        if (is_full && random() % 4 == 0) {
            times.make_room(now);
            is_full = false;
        }
        CHECK(times.refused(now).busy == busy);
        CHECK(times.refused(now).delayed == delayed);
        bool const takes = !is_full && free <= now;
        REQUIRE(times.takes(now) == takes);
        CHECK(times.is_delayed(now) == (!is_full && due <= now && now < free));
        if (is_full || now < due) ++busy;
        else if (now < free) ++delayed;
        if (takes && random() % 2 == 0) {
            ++accepted;
            due = free = now + 1 + random() % 6;
            times.occupy(now + 1, free);
            if (random() % 8 == 0) {
                times.fill(now + 1);
                is_full = true;
            }
        }
        if (!is_full && random() % 5 == 0) {
            Cycle const until = now + 1 + random() % 8;
            times.delay(now, until);
            if (until > free) {
                if (free <= now) due = now + 1;
                free = until;
            }
        }
    }
    CHECK(accepted > 1000);
    CHECK(busy > 1000);
    CHECK(delayed > 1000);
}

}  // namespace wake_times_test
