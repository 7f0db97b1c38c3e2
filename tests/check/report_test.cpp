// Findings in words and in files; which of them a user does not want to hear of.
#include "runtime/check/checkers.hpp"
#include "runtime/check/findings/report.hpp"
#include "runtime/check/findings/suppressions.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

namespace report_test {

using namespace warpsim;
using namespace warpsim::check;

namespace {

Finding race() {
    Finding finding;
    finding.kind = Kind::race;
    finding.what = "read after write";
    finding.message = "read after write of 4 bytes at shared 0x10 <&>";
    finding.kernel = "_Z7reversePi";
    finding.launch = 2;
    finding.count = 60;
    finding.space = "shared";
    finding.address = 16;
    finding.bytes = 4;
    finding.act =
        Act{"read", {{0, 0, 0}}, {{3, 1, 0}}, {}, {"a.ptx", 41, "ld.shared.u32 %r1, [%r2];"}, {"a.cu", 7, ""}, ""};
    finding.other = Act{"had written it", {{0, 0, 0}}, {{9, 0, 0}}, "7", {"a.ptx", 30, "st"}, {"a.cu", 5, ""}, ""};
    finding.notes = {"other threads had read it, too"};
    return finding;
}

Run const run{"app -n 3", {Kind::memory, Kind::race}, 12, 3, 0};

}  // namespace

TEST_CASE("A finding in words names both threads with their lines, and how to silence it") {
    CHECK(to_text(race()) == "========= race: read after write of 4 bytes at shared 0x10 <&>  (60 times)\n"
                             "=========   kernel reverse(int*), launch 2\n"
                             "=========   block (0,0,0), thread (3,1,0) read at a.cu:7\n"
                             "=========     a.ptx:41:  ld.shared.u32 %r1, [%r2];\n"
                             "=========   block (0,0,0), thread (9,0,0) had written it 7 at a.cu:5\n"
                             "=========     a.ptx:30:  st\n"
                             "=========   other threads had read it, too\n"
                             "=========   to silence it: race; read after write; reverse(int*); a.cu:7\n");
    CHECK(summary_text(run, {}) == "========= 0 findings in 12 launches of 3 kernels; checked: memory, race\n");
    CHECK(summary_text({"", {Kind::sync}, 1, 1, 4}, {race()}) ==
          "========= 1 finding (60 times) in 1 launch of 1 kernel, 4 suppressed; checked: sync\n");
}

TEST_CASE("Of a kernel that has not been launched a finding says no launch") {
    Finding finding = race();
    finding.launch.reset();
    CHECK(to_text(finding).find("=========   kernel reverse(int*)\n") != std::string::npos);
    CHECK_FALSE(nlohmann::json::parse(to_json(run, {finding}))["findings"][0].contains("launch"));
}

TEST_CASE("A very long name of a kernel is short in words, whole in JSON, and its suppression fits it") {
    std::string parts = "29a_box_with_a_rather_long_nameIiE";
    for (int i = 0; i < 70; ++i) parts += "S1_";  // the same again
    Finding finding = race();
    finding.kernel = "_Z3sumI" + parts + "EvPi";
    std::string const text = to_text(finding);
    std::string const name = nlohmann::json::parse(to_json(run, {finding}))["findings"][0]["demangled"];
    CHECK(name.size() > 2000);
    CHECK(name.starts_with("void sum<a_box_with_a_rather_long_name<int>, a_box"));
    CHECK(text.find("kernel void sum<...>(...), launch 2\n") != std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() < 240);
    std::string const entry = Suppressions::entry_for(finding);
    CHECK(Suppressions::parse("s", entry).match(finding));
    finding.kernel = "_Z3addI" + parts + "EvPi";
    CHECK_FALSE(Suppressions::parse("s", entry).match(finding));
    // Of some nobody knows how to read them.
    finding.kernel = "_Z3sumI" + std::string(3000, 'x');
    std::string const odd = Suppressions::entry_for(finding);
    CHECK(odd.size() < 240);
    CHECK(Suppressions::parse("s", odd).match(finding));
}

TEST_CASE("Names are abbreviated from the innermost brackets on, and in the middle if that is not enough") {
    CHECK(sim::abbreviated("void f<a<b>, c>(int*)", 30) == "void f<a<b>, c>(int*)");
    CHECK(sim::abbreviated("void f<a<long>, c>(int*)", 23) == "void f<a<...>, c>(int*)");
    CHECK(sim::abbreviated("void f<a<long>, c>(int*)", 20) == "void f<...>(...)");
    CHECK(sim::abbreviated("void f<a<long>, c>(int*)", 20, "*") == "void f<*>(*)");
    CHECK(sim::abbreviated("x::operator<<(std::vector<int>, long)", 30) == "x::operator<<(...)");
    CHECK(sim::abbreviated("x::operator()(std::vector<int>, long)", 30) == "x::operator()(...)");
    CHECK(sim::abbreviated("(anonymous namespace)::f(int, int)", 30) == "(anonymous namespace)::f(...)");
    CHECK(sim::abbreviated("f(decltype(a->b), long, int)", 20) == "f(...)");
    CHECK(sim::abbreviated("a > b and much more than fits here", 16) == "a > b and...here");
}

TEST_CASE("The suppression of a kernel with a lambda, or at a file with odd characters, fits it") {
    Finding finding = race();
    finding.kernel = "_Z4eachIZ4mainEUliE_EvT_";
    CHECK(to_text(finding).find("{lambda(int)#1}") != std::string::npos);
    finding.act->source.file = "a; b #1.cu";
    Suppressions const entry = Suppressions::parse("s", Suppressions::entry_for(finding) + "  # known");
    CHECK(entry.match(finding));
    finding.act->source.number = 8;
    CHECK_FALSE(entry.match(finding));
}

TEST_CASE("The report as JSON has every key of a finding") {
    auto const json = nlohmann::json::parse(to_json(run, {race()}));
    CHECK(json["schema"] == "warpsim-check/1");
    CHECK(json["command"] == "app -n 3");
    CHECK(json["checked"] == nlohmann::json({"memory", "race"}));
    CHECK(json["launches"] == 12);
    CHECK(json["kernels"] == 3);
    CHECK(json["summary"] == nlohmann::json({{"memory", 0}, {"race", 1}}));
    REQUIRE(json["findings"].size() == 1);
    auto const& finding = json["findings"][0];
    CHECK(finding["kind"] == "race");
    CHECK(finding["what"] == "read after write");
    CHECK(finding["kernel"] == "_Z7reversePi");
    CHECK(finding["demangled"] == "reverse(int*)");
    CHECK(finding["launch"] == 2);
    CHECK(finding["count"] == 60);
    CHECK(finding["space"] == "shared");
    CHECK(finding["address"] == 16);
    CHECK(finding["bytes"] == 4);
    CHECK(finding["block"] == nlohmann::json({0, 0, 0}));
    CHECK(finding["thread"] == nlohmann::json({3, 1, 0}));
    CHECK(finding["source"] == nlohmann::json({{"file", "a.cu"}, {"line", 7}}));
    CHECK(finding["ptx"]["text"] == "ld.shared.u32 %r1, [%r2];");
    CHECK(finding["other"]["thread"] == nlohmann::json({9, 0, 0}));
    CHECK(finding["other"]["source"]["line"] == 5);
    CHECK(nlohmann::json::parse(to_json(run, {}))["findings"].is_array());
}

TEST_CASE("The report as SARIF points to both lines of the source") {
    auto const json = nlohmann::json::parse(to_sarif(run, {race()}));
    CHECK(json["version"] == "2.1.0");
    auto const& result = json["runs"][0]["results"][0];
    CHECK(result["ruleId"] == "race");
    CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.cu");
    CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 7);
    CHECK(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 5);
    CHECK(json["runs"][0]["tool"]["driver"]["rules"].size() == 2);
}

