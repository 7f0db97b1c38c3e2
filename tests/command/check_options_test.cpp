// --check of `warpsim run` and `warpsim exec`: what is printed, the report, and the exit status.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace check_options_test {

using namespace warpsim;
using test::contains;
using test::Ended;

namespace {

std::string const bounds =
    WARPSIM_SOURCE_DIR "/examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero' --print 1 ";

/// Where the program with device code calls this, as findings tell it: where there is elfutils, by its line.
[[maybe_unused]] std::string place_of(std::string const& call) {
    if (!std::filesystem::exists(WARPSIM_BINARY_DIR "/lib/libwarpsim_source_lines.so"))
        return ", called from main+";
    std::string const path = WARPSIM_SOURCE_DIR "/tests/cuda/exec/cuda_program.c";
    std::ifstream file(path);
    int number = 1;
    for (std::string line; std::getline(file, line) && line.find(call) == std::string::npos;) ++number;
    return " at " + path + ":" + std::to_string(number);
}

}  // namespace

TEST_CASE("run --check goes on after a fault, reports it, and ends with 1", "[command]") {
    test::TemporaryFolder const folder;
    Ended const ended = test::run_command(folder, "run --check --check-report r.json " + bounds);
    CHECK(ended.status == 1);
    INFO(ended.err);
    CHECK(contains(ended.err, "========= memory: illegal address: 4-byte store to global"));
    CHECK(contains(ended.err, "(24 times)"));
    CHECK(contains(ended.err,
                   "========= 1 finding (24 times) in 1 launch of 1 kernel; checked: memory, race, init, sync"));
    auto const report = nlohmann::json::parse(folder.read("r.json"));
    CHECK(report["findings"][0]["count"] == 24);
    CHECK(contains(report["command"].get<std::string>(), "--check-report"));
}

TEST_CASE("run --check without a finding says so and ends with 0", "[command]") {
    test::TemporaryFolder const folder;
    Ended const ended =
        test::run_command(folder, "run -q --check=memory " WARPSIM_SOURCE_DIR "/examples/hello/plan.json");
    CHECK(ended.status == 0);
    CHECK(ended.err == "========= 0 findings in 1 launch of 1 kernel; checked: memory\n");
    CHECK(contains(
        test::run_command(folder, "run --tool racecheck " WARPSIM_SOURCE_DIR "/examples/hello/plan.json").err,
        "checked: race\n"));
}

TEST_CASE("Findings are suppressed by the line that their report prints", "[command]") {
    test::TemporaryFolder const folder;
    folder.write("known", "memory; illegal address; store; kernel.cu:2  # as in the report\n");
    Ended const ended = test::run_command(folder, "run --check=memory --suppressions known " + bounds);
    CHECK(ended.status == 0);
    CHECK(contains(ended.err, "0 findings in 1 launch of 1 kernel, 24 suppressed"));
}

TEST_CASE("Wrong options of checkers are told before anything runs", "[command]") {
    test::TemporaryFolder const folder;
    Ended const unknown = test::run_command(folder, "run --check=races " + bounds);
    CHECK(unknown.status == 2);
    CHECK(
        contains(unknown.err, "there is no checker 'races'; there are memory, race, init, sync, leak, api, all"));
    CHECK(test::run_command(folder, "run --check-report r.json " + bounds).status == 2);
    CHECK(test::run_command(folder, "run --check --check-report /nonexistent/r.json " + bounds).status == 2);
    CHECK(test::run_command(folder, "run --check --suppressions /nonexistent " + bounds).status == 2);
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("exec --check makes a program fail that ended well, by the status that is asked for", "[command]") {
    test::TemporaryFolder const folder;
    std::string const program = WARPSIM_BINARY_DIR "/bin/cuda-program ";
    Ended const fine = test::run_command(folder, "exec --check=memory,race,sync,api -- " + program + "count");
    CHECK(fine.status == 0);
    CHECK(contains(fine.err, "0 findings in"));
    Ended const racy = test::run_command(folder, "exec --check=race -- " + program + "race");
    INFO(racy.err);
    CHECK(racy.status == 1);
    CHECK(contains(racy.err, "========= race: "));
    CHECK(test::run_command(folder, "exec --check=race --error-exitcode 7 -- " + program + "race").status == 7);
    CHECK(test::run_command(folder, "exec --check=memory -- " + program + "race").status == 0);
    CHECK(test::run_command(folder, "exec --check=races -- " + program + "race").status == 2);
}

TEST_CASE("exec --check finds what is left at the end and calls that failed, with the call", "[command]") {
    test::TemporaryFolder const folder;
    std::string const program = WARPSIM_BINARY_DIR "/bin/cuda-program ";
    Ended const left =
        test::run_command(folder, "exec --check=leak --check-report r.json -- " + program + "count");
    INFO(left.err);
    CHECK(left.status == 1);
    CHECK(contains(left.err, "4096 bytes of managed memory left at the end, made by cudaMallocManaged(0x"));
    CHECK(contains(left.err, ", 4096, 1)" + place_of("cudaMallocManaged((void**)&p")));
    auto const report = nlohmann::json::parse(folder.read("r.json"));
    REQUIRE(report["findings"].size() == 1);
    CHECK(report["findings"][0]["kind"] == "leak");
    Ended const failed = test::run_command(folder, "exec --check=api -- " + program + "cubin");
    INFO(failed.err);
    CHECK(failed.status == 1);
    CHECK(contains(failed.err, "========= api: cudaLaunchKernel(0x"));
    CHECK(contains(failed.err, place_of("int const status = cudaLaunchKernel(") + " failed: "));
    CHECK(contains(failed.err, "=========   kernel count\n"));
    CHECK(test::run_command(folder, "run --check=leak " WARPSIM_SOURCE_DIR "/examples/hello/plan.json").status ==
          2);
}

#endif

}  // namespace check_options_test
