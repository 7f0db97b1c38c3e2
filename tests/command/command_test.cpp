// The built command on small inputs: what it prints and how it ends.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

namespace command_test {

using namespace warpsim;

namespace {

using Folder = test::TemporaryFolder;
using test::contains;
using test::Ended;
using test::run_command;

// y[i] = a * x[i] + y[i] for i < n
char const* const saxpy = R"(.version 8.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<6>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p, %r5, %r1;
    @%p bra done;
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mul.wide.s32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f3, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f3;
done:
    ret;
}
)";

std::string plan_text(std::string const& expectation, std::string const& launch = "") {
    return R"({"module": "saxpy.ptx", // a plan
        "buffers": {"x": {"type": "f32", "count": 100, "init": {"iota": {}}},
                    "y": {"type": "f32", "count": 100, "init": {"fill": 1}}},
        "launches": [{"kernel": "saxpy", "grid": [4], "block": 32, "args": [100, 2.0, "x", "y"])" +
           launch + R"(}],
        "save": {"y": "y.npy", "x": "sub/x.bin"},
        "expect": {"y": )" +
           expectation + "}}";
}

}  // namespace

TEST_CASE("A plan runs, saves and meets its expectation", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    folder.write("plan.json", plan_text(R"({"iota": {"start": 1, "step": 2}})"));
    auto const run = run_command(folder, "run plan.json");
    CHECK(run.status == 0);
    CHECK(run.out == "");
    CHECK(run.err == "");
    CHECK(folder.read("y.npy").size() == 128 + 400);
    CHECK(folder.read("sub/x.bin").size() == 400);
    CHECK(run_command(folder, "run plan.json --out other").status == 0);
    CHECK(folder.read("other/y.npy") == folder.read("y.npy"));
    // What was saved is what a plan reads.
    folder.write("again.json", plan_text(R"({"file": "y.npy"})"));
    CHECK(run_command(folder, "run again.json").status == 0);
}

TEST_CASE("A failed expectation ends with status 1 and tells how many, where and by how much", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    folder.write("plan.json", plan_text(R"({"iota": {"start": 1, "step": 2}, "abs": 100})", R"(, "repeat": 2)"));
    auto const run = run_command(folder, "run plan.json");
    CHECK(run.status == 1);
    CHECK(contains(run.err, "error: plan.json: expect.y: 49 of 100 elements differ (abs 100, rel 0); "
                            "largest error 198 at y[99]\n  y[51]: got 205, want 103\n"));
}

TEST_CASE("A plan with a slip ends with status 2 and names the place", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    auto const message = [&](std::string const& text) {
        folder.write("plan.json", text);
        auto const run = run_command(folder, "run plan.json");
        CHECK(run.status == 2);
        CHECK(run.out == "");
        return run.err;
    };
    CHECK(message(plan_text("\"zero\"", R"(, "gird": 2)")) ==
          "error: plan.json: launches[0].gird: unknown key; did you mean 'grid'?\n");
    CHECK(message(R"({"module": "saxpy.ptx", "launches": [{"kernel": "sapxy"}]})") ==
          "error: plan.json: launches[0].kernel: there is no kernel 'sapxy'; did you mean 'saxpy'?\n");
    CHECK(message(R"({"module": "saxpy.ptx", "launches": [{"kernel": "saxpy", "args": [1, 2]}]})") ==
          "error: plan.json: launches[0].args: kernel 'saxpy' takes 4 arguments (.u32, .f32, .u64, .u64), but 2 "
          "are given\n");
    CHECK(
        message(R"({"module": "saxpy.ptx", "launches": [{"kernel": "saxpy", "args": [4294967296, 2, 0, 0]}]})") ==
        "error: plan.json: launches[0].args[0]: 4294967296 is out of range for u32 (-2147483648 to 4294967295), "
        "parameter 'n' (.u32)\n");
    CHECK(message(R"({"module": "none.ptx", "launches": []})") ==
          "error: plan.json: module: 'none.ptx': no such file\n");
    CHECK(contains(message(R"({"module": "saxpy.ptx", "config": "h10", "launches": []})"), "'h100'"));
    CHECK(contains(message(R"({"module": "saxpy.ptx", "symbols": {"c": {"type": "u8"}}, "launches": []})"),
                   "symbols.c: "));
}

