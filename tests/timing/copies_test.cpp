// Copies of the host and fills in simulated time: the engines, what a copy leaves in L2, and what goes on beside it.
#include "sim/timing/copy_engines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace copies_test {

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
            copy.bytes = copied;
            copy.to = {in, copied};
            device.begin_copy(copy, device.quiet_time());
        }
        auto const result = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
        reads.push_back(result.timing->dram.read_sectors);
    }
    return reads;
}

/// Engines with nothing beside them, of which each copy is told when it ends.
struct Engines {
    explicit Engines(sim::Config given)
        : config(std::move(given)),
          engines(config, AddressMap(config.l2.slices->count, config.dram.channels->count, 256), 0) {}

    void begin(CopyOrder::Way way, bool is_pageable, std::uint64_t bytes, engine::Time at) {
        engines.begin({way, is_pageable, bytes, {}, {}, ++last}, at);
    }
    std::map<std::uint64_t, engine::Time> ends() {
        engines.run(0, engine::never);
        std::map<std::uint64_t, engine::Time> ends;
        for (CopyEngines::Ended const& e : engines.ended()) ends[e.ticket] = e.at;
        return ends;
    }

    sim::Config config;
    CopyEngines engines;
    std::uint64_t last = 0;
};

using Ends = std::map<std::uint64_t, engine::Time>;

}  // namespace

