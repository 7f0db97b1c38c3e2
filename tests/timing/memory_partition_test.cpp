#include "sim/timing/memory/memory_partition.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace memory_partition_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

struct Got {
    Cycle at;
    std::uint32_t token;
    std::uint8_t sectors;
    bool operator==(Got const&) const = default;
};

/// The teaching GPU's only partition, with requests from SM 0: L2 hit 20 cycles in the slice, reply 30, a DRAM
/// with one cycle per ns.
class Bench {
public:
    explicit Bench(std::vector<std::string> const& overrides = {})
        : config(sim::load_config("teaching", overrides)),
          map(config.l2.slices->count, config.dram.channels->count, config.interconnect->interleave_bytes),
          partition(config, 0, map),
          requests(partition.slices()) {}

    void send(Cycle at, MemoryRequest const& request) {
        requests.send(map.slice(request.line * 128) % map.slices_per_channel(), at, request);
    }
    std::vector<Got> run(Cycle end) {
        engine::Outbox<MemoryRequest>* const sources[] = {&requests};
        for (std::uint32_t s = 0; s < partition.slices(); ++s) partition.take_requests(s, s, sources);
        requests.clear();
        partition.run(end);
        std::vector<Got> got;
        partition.outbox().each_to(0, [&](auto const& m) {
            got.push_back({m.time, m.payload.token, m.payload.sectors});
        });
        partition.outbox().clear();
        return got;
    }

    sim::Config config;
    AddressMap map;
    MemoryPartition partition;
    engine::Outbox<MemoryRequest> requests;
};

MemoryRequest read(std::uint64_t line, std::uint32_t token, std::uint8_t sectors = 1) {
    MemoryRequest request{line, token, RequestKind::read};
    request.sectors = sectors & 0xf;
    return request;
}

MemoryRequest write(std::uint64_t line, std::uint32_t token, std::uint8_t sectors, std::uint8_t covered) {
    MemoryRequest request{line, token, RequestKind::write};
    request.sectors = sectors & 0xf;
    request.covered = covered & 0xf;
    return request;
}

}  // namespace

TEST_CASE("A read that misses L2 takes the slice, the way to DRAM, a row's opening, and the way back",
          "[timing]") {
    Bench bench;
    bench.send(100, read(0, 1));
    // 20 slice + 20 to DRAM + 10 activate + 10 read + 4 on a bus of 8 bytes per cycle + 20 back + 30 reply
    CHECK(bench.run(10000) == std::vector<Got>{{100 + 20 + 20 + 10 + 10 + 4 + 20 + 30, 1, 1}});
    CHECK(bench.partition.dram().row_misses == 1);
    CHECK(bench.partition.l2().sector_hits == 0);
}

TEST_CASE("A read that hits L2 takes the slice and the reply, not a cycle less", "[timing]") {
    Bench bench;
    bench.send(100, read(0, 1));
    bench.run(1000);
    bench.send(1000, read(0, 2));
    CHECK(bench.run(2000) == std::vector<Got>{{1000 + 20 + 30, 2, 1}});
    CHECK(bench.partition.l2().sector_hits == 1);
}

TEST_CASE("Reads of a sector on its way are merged, others of its line are fetched", "[timing]") {
    Bench bench;
    bench.send(100, read(0, 1, 0x1));
    bench.send(101, read(0, 2, 0x1));
    bench.send(102, read(0, 3, 0x2));
    std::vector<Got> const got = bench.run(10000);
    REQUIRE(got.size() == 3);
    CHECK(got[1].at == got[0].at + 1);  // one reply after the other passes the slice's port
    CHECK(got[2].token == 3);
    CHECK(got[2].at == got[0].at + 4);  // the next 32 bytes on the bus
    CHECK(bench.partition.dram().read_sectors == 2);
    CHECK(bench.partition.dram().row_hits == 1);
    CHECK(bench.partition.l2().tag_hits == 2);
}

