// What a run leaves that ends before its time: by SIGINT, by a fault.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace interrupt_test {

using namespace warpsim;
using nlohmann::json;
using test::contains;

namespace {

std::string const source = WARPSIM_SOURCE_DIR "/";

char const* const endless =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry endless() {\n.reg .b32 %r<2>;\n"
    "mov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nbra AGAIN;\n}\n";

/// Sends SIGINT to the command after a second, and to its group; the status is the command's.
int interrupted(test::TemporaryFolder const& folder, std::string const& arguments) {
    std::string const line = "cd " + (folder / "") +
                             " && timeout -s INT --preserve-status 1 " WARPSIM_COMMAND " " + arguments +
                             " >out.txt 2>err.txt </dev/null";
    int const raw = std::system(line.c_str());
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 1000 + raw;
}

}  // namespace

TEST_CASE("Ctrl-C stops a run, which says where it was and leaves its statistics", "[command]") {
    test::TemporaryFolder const folder;
    folder.write("endless.ptx", endless);
    for (std::string const mode : {"functional", "timing"}) {
        INFO(mode);
        CHECK(interrupted(folder, "run --stats s.json --coverage c.json endless.ptx --mode " + mode) == 130);
        std::string const err = folder.read("err.txt");
        INFO(err);
        CHECK(contains(err, "error: interrupted: the kernel was stopped by SIGINT, "));
        CHECK(contains(err, "block (0,0,0), warp 0, lane 0: run in circles at "));
        json const stats = json::parse(folder.read("s.json"));
        CHECK(stats["status"] == "interrupted");
        CHECK(stats["fault"]["kind"] == "interrupted");
        REQUIRE(stats["launches"].size() == 1);
        CHECK(stats["launches"][0]["status"] == "interrupted");
        CHECK(stats["launches"][0]["instructions"]["warp"] > 1000);
        if (mode == "timing") CHECK(stats["launches"][0]["cycles"] > 1000);
        CHECK(json::parse(folder.read("c.json"))["files"][0]["lines"][1]["lanes"] > 1000);
    }
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("Ctrl-C stops the kernel of a program, whose reports are written", "[command]") {
    test::TemporaryFolder const folder;
    std::string const program = WARPSIM_BINARY_DIR "/bin/cuda-program stuck";
    CHECK(interrupted(folder, "exec --stats s.json -- " + program) == 130);
    INFO(folder.read("err.txt"));
    json const stats = json::parse(folder.read("s.json"));
    CHECK(stats["status"] == "interrupted");
    CHECK(stats["launches"].back()["status"] == "interrupted");
}

#endif

TEST_CASE("Statistics say what was run, and a fault is there as data", "[command]") {
    test::TemporaryFolder const folder;
    std::string const arguments = "examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero' --stats s.json ";
    for (std::string const mode : {"functional", "timing"}) {
        INFO(mode);
        CHECK(test::run_command(folder, "run " + source + arguments + "--set sm.count=2 --mode " + mode).status ==
              4);
        json const stats = json::parse(folder.read("s.json"));
        CHECK(contains(stats["command"], "--set sm.count=2 --mode " + mode));
        CHECK(stats["overrides"] == json({"sm.count=2"}));
        CHECK(stats["config_effective"]["sm"]["count"] == 2);
        CHECK(stats["status"] == "fault");
        json const& fault = stats["fault"];
        CHECK(fault["kind"] == "illegal_address");
        CHECK(fault["kernel"] == "store");
        CHECK(fault["thread"] == json({40, 0, 0}));
        CHECK(fault["space"] == "global");
        CHECK(fault["bytes"] == 4);
        CHECK(fault["address"] == fault["allocation"]["address"].get<std::uint64_t>() + 160);
        CHECK(fault["ptx"]["line"] == 30);
        CHECK(fault["source"] == json({{"file", "kernel.cu"}, {"line", 2}}));
        CHECK(fault.contains("sm") == (mode == "timing"));
        REQUIRE(stats["launches"].size() == 1);
        CHECK(stats["launches"][0]["status"] == "fault");
        CHECK(stats["launches"][0]["instructions"]["warp"] > 5);
    }
    std::string const plan = source + "tests/kernels/plans/saxpy.json";
    CHECK(test::run_command(folder, "run -q --out . --stats s.json " + plan).status == 0);
    json const stats = json::parse(folder.read("s.json"));
    CHECK(stats["status"] == "ok");
    CHECK_FALSE(stats.contains("fault"));
    CHECK(stats["version"].is_string());
    // As sha256sum prints them.
    int const same = std::system(("echo " + stats["module_sha256"].get<std::string>() + "  " + source +
                                  "tests/kernels/saxpy.ptx | sha256sum -c --status")
                                     .c_str());
    CHECK(same == 0);
    int const same_plan = std::system(
        ("echo " + stats["plan_sha256"].get<std::string>() + "  " + plan + " | sha256sum -c --status").c_str());
    CHECK(same_plan == 0);
    CHECK(stats["launches"][0]["module_sha256"] == stats["module_sha256"]);
}

}  // namespace interrupt_test