TEST_CASE("Places in SARIF are legal whatever the files are called and whether a line is known") {
    Finding odd = race();
    odd.act->source = {"/src/a b/50%#[x].cu", 0, ""};
    odd.other->source = {};
    odd.other->ptx = {"<embedded>\\\xc3\xa4.ptx", 3, "st"};
    odd.is_benign = true;
    Finding host;
    host.kind = Kind::leak;
    host.message = "100 bytes left";
    auto const json = nlohmann::json::parse(to_sarif(run, {odd, host}));
    auto const& results = json["runs"][0]["results"];
    CHECK(results[0]["level"] == "warning");
    auto const& act = results[0]["locations"][0];
    CHECK(act["physicalLocation"]["artifactLocation"]["uri"] == "file:///src/a%20b/50%25%23%5Bx%5D.cu");
    CHECK_FALSE(act["physicalLocation"].contains("region"));
    CHECK(act["logicalLocations"][0]["decoratedName"] == "_Z7reversePi");
    CHECK(act["logicalLocations"][0]["fullyQualifiedName"] == "reverse(int*)");
    auto const& other = results[0]["relatedLocations"][0]["physicalLocation"];
    CHECK(other["artifactLocation"]["uri"] == "%3Cembedded%3E%5C%C3%A4.ptx");
    CHECK(other["region"]["startLine"] == 3);
    CHECK_FALSE(results[1].contains("locations"));
}