TEST_CASE("A miss brings its neighbour when L2 fetches 64 bytes, and a later read of that one hits", "[timing]") {
    Bench bench({"l2.slices.fetch_bytes=64"});
    bench.send(100, read(0, 1, 0x2));
    bench.send(101, read(0, 2, 0x8));
    CHECK(bench.run(10000).size() == 2);
    CHECK(bench.partition.dram().read_sectors == 4);
    bench.send(10000, read(0, 3, 0x5));
    CHECK(bench.run(20000) == std::vector<Got>{{10000 + 20 + 30, 3, 0x5}});
    CHECK(bench.partition.dram().read_sectors == 4);
    CHECK(bench.partition.l2().sector_hits == 2);

    // Sectors that are present are not fetched again.
    Bench written({"l2.slices.fetch_bytes=64"});
    written.send(100, {0, 0, RequestKind::write, 0x1, 0x1, 1});
    written.send(200, read(0, 1, 0x2));
    written.run(10000);
    CHECK(written.partition.dram().read_sectors == 1);
}

TEST_CASE("DRAM moves whole accesses, L2 keeps what a read brings, and sectors are counted as they move",
          "[timing]") {
    // 64 bytes per access, 8 cycles of the bus of 8 bytes.
    Bench bench({"dram.channels.access_bytes=64", "dram.channels.command_interval_cycles=8"});
    bench.send(100, read(0, 1, 0x2));
    CHECK(bench.run(1000) == std::vector<Got>{{100 + 20 + 20 + 10 + 10 + 8 + 20 + 30, 1, 0x2}});
    CHECK(bench.partition.dram().read_sectors == 2);
    bench.send(1000, read(0, 2, 0x1));
    CHECK(bench.run(2000) == std::vector<Got>{{1000 + 20 + 30, 2, 0x1}});
    // Three sectors are in two accesses, one of which is partly present.
    bench.send(2000, read(16, 3, 0x7));
    std::vector<Got> const got = bench.run(3000);
    REQUIRE(got.size() == 1);
    CHECK(bench.partition.dram().read_sectors == 2 + 4);
    CHECK(bench.partition.dram().busy_cycles == 8 + 16);
}

TEST_CASE("A slice that has to read what a part is written of takes twice as long", "[timing]") {
    // Eight bytes of a sector that is present, then a read: 32 bytes per cycle.
    auto const answered = [](char const* reads, std::uint8_t covered) {
        Bench bench(
            {std::string("l2.slices.reads_before_partial_writes=") + reads, "l2.slices.bytes_per_cycle=8"});
        bench.send(100, read(0, 1, 0x1));
        bench.run(1000);
        bench.send(1000, write(0, 2, 0x1, covered));
        bench.send(1000, read(0, 3, 0x1));
        return bench.run(2000).back().at;
    };
    CHECK(answered("false", 0) == 1000 + 4 + 20 + 30);
    CHECK(answered("true", 0) == 1000 + 8 + 20 + 30);
    CHECK(answered("true", 1) == 1000 + 4 + 20 + 30);
}

TEST_CASE("A sector that DRAM has completed is read from L2", "[timing]") {
    // Of one access L2 knows which bytes are written: another one sends it to DRAM, which reads and writes its sector.
    Bench bench({"l2.slices.partial_accesses=1"});
    std::uint64_t other = 1;
    while (bench.map.slice(other * 128) != bench.map.slice(0)) ++other;
    bench.send(100, write(0, 1, 0x1, 0));
    bench.run(1000);
    CHECK(bench.partition.dram().read_sectors == 0);
    bench.send(1000, write(other, 2, 0x1, 0));
    bench.run(2000);
    CHECK(bench.partition.dram().read_sectors == 1);
    CHECK(bench.partition.dram().written_sectors == 1);
    bench.send(2000, read(0, 3, 0x1));
    CHECK(bench.run(3000).size() == 1);
    CHECK(bench.partition.dram().read_sectors == 1);
}