TEST_CASE("One kernel of a PTX file runs with arguments from the command line", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    auto const run = run_command(folder, "run saxpy.ptx --kernel saxpy --grid 2,1 --block 4 --arg 7 --arg 2.0 "
                                         "--arg f32[8]=iota:0:-1 --arg f32[8]=fill:0.5 --print 7");
    CHECK(run.err == "");
    CHECK(run.status == 0);
    CHECK(run.out ==
          "arg2 f32[8]: 0 -1 -2 -3 -4 -5 -6 ...\narg3 f32[8]: 0.5 -1.5 -3.5 -5.5 -7.5 -9.5 -11.5 ...\n");
    // A C int reaches PTX as .u32; -1 elements are none.
    auto const none = run_command(folder, "run saxpy.ptx --arg -1 --arg 2 --arg 0 --arg f32[1]=fill:3 --print 1");
    CHECK(none.status == 0);
    CHECK(none.out == "arg3 f32[1]: 3\n");
}

TEST_CASE("Clusters come from the command line, from a plan, or from the kernel", "[command]") {
    Folder const folder;
    auto const module = [](std::string const& directive) {
        return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n" + directive +
               R"({
            .reg .b32 %r<4>; .reg .b64 %d<4>; ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
            mov.u32 %r2, %cluster_nctarank; mov.u32 %r3, %cluster_ctarank; mad.lo.u32 %r2, %r2, 10, %r3; st.global.u32 [%d1], %r2; ret; })";
    };
    folder.write("any.ptx", module(""));
    folder.write("four.ptx", module(".reqnctapercluster 4\n"));
    std::string const line = " --grid 4 --block 1 --arg u32[4]=fill:0 --print 4";
    CHECK(run_command(folder, "run any.ptx" + line).out == "arg0 u32[4]: 10 10 10 10\n");
    CHECK(run_command(folder, "run any.ptx --cluster 2" + line).out == "arg0 u32[4]: 20 21 20 21\n");
    CHECK(run_command(folder, "run any.ptx --cluster 2,1,1" + line).out == "arg0 u32[4]: 20 21 20 21\n");
    CHECK(run_command(folder, "run four.ptx" + line).out == "arg0 u32[4]: 40 41 42 43\n");
    auto const wrong = run_command(folder, "run four.ptx --cluster 2" + line);
    CHECK(wrong.status == 4);
    CHECK(contains(wrong.err, ".reqnctapercluster asks for clusters of (4,1,1)"));
    folder.write("plan.json", R"({"module": "any.ptx", "buffers": {"out": {"type": "u32", "count": 4}},
        "launches": [{"kernel": "k", "grid": 4, "block": 1, "cluster": [2], "args": ["out"]}], "expect": {"out": {"values": [20, 21, 20, 21]}}})");
    auto const planned = run_command(folder, "run plan.json");
    INFO(planned.out << planned.err);
    CHECK(planned.status == 0);
}

TEST_CASE("Every kind of failure has its exit status", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    folder.write("bad.ptx",
                 ".version 8.0\n.target sm_70\n.address_size 64\n.entry k() { addd.s32 %r1, %r2, %r3; ret; }\n");
    auto const fault = run_command(folder, "run saxpy.ptx --block 4 --arg 4 --arg 2 --arg 0 --arg 0");
    CHECK(fault.status == 4);
    CHECK(contains(fault.err, "kernel saxpy"));
    CHECK(run_command(folder, "run saxpy.ptx --block 2048 --arg 4 --arg 2 --arg 0 --arg 0").status == 4);
    auto const ptx = run_command(folder, "run bad.ptx");
    CHECK(ptx.status == 3);
    CHECK(contains(ptx.err, "bad.ptx:4:14: error: "));
    CHECK(run_command(folder, "run none.ptx").status == 2);
    CHECK(run_command(folder, "exec -- no-such-program").status == 2);
    CHECK(run_command(folder, "exec").status == 2);
    CHECK(run_command(folder, "").status == 2);
    CHECK(run_command(folder, "--help").status == 0);
    CHECK(run_command(folder, "run --help").status == 0);
}

