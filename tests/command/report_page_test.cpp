// --report, --timeline and `warpsim report`: the files, and that a browser draws the page.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace report_page_test {

using namespace warpsim;
using nlohmann::json;
using test::contains;
using test::Ended;

namespace {

std::string const examples = WARPSIM_SOURCE_DIR "/examples/";

/// The data in a page.
json data_of(std::string const& page) {
    std::string const begin = "id=\"data\">";
    std::size_t const at = page.find(begin) + begin.size();
    return json::parse(page.substr(at, page.find("</script>", at) - at));
}

bool has_browser() { return std::system("command -v chromium >/dev/null 2>&1") == 0; }

/// The elements that a browser makes of a page, and in `console` what it complains of.
std::string drawn(test::TemporaryFolder const& folder, std::string const& page, std::string& console) {
    std::string const line =
        "cd " + (folder / "") +
        " && timeout 100 chromium --headless=new --no-sandbox --disable-gpu --enable-logging=stderr "
        "--user-data-dir=profile --window-size=1280,30000 --virtual-time-budget=5000 --dump-dom file://" +
        (folder / page) + " >dom.html 2>log.txt";
    CHECK(std::system(line.c_str()) == 0);
    std::string const log = folder.read("log.txt");
    for (std::size_t at = 0; at < log.size();) {
        std::size_t const end = std::min(log.find('\n', at), log.size());
        std::string const one = log.substr(at, end - at);
        if (contains(one, "CONSOLE")) console += one + "\n";
        at = end + 1;
    }
    return folder.read("dom.html");
}

}  // namespace

TEST_CASE("run --report writes a page, and warpsim report another of the files", "[report]") {
    test::TemporaryFolder const folder;
    Ended const ended =
        test::run_command(folder, "run " + examples +
                                      "coalescing/plan.json --mode timing --config v100 "
                                      "--report page.html --stats s.json --profile p.json --timeline t.json.gz");
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    json const page = data_of(folder.read("page.html"));
    json const stats = json::parse(folder.read("s.json"));
    REQUIRE(page[0]["stats"]["launches"].size() == 2);
    CHECK(page[0]["title"] == "coalescing");
    CHECK(page[0]["stats"]["launches"][1]["cycles"] == stats["launches"][1]["cycles"]);
    CHECK(!stats["launches"][1].contains("intervals"));  // that only the page and the timeline have asked for
    CHECK(page[0]["stats"]["launches"][1].contains("intervals"));
    REQUIRE(!page[0]["hints"][1].empty());
    CHECK(contains(page[0]["hints"][1][0]["evidence"], "kernel.cu:20 touches 32.0 sectors"));
    CHECK(contains(page[0]["texts"]["kernel.cu"], "__global__"));
    CHECK(!page[0]["warps"]["rows"].empty());
    CHECK(!page[0]["steps"]["0"]["ctas"][0]["steps"].empty());
    Ended const again = test::run_command(
        folder, "report s.json s.json --profile p.json --profile p.json --timeline t.json.gz -o two.html");
    INFO(again.err);
    REQUIRE(again.status == 0);
    json const two = data_of(folder.read("two.html"));
    REQUIRE(two.size() == 2);
    CHECK(two[0]["lines"][1]["lines"] == page[0]["lines"][1]["lines"]);
    CHECK(two[0]["warps"]["rows"].size() == page[0]["warps"]["rows"].size());
    CHECK(two[0]["hints"] == page[0]["hints"]);
    CHECK(two[1]["warps"].is_null());

    folder.write("wrong.json", "{\"schema\": \"warpsim-check/1\"}");
    for (auto const& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
             {"report nothing.json -o x.html", "cannot read 'nothing.json'"},
             {"report wrong.json -o x.html", "wrong.json: the schema is not \"warpsim-stats/1\""},
             {"report s.json --profile s.json -o x.html", "s.json: the schema is not \"warpsim-profile/1\""},
             {"report s.json -o /nonexistent/x.html", "cannot write the report to '/nonexistent/x.html'"},
             {"run --report /nonexistent/x.html " + examples + "hello/plan.json", "cannot write the report to"},
             {"run --timeline /nonexistent/x.json " + examples + "hello/plan.json",
              "cannot write the timeline to"},
             {"report s.json s.json s.json -o x.html", "a report is of one run, or of two"}}) {
        Ended const refused = test::run_command(folder, arguments);
        INFO(arguments << "\n" << refused.err);
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, message));
    }
}

