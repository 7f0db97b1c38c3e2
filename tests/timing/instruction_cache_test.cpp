// When an instruction is available, to the cycle.
#include "runtime/device.hpp"
#include "sim/timing/sm/instruction_cache.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>
#include <vector>

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

TEST_CASE("Code that is said to be there is, as much of it as there is room for", "[timing]") {
    InstructionCaches caches(config(), 2);
    caches.put_all(4096, 8 * 20 - 1, 500);  // 20 lines from number 32 on
    CHECK(caches.fetch(1, 51, 1000) <= 1000);
    CHECK(caches.fetch(0, 51, 1000) <= 1000);
    CHECK(caches.fetch(0, 32, 1000) == 1040);  // L0 has room for eight
    CHECK(caches.fetch(0, 52, 1000) == 1240);
}

TEST_CASE("What comes from L2 is asked for once, and is there when it has come", "[timing]") {
    sim::FrontEndConfig c = config(1);
    c.fetch_from_l2 = true;
    InstructionCaches caches(c, 2);
    constexpr auto never = engine::never;
    CHECK(caches.fetch(0, 10, 100) == never);
    CHECK(caches.wanted() == std::vector<std::uint64_t>{10, 11});
    caches.wanted().clear();
    CHECK(caches.fetch(1, 10, 110) == never);
    CHECK(caches.wanted().empty());
    caches.filled(10, 700);
    CHECK(caches.ready(0, 10, 700) == 720);
    CHECK(caches.ready(1, 10, 700) == 720);
    CHECK(caches.fetch(0, 10, 800) == 720);
    CHECK(caches.fetch(0, 11, 800) == never);
    caches.filled(10, 900);  // another request for it changes nothing
    CHECK(caches.fetch(0, 10, 801) == 720);
    CHECK(caches.address_of(caches.line_of(24, 4096)) == 4096 + 24 * 16);
}

TEST_CASE("Code that is not in the SM's caches passes L2 as data do", "[timing]") {
    auto const run = [](std::string const& fetch) {
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        std::vector<std::string> const overrides{"sm.front_end.fetch_from_l2=" + fetch,
                                                 "sm.front_end.l0_prefetch_lines=0"};
        runtime::Device device(sim::load_config("teaching", overrides), options);
        std::string body;
        for (int i = 0; i < 256; ++i) body += "mad.lo.u32 %r1, %r1, %i, %r1;\n";
        auto const module =
            device.load_text("k.ptx", test::kernel("mov.u32 %r1, %i;\n" + body + "st.global.u32 [%o4], %r1;"));
        auto const out = device.allocate(4096);
        runtime::LaunchShape shape;
        shape.block = {32, 1, 1};
        std::vector<std::uint64_t> sectors;
        for (int launch = 0; launch < 2; ++launch) {
            auto const result = device.launch(*module, "k", shape, runtime::Arguments::of(out, out));
            sectors.push_back(result.timing->l2.read_sectors);
        }
        return sectors;
    };
    CHECK(run("false") == std::vector<std::uint64_t>{0, 0});
    std::vector<std::uint64_t> const sectors = run("true");
    // 256 instructions of 16 bytes and some more; four sectors a line, eight instructions. Another launch finds them.
    CHECK(sectors[0] >= 256 * 16 / 32);
    CHECK(sectors[0] <= (256 + 24) * 16 / 32);
    CHECK(sectors[1] == 0);
}

}  // namespace instruction_cache_test
