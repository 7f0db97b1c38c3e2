#include "runtime/statistics/summary.hpp"
#include "runtime/statistics/width.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

namespace summary_test {

using namespace warpsim;

TEST_CASE("A summary adds up the launches of each kernel and puts the slowest first", "[statistics]") {
    statistics::Summary summary;
    CHECK(summary.is_empty());
    sim::LaunchStatistics one;
    one.kernel = "plain";
    one.instructions.warp = 10;
    one.instructions.thread = 160;
    one.host_seconds = 0.001;
    summary.add(one);
    one.kernel = "_Z5scalePfi";
    one.instructions.warp = 7;
    one.instructions.thread = 112;
    one.host_seconds = 0.0025;
    summary.add(one);
    summary.add(one);
    CHECK(summary.text(80) == "  launches  warp instructions   lanes   host time  kernel\n"
                              "         2                 14    50 %     5.00 ms  scale(float*, int)\n"
                              "         1                 10    50 %     1.00 ms  plain");
}

namespace {

sim::LaunchStatistics timed_launch() {
    sim::LaunchStatistics launch;
    launch.kernel = "_Z20a_name_of_many_wordsPKfPfjjjj";
    sim::TimingCounts& t = launch.timing.emplace();
    t.cycles = 3000;
    t.clock_mhz = 1500;
    t.sms = 2;
    t.sub_cores = 4;
    t.max_warps = 64;
    t.active_cycles = 4000;
    t.resident_warp_cycles = 128'000;
    t.micro_ops = 2400;
    t.stalls[static_cast<std::size_t>(sim::StallReason::long_scoreboard)] = 600;
    t.stalls[static_cast<std::size_t>(sim::StallReason::wait)] = 300;
    t.stalls[static_cast<std::size_t>(sim::StallReason::barrier)] = 90;
    t.stalls[static_cast<std::size_t>(sim::StallReason::drain)] = 10;
    t.stalls[static_cast<std::size_t>(sim::StallReason::not_selected)] = 5000;
    t.l1.load_sectors = 100;
    t.l1.tag_hits = 25;
    t.l2.read_sectors = 80;
    t.l2.tag_hits = 40;
    return launch;
}

std::size_t widest(std::string const& text) {
    std::size_t most = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
    return most;
}

}  // namespace

TEST_CASE("A summary of timed launches says what limits each kernel, and for what its warps wait",
          "[statistics]") {
    statistics::Summary timed;
    timed.add(timed_launch());
    CHECK(timed.text(120) == "  launches   GPU time     SM  memory  warps  L1 hit  L2 hit   DRAM  kernel\n"
                             "         1    2.00 us   10 %     0 %   50 %    25 %    50 %      -  "
                             "a_name_of_many_words(float const*, float*, unsign...\n"
                             "    limited by latency; warps wait: long_scoreboard 60 %, wait 30 %, barrier 9 %");
    timed.add(timed_launch());
    CHECK(timed.text(120).find("         2    4.00 us   10 %     0 %   50 %    25 %    50 %") !=
          std::string::npos);
}

TEST_CASE("A summary has the watts of kernels whose energy was estimated, of all their launches together",
          "[statistics]") {
    statistics::Summary timed;
    sim::LaunchStatistics launch = timed_launch();
    launch.timing->energy.counted = true;
    launch.timing->energy.joules[0] = 400e-6;  // in 2 us
    timed.add(launch);
    launch.timing->energy.joules[0] = 200e-6;
    timed.add(launch);
    CHECK(timed.text(120).find("   DRAM  watts  kernel") != std::string::npos);
    CHECK(timed.text(120).find("50 %      -    150  a_name") != std::string::npos);
    CHECK(timed.text(72).find("watts") == std::string::npos);
}

TEST_CASE("A summary leaves columns out, and cuts names, where the terminal is too narrow for them",
          "[statistics]") {
    statistics::Summary timed;
    timed.add(timed_launch());
    for (std::size_t const width : {60U, 66U, 72U, 80U, 100U, 200U}) {
        INFO(timed.text(width));
        CHECK(widest(timed.text(width)) <= width);
    }
    CHECK(timed.text(70).find("L1 hit") == std::string::npos);
    CHECK(timed.text(70).find("warps") != std::string::npos);
    CHECK(timed.text(200).find("unsigned int, unsigned int)") != std::string::npos);
}

TEST_CASE("A kernel is limited by the part of the GPU that is busiest, if one is busy", "[statistics]") {
    statistics::Peaks const peaks{128, 64, "9.0"};
    sim::TimingCounts t = *timed_launch().timing;
    CHECK(statistics::limit(t, peaks) == "latency");
    t.units.push_back({"fma", 100, 2800, 4 * t.active_cycles});  // four in an SM, of 2 SMs and 3000 cycles
    CHECK(statistics::speed_of_light(t, peaks).sm_by == "fma");
    CHECK(statistics::speed_of_light(t, peaks).sm == Approx(2800.0 / (4 * 2 * 3000)));
    t.l2.read_sectors = 4500;  // of 64 bytes a cycle
    CHECK(statistics::limit(t, peaks) == "L2, at 75 % of its peak");
    CHECK(statistics::limit(t, {}) == "latency");
    t.micro_ops = 21'600;
    CHECK(statistics::limit(t, peaks) == "issue, at 90 % of its peak");
}

TEST_CASE("Columns of the terminal come from the environment", "[statistics]") {
    char const* const before = std::getenv("COLUMNS");
    std::string const kept = before != nullptr ? before : "";
    setenv("COLUMNS", "133", 1);
    CHECK(statistics::terminal_width() == 133);
    setenv("COLUMNS", "7", 1);
    CHECK(statistics::terminal_width() == 40);
    if (before != nullptr) setenv("COLUMNS", kept.c_str(), 1);
    else unsetenv("COLUMNS");
}

}  // namespace summary_test
