#include "sim/timing/sm/data_path.hpp"
#include "tests/support/addresses.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace data_path_test {

using namespace warpsim;
using namespace warpsim::test;
using namespace warpsim::timing;

namespace {

/// SM 0 of a V100: L1 hit 32 cycles, shared 23, address unit 4, requests 32 bytes per cycle and 60 cycles away.
class Bench {
public:
    explicit Bench(std::vector<std::string> const& overrides = {})
        : config(sim::load_config("v100", overrides)), map(64, 32, 256), path(config, 0, map, 128) {}

    /// Issues a load and returns its number.
    std::uint32_t load(Cycle now, sim::Addresses const& a, OperationKind kind = OperationKind::load,
                       std::uint32_t sub_core = 0) {
        MemoryOperation o;
        o.kind = kind;
        o.bytes = 32 * a.bytes;
        if (kind == OperationKind::shared) o.passes = sim::bank_cycles(a, {});
        else coalesce(a, 8, o.lines);
        bool const waits = kind != OperationKind::store;
        std::uint32_t const owner = waits ? next_++ : UINT32_MAX;
        if (waits) o.load = path.begin_load(owner, 1);
        path.push(sub_core, now, o);
        return owner;
    }
    void run() {
        while (path.next_event() != engine::never) path.run(arrivals);
    }
    /// Answers every request `delay` cycles after its arrival at L2; returns how many there were.
    std::uint32_t answer(Cycle delay) {
        std::uint32_t count = 0;
        path.outbox().each([&](std::size_t, auto const& m) {
            ++count;
            sent.push_back(m.time);
            std::uint8_t const sectors =
                m.payload.kind == RequestKind::write ? std::uint8_t{0} : m.payload.sectors;
            replies.push_back({m.time + delay, {m.payload.token, m.payload.kind, sectors}});
        });
        path.outbox().clear();
        for (auto const& [at, reply] : replies) path.receive(at, reply, arrivals);
        replies.clear();
        return count;
    }
    /// Answers every request in cycle `at`.
    void answer_at(Cycle at) {
        for (auto const& [sent_at, message] : requests())
            path.receive(at, {message.token, message.kind, message.sectors}, arrivals);
    }
    /// Removes the requests that were sent; returns how many there were.
    std::uint32_t take() { return static_cast<std::uint32_t>(requests().size()); }
    Cycle ready(std::uint32_t owner) const {
        for (auto const& a : arrivals) {
            if (a.owner == owner) return a.ready;
        }
        return engine::never;
    }

    sim::Config config;
    AddressMap map;
    DataPath path;
    std::vector<DataPath::Arrival> arrivals;
    std::vector<Cycle> sent;

private:
    /// In the order in which they were sent.
    std::vector<std::pair<Cycle, MemoryRequest>> requests() {
        std::vector<std::pair<Cycle, MemoryRequest>> all;
        path.outbox().each([&](std::size_t, auto const& m) { all.push_back({m.time, m.payload}); });
        path.outbox().clear();
        std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
        for (auto const& [at, request] : all) sent.push_back(at);
        return all;
    }

    std::uint32_t next_ = 0;
    std::vector<std::pair<Cycle, MemoryReply>> replies;
};

}  // namespace

TEST_CASE("A shared-memory load is ready after its latency, two cycles later for each conflict", "[timing]") {
    Bench bench;
    auto const a = bench.load(100, affine(4, 0), OperationKind::shared);
    bench.run();
    CHECK(bench.ready(a) == 123);
    for (std::uint32_t const ways : {2u, 4u, 8u}) {
        Bench other;
        auto const b = other.load(100, scattered(4, [&](std::uint32_t i) { return std::uint64_t{i} * 4 * ways; }),
                                  OperationKind::shared);
        other.run();
        CHECK(other.ready(b) == 123 + 2 * (ways - 1));
    }
}

