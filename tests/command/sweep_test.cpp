// `warpsim sweep` as a whole, also when it is killed.
#include "runtime/sweep/table.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace sweep_command_test {

using namespace warpsim;
using sweep::Fields;
using test::contains;

namespace {

/// Writes behind its 40 elements where it has over 40 threads.
char const* const kernel = R"(.version 8.0
.target sm_70
.address_size 64
.visible .entry store(.param .u64 p) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
)";

void write_plan(test::TemporaryFolder const& folder, std::string const& block) {
    folder.write("k.ptx", kernel);
    folder.write("plan.json", R"({"module": "k.ptx", "buffers": {"p": {"type": "u32", "count": 40}},
        "launches": [{"kernel": "store", "grid": [1], "block": [)" +
                                  block + R"(], "args": ["p"], "repeat": 2}],
        "save": {"p": "saved.bin"}})");
}

std::vector<Fields> rows(std::string const& text) {
    std::vector<Fields> all;
    for (sweep::Record const& record : sweep::read_csv(text)) all.push_back(record.fields);
    return all;
}

}  // namespace

TEST_CASE("A sweep runs every combination and leaves a row for each launch", "[command][sweep]") {
    test::TemporaryFolder const folder;
    write_plan(folder, "32");
    auto ended = test::run_command(folder, "sweep plan.json --vary sm.schedulers.policy=lrr,gto --vary "
                                           "l2.size_kib=2000,4000 -j2 -o results.csv --columns stalls.wait");
    INFO(ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.out == "results.csv: 4 points\n");
    auto const table = rows(folder.read("results.csv"));
    REQUIRE(table.size() == 1 + 4 * 2);
    auto const cycles = std::find(table[0].begin(), table[0].end(), "cycles") - table[0].begin();
    std::map<Fields, int> seen;
    for (std::size_t i = 1; i < table.size(); ++i) {
        Fields const& row = table[i];
        REQUIRE(row.size() == table[0].size());
        ++seen[{row[1], row[4], row[5]}];
        CHECK(row[3] == "store");
        CHECK(row[6] == "ok");
        CHECK(std::stoul(row[static_cast<std::size_t>(cycles)]) > 100);
    }
    CHECK(seen.size() == 8);
    // What plans save is not kept.
    CHECK(!std::filesystem::exists(folder / "saved.bin"));
    ended = test::run_command(folder, "sweep plan.json --vary sm.schedulers.policy=lrr,gto --vary "
                                      "l2.size_kib=2000,4000 -o results.csv --columns stalls.wait");
    CHECK(ended.out == "results.csv: 4 points, 4 of them from earlier runs\n");
}

TEST_CASE("Points are sampled where runs are asked to, and say how far off they may be", "[command][sweep]") {
    test::TemporaryFolder const folder;
    folder.write("plan.json", R"({"module": ")" WARPSIM_SOURCE_DIR
                              R"(/benchmarks/validation/sampling/kernels.ptx", "config": "v100",
        "buffers": {"out": {"type": "f32", "count": 128000}}, "launches": [
        {"kernel": "polynomial", "grid": [1000], "block": [128], "args": ["out", {"type": "s32", "value": 20}]}]})");
    std::string const command =
        "sweep plan.json --vary sm.schedulers.policy=lrr,gto --set sm.count=2 --set sm.gpcs=1 "
        "-j1 --columns sampling.cycles_error,sampling.timed_ctas";
    REQUIRE(test::run_command(folder, command + " -o whole.csv").status == 0);
    REQUIRE(test::run_command(folder, command + " -o sampled.csv -- --sample=5%").status == 0);
    auto const whole = rows(folder.read("whole.csv")), sampled = rows(folder.read("sampled.csv"));
    auto const at = [&](std::string const& column) {
        auto const found = std::find(whole[0].begin(), whole[0].end(), column);
        REQUIRE(found != whole[0].end());
        return static_cast<std::size_t>(found - whole[0].begin());
    };
    auto const cycles = at("cycles"), error = at("sampling.cycles_error"), timed = at("sampling.timed_ctas");
    REQUIRE(whole.size() == 3);
    REQUIRE(sampled.size() == 3);
    for (std::size_t i = 1; i < 3; ++i) {
        CHECK(whole[i][error].empty());
        CHECK(std::stoul(sampled[i][timed]) < 1000);
        CHECK(std::abs(std::stod(whole[i][cycles]) / std::stod(sampled[i][cycles]) - 1) <
              std::stod(sampled[i][error]));
    }
}