TEST_CASE("What was written again is completed after what was not", "[timing]") {
    Bench bench({"l2.slices.partial_accesses=2"});
    std::vector<std::uint64_t> lines;  // of one slice
    for (std::uint64_t line = 0; lines.size() < 3; ++line) {
        if (bench.map.slice(line * 128) == bench.map.slice(0)) lines.push_back(line);
    }
    bench.send(100, write(lines[0], 1, 0x1, 0));
    bench.send(200, write(lines[1], 2, 0x1, 0));
    bench.send(300, write(lines[0], 3, 0x1, 0));
    bench.send(400, write(lines[2], 4, 0x1, 0));
    bench.run(2000);
    REQUIRE(bench.partition.dram().read_sectors == 1);
    bench.send(2000, read(lines[1], 5, 0x1));  // is complete
    bench.run(3000);
    CHECK(bench.partition.dram().read_sectors == 1);
    bench.send(3000, read(lines[0], 6, 0x1));
    bench.run(4000);
    CHECK(bench.partition.dram().read_sectors == 2);
}

TEST_CASE("A slice waits with a store when too much is being completed", "[timing]") {
    auto const acknowledged = [](char const* merges) {
        Bench bench({"l2.slices.partial_accesses=1", std::string("l2.slices.partial_merges=") + merges});
        std::uint64_t sent = 0;
        for (std::uint64_t line = 0; sent < 4; ++line) {
            if (bench.map.slice(line * 128) != bench.map.slice(0)) continue;
            bench.send(100, write(line, static_cast<std::uint32_t>(++sent), 0x1, 0));
        }
        std::vector<Got> const got = bench.run(5000);
        REQUIRE(got.size() == 4);
        return got.back().at;
    };
    // The fourth store begins the third merge, which with one at a time has waited for two trips to DRAM.
    Cycle const at_once = acknowledged("0"), in_turn = acknowledged("1");
    CHECK(acknowledged("3") == at_once);
    CHECK(in_turn > at_once + 2 * 40);
    CHECK(acknowledged("2") > at_once);
    CHECK(acknowledged("2") < in_turn);
}

TEST_CASE("Stores to one sector that follow one another are done four in a cycle", "[timing]") {
    auto const answered = [](int stores) {
        Bench bench({"l2.slices.bytes_per_cycle=8"});
        bench.send(100, read(0, 1, 0x1));
        bench.run(1000);
        for (int i = 0; i < stores; ++i) bench.send(1000, write(0, 2, 0x1, 0));
        bench.send(1000, read(0, 3, 0x1));
        return bench.run(2000).back().at;
    };
    CHECK(answered(9) == answered(1) + 2);
}

TEST_CASE("A slice serves so many bytes per cycle and no more", "[timing]") {
    Bench bench;
    bench.send(100, read(0, 1, 0xf));
    bench.run(10000);
    bench.send(10000, read(0, 1, 0xf));  // four cycles of 32 bytes
    bench.send(10000, read(0, 2, 0x1));
    std::vector<Got> const got = bench.run(20000);
    REQUIRE(got.size() == 2);
    CHECK(got[1].at == got[0].at + 4);
}

TEST_CASE("What a channel and its slices exchange takes turns where its width is limited", "[timing]") {
    auto const ends = [](std::vector<std::string> const& overrides) {
        Bench bench(overrides);
        for (std::uint32_t i = 0; i < 4; ++i) bench.send(100, read(i * 2, i));
        std::vector<Cycle> at;
        for (Got const& got : bench.run(10000)) at.push_back(got.at);
        return at;
    };
    // Sectors of 32 bytes, four cycles of the bus of 8 bytes each, in one row.
    Cycle const first = 100 + 20 + 20 + 10 + 10 + 4 + 20 + 30;
    CHECK(ends({}) == std::vector<Cycle>{first, first + 4, first + 8, first + 12});
    CHECK(ends({"dram.channels.l2_bytes_per_cycle=8"}) == ends({}));
    // The others find the row open.
    CHECK(ends({"dram.channels.l2_bytes_per_cycle=2"}) ==
          std::vector<Cycle>{first, first + 16 - 10, first + 32 - 10, first + 48 - 10});

    // What is written back goes the same way: one line of each set of four, and its sectors in front of the read's.
    auto const read_behind_write_back = [](std::vector<std::string> overrides) {
        overrides.insert(overrides.end(), {"l2.size_kib=1", "l2.slices.ways=2"});
        Bench bench(overrides);
        for (std::uint32_t i = 0; i < 8; ++i) bench.send(100 + i, write(i, i, 0xf, 0xf));
        bench.run(5000);
        bench.send(5000, read(64, 9));
        return bench.run(10000).back().at;
    };
    CHECK(read_behind_write_back({"dram.channels.l2_bytes_per_cycle=2"}) > read_behind_write_back({}));
}

