// The stack of calls: what is known before a kernel starts is provided for; the limit is for recursion.
#include "runtime/device_state.hpp"
#include "sim/exec/plan.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>

namespace static_stack_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Writes and reads the last word of a frame of 20,000 bytes, and calls the next function.
std::string large(std::string const& name, std::string const& next) {
    std::string const call = next.empty() ? "" : "call (%r), " + next + ", (%r);";
    return ".func (.reg .b32 %r) " + name + "(.reg .b32 %a) { .local .align 4 .b8 frame[20000]; .reg .b64 %d;\n" +
           "mov.b64 %d, frame; st.local.b32 [%d+19996], %a; add.u32 %r, %a, 1; " + call +
           " ld.local.b32 %a, [%d+19996]; add.u32 %r, %r, %a; ret; }\n";
}

}  // namespace

TEST_CASE("Frames of calls that are not recursive may be larger than the stack's limit", "[exec]") {
    for (std::string const& model : control_flows()) {
        Program program(kernel("call (%r1), outer, (%i); st.global.u32 [%o4], %r1;",
                               large("inner", "") + large("outer", "inner")),
                        model);
        auto const result = program.run<std::uint32_t>(32);
        for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == 3 * i + 3);
    }
}

TEST_CASE("Frames of recursive calls count against the stack's limit", "[exec]") {
    std::string const declared = ".func (.reg .b32 %r) outer(.reg .b32 %a);\n";
    Program program(kernel("call (%r1), outer, (%i); st.global.u32 [%o4], %r1;",
                           declared + large("inner", "outer") + large("outer", "inner")),
                    "independent");
    std::string text;
    try {
        program.run<std::uint32_t>(32);
    } catch (Error const& error) {
        text = error.what();
    }
    CHECK(text.find("stack overflow") != std::string::npos);
}

TEST_CASE("Functions that call each other in a cycle are recursive, those between cycles are not", "[exec]") {
    // a <-> b -> c -> d -> d, and a chain of thousands behind them
    std::string functions = ".func a(); .func b(); .func c(); .func d(); .func f0();\n"
                            ".func a() { call b; ret; } .func b() { call a; call c; ret; }\n"
                            ".func c() { call d; ret; } .func d() { call d; call f0; ret; }\n";
    int const count = 3000;
    for (int i = 0; i < count; ++i) functions += ".func f" + std::to_string(i) + "();\n";
    for (int i = 0; i < count; ++i) {
        std::string const next = i + 1 < count ? "call f" + std::to_string(i + 1) + ";" : "";
        functions += ".func f" + std::to_string(i) + "() { " + next + " ret; }\n";
    }
    runtime::Device device(sim::load_config("h100"));
    auto const module = device.load_text("test.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n" +
                                                         functions + ".entry k() { call a; ret; }\n");
    runtime::Module::State& state = module->state();
    sim::KernelPlan const& plan = state.plan(state.kernel("k"));
    for (sim::FunctionPlan const& f : plan.functions) {
        std::string const& name = state.module.functions[f.index].name;
        INFO(name);
        CHECK(f.is_recursive == (name == "a" || name == "b" || name == "d"));
    }
}

}  // namespace static_stack_test
