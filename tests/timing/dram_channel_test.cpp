#include "sim/timing/memory/dram_channel.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace dram_channel_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

/// One channel of 8 bytes per cycle, 4 cycles for 32; tRCD 10, tRAS 20, tRC 30, tRP 10, tRRD 4, CL 10, WL 6, tWTR
/// 8, tWR 12, tRTP 4, two idle cycles between data read and written; rows of 1024 bytes in 4 banks; 8 writes wait,
/// 6 are many, under 2 few.
class Bench {
public:
    explicit Bench(std::string const& policy = "fr_fcfs", std::vector<std::string> const& overrides = {})
        : config(sim::load_config("teaching", overrides).dram), channels(*config.channels) {
        channels.policy = policy;
        channel = std::make_unique<DramChannel>(config, channels);
    }
    /// The tags in order of completion, with their cycles.
    std::vector<std::pair<std::uint64_t, Cycle>> run() {
        std::vector<DramChannel::Completion> done;
        while (channel->next() != engine::never) channel->step(done);
        std::vector<std::pair<std::uint64_t, Cycle>> out;
        for (auto const& c : done) out.push_back({c.tag, c.at});
        return out;
    }
    sim::DramConfig config;
    sim::DramChannelsConfig channels;
    std::unique_ptr<DramChannel> channel;
};

using Done = std::vector<std::pair<std::uint64_t, Cycle>>;

}  // namespace

TEST_CASE("The first access opens its row, the next to it finds it open", "[timing]") {
    Bench bench;
    bench.channel->push(100, {0, 1, false, 1});
    bench.channel->push(200, {32, 1, false, 2});
    CHECK(bench.run() == Done{{1, 100 + 10 + 10 + 4}, {2, 200 + 10 + 4}});
    CHECK(bench.channel->statistics().row_hits == 1);
    CHECK(bench.channel->statistics().row_misses == 1);
}

TEST_CASE("Another row of the bank waits for the open one to be closed", "[timing]") {
    Bench bench;
    bench.channel->push(100, {0, 1, false, 1});
    bench.channel->push(101, {4 * 1024 * 4, 1, false, 2});  // row 4 of bank 0: each bank has every fourth row
    // Opened at 100; precharge at 120 (tRAS), open again at 130 (tRC too), column 140, data 150 to 154.
    CHECK(bench.run() == Done{{1, 124}, {2, 154}});
}

TEST_CASE("Rows of different banks open beside each other", "[timing]") {
    Bench bench;
    bench.channel->push(100, {0, 1, false, 1});
    bench.channel->push(100, {1024, 1, false, 2});
    CHECK(bench.run() == Done{{1, 124}, {2, 128}});
}

TEST_CASE("FR-FCFS serves an open row before an older request, FCFS does not", "[timing]") {
    auto const order = [](std::string const& policy) {
        Bench bench(policy);
        bench.channel->push(100, {0, 1, false, 1});
        bench.channel->push(101, {4 * 1024 * 4, 1, false, 2});
        bench.channel->push(102, {32, 1, false, 3});
        std::string tags;
        for (auto const& [tag, at] : bench.run()) tags += std::to_string(tag);
        return tags;
    };
    CHECK(order("fr_fcfs") == "132");
    CHECK(order("fcfs") == "123");
}

TEST_CASE("A write's data follow a read's after two idle cycles", "[timing]") {
    auto const last = [](bool second_writes) {
        Bench bench;
        bench.channel->push(100, {0, 1, false, 1});
        bench.channel->push(100, {32, 1, second_writes, 2});
        return bench.run().back().second;
    };
    // The row is open at 110, the read's data passes from 120 to 124; that of another read follows immediately.
    CHECK(last(false) == 124 + 4);
    CHECK(last(true) == 124 + 2 + 4);
}