TEST_CASE("Written sectors stay in L2 and are written back when their line must go", "[timing]") {
    Bench bench({"l2.size_kib=1", "l2.slices.ways=4"});  // four lines in each of two slices, one set
    std::vector<std::uint64_t> lines;                    // of one slice
    for (std::uint64_t line = 0; lines.size() < 5; line += 2) {
        if (bench.map.slice(line * 128) == 0) lines.push_back(line);
    }
    for (std::size_t i = 0; i < 4; ++i) bench.send(100 + 10 * i, {lines[i], 0, RequestKind::write, 0x3, 0x3, 1});
    bench.run(1000);
    CHECK(bench.partition.dram().written_sectors == 0);
    CHECK(bench.partition.dram().read_sectors == 0);
    bench.send(1000, {lines[4], 0, RequestKind::write, 0x1, 0x1, 1});
    bench.run(5000);
    CHECK(bench.partition.dram().written_sectors == 2);
    CHECK(bench.partition.l2().written_back_sectors == 2);
}

TEST_CASE("Slices share the sets of an L2 of any size, the first ones with a set more", "[timing]") {
    Bench bench({"l2.size_kib=3", "l2.slices.ways=8"});  // three sets in two slices
    std::array<std::vector<std::uint64_t>, 2> lines;
    for (std::uint64_t line = 0; line < 200; ++line) lines[bench.map.slice(line * 128)].push_back(line);
    Cycle at = 100;
    for (std::size_t slice = 0; slice < 2; ++slice) {
        // What fits is there when it is read again, in whichever of the slice's sets its lines lie.
        std::uint64_t const fit = slice == 0 ? 16 : 8;
        std::uint64_t before = bench.partition.l2().sector_hits;
        for (int round = 0; round < 2; ++round)
            for (std::uint64_t i = 0; i < 100 && i < lines[slice].size(); ++i) {
                bench.send(at, read(lines[slice][i], 1));
                bench.run(at += 1000);
            }
        std::uint64_t const kept = bench.partition.l2().sector_hits - before;
        CHECK(kept == 0);  // the oldest leave first, and 100 are more than fit
        std::uint64_t held = 0;
        before = bench.partition.l2().sector_hits;
        for (std::size_t i = lines[slice].size(); i-- > 0;) {
            bench.send(at, read(lines[slice][i], 1));
            bench.run(at += 1000);
            if (bench.partition.l2().sector_hits == before) break;
            before = bench.partition.l2().sector_hits;
            ++held;
        }
        CHECK(held <= fit);
        CHECK(held > fit / 2);
    }
}

TEST_CASE("Reading a sector that was written in part fetches the rest", "[timing]") {
    Bench bench;
    bench.send(100, {0, 0, RequestKind::write, 0x3, 0x1, 1});
    bench.send(200, read(0, 1, 0x1));
    bench.send(300, read(0, 2, 0x2));
    bench.run(10000);
    CHECK(bench.partition.dram().read_sectors == 1);
    CHECK(bench.partition.l2().sector_hits == 1);
}

TEST_CASE("Atomics on one address take turns in the slice", "[timing]") {
    Bench bench({"l2.slices.atomic_interval_cycles=2"});
    bench.send(100, read(0, 1));
    bench.run(1000);
    bench.send(1000, {0, 2, RequestKind::atomic, 0x1, 0, 32});
    bench.send(1000, read(0, 3));
    std::vector<Got> const got = bench.run(5000);
    REQUIRE(got.size() == 2);
    CHECK(got[0] == Got{1000 + 20 + 62 + 30, 2, 1});
    CHECK(got[1] == Got{1000 + 64 + 20 + 30, 3, 1});
}