TEST_CASE("A copy takes as long as its bytes need, after the engine's latency", "[timing]") {
    Engines e(with({}));
    using Way = CopyOrder::Way;
    e.begin(Way::to_device, false, 10'000, 0);
    e.begin(Way::to_host, false, 10'000, 0);  // another engine
    e.begin(Way::to_device, false, 10'000, 0);
    e.begin(Way::to_host, true, 10'000, 5 * microsecond);
    // 2^44 bytes: nothing overflows.
    e.begin(Way::to_device, false, std::uint64_t{10'000} << 30, 10 * microsecond);
    CHECK(e.ends() == Ends{{1, 2 * microsecond},
                           {2, 2 * microsecond},
                           {3, 4 * microsecond},
                           {4, 8 * microsecond},
                           {5, 11 * microsecond + (microsecond << 30)}});
}

TEST_CASE("Copies inside the device read and write DRAM, fills write it", "[timing]") {
    Engines e(with({"dram.clock_mhz=1000", "copies.dram_percent=50"}));
    std::uint64_t const peak = std::uint64_t{e.config.dram.bus_width_bits} * e.config.dram.transfers_per_clock / 8;
    // `peak` bytes a nanosecond, of which copies get half.
    e.begin(CopyOrder::Way::fill, false, peak * 1000, 0);
    e.begin(CopyOrder::Way::inside, false, peak * 1000, 100 * microsecond);
    CHECK(e.ends() == Ends{{1, (1 + 2) * microsecond}, {2, (100 + 1 + 4) * microsecond}});
}

TEST_CASE("A launch that waits comes after all copies, whose ends are told afterwards", "[timing]") {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    runtime::Device device(with({}), options);
    auto const module = device.load_text("k.ptx", test::kernel("st.global.u32 [%o4], %i;"));
    auto const out = device.allocate(20'000);
    runtime::TimedCopy copy;
    copy.way = runtime::TimedCopy::Way::to_device;
    copy.bytes = 10'000;
    copy.to = {out, copy.bytes};
    auto const first = device.begin_copy(copy, 0), second = device.begin_copy(copy, 0);
    device.launch(*module, "k", {}, runtime::Arguments::of(out, out));
    auto const ended = device.advance(0);
    REQUIRE(ended.size() == 2);
    CHECK((ended[0].ticket == first && ended[0].at == 2 * microsecond));
    CHECK((ended[1].ticket == second && ended[1].at == 4 * microsecond));
    CHECK(device.quiet_time() > 4 * microsecond);
}

TEST_CASE("With two engines of each direction two copies go on at once", "[timing]") {
    Engines e(with({"copies.engines=2"}));
    for (int i = 0; i < 3; ++i) e.begin(CopyOrder::Way::to_device, false, 10'000, 0);
    CHECK(e.ends() == Ends{{1, 2 * microsecond}, {2, 2 * microsecond}, {3, 4 * microsecond}});
}

TEST_CASE("An area is asked for by whole lines, and names the sectors that it covers", "[timing]") {
    CopyArea const row{128 * 5 + 40, 300};  // to byte 84 of line 7
    CHECK(row.lines() == 3);
    auto const is = [](CopyArea::Part const& p, std::uint64_t line, unsigned sectors, unsigned covered) {
        return p.line == line && p.sectors == sectors && p.covered == covered;
    };
    CHECK(is(row.part(0), 5, 0b1110, 0b1100));
    CHECK(is(row.part(1), 6, 0b1111, 0b1111));
    CHECK(is(row.part(2), 7, 0b0111, 0b0011));
    CopyArea const rows{0, 256, 3, 1024};
    CHECK(rows.lines() == 6);
    CHECK(is(rows.part(5), 17, 0b1111, 0b1111));
    CHECK(CopyArea{}.lines() == 0);
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

namespace {

/// What a kernel that reads 256 KiB of DRAM and a copy of 128 KiB inside the device take, one beside the other or alone.
struct Beside {
    std::uint64_t kernel = 0;  // cycles
    engine::Time copy = 0;
    bool operator==(Beside const&) const = default;
};

Beside beside(bool has_kernel, bool has_copy, runtime::DeviceOptions options = {}) {
    options.mode = runtime::Mode::timing;
    if (options.threads == 0) options.threads = 1;
    runtime::Device device(sim::load_config("teaching", std::vector<std::string>{"copies.dram_percent=100"}),
                           options);
    auto const module = device.load_text(
        "k.ptx", test::kernel("mul.wide.u32 %d0, %i, 32; add.u64 %d0, %d0, %in; ld.global.u32 %r1, [%d0]; "
                              "setp.eq.u32 %p1, %r1, 1; @%p1 st.global.u32 [%out], %r1;"));
    std::uint64_t const bytes = 128 << 10;
    auto const in = device.allocate(2 * bytes), from = device.allocate(bytes), to = device.allocate(bytes);
    runtime::LaunchShape shape;
    shape.grid = {64, 1, 1};
    shape.block = {128, 1, 1};
    Beside result;
    std::uint64_t copy = 0;
    if (has_copy)
        copy = device.begin_copy({runtime::TimedCopy::Way::inside, false, bytes, {from, bytes}, {to, bytes}}, 0);
    if (has_kernel)
        device.begin_launch(module, "k", shape, runtime::Arguments::of(in, in), 0, 0,
                            [&](runtime::LaunchResult const& r) { result.kernel = r.timing->cycles; });
    for (;;) {
        auto const ended = device.advance(UINT64_MAX);
        if (ended.empty()) break;
        for (auto const& e : ended) result.copy = e.ticket == copy ? e.at : result.copy;
    }
    device.settle();
    return result;
}

/// Runs for 20,000 cycles of the teaching GPU without touching memory, while a copy is made. Returns what the copy did.
std::pair<sim::L2Counts, sim::DramCounts> counted(std::vector<std::string> const& settings, CopyOrder::Way way,
                                                  std::uint64_t from, std::uint64_t to, std::uint64_t offset = 0) {
    runtime::DeviceOptions options;
    options.threads = 1;
    runtime::Device device(sim::load_config("teaching", settings), options);
    auto const module = device.load_text(
        "k.ptx",
        test::kernel("mov.u32 %r1, %i; again: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3500; @%p1 bra again; "
                     "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%out], %r1;"));
    auto const out = device.allocate(512 << 10);
    auto const in = device.allocate(512 << 10);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    test::TimedContext const context(device.config(), *module, "k", shape, runtime::Arguments::of(out, out));
    Gpu gpu(device.config(), {});
    TimingOptions run;
    run.registers_per_thread = 32;
    GridNumber const grid = gpu.launch(context.context(), context.machine(), run, 0);
    CopyOrder order{way, false, std::max(from, to), {}, {}, 1};
    if (from != 0) order.from = {in + offset, from};
    if (to != 0) order.to = {out + offset, to};
    gpu.begin_copy(order, 0);
    bool has_copied = false;
    while (gpu.ended().empty()) {
        gpu.advance();
        has_copied |= !gpu.ended_copies().empty();
        gpu.ended_copies().clear();
    }
    CHECK(has_copied);  // before the kernel ended
    while (!gpu.is_settled(grid)) gpu.advance();
    std::pair<sim::L2Counts, sim::DramCounts> counts;
    gpu.add_copies(counts.first, counts.second);
    return counts;
}

}  // namespace

TEST_CASE("A copy and a kernel that both need DRAM slow each other down", "[timing]") {
    Beside const kernel = beside(true, false), copy = beside(false, true), both = beside(true, true);
    CHECK(kernel.kernel > 30'000);  // 256 KiB at 8 bytes per cycle
    CHECK(both.kernel > kernel.kernel * 5 / 4);
    CHECK(both.copy > copy.copy * 10 / 9);
    // Together no faster than DRAM.
    CHECK(std::max<std::uint64_t>(both.kernel, both.copy / 1000) >= (512 << 10) / 8);
}

TEST_CASE("Copies beside kernels take the same time whatever the host does", "[timing]") {
    Beside const once = beside(true, true);
    for (int const threads : {2, 4}) {
        runtime::DeviceOptions options;
        options.threads = threads;
        options.timing_permutation_seed = static_cast<std::uint64_t>(threads);
        options.timing_epoch_divisor = threads == 4 ? 2 : 1;
        CHECK(beside(true, true, options) == once);
    }
}

TEST_CASE("A copy moves each of its sectors once", "[timing]") {
    std::vector<std::string> const fast{"copies.bandwidth_mb_per_s=8000"};
    SECTION("inside the device") {
        auto const [l2, dram] = counted(fast, CopyOrder::Way::inside, 32 << 10, 32 << 10);
        CHECK(l2.read_sectors == 1024);
        CHECK(l2.write_sectors == 1024);
        CHECK(l2.sector_hits == 0);
        CHECK(dram.read_sectors == 1024);
        CHECK(dram.written_sectors == 0);  // in L2
    }
    SECTION("past L2") {
        auto const [l2, dram] = counted({"copies.fill_l2=false"}, CopyOrder::Way::fill, 0, 32 << 10);
        CHECK(l2.write_sectors == 1024);
        CHECK(dram.written_sectors == 1024);
    }
    SECTION("to the host, not aligned") {
        auto const [l2, dram] = counted(fast, CopyOrder::Way::to_host, 1000, 0, 40);
        CHECK(l2.read_sectors == 32);
        CHECK(dram.read_sectors == 32);
        CHECK(dram.written_sectors == 0);
    }
}

TEST_CASE("What a copy evicts from L2 is written to DRAM by requests of its own", "[timing]") {
    // 64 KiB of L2: the rest of what the copy writes has gone to DRAM.
    auto const [l2, dram] = counted({"copies.bandwidth_mb_per_s=8000"}, CopyOrder::Way::to_device, 0, 96 << 10);
    CHECK(l2.write_sectors == 3072);
    CHECK(l2.written_back_sectors >= 1024);
    CHECK(dram.written_sectors == l2.written_back_sectors);
    CHECK(dram.read_sectors == 0);
}

}  // namespace copies_test
