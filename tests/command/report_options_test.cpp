// --coverage, --kernel-name, --annotate, --junit and --timeout of `warpsim run` and `warpsim exec`.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>

namespace report_options_test {

using namespace warpsim;
using test::contains;
using test::Ended;

namespace {

std::string const examples = WARPSIM_SOURCE_DIR "/examples/";
std::string const bounds = examples + "bounds/kernel.ptx --block 64 --arg 'u32[40]=zero' ";

std::string endless() {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry endless() {\n.reg .b32 %r<2>;\n"
           "mov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nbra AGAIN;\n}\n";
}

[[maybe_unused]] double seconds_of(std::function<void()> const& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("run --coverage adds what a plan has executed to a file", "[command]") {
    test::TemporaryFolder const folder;
    std::string const run = "run -v --coverage c.json " + examples + "divergence/plan.json --engine ";
    Ended const ended = test::run_command(folder, run + "interpreted");
    CHECK(ended.status == 0);
    INFO(ended.err);
    CHECK(contains(ended.err, "coverage: "));
    CHECK(test::run_command(folder, run + "compiled").status == 0);
    auto const all = nlohmann::json::parse(folder.read("c.json"));
    CHECK(all["schema"] == "warpsim-coverage/1");
    CHECK(all["runs"] == 2);
    CHECK(all["launches"] == 4);
    bool is_there = false;
    for (auto const& file : all["files"]) {
        if (file["file"] != examples + "divergence/kernel.cu") continue;
        is_there = true;
        for (auto const& function : file["functions"])
            if (function["name"] == "by_lane") CHECK(function["lanes"] == 2 * 256);
    }
    CHECK(is_there);
    Ended const refused =
        test::run_command(folder, "run --coverage /nonexistent/c " + examples + "hello/plan.json");
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "cannot write the coverage"));
}

TEST_CASE("Options --kernel-name, --launch-skip and --launch-count choose what checkers look at", "[command]") {
    test::TemporaryFolder const folder;
    auto const checked = [&](std::string const& options) {
        Ended const ended =
            test::run_command(folder, "run --check=race " + options + " " + examples + "race/plan.json");
        return ended.err;
    };
    CHECK(contains(checked("--kernel-name count_unsynchronised"), "in 1 launch of 1 kernel; checked: race"));
    CHECK(contains(checked("--kernel-name 'regex:atomic'"), "========= 0 findings in "));
    CHECK(contains(checked("--launch-count 0"), "========= 0 findings in 0 launches of 0 kernels"));
    CHECK(contains(checked("--launch-skip 3"), " in 1 launch of 1 kernel"));
    CHECK(test::run_command(folder, "run --check --kernel-name 'regex:(' " + examples + "race/plan.json").status ==
          2);
}

TEST_CASE("What a launch has written that nobody looked at is not taken for uninitialised", "[command]") {
    test::TemporaryFolder const folder;
    std::string const kernel =
        "(.param .u64 p, .param .u64 q) {\n.reg .b64 %rd<3>; .reg .b32 %r;\nld.param.u64 %rd1, [p];\n"
        "ld.param.u64 %rd2, [q];\n";
    folder.write("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry fill" + kernel +
                              "st.global.u32 [%rd1], 1;\nret;\n}\n.visible .entry copy" + kernel +
                              "ld.global.u32 %r, [%rd1];\nst.global.u32 [%rd2], %r;\nret;\n}\n");
    folder.write("p.json", R"({"module": "k.ptx",
        "buffers": {"a": {"type": "u32", "count": 1}, "b": {"type": "u32", "count": 1}},
        "launches": [{"kernel": "fill", "args": ["a", "b"]}, {"kernel": "copy", "args": ["a", "b"]}],
        "expect": {"b": {"fill": 1}}})");
    Ended const ended = test::run_command(folder, "run --check=init --kernel-name copy p.json");
    INFO(ended.err);
    CHECK(ended.status == 0);
    CHECK(contains(ended.err, "0 findings in 1 launch of 1 kernel; checked: init"));
}

TEST_CASE("What nobody has written is told by the name that a plan gives it", "[command]") {
    test::TemporaryFolder const folder;
    folder.write(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry copy(.param .u64 p, .param .u64 q) {\n"
        ".reg .b64 %rd<3>; .reg .b32 %r;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n"
        "ld.global.u32 %r, [%rd1];\nst.global.u32 [%rd2], %r;\nret;\n}\n");
    std::string const plan = R"({"module": "k.ptx", "buffers": {
        "left_out": {"type": "u32", "count": 1, "init": "undefined"}, "b": {"type": "u32", "count": 1}},
        "launches": [{"kernel": "copy", "args": ["left_out", "b"]}], )";
    folder.write("compares.json", plan + R"("expect": {"b": {"fill": 0}}})");
    folder.write("saves.json", plan + R"("save": {"b": "b.npy"}})");
    Ended const compares = test::run_command(folder, "run --check=init compares.json");
    CHECK(contains(compares.err, "made by the plan as 'left_out'"));
    CHECK(contains(compares.err, "the host reads it by the plan, which compares 'b'"));
    Ended const saves = test::run_command(folder, "run --check=init saves.json");
    CHECK(contains(saves.err, "the host reads it by the plan, which saves 'b'"));
    Ended const prints =
        test::run_command(folder, "run --check=init k.ptx --arg 'u32[1]=undefined' --arg 'u32[1]=zero' --print 1");
    CHECK(contains(prints.err, "the host reads it by the plan, which prints 'arg1'"));
}

