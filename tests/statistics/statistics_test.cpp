#include "runtime/statistics/json_fields.hpp"
#include "runtime/statistics/keys.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>

namespace statistics_test {

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
            s.compiled = n - 1;
            file.add(s);
            j = read(path);
            REQUIRE(j["launches"].size() == n);
            CHECK(j["launches"][n - 1]["instructions"]["warp"] == n);
            CHECK(j["host"]["threads"] == 3);
            CHECK(j["config"] == "a100");
            CHECK(j["engine"]["compiled_share"].get<double>() ==
                  Approx(static_cast<double>(n * (n - 1)) / static_cast<double>(n * (n + 1))).epsilon(1e-4));
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
    CHECK(table.find("native") == std::string::npos);
    auto compiled = launch();
    compiled.compiled = compiled.instructions.warp;
    CHECK(statistics::to_table(compiled).find("by native code              100.0 %") != std::string::npos);
}

namespace {

sim::LaunchStatistics timed_launch(std::uint64_t cycles) {
    auto s = launch();
    s.timing.emplace();
    s.timing->cycles = cycles;
    s.timing->clock_mhz = 1000;
    s.timing->sms = 2;
    s.timing->micro_ops = 40;
    s.timing->limited_by = "warps";
    s.timing->interval_cycles = 100;
    s.timing->intervals.resize(2);
    s.timing->intervals[1].micro_ops = 40;
    s.timing->intervals[1].stalls[static_cast<std::size_t>(sim::StallReason::barrier)] = 10;
    sim::LineProfile line;
    line.function = "k";
    line.place = "k.ptx:7";
    line.text = "bar.sync 0;";
    line.source = "k.cu:3";
    line.executed = 4;
    line.micro_ops = 8;
    line.stalls[static_cast<std::size_t>(sim::StallReason::barrier)] = 10;
    s.timing->profile = {line, line};
    s.timing->profile[1].place = "k.ptx:9";
    return s;
}

std::string text_of(std::filesystem::path const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split(std::string const& text, char by) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, by);) parts.push_back(part);
    return parts;
}

}  // namespace

TEST_CASE("Spilled values are told of with their loads, stores and bytes", "[statistics]") {
    auto s = timed_launch(100);
    CHECK(json::parse(statistics::to_json(s))["spills"]["bytes_per_thread"] == 0);
    CHECK(statistics::to_table(s).find("spilled") == std::string::npos);
    s.timing->spills = {.bytes_per_thread = 24, .loads = 3, .stores = 2, .load_bytes = 384, .store_bytes = 256};
    auto const spills = json::parse(statistics::to_json(s))["spills"];
    CHECK(spills["bytes_per_thread"] == 24);
    CHECK(spills["loads"] == 3);
    CHECK(spills["stores"] == 2);
    CHECK(spills["load_bytes"] == 384);
    CHECK(spills["store_bytes"] == 256);
    CHECK(statistics::to_table(s).find("24 bytes a thread, 3 loads, 2 stores") != std::string::npos);
}

TEST_CASE("Energy is told of where it was estimated, with what takes it", "[statistics]") {
    auto s = timed_launch(100);
    CHECK_FALSE(json::parse(statistics::to_json(s)).contains("energy"));
    CHECK(statistics::to_table(s).find("energy") == std::string::npos);
    double const seconds = static_cast<double>(s.timing->cycles) / (1e6 * s.timing->clock_mhz);
    s.timing->energy.counted = true;
    s.timing->energy.source = "an estimate";
    s.timing->energy.joules[static_cast<std::size_t>(sim::EnergyPart::constant)] = 0.0009;
    s.timing->energy.joules[static_cast<std::size_t>(sim::EnergyPart::dram)] = 0.0003;
    auto const energy = json::parse(statistics::to_json(s))["energy"];
    CHECK(energy["estimated_from"] == "an estimate");
    CHECK(energy["total_joules"].get<double>() == Approx(0.0012));
    CHECK(energy["average_watts"].get<double>() == Approx(0.0012 / seconds));
    CHECK(energy["joules"]["dram"] == 0.0003);
    CHECK(energy["joules"].size() == sim::energy_parts);
    CHECK(statistics::to_table(s).find("energy, estimated           1.20 mJ, ") != std::string::npos);
    CHECK(statistics::to_table(s).find("  it goes to                constant 75.0 %, dram 25.0 %") !=
          std::string::npos);
}

