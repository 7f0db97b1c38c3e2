// What a trace shows of instructions: which of them, and what registers hold in each lane.
#include "runtime/trace_filter.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>

namespace trace_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::vector<std::string> trace(std::string const& body, std::string const& filter, runtime::Mode mode) {
    std::vector<std::string> lines;
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = mode;
    options.trace = [&](std::string_view line) { lines.emplace_back(line); };
    options.trace_filter = filter;
    runtime::Device device(sim::load_config("h100"), options);
    auto const module = device.load_text("test.ptx", kernel(body));
    runtime::LaunchShape shape;
    shape.block = {64, 1, 1};
    device.launch(*module, "k", shape, runtime::Arguments::of(device.allocate(4096), device.allocate(4096)));
    return lines;
}

bool has(std::vector<std::string> const& lines, std::string const& part) {
    return std::any_of(lines.begin(), lines.end(), [&](std::string const& line) { return contains(line, part); });
}

std::string refusal(std::string const& filter) {
    try {
        runtime::TraceFilter::parse(filter);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("A trace shows what registers hold before and after an instruction", "[runtime][trace]") {
    std::string const body = R"(
        mad.lo.s32 %r1, %i, -2, 1; setp.lt.u32 %p1, %i, 2; mov.f32 %f1, 0f3FC00000; @%p1 add.s32 %r2, %r1, 5;
        st.global.u32 [%o4], %i; atom.global.add.u32 %r3, [%o4], 1; st.global.u32 [%o8], %r3;)";
    for (auto const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        auto const lines = trace(body, "warp=0,lane=1-3,values", mode);
        INFO((mode == runtime::Mode::timing ? "timing" : "functional"));
        CHECK(has(lines, "in   %i  1:1 2:2 3:3"));
        CHECK(has(lines, "out  %r1  1:-1 2:-3 3:-5"));
        CHECK(has(lines, "out  %p1  1:1 2:0 3:0"));
        CHECK(has(lines, "out  %f1  all 1.5"));
        // Only lane 1 of them executes it.
        CHECK(has(lines, "in   %r1  1:-1"));
        CHECK(has(lines, "out  %r2  1:4"));
        // In timing mode the old values are known only at the end of the epoch.
        auto const atomic = std::find_if(lines.begin(), lines.end(), [](std::string const& line) {
            return contains(line, "atom.global.add.u32 %r3");
        });
        REQUIRE(lines.end() - atomic > 2);
        CHECK(contains(atomic[1], "in   %o4  1:0x"));
        CHECK(atomic[2] == "          out  %r3  1:1 2:2 3:3");
        CHECK(!has(lines, "warp 1 "));
    }
}

TEST_CASE("A trace shows results before lanes meet, and names the instruction once others came between",
          "[runtime][trace]") {
    auto const lines = trace(R"(
        setp.lt.u32 %p1, %i, 8; @%p1 bra A; mov.u32 %r1, 4; bra B; A: mov.u32 %r1, 5; B: add.u32 %r2, %r1, 3;)",
                             "warp=0,values", runtime::Mode::functional);
    auto const at = [&](std::string const& part) {
        return std::find_if(lines.begin(), lines.end(),
                            [&](std::string const& line) { return contains(line, part); }) -
               lines.begin();
    };
    CHECK(at("out  %r1  all 5") < at("reconverges"));
    CHECK(!has(lines, "(warp 0"));
    auto const both = trace("mov.u32 %r1, %laneid; add.u32 %r2, %r1, 3; bar.red.popc.u32 %r3, 0, %p0;", "values",
                            runtime::Mode::functional);
    // The barrier's result is there when the other warp has come, too.
    CHECK(has(both, "out  %r3  all 0   (warp 0, test.ptx:"));
}

TEST_CASE("A trace shows the lines of the PTX and the lanes that are asked for", "[runtime][trace]") {
    std::string const body = "\nadd.u32 %r1, %i, 1;\nsetp.lt.u32 %p1, %i, 8;\n@%p1 bra A;\nadd.u32 %r2, %r1, 2;\n"
                             "A: add.u32 %r3, %r1, 3;\n";
    auto const all = trace(body, "warp=0", runtime::Mode::functional);
    auto const first = std::find_if(all.begin(), all.end(),
                                    [](std::string const& line) { return contains(line, "add.u32 %r1, %i, 1"); });
    REQUIRE(first != all.end());
    std::size_t const at = first->find("test.ptx:") + 9;
    std::uint32_t const line = static_cast<std::uint32_t>(std::stoul(first->substr(at)));
    auto const two = trace(body, "warp=0,line=" + std::to_string(line) + "-" + std::to_string(line + 1),
                           runtime::Mode::functional);
    REQUIRE(two.size() == 2);
    CHECK(contains(two[0], "add.u32 %r1"));
    CHECK(contains(two[1], "setp.lt.u32"));
    auto const low = trace(body, "warp=0,lane=3", runtime::Mode::functional);
    CHECK(!has(low, "add.u32 %r2"));
    CHECK(has(low, "add.u32 %r3"));
}

TEST_CASE("A filter of traces says what it does not understand", "[runtime][trace]") {
    CHECK(refusal("cta=1,2,3;warp=4,line=5-9,lane=0-31,kernel=k,values").empty());
    for (std::string const bad : {"lane=32", "line=9-5", "lane=x", "value", "sm=3", "warp=1-2", "7"}) {
        INFO(bad);
        CHECK(contains(refusal(bad), "'" + bad + "' is not"));
    }
}

}  // namespace trace_test
