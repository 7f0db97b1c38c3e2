#include "runtime/statistics/compare.hpp"

#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

namespace compare_statistics_test {

using namespace warpsim;
using statistics::Comparison;
using statistics::parse_threshold;
using nlohmann::ordered_json;

namespace {

ordered_json launch(std::string const& kernel, std::uint64_t cycles, double hit_rate) {
    return {{"kernel", kernel}, {"status", "ok"}, {"cycles", cycles}, {"l1", {{"hit_rate", hit_rate}}}};
}

statistics::StatisticsFile file(std::string const& name, std::vector<ordered_json> const& launches,
                                std::uint64_t l1_kib = 128) {
    ordered_json json{{"schema", "warpsim-stats/1"}, {"mode", "timing"}};
    json["config_effective"] = {{"sm", {{"l1", {{"size_kib", l1_kib}}}, {"count", 80}}}};
    json["launches"] = launches;
    return {name, json.dump()};
}

Comparison compare(std::vector<ordered_json> const& before, std::vector<ordered_json> const& after,
                   std::vector<std::string> const& thresholds = {}) {
    statistics::CompareOptions options;
    for (std::string const& text : thresholds) options.thresholds.push_back(parse_threshold(text));
    return statistics::compare(file("a.json", before), file("b.json", after), options);
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("More cycles are a regression, fewer are none", "[statistics]") {
    CHECK_FALSE(compare({launch("k", 1000, .5)}, {launch("k", 1000, .5)}).has_regressed);
    CHECK_FALSE(compare({launch("k", 1000, .5)}, {launch("k", 900, .4)}).has_regressed);
    Comparison const slower = compare({launch("k", 1000, .5)}, {launch("k", 1100, .5)});
    CHECK(slower.has_regressed);
    CHECK(contains(slower.text, "1,000  1,100  +10.0 %  regression"));
}

TEST_CASE("A threshold says how much worse a value may become", "[statistics]") {
    std::vector<ordered_json> const before{launch("k", 1000, .5)}, after{launch("k", 1015, .48)};
    CHECK_FALSE(compare(before, after, {"cycles=2%"}).has_regressed);
    CHECK(compare(before, after, {"cycles=1%"}).has_regressed);
    CHECK_FALSE(compare(before, after, {"cycles=15"}).has_regressed);
    CHECK(compare(before, after, {"cycles=14"}).has_regressed);
    // Of hits, fewer are worse.
    CHECK(compare(before, after, {"l1.hit_rate=1%"}).has_regressed);
    CHECK_FALSE(compare(before, after, {"l1.hit_rate=0.03"}).has_regressed);
    CHECK_FALSE(compare(after, before, {"l1.hit_rate=0%"}).has_regressed);
    // A sign says which way is worse.
    CHECK(compare(after, before, {"l1.hit_rate=+1%"}).has_regressed);
    CHECK(compare(after, before, {"cycles=-1%"}).has_regressed);
    CHECK_FALSE(compare(before, after, {"cycles=-1%"}).has_regressed);
}

TEST_CASE("Launches are compared by kernel and order", "[statistics]") {
    std::vector<ordered_json> const before{launch("a", 10, 0), launch("b", 20, 0), launch("a", 30, 0)};
    std::vector<ordered_json> const moved{launch("b", 20, 0), launch("a", 10, 0), launch("a", 30, 0)};
    CHECK_FALSE(compare(before, moved).has_regressed);
    Comparison const missing = compare(before, {launch("a", 10, 0), launch("b", 20, 0)});
    CHECK(missing.has_regressed);
    CHECK(contains(missing.text, "a, launch 1: it is missing in the second run"));
    Comparison const more = compare({launch("a", 10, 0)}, before);
    CHECK_FALSE(more.has_regressed);
    CHECK(contains(more.text, "b, launch 0: only in the second run"));
}

TEST_CASE("A launch that ends badly only in the second run is a regression", "[statistics]") {
    ordered_json bad = launch("k", 10, 0);
    bad["status"] = "fault";
    CHECK(compare({launch("k", 10, 0)}, {bad}).has_regressed);
    CHECK_FALSE(compare({bad}, {bad}).has_regressed);
    CHECK_FALSE(compare({bad}, {launch("k", 10, 0)}).has_regressed);
}

TEST_CASE("The configurations' differences stand before the values", "[statistics]") {
    Comparison const c =
        statistics::compare(file("a", {launch("k", 10, 0)}, 128), file("b", {launch("k", 10, 0)}, 64), {});
    CHECK(contains(c.text, "sm.l1.size_kib: 128 -> 64"));
    CHECK_FALSE(contains(c.text, "count"));
}

TEST_CASE("Wrong thresholds and files are refused by name", "[statistics]") {
    for (char const* const wrong : {"cycles", "=2%", "cycles=", "cycles=x", "cycles=2%%", "cycles=nan"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_threshold(wrong), Error);
    }
    auto const text_of = [](auto const& work) -> std::string {
        try {
            work();
        } catch (Error const& error) {
            return error.what();
        }
        return "";
    };
    CHECK(contains(text_of([] { compare({launch("k", 1, 0)}, {launch("k", 1, 0)}, {"l1.hit_rat=1%"}); }),
                   "did you mean 'l1.hit_rate'?"));
    CHECK(contains(text_of([] {
                       statistics::compare({"x.json", "{]"}, file("b", {}), {});
                   }),
                   "x.json: it is no JSON"));
    CHECK(contains(text_of([] {
                       statistics::compare({"x.json", "{}"}, file("b", {}), {});
                   }),
                   "x.json: these are no statistics"));
}

}  // namespace compare_statistics_test