TEST_CASE("Statistics become a table with a row for each launch, samples one of their own", "[statistics]") {
    auto const stem =
        (std::filesystem::temp_directory_path() / ("warpsim-table-" + std::to_string(getpid()))).string();
    {
        statistics::File file(stem + ".csv", {"v100", "timing", 1});
        file.add(timed_launch(1000));
        file.add(timed_launch(2000));
    }
    auto const rows = split(text_of(stem + ".csv"), '\n');
    REQUIRE(rows.size() == 3);
    auto const names = split(rows[0], ','), first = split(rows[1], ','), second = split(rows[2], ',');
    auto const at = [&](std::string const& name) {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    REQUIRE(at("cycles") < names.size());
    REQUIRE(at("occupancy.limited_by") < names.size());
    CHECK(names[0] == "launch");
    CHECK(first[0] == "0");
    CHECK(second[0] == "1");
    CHECK(first[at("kernel")] == "\"k\"");
    CHECK(first[at("cycles")] == "1000");
    CHECK(second[at("cycles")] == "2000");
    CHECK(first[at("grid.0")] == "4");
    CHECK(first[at("l1.hit_rate")].empty());
    CHECK(first[at("occupancy.limited_by")] == "\"warps\"");
    auto const samples = split(text_of(stem + ".intervals.csv"), '\n');
    REQUIRE(samples.size() == 5);
    CHECK(samples[0].substr(0, 23) == "launch,cycle,micro_ops,");
    CHECK(samples[1].substr(0, 6) == "0,0,0,");
    CHECK(samples[4].substr(0, 9) == "1,100,40,");
    std::filesystem::remove(stem + ".csv");
    std::filesystem::remove(stem + ".intervals.csv");
}

TEST_CASE("The page of keys is what the counters are declared with", "[statistics]") {
    std::string const path = WARPSIM_SOURCE_DIR "/runtime/statistics/keys.md";
    if (std::getenv("WARPSIM_REBASE") != nullptr) std::ofstream(path, std::ios::binary) << statistics::keys();
    CHECK(text_of(path) == statistics::keys());
}

TEST_CASE("Counters are added, taken away and compared member by member", "[statistics]") {
    sim::IntervalSample a, b;
    a.micro_ops = 5;
    a.l1.load_sectors = 7;
    a.stalls[1] = 3;
    b.micro_ops = 2;
    b.l2.tag_hits = 4;
    b.dram.turns = 6;
    b.stalls[1] = 1;
    sim::IntervalSample sum = a;
    sum += b;
    CHECK(sum.micro_ops == 7);
    CHECK(sum.l1.load_sectors == 7);
    CHECK(sum.l2.tag_hits == 4);
    CHECK(sum.dram.turns == 6);
    CHECK(sum.stalls[1] == 4);
    sum -= b;
    CHECK(sum.micro_ops == 5);
    CHECK(sum.dram.turns == 0);
    CHECK(sum.stalls[1] == 3);
}

namespace {

/// As a component would write it that counts something new: one struct, and nothing else is touched.
struct NewCounts {
    std::uint64_t tries = 0, successes = 0, longest = 0;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        v(sim::counter("tries", &NewCounts::tries, "times", "it was tried"));
        v(sim::hidden(&NewCounts::successes));
        v(sim::maximum("deep.longest", &NewCounts::longest, "cycles", "that one took"));
        v(sim::derived(
            "success_rate", [](auto const& c) { return sim::share(c.successes, c.tries); }, "share", "of them"));
    }
};
static_assert(sim::shows_every_member<NewCounts>());

struct OneIsMissing {
    std::uint64_t shown = 0, forgotten = 0;

    template <class Visitor> static constexpr void visit(Visitor&& v) { v(sim::hidden(&OneIsMissing::shown)); }
};
static_assert(!sim::shows_every_member<OneIsMissing>());

}  // namespace

TEST_CASE("A new counter is declared once: its sum, its keys and its rates follow", "[statistics]") {
    NewCounts a{4, 1, 30};
    sim::add(a, NewCounts{4, 3, 20});
    nlohmann::ordered_json shown;
    statistics::JsonFields(shown).put(a, a);
    CHECK(shown.dump() == R"({"tries":8,"deep":{"longest":30},"success_rate":0.5})");
    nlohmann::ordered_json none;
    statistics::JsonFields(none).put(NewCounts{}, NewCounts{});
    CHECK(none["success_rate"].is_null());
}