TEST_CASE("A launch that faults is a row, and the sweep goes on", "[command][sweep]") {
    test::TemporaryFolder const folder;
    write_plan(folder, "64");
    auto const ended =
        test::run_command(folder, "sweep plan.json --vary memory.bounds=exact,page -j2 -o results.csv");
    CHECK(ended.status == 1);
    CHECK(ended.out == "results.csv: 2 points, 1 failed\n");
    std::map<std::string, std::vector<Fields>> found;
    for (Fields const& row : rows(folder.read("results.csv"))) found[row[4]].push_back(row);
    REQUIRE(found["exact"].size() == 1);
    CHECK(found["exact"][0][5] == "fault");
    CHECK(contains(found["exact"][0][found["exact"][0].size() - 2], "illegal address: 4-byte store"));
    REQUIRE(found["page"].size() == 2);
    CHECK(found["page"][1][5] == "ok");
}

TEST_CASE("A sweep that was killed goes on where it was", "[command][sweep]") {
    test::TemporaryFolder const folder;
    write_plan(folder, "32");
    std::string const arguments =
        "sweep plan.json --vary sm.convergence_patience=1000..7000:500 -j1 -o results.csv";
    std::string const line = "cd " + (folder / "") + " && exec " WARPSIM_COMMAND " " + arguments;
    pid_t const child = ::fork();
    if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
        ::_exit(127);
    }
    // When two points and more are there, but not all 13.
    while (rows(folder.read("results.csv")).size() < 5 && ::waitpid(child, nullptr, WNOHANG) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::string const left = folder.read("results.csv");
    CHECK(rows(left).size() < 1 + 13 * 2);
    folder.write("results.csv", left + "plan.json,0,2,sto");
    auto const ended = test::run_command(folder, arguments);
    CHECK(ended.status == 0);
    CHECK(contains(ended.out, " of them from earlier runs"));
    std::string const whole = folder.read("results.csv");
    CHECK(whole.starts_with(left));
    std::map<std::string, int> count;
    for (Fields const& row : rows(whole)) ++count[row[4]];
    CHECK(count.size() == 1 + 13);
    for (auto const& [value, times] : count) CHECK((times == 2 || value == "sm.convergence_patience"));
}

TEST_CASE("Ctrl-C ends a sweep, and what is there stays", "[command][sweep]") {
    test::TemporaryFolder const folder;
    write_plan(folder, "32");
    std::string const line =
        "cd " + (folder / "") +
        " && exec " WARPSIM_COMMAND
        " sweep plan.json --vary sm.convergence_patience=1000..9000:50 -j1 -o results.csv 2>err.txt";
    pid_t const child = ::fork();
    if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
        ::_exit(127);
    }
    int raw = 0;
    while (rows(folder.read("results.csv")).size() < 3 && ::waitpid(child, &raw, WNOHANG) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(child, SIGINT);
    ::waitpid(child, &raw, 0);
    REQUIRE(WIFEXITED(raw));
    CHECK(WEXITSTATUS(raw) == 130);
    CHECK(contains(folder.read("err.txt"), "interrupted; the same command goes on"));
    for (Fields const& row : rows(folder.read("results.csv"))) CHECK((row[5] == "ok" || row[5] == "status"));
}

