// How fast PTX text like nvcc's becomes a syntax tree, and checked IR (bytes_per_second), and how fast that IR
// becomes bytes and is restored from them.
#include "frontend/archive/archive.hpp"
#include "frontend/decode/decode.hpp"
#include "frontend/grammar/parse.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace warpsim::frontend;

std::string number(std::size_t n) { return std::to_string(n); }

/// A loop body with addresses, loads, arithmetic, a comparison and a store, with line information.
std::string loop(std::size_t function, std::size_t n) {
    std::string const label = "$L__BB" + number(function) + "_" + number(n);
    std::string const r = number(n % 40 + 1);
    std::string const s = number(n % 37 + 2);
    return label + ":\n" + "\t.loc\t1 " + number(n % 900 + 10) + " 9, function_name $L__info_string" +
           number(n % 7) + ", inlined_at 1 " + number(n % 800 + 3) + " 5\n" + "\tmul.wide.s32 \t%rd" + r + ", %r" +
           s + ", 4;\n" + "\tadd.s64 \t%rd" + s + ", %rd1, %rd" + r + ";\n" + "\tld.global.nc.f32 \t%f" + r +
           ", [%rd" + s + "];\n" + "\tld.global.v4.f32 \t{%f1, %f2, %f3, %f" + s + "}, [%rd" + r + "+" +
           number(n % 64 * 16) + "];\n" + "\tfma.rn.f32 \t%f" + s + ", %f" + r + ", 0f3F800000, %f1;\n" +
           "\tmul.f32 \t%f2, %f" + s + ", 0fBF000000;\n" + "\tst.shared.f32 \t[%r" + r + "+-8], %f2;\n" +
           "\t.loc\t1 " + number(n % 900 + 11) + " 5\n" + "\tshfl.sync.bfly.b32 \t%r" + r + "|%p2, %r" + s +
           ", 16, 31, -1;\n" + "\tsetp.lt.and.s32 \t%p1, %r" + r + ", %r2, !%p3;\n" + "\tadd.s32 \t%r" + s +
           ", %r" + s + ", 1;\n" + "\t@%p1 bra \t" + label + ";\n\n";
}

std::string call(std::size_t n) {
    return "\t{ // callseq " + number(n) +
           ", 0\n\t.reg .b32 temp_param_reg;\n\t.param .b32 param0;\n"
           "\tst.param.f32 \t[param0+0], %f1;\n\t.param .b32 retval0;\n\tcall.uni (retval0), \n\tdevice_function, "
           "\n"
           "\t(\n\tparam0\n\t);\n\tld.param.f32 \t%f2, [retval0+0];\n\t} // callseq " +
           number(n) + "\n";
}

std::string kernel(std::size_t function) {
    std::string const name = "_Z6kernelILi" + number(function) + "EEvPfPKfi";
    std::string text = "\t// .globl\t" + name + "\n.visible .entry " + name + "(\n\t.param .u64 " + name +
                       "_param_0,\n\t.param .u64 " + name + "_param_1,\n\t.param .align 8 .b8 " + name +
                       "_param_2[48]\n)\n.maxntid 256, 1, 1\n.minnctapersm 2\n{\n\t.reg .pred \t%p<4>;\n"
                       "\t.reg .f32 \t%f<45>;\n\t.reg .b32 \t%r<45>;\n\t.reg .b64 \t%rd<45>;\n"
                       "\t// demoted variable\n\t.shared .align 4 .b8 buffer[1024];\n\n\tld.param.u64 \t%rd1, [" +
                       name + "_param_0];\n\tcvta.to.global.u64 \t%rd1, %rd1;\n\tmov.u32 \t%r1, %tid.x;\n";
    for (std::size_t n = 0; n < 60; ++n) text += n % 20 == 19 ? call(n) : loop(function, n);
    return text + "\tret;\n\n}\n";
}

std::string const& nvcc_text() {
    static std::string const text = [] {
        std::string result =
            ".version 9.0\n.target sm_90\n.address_size 64\n\n.file\t1 \"/src/kernel.cu\"\n"
            ".extern .func (.param .b32 r) device_function(.param .b32 x);\n.global .align 1 .b8 table[4096] = {";
        for (std::size_t n = 0; n < 4096; ++n) result += (n ? ", " : "") + number(n * 37 % 256);
        result += "};\n";
        for (std::size_t function = 0; result.size() < std::size_t{4} << 20; ++function)
            result += kernel(function);
        result += ".section .debug_str {\n";
        for (std::size_t n = 0; n < 7; ++n) result += "$L__info_string" + number(n) + ":\n.b8 102\n.b8 0\n";
        return result + "}\n";
    }();
    return text;
}

void parse(benchmark::State& state) {
    Source const source("nvcc.ptx", nvcc_text());
    std::size_t instructions = 0;
    for (auto _ : state) {
        Diagnostics diagnostics(source);
        syntax::Module const module = grammar::parse(source, diagnostics);
        if (diagnostics.error_count() != 0) state.SkipWithError(diagnostics.render(1).c_str());
        instructions = module.instructions.size();
        benchmark::DoNotOptimize(module.nodes.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.text().size()));
    state.counters["instructions"] = static_cast<double>(instructions);
}

/// Everything the frontend does: read, check, decode, control flow, register columns.
void compile(benchmark::State& state) {
    auto const source = std::make_shared<Source const>("nvcc.ptx", nvcc_text());
    std::size_t functions = 0;
    for (auto _ : state) {
        Diagnostics diagnostics(*source);
        warpsim::ir::Module const module = warpsim::frontend::compile(source, diagnostics);
        if (diagnostics.error_count() != 0) state.SkipWithError(diagnostics.render(1).c_str());
        functions = module.functions.size();
        benchmark::DoNotOptimize(module.functions.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source->text().size()));
    state.counters["functions"] = static_cast<double>(functions);
}

Linked compiled() {
    auto const source = std::make_shared<Source const>("nvcc.ptx", nvcc_text());
    Diagnostics diagnostics(*source);
    Linked result;
    result.module = warpsim::frontend::compile(source, diagnostics);
    return result;
}

void pack(benchmark::State& state) {
    Linked const linked = compiled();
    for (auto _ : state) benchmark::DoNotOptimize(warpsim::frontend::pack(linked).data());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(nvcc_text().size()));
}

/// The time until the first kernel of a cached module is available (0), or all kernels (1).
void open_packed(benchmark::State& state) {
    Linked const linked = compiled();
    std::string const bytes = warpsim::frontend::pack(linked);
    for (auto _ : state) {
        auto packed = PackedModule::open(bytes, linked.module.sources);
        warpsim::ir::Module module = packed->take_module();
        std::size_t const wanted = state.range(0) == 0 ? 1 : module.functions.size();
        for (std::size_t f = 0; f < wanted; ++f)
            packed->complete(module, static_cast<std::uint32_t>(f + 1) %
                                         static_cast<std::uint32_t>(module.functions.size()));
        benchmark::DoNotOptimize(module.functions.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(nvcc_text().size()));
}

}  // namespace

BENCHMARK(pack)->Name("pack nvcc text")->Unit(benchmark::kMillisecond);
BENCHMARK(open_packed)->Name("open packed nvcc text, all kernels")->Unit(benchmark::kMillisecond)->Arg(0)->Arg(1);
BENCHMARK(compile)->Name("compile nvcc text")->Unit(benchmark::kMillisecond);
BENCHMARK(parse)->Name("parse nvcc text")->Unit(benchmark::kMillisecond);
