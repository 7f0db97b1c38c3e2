// Copies of the host and fills in simulated time: the engines, and what a copy leaves in L2.
#include "sim/timing/copy_engines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

using namespace warpsim;
using namespace warpsim::timing;

namespace {

constexpr engine::Time microsecond = 1'000'000;

sim::Config with(std::vector<std::string> settings) {
    for (char const* const setting :
         {"copies.bandwidth_mb_per_s=10000", "copies.pageable_bandwidth_mb_per_s=5000", "copies.latency_ns=1000"})
        settings.push_back(setting);
    return sim::load_config("teaching", settings);
}

/// Reads 32 KiB, line by line, which a copy has written before.
std::vector<std::uint64_t> dram_reads(std::vector<std::string> const& settings, std::uint64_t copied) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    runtime::Device device(sim::load_config("v100", settings), options);
    auto const module = device.load_text(
        "k.ptx", test::kernel("mul.wide.u32 %d0, %i, 32; add.u64 %d0, %d0, %in; ld.global.u32 %r1, [%d0]; "
                              "st.global.u32 [%o4], %r1;"));
    auto const out = device.allocate(4096), in = device.allocate(32 << 10);
    runtime::LaunchShape shape;
    shape.grid = {8, 1, 1};
    shape.block = {128, 1, 1};
    std::vector<std::uint64_t> reads;
    for (int round = 0; round < 2; ++round) {
        if (copied != 0) {
            runtime::TimedCopy copy;
            copy.way = runtime::TimedCopy::Way::to_device;
            copy.bytes = copy.span = copied;
            copy.to = in;
            device.begin_copy(copy, device.quiet_time());
        }
        auto const result = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
        reads.push_back(result.timing->dram.read_sectors);
    }
    return reads;
}

}  // namespace

TEST_CASE("A copy takes as long as its bytes need, after the engine's latency", "[timing]") {
    CopyEngines engines(with({}));
    using Way = CopyEngines::Way;
    CHECK(engines.begin(Way::to_device, false, 10'000, 0) == 2 * microsecond);
    CHECK(engines.begin(Way::to_host, false, 10'000, 0) == 2 * microsecond);  // another engine
    CHECK(engines.begin(Way::to_device, false, 10'000, 0) == 4 * microsecond);
    CHECK(engines.begin(Way::to_host, true, 10'000, 5 * microsecond) == 8 * microsecond);
    // 2^44 bytes: nothing overflows.
    CHECK(engines.begin(Way::to_device, false, std::uint64_t{10'000} << 30, 10 * microsecond) ==
          11 * microsecond + (microsecond << 30));
}

TEST_CASE("Copies inside the device read and write DRAM, fills write it", "[timing]") {
    sim::Config const config = with({"dram.clock_mhz=1000", "copies.dram_percent=50"});
    std::uint64_t const peak = std::uint64_t{config.dram.bus_width_bits} * config.dram.transfers_per_clock / 8;
    CopyEngines engines(config);
    using Way = CopyEngines::Way;
    // `peak` bytes a nanosecond, of which copies get half.
    CHECK(engines.begin(Way::fill, false, peak * 1000, 0) == (1 + 2) * microsecond);
    CHECK(engines.begin(Way::inside, false, peak * 1000, 100 * microsecond) == (100 + 1 + 4) * microsecond);
}

TEST_CASE("With two engines of each direction two copies go on at once", "[timing]") {
    CopyEngines engines(with({"copies.engines=2"}));
    using Way = CopyEngines::Way;
    CHECK(engines.begin(Way::to_device, false, 10'000, 0) == 2 * microsecond);
    CHECK(engines.begin(Way::to_device, false, 10'000, 0) == 2 * microsecond);
    CHECK(engines.begin(Way::to_device, false, 10'000, 0) == 4 * microsecond);
}

TEST_CASE("A copy to the device leaves its lines in L2, or takes them away, as the key says", "[timing]") {
    auto const untouched = dram_reads({}, 0);
    CHECK(untouched[0] != 0);
    CHECK(untouched[1] == 0);  // the first launch has left them there
    auto const filled = dram_reads({}, 32 << 10);
    CHECK(filled[0] == 0);
    CHECK(filled[1] == 0);
    auto const half = dram_reads({}, 16 << 10);
    CHECK(half[0] > 0);
    CHECK(half[0] < untouched[0]);
    auto const forgotten = dram_reads({"copies.fill_l2=false"}, 32 << 10);
    CHECK(forgotten[0] == untouched[0]);
    CHECK(forgotten[1] == untouched[0]);
}