TEST_CASE("A load that hits L1 is ready after the hit latency, wide ones when all bytes have come", "[timing]") {
    Bench bench;
    auto const miss = bench.load(100, affine(4, 0x10000));
    bench.run();
    CHECK(bench.ready(miss) == engine::never);
    CHECK(bench.answer(0) == 1);
    CHECK(bench.ready(miss) != engine::never);
    auto const hit = bench.load(1000, affine(4, 0x10000));
    bench.run();
    CHECK(bench.answer(0) == 0);
    CHECK(bench.ready(hit) == 1032);
    bench.load(2000, affine(16, 0x20000));
    bench.run();
    bench.answer(0);
    auto const wide = bench.load(3000, affine(16, 0x20000));
    bench.run();
    CHECK(bench.ready(wide) == 3032 + 3 + 3);  // four passes through the banks, four cycles to the registers
}

TEST_CASE("A load that misses takes L1's latency and the way to L2 and back", "[timing]") {
    Bench bench;
    auto const load = bench.load(100, uniform(4, 0x10000));
    bench.run();
    bench.answer(60 + 60);  // in the slice, and back
    CHECK(bench.sent.at(0) == 100 + 4 + 14 + 60);
    CHECK(bench.ready(load) == 100 + 32 + 60 + 60 + 60);
}

TEST_CASE("Loads of sectors that are on their way are merged", "[timing]") {
    Bench bench;
    auto const a = bench.load(100, uniform(4, 0x10000));
    auto const b = bench.load(101, uniform(4, 0x10004));
    auto const c = bench.load(102, uniform(4, 0x10020));
    bench.run();
    CHECK(bench.answer(120) == 2);
    CHECK(bench.ready(a) == bench.ready(b));
    CHECK(bench.ready(c) != engine::never);
    CHECK(bench.path.statistics().tag_hits == 2);
    CHECK(bench.path.statistics().sector_hits == 1);  // b's: on its way counts
    CHECK(bench.path.idle());
}

TEST_CASE("Lanes that meet in one bank take turns for what is in L1; what misses only looks up its tags",
          "[timing]") {
    auto const column =
        scattered(4, [](std::uint32_t i) { return 0x10000 + std::uint64_t{i} * 4096; });  // 32 lines, one bank
    Bench bench;
    auto const miss = bench.load(100, column);
    auto const after_miss = bench.load(101, affine(4, 0x90000), OperationKind::shared, 1);
    bench.run();
    bench.answer(0);
    CHECK(bench.ready(miss) != engine::never);
    bench.load(1000, column);
    auto const after_hit = bench.load(1001, affine(4, 0x90000), OperationKind::shared, 1);
    bench.run();
    // 32 turns at the bank, or four tags per cycle.
    CHECK(bench.ready(after_hit) - 1001 == bench.ready(after_miss) - 101 + 32 - 32 / 4);
}

TEST_CASE("A store to a line that is in L1 is a hit and keeps the line", "[timing]") {
    Bench bench;
    bench.load(100, affine(4, 0x10000));
    bench.run();
    bench.answer(0);
    bench.load(1000, affine(4, 0x10000), OperationKind::store);
    bench.load(1010, affine(4, 0x30000), OperationKind::store);
    bench.run();
    CHECK(bench.path.statistics().store_sectors == 8);
    CHECK(bench.path.statistics().store_hits == 4);
}

TEST_CASE("Each sub-core's address unit takes an instruction every four cycles", "[timing]") {
    Bench bench;
    auto const a = bench.load(100, affine(4, 0), OperationKind::shared, 0);
    auto const b = bench.load(101, affine(4, 0), OperationKind::shared, 0);
    auto const c = bench.load(101, affine(4, 0), OperationKind::shared, 1);
    bench.run();
    CHECK(bench.ready(a) == 123);
    CHECK(bench.ready(b) == 127);
    CHECK(bench.ready(c) == 124);
}

TEST_CASE("The queue of a sub-core is full after its number of entries", "[timing]") {
    Bench bench;
    for (int i = 0; i < 5; ++i) {
        CHECK(bench.path.accepts(0));
        bench.load(100, affine(4, 0), OperationKind::shared);
    }
    CHECK_FALSE(bench.path.accepts(0));
    CHECK(bench.path.accepts(1));
    bench.path.run(bench.arrivals);
    CHECK(bench.path.accepts(0));
}