TEST_CASE("A full set of MSHRs holds the slice up until one is free", "[timing]") {
    Bench bench({"l2.slices.mshrs=1"});
    std::uint64_t other = 2;
    while (bench.map.slice(other * 128) != bench.map.slice(0)) other += 2;
    bench.send(100, read(0, 1));
    bench.send(100, read(other, 2));
    std::vector<Got> const got = bench.run(10000);
    REQUIRE(got.size() == 2);
    CHECK(got[1].at > got[0].at + 60);
    CHECK(bench.partition.l2().stall_cycles > 0);
}

TEST_CASE("Replies of a slice go through its port one behind the other", "[timing]") {
    // 8 bytes per cycle: a sector takes 4 cycles. Three hits, served in three cycles, wait for one another.
    Bench bench({"interconnect.slice_reply_bytes_per_cycle=8"});
    bench.send(100, read(0, 1));
    bench.run(10000);
    for (std::uint32_t i = 0; i < 3; ++i) bench.send(10000, read(0, i));
    CHECK(bench.run(20000) ==
          std::vector<Got>{{10000 + 20 + 30, 0, 1}, {10004 + 20 + 30, 1, 1}, {10008 + 20 + 30, 2, 1}});
}

TEST_CASE("What comes from DRAM competes for the port with what hits", "[timing]") {
    Bench bench;
    std::uint64_t hot = 2;
    while (bench.map.slice(hot * 128) != bench.map.slice(0)) hot += 2;
    bench.send(100, read(hot, 1, 0xf));
    bench.run(10000);
    // The miss would leave the slice at 10000 + 84 (see above; its row is open: 10 less). The hit is served at
    // 10053, leaves the slice at 10073 and occupies the port for 4 cycles.
    bench.send(10000, read(0, 2));
    bench.send(10053, read(hot, 3, 0xf));
    bool const row_is_open = bench.map.in_channel(0) / 1024 == bench.map.in_channel(hot * 128) / 1024;
    REQUIRE(row_is_open);
    CHECK(bench.run(20000) == std::vector<Got>{{10073 + 30, 3, 0xf}, {10077 + 30, 2, 1}});
}

TEST_CASE("A slice whose replies do not get away serves nobody until they do", "[timing]") {
    // 40 hits and a write after them; a reply takes 4 cycles. With room for all, requests are served one per
    // cycle: the write at 10040. With room for one waiting reply (4 cycles): 1 to 20 are served until the first
    // leaves the slice at 10020, then the 21st. From then on replies keep the port busy: when 21 have left it is
    // free at 10020 + 21 * 4 = 10104, and the 22nd is served at 10100, the others up to the 40th after it, the
    // write at 10119.
    auto const served = [](std::string const& entries) {
        Bench bench({"interconnect.slice_reply_bytes_per_cycle=8", "interconnect.slice_reply_entries=" + entries});
        bench.send(100, read(0, 1));
        bench.run(10000);
        for (std::uint32_t i = 0; i < 40; ++i) bench.send(10000, read(0, i));
        bench.send(10000, {0, 77, RequestKind::write, 0x2, 0x2, 1});
        Cycle at = 10000;
        while (bench.partition.l2().write_sectors == 0) bench.run(++at);
        return at - 1;
    };
    CHECK(served("64") == 10040);
    CHECK(served("1") == 10119);
}