TEST_CASE("A read waits for its time behind the data of a write", "[timing]") {
    Bench bench;
    bench.channel->push(100, {0, 1, true, 1});
    bench.channel->push(112, {32, 1, false, 2});
    // The write's command at 110, its data from 116 to 120; the read's command at 120 + 8, its data 10 later.
    CHECK(bench.run() == Done{{1, 120}, {2, 120 + 8 + 10 + 4}});
    CHECK(bench.channel->statistics().turns == 1);
}

TEST_CASE("A bank that was written closes when it has recovered, one that was read when its data are out",
          "[timing]") {
    Bench bench;
    bench.channel->push(100, {0, 1, true, 1});
    bench.channel->push(112, {4 * 1024 * 4, 1, false, 2});
    // Data until 120, recovered at 132, closed at 142, open at 152, data from 162.
    CHECK(bench.run() == Done{{1, 120}, {2, 166}});

    Bench read("fr_fcfs", {"dram.channels.read_to_precharge_cycles=15"});
    read.channel->push(100, {0, 1, false, 1});
    read.channel->push(101, {4 * 1024 * 4, 1, false, 2});
    // The read's command at 110: closed from 125 (not 120, tRAS) to 135, open at 145, data from 155.
    CHECK(read.run() == Done{{1, 124}, {2, 159}});
}

TEST_CASE("Banks are activated one after the other", "[timing]") {
    Bench bench("fr_fcfs", {"dram.channels.activate_interval_cycles=9"});
    bench.channel->push(100, {0, 1, false, 1});
    bench.channel->push(100, {1024, 1, false, 2});
    CHECK(bench.run() == Done{{1, 124}, {2, 109 + 10 + 10 + 4}});
}

TEST_CASE("Writes wait while there are reads, until they are many; then they go until few are left", "[timing]") {
    auto const order = [](int writes, std::string const& policy = "fr_fcfs") {
        Bench bench(policy);
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(writes); ++i)
            bench.channel->push(100, {i * 32, 1, true, 1});
        for (std::uint64_t i = 0; i < 8; ++i) bench.channel->push(100, {512 + i * 32, 1, false, 0});
        std::string kinds;
        for (auto const& [tag, at] : bench.run()) kinds += tag == 1 ? 'w' : 'r';
        return kinds;
    };
    CHECK(order(5) == "rrrrrrrrwwwww");
    CHECK(order(6) == "wwwwwrrrrrrrrw");  // with one left there are fewer than two
    CHECK(order(8) == "wwwwwwwrrrrrrrrw");
    CHECK(order(5, "fcfs") == "wwwwwrrrrrrrr");
}

TEST_CASE("A read behind writes that no queue has room for waits with them", "[timing]") {
    Bench bench;
    for (std::uint64_t i = 0; i < 12; ++i) bench.channel->push(100, {i * 32, 1, true, i});
    bench.channel->push(100, {512, 1, false, 99});
    CHECK(bench.channel->arriving() == 13);
    Done const done = bench.run();
    // Eight fit. Whenever one leaves, the next enters; the read after four: then seven of the twelve are left, too
    // many for the read, which is served when one is left.
    std::size_t at = 0;
    while (done[at].first != 99) ++at;
    CHECK(at == 11);
    CHECK(bench.channel->arriving() == 0);
}

TEST_CASE("Reads of one row fill the data bus", "[timing]") {
    Bench bench;
    for (std::uint64_t i = 0; i < 32; ++i) bench.channel->push(100, {i * 32, 1, false, i});
    Done const done = bench.run();
    CHECK(done.back().second - done.front().second == 31 * 4);
    CHECK(bench.channel->statistics().busy_cycles == 32 * 4);
}

