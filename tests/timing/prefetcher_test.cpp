// Lines are fetched before a load asks for them, and a stream of loads is faster with that.
#include "runtime/device.hpp"
#include "sim/timing/memory/prefetcher.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace prefetcher_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

struct Outcome {
    std::uint64_t cycles, missed_sectors;
    std::vector<std::uint32_t> result;
};

/// One warp adds up 64 lines in order; the next is loaded when the last has arrived.
Outcome stream(std::string const& prefetcher) {
    std::string const body = R"(
mul.wide.u32 %d0, %s, 4; add.u64 %d0, %in, %d0; mov.u32 %r0, 0; mov.u32 %r1, 0;
again: ld.global.u32 %r2, [%d0]; add.u32 %r0, %r0, %r2; shr.u32 %r3, %r2, 31; cvt.u64.u32 %d1, %r3; add.u64 %d0, %d0, %d1;
add.u64 %d0, %d0, 128; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 64; @%p0 bra again; st.global.u32 [%o4], %r0;
)";
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    runtime::Device device(sim::load_config("v100", std::vector<std::string>{"sm.l1.prefetcher=" + prefetcher}),
                           options);
    auto const module = device.load_text("k.ptx", test::kernel(body));
    std::vector<std::uint32_t> values(64 * 32);
    std::iota(values.begin(), values.end(), 0u);
    auto const in = device.upload(values), out = device.allocate(32 * 4);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    auto const launch = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
    auto const& l1 = launch.timing->l1;
    return {launch.timing->cycles, l1.load_sectors - l1.sector_hits, device.download<std::uint32_t>(out, 32)};
}

}  // namespace

TEST_CASE("The prefetcher of the next line wants the one behind a line that was missing", "[timing]") {
    auto const prefetcher = make_prefetcher("next_line");
    std::vector<std::uint64_t> wanted;
    prefetcher->looked_up(7, true, wanted);
    CHECK(wanted.empty());
    prefetcher->looked_up(7, false, wanted);
    CHECK(wanted == std::vector<std::uint64_t>{8});
    CHECK(make_prefetcher("none") == nullptr);
}

TEST_CASE("A stream of loads takes fewer cycles when the next line is fetched, and sums up the same", "[timing]") {
    Outcome const without = stream("none"), with = stream("next_line");
    CHECK(with.result == without.result);
    CHECK(without.result[1] == 64u * 63 / 2 * 32 + 64);
    CHECK(without.missed_sectors == 64 * 4);
    // At least every other line was in flight or present.
    CHECK(with.missed_sectors <= 32 * 4);
    CHECK(with.cycles < without.cycles * 4 / 5);
}

}  // namespace prefetcher_test