TEST_CASE("Slices wait when DRAM takes no more of what they write back", "[timing]") {
    // Every write evicts another line: each takes a sector of 4 cycles to DRAM, so that in the end at most one is
    // accepted every 4 cycles.
    auto const last_acknowledged = [](std::string const& entries) {
        Bench bench({"l2.size_kib=1", "l2.slices.ways=4", "dram.channels.input_entries=" + entries});
        std::uint64_t line = 0;
        for (std::uint32_t i = 0; i < 400; ++i, line += 2) {
            while (bench.map.slice(line * 128) != 0) line += 2;
            bench.send(100 + i, {line, i, RequestKind::write, 0x1, 0x1, 1});
        }
        Cycle last = 0;
        for (Got const& got : bench.run(100000)) last = std::max(last, got.at);
        CHECK(bench.partition.dram().written_sectors == 396);
        return std::pair(last, bench.partition.l2().stall_cycles);
    };
    CHECK(last_acknowledged("1000") == std::pair<Cycle, std::uint64_t>{100 + 399 + 20 + 30, 0});
    // When the last is accepted, everything has passed the bus except what is in flight (20 + 20), waits (8) or is
    // in the channel (8).
    auto const [last, stalled] = last_acknowledged("8");
    CHECK(last > 100 + (396 - 40 - 8 - 8) * 4);
    CHECK(stalled > 900);
}

TEST_CASE("L2 and DRAM count in clocks of their own", "[timing]") {
    // DRAM at half the core's: 24 of its cycles are 48.
    Bench slow({"dram.clock_mhz=500"});
    slow.send(100, read(0, 1));
    CHECK(slow.run(10000) == std::vector<Got>{{100 + 20 + 20 + 2 * (10 + 10 + 4) + 20 + 30, 1, 1}});
    // Commands wait for the next tick: 141 is tick 71.
    Bench odd({"dram.clock_mhz=500"});
    odd.send(101, read(0, 1));
    CHECK(odd.run(10000) == std::vector<Got>{{142 + 2 * (10 + 10 + 4) + 20 + 30, 1, 1}});

    // A slice of 32 bytes per cycle at 700 MHz: lines of 4 sectors pass every 4 of its cycles, request n in tick
    // 7000 + 4 n.
    Bench bench({"l2.slices.clock_mhz=700"});
    bench.send(100, read(0, 1, 0xf));
    bench.run(10000);
    for (std::uint32_t i = 0; i < 8; ++i) bench.send(10000, read(0, i, 0xf));
    std::vector<Got> const got = bench.run(20000);
    REQUIRE(got.size() == 8);
    for (std::uint32_t n = 0; n < 8; ++n) CHECK(got[n].at == 10000 + (40 * n + 6) / 7 + 20 + 30);
}

TEST_CASE("Running a partition in short pieces changes nothing", "[timing]") {
    auto const run = [](Cycle piece) {
        Bench bench;
        for (std::uint32_t i = 0; i < 200; ++i)
            bench.send(100 + 3 * i, read(i * 7 % 64, i, static_cast<std::uint8_t>(1 + i % 15)));
        std::vector<Got> all;
        for (Cycle end = 100; end < 20000; end += piece) {
            for (Got const& g : bench.run(end)) all.push_back(g);
        }
        return all;
    };
    CHECK(run(1000) == run(17));
    CHECK(run(1000).size() > 200);
}

TEST_CASE("Every address has one slice and one place in its channel", "[timing]") {
    for (auto const& [slices, channels] : {std::pair{64u, 32u}, {80u, 40u}, {24u, 12u}, {2u, 1u}}) {
        AddressMap const map(slices, channels, 256);
        std::set<std::pair<std::uint32_t, std::uint64_t>> places;
        std::vector<std::uint32_t> load(slices);
        std::uint32_t const pieces = slices * 200;
        for (std::uint32_t i = 0; i < pieces; ++i) {
            std::uint64_t const address = 0x10000000000 + std::uint64_t{i} * 256;
            ++load[map.slice(address)];
            places.insert({map.channel_of_slice(map.slice(address)), map.in_channel(address)});
        }
        CHECK(places.size() == pieces);
        for (std::uint32_t const l : load) CHECK((l >= 199 && l <= 201));
    }
}

TEST_CASE("A power-of-two stride uses most slices", "[timing]") {
    AddressMap const map(64, 32, 256);
    for (std::uint64_t const stride : {4096u, 16384u, 65536u, 1u << 20}) {
        std::set<std::uint32_t> used;
        for (std::uint64_t i = 0; i < 256; ++i) used.insert(map.slice(0x10000000000 + i * stride));
        CHECK(used.size() > 48);
    }
}

}  // namespace memory_partition_test
