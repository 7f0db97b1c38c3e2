#include "sim/timing/sm/warp_scheduler.hpp"
#include "tests/support/catch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warp_scheduler_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

std::unique_ptr<WarpScheduler> made(std::string const& name, std::uint32_t active_warps = 8) {
    plugin::SchedulerSettings settings;
    settings.active_warps = active_warps;
    return sm_components().make_warp_scheduler(name, settings);
}

/// Warps started in slots 4, 0, 8, 12, in this order; the picks when these masks are eligible.
std::vector<unsigned> picks(WarpScheduler& scheduler, std::vector<WarpMask> const& eligible) {
    for (unsigned const w : {4u, 0u, 8u, 12u}) scheduler.started(w);
    std::vector<unsigned> picked;
    for (WarpMask const m : eligible) picked.push_back(scheduler.pick(m));
    return picked;
}
std::vector<unsigned> picks(std::string const& name, std::vector<WarpMask> const& eligible) {
    return picks(*made(name), eligible);
}

constexpr WarpMask all = 1u << 0 | 1u << 4 | 1u << 8 | 1u << 12;

}  // namespace

TEST_CASE("LRR takes the next warp that can, from slot to slot", "[timing]") {
    CHECK(picks("lrr", {all, all, all, all, all, all & ~(1u << 4)}) == std::vector<unsigned>{0, 4, 8, 12, 0, 8});
}

TEST_CASE("GTO stays with a warp, then takes the oldest", "[timing]") {
    CHECK(picks("gto", {all & ~1u, all & ~1u, all & ~(1u << 4), all}) == std::vector<unsigned>{4, 4, 0, 0});
}

TEST_CASE("CGGTY stays with a warp, then takes the youngest", "[timing]") {
    CHECK(picks("cggty", {all & ~1u, all & ~1u, all & ~(1u << 12), all}) == std::vector<unsigned>{12, 12, 8, 8});
}

TEST_CASE("Two levels: active warps take turns, one that waits makes room", "[timing]") {
    auto const scheduler = made("two_level", 2);
    CHECK(picks(*scheduler, {all, all, all}) == std::vector<unsigned>{0, 4, 0});  // 4 and 0 are the oldest
    scheduler->waits(4);
    CHECK(scheduler->pick(all & ~(1u << 4)) == 8);
    CHECK(scheduler->pick(all) == 0);
    CHECK(scheduler->pick(all) == 8);
    scheduler->ended(0);
    CHECK(scheduler->pick(all & ~1u) == 4);
}

}  // namespace warp_scheduler_test
