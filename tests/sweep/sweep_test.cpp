// Sweeps whose runs are scripts: whatever a process does becomes a row.
#include "runtime/sweep/progress.hpp"
#include "runtime/sweep/rows.hpp"
#include "runtime/sweep/sweep.hpp"
#include "runtime/sweep/table.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sweep_test {

using namespace warpsim;
using Catch::Matchers::Contains;
using sweep::Fields;

namespace {

char const* const kernel = R"(.version 8.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
)";
char const* const plan = R"({"module": "k.ptx", "launches": [{"kernel": "nothing", "grid": [1], "block": [32]}]})";

/// $1 is the plan; what is varied and where the statistics go are found among the rest.
char const* const script_head = R"(set -u
policy=
for word; do
    case "${last:-}" in --stats) stats=$word;; --set) policy=$word;; esac
    last=$word
done
echo "$policy" >> "$HERE/started"
launch() { printf '{"kernel": "%s", "status": "%s", "cycles": %s, "l1": {"hit_rate": 0.50}, "host_seconds": 0.25}' "$@"; }
finish() { printf '{"launches": [%s]}' "$1" > "$stats"; }
)";

class Folder : public test::TemporaryFolder {
public:
    sweep::Options options(std::string const& script) const {
        write("k.ptx", kernel);
        sweep::Options made;
        made.plans = {write("plan.json", plan)};
        std::string head = script_head;
        head.replace(head.find("$HERE"), 5, *this / "");
        made.worker = {"/bin/sh", write("worker", head + script)};
        made.axes = {sweep::parse_vary("sm.schedulers.policy=lrr,gto")};
        made.columns = {"cycles", "l1.hit_rate"};
        made.out = *this / "results.csv";
        made.build = "1";
        return made;
    }
    /// Rows of the table by the value that is varied, each its status, then what follows.
    std::map<std::string, std::vector<Fields>> rows() const {
        std::map<std::string, std::vector<Fields>> found;
        auto const records = sweep::read_csv(read("results.csv"));
        for (std::size_t i = 1; i < records.size(); ++i) {
            Fields const& f = records[i].fields;
            // launch, kernel, status, cycles, hit rate, seconds, message
            found[f.at(4)].push_back({f.at(1), f.at(3), f.at(5), f.at(6), f.at(7), f.at(8), f.at(9)});
        }
        return found;
    }
};

}  // namespace

TEST_CASE("Each launch of each point has a row with what was varied", "[sweep]") {
    Folder const folder;
    auto options = folder.options(R"sh(finish "$(launch a ok 10),$(launch b ok 20)")sh");
    options.jobs = 2;
    sweep::Summary const summary = sweep::run(options);
    CHECK(summary.points == 2);
    CHECK(summary.failed == 0);
    CHECK(sweep::read_csv(folder.read("results.csv"))[0].fields ==
          Fields{"plan", "launch", "launches", "kernel", "sm.schedulers.policy", "status", "cycles", "l1.hit_rate",
                 "seconds", "message", "point"});
    auto rows = folder.rows();
    REQUIRE(rows.size() == 2);
    for (char const* const policy : {"lrr", "gto"})
        CHECK(rows[policy] == std::vector<Fields>{{"0", "a", "ok", "10", "0.50", "0.25", ""},
                                                  {"1", "b", "ok", "20", "0.50", "0.25", ""}});
}

TEST_CASE("A process that crashes, fails or says nothing becomes a row, and the others go on", "[sweep]") {
    Folder const folder;
    auto options = folder.options(R"sh(case $policy in
        *=lrr) finish "$(launch a ok 10)"; kill -SEGV $$;;
        *=gto) finish "$(launch a ok 10),$(launch b fault 3)"
            echo 'warning: x' >&2; echo 'error: illegal address: there' >&2; exit 4;;
        *=cggty) echo 'k.ptx:3:1: error: unknown instruction' >&2; exit 3;;
        *) exit 0;; esac)sh");
    options.axes = {sweep::parse_vary("sm.schedulers.policy=lrr,gto,cggty,two_level")};
    options.jobs = 3;
    CHECK(sweep::run(options).failed == 4);
    auto rows = folder.rows();
    REQUIRE(rows["lrr"].size() == 2);
    CHECK(rows["lrr"][0][2] == "ok");
    CHECK(rows["lrr"][1][2] == "crash");
    CHECK(rows["lrr"][1][6] == "the process was ended by signal 11");
    REQUIRE(rows["gto"].size() == 2);
    CHECK(rows["gto"][1] == Fields{"1", "b", "fault", "3", "0.50", "0.25", "illegal address: there"});
    REQUIRE(rows["cggty"].size() == 1);
    CHECK(rows["cggty"][0][2] == "ptx");
    CHECK(rows["cggty"][0][6] == "k.ptx:3:1: error: unknown instruction");
    CHECK(rows["two_level"].at(0)[2] == "error");
}

