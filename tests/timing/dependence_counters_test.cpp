// Results of variable latency that share a counter are waited for together.
#include "runtime/device.hpp"
#include "sim/timing/sm/dependence_counters.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>
#include <vector>

namespace dependence_counters_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("A counter is ready when all that share it are", "[timing]") {
    timing::DependenceCounters counters(2, 4);
    counters.begin_warp(3);
    CHECK(counters.take(3) == 0);
    CHECK(counters.take(3) == 1);
    CHECK(counters.take(3) == 0);
    CHECK(counters.ready(3, 0) == 0);
    counters.begin(3, 0);
    counters.begin(3, 0);
    counters.end(3, 0, 90);
    CHECK(counters.ready(3, 0) == engine::never);
    counters.end(3, 0, 70);
    CHECK(counters.ready(3, 0) == 90);
    CHECK(counters.ready(3, 1) == 0);
    counters.begin_warp(3);
    CHECK(counters.ready(3, 0) == 0);
    CHECK(counters.take(3) == 0);
}

TEST_CASE("With few counters a warp waits for results that it does not need", "[timing]") {
    // A load that misses, one of shared memory, and what depends on the second only: how long that takes.
    auto const cycles = [](std::string const& counters) {
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        runtime::Device device(sim::load_config("teaching", std::vector{"sm.dependences.counters=" + counters}),
                               options);
        auto const module = device.load_text("k.ptx", kernel(R"(
mov.u32 %r1, %clock; cvt.u64.u32 %d1, %r1; and.b64 %d1, %d1, 0; add.u64 %d1, %d1, %in;
ld.global.u32 %r2, [%d1]; bar.warp.sync -1;
ld.shared.u32 %r3, [area]; add.u32 %r3, %r3, %r1; bar.warp.sync -1; mov.u32 %r4, %clock;
sub.u32 %r4, %r4, %r1; add.u32 %r3, %r3, %r2; st.global.u32 [%o4], %r4; st.global.u32 [%o4+64], %r3;
)",
                                                             ".shared .align 4 .b8 area[64];\n"));
        auto const out = device.allocate(4096), in = device.allocate(4096);
        runtime::LaunchShape shape;
        shape.block = {1, 1, 1};
        device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
        return device.download<std::uint32_t>(out, 1)[0];
    };
    std::uint32_t const own = cycles("0");
    CHECK(cycles("2") == own);
    CHECK(cycles("6") == own);
    CHECK(cycles("1") > own + 100);  // a miss of L2 takes longer than that
}

}  // namespace dependence_counters_test