TEST_CASE("A report has the sources that the PTX names by whole paths, as nvcc does, and those of inlined code",
          "[report]") {
    test::TemporaryFolder const folder;
    std::string const there = folder / "";
    folder.write("kernel.cu", "// the kernel\n__global__ void k() {}\n");
    folder.write("math.h", "// what it calls\n");
    folder.write("kernel.ptx", ".version 9.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry k(.param .u64 out)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<2>;\n"
                               "\t.loc 1 2 1\n\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n"
                               "$call:\n\t.loc 2 1 1, function_name $name, inlined_at 1 2 1\n"
                               "\tadd.u32 %r2, %r1, 1;\n\t.loc 1 2 1\n\tst.global.u32 [%rd1], %r2;\n\tret;\n}\n"
                               ".file 1 \"" +
                                   there + "kernel.cu\"\n.file 2 \"" + there +
                                   "math.h\"\n"
                                   ".section .debug_str\n{\n$name:\n.b8 102\n.b8 0\n}\n");
    test::TemporaryFolder const elsewhere;
    std::string const run = "run " + (folder / "kernel.ptx") + " --block 32 --arg 'u32[1]=zero' --mode timing ";
    Ended const ended = test::run_command(elsewhere, run + "--report page.html --stats s.json --profile p.json");
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    REQUIRE(test::run_command(elsewhere, "report s.json --profile p.json -o again.html").status == 0);
    for (char const* const file : {"page.html", "again.html"}) {
        INFO(file);
        json const texts = data_of(elsewhere.read(file))[0]["texts"];
        REQUIRE(texts.contains(there + "kernel.cu"));
        CHECK(contains(texts[there + "kernel.cu"], "// the kernel"));
        REQUIRE(texts.contains(there + "math.h"));
        CHECK(contains(texts[there + "math.h"], "// what it calls"));
    }
}

TEST_CASE("A browser draws a run that a fault has ended, with what was counted until then", "[report]") {
    if (!has_browser()) {
        WARN("skipped: there is no chromium");
        return;
    }
    test::TemporaryFolder const folder;
    std::string const bounds = "run " + examples + "bounds/kernel.ptx --block 64 --arg 'u32[40]=zero' --report ";
    for (char const* const mode : {"functional", "timing"}) {
        INFO(mode);
        CHECK(test::run_command(folder, bounds + "page.html --mode " + mode).status == 4);
        std::string console;
        std::string const page = drawn(folder, "page.html", console);
        CHECK(console.empty());
        CHECK(contains(page, "illegal address: 4-byte store to global"));
        CHECK(contains(page, "block (0,0,0), thread (40,0,0), warp 1 lane 8"));
        CHECK(contains(page,
                       "<b>A fault has ended this launch.</b> The figures are of what had happened until then."));
        CHECK(contains(page, "warp instructions"));
    }
}

TEST_CASE("A browser draws all parts of a report without a complaint", "[report]") {
    if (!has_browser()) {
        WARN("skipped: there is no chromium");
        return;
    }
    test::TemporaryFolder const folder;
    REQUIRE(
        test::run_command(folder, "run " + examples +
                                      "bank_conflicts/plan.json --mode timing --report page.html --stats s.json")
            .status == 0);
    std::string console;
    std::string const dom = drawn(folder, "page.html", console);
    CHECK(console.empty());
    CHECK(contains(dom, "data-ready"));
    for (char const* const part :
         {"Hints", "What ran", "Speed of light", "What warps did", "Occupancy", "Instructions", "Energy", "Memory",
          "Accesses by line", "Divergence", "Source and PTX", "Over time", "Warps over time", "Step by step"}) {
        INFO(part);
        CHECK(contains(dom, "data-part=\"" + std::string(part) + "\""));
    }
    CHECK(contains(dom, "data-rule=\"bank conflicts\""));
    CHECK(contains(dom, "data-registers="));
    CHECK(!contains(dom, "[object"));
    REQUIRE(test::run_command(folder, "report s.json s.json -o two.html").status == 0);
    std::string const two = drawn(folder, "two.html", console);
    CHECK(console.empty());
    CHECK(contains(two, "id=\"comparison\""));
}

#ifndef WARPSIM_SANITIZED  // whose runtime must be loaded before all others

TEST_CASE("exec --timeline has the calls and kernels of a program", "[command]") {
    test::TemporaryFolder const folder;
    for (std::string const mode : {"functional", "timing"}) {
        Ended const ended = test::run_command(
            folder, "exec --mode " + mode + " --timeline t.json -- " WARPSIM_BINARY_DIR "/bin/cuda-program count");
        INFO(ended.err);
        REQUIRE(ended.status == 0);
        json const file = json::parse(folder.read("t.json"));
        CHECK(file["otherData"]["mode"] == mode);
        std::size_t kernels = 0, launches = 0;
        std::map<std::string, std::string> tails;  // of arrows: the functions called
        for (json const& e : file["traceEvents"])
            if (e.contains("flow_out")) tails[e["bind_id"]] = e["name"];
        for (json const& e : file["traceEvents"]) {
            std::string const category = e.value("cat", ""), name = e["name"];
            kernels += category == "kernel";
            if (category == "kernel") {
                REQUIRE(e.contains("flow_in"));
                CHECK(tails[e["bind_id"]] == "cudaLaunchKernel");
            }
            if (category == "copy") CHECK(contains(tails[e.value("bind_id", "")], "cudaMem"));
            launches += category == "call" && name == "cudaLaunchKernel";
        }
        CHECK(kernels > 0);
        CHECK(launches == kernels);
    }
}

#endif

}  // namespace report_page_test