TEST_CASE("A finished point is run again only when something has changed", "[sweep]") {
    Folder const folder;
    auto options = folder.options(R"sh(finish "$(launch a ok 10)"; case $policy in *=gto) exit 1;; esac)sh");
    CHECK(sweep::run(options).failed == 1);
    CHECK(folder.read("started") == "sm.schedulers.policy=lrr\nsm.schedulers.policy=gto\n");
    sweep::Summary summary = sweep::run(options);
    CHECK(summary.earlier == 2);
    CHECK(summary.failed == 1);
    CHECK(folder.read("started").size() == 50);

    // Values that are new are added, those that are not asked for stay.
    options.axes = {sweep::parse_vary("sm.schedulers.policy=lrr,cggty")};
    CHECK(sweep::run(options).earlier == 1);
    CHECK(folder.rows().size() == 3);

    options.axes = {sweep::parse_vary("sm.schedulers.policy=lrr,gto")};
    options.retries = true;
    folder.write("started", "");
    CHECK(sweep::run(options).earlier == 1);
    CHECK(folder.read("started") == "sm.schedulers.policy=gto\n");
    options.retries = false;

    auto const is_run_again = [&](sweep::Options const& changed) {
        folder.write("started", "");
        sweep::Summary const now = sweep::run(changed);
        CHECK(folder.rows().size() == 3);
        return now.outdated == 2 && now.earlier == 0 && folder.read("started").size() == 50;
    };
    options.build = "2";
    CHECK(is_run_again(options));
    options.overrides = {"memory.bounds=page"};
    CHECK(is_run_again(options));
    options.others = {"--max-instructions", "100"};
    CHECK(is_run_again(options));
    folder.write("plan.json", std::string(plan) + "\n");
    CHECK(is_run_again(options));
    folder.write("k.ptx", std::string(kernel) + "\n");
    CHECK(is_run_again(options));
    folder.write("started", "");
    CHECK(sweep::run(options).earlier == 2);
    CHECK(folder.read("started").empty());
}

TEST_CASE("A configuration that contradicts itself is a row, a key that is none stops everything", "[sweep]") {
    Folder const folder;
    auto options = folder.options(R"sh(finish "$(launch a ok 10)")sh");
    options.axes = {sweep::parse_vary("sm.max_warps=32,64"), sweep::parse_vary("sm.max_threads=2048")};
    CHECK(sweep::run(options).failed == 1);
    auto rows = folder.rows();
    CHECK(rows["64"].at(0).at(3) == "ok");
    CHECK(rows["32"].at(0).at(3) == "invalid");

    for (auto const& [vary, message] :
         std::map<std::string, std::string>{{"l2.size_kb=1", "did you mean 'size_kib'?"},
                                            {"l2.size_kib=2048,big", "big"},
                                            {"sm.schedulers.policy=lrr,ggto", "ggto"},
                                            {"config=h100,a1000", "a1000"}}) {
        options.axes = {sweep::parse_vary(vary)};
        options.out = folder / "others.csv";
        CHECK_THROWS_WITH(sweep::run(options), Contains(message));
    }
    CHECK(!std::filesystem::exists(folder / "others.csv"));
    options.axes = {sweep::parse_vary("config=h100,v100")};
    options.columns = {"cycle"};
    CHECK_THROWS_WITH(sweep::run(options), Contains("did you mean 'cycles'?"));
    options.columns = {"units.alu.micro_ops"};
    CHECK(sweep::run(options).failed == 0);
}

TEST_CASE("Processes take no more memory than they may", "[sweep]") {
    Folder const folder;
    // A variable of the shell's is 64 MiB long.
    auto options = folder.options(R"sh(case $policy in
        *=gto) x=$(head -c 67108864 /dev/zero | tr '\0' x); sleep 60;; esac
        finish "$(launch a ok 10)")sh");
    options.memory_bytes = 32 << 20;
    options.jobs = 2;
    CHECK(sweep::run(options).failed == 1);
    auto rows = folder.rows();
    CHECK(rows["lrr"].at(0)[2] == "ok");
    CHECK(rows["gto"].at(0)[2] == "memory");
    CHECK_THAT(rows["gto"].at(0)[6], Contains("32 MiB"));
}

TEST_CASE("A folder stands for the plans in it", "[sweep]") {
    test::TemporaryFolder const folder;
    std::string const second = folder.write("all/0001-b/plan.json", plan);
    std::string const first = folder.write("all/0000-a/plan.json", plan);
    folder.write("all/notes.txt", "");
    CHECK(sweep::plans_at(folder / "all") == std::vector<std::string>{first, second});
    CHECK(sweep::plans_at(folder / "all/0001-b") == std::vector<std::string>{second});
    CHECK(sweep::plans_at("x.json") == std::vector<std::string>{"x.json"});
    folder.write("empty/notes.txt", "");
    CHECK_THROWS_WITH(sweep::plans_at(folder / "empty"), Contains("there is no plan.json"));
}

TEST_CASE("The time left follows from points of the same plan", "[sweep]") {
    sweep::Progress progress(6, 2, false);
    for (char const* const plan_name : {"long", "long", "short", "short", "short", "new"})
        progress.expect(plan_name);
    CHECK(progress.seconds_left(0) < 0);
    CHECK(progress.text(2, 0) == "0 of 6 points, 2 running");
    progress.ended("long", 7000, false);
    progress.ended("short", 100, true);
    // A long one, two short ones and one of unknown length, of which 50 seconds are done, by two at a time.
    CHECK(progress.seconds_left(50) == Approx((7000 + 200 + 3550 - 50) / 2.0));
    CHECK(progress.text(2, 50) == "2 of 6 points, 1 failed, 2 running, 1:29:10 left");
}

}  // namespace sweep_test
