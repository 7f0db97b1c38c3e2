// `--capture`: launches become plans, which `run` repeats to the same bytes and cycles.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace capture_test {

using namespace warpsim;
using nlohmann::json;
using test::contains;
using test::Ended;

namespace {

std::string const source = WARPSIM_SOURCE_DIR "/";

std::vector<std::string> captured(test::TemporaryFolder const& folder) {
    std::vector<std::string> plans;
    for (auto const& entry : std::filesystem::directory_iterator(folder / "captured"))
        plans.push_back(entry.path().string());
    std::sort(plans.begin(), plans.end());
    return plans;
}

/// Of each launch.
std::vector<std::uint64_t> cycles(test::TemporaryFolder const& folder, std::string const& stats) {
    std::vector<std::uint64_t> list;
    json const all = json::parse(folder.read(stats));
    for (json const& launch : all["launches"]) list.push_back(launch.value("cycles", std::uint64_t{0}));
    return list;
}

}  // namespace

TEST_CASE("A captured launch repeats to the same bytes and cycles", "[command]") {
    test::TemporaryFolder const folder;
    std::string const run = "run -v --out . " + source + "tests/kernels/plans/";
    for (std::string const plan : {"bitonic", "linked", "constants", "reduce", "cooperative"}) {
        INFO(plan);
        std::filesystem::remove_all(folder / "captured");
        Ended const ended =
            test::run_command(folder, run + plan + ".json --mode timing --set launch.flush_caches=true" +
                                          " --stats s.json --capture captured");
        INFO(ended.err);
        CHECK(ended.status == 0);
        CHECK(contains(ended.err, " captured in captured"));
        std::vector<std::uint64_t> const wanted = cycles(folder, "s.json");
        std::vector<std::string> const plans = captured(folder);
        REQUIRE(plans.size() == wanted.size());
        for (std::size_t i = 0; i < plans.size(); ++i) {
            Ended const again = test::run_command(folder, "run --stats r.json " + plans[i] + "/plan.json");
            INFO(again.err);
            CHECK(again.status == 0);
            CHECK(cycles(folder, "r.json") == std::vector<std::uint64_t>{wanted[i]});
        }
    }
}

TEST_CASE("A captured launch takes the registers that it had", "[command]") {
    test::TemporaryFolder const folder;
    std::ofstream(folder / "registers.txt") << "reduce 100\n";
    Ended const ended =
        test::run_command(folder, "run --out . " + source + "tests/kernels/plans/reduce.json" +
                                      " --mode timing --set launch.flush_caches=true" +
                                      " --registers registers.txt --stats s.json --capture captured");
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    Ended const again = test::run_command(folder, "run --stats r.json " + captured(folder).at(0) + "/plan.json");
    INFO(again.err);
    CHECK(again.status == 0);
    json const was = json::parse(folder.read("s.json"))["launches"][0],
               is = json::parse(folder.read("r.json"))["launches"][0];
    CHECK(was["registers_per_thread"] == 100);
    CHECK(is["registers_per_thread"] == 100);
    CHECK(is["occupancy"] == was["occupancy"]);
    CHECK(is["cycles"] == was["cycles"]);
    Ended const wrong =
        test::run_command(folder, "run --registers nothing " + source + "tests/kernels/plans/reduce.json");
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "'nothing' cannot be read"));
}

TEST_CASE("A replay that writes other bytes fails, and says how many differ", "[command]") {
    test::TemporaryFolder const folder;
    std::string const run = "run -q --out . --capture captured " + source + "tests/kernels/plans/saxpy.json";
    CHECK(test::run_command(folder, run).status == 0);
    std::string const plan = "captured/0000-saxpy/plan.json";
    json changed = json::parse(folder.read(plan));
    CHECK(changed["memory"]["regions"].size() == 2);
    // The second argument is a: 2.5 becomes 2.
    changed["launches"][0]["args"][1]["hex"] = "00000040";
    folder.write(plan, changed.dump());
    Ended const ended = test::run_command(folder, "run " + plan);
    CHECK(ended.status == 1);
    CHECK(contains(ended.err, "bytes that the launch had written differ, the first at 0x"));
}

TEST_CASE("Captured plans that were damaged are refused by place", "[command]") {
    test::TemporaryFolder const folder;
    std::string const run = "run -q --out . --capture captured " + source + "tests/kernels/plans/saxpy.json";
    CHECK(test::run_command(folder, run).status == 0);
    std::string const plan = "captured/0000-saxpy/plan.json";
    json const good = json::parse(folder.read(plan));
    auto const refused = [&](json const& changed) {
        folder.write(plan, changed.dump());
        Ended const ended = test::run_command(folder, "run " + plan);
        CHECK(ended.status == 2);
        return ended.err;
    };
    json changed = good;
    changed["memory"]["regions"][0]["touched"][0][1] = 1 << 30;
    CHECK(contains(refused(changed), "memory.regions[0].touched[0]"));
    changed = good;
    changed["memory"]["regions"][0]["address"] = "here";
    CHECK(contains(refused(changed), "memory.regions[0].address: 'here' is no address"));
    changed = good;
    changed["memory"]["regions"][1]["address"] = changed["memory"]["regions"][0]["address"];
    changed["memory"]["regions"][1]["bytes"] = 1 << 20;
    CHECK(contains(refused(changed), "others are there"));
    changed = good;
    changed["memory"]["regions"].erase(1);
    CHECK(contains(refused(changed), "but the regions"));
    std::string const packed = folder.read("captured/0000-saxpy/before.npy.gz");
    folder.write("captured/0000-saxpy/before.npy.gz", packed.substr(0, packed.size() / 2));
    CHECK(contains(refused(good), "before.npy.gz"));
    folder.write("captured/0000-saxpy/before.npy.gz", "no numbers");
    CHECK(contains(refused(good), "before.npy.gz"));
}

TEST_CASE("A launch that faults is captured, and faults again", "[command]") {
    test::TemporaryFolder const folder;
    std::string const run =
        "run --capture captured " + source + "examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero'";
    Ended const first = test::run_command(folder, run);
    CHECK(first.status == 4);
    Ended const again = test::run_command(folder, "run captured/0000-store/plan.json");
    CHECK(again.status == 4);
    // At the same address, wherever memory is in this build.
    std::size_t const at = first.err.find("illegal address: 4-byte store");
    REQUIRE(at != std::string::npos);
    CHECK(contains(again.err, first.err.substr(at, first.err.find('\n', at) - at)));
}

TEST_CASE("What cannot be captured is told of, and chosen launches alone are", "[command]") {
    test::TemporaryFolder const folder;
    Ended const textures =
        test::run_command(folder, "run --out . --capture captured " + source + "examples/textures/plan.json");
    CHECK(contains(textures.err, "are not captured: it uses textures or surfaces"));
    CHECK(captured(folder).empty());
    std::string const run = "run --out . --capture captured " + source + "tests/kernels/plans/bitonic.json ";
    CHECK(test::run_command(folder, run + "--kernel-name regex:shared --launch-skip 1").status == 0);
    CHECK(captured(folder).size() == 1);
    CHECK(test::run_command(folder, run + "--capture /dev/null/x").status == 2);
    CHECK(test::run_command(folder, "run --capture /dev/null/x " + source + "examples/hello/plan.json").status ==
          2);
}

}  // namespace capture_test
