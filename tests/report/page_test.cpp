// The page of a report: its data, and what of a run is recorded for it.
#include "runtime/lines/line_counts.hpp"
#include "runtime/report/report.hpp"
#include "runtime/report/steps.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <nlohmann/json.hpp>

namespace page_test {

using namespace warpsim;
using nlohmann::json;
using test::contains;

namespace {

std::string const no_launches =
    R"({"schema": "warpsim-stats/1", "config": "h100", "mode": "functional", "launches": []})";

/// The data in a page.
json data_of(std::string const& page) {
    std::string const begin = "id=\"data\">";
    std::size_t const at = page.find(begin) + begin.size();
    return json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("A report is one page with its data, which cannot end early", "[report]") {
    report::Run run;
    run.title = "</script><b>";
    run.statistics = no_launches;
    run.texts["a.ptx"] = "// </script> \xff";
    std::string const page = report::page_of({run, run});
    json const data = data_of(page);
    REQUIRE(data.size() == 2);
    CHECK(data[0]["title"] == "</script><b>");
    CHECK(data[1]["texts"]["a.ptx"] == "// </script> \xef\xbf\xbd");
    CHECK(!contains(page, "<!--"));
    // Nothing is fetched.
    for (char const* const fetched : {"src=", "@import", "url(", "<link rel=\"stylesheet"})
        CHECK(!contains(page, fetched));
    run.statistics = "{}";
    CHECK_THROWS_WITH(report::page_of({run}), "</script><b> has no statistics: it lacks \"launches\"");
}

TEST_CASE("Lines say what their accesses ask of memory, in both modes", "[report]") {
    for (runtime::Mode const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        auto const counts = std::make_shared<lines::LineCounts>(sim::Banks{}, true);
        runtime::DeviceOptions options;
        options.mode = mode;
        options.profile = mode == runtime::Mode::timing;
        options.sinks.push_back(counts);
        options.part_sinks.push_back(counts);
        runtime::Device device(sim::load_config("h100"), options);
        std::string const ptx =
            test::kernel("mul.wide.u32 %d1, %i, 64;\nadd.u64 %d1, %d1, %out;\nld.volatile.global.u32 %r1, [%d1];\n"
                         "and.b32 %r2, %i, 3;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra DONE;\n"
                         "st.global.u32 [%o4], %r1;\nst.global.u32 [%o4], %r2;\nDONE:\n");
        auto const module = device.load_text("test.ptx", ptx);
        runtime::LaunchShape shape;
        shape.grid = {20, 1, 1};
        shape.block = {64, 1, 1};
        auto const out = device.allocate(1 << 20);
        sim::LaunchStatistics const launch = device.launch(*module, "k", shape, runtime::Arguments::of(out, out));
        auto const lines =
            counts->take(launch.number, launch.timing ? launch.timing->profile : std::vector<sim::LineProfile>());
        std::uint64_t executed = 0, divergent = 0;
        bool has_load = false, has_store = false;
        for (sim::LineProfile const& line : lines) {
            executed += line.executed;
            divergent += line.divergent;
            if (line.text.starts_with("ld.volatile")) {
                has_load = true;
                CHECK(line.accesses.requests == 40);
                CHECK(line.accesses.lanes == 1280);
                CHECK(line.accesses.bytes == 5120);
                CHECK(line.accesses.sectors == 1280);
                CHECK(line.accesses.distance == 64);
                CHECK(line.accesses.at_distance == 40);
            } else if (line.text == "st.global.u32 [%o4], %r1;") {
                has_store = true;
                CHECK(line.accesses.lanes == 960);
                CHECK(line.accesses.sectors == 160);  // 4 a warp
                CHECK(line.accesses.distance == 4);
            }
        }
        CHECK(has_load);
        CHECK(has_store);
        CHECK(executed == launch.instructions.warp);
        CHECK(divergent == launch.branches.divergent);
        CHECK(counts->texts().at("test.ptx") == ptx);
    }
}

TEST_CASE("The steps of a small launch have lanes, splits and addresses", "[report]") {
    auto const steps = std::make_shared<report::Steps>();
    runtime::DeviceOptions options;
    options.part_sinks.push_back(steps);
    runtime::Device device(sim::load_config("h100"), options);
    auto const module = device.load_text(
        "test.ptx", test::kernel("mad.lo.u32 %r3, %i, 3, 7;\nmul.lo.u32 %r3, %r3, %i;\nsetp.lt.u32 %p1, %i, "
                                 "8;\n@%p1 bra LOW;\nst.global.u32 [%o4], 1;\nbra DONE;\nLOW:\n"
                                 "st.global.u32 [%o8], 2;\nDONE:\n"));
    runtime::LaunchShape shape;
    shape.grid = {3, 1, 1};
    shape.block = {32, 1, 1};
    auto const out = device.allocate(4096);
    sim::LaunchStatistics const launch = device.launch(*module, "k", shape, runtime::Arguments::of(out, out));
    json const all = json::parse(steps->to_json({{launch.number, 5}}));
    json const& recorded = all.at("5");
    REQUIRE(recorded["ctas"].size() == 2);
    json const& cta = recorded["ctas"][0];
    CHECK(cta["complete"] == true);
    CHECK(cta["cta"] == json::array({0, 0, 0}));
    bool has_parted = false, has_split = false, has_met = false;
    std::size_t stores = 0;
    for (json const& step : cta["steps"]) {
        std::string const text = recorded["places"][step["p"].get<std::size_t>()][1];
        if (step.contains("d")) {
            has_parted = true;
            CHECK(step["d"] == json::array({0xffu, 0xffffff00u}));
        }
        if (step["s"].size() == 2) has_split = true;
        if (step.contains("b")) has_met = true;
        if (!text.starts_with("st.global")) continue;
        ++stores;
        json const& use = step["u"][0];
        CHECK(use["s"] == "global");
        CHECK(use["n"] == 4);
        bool const is_low = contains(text, "%o8");
        CHECK(step["m"] == (is_low ? 0xffu : 0xffffff00u));
        CHECK(use["l"] == out + (is_low ? 0 : 32));
        CHECK(use["at"][is_low ? 1 : 9] == (is_low ? 8 : 4));
        CHECK(use["at"][is_low ? 8 : 7] == -1);
    }
    auto const step_of = [&](std::string_view start) {
        for (json const& step : cta["steps"])
            if (recorded["places"][step["p"].get<std::size_t>()][1].get<std::string>().starts_with(start))
                return step;
        return json();
    };
    json const all_lanes = 0xffffffffu;
    CHECK(step_of("mad.lo.u32 %r3")["i"] == json::array({{"%i", all_lanes, {0, 1}}}));
    CHECK(step_of("mad.lo.u32 %r3")["o"] == json::array({{"%r3", all_lanes, {7, 3}}}));
    json const products = step_of("mul.lo.u32 %r3")["o"][0][2];
    REQUIRE(products.size() == 32);
    CHECK(products[31] == std::to_string((31 * 3 + 7) * 31));
    CHECK(step_of("setp")["o"][0][2][7] == "1");
    CHECK(step_of("setp")["o"][0][2][8] == "0");
    CHECK(has_parted);
    CHECK(has_split);
    CHECK(has_met);
    CHECK(stores == 2);
    CHECK(report::Steps(report::Steps::Limits{.threads = 64}).to_json({}) == "{}");
}

}  // namespace page_test