TEST_CASE("A refresh closes the rows and keeps them closed for its time", "[timing]") {
    Bench bench;
    bench.channels.refresh_interval_cycles = 1000;
    bench.channels.refresh_cycles = 50;
    bench.channel = std::make_unique<DramChannel>(bench.config, bench.channels);
    bench.channel->push(100, {0, 1, false, 1});
    bench.channel->push(999, {32, 1, false, 2});   // the row is still open
    bench.channel->push(1010, {64, 1, false, 3});  // opened again, at 1050
    bench.channel->push(1200, {96, 1, false, 4});
    bench.channel->push(5100, {0, 1, false, 5});  // refreshed four times meanwhile, the last until 5050
    CHECK(bench.run() == Done{{1, 124}, {2, 1013}, {3, 1050 + 10 + 10 + 4}, {4, 1214}, {5, 5100 + 10 + 10 + 4}});
    CHECK(bench.channel->statistics().row_misses == 3);
}

TEST_CASE("Column commands of one bank group keep a longer distance", "[timing]") {
    auto const run = [](std::uint64_t second, std::vector<std::string> const& overrides) {
        Bench bench("fr_fcfs", overrides);
        // Both rows are open when the last two come.
        bench.channel->push(100, {0, 1, false, 1});
        bench.channel->push(100, {second, 1, false, 2});
        bench.channel->push(200, {32, 1, false, 3});
        bench.channel->push(200, {second + 32, 1, false, 4});
        return bench.run()[3].second;
    };
    std::vector<std::string> const two{"dram.channels.bank_groups=2", "dram.channels.same_group_cycles=7"};
    // Banks 0 and 2 are of one group, 0 and 1 are not: bursts of 4 cycles follow one another there.
    CHECK(run(1024, {}) == 200 + 10 + 8);
    CHECK(run(1024, two) == 200 + 10 + 8);
    CHECK(run(2048, two) == 200 + 10 + 7 + 4);
    CHECK(run(2048, {}) == 200 + 10 + 8);
    // Two accesses of one request are in one bank.
    auto const both = [](std::vector<std::string> const& overrides) {
        Bench bench("fr_fcfs", overrides);
        bench.channel->push(100, {0, 2, false, 1});
        return bench.run()[0].second;
    };
    CHECK(both({}) == 100 + 10 + 10 + 8);
    CHECK(both(two) == 100 + 10 + 10 + 7 + 4);
}

TEST_CASE("Rows of one bank group open at a longer distance, and only four in a time", "[timing]") {
    auto const last = [](std::vector<std::uint64_t> const& addresses, std::vector<std::string> overrides) {
        overrides.emplace_back("dram.channels.banks=8");
        Bench bench("fr_fcfs", overrides);
        for (std::size_t i = 0; i < addresses.size(); ++i) bench.channel->push(100, {addresses[i], 1, false, i});
        return bench.run().back().second;
    };
    std::vector<std::string> const two{"dram.channels.bank_groups=2",
                                       "dram.channels.same_group_activate_cycles=9"};
    CHECK(last({0, 1024}, two) == 100 + 4 + 24);
    CHECK(last({0, 2048}, two) == 100 + 9 + 24);
    std::vector<std::uint64_t> const five{0, 1024, 2048, 3072, 4096};
    CHECK(last(five, {}) == 100 + 4 * 4 + 24);
    CHECK(last(five, {"dram.channels.four_activates_cycles=30"}) == 100 + 30 + 24);
}

TEST_CASE("A read waits longer after a write into its own bank group", "[timing]") {
    auto const read = [](std::uint64_t address, std::vector<std::string> const& overrides) {
        Bench bench("fr_fcfs", overrides);
        bench.channel->push(100, {0, 1, false, 1});
        bench.channel->push(100, {address, 1, false, 2});
        bench.channel->push(200, {0, 1, true, 3});
        bench.channel->push(201, {address + 32, 1, false, 4});
        return bench.run()[3].second;
    };
    std::vector<std::string> const two{"dram.channels.bank_groups=2",
                                       "dram.channels.same_group_write_to_read_cycles=20"};
    // Written from 206 to 210; read 8 cycles later, or 20.
    CHECK(read(1024, {}) == 218 + 10 + 4);
    CHECK(read(1024, two) == 218 + 10 + 4);
    CHECK(read(2048, two) == 230 + 10 + 4);
}

}  // namespace dram_channel_test
