// What making native code of a kernel takes: processor time of one version, with LLVM loaded. `ops` are the operations of its
// plan. The last are made for this: arithmetic of many kinds without branches, with a load and a store now and then.
#include "frontend/decode/decode.hpp"
#include "sim/compiled/compile.hpp"
#include "sim/exec/plan.hpp"

#include <benchmark/benchmark.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace {

using namespace warpsim;

std::string text_of(std::string const& kernel) {
    std::ifstream file(WARPSIM_KERNELS + kernel + ".ptx");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string number(std::size_t value) { return std::to_string(value); }

/// d becomes a register that is written, a and b are others.
constexpr char const* kinds[] = {
    "add.s32 %rD, %rA, %rB;",     "mul.lo.s32 %rD, %rA, %rB;",      "xor.b32 %rD, %rA, %rB;",
    "add.f32 %fD, %fA, %fB;",     "fma.rn.f32 %fD, %fA, %fB, %fA;", "shl.b32 %rD, %rA, 3;",
    "cvt.rn.f32.s32 %fD, %rB;",   "min.u32 %rD, %rA, %rB;",         "mul.f32 %fD, %fA, %fB;",
    "setp.lt.s32 %p1, %rA, %rB;", "selp.b32 %rD, %rA, %rB, %p1;",   "mad.lo.s32 %rD, %rA, %rB, %rB;",
    "add.s64 %rdD, %rdA, %rdB;",  "mul.wide.s32 %rdD, %rA, %rB;",   "shr.s32 %rD, %rA, 5;",
    "rcp.approx.f32 %fD, %fB;",   "ld.global.f32 %fD, [%rd0];",     "sub.f32 %fD, %fB, %fA;",
    "popc.b32 %rD, %rA;",         "st.global.u32 [%rd0], %rA;",
};
constexpr std::size_t registers = 24;

std::string mixed(std::size_t instructions) {
    std::string text = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                       ".reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<32>; .reg .pred %p<4>;\n"
                       "ld.param.u64 %rd0, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
                       "add.s64 %rd0, %rd0, %rd1;\nsetp.eq.s32 %p1, %r1, 0;\n";
    std::uint32_t random = 1;
    auto const any = [&] {
        random = random * 1664525 + 1013904223;
        return number((random >> 16) % registers + 1);
    };
    for (std::size_t i = 1; i <= registers; ++i) {
        text += "ld.global.f32 %f" + number(i) + ", [%rd0+" + number(256 * i) + "];\n";
        if (i > 1) text += "ld.global.u32 %r" + number(i) + ", [%rd0+" + number(256 * i) + "];\n";
        if (i > 1) text += "cvt.u64.u32 %rd" + number(i) + ", %r" + number(i) + ";\n";
    }
    for (std::size_t i = 3 * registers; i < instructions; ++i) {
        std::string const names[] = {any(), any(), {}, any()};
        for (char const c : std::string(kinds[i % std::size(kinds)])) {
            if (c >= 'A' && c <= 'D') text += names[c - 'A'];
            else text += c;
        }
        text += "\n";
    }
    return text + "st.global.u32 [%rd0], %r3;\nst.global.f32 [%rd0+4], %f3;\nret; }\n";
}

void compile(benchmark::State& state, std::string const& text, sim::CodeLanes lanes) {
    if (sim::compiler_version().empty()) return state.SkipWithError("built without LLVM");
    auto const source = std::make_shared<frontend::Source const>("kernel.ptx", text);
    frontend::Diagnostics diagnostics(*source);
    ir::Module const module = frontend::compile(source, diagnostics);
    if (diagnostics.error_count() > 0) return state.SkipWithError(diagnostics.render().c_str());
    sim::PlanOptions options;
    options.host = isa::host_isa();
    sim::KernelPlan const plan =
        sim::make_plan(module, 0, {std::vector<std::uint64_t>(module.variables.size(), 0x10000000000)}, options);
    for ([[maybe_unused]] auto _ : state) {
        sim::Compilation const made = sim::compile_kernel(plan, {options.host, {}}, lanes);
        if (!made.image) return state.SkipWithError(made.note.c_str());
    }
    state.counters["ops"] = static_cast<double>(plan.functions[0].ops.size());
}

int const registered = [] {
    auto const add = [](std::string const& name, std::string const& text) {
        for (sim::CodeLanes const lanes : {sim::CodeLanes::all, sim::CodeLanes::some}) {
            std::string const full = "compile/" + name + (lanes == sim::CodeLanes::all ? "/all" : "/some");
            benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& s) {
                compile(s, text, lanes);
            })->Unit(benchmark::kMillisecond);
        }
    };
    for (char const* const kernel : {"saxpy", "mandelbrot", "matmul", "reduce"}) add(kernel, text_of(kernel));
    for (std::size_t const instructions : {100u, 1000u, 5000u})
        add("mixed" + number(instructions), mixed(instructions));
    return 0;
}();

}  // namespace
