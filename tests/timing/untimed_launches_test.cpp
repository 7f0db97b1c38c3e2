// Launches that are not timed, among others that are: same results, no cycles, and caches as they would be.
#include "runtime/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <set>

namespace untimed_launches_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

char const* const text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p) {
.reg .b32 %r<5>; .reg .b64 %d<4>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;
ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r3; ret;
}
.visible .entry twice(.param .u64 p) {
.reg .b32 %r<5>; .reg .b64 %d<4>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;
ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2;
ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, %r4; st.global.u32 [%d1], %r4; ret;
}
.visible .entry wrong() { trap; }
)";

constexpr std::uint32_t ctas = 512;

struct Ran {
    std::vector<std::uint32_t> out;
    std::vector<std::optional<std::uint64_t>> cycles;  // by launch
    double hit_rate = -1;                              // of L2, in the last launch
};

/// `fill` and then `twice` three times, of which only these launches are timed.
Ran run(std::set<int> const& timed, bool warms_caches = false, int threads = 1) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = threads;
    options.warms_caches = warms_caches;
    int asked = 0;
    options.times = [&](std::string_view) { return timed.contains(asked++); };
    runtime::Device device(sim::load_config("v100"), options);
    auto const module = device.load_text("k.ptx", text);
    auto const p = device.allocate(ctas * 256 * 4);
    runtime::LaunchShape shape;
    shape.grid = {ctas, 1, 1};
    shape.block = {256, 1, 1};
    Ran ran;
    for (char const* const kernel : {"fill", "twice", "twice", "twice"}) {
        auto const result = device.launch(*module, kernel, shape, runtime::Arguments::of(p));
        CHECK(result.instructions.warp > 0);
        ran.cycles.push_back(result.timing ? std::optional(result.timing->cycles) : std::nullopt);
        if (result.timing)
            ran.hit_rate = static_cast<double>(result.timing->l2.tag_hits + result.timing->l2.write_sectors) /
                           static_cast<double>(result.timing->l2.all_sectors());
    }
    CHECK(asked == 4);
    ran.out = device.download<std::uint32_t>(p, ctas * 256);
    return ran;
}

}  // namespace

TEST_CASE("Launches that are not timed compute the same and take no cycles", "[timing]") {
    Ran const all = run({0, 1, 2, 3});
    CHECK(all.out[1000] == 8000);
    for (std::set<int> const& timed : {std::set<int>{}, {3}, {0, 2}}) {
        Ran const some = run(timed);
        CHECK(some.out == all.out);
        for (int i = 0; i < 4; ++i)
            CHECK(some.cycles[static_cast<std::size_t>(i)].has_value() == timed.contains(i));
    }
    CHECK(run({0, 2}).cycles == run({0, 2}, false, 4).cycles);
}

TEST_CASE("Caches are cold behind a launch that was not timed, or warm if that is asked for", "[timing]") {
    Ran const all = run({0, 1, 2, 3}), cold = run({3}), warm = run({3}, true);
    CHECK(warm.out == all.out);
    CHECK(all.hit_rate == 1);
    CHECK(cold.hit_rate < 0.6);  // stores count as hits
    CHECK(warm.hit_rate == 1);
    auto const cycles = [](Ran const& ran) { return static_cast<double>(ran.cycles[3].value()); };
    CHECK(cycles(cold) > 1.1 * cycles(all));
    CHECK(std::abs(cycles(warm) / cycles(all) - 1) < 0.02);
    CHECK(run({3}, true).cycles == run({3}, true, 4).cycles);
}

TEST_CASE("More than L2 holds leaves only the last of it warm", "[timing]") {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.warms_caches = true;
    bool is_timed = false;
    options.times = [&](std::string_view) { return is_timed; };
    std::vector<std::string> const small{"l2.size_kib=1536"};
    runtime::Device device(sim::load_config("v100", small), options);
    auto const module = device.load_text("k.ptx", text);
    std::uint64_t const bytes = std::uint64_t{8} << 20;
    auto const p = device.allocate(bytes);
    runtime::LaunchShape shape;
    shape.grid = {static_cast<std::uint32_t>(bytes / 1024), 1, 1};
    shape.block = {256, 1, 1};
    device.launch(*module, "fill", shape, runtime::Arguments::of(p));
    is_timed = true;
    shape.grid = {1024, 1, 1};  // a MiB
    auto const hits = [&](std::uint64_t at) {
        auto const result = device.launch(*module, "twice", shape, runtime::Arguments::of(at));
        return result.timing->l2.tag_hits;
    };
    CHECK(hits(p + bytes - (1 << 20)) > 30000);
    CHECK(hits(p) == 0);
}

TEST_CASE("A fault in a launch that is not timed is reported as in functional mode", "[timing]") {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.times = [](std::string_view kernel) { return kernel != "wrong"; };
    runtime::Device device(sim::load_config("v100"), options);
    auto const module = device.load_text("k.ptx", text);
    try {
        device.launch(*module, "wrong", {}, {});
        FAIL("no fault");
    } catch (Error const& error) {
        CHECK(std::string(error.what()).find("trap") != std::string::npos);
        CHECK(std::string(error.what()).find("SM") == std::string::npos);
    }
    auto const p = device.allocate(1024);
    runtime::LaunchShape shape;
    shape.block = {256, 1, 1};
    CHECK(device.launch(*module, "fill", shape, runtime::Arguments::of(p)).timing);
}

TEST_CASE("A launch that is not timed is told of behind earlier ones for which DRAM still writes", "[timing]") {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    options.times = [](std::string_view kernel) { return kernel == "fill"; };
    std::vector<std::string> const small{"l2.size_kib=1536"};
    runtime::Device device(sim::load_config("v100", small), options);
    auto const module = device.load_text("k.ptx", text);
    runtime::LaunchShape shape;
    shape.grid = {8192, 1, 1};
    shape.block = {256, 1, 1};
    auto const p = runtime::Arguments::of(device.allocate(std::uint64_t{8} << 20));
    std::vector<std::string> told;
    auto const tell = [&](runtime::LaunchResult const& r) { told.push_back(r.kernel); };
    auto const ticket = device.begin_launch(module, "fill", shape, p, 0, 0, tell);
    auto const ended = device.advance(UINT64_MAX);
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].ticket == ticket);
    CHECK(told.empty());
    CHECK(device.begin_launch(module, "twice", shape, p, 0, ended[0].at, tell) == 0);
    device.settle();
    CHECK(told == std::vector<std::string>{"fill", "twice"});
}

}  // namespace untimed_launches_test
