// Metrics by the names of Nsight Compute: their table, and how they are printed.
#include "runtime/statistics/metrics.hpp"
#include "sim/error.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace metrics_test {

using namespace warpsim;
using test::contains;
using test::Ended;

namespace {

std::string const hello = WARPSIM_SOURCE_DIR "/examples/hello/plan.json";

std::string complaint_of(std::string_view list, bool is_timing) {
    try {
        statistics::chosen_metrics(list, is_timing);
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

/// The fields of a line of quoted values.
std::vector<std::string> fields(std::string const& line) {
    std::vector<std::string> all;
    std::string one;
    bool is_inside = false;
    for (char const c : line) {
        if (c == '"') is_inside = !is_inside;
        else if (c == ',' && !is_inside) all.push_back(std::exchange(one, ""));
        else one += c;
    }
    all.push_back(one);
    return all;
}

}  // namespace

TEST_CASE("The page of metrics is what their table says", "[statistics]") {
    std::string const path = WARPSIM_SOURCE_DIR "/runtime/statistics/metrics.md";
    if (std::getenv("WARPSIM_REBASE") != nullptr)
        std::ofstream(path, std::ios::binary) << statistics::metrics_page();
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    CHECK(text.str() == statistics::metrics_page());
}

TEST_CASE("Each metric has one row, a source, and a value of a timed launch", "[statistics]") {
    sim::LaunchStatistics launch;
    launch.timing.emplace();
    std::set<std::string> names;
    for (statistics::Metric const& metric : statistics::metrics()) {
        INFO(metric.name);
        CHECK(names.insert(metric.name).second);
        CHECK(!metric.source.empty());
        metric.value(launch, {});  // nothing was counted: no division ends the process
        if (metric.is_timed) CHECK(!metric.value(sim::LaunchStatistics(), {}));
    }
}

TEST_CASE("An unknown metric is refused with the nearest name, and one of timing mode elsewhere", "[statistics]") {
    CHECK(contains(complaint_of("sm__cycles_elapsd.avg", true), "did you mean 'sm__cycles_elapsed.avg'?"));
    CHECK(contains(complaint_of("launch__grid_size,", true), "there is no metric ''"));
    CHECK(contains(complaint_of("sm__cycles_elapsed.avg", false), "timing mode only"));
    CHECK(complaint_of("launch__grid_size,launch__block_size", false).empty());
    CHECK(complaint_of("launch__grid_size,sm__cycles_elapsed.avg", true).empty());
}

TEST_CASE("Metrics are chosen by name, by the beginning of names, and by regular expressions", "[statistics]") {
    auto const names = [](std::string const& list, bool is_timing = true) {
        std::vector<std::string> found;
        for (statistics::Metric const* metric : statistics::chosen_metrics(list, is_timing))
            found.push_back(metric->name);
        return found;
    };
    using Names = std::vector<std::string>;
    CHECK(names("dram__bytes") == Names{"dram__bytes.sum", "dram__bytes.sum.per_second"});
    CHECK(names("regex:^dram__sectors,dram__sectors_read.sum") ==
          Names{"dram__sectors_read.sum", "dram__sectors_write.sum"});
    CHECK(names("dram__bytes_write.sum,regex:bytes_w,dram__bytes.sum") ==
          Names{"dram__bytes_write.sum", "dram__bytes.sum"});
    CHECK(names("regex:.").size() == statistics::metrics().size());
    // Of an expression, those that the mode counts.
    Names const untimed = names("regex:.", false);
    CHECK(!untimed.empty());
    CHECK(untimed.size() < statistics::metrics().size());
    CHECK_THROWS_WITH(names("regex:dram__", false), Catch::Matchers::Contains("counted in timing mode only"));
    CHECK_THROWS_WITH(names("regex:(", true), Catch::Matchers::Contains("'(' is no regular expression"));
    CHECK_THROWS_WITH(names("regex:tensor_of_doom", true), Catch::Matchers::Contains("there is no metric"));
    CHECK_THROWS_WITH(names("dram__byte"), Catch::Matchers::Contains("there is no metric 'dram__byte'"));
}

TEST_CASE("With --metrics and --csv it prints what ncu --csv has columns for", "[statistics][command]") {
    test::TemporaryFolder const folder;
    Ended const ended = test::run_command(
        folder,
        "run --mode timing --stats s.json --csv --metrics sm__cycles_elapsed.avg,dram__bytes_read.sum,"
        "l1tex__t_sector_hit_rate.pct,smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio,"
        "sm__warps_active.avg.pct_of_peak_sustained_active,launch__registers_per_thread " +
            hello);
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    auto const launch = nlohmann::json::parse(folder.read("s.json"))["launches"][0];
    std::istringstream lines(ended.out);
    std::string line;
    std::getline(lines, line);
    CHECK(line ==
          "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
          "Size\","
          "\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"");
    std::vector<double> const wanted{
        launch["cycles"].get<double>(),
        32 * launch["dram"]["read_sectors"].get<double>(),
        100 * launch["l1"]["sector_hit_rate"].get<double>(),
        launch["stalls"]["long_scoreboard"].get<double>(),
        100 * launch["occupancy"]["achieved"].get<double>(),
        launch["registers_per_thread"].get<double>(),
    };
    for (double const value : wanted) {
        REQUIRE(std::getline(lines, line));
        auto const all = fields(line);
        REQUIRE(all.size() == 15);
        INFO(all[12]);
        CHECK(all[0] == "0");
        CHECK(all[2] == "warpsim");
        CHECK(all[4] == launch["kernel"].get<std::string>());
        CHECK(all[5] == "1");
        CHECK(all[6] == "7");  // the default stream, as ncu numbers it
        CHECK(all[9] == "0");
        CHECK(all[10] == "9.0");
        CHECK(std::stod(all[14]) == Approx(value).margin(0.006));
    }
    CHECK(!std::getline(lines, line));
}

TEST_CASE("With --page raw a launch is a line, below the names and their units", "[statistics][command]") {
    test::TemporaryFolder const folder;
    std::string const asked = "--metrics launch__grid_size,gpu__time_duration.sum,launch__registers_per_thread ";
    Ended const ended =
        test::run_command(folder, "run --mode timing --stats s.json --csv --page raw " + asked + hello);
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    auto const launch = nlohmann::json::parse(folder.read("s.json"))["launches"][0];
    std::istringstream lines(ended.out);
    std::string names, units, values, more;
    REQUIRE(std::getline(lines, names));
    REQUIRE(std::getline(lines, units));
    REQUIRE(std::getline(lines, values));
    CHECK(!std::getline(lines, more));
    CHECK(names ==
          "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
          "Size\",\"Grid Size\",\"Device\",\"CC\",\"launch__grid_size\",\"gpu__time_duration.sum\","
          "\"launch__registers_per_thread\"");
    CHECK(units == "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ns\",\"register/thread\"");
    auto const all = fields(values);
    REQUIRE(all.size() == 14);
    CHECK(all[4] == launch["kernel"].get<std::string>());
    CHECK(std::stod(all[11]) == launch["grid"][0].get<double>());
    CHECK(std::stod(all[12]) == Approx(1000 * launch["time_us"].get<double>()).margin(0.006));
    CHECK(std::stod(all[13]) == launch["registers_per_thread"].get<double>());

    Ended const alone = test::run_command(folder, "run --page raw --metrics launch__grid_size " + hello);
    CHECK(alone.status == 2);
    CHECK(contains(alone.err, "--page raw belongs to --csv"));
}

TEST_CASE("Groups and breakdowns of ncu mean those of their metrics that there are", "[statistics]") {
    for (statistics::MetricSet const& set : statistics::metric_sets()) {
        INFO(set.name);
        auto const chosen = statistics::chosen_metrics(set.name, true);
        CHECK(!chosen.empty());
        for (std::string_view const beginning : set.beginnings)
            CHECK(std::any_of(chosen.begin(), chosen.end(),
                              [&](auto const* metric) { return metric->name.starts_with(beginning); }));
    }
    auto const dram = statistics::chosen_metrics("group:memory__dram_table", true);
    CHECK(std::all_of(dram.begin(), dram.end(), [](auto const* m) { return m->name.starts_with("dram__"); }));
    CHECK(contains(complaint_of("group:memory__dram_tables", true), "did you mean 'group:memory__dram_table'?"));
    CHECK(contains(complaint_of("group:memory__dram_table", false), "timing mode only"));
    CHECK(contains(complaint_of("breakdown:launch__grid_size", true), "there is no metric 'breakdown:"));
}

TEST_CASE("What a breakdown has at most is the metric that it is of", "[statistics]") {
    sim::LaunchStatistics launch;
    sim::TimingCounts& counts = launch.timing.emplace();
    counts.cycles = 1000;
    counts.sms = 2;
    counts.sub_cores = 4;
    counts.active_cycles = 1600;
    counts.micro_ops = 800;
    counts.units.resize(2);
    counts.units[0].name = "fma";
    counts.units[0].cycles = 4 * 1600;
    counts.units[0].busy_cycles = 3200;
    counts.units[1].name = "alu";
    counts.units[1].cycles = 4 * 1600;
    counts.units[1].busy_cycles = 800;
    double most = 0;
    std::string const name = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    for (statistics::Metric const* part : statistics::chosen_metrics("breakdown:" + name, true))
        most = std::max(most, part->value(launch, {}).value_or(0));
    CHECK(most == Approx(40));  // 3200 cycles of 4 units on 2 SMs
    CHECK(statistics::chosen_metrics(name, true).front()->value(launch, {}).value() == Approx(most));
}

TEST_CASE("A wrong name of --metrics is refused before anything runs", "[statistics][command]") {
    test::TemporaryFolder const folder;
    Ended const wrong =
        test::run_command(folder, "run --mode timing --stats s.json --metrics launch__grid_sise " + hello);
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "did you mean 'launch__grid_size'?"));
    CHECK(folder.read("s.json").empty());
    CHECK(test::run_command(folder, "run --csv " + hello).status == 2);
    CHECK(
        contains(test::run_command(folder, "exec --metrics nothing -- true").err, "there is no metric 'nothing'"));
    Ended const table = test::run_command(folder, "run --metrics launch__grid_size " + hello);
    CHECK(contains(table.out, "launch__grid_size"));
    CHECK(contains(test::run_command(folder, "metrics").out, "dram__bytes.sum "));
}

}  // namespace metrics_test
