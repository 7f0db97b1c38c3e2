// What the command reads besides PTX files: standard input, and texts that are no PTX.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

namespace input_test {

using namespace warpsim::test;

namespace {

constexpr char const* doubling = R"(// doubles
.version 8.0
.target sm_80
.address_size 64
.entry twice(.param .u64 data)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [data];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %d2, %r1, 4, %d1;
    ld.global.u32 %r2, [%d2];
    add.u32 %r2, %r2, %r2;
    st.global.u32 [%d2], %r2;
    ret;
}
)";

}  // namespace

TEST_CASE("PTX comes through standard input", "[command]") {
    TemporaryFolder const folder;
    folder.write("twice", doubling);
    auto const run = run_command(folder, "run - --block 4 --arg u32[4]=iota --print 4", "", "twice");
    CHECK(run.err == "");
    CHECK(run.out == "arg0 u32[4]: 0 2 4 6\n");
    CHECK(run_command(folder, "check -", "", "twice").status == 0);
    CHECK(contains(run_command(folder, "dump -", "", "twice").out, "mad.wide.u32"));
    folder.write("wrong", "junk;\n");
    auto const wrong = run_command(folder, "check - --format json", "", "wrong");
    CHECK(wrong.status == 3);
    CHECK(nlohmann::json::parse(wrong.out)["file"] == "<stdin>");
    CHECK(run_command(folder, "check -").status == 3);
}

TEST_CASE("A plan comes through standard input", "[command]") {
    TemporaryFolder const folder;
    folder.write("twice.ptx", doubling);
    folder.write("plan", R"(// its paths are relative to the working directory
/* and */ {"module": "twice.ptx", "buffers": {"x": {"type": "u32", "count": 32, "init": {"iota": {"start": 3}}}},
 "launches": [{"kernel": "twice", "block": [32], "args": ["x"]}],
 "expect": {"x": {"iota": {"start": 6, "step": 2}}}})");
    auto const run = run_command(folder, "run -v -", "", "plan");
    CHECK(run.status == 0);
    CHECK(contains(run.err, "as expected: x"));
    folder.write("slip", R"({"module": "twice.ptx", "lunches": []})");
    CHECK(run_command(folder, "run -", "", "slip").err ==
          "error: <stdin>: lunches: unknown key; did you mean 'launches'?\n");
}

TEST_CASE("CUDA C++ and compiled code are told from PTX", "[command]") {
    TemporaryFolder const folder;
    folder.write("twice.cu", "__global__ void twice(int* data) { data[threadIdx.x] *= 2; }\n");
    for (char const* const words : {"run twice.cu --block 4", "check twice.cu", "dump twice.cu"}) {
        auto const refused = run_command(folder, words);
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, "error: twice.cu is CUDA C++, not PTX; compile it first:\n"
                                    "  nvcc -ptx -lineinfo -o twice.ptx twice.cu\n"));
    }
    CHECK(contains(run_command(folder, "check -", "", "twice.cu").err, "<stdin> is CUDA C++"));
    CHECK(contains(run_command(folder, "run " WARPSIM_COMMAND).err, "is compiled code, not PTX"));
}

TEST_CASE("A module for a newer device is warned of once", "[command]") {
    TemporaryFolder const folder;
    folder.write("a.ptx", doubling);
    auto const run = run_command(folder, "run a.ptx --config v100 --arg u32[4]=iota --block 4");
    CHECK(run.status == 0);
    CHECK(run.err == "warning: a.ptx is for sm_80; it runs on a device of compute capability 7.0 all the same\n");
}

TEST_CASE("help prints the help of a command", "[command]") {
    TemporaryFolder const folder;
    CHECK(run_command(folder, "help").out == run_command(folder, "--help").out);
    CHECK(run_command(folder, "help run").out == run_command(folder, "run --help").out);
    CHECK(contains(run_command(folder, "help config show").out, "--set"));
    auto const unknown = run_command(folder, "help rum");
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "unknown command 'rum'; did you mean 'run'?"));
}

TEST_CASE("config list prints JSON", "[command]") {
    TemporaryFolder const folder;
    auto const all = nlohmann::json::parse(run_command(folder, "config list --json").out);
    CHECK(all[0]["name"] == "h100");
    CHECK(all[0]["default"] == true);
    CHECK(all[0]["compute_capability"] == "9.0");
    CHECK(all[0]["sms"] == 132);
}

}  // namespace input_test
