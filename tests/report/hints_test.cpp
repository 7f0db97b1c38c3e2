// Each hint of a report: with a kernel that has the fault, and with one like it that has not.
#include "runtime/lines/line_counts.hpp"
#include "runtime/report/hints.hpp"
#include "runtime/report/report.hpp"
#include "runtime/statistics/statistics.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace hints_test {

using namespace warpsim;
using nlohmann::ordered_json;

namespace {

struct Kernel {
    std::string body;
    test::Threads threads = {};
    std::string before = {}, directives = {};
};

struct Case {
    std::string rule;
    Kernel bad, good;
    std::string evidence;  // that the first has
    bool is_timed = false;
};

std::map<std::string, ordered_json> hints(Kernel const& kernel, bool is_timed) {
    sim::Config const config = sim::load_config("h100");
    auto const counts = std::make_shared<lines::LineCounts>(sim::Banks{}, false);
    runtime::DeviceOptions options;
    options.mode = is_timed ? runtime::Mode::timing : runtime::Mode::functional;
    options.memory_statistics = true;
    options.profile = is_timed;
    options.sinks.push_back(counts);
    options.part_sinks.push_back(counts);
    runtime::Device device(config, options);
    auto const module = device.load_text("test.ptx", test::kernel(kernel.body, kernel.before, kernel.directives));
    runtime::LaunchShape shape;
    shape.grid = kernel.threads.grid;
    shape.block = kernel.threads.block;
    shape.dynamic_shared = kernel.threads.dynamic_shared;
    auto const memory = device.allocate(std::uint64_t{64} << 20);
    sim::LaunchStatistics const launch =
        device.launch(*module, "k", shape, runtime::Arguments::of(memory, memory));
    std::vector<sim::LineProfile> const lines =
        counts->take(launch.number, is_timed ? launch.timing->profile : std::vector<sim::LineProfile>());
    std::map<std::string, ordered_json> found;
    for (ordered_json const& hint :
         report::hints_of(ordered_json::parse(statistics::to_json(launch)),
                          ordered_json::parse("{" + statistics::lines_to_json(lines) + "}"),
                          ordered_json::parse(report::peaks_of(config))))
        found[hint["rule"]] = hint;
    return found;
}

std::string repeated(std::string const& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

/// `count` registers that are all alive at once.
std::string many_values(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "ld.volatile.global.u32 %v" + std::to_string(i) + ", [%o4+" + std::to_string(4 * i) + "];\n";
    text += "bar.sync 0;\nmov.u32 %r1, 0;\n";
    // The second time all are needed again.
    for (int time = 0; time < 2; ++time)
        for (int i = 0; i < count; ++i) text += "mad.lo.u32 %r1, %r1, 3, %v" + std::to_string(i) + ";\n";
    return ".reg .b32 %v<" + std::to_string(count) + ">;\n" + text + "st.global.u32 [%o4], %r1;\n";
}

test::Threads grid(std::uint32_t ctas, std::uint32_t threads = 32) { return {{threads, 1, 1}, {ctas, 1, 1}, 0}; }

std::vector<Case> cases() {
    std::string const far = "mul.wide.u32 %d1, %i, 128;\nadd.u64 %d1, %d1, %out;\nld.global.u32 %r1, [%d1];\n";
    std::string const near = "ld.global.u32 %r1, [%o4];\n";
    std::string const shared = ".shared .align 4 .b8 s[4096];\n";
    auto const in_shared = [](int shift) {
        return "mov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, " + std::to_string(shift) +
               ";\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%r1], %r2;\n";
    };
    auto const branch_on = [](std::string const& what) {
        return "mov.u32 %r1, " + what + ";\nand.b32 %r1, %r1, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra EVEN;\n" +
               repeated("st.global.u32 [%o4], %r1;\n", 20) + "bra DONE;\nEVEN:\n" +
               repeated("st.global.u32 [%o8], %r1;\n", 20) + "DONE:\n";
    };
    std::string const stream = "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2];\nadd.u64 %d2, %d2, 4194304;\n"
                               "add.u32 %r5, %r5, %r1;\n";
    std::string const chain =
        "ld.volatile.global.u32 %r1, [%d2];\ncvt.u64.u32 %d3, %r1;\nadd.u64 %d2, %d2, %d3;\n";
    std::string const late = "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra WAIT;\n" +
                             repeated("ld.volatile.global.u32 %r2, [%o4];\nadd.u32 %r3, %r3, %r2;\n", 8) +
                             "WAIT:\n";
    std::string roots;
    for (int i = 0; i < 40; ++i)
        roots += "ex2.approx.f32 %f" + std::to_string(i % 8) + ", %f" + std::to_string(i % 8) + ";\n";
    test::Threads much_shared = grid(264, 64);
    much_shared.dynamic_shared = 32000;
    return {
        {"scattered accesses", {far, grid(8)}, {near, grid(8)}, "32.0 sectors"},
        {"bank conflicts", {in_shared(7), grid(4), shared}, {in_shared(2), grid(4), shared}, "31.0 passes"},
        {"divergence", {branch_on("%tid.x"), grid(4)}, {branch_on("%ctaid.x"), grid(4)}, "test.ptx:"},
        {"partial warps", {near, grid(2, 40)}, {near, grid(2, 64)}, "24 lanes"},
        {"atomics on one address",
         {"red.global.add.u32 [%out], 1;\n", grid(4)},
         {"red.global.add.u32 [%o4], 1;\n", grid(4)},
         "32.0 lanes"},
        {"few blocks", {near, grid(100)}, {near, grid(132)}, "32 of 132 SMs"},
        {"low occupancy", {near, much_shared}, {near, grid(264, 64)}, "shared memory", true},
        {"spills",
         {many_values(60), grid(2, 64), {}, ".maxnreg 24\n"},
         {many_values(60), grid(2, 64)},
         "do not fit",
         true},
        {"memory bandwidth",
         {"mul.wide.u32 %d2, %i, 16;\nadd.u64 %d2, %d2, %out;\n" + repeated(stream, 8), grid(1024, 256)},
         {near, grid(132)},
         "GB/s",
         true},
        {"memory latency",
         {"mov.u64 %d2, %o4;\n" + repeated(chain, 20), grid(1)},
         {repeated("mad.lo.u32 %r1, %r1, 3, %r2;\n", 200), grid(1)},
         "test.ptx:",
         true},
        {"barriers",
         {late + "bar.sync 0;\nst.global.u32 [%o4], %r3;\n", grid(4, 256)},
         {late + "st.global.u32 [%o4], %r3;\n", grid(4, 256)},
         "test.ptx:",
         true},
        {"busy unit", {roots + roots, grid(132, 1024)}, {near, grid(132)}, "unit is busy", true},
    };
}

}  // namespace

TEST_CASE("Each hint of a report is given for a kernel that has the fault, and not for one without", "[report]") {
    std::set<std::string> tested;
    for (Case const& c : cases()) {
        INFO(c.rule);
        tested.insert(c.rule);
        auto const bad = hints(c.bad, c.is_timed);
        std::string all;
        for (auto const& [rule, hint] : bad) all += rule + ": " + hint["evidence"].get<std::string>() + "\n";
        INFO(all);
        REQUIRE(bad.contains(c.rule));
        CHECK(test::contains(bad.at(c.rule)["evidence"], c.evidence));
        CHECK(!bad.at(c.rule)["advice"].get<std::string>().empty());
        CHECK(!hints(c.good, c.is_timed).contains(c.rule));
    }
    for (std::string_view const rule : report::rules()) {
        INFO(rule);
        CHECK(tested.contains(std::string(rule)));
    }
}

TEST_CASE("A hint names the line and how far the addresses of neighbours are apart", "[report]") {
    auto const found = hints(
        {"mul.wide.u32 %d1, %i, 128;\nadd.u64 %d1, %d1, %out;\nld.global.u32 %r1, [%d1];\n", grid(8)}, false);
    REQUIRE(found.contains("scattered accesses"));
    ordered_json const& hint = found.at("scattered accesses");
    CHECK(test::contains(hint["evidence"], "addresses are 128 bytes apart (100 % of the requests)"));
    CHECK(test::contains(hint["evidence"], "4.0 would do"));
    CHECK(hint["line"].get<std::string>().starts_with("test.ptx:"));
}

}  // namespace hints_test
