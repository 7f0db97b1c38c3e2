// Address translation and constants: what is present, what is not, and for how long.
#include "runtime/device.hpp"
#include "sim/timing/network/translation.hpp"
#include "sim/timing/sm/constant_cache.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace translation_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

using Overrides = std::vector<std::string>;

Overrides const small{"sm.tlb.enabled=true", "sm.tlb.entries=2", "sm.tlb.page_kib=64",
                      "sm.tlb.miss_latency_cycles=300"};
constexpr std::uint64_t page = 64 * 1024;

}  // namespace

TEST_CASE("A page is looked up once and kept until it was not used for longest", "[timing]") {
    timing::Translation translation(sim::load_config("teaching", small));
    unsigned hits = 0;
    auto const translate = [&](std::uint64_t address, timing::Cycle now) {
        auto const found = translation.translate(0, address, now);
        hits += found.was_there ? 1u : 0u;
        return found.ready;
    };
    CHECK(translate(5, 10) == 310);
    CHECK(translate(page - 1, 20) == 310);  // the same page, in flight
    CHECK(translate(0, 310) == 310);
    CHECK(translate(0, 311) == 311);
    CHECK(translate(page, 400) == 700);
    CHECK(translate(0, 800) == 800);
    CHECK(translate(2 * page, 900) == 1200);  // evicts page 1
    CHECK(translate(0, 1000) == 1000);
    CHECK(translate(page, 1300) == 1600);
    CHECK(hits == 5);
    CHECK(translation.translate(1, 0, 1700).ready == 2000);  // each SM has its own
}

TEST_CASE("Behind the TLBs of SMs there is one for all, and a few walkers", "[timing]") {
    Overrides overrides = small;
    for (char const* const more : {"mmu.entries=4", "mmu.ways=1", "mmu.walkers=2", "mmu.walk_cycles=1000"})
        overrides.emplace_back(more);
    timing::Translation translation(sim::load_config("teaching", overrides));
    auto const translate = [&](std::uint32_t sm, std::uint64_t number, timing::Cycle now) {
        return translation.translate(sm, number * page, now).ready;
    };
    CHECK(translate(0, 0, 0) == 300 + 1000);
    CHECK(translate(1, 0, 100) == 1300);  // the walk is under way already
    CHECK(translate(0, 1, 100) == 400 + 1000);
    CHECK(translate(1, 2, 200) == 1300 + 1000);  // both walkers were busy
    CHECK(translate(1, 1, 2000) == 2300);        // the shared TLB has it
    CHECK(translate(0, 4, 3000) == 4300);        // takes the place of page 0 there
    CHECK(translate(1, 0, 5000) == 6300);        // which has made room for pages 2 and 1 in SM 1
}

TEST_CASE("A shared TLB needs those of the SMs, and whole sets", "[timing]") {
    CHECK_THROWS_WITH(sim::load_config("teaching", Overrides{"mmu.entries=64"}),
                      Catch::Contains("mmu.entries: needs sm.tlb.enabled = true"));
    CHECK_THROWS_WITH(
        sim::load_config("teaching", Overrides{"sm.tlb.enabled=true", "mmu.entries=64", "mmu.ways=48"}),
        Catch::Contains("mmu.ways: entries must be a whole number of sets of ways"));
}

TEST_CASE("A load from a page that nobody has used takes the miss longer", "[timing]") {
    auto const cycles = [](std::vector<std::string> const& overrides) {
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        runtime::Device device(sim::load_config("v100", overrides), options);
        auto const module = device.load_text(
            "k.ptx", kernel("ld.global.u32 %r1, [%in]; xor.b32 %r1, %r1, 1; st.global.u32 [%o4], %r1;"));
        auto const memory = device.allocate(4096);
        runtime::LaunchShape shape;
        shape.block = {1, 1, 1};
        return device.launch(*module, "k", shape, runtime::Arguments::of(memory, memory)).timing->cycles;
    };
    auto const plain = cycles({});
    CHECK(cycles({"sm.tlb.enabled=true", "sm.tlb.miss_latency_cycles=300"}) == plain + 300);
    CHECK(cycles({"sm.tlb.enabled=true", "sm.tlb.miss_latency_cycles=0"}) == plain);
}

TEST_CASE("A constant comes from the first cache that has it", "[timing]") {
    sim::ConstantConfig config;
    config.l1_size_kib = 1;
    config.l1_line_bytes = 64;
    config.l1_latency_cycles = 8;
    config.l15_size_kib = 32;
    config.l15_line_bytes = 256;
    config.l15_latency_cycles = 60;
    timing::ConstantCache cache(config, 180);
    CHECK(cache.load(0) == 60 + 180);
    CHECK(cache.load(60) == 8);
    CHECK(cache.load(64) == 60);          // another line of the first, the same of the second
    CHECK(cache.load(1024) == 60 + 180);  // where line 0 of the first was
    CHECK(cache.load(0) == 60);
    CHECK(cache.load(32 * 1024) == 60 + 180);  // where line 0 of the second was
    CHECK(cache.load(0) == 60 + 180);
}

}  // namespace translation_test
