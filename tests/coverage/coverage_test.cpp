// Coverage of kernels whose counts are worked out by hand, by every engine; and files that several processes add to.
#include "runtime/coverage/coverage.hpp"
#include "runtime/coverage/shared_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/temporary_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace coverage_test {

using namespace warpsim;
using coverage::Report;

namespace {

// Of 64 threads, 5 take one way and 59 the other. Line 20 is that of a call, which was inlined: _Z5twicei, whose loop goes
// round three times.
std::string const text = test::kernel(R"(
.loc 1 10 5
setp.lt.u32 %p0, %i, 5;
@!%p0 bra ELSE;
.loc 1 11 9
mov.u32 %r1, 7;
bra.uni END;
ELSE:
.loc 1 13 9
mov.u32 %r1, 9;
END:
.loc 1 20 5
mov.u32 %r2, 0;
.loc 2 3 5, function_name $L__info_string0, inlined_at 1 20 5
mov.u32 %r3, 1;
LOOP:
.loc 2 5 9, function_name $L__info_string0, inlined_at 1 20 5
add.u32 %r2, %r2, %r3;
setp.lt.u32 %p1, %r2, 3;
@%p1 bra LOOP;
.loc 1 21 5
setp.eq.u32 %p2, %i, 1000;
@%p2 st.global.u32 [%o4], %r2;
.loc 1 22 5
st.global.u32 [%o4], %r1;
)",
                                      R"(
.file 1 "a.cu"
.file 2 "twice.h"
.visible .entry never(.param .u64 p) {
.loc 1 40 1
ret;
}
)") + ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,53,116,119,105,99,101,105,0\n}\n";

Report covered(runtime::DeviceOptions options, int launches = 1) {
    test::TemporaryFolder const folder;
    auto const sink = std::make_shared<coverage::Coverage>(folder / "c.json");
    options.sinks.push_back(sink);
    test::Program program(text, "independent", options);
    for (int i = 0; i < launches; ++i)
        static_cast<void>(program.run<std::uint32_t>(64, {{32, 1, 1}, {2, 1, 1}, 0}));
    return sink->report();
}

coverage::File const& file_of(Report const& report, std::string const& name) {
    for (auto const& [key, file] : report.files)
        if (key.name == name) return file;
    FAIL("there is no " << name);
    std::abort();
}

std::string lanes_of(coverage::File const& file) {
    std::string lines;
    for (auto const& [line, count] : file.lines)
        lines +=
            std::to_string(line) + ":" + std::to_string(count.lanes) + "/" + std::to_string(count.warps) + " ";
    return lines;
}

void check_counts(Report const& report, std::uint64_t launches) {
    auto const times = [&](std::uint64_t n) { return std::to_string(n * launches); };
    auto const line = [&](int number, std::uint64_t lanes, std::uint64_t warps) {
        return std::to_string(number) + ":" + times(lanes) + "/" + times(warps) + " ";
    };
    coverage::File const& own = file_of(report, "a.cu");
    CHECK(lanes_of(own) == line(10, 64, 2) + line(11, 5, 1) + line(13, 59, 2) + line(20, 64, 2) + line(21, 64, 2) +
                               line(22, 64, 2) + "40:0/0 ");
    REQUIRE(own.branches.size() == 1);
    coverage::Branch const& branch = own.branches.at({10, 0});
    CHECK(branch.warps == 2 * launches);
    CHECK(branch.divergent == launches);
    CHECK(branch.taken == 59 * launches);
    CHECK(branch.not_taken == 5 * launches);
    CHECK(own.functions.at("k").line == 10);
    CHECK(own.functions.at("k").count.lanes == 64 * launches);
    CHECK(own.functions.at("never").line == 40);
    CHECK(own.functions.at("never").count.lanes == 0);

    coverage::File const& inlined = file_of(report, "twice.h");
    CHECK(lanes_of(inlined) == line(3, 64, 2) + line(5, 192, 6));
    CHECK(inlined.functions.at("_Z5twicei").is_inlined);
    CHECK(inlined.functions.at("_Z5twicei").count.lanes == 64 * launches);
    CHECK(inlined.branches.at({5, 0}).taken == 128 * launches);
    CHECK(inlined.branches.at({5, 0}).not_taken == 64 * launches);
    CHECK(inlined.branches.at({5, 0}).divergent == 0);
}

std::string shell(std::string const& line) {
    std::string out;
    std::FILE* const pipe = popen((line + " 2>&1").c_str(), "r");
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    CHECK(pclose(pipe) == 0);
    return out;
}

}  // namespace

TEST_CASE("Coverage counts lanes of lines, branches and inlined calls, whichever engine executes", "[coverage]") {
    runtime::DeviceOptions options = test::Program::one_thread();
    SECTION("interpreted") {
        options.engine = runtime::Engine::interpreted;
        check_counts(covered(options, 3), 3);
    }
    SECTION("compiled") {
        options.engine = runtime::Engine::compiled;
        check_counts(covered(options, 3), 3);
    }
    SECTION("by several threads") {
        options.threads = 4;
        check_counts(covered(options), 1);
    }
    SECTION("cycle by cycle") {
        options.mode = runtime::Mode::timing;
        check_counts(covered(options, 2), 2);
    }
}

