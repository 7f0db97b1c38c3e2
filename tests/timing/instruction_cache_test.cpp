// When an instruction is available, to the cycle.
#include "sim/timing/sm/instruction_cache.hpp"
#include "tests/support/catch.hpp"

namespace instruction_cache_test {

using namespace warpsim;
using timing::InstructionCaches;

namespace {

sim::FrontEndConfig config(std::uint32_t prefetch = 0) {
    sim::FrontEndConfig c;
    c.instruction_bytes = 16;
    c.line_bytes = 128;
    c.l0_size_kib = 1;  // 8 lines
    c.l0_ways = 8;
    c.l0_prefetch_lines = prefetch;
    c.l0_miss_cycles = 40;
    c.l1_size_kib = 4;  // 32 lines
    c.l1_ways = 8;
    c.l1_miss_cycles = 200;
    return c;
}

}  // namespace

TEST_CASE("An instruction that is nowhere comes from beyond, once for all sub-cores", "[timing]") {
    InstructionCaches caches(config(), 2);
    CHECK(caches.line_of(7) == 0);
    CHECK(caches.line_of(8) == 1);
    CHECK(caches.fetch(0, 5, 100) == 100 + 40 + 200);
    CHECK(caches.fetch(0, 5, 150) == 340);  // in flight
    CHECK(caches.fetch(0, 5, 341) == 340);  // present
    // The other sub-core finds it in the SM's cache: only its own miss, or the rest of the first one.
    CHECK(caches.fetch(1, 5, 500) == 540);
    CHECK(caches.fetch(1, 6, 600) == 840);
    CHECK(caches.fetch(0, 6, 610) == 840);
}

TEST_CASE("Lines that follow are fetched along", "[timing]") {
    InstructionCaches caches(config(2), 1);
    CHECK(caches.fetch(0, 10, 1000) == 1240);
    // Requested together with it, one cycle after the other.
    CHECK(caches.fetch(0, 11, 1240) == 1241);
    CHECK(caches.fetch(0, 12, 1250) == 1242);
    // The prefetch continued from there.
    CHECK(caches.fetch(0, 13, 1700) <= 1700);
    CHECK(caches.fetch(0, 20, 2000) == 2240);
}

TEST_CASE("What has not been used for longest makes room in L0, and stays in the SM's cache", "[timing]") {
    InstructionCaches caches(config(), 1);
    for (std::uint64_t line = 0; line < 8; ++line) caches.fetch(0, line, 1000 * (line + 1));
    CHECK(caches.fetch(0, 0, 10000) < 10000);  // still here, and used again
    caches.fetch(0, 8, 11000);                 // evicts line 1
    CHECK(caches.fetch(0, 0, 12000) < 12000);
    CHECK(caches.fetch(0, 1, 13000) == 13040);
}

}  // namespace instruction_cache_test
