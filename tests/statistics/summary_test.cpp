#include "runtime/statistics/summary.hpp"
#include "tests/support/catch.hpp"

namespace summary_test {

using namespace warpsim;

TEST_CASE("A summary adds up the launches of each kernel and puts the slowest first", "[statistics]") {
    statistics::Summary summary;
    CHECK(summary.is_empty());
    sim::LaunchStatistics one;
    one.kernel = "plain";
    one.instructions.warp = 10;
    one.host_seconds = 0.001;
    summary.add(one);
    one.kernel = "_Z5scalePfi";
    one.instructions.warp = 7;
    one.host_seconds = 0.0025;
    summary.add(one);
    summary.add(one);
    CHECK(summary.text() == "  launches  warp instructions    host time  kernel\n"
                            "         2                 14      5.00 ms  scale(float*, int)\n"
                            "         1                 10      1.00 ms  plain");
    statistics::Summary timed;
    one.timing.emplace();
    one.timing->cycles = 3000;
    one.timing->clock_mhz = 1500;
    timed.add(one);
    CHECK(timed.text() == "  launches  warp instructions     GPU time  kernel\n"
                          "         1                  7      2.00 us  scale(float*, int)");
}

}  // namespace summary_test
