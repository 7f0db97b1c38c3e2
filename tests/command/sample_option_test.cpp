// --sample on the command line: what it prints and writes, what it refuses.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace sample_option_test {

using namespace warpsim::test;

namespace {

std::string const kernel =
    "run " WARPSIM_SOURCE_DIR "/benchmarks/validation/sampling/kernels.ptx --kernel polynomial --block 256 "
    "--arg 'f32[153600]=zero' --arg 50 --config v100 --set sm.count=2 --set sm.gpcs=1 ";

}  // namespace

TEST_CASE("Option --sample tells what it has projected", "[command][sampling]") {
    TemporaryFolder const folder;
    Ended const ended =
        run_command(folder, kernel + "--grid 600 --mode timing --sample --stats s.json -v --details");
    CAPTURE(ended.err);
    REQUIRE(ended.status == 0);
    CHECK(contains(ended.err, " CTAs timed,"));
    CHECK(contains(ended.err, "error up to "));
    CHECK(contains(ended.err, "  cycles                      ~"));
    CHECK(contains(ended.err, " ~"));
    auto const stats = nlohmann::json::parse(folder.read("s.json"));
    auto const& launch = stats["launches"][0];
    CHECK(launch["sampled"] == true);
    CHECK(launch["sampling"]["timed_ctas"] < 300);
    CHECK(launch["sampling"]["cycles_error"] > 0);
    CHECK(launch["sampling"]["cycles_error"] < 0.05);
    Ended const compared = run_command(folder, "compare s.json s.json");
    CHECK(compared.status == 0);
    REQUIRE(run_command(folder, kernel + "--grid 600 --mode timing --stats whole.json").status == 0);
    auto const whole = nlohmann::json::parse(folder.read("whole.json"))["launches"][0];
    CHECK(whole["sampled"] == false);
    CHECK(whole["sampling"]["timed_ctas"].is_null());
    CHECK(contains(run_command(folder, "compare whole.json s.json --threshold cycles=50%").out, "  ~"));
}

TEST_CASE("Option --sample says why it has not sampled", "[command][sampling]") {
    TemporaryFolder const folder;
    Ended const ended = run_command(folder, kernel + "--grid 8 --mode timing --sample=2% --details");
    CHECK(ended.status == 0);
    CHECK(contains(ended.err, "no: it has too few CTAs"));
    CHECK_FALSE(contains(ended.err, "~"));
}

TEST_CASE("Option --sample refuses what needs all CTAs", "[command][sampling]") {
    TemporaryFolder const folder;
    for (std::string const other : {"--trace t.txt", "--check", "--profile p.txt", "--interval 100",
                                    "--timeline t.json", "--coverage c.json", "--capture d", "--report r.html"}) {
        CAPTURE(other);
        Ended const ended = run_command(folder, kernel + "--mode timing --sample " + other);
        CHECK(ended.status == 2);
        CHECK(
            contains(ended.err, "--sample and --" + other.substr(2, other.find(' ') - 2) + " exclude each other"));
    }
    Ended const functional = run_command(folder, kernel + "--sample");
    CHECK(functional.status == 2);
    CHECK(contains(functional.err, "--sample belongs to --mode timing"));
    for (std::string const value : {"0", "nan", "60%", "5%%", "x"}) {
        CAPTURE(value);
        Ended const ended = run_command(folder, kernel + "--mode timing --sample=" + value);
        CHECK(ended.status == 2);
        CHECK(contains(ended.err, "--sample=" + value + ": the relative error that is wanted"));
    }
    Ended const debugged = run_command(folder, "debug" + kernel.substr(3) + "--mode timing --sample");
    CHECK(debugged.status == 2);
}

}  // namespace sample_option_test