TEST_CASE("Coverage of PTX counts a line whose guard lets nobody through as not executed", "[coverage]") {
    Report const report = covered(test::Program::one_thread());
    coverage::File const& ptx = file_of(report, "test.ptx");
    for (auto const& [line, written] : ptx.texts) {
        INFO(written);
        if (written == "@%p2 st.global.u32 [%o4], %r2;") CHECK(ptx.lines.at(line).lanes == 0);
        if (written == "st.global.u32 [%o4], %r1;") CHECK(ptx.lines.at(line).lanes == 64);
        if (written == "add.u32 %r2, %r2, %r3;") CHECK(ptx.lines.at(line).lanes == 192);
    }
}

TEST_CASE("A launch that is stopped by a fault is covered up to there", "[coverage]") {
    test::TemporaryFolder const folder;
    auto const sink = std::make_shared<coverage::Coverage>(folder / "c.json");
    runtime::DeviceOptions options = test::Program::one_thread();
    options.sinks.push_back(sink);
    options.mode = GENERATE(runtime::Mode::functional, runtime::Mode::timing);
    test::Program program(
        test::kernel(".loc 1 5 1\nst.global.u32 [%o4], %i;\n.loc 1 6 1\ntrap;\n.loc 1 7 1\nmov.u32 "
                     "%r1, 0;\n",
                     ".file 1 \"a.cu\"\n"),
        "independent", options);
    CHECK_FALSE(program.error().empty());
    coverage::File const own = file_of(sink->report(), "a.cu");
    CHECK(own.lines.at(5).lanes == 32);
    CHECK(own.lines.at(7).lanes == 0);
}

TEST_CASE("Launches that are not watched are not covered", "[coverage]") {
    runtime::DeviceOptions options = test::Program::one_thread();
    int asked = 0;
    options.watches = [&](std::string_view kernel) { return kernel == "k" && asked++ == 1; };
    check_counts(covered(options, 3), 1);
}

TEST_CASE("Processes add to one file at the same time, and nothing is lost", "[coverage]") {
    test::TemporaryFolder const folder;
    std::string const path = folder / GENERATE("c.json", "c.info");
    Report report;
    report.runs = 1;
    report.launches = 2;
    coverage::File& file = report.files[{"a.cu", ""}];
    file.lines[3] = {1, 32};
    file.lines[4] = {0, 0};
    file.functions["k"] = {3, false, {1, 32}};
    file.branches[{3, 0}] = {1, 1, 20, 12};
    constexpr int processes = 8, times = 5;
    for (int i = 0; i < processes; ++i) {
        if (fork() != 0) continue;
        for (int n = 0; n < times; ++n) coverage::add_to_file(path, report);
        _exit(0);
    }
    int status = 0;
    for (int i = 0; i < processes; ++i) {
        wait(&status);
        CHECK(status == 0);
    }
    Report const all = coverage::add_to_file(path, {});
    coverage::File const& sum = all.files.at({"a.cu", ""});
    CHECK(sum.lines.at(3).lanes == 32 * processes * times);
    CHECK(sum.lines.at(4).lanes == 0);
    CHECK(sum.functions.at("k").count.lanes == 32 * processes * times);
    CHECK(sum.branches.at({3, 0}).taken == 20 * processes * times);
    CHECK(sum.branches.at({3, 0}).not_taken == 12 * processes * times);
    if (!path.ends_with(".json")) return;
    CHECK(all.runs == processes * times);
    CHECK(all.launches == 2 * processes * times);
    CHECK(sum.branches.at({3, 0}).divergent == processes * times);
}

TEST_CASE("What is no coverage is not overwritten", "[coverage]") {
    test::TemporaryFolder const folder;
    for (char const* const name : {"a.json", "a.info"}) {
        folder.write(name, "int main() {}\n");
        CHECK_THROWS_AS(coverage::Coverage(folder / name), Error);
        CHECK(folder.read(name) == "int main() {}\n");
    }
    CHECK_THROWS_AS(coverage::Coverage("/nonexistent/c.info"), Error);
}

TEST_CASE("lcov and genhtml take the tracefile", "[coverage]") {
    if (std::system("command -v lcov genhtml >/dev/null 2>&1") != 0) return;
    test::TemporaryFolder const folder;
    std::string source;
    for (int i = 1; i <= 45; ++i) source += "// line " + std::to_string(i) + "\n";
    std::string const a = folder.write("a.cu", source), twice = folder.write("twice.h", source);
    Report report = covered(test::Program::one_thread());
    Report placed;
    placed.files[{a, ""}] = file_of(report, "a.cu");
    placed.files[{twice, ""}] = file_of(report, "twice.h");
    coverage::add_to_file(folder / "c.info", placed);
    std::string const branches = " --rc lcov_branch_coverage=1 --rc genhtml_branch_coverage=1 ";
    std::string const summary = shell("lcov" + branches + "--summary " + (folder / "c.info"));
    INFO(summary);
    CHECK(summary.find("88.9% (8 of 9 lines)") != std::string::npos);
    CHECK(summary.find("66.7% (2 of 3 functions)") != std::string::npos);
    CHECK(summary.find("100.0% (4 of 4 branches)") != std::string::npos);
    shell("genhtml" + branches + "-q -o " + (folder / "html") + " " + (folder / "c.info"));
    std::string page =
        shell("cat " + (folder / "html/*/a.cu.gcov.html") + " || cat " + (folder / "html/a.cu.gcov.html"));
    CHECK(page.find("line 11") != std::string::npos);
}

}  // namespace coverage_test
