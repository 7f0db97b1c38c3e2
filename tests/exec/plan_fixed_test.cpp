// Registers that are the same in all lanes of a CTA, and have one column for all warps.
#include "runtime/device_state.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/plan.hpp"
#include "sim/functional/functional_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace plan_fixed_test {

using namespace warpsim;

namespace {

struct Run {
    std::vector<std::uint32_t> out;
    std::string shared;  // registers and the base of their columns: "%r1:launch %r2:cta"
    std::uint64_t instructions = 0;
};

std::string shared_registers(sim::FunctionPlan const& plan) {
    std::string text;
    for (std::size_t i = 0; i < plan.register_slot.size(); ++i) {
        auto const base = static_cast<isa::Base>(plan.register_slot[i] & 3);
        if (base == isa::Base::frame || plan.register_slot[i] == sim::discard) continue;
        text += (text.empty() ? "" : " ") + plan.function->registers[i].name +
                (base == isa::Base::plan ? ":launch" : ":cta");
    }
    return text;
}

/// Runs kernel `k` of four CTAs of two warps.
Run run(std::string const& text, bool share_fixed) {
    runtime::Device device(sim::load_config("h100"), test::Program::one_thread());
    auto const module = device.load_text("test.ptx", text);
    runtime::Module::State& state = module->state();
    sim::PlanOptions options;
    options.share_fixed = share_fixed;
    sim::KernelPlan const plan = sim::make_plan(state.module, state.kernel("k"), state.symbols, options);
    constexpr std::size_t count = 1024;
    runtime::DevicePointer const out = device.allocate(count * 4);
    auto const map = state.memory->map();
    sim::LaunchContext context{.plan = plan,
                               .access = sim::access_functions(isa::HostIsa::baseline),
                               .allocations = *map,
                               .memory = *state.memory,
                               .windows = sim::Reservation::process().windows()};
    context.grid = {4, 1, 1};
    context.block = {64, 1, 1};
    context.stack_bytes = 4096;
    context.shared_bytes = plan.shared_bytes;
    sim::AlignedBytes const constants =
        sim::make_plan_block(plan, context, runtime::Arguments::of(out, out + 64).bytes());
    context.plan_block = constants.get();
    sim::AlignedBytes const warps = sim::make_warp_blocks(plan, context);
    context.warp_blocks = warps.get();
    sim::FunctionalOptions run_options;
    run_options.threads = 1;
    sim::LaunchStatistics statistics;
    sim::run_functional(context, run_options, statistics);
    Run result;
    result.out = device.download<std::uint32_t>(out, count);
    result.shared = shared_registers(plan.functions.front());
    result.instructions = statistics.instructions.warp;
    return result;
}

std::string shared_by(std::string const& body, std::string const& before = {}) {
    std::string const text = test::kernel(body, before);
    Run const apart = run(text, false), together = run(text, true);
    CHECK(apart.shared.empty());
    CHECK(together.out == apart.out);
    CHECK(together.instructions == apart.instructions);
    CHECK(std::any_of(apart.out.begin(), apart.out.end(), [](std::uint32_t x) { return x != 0; }));
    return together.shared;
}

// %i and %s have several definitions, and the addresses depend on the thread.
std::string const always = "%out:launch %in:launch";

}  // namespace

TEST_CASE("Parameters, constants and what a CTA knows are in one column for all warps", "[exec]") {
    CHECK(shared_by("mov.u32 %r1, %ctaid.x; mov.u32 %r2, 7; mov.u32 %r3, %nctaid.x;\n"
                    "add.u32 %r4, %r1, %i; add.u32 %r4, %r4, %r2; add.u32 %r4, %r4, %r3;\n"
                    "st.global.u32 [%o4], %r4;") == "%r1:cta %r2:launch %r3:launch " + always);
}

TEST_CASE("What is computed of shared columns alone is computed once", "[exec]") {
    CHECK(shared_by("mov.u32 %r1, %ctaid.x; mul.lo.u32 %r2, %r1, 100; cvta.to.global.u64 %d1, %out;\n"
                    "mov.u32 %r5, 3; cvt.u64.u32 %d2, %r5; div.u32 %r6, %r2, %r5; mul.wide.u32 %d3, %i, 4;\n"
                    "add.u64 %d4, %d1, %d3; add.u32 %r7, %r6, %i; cvt.u32.u64 %r8, %d2; add.u32 %r7, %r7, %r8;\n"
                    "st.global.u32 [%d4], %r7;") ==
          "%r1:cta %r2:cta %r5:launch %r6:cta %r8:launch %d1:launch %d2:launch " + always);
}

TEST_CASE("A narrow parameter in a wide register is extended once", "[exec]") {
    CHECK(shared_by("ld.param.s8 %r1, [p_in]; ld.param.u16 %r2, [p_in + 2]; add.u32 %r3, %r1, %r2;\n"
                    "and.b32 %r3, %r3, 0; add.u32 %r3, %r3, %i; st.global.u32 [%o4], %r3;") ==
          "%r1:launch %r2:launch " + always);
}

TEST_CASE("Registers with another value somewhere have a column in each warp", "[exec]") {
    // Twice, under a guard, of a thread's number, with a carry, and as the sum of floats.
    CHECK(shared_by("mov.u32 %r1, 1; mov.u32 %r1, 2; setp.lt.u32 %p1, %i, 9; @%p1 mov.u32 %r2, 3;\n"
                    "add.u32 %r3, %i, 1; add.cc.u32 %r4, 5, 6; addc.u32 %r5, 0, 0; mov.f32 %f1, 0f3f800000;\n"
                    "add.f32 %f2, %f1, %f1; mov.b32 %r6, %f2; add.u32 %r7, %r1, %r2; add.u32 %r7, %r7, %r3;\n"
                    "add.u32 %r7, %r7, %r4; add.u32 %r7, %r7, %r5; add.u32 %r7, %r7, %r6;\n"
                    "st.global.u32 [%o4], %r7;") == always + " %f1:launch");
}

TEST_CASE("A register that may be read before its definition has a column in each warp", "[exec]") {
    CHECK(shared_by("mov.u32 %r2, 0;\n"
                    "$again: add.u32 %r2, %r2, %r1; mov.u32 %r1, 5; add.u32 %r2, %r2, 1;\n"
                    "setp.lt.u32 %p1, %r2, 9; @%p1 bra $again;\n"
                    "st.global.u32 [%o4], %r2;") == always);
}

TEST_CASE("Lanes that wait for each other read columns of their own", "[exec]") {
    CHECK(shared_by("mov.u32 %r1, 5; mov.u32 %r2, 6; shfl.sync.idx.b32 %r3, %r1, 3, 31, -1;\n"
                    "add.u32 %r4, %r3, %r2; st.global.u32 [%o4], %r4;") == "%r2:launch " + always);
}

TEST_CASE("Of a function nothing is shared", "[exec]") {
    CHECK(shared_by(
              "call.uni (%r1), f, (%i); st.global.u32 [%o4], %r1;",
              ".func (.reg .u32 %y) f(.reg .u32 %x) {\n.reg .u32 %a; mov.u32 %a, 4; add.u32 %y, %x, %a; ret; }") ==
          always);
}

}  // namespace plan_fixed_test
