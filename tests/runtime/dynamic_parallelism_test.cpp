#include "runtime/device.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace dynamic_parallelism_test {

using namespace warpsim;

namespace {

/// `parent` launches `child` with `value` into a stream; `child` writes p[0] = 10 * p[0] + value.
char const* const text = R"(
.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],
                                                             .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 b, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2DeviceSynchronize();
.visible .entry child(.param .u64 p, .param .u8 value) {
  .reg .b32 %r<4>; .reg .b64 %rd;
  ld.param.u64 %rd, [p]; ld.param.u8 %r1, [value];
  ld.global.u32 %r2, [%rd]; mad.lo.s32 %r3, %r2, 10, %r1; st.global.u32 [%rd], %r3;
  ret;
}
.func launch(.param .b64 f, .param .b64 p, .param .b32 value, .param .b64 stream) {
  .reg .b64 %rd<5>; .reg .b32 %r<3>; .reg .pred %q;
  ld.param.b64 %rd1, [f]; ld.param.b64 %rd2, [p]; ld.param.b32 %r1, [value]; ld.param.b64 %rd3, [stream];
  {
    .param .b64 a0; st.param.b64 [a0], %rd1;
    .param .align 4 .b8 a1[12]; st.param.b32 [a1], 1; st.param.b32 [a1+4], 1; st.param.b32 [a1+8], 1;
    .param .align 4 .b8 a2[12]; st.param.b32 [a2], 1; st.param.b32 [a2+4], 1; st.param.b32 [a2+8], 1;
    .param .b32 a3; st.param.b32 [a3], 0;
    .param .b64 v;
    call.uni (v), __cudaCDP2GetParameterBufferV2, (a0, a1, a2, a3);
    ld.param.b64 %rd4, [v];
  }
  setp.eq.s64 %q, %rd4, 0; @%q bra none;
  st.u64 [%rd4], %rd2; st.u8 [%rd4+8], %r1;
  {
    .param .b64 a0; st.param.b64 [a0], %rd4;
    .param .b64 a1; st.param.b64 [a1], %rd3;
    .param .b32 v;
    call.uni (v), __cudaCDP2LaunchDeviceV2, (a0, a1);
  }
none: ret;
}
.visible .entry parent(.param .u64 p) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p]; mov.u64 %rd2, child;
  { .param .b64 a; st.param.b64 [a], %rd2; .param .b64 b; st.param.b64 [b], %rd1; .param .b32 c; st.param.b32 [c], 3;
    .param .b64 d; st.param.b64 [d], 3; call.uni launch, (a, b, c, d); }
  { .param .b64 a; st.param.b64 [a], %rd2; .param .b64 b; st.param.b64 [b], %rd1; .param .b32 c; st.param.b32 [c], 1;
    .param .b64 d; st.param.b64 [d], 0; call.uni launch, (a, b, c, d); }
  { .param .b64 a; st.param.b64 [a], %rd2; .param .b64 b; st.param.b64 [b], %rd1; .param .b32 c; st.param.b32 [c], 2;
    .param .b64 d; st.param.b64 [d], 4; call.uni launch, (a, b, c, d); }
  ret;
}
.visible .entry endless(.param .u64 p) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p]; mov.u64 %rd2, endless;
  { .param .b64 a; st.param.b64 [a], %rd2; .param .b64 b; st.param.b64 [b], %rd1; .param .b32 c; st.param.b32 [c], 0;
    .param .b64 d; st.param.b64 [d], 3; call.uni launch, (a, b, c, d); }
  ret;
}
.visible .entry nobody(.param .u64 p) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p]; mov.u64 %rd2, 12345;
  { .param .b64 a; st.param.b64 [a], %rd2; .param .b64 b; st.param.b64 [b], %rd1; .param .b32 c; st.param.b32 [c], 0;
    .param .b64 d; st.param.b64 [d], 0; call.uni launch, (a, b, c, d); }
  ret;
}
.visible .entry waits() {
  { .param .b32 v; call.uni (v), __cudaCDP2DeviceSynchronize; }
  ret;
}
)";

struct Launched {
    std::vector<std::string> children;
    std::unique_ptr<runtime::Device> device;
    std::shared_ptr<runtime::Module> module;
    std::uint64_t p = 0;

