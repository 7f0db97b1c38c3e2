// Address translation and constants: what is present, what is not, and for how long.
#include "runtime/device.hpp"
#include "sim/timing/sm/constant_cache.hpp"
#include "sim/timing/sm/tlb.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace translation_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("A page is looked up once and kept until it was not used for longest", "[timing]") {
    sim::TlbConfig config;
    config.enabled = true;
    config.entries = 2;
    config.page_kib = 64;
    config.miss_latency_cycles = 300;
    timing::Tlb tlb(config);
    std::uint64_t const page = 64 * 1024;
    CHECK(tlb.translate(5, 10) == 310);
    CHECK(tlb.translate(page - 1, 20) == 310);  // the same page, in flight
    CHECK(tlb.translate(0, 310) == 310);
    CHECK(tlb.translate(0, 311) == 311);
    CHECK(tlb.translate(page, 400) == 700);
    CHECK(tlb.translate(0, 800) == 800);
    CHECK(tlb.translate(2 * page, 900) == 1200);  // evicts page 1
    CHECK(tlb.translate(0, 1000) == 1000);
    CHECK(tlb.translate(page, 1300) == 1600);
    CHECK(tlb.hits() == 5);
    CHECK(tlb.misses() == 4);
}

TEST_CASE("Without translation nothing waits for it", "[timing]") {
    timing::Tlb tlb(sim::TlbConfig{});
    CHECK(tlb.translate(5, 10) == 10);
    CHECK(tlb.misses() == 0);
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