TEST_CASE("A sweep tells others what to run, and takes what has come of it", "[command][sweep]") {
    test::TemporaryFolder const folder;
    write_plan(folder, "32");
    std::string const sweep =
        "sweep plan.json --vary sm.schedulers.policy=lrr,gto -o r.csv --config v100 --elsewhere";
    test::Ended const unheard = test::run_command(folder, sweep);
    CHECK(unheard.status == 130);
    CHECK(std::count(unheard.out.begin(), unheard.out.end(), '\n') == 3);
    CHECK(contains(unheard.out, R"({"point":0,"id":")"));
    CHECK(contains(unheard.out, R"("arguments":["run","plan.json","--config","v100")"));
    CHECK(contains(unheard.out, R"("files":["plan.json","k.ptx"])"));
    CHECK(unheard.out.ends_with("}\n\n"));

    folder.write("answers", R"({"point": 1, "failure": "its worker was lost, twice", "seconds": 0})"
                            "\n");
    CHECK(test::run_command(folder, sweep, "", "answers").status == 130);
    REQUIRE(test::run_command(folder, "run plan.json --config v100 --mode timing --stats s.json").status == 0);
    std::string statistics = folder.read("s.json"), quoted;
    for (char const c : statistics) quoted += c == '"' ? "\\\"" : c == '\n' ? " " : std::string(1, c);
    folder.write("answers",
                 R"({"point": 0, "status": 0, "signal": 0, "seconds": 2.5, "messages": "", "statistics": ")" +
                     quoted + "\"}\n");
    CHECK(test::run_command(folder, sweep, "", "answers").status == 1);
    std::vector<Fields> const table = rows(folder.read("r.csv"));
    REQUIRE(table.size() == 4);
    CHECK(table[1][4] == "gto");
    CHECK(table[1][5] == "crash");
    CHECK(contains(folder.read("r.csv"), "its worker was lost, twice"));
    CHECK(table[2][4] == "lrr");
    CHECK(table[2][5] == "ok");

    for (auto const& [line, why] : std::vector<std::pair<std::string, std::string>>{
             {"yes", "no JSON object"},
             {R"({"point": 1, "status": 0})", "key 'signal' not found"},
             {R"({"point": 9, "failure": "x", "seconds": 0})", "nobody waits for this point"}}) {
        folder.write("answers", line + "\n");
        test::Ended const refused = test::run_command(folder, sweep + " --retry", "", "answers");
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, why));
    }
}

TEST_CASE("A sweep of what cannot be is refused before anything runs", "[command][sweep]") {
    test::TemporaryFolder const folder;
    write_plan(folder, "32");
    auto const refused = [&](std::string const& arguments, std::string const& message) {
        auto const ended = test::run_command(folder, "sweep " + arguments);
        INFO(arguments << ": " << ended.err);
        CHECK(ended.status == 2);
        CHECK(contains(ended.err, message));
        CHECK(!std::filesystem::exists(folder / "r.csv"));
    };
    refused("plan.json -o r.csv", "nothing is varied");
    refused("plan.json --vary l2.size_kb=1,2 -o r.csv", "did you mean 'size_kib'?");
    refused("plan.json --vary l2.size_kib=1,x -o r.csv", "l2.size_kib");
    refused("plan.json --vary l2.size_kib=2048 --mode timed -o r.csv", "timed");
    refused("plan.json --vary l2.size_kib=2048", "output");
    refused("plan.json plan.json --vary l2.size_kib=2048 -o r.csv", "named twice");
    refused("none.json --vary l2.size_kib=2048 -o r.csv", "none.json");
    refused("plan.json --vary l2.size_kib=2048 --vari 3 -o r.csv", "did you mean '--vary'?");
}

TEST_CASE("Options behind -- are each run's, and several plans and samples make one table", "[command][sweep]") {
    test::TemporaryFolder const folder;
    write_plan(folder, "32");
    folder.write("caught/0000-store/k.ptx", kernel);
    folder.write("caught/0000-store/plan.json", folder.read("plan.json"));
    folder.write("space.json",
                 R"({"sm.convergence_patience": "1024..65536*2", "sm.schedulers.policy": ["lrr", "gto"]})");
    auto const ended =
        test::run_command(folder, "sweep plan.json caught --space space.json --sample latin:7 --seed 3 -o r.csv "
                                  "-q -- --launch-skip 1 --timing-kernels 'regex:store'");
    INFO(ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.out.empty());
    std::map<std::string, std::map<std::string, int>> sizes;
    for (Fields const& row : rows(folder.read("r.csv"))) ++sizes[row[0]][row[4]];
    REQUIRE(sizes.size() == 3);
    CHECK(sizes["plan.json"].size() == 7);
    CHECK(sizes["caught/0000-store/plan.json"] == sizes["plan.json"]);
}

}  // namespace sweep_command_test
