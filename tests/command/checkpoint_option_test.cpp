// Runs that are killed and go on, by the command.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace checkpoint_option_test {

using namespace warpsim;
using test::contains;
using test::run_command;

namespace {

/// Two launches; a warp of each CTA loops for some ten thousand cycles.
char const* const kernel =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry add(.param .u64 p, .param .u32 rounds) {\n"
    ".reg .b32 %r<6>;\n.reg .b64 %d<4>;\n.reg .pred %p;\nld.param.u64 %d0, [p];\nld.param.u32 %r5, [rounds];\n"
    "mov.u32 %r0, %ctaid.x;\nshl.b32 %r0, %r0, 5;\nmov.u32 %r1, %tid.x;\nadd.u32 %r0, %r0, %r1;\n"
    "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d1, %d0;\nmov.u32 %r2, 0;\n"
    "AGAIN: ld.global.u32 %r3, [%d1];\nadd.u32 %r3, %r3, %r2;\nst.global.u32 [%d1], %r3;\nadd.u32 %r2, %r2, 1;\n"
    "setp.lt.u32 %p, %r2, %r5;\n@%p bra AGAIN;\nret;\n}\n";
char const* const plan =
    R"({"schema": "warpsim-plan/1", "module": "add.ptx", "config": "teaching", "mode": "timing",
  "buffers": {"x": {"type": "u32", "count": 128, "init": {"iota": {"start": 1, "step": 3}}}},
  "launches": [{"kernel": "add", "grid": [4], "block": [32], "args": ["x", 300]},
               {"kernel": "add", "grid": [4], "block": [32], "args": ["x", 6000]}],
  "save": {"x": "x.bin"}})";

nlohmann::json launches(test::TemporaryFolder const& folder, std::string const& file) {
    nlohmann::json all = nlohmann::json::parse(folder.read(file)).at("launches");
    for (auto& launch : all) launch.erase("host_seconds");
    return all;
}

std::string run(std::string const& options) { return "run plan.json --out . " + options; }

/// Ends it when it has written a checkpoint; the status is the command's.
int kill_when_kept(test::TemporaryFolder const& folder, std::string const& options) {
    std::string const line = "cd " + (folder / "") + " && rm -f c.ck; " WARPSIM_COMMAND " " + run(options) +
                             " >out.txt 2>err.txt </dev/null & pid=$!; while [ ! -e " + (folder / "c.ck") +
                             " ]; do sleep 0.01; done; kill -TERM $pid; wait $pid";
    int const raw = std::system(line.c_str());
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 1000 + raw;
}

}  // namespace

TEST_CASE("A run that is killed goes on in another process, to the same statistics and files",
          "[command][checkpoint]") {
    test::TemporaryFolder const folder;
    folder.write("add.ptx", kernel);
    folder.write("plan.json", plan);
    REQUIRE(run_command(folder, run("--threads 1 --stats whole.json")).status == 0);
    std::string const want = folder.read("x.bin");
    CHECK(kill_when_kept(folder, "--threads 2 --checkpoint c.ck --checkpoint-every 60000") == 143);
    CHECK(contains(folder.read("err.txt"),
                   "the run is kept in 'c.ck': the same command with --resume c.ck goes on"));
    CHECK(contains(folder.read("err.txt"), "error: interrupted: the kernel was stopped by SIGTERM"));
    test::Ended const ended = run_command(folder, run("--threads 3 --resume c.ck --stats again.json"));
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    CHECK(folder.read("x.bin") == want);
    CHECK(launches(folder, "again.json") == launches(folder, "whole.json"));
}

TEST_CASE("The command refuses what cannot go on, and says what differs", "[command][checkpoint]") {
    test::TemporaryFolder const folder;
    folder.write("add.ptx", kernel);
    folder.write("plan.json", plan);
    REQUIRE(run_command(folder, run("--checkpoint c.ck --checkpoint-every 20000")).status == 0);
    REQUIRE(run_command(folder, run("--resume c.ck")).status == 0);
    auto const refusal = [&](std::string const& options) {
        test::Ended const ended = run_command(folder, run(options));
        CHECK(ended.status == 2);
        return ended.err;
    };
    CHECK(
        contains(refusal("--resume c.ck --set sm.count=2"), "what the configuration says, as SHA-256, there is "));
    CHECK(contains(refusal("--resume c.ck --config v100"), "it is of another run: "));
    CHECK(contains(refusal("--resume plan.json"), "it is no checkpoint of warpsim"));
    CHECK(
        contains(refusal("--resume nothing"), "checkpoint 'nothing': cannot be read: No such file or directory"));
    CHECK(contains(refusal("--resume c.ck --mode functional"), "--resume belongs to --mode timing"));
    CHECK(contains(refusal("--checkpoint-every 5"), "--checkpoint-every belongs to --checkpoint"));
    for (std::string const other : {"--trace -", "--check", "--coverage c.info", "--capture d", "--profile p",
                                    "--timeline t.json", "--report r.html", "--sample", "--warm-caches"})
        CHECK(contains(refusal("--checkpoint d.ck " + other), "exclude each other"));
    folder.write("plan.json", std::string(plan) + " ");
    CHECK(contains(refusal("--resume c.ck"), "it is of another run: the plan, as SHA-256, there is "));
}

TEST_CASE("Components of plug-ins are kept that tell their state, and others refused before anything runs",
          "[command][checkpoint]") {
    test::TemporaryFolder const folder;
    folder.write("add.ptx", kernel);
    folder.write("plan.json", plan);
    std::string const with = "--plugin " WARPSIM_PLUGINS "/libwarpsim_kept.so --set ";
    std::string const remembers = with + "sm.schedulers.policy=remembers ";
    REQUIRE(run_command(folder, run(remembers + "--stats whole.json")).status == 0);
    REQUIRE(run_command(folder, run(remembers + "--checkpoint c.ck --checkpoint-every 60000")).status == 0);
    REQUIRE(run_command(folder, run(remembers + "--resume c.ck --stats again.json")).status == 0);
    CHECK(launches(folder, "again.json") == launches(folder, "whole.json"));
    for (std::string const other :
         {"sm.schedulers.policy=forgets", "sm.l1.prefetcher=forgets", "interconnect.topology=forgets"}) {
        INFO(other);
        test::Ended const ended = run_command(folder, run(with + other + " --checkpoint d.ck"));
        CHECK(ended.status == 2);
        CHECK(contains(ended.err, "a component of a plug-in has no state()"));
    }
    std::string const observed = "--plugin " WARPSIM_PLUGINS "/libwarpsim_example_plugin.so --checkpoint d.ck";
    CHECK(contains(run_command(folder, run(observed)).err, "observers of plug-ins"));
}

}  // namespace checkpoint_option_test