TEST_CASE("Option --annotate github tells faults and findings in workflow commands", "[command]") {
    test::TemporaryFolder const folder;
    Ended const fault = test::run_command(folder, "run --annotate github " + bounds);
    CHECK(fault.status == 4);
    INFO(fault.out);
    CHECK(fault.out.starts_with("::error file="));
    CHECK(contains(
        fault.out,
        "examples/bounds/kernel.cu,line=2,title=illegal address::illegal address: 4-byte store to global"));
    CHECK(contains(fault.out, "%0Akernel store%0Ablock (0,0,0), thread (40,0,0)"));
    Ended const found = test::run_command(
        folder, "run --annotate github --check=race --check-report r.sarif " + examples + "race/plan.json",
        "GITHUB_WORKSPACE=" + (folder / ""));
    CHECK(found.status == 1);
    INFO(found.out);
    CHECK(contains(found.out, "title=race%3A write after read::write after read of 4 bytes"));
    CHECK(contains(folder.read("r.sarif"), "write after read"));
    CHECK(test::run_command(folder, "run --annotate github " + examples + "hello/plan.json").out.empty());
}

TEST_CASE("run --junit makes tests of launches and expectations", "[command]") {
    test::TemporaryFolder const folder;
    std::string const ptx = examples + "bounds/kernel.ptx";
    folder.write("p.json", R"({"module": ")" + ptx + R"(",
        "buffers": {"a": {"type": "u32", "count": 64}, "b": {"type": "u32", "count": 4}},
        "launches": [{"kernel": "store", "block": [64], "args": ["a"], "repeat": 2}],
        "expect": {"a": {"iota": {}}, "b": {"fill": 1}}})");
    Ended const wrong = test::run_command(folder, "run --junit j.xml p.json");
    CHECK(wrong.status == 1);
    std::string xml = folder.read("j.xml");
    INFO(wrong.err);
    INFO(xml);
    CHECK(contains(xml, "<testsuites tests=\"4\" failures=\"1\" skipped=\"0\">"));
    CHECK(contains(xml, "name=\"launch 0: store (2)\" time="));
    CHECK(contains(xml, "<testcase classname=\"p.json\" name=\"expect a\"/>"));
    CHECK(contains(xml, "<failure message=\"p.json: expect.b: "));

    CHECK(test::run_command(folder, "run --junit j.xml " + bounds).status == 4);
    xml = folder.read("j.xml");
    CHECK(contains(xml, "<failure message=\"illegal address: 4-byte store"));
    CHECK(contains(xml, "type=\"fault\""));
    CHECK(test::run_command(folder, "run --check=race --junit j.xml " + examples + "race/plan.json").status == 1);
    CHECK(contains(folder.read("j.xml"), "type=\"race: write after read\""));
    CHECK(test::run_command(folder, "run --junit /nonexistent/j.xml p.json").status == 2);
}

TEST_CASE("Options --timing-kernels, --launch-skip and --launch-count choose what is timed", "[command]") {
    test::TemporaryFolder const folder;
    std::string const run = "run -q --out . " WARPSIM_SOURCE_DIR "/tests/kernels/plans/bitonic.json ";
    auto const timed = [&](std::string const& options) {
        CHECK(test::run_command(folder, run + "--stats s.json " + options).status == 0);
        std::string text;
        auto const stats = nlohmann::json::parse(folder.read("s.json"));
        for (auto const& launch : stats["launches"]) text += launch.contains("cycles") ? 't' : 'f';
        return text;
    };
    CHECK(timed("--mode timing") == "ttt");
    CHECK(timed("--mode timing --timing-kernels bitonic_global") == "ftf");
    CHECK(timed("--mode timing --timing-kernels regex:sha") == "tft");
    CHECK(timed("--mode timing --timing-kernels regex:sha --launch-skip 1") == "fft");
    CHECK(timed("--mode timing --launch-count 2 --warm-caches") == "ttf");
    Ended const refused = test::run_command(folder, run + "--timing-kernels bitonic_global");
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "--timing-kernels belongs to --mode timing"));
    CHECK(test::run_command(folder, run + "--mode timing --timing-kernels 'regex:('").status == 2);
    CHECK(test::run_command(folder, run + "--mode timing --launch-skip 1 --stats s.csv").status == 0);
    std::string const csv = folder.read("s.csv");
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
}

