// `warpsim debug --dap` with a client of its own, dap_client.py, whose sessions check what they are answered.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <string>

namespace dap_test {

using namespace warpsim;

namespace {

std::string const tests = WARPSIM_SOURCE_DIR "/tests/";
std::string const saxpy = tests + "kernels/plans/saxpy.json";

/// With a plan in the client's folder, plan.json, and PTX that it may be of.
void run_session(std::string const& session, std::string const& plan = "", std::string const& ptx = "") {
    if (std::system("python3 --version >/dev/null 2>&1") != 0) {
        WARN("skipped: there is no python3");
        return;
    }
    test::TemporaryFolder const folder;
    folder.write("plan.json", plan);
    folder.write("kernel.ptx", ptx);
    std::string const line = "cd " + (folder / "") + " && python3 " + tests +
                             "debug/dap_client.py " WARPSIM_COMMAND " " + session + " >out.txt 2>err.txt";
    int const status = std::system(line.c_str());
    INFO(folder.read("err.txt"));
    CHECK(status == 0);
    CHECK(folder.read("out.txt") == "all is well\n");
}

}  // namespace

TEST_CASE("An editor debugs a plan from its launch to its end, and back", "[debug]") {
    run_session("plan " + saxpy + " " + tests + "kernels/saxpy.cu");
}

TEST_CASE("An editor's breakpoints count hits, over a port", "[debug]") {
    run_session("hits " + saxpy + " " + tests + "kernels/saxpy.cu");
}

TEST_CASE("An editor sees a fault before it happens, and steps back from it", "[debug]") {
    run_session("fault plan.json", R"({"schema": "warpsim-plan/1", "module": ")" WARPSIM_SOURCE_DIR
                                   R"(/examples/bounds/kernel.ptx", "buffers": {"a": {"type": "u32", "count": 40}},
                "launches": [{"kernel": "store", "grid": [1], "block": [64], "args": ["a"]}]})");
}

TEST_CASE("An editor pauses a kernel that does not end, and ends it", "[debug]") {
    run_session("endless plan.json",
                R"({"schema": "warpsim-plan/1", "module": "kernel.ptx", "launches": [{"kernel": "endless"}]})",
                ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry endless() {\n.reg .b32 %r<2>;\n"
                "mov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nbra AGAIN;\n}\n");
}

TEST_CASE("An editor stops at what a checker finds", "[debug]") {
    run_session("finding " WARPSIM_SOURCE_DIR "/examples/race/plan.json");
}

TEST_CASE("What is no request of an editor is refused, or ends the session", "[debug]") {
    run_session("malformed " + saxpy);
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("A program without a GPU ends an editor's session", "[debug]") {
    run_session("host sh -c 'echo one; echo two; exit 3'");
}

#endif

}  // namespace dap_test