    explicit Launched(runtime::Mode mode, std::uint64_t max_instructions = 0) {
        runtime::DeviceOptions options;
        options.mode = mode;
        options.max_instructions = max_instructions;
        options.child_launched = [this](runtime::LaunchResult const& r) { children.push_back(r.kernel); };
        device = std::make_unique<runtime::Device>(sim::load_config("v100"), options);
        module = device->load_text("t.ptx", text);
        p = device->allocate(4);
    }
    std::uint32_t run(char const* kernel) {
        device->launch(*module, kernel, {}, runtime::Arguments::of(p));
        return device->download<std::uint32_t>(p, 1).front();
    }
};

template <class F> std::string refusal(F&& work) {
    try {
        work();
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("A kernel's launches are done when it has ended, those into its tail last", "[runtime]") {
    for (auto const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        Launched l(mode);
        CHECK(l.run("parent") == 123);
        CHECK(l.children == std::vector<std::string>{"child", "child", "child"});
        CHECK(l.run("parent") == 123123);
    }
}

TEST_CASE(
    "In timing mode every child has cycles of its own, the same for any number of host threads and any epoch",
    "[runtime][timing]") {
    struct Run {
        std::vector<std::uint64_t> cycles;  // of the parent, then of its children
        std::uint32_t value = 0;
    };
    auto const run = [](int threads, std::uint32_t divisor, std::vector<std::string> const& overrides = {}) {
        Run result;
        runtime::DeviceOptions options;
        options.mode = runtime::Mode::timing;
        options.threads = threads;
        options.timing_epoch_divisor = divisor;
        options.child_launched = [&](runtime::LaunchResult const& r) {
            result.cycles.push_back(r.timing->cycles);
        };
        runtime::Device device(sim::load_config("v100", overrides), options);
        auto const module = device.load_text("t.ptx", text);
        auto const p = device.allocate(4);
        auto const parent = device.launch(*module, "parent", {}, runtime::Arguments::of(p));
        result.cycles.insert(result.cycles.begin(), parent.timing->cycles);
        result.value = device.download<std::uint32_t>(p, 1).front();
        return result;
    };
    Run const one = run(1, 1);
    CHECK(one.value == 123);
    REQUIRE(one.cycles.size() == 4);
    // Each is launched (1700 cycles), starts without anything in the caches, and ends (600).
    for (std::uint64_t const cycles : one.cycles) CHECK(cycles > 2300);
    for (auto const& [threads, divisor] : {std::pair{2, 1u}, {1, 3u}, {2, 2u}}) {
        Run const other = run(threads, divisor);
        CHECK(other.cycles == one.cycles);
        CHECK(other.value == one.value);
    }
    // A launch that takes longer does so for the parent and for each child. Children begin later then, and DRAM's clock
    // goes on from grid to grid: only after a multiple of 1530 core cycles does it stand to the core's as before.
    REQUIRE(sim::load_config("v100").clock_mhz == 1530);
    Run const slow = run(1, 1, {"launch.kernel_launch_cycles=" + std::to_string(1700 + 1530)});
    for (std::size_t i = 0; i < one.cycles.size(); ++i) CHECK(slow.cycles[i] == one.cycles[i] + 1530);
}

TEST_CASE("A launch of what is no kernel gives no parameter buffer and changes nothing", "[runtime]") {
    Launched l(runtime::Mode::functional);
    CHECK(l.run("nobody") == 0);
    CHECK(l.children.empty());
}

TEST_CASE("Grids that launch each other for ever are stopped by the instruction limit", "[runtime]") {
    Launched l(runtime::Mode::functional, 2000);
    CHECK(refusal([&] { l.run("endless"); }).find("instruction limit") != std::string::npos);
    CHECK(l.children.size() > 10);
    CHECK(l.children.size() < 200);
}

TEST_CASE("A kernel that waits for its children is refused with its line", "[runtime]") {
    Launched l(runtime::Mode::functional);
    std::string const why = refusal([&] { l.device->launch(*l.module, "waits", {}, {}); });
    INFO(why);
    CHECK(why.find("__cudaCDP2DeviceSynchronize") != std::string::npos);
    CHECK(why.find("t.ptx:") != std::string::npos);
}

}  // namespace dynamic_parallelism_test
