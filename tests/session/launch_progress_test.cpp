#include "runtime/session/launch_progress.hpp"

#include "tests/support/catch.hpp"

namespace launch_progress_test {

using namespace warpsim;

TEST_CASE("A progress line says how far a launch is, as the terminal has room", "[session]") {
    sim::LaunchProgress progress;
    progress.kernel = "_Z5saxpyifPfS_";
    progress.ctas = 1204;
    progress.ended = 301;
    progress.resident = 132;
    progress.cycles = 1000;
    progress.micro_ops = 180'000;
    progress.sms = 100;
    CHECK(runtime::text_of(progress, 20, 200) ==
          "saxpy(...): 25 %, 301 of 1204 CTAs done, 132 resident, cycle 1000, IPC 1.80, "
          "0:20, 1:00 left");
    progress.others = 3;
    CHECK(runtime::text_of(progress, 20, 70) == "saxpy(...): 25 %, cycle 1000, IPC 1.80, 0:20, 1:00 left");
    CHECK(runtime::text_of(progress, 20, 40) == "saxpy(...): 25 %, 0:20, 1:00 left");
}

TEST_CASE("Nothing is promised before a CTA has ended", "[session]") {
    sim::LaunchProgress progress;
    progress.kernel = "k";
    progress.ctas = 7;
    CHECK(runtime::text_of(progress, 3700, 80) == "k: 0 %, 0 of 7 CTAs done, 1:01:40");
}

}  // namespace launch_progress_test