TEST_CASE("The report as JUnit has a test for each checker") {
    std::string const xml = to_junit(run, {race()});
    CHECK(xml.find("<testsuites tests=\"2\" failures=\"1\" skipped=\"0\">") != std::string::npos);
    CHECK(xml.find("<testcase classname=\"warpsim.check\" name=\"memory\"/>") != std::string::npos);
    CHECK(xml.find("0x10 &lt;&amp;&gt;") != std::string::npos);
    CHECK(xml.find("<&>") == std::string::npos);
}

TEST_CASE("Suppressions silence what they name") {
    Finding const finding = race();
    auto const matches = [&](std::string const& text) { return Suppressions::parse("s", text).match(finding); };
    CHECK(matches(Suppressions::entry_for(finding)));
    CHECK(matches("race\n"));
    CHECK(matches("# known\n\nrace; * write; reverse(*; a.cu:*  # why\n"));
    CHECK(matches("*; *; _Z7reversePi"));
    CHECK_FALSE(matches(""));
    CHECK_FALSE(matches("memory"));
    CHECK_FALSE(matches("race; write after read"));
    CHECK_FALSE(matches("race; *; forward*"));
    CHECK_FALSE(matches("race; *; *; a.cu:70"));
    CHECK_THROWS_WITH(Suppressions::parse("s.txt", "race\nraces"),
                      Catch::Contains("s.txt:2: 'races' is no checker"));
    CHECK_THROWS_WITH(Suppressions::parse("s.txt", "race;a;b;c;d"), Catch::Contains("s.txt:1: too many parts"));
    CHECK_THROWS_AS(Suppressions::read("/nonexistent"), Error);
}

TEST_CASE("Findings that are alike are one with a count, and suppressed ones are counted apart") {
    Findings findings(Suppressions::parse("s", "memory"));
    int module = 0, described = 0;
    findings.launch_begins("k");
    auto const describe = [&] {
        ++described;
        return race();
    };
    for (int i = 0; i < 5; ++i) findings.add({Kind::race, 1, &module, 1, 2, 3, 4}, describe);
    findings.add({Kind::race, 1, &module, 1, 9, 3, 4}, describe, 10);  // another instruction of the same lines
    findings.add({Kind::memory, 1, &module, 1, 2, 0, 0}, describe);
    CHECK(described == 3);
    auto const all = findings.all();
    REQUIRE(all.size() == 1);
    CHECK(all[0].count == 15);
    CHECK(all[0].launch == 0);
    CHECK(findings.suppressed() == 1);
    CHECK(findings.take_new().size() == 1);
    // In the next launch the same numbers may stand for the code of another module at the same address.
    findings.launch_begins("k");
    findings.add({Kind::race, 1, &module, 1, 2, 3, 4}, [] {
        Finding other = race();
        other.act->source.number = 70;
        return other;
    });
    CHECK(findings.all().size() == 2);
    CHECK(findings.all()[0].count == 15);
    CHECK(findings.take_new().size() == 1);
    CHECK(findings.take_new().empty());
}

TEST_CASE("The checkers of a list") {
    CHECK(parse_kinds("").empty());
    CHECK(parse_kinds("race,memory") == std::vector<Kind>{Kind::memory, Kind::race});
    CHECK(parse_kinds("all").size() == kinds.size());
    CHECK(kind_of_tool("memcheck") == Kind::memory);
    CHECK_THROWS_WITH(parse_kinds("memory,races"), Catch::Contains("there is no checker 'races'"));
    CHECK_THROWS_WITH(kind_of_tool("leakcheck"), Catch::Contains("memcheck"));
}

}  // namespace report_test
