#include "sim/timing/sm/warp_scheduler.hpp"
#include "tests/support/catch.hpp"

#include <vector>

namespace warp_scheduler_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

/// Warps started in slots 4, 0, 8, 12, in this order; the picks when these masks are eligible.
std::vector<unsigned> picks(WarpScheduler& scheduler, std::vector<WarpMask> const& eligible) {
    for (unsigned const w : {4u, 0u, 8u, 12u}) scheduler.started(w);
    std::vector<unsigned> made;
    for (WarpMask const m : eligible) made.push_back(scheduler.pick(m));
    return made;
}

constexpr WarpMask all = 1u << 0 | 1u << 4 | 1u << 8 | 1u << 12;

}  // namespace

TEST_CASE("LRR takes the next warp that can, from slot to slot", "[timing]") {
    CHECK(picks(*schedulers::lrr({}), {all, all, all, all, all, all & ~(1u << 4)}) ==
          std::vector<unsigned>{0, 4, 8, 12, 0, 8});
}

TEST_CASE("GTO stays with a warp, then takes the oldest", "[timing]") {
    CHECK(picks(*schedulers::gto({}), {all & ~1u, all & ~1u, all & ~(1u << 4), all}) ==
          std::vector<unsigned>{4, 4, 0, 0});
}

TEST_CASE("CGGTY stays with a warp, then takes the youngest", "[timing]") {
    CHECK(picks(*schedulers::cggty({}), {all & ~1u, all & ~1u, all & ~(1u << 12), all}) ==
          std::vector<unsigned>{12, 12, 8, 8});
}

TEST_CASE("Two levels: active warps take turns, one that waits makes room", "[timing]") {
    auto const scheduler = schedulers::two_level({"two_level", 1, 2});
    CHECK(picks(*scheduler, {all, all, all}) == std::vector<unsigned>{0, 4, 0});  // 4 and 0 are the oldest
    scheduler->waits(4);
    CHECK(scheduler->pick(all & ~(1u << 4)) == 8);
    CHECK(scheduler->pick(all) == 0);
    CHECK(scheduler->pick(all) == 8);
    scheduler->ended(0);
    CHECK(scheduler->pick(all & ~1u) == 4);
}

}  // namespace warp_scheduler_test
