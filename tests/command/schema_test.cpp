// `warpsim schema`: real files are valid by the published schemas, and damaged ones are not. python3-jsonschema judges.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace published_schema_test {

using namespace warpsim;
using nlohmann::json;
using test::contains;
using test::Ended;

namespace {

std::string const source = WARPSIM_SOURCE_DIR "/";

/// Validates each FILE by SCHEMA.json, and prints what is wrong, a line for each file. Comments of plans are taken out.
char const* const judge = R"(
import json, re, sys
from jsonschema import Draft202012Validator
def read(path):
    text = open(path).read()
    comment = r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/'
    return json.loads(re.sub(comment, lambda m: m.group(1) or '', text, flags=re.S))
for argument in sys.argv[1:]:
    schema, path = argument.split('=', 1)
    schema = read(schema + '.json')
    Draft202012Validator.check_schema(schema)
    for error in Draft202012Validator(schema).iter_errors(read(path)):
        print(path, [str(p) for p in error.absolute_path], error.message[:300])
)";

std::string python_with_jsonschema() {
    for (char const* const python : {"python3", "/usr/bin/python3"})
        if (std::system(
                (std::string(python) + " -c 'from jsonschema import Draft202012Validator' 2>/dev/null").c_str()) ==
            0)
            return python;
    return "";
}

class Judge {
public:
    explicit Judge(test::TemporaryFolder const& folder) : folder_(folder), python_(python_with_jsonschema()) {
        folder.write("judge.py", judge);
        for (char const* const name : {"stats", "plan", "profile", "check", "config"}) {
            Ended const printed = test::run_command(folder, std::string("schema ") + name);
            REQUIRE(printed.status == 0);
            folder.write(std::string(name) + ".json", printed.out);
            CHECK(json::parse(printed.out).at("$schema") == "https://json-schema.org/draft/2020-12/schema");
        }
    }
    bool is_there() const { return !python_.empty(); }
    /// What is wrong with "SCHEMA=FILE ...", in lines.
    std::string wrong(std::string const& files) const {
        std::string const line =
            "cd " + (folder_ / "") + " && " + python_ + " judge.py " + files + " >judged.txt 2>&1";
        int const status = std::system(line.c_str());
        return folder_.read("judged.txt") + (status == 0 ? "" : "the judge failed");
    }

private:
    test::TemporaryFolder const& folder_;
    std::string python_;
};

}  // namespace

TEST_CASE("Published schemas describe the files that there are", "[command]") {
    test::TemporaryFolder const folder;
    Judge const judge(folder);
    if (!judge.is_there()) {
        WARN("skipped: no python3-jsonschema");
        return;
    }
    std::string plans;
    for (std::string const place : {"examples", "tests/kernels/plans"})
        for (auto const& entry : std::filesystem::recursive_directory_iterator(source + place))
            if (entry.path().extension() == ".json") plans += " plan=" + entry.path().string();
    CHECK(judge.wrong(plans).empty());

    std::string const timing = "run " + source + "tests/kernels/plans/bitonic.json --mode timing --out . -q ";
    CHECK(test::run_command(folder, timing + "--interval 500 --stats timed.json --profile p.json").status == 0);
    std::string const race = "run " + source + "examples/race/plan.json --check -q --check-report c.json ";
    CHECK(test::run_command(folder, race + "--stats functional.json").status == 1);
    std::string const bounds = "run " + source + "examples/bounds/kernel.ptx --block 64 --arg 'u32[40]=zero' ";
    CHECK(test::run_command(folder, bounds + "--stats fault.json --mode timing").status == 4);
    CHECK(judge.wrong("stats=timed.json stats=functional.json stats=fault.json profile=p.json check=c.json")
              .empty());
    Ended const shown = test::run_command(folder, "config show v100 --set sm.schedulers.policy=lrr");
    folder.write("v100.json", shown.out);
    CHECK(judge.wrong("config=v100.json").empty());

    // A schema that allows everything would have passed, too.
    json stats = json::parse(folder.read("timed.json"));
    stats["launches"][0]["l1"]["hits"] = 1;
    folder.write("more.json", stats.dump());
    CHECK(contains(judge.wrong("stats=more.json"), "hits"));
    stats = json::parse(folder.read("timed.json"));
    stats["launches"][0]["instructions"]["warp"] = -1;
    folder.write("less.json", stats.dump());
    CHECK(contains(judge.wrong("stats=less.json"), "-1"));
    folder.write("plan_wrong.json", R"({"module": "a.ptx", "launches": [{"kernel": "k", "blocks": [1]}]})");
    CHECK(contains(judge.wrong("plan=plan_wrong.json"), "blocks"));
    json report = json::parse(folder.read("c.json"));
    report["findings"][0].erase("message");
    folder.write("report_wrong.json", report.dump());
    CHECK(contains(judge.wrong("check=report_wrong.json"), "message"));
}

TEST_CASE("An unknown schema is refused with the nearest name", "[command]") {
    test::TemporaryFolder const folder;
    Ended const ended = test::run_command(folder, "schema plans");
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, "did you mean 'plan'?"));
}

}  // namespace published_schema_test