TEST_CASE("run --timeout ends a kernel that runs for ever, says where it is, and writes its reports",
          "[command]") {
    test::TemporaryFolder const folder;
    folder.write("endless.ptx", endless());
    for (char const* const mode : {"functional", "timing"}) {
        INFO(mode);
        Ended const ended = test::run_command(
            folder, std::string("run --timeout 1 --stats s.json --coverage c.json --junit j.xml --mode ") + mode +
                        " endless.ptx");
        INFO(ended.err);
        CHECK(ended.status == 124);
        CHECK(contains(ended.err, "error: time limit: the kernel was stopped after 1 s (--timeout), "));
        CHECK(contains(ended.err, "kernel endless, grid (1,1,1)"));
        CHECK(contains(folder.read("j.xml"), "time limit"));
        auto const covered = nlohmann::json::parse(folder.read("c.json"));
        CHECK(covered["files"][0]["lines"][1]["lanes"] > 1000);
        CHECK(nlohmann::json::parse(folder.read("s.json"))["launches"][0]["status"] == "interrupted");
    }
    CHECK(test::run_command(folder, "run --timeout 100 " + examples + "hello/plan.json").status == 0);
}

TEST_CASE("A progress line appears after two seconds", "[command]") {
    test::TemporaryFolder const folder;
    folder.write("endless.ptx", endless());
    std::string const run = "run --timeout 4 endless.ptx --progress ";
    std::string const shown = test::run_command(folder, run + "on --mode timing", "COLUMNS=100").err;
    INFO(shown);
    CHECK(contains(shown, "endless: 0 %, 0 of 1 CTAs done, 1 resident, cycle "));
    CHECK(contains(shown, ", IPC 0."));
    CHECK(contains(shown, "\r\033[Kerror: time limit"));
    CHECK(!contains(test::run_command(folder, run + "auto --mode timing").err, "CTAs done"));
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("exec --timeout ends a program with all that it has started", "[command]") {
    test::TemporaryFolder const folder;
    // Nobody else on the machine sleeps for so long.
    std::string const sleep = "sleep 54321." + std::to_string(getpid());
    folder.write("start", sleep + " & " + sleep + "\n");
    Ended ended;
    double const seconds =
        seconds_of([&] { ended = test::run_command(folder, "exec --timeout 1 -- sh ./start"); });
    INFO(ended.err);
    CHECK(ended.status == 124);
    CHECK(seconds < 20);
    CHECK(contains(ended.err, "error: time limit: 'sh' was stopped after 1 s (--timeout); exit status 124"));
    CHECK(std::system(("ps ax | grep -v grep | grep -q '" + sleep + "'").c_str()) != 0);
    CHECK(test::run_command(folder, "exec --timeout 100 -- sh -c 'exit 7'").status == 7);
}

TEST_CASE("exec --timeout stops the kernel that runs, and the program's reports are written", "[command]") {
    test::TemporaryFolder const folder;
    std::string const program = WARPSIM_BINARY_DIR "/bin/cuda-program ";
    Ended const ended =
        test::run_command(folder, "exec --timeout 1 --check=race --check-report r.json -- " + program + "stuck");
    INFO(ended.err);
    CHECK(ended.status == 124);
    CHECK(contains(ended.err, "time limit: "));
    CHECK(nlohmann::json::parse(folder.read("r.json"))["launches"] > 0);
}

TEST_CASE("exec --coverage covers all processes of a program, and kernels that never ran", "[command]") {
    test::TemporaryFolder const folder;
    std::string const program = WARPSIM_BINARY_DIR "/bin/cuda-program ";
    folder.write("both", program + "count & " + program + "race; wait\n");
    Ended const ended = test::run_command(folder, "exec --coverage c.json -- sh ./both");
    INFO(ended.err);
    CHECK(ended.status == 0);
    auto const all = nlohmann::json::parse(folder.read("c.json"));
    CHECK(all["runs"] == 2);
    CHECK(all["launches"] == 5);
    folder.write("none", "#!/bin/sh\n" + program + "nothing\n");
    static_cast<void>(test::run_command(folder, "exec --coverage n.json -- sh ./none"));
    auto const none = nlohmann::json::parse(folder.read("n.json"));
    REQUIRE_FALSE(none["files"].empty());
    for (auto const& line : none["files"][0]["lines"]) CHECK(line["lanes"] == 0);
}

#endif

}  // namespace report_options_test