TEST_CASE("Without a free MSHR the pipeline waits for a reply", "[timing]") {
    Bench bench({"sm.l1.mshrs=1"});
    auto const a = bench.load(100, uniform(4, 0x10000));
    auto const b = bench.load(101, uniform(4, 0x20000));
    bench.run();
    CHECK(bench.answer(120) == 1);
    CHECK(bench.ready(a) != engine::never);
    bench.run();
    CHECK(bench.answer(120) == 1);
    CHECK(bench.ready(b) > bench.ready(a) + 100);
    CHECK(bench.path.statistics().mshr_stall_cycles > 0);
}

TEST_CASE("Stores use the port for their bytes and are acknowledged", "[timing]") {
    Bench bench;
    bench.load(100, affine(4, 0x10000), OperationKind::store);
    bench.load(101, affine(4, 0x10080), OperationKind::store);
    bench.run();
    CHECK_FALSE(bench.path.idle());
    CHECK(bench.answer(60) == 2);
    CHECK(bench.sent.at(1) - bench.sent.at(0) == 4);  // 128 bytes and a header of 8 at 40 per cycle
    CHECK(bench.path.idle());
}

TEST_CASE("Replies come through the port one behind the other and pass L1's banks", "[timing]") {
    // Three loads of a line each whose replies have all arrived in cycle 300: 128 bytes at 32 per cycle take 4
    // cycles; half of L1's pipeline follows.
    Bench bench;
    std::vector<std::uint32_t> loads;
    for (std::uint32_t i = 0; i < 3; ++i)
        loads.push_back(bench.load(100 + i, affine(4, 0x10000 + i * 0x1000), OperationKind::load, i));
    bench.run();
    bench.answer_at(300);
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(bench.ready(loads[i]) == 300 + 4 * (i + 1) - 1 + 14);
    // Meanwhile nothing else enters L1's pipeline.
    auto const hit = bench.load(301, affine(4, 0x10000));
    bench.run();
    CHECK(bench.ready(hit) == 312 + 28);
}

TEST_CASE("Stores stop when their credits are under way, and go on with the first acknowledgement", "[timing]") {
    // Credits for four times the round trip to L2: 4 * (60 + 60 + 60).
    Bench bench;
    for (std::uint32_t i = 0; i < 24; ++i) {
        bench.load(
            100 + 40 * i,
            scattered(4, [&](std::uint32_t lane) { return 0x100000 + std::uint64_t{i} * 0x10000 + lane * 128; }),
            OperationKind::store);
    }
    bench.run();
    std::uint32_t const sent = bench.take();
    CHECK(sent == 720);
    bench.path.receive(2000, {UINT32_MAX, RequestKind::write, 0}, bench.arrivals);
    bench.run();
    CHECK(bench.take() == 1);
    CHECK(bench.sent.back() == 2000 + 14 + 60);
}

TEST_CASE("A warp's writes are counted until L1 has taken them and until L2 has acknowledged them", "[timing]") {
    Bench bench;
    MemoryOperation o;
    o.kind = OperationKind::store;
    o.writer = 5;
    coalesce(affine(8, 0x10000), 8, o.lines);  // two lines
    bench.path.watch(5, true);
    bench.path.push(0, 100, o);
    CHECK(bench.path.writes(5).queued == 1);
    bench.run();
    CHECK(bench.path.writes(5).queued == 0);
    CHECK(bench.path.writes(5).unacknowledged == 2);
    CHECK(bench.path.progress() == std::vector<std::uint32_t>{5});
    bench.path.receive(300, {5, RequestKind::write, 0}, bench.arrivals);
    CHECK(bench.path.writes(5).any());
    bench.path.receive(301, {5, RequestKind::write, 0}, bench.arrivals);
    CHECK_FALSE(bench.path.writes(5).any());
    CHECK(bench.path.progress().size() == 2);
    CHECK_FALSE(bench.path.writes(4).any());
}

}  // namespace data_path_test
