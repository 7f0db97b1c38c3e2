// What is varied, and which combinations are run.
#include "runtime/sweep/space.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sweep_space_test {

using namespace warpsim;
using sweep::Axis;
using sweep::Point;
using Catch::Matchers::Contains;

namespace {

using Words = std::vector<std::string>;

std::string complaint(std::string const& vary) {
    try {
        sweep::parse_vary(vary);
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

Axis numbers(std::string const& key, int count) {
    Axis axis{key, {}};
    for (int i = 0; i < count; ++i) axis.values.push_back(std::to_string(i));
    return axis;
}

}  // namespace

TEST_CASE("Values of --vary are words, ranges and lists with commas in them", "[sweep]") {
    CHECK(sweep::parse_vary("sm.schedulers.policy=lrr,gto").values == Words{"lrr", "gto"});
    CHECK(sweep::parse_vary("sm.schedulers.policy=lrr,gto").key == "sm.schedulers.policy");
    CHECK(sweep::parse_vary("a=1..4").values == Words{"1", "2", "3", "4"});
    CHECK(sweep::parse_vary("a=-3..4:3,9").values == Words{"-3", "0", "3", "9"});
    CHECK(sweep::parse_vary("a=1024..8192*2").values == Words{"1024", "2048", "4096", "8192"});
    CHECK(sweep::parse_vary("a=1..9223372036854775807*1000000000").values.size() == 3);
    CHECK(sweep::parse_vary("a=[0,8],[0,\"x]\",16]").values == Words{"[0,8]", "[0,\"x]\",16]"});
    CHECK(sweep::parse_vary("a=b=c").values == Words{"b=c"});
    CHECK(sweep::parse_vary("config=../x.json").values == Words{"../x.json"});
}

TEST_CASE("A --vary that says nothing useful is refused with its place", "[sweep]") {
    CHECK_THAT(complaint("l2.size_kib"), Contains("'l2.size_kib' is not KEY=V1,V2"));
    CHECK_THAT(complaint("=4"), Contains("KEY=V1,V2"));
    CHECK_THAT(complaint("a=1,,2"), Contains("--vary a: an empty value"));
    CHECK_THAT(complaint("a="), Contains("an empty value"));
    CHECK_THAT(complaint("a=1,2,1"), Contains("'1' stands there twice"));
    CHECK_THAT(complaint("a=1..3,2"), Contains("'2' stands there twice"));
    for (char const* const range : {"4..1", "1..x", "1..8:0", "1..8*1", "0..8*2", "1..", "1..8:2:2"})
        CHECK_THAT(complaint(std::string("a=") + range), Contains("is no range"));
    CHECK_THAT(complaint("a=1..1000000000"), Contains("values"));
}

TEST_CASE("A space is read from a file", "[sweep]") {
    auto const axes = sweep::read_space("space.json", R"({"sm.schedulers.policy": ["lrr", "gto"], // two
        "l2.size_kib": [2048, 4096], "sm.count": "8..32*2", "sm.shared.carve_outs_kib": [[0, 8], [0, 16]]})");
    REQUIRE(axes.size() == 4);
    CHECK(axes[0].values == Words{"lrr", "gto"});
    CHECK(axes[1].values == Words{"2048", "4096"});
    CHECK(axes[2].values == Words{"8", "16", "32"});
    CHECK(axes[3].values == Words{"[0,8]", "[0,16]"});
    CHECK_THROWS_WITH(sweep::read_space("s.json", "{\"a\": 3}"), Contains("s.json: a: it has to be an array"));
    CHECK_THROWS_WITH(sweep::read_space("s.json", "{\"a\": []}"), Contains("s.json: a:"));
    CHECK_THROWS_WITH(sweep::read_space("s.json", "[1]"), Contains("it has to be an object"));
    CHECK_THROWS_WITH(sweep::read_space("s.json", "{\"a\": [1,]}"), Contains("s.json:1:"));
}

TEST_CASE("All combinations come once, the last axis fastest", "[sweep]") {
    std::vector<Axis> const axes{{"a", {"x", "y"}}, {"b", {"1", "2", "3"}}};
    CHECK(sweep::points(axes, {}) ==
          std::vector<Point>{{"x", "1"}, {"x", "2"}, {"x", "3"}, {"y", "1"}, {"y", "2"}, {"y", "3"}});
    CHECK_THROWS_WITH(sweep::points({{"a", {"1"}}, {"a", {"2"}}}, {}), Contains("'a' is varied twice"));
    CHECK_THROWS_WITH(sweep::points({numbers("a", 1000), numbers("b", 1000)}, {}), Contains("--sample"));
}

TEST_CASE("A random sample has as many different points as were asked for, the same for one seed", "[sweep]") {
    std::vector<Axis> const axes{numbers("a", 1000), numbers("b", 1000), numbers("c", 1000)};
    auto const sampling = sweep::parse_sampling("random:200", 7);
    auto const drawn = sweep::points(axes, sampling);
    CHECK(drawn.size() == 200);
    CHECK(std::set<Point>(drawn.begin(), drawn.end()).size() == 200);
    CHECK(sweep::points(axes, sampling) == drawn);
    CHECK(sweep::points(axes, sweep::parse_sampling("random:200", 8)) != drawn);
    // Of few, all.
    std::vector<Axis> const few{numbers("a", 3), numbers("b", 3)};
    CHECK(sweep::points(few, sweep::parse_sampling("random:9", 1)) == sweep::points(few, {}));
    CHECK(sweep::points(few, sweep::parse_sampling("random:8", 1)).size() == 8);
    // Nothing is left out for ever: each of 9 is drawn by some seed, and not by every one.
    std::map<Point, int> count;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        for (Point const& point : sweep::points(few, sweep::parse_sampling("random:3", seed))) ++count[point];
    CHECK(count.size() == 9);
    for (auto const& [point, times] : count) CHECK((times > 10 && times < 65));
}

TEST_CASE("A Latin hypercube has each stratum of each axis once", "[sweep]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        // As many values as strata, four a stratum, and four strata a value.
        std::vector<Axis> const axes{numbers("a", 16), numbers("b", 64), numbers("c", 4)};
        auto const drawn = sweep::points(axes, sweep::parse_sampling("latin:16", seed));
        REQUIRE(drawn.size() == 16);
        std::multiset<int> a, b, c;
        for (Point const& point : drawn) {
            a.insert(std::stoi(point[0]));
            b.insert(std::stoi(point[1]) / 4);
            c.insert(std::stoi(point[2]));
        }
        for (int stratum = 0; stratum < 16; ++stratum) {
            CHECK(a.count(stratum) == 1);
            CHECK(b.count(stratum) == 1);
        }
        for (int value = 0; value < 4; ++value) CHECK(c.count(value) == 4);
    }
    // The axes are drawn independently of each other: no diagonal.
    auto const drawn = sweep::points({numbers("a", 64), numbers("b", 64)}, sweep::parse_sampling("latin:64", 3));
    CHECK(std::count_if(drawn.begin(), drawn.end(), [](Point const& p) { return p[0] == p[1]; }) < 16);
    CHECK(sweep::points({numbers("a", 2)}, sweep::parse_sampling("latin:50", 1)).size() == 2);
}

TEST_CASE("A sample is named by its kind and number", "[sweep]") {
    CHECK(sweep::parse_sampling("all", 1).kind == sweep::Sampling::Kind::all);
    CHECK_THROWS_WITH(sweep::parse_sampling("lattin:3", 1), Contains("did you mean 'latin'?"));
    for (char const* const text : {"random", "latin:0", "latin:x", "random:-1", "all:3"})
        CHECK_THROWS_AS(sweep::parse_sampling(text, 1), Error);
}

}  // namespace sweep_space_test