TEST_CASE("The documentation names every key of a launch and of a sample, and no others", "[statistics]") {
    std::set<std::string> named, there;
    std::istringstream text(text_of(WARPSIM_SOURCE_DIR "/runtime/statistics/keys.md"));
    for (std::string line; std::getline(text, line);) {
        if (line.rfind("| `", 0) != 0) continue;
        std::string const cell = line.substr(0, line.find(" | "));
        for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at)) {
            std::size_t const end = cell.find('`', at + 1);
            named.insert(cell.substr(at + 1, end - at - 1));
            at = end + 1;
        }
    }
    // Keys that exist for each unit, state or class are listed once.
    auto const pattern = [](std::string const& key) {
        if (key.rfind("units.", 0) == 0) return "units.*" + key.substr(key.rfind('.'));
        if (key.rfind("stalls.", 0) == 0) return std::string("stalls.*");
        if (key.rfind("instructions.by_class.", 0) == 0) return std::string("instructions.by_class.*");
        if (key.rfind("energy.joules.", 0) == 0) return std::string("energy.joules.*");
        if (key.rfind("stall_", 0) == 0) return std::string("stall_*");
        return key;
    };
    std::function<void(json const&, std::string const&)> const add = [&](json const& object,
                                                                         std::string const& path) {
        for (auto const& [key, value] : object.items()) {
            std::string const name = path.empty() ? key : path + "." + key;
            if (value.is_object() && name != "intervals") add(value, name);
            else if (name != "intervals") there.insert(pattern(name));
        }
    };
    sim::LaunchStatistics launch = timed_launch(1000);
    launch.timing->units = {{"alu", 1, 1, 1}};
    launch.timing->energy.counted = true;
    json const j = json::parse(statistics::to_json(launch));
    add(j, "");
    add(j["intervals"]["samples"][0], "");
    CHECK(named == there);
}

TEST_CASE("Samples are part of a launch's JSON", "[statistics]") {
    auto const j = json::parse(statistics::to_json(timed_launch(1000)));
    CHECK(j["intervals"]["every_cycles"] == 100);
    REQUIRE(j["intervals"]["samples"].size() == 2);
    CHECK(j["intervals"]["samples"][1]["cycle"] == 100);
    CHECK(j["intervals"]["samples"][1]["ipc"] == 0.2);
    CHECK(j["intervals"]["samples"][1]["stall_barrier"] == 0.25);
    CHECK(j["intervals"]["samples"][0]["stall_barrier"].is_null());
    CHECK(!json::parse(statistics::to_json(launch())).contains("intervals"));
}

TEST_CASE("A profile names lines and source lines, as JSON and as text", "[statistics]") {
    auto const stem =
        (std::filesystem::temp_directory_path() / ("warpsim-profile-" + std::to_string(getpid()))).string();
    statistics::ProfileFile file(stem + ".json"), text(stem + ".txt");
    CHECK(read(stem + ".json")["launches"].empty());
    for (std::size_t n = 1; n <= 2; ++n) {
        file.add(timed_launch(1000));
        text.add(timed_launch(1000));
        auto const j = read(stem + ".json");
        CHECK(j["schema"] == "warpsim-profile/1");
        REQUIRE(j["launches"].size() == n);
    }
    auto const j = read(stem + ".json")["launches"][1];
    REQUIRE(j["lines"].size() == 2);
    CHECK(j["lines"][1]["line"] == "k.ptx:9");
    CHECK(j["lines"][1]["stall_warp_cycles"] == json({{"barrier", 10}}));
    REQUIRE(j["sources"].size() == 1);
    CHECK(j["sources"][0]["source"] == "k.cu:3");
    CHECK(j["sources"][0]["micro_ops"] == 16);
    auto const lines = split(text_of(stem + ".txt"), '\n');
    CHECK(lines[0] == "k: grid (4,1,1), block (48,1,1), 1000 cycles, 40 micro-ops");
    CHECK(lines[3] == "           4            0            8       50.0  barrier 50.0                            "
                      "  k.ptx:7  bar.sync 0;   (k.cu:3)");
    std::filesystem::remove(stem + ".json");
    std::filesystem::remove(stem + ".txt");
}

}  // namespace statistics_test