// A sanitizer's runtime must be loaded before all others, which it is not in programs that exec starts.
#ifndef WARPSIM_SANITIZED
TEST_CASE("exec ends as its program does", "[command]") {
    Folder const folder;
    CHECK(run_command(folder, "exec -- true").status == 0);
    CHECK(run_command(folder, "exec -- false").status == 1);
    CHECK(run_command(folder, "exec -- sh -c 'kill -9 $$'").status == 137);
    CHECK(run_command(folder, "exec --error-exitcode 5 -- sh -c 'exit 3'").status == 3);
    CHECK(run_command(folder, "exec -- echo -v --stats --").out == "-v --stats --\n");
}
#endif

TEST_CASE("A slip on the command line is answered with the nearest word", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    auto const message = [&](std::string const& arguments) {
        auto const run = run_command(folder, arguments);
        CHECK(run.status == 2);
        return run.err.substr(0, run.err.find('\n'));
    };
    CHECK(message("rnu plan.json") == "error: unknown command 'rnu'; did you mean 'run'?");
    CHECK(message("run saxpy.ptx --gird 4") == "error: unknown option '--gird'; did you mean '--grid'?");
    CHECK(message("run saxpy.ptx --mode=timig") ==
          "error: --mode: 'timig' is none of functional|timing; did you mean 'timing'?");
    CHECK(message("config lst") == "error: unknown command 'lst'; did you mean 'list'?");
    CHECK(message("dump saxpy.ptx --kernel saxp") ==
          "error: --kernel: there is no function 'saxp'; did you mean 'saxpy'?");
    CHECK(contains(message("isa --layout mma.m16n8k8.f16.d"), "there is no layout 'mma.m16n8k8.f16.d'"));
    CHECK(message("isa addd") == "error: there is no instruction 'addd'; did you mean 'add'?");
    CHECK(contains(message("run saxpy.ptx --set sm.cont=4"), "'count'"));
    CHECK(message("run saxpy.ptx --kernel saxp") ==
          "error: saxpy.ptx: --kernel: there is no kernel 'saxp'; did you mean 'saxpy'?");
    CHECK(contains(message("run saxpy.ptx --profile p.txt"), "--profile belongs to --mode timing"));
    CHECK(contains(message("run saxpy.ptx --interval 100"), "--interval belongs to --mode timing"));
}

