#include "runtime/statistics/statistics.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace warpsim;
using nlohmann::json;

namespace {

sim::LaunchStatistics launch() {
    sim::LaunchStatistics s;
    s.kernel = "k";
    s.grid = {4, 1, 1};
    s.block = {48, 1, 1};
    s.instructions.warp = 10;
    s.instructions.thread = 240;
    s.instructions.thread_guarded = 200;
    s.instructions.by_class[static_cast<std::size_t>(isa::InstructionClass::load)] = 4;
    s.branches = {3, 1};
    return s;
}

json read(std::filesystem::path const& path) {
    std::ifstream file(path);
    return json::parse(file);
}

}  // namespace

TEST_CASE("A launch becomes JSON with its derived rates", "[statistics]") {
    auto s = launch();
    s.memory = {true, 2, 9, 5, 7};
    auto const j = json::parse(statistics::to_json(s));
    CHECK(j["kernel"] == "k");
    CHECK(j["grid"] == json({4, 1, 1}));
    CHECK(j["instructions"]["warp"] == 10);
    CHECK(j["instructions"]["thread_guarded"] == 200);
    CHECK(j["instructions"]["by_class"]["load"] == 4);
    CHECK(j["instructions"]["by_class"].size() == 12);
    CHECK(j["instructions"]["by_class"].contains("int"));
    CHECK(j["simt_efficiency"] == 0.75);
    CHECK(j["branches"]["divergent"] == 1);
    CHECK(j["memory"]["global_sectors_per_request"] == 4.5);
    CHECK(j["memory"]["shared_bank_conflicts"] == 7);
}

TEST_CASE("A ratio with a zero divisor and a count nobody made are null", "[statistics]") {
    auto const j = json::parse(statistics::to_json(sim::LaunchStatistics{}));
    CHECK(j["simt_efficiency"].is_null());
    CHECK(j["memory"]["global_sectors_per_request"].is_null());
    CHECK(j["memory"]["shared_bank_conflicts"].is_null());
    sim::LaunchStatistics counted;
    counted.memory.counted = true;
    auto const c = json::parse(statistics::to_json(counted));
    CHECK(c["memory"]["global_sectors_per_request"].is_null());
    CHECK(c["memory"]["shared_bank_conflicts"] == 0);
}

TEST_CASE("The statistics file is whole after every launch", "[statistics]") {
    auto const folder = std::filesystem::temp_directory_path();
    auto const path = folder / ("warpsim-statistics-" + std::to_string(getpid()) + ".json");
    {
        statistics::File file((folder / "warpsim-statistics-%p.json").string(), {"a100", "functional", 3});
        auto j = read(path);
        CHECK(j["schema"] == "warpsim-stats/1");
        CHECK(j["launches"].empty());
        for (std::size_t n = 1; n <= 3; ++n) {
            auto s = launch();
            s.instructions.warp = n;
            file.add(s);
            j = read(path);
            REQUIRE(j["launches"].size() == n);
            CHECK(j["launches"][n - 1]["instructions"]["warp"] == n);
            CHECK(j["host"]["threads"] == 3);
            CHECK(j["config"] == "a100");
        }
    }
    std::filesystem::remove(path);
    CHECK_THROWS_AS(statistics::File("/nonexistent/folder/s.json", {}), Error);
}

TEST_CASE("Texts that are no UTF-8 still make good JSON", "[statistics]") {
    CHECK(json::parse(statistics::json_string("a\"\xff\n")).get<std::string>() == "a\"\xef\xbf\xbd\n");
}

TEST_CASE("The table shows what was counted", "[statistics]") {
    auto const table = statistics::to_table(launch());
    CHECK(table.find("k: grid (4,1,1), block (48,1,1)") == 0);
    CHECK(table.find("75.0 %") != std::string::npos);
    CHECK(table.find("bank conflicts") == std::string::npos);
}