TEST_CASE("Statistics go to a file or to standard output, options also come from the environment", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    folder.write("plan.json", plan_text(R"({"fill": 0, "abs": 1e9})", R"(, "repeat": 3)"));
    auto const run = run_command(folder, "run plan.json --stats - --threads 1");
    CHECK(run.status == 0);
    auto const j = nlohmann::json::parse(run.out);
    CHECK(j["schema"] == "warpsim-stats/1");
    CHECK(j["config"] == "h100");
    CHECK(j["mode"] == "functional");
    CHECK(j["host"]["threads"] == 1);
    REQUIRE(j["launches"].size() == 3);
    CHECK(j["launches"][0]["kernel"] == "saxpy");
    CHECK(j["launches"][0]["instructions"]["warp"] == 4 * 18);
    // Four sectors for each of three full warps, one for the four lanes of the last.
    CHECK(j["launches"][0]["memory"]["global_sectors_per_request"] == (3 * 4 + 1) / 4.0);
    setenv("WARPSIM_STATS", "s.json", 1);
    setenv("WARPSIM_CONFIG", "a100", 1);
    CHECK(run_command(folder, "run plan.json").status == 0);
    CHECK(nlohmann::json::parse(folder.read("s.json"))["config"] == "a100");
    CHECK(run_command(folder, "run plan.json --config v100").status == 0);
    CHECK(nlohmann::json::parse(folder.read("s.json"))["config"] == "v100");
    unsetenv("WARPSIM_STATS");
    unsetenv("WARPSIM_CONFIG");
    CHECK(run_command(folder,
                      "run plan.json --mode timing --stats t.csv --interval 500 --profile p.json --trace t.txt")
              .status == 0);
    CHECK(contains(folder.read("t.csv"), ",occupancy.limited_by,"));
    CHECK(contains(folder.read("t.intervals.csv"), "\n2,1500,"));
    CHECK(nlohmann::json::parse(folder.read("p.json"))["launches"].size() == 3);
    CHECK(contains(folder.read("p.json"), "\"long_scoreboard\""));
    CHECK(contains(folder.read("t.txt"), "fma.rn.f32"));
    auto const table = run_command(folder, "run plan.json -v");
    CHECK(contains(table.err, "warp instructions"));
    auto const trace =
        run_command(folder, "run saxpy.ptx --block 4 --arg 0 --arg 1 --arg 0 --arg 0 --trace t.txt");
    CHECK(trace.status == 0);
    CHECK(contains(folder.read("t.txt"), "setp.ge.s32"));
}

TEST_CASE("check prints diagnostics and sums up", "[command]") {
    Folder const folder;
    folder.write("good.ptx", saxpy);
    folder.write("bad.ptx", ".version 8.0\n.target sm_70\n.address_size 64\n.entry k() { .reg .b32 %r<4>;\n"
                            "  addd.s32 %r1, %r2, %r3;\n  subb.s32 %r1, %r2, %r3;\n ret; }\n");
    folder.write("list.txt", "good.ptx\nbad.ptx\n");
    CHECK(run_command(folder, "check good.ptx").status == 0);
    auto const bad = run_command(folder, "check good.ptx bad.ptx");
    CHECK(bad.status == 3);
    CHECK(contains(bad.err, "bad.ptx:5:3: error: unknown instruction 'addd.s32'; did you mean 'add.s32'?"));
    CHECK(contains(bad.err, "bad.ptx:6:3: error: "));
    CHECK(bad.out == "2 files, 1 with errors\n");
    CHECK_FALSE(contains(run_command(folder, "check --max-errors 1 bad.ptx").err, "bad.ptx:6:3"));
    CHECK(run_command(folder, "check -q good.ptx none.ptx").status == 2);
    auto const json = run_command(folder, "check --files-from list.txt --format json");
    CHECK(json.status == 3);
    std::istringstream lines(json.out);
    std::string first;
    std::string second;
    std::getline(lines, first);
    std::getline(lines, second);
    CHECK(nlohmann::json::parse(first)["ok"] == true);
    auto const j = nlohmann::json::parse(second);
    CHECK(j["file"] == "bad.ptx");
    CHECK(j["diagnostics"].size() == 2);
    CHECK(j["diagnostics"][0]["line"] == 5);
    CHECK(j["diagnostics"][0]["column"] == 3);
    CHECK(j["diagnostics"][0]["end_line"] == 5);
    CHECK(j["diagnostics"][0]["end_column"] > j["diagnostics"][0]["column"]);
    CHECK(j["errors_left_out"] == 0);
    CHECK(j["diagnostics"][0]["severity"] == "error");
}

TEST_CASE("check reads files in parallel and prints them in their order", "[command]") {
    Folder const folder;
    std::string list;
    std::string const header = ".version 8.0\n.target sm_70\n.address_size 64\n.entry k() {\n";
    for (int i = 0; i < 24; ++i) {
        std::string const name = "f" + std::to_string(i) + ".ptx";
        // The first ones take longest.
        std::string body;
        for (int n = 0; n < (24 - i) * 200; ++n) body += "{ .reg .b32 a; add.s32 a, a, 1; }\n";
        folder.write(name, header + body + "  mov.u32 x, " + std::to_string(i) + ";\n ret; }\n");
        list += name + "\n";
    }
    std::string many;
    for (int i = 0; i < 30; ++i) many += "  mov.u32 x" + std::to_string(i) + "_, 1;\n";
    folder.write("many.ptx", header + many + " ret; }\n");
    folder.write("list.txt", list + "many.ptx\n");
    auto const text = run_command(folder, "check --files-from list.txt");
    CHECK(text.status == 3);
    CHECK(text.out == "25 files, 25 with errors\n");
    std::size_t last = 0;
    for (int i = 0; i < 24; ++i) {
        std::size_t const at = text.err.find("f" + std::to_string(i) + ".ptx:");
        REQUIRE(at != std::string::npos);
        CHECK(at >= last);
        last = at;
    }
    CHECK(contains(text.err, "many.ptx:24:11: error: unknown name 'x19_'"));
    CHECK_FALSE(contains(text.err, "x20_"));
    CHECK(contains(text.err, "many.ptx: 10 more errors not shown"));
    CHECK(contains(run_command(folder, "check --max-errors 0 many.ptx").err, "x29_"));
    auto const json = run_command(folder, "check --files-from list.txt --format json");
    std::istringstream lines(json.out);
    std::string line;
    for (int i = 0; i < 24; ++i) {
        REQUIRE(std::getline(lines, line));
        CHECK(nlohmann::json::parse(line)["file"] == "f" + std::to_string(i) + ".ptx");
    }
    REQUIRE(std::getline(lines, line));
    CHECK(nlohmann::json::parse(line)["diagnostics"].size() == 20);
}

TEST_CASE("dump, config and isa print what they are asked for", "[command]") {
    Folder const folder;
    folder.write("saxpy.ptx", saxpy);
    CHECK(contains(run_command(folder, "dump saxpy.ptx").out, "fma.rn.f32"));
    CHECK(contains(run_command(folder, "dump saxpy.ptx --what ast").out, "instruction @%p bra"));
    CHECK(contains(run_command(folder, "dump saxpy.ptx --what cfg").out, "digraph"));
    CHECK(contains(run_command(folder, "dump saxpy.ptx --what plan --kernel saxpy").out, "saxpy"));
    CHECK(contains(run_command(folder, "config list").out, "h100"));
    auto const shown = run_command(folder, "config show h100 --set sm.count=3");
    CHECK(nlohmann::json::parse(shown.out)["sm"]["count"] == 3);
    folder.write("my.json", shown.out);
    CHECK(run_command(folder, "config validate my.json").status == 0);
    folder.write("my.json", "{\"base\": \"h100\", \"sm\": {\"cuont\": 3}}");
    auto const wrong = run_command(folder, "config validate my.json");
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "count"));
    CHECK(run_command(folder, "config diff h100 --set sm.count=3").out ==
          "key       h100  h100 --set sm.count=3\nsm.count  132   3\n");
    CHECK(run_command(folder, "config diff a100 a100").out == "a100 and a100 do not differ\n");
    CHECK(nlohmann::json::parse(run_command(folder, "config diff v100 gv100 --json").out)[0].contains("key"));
    CHECK(run_command(folder, "config diff h100 h10").status == 2);
    CHECK(nlohmann::json::parse(run_command(folder, "config schema").out).is_object());
    auto const isa = nlohmann::json::parse(run_command(folder, "isa --json").out);
    CHECK(isa.size() > 100);
    CHECK(contains(run_command(folder, "isa mad.lo.s32").out, "mad.lo.type d, a, b, c"));
    CHECK(contains(run_command(folder, "isa").out, " forms: "));
    CHECK(contains(run_command(folder, "isa --layout mma.m16n8k16.f16.b").out, "16 rows, 8 columns"));
    CHECK(contains(run_command(folder, "isa --layout list").out, "\nwgmma.m64n256.d\n"));
    CHECK(run_command(folder, "version").out.rfind("warpsim ", 0) == 0);
}

}  // namespace command_test
