// The time of a call of a lane function for 32 lanes, in nanoseconds, by host instruction set and with all or some
// lanes active; also as thread instructions per second, and relative to add.u32.
#include "frontend/isa/table.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace warpsim::isa;

struct Subject {
    std::string_view name;
    std::string_view syntax;
    std::array<Type, 3> types;
    unsigned selector = 0;
};
constexpr Subject subjects[] = {
    {"add.f32", "add{.rnd}{.ftz}{.sat}.f32 d, a, b", {Type::f32}},
    {"fma.rn.f32", "fma.rnd{.ftz}{.sat}.f32 d, a, b, c", {Type::f32}},
    {"fma.rn.f64", "fma.rnd.f64 d, a, b, c", {Type::f64}},
    {"div.rn.f32", "div.rnd{.ftz}.f32 d, a, b", {Type::f32}},
    {"add.s32", "add.type d, a, b", {Type::s32}},
    {"add.s64", "add.type d, a, b", {Type::s64}},
    {"mad.lo.s32", "mad.lo.type d, a, b, c", {Type::s32}},
    {"mul.wide.s32", "mul.wide.type d, a, b", {Type::s32}},
    {"mul.hi.u32", "mul.hi.type d, a, b", {Type::u32}},
    {"div.s32", "div.type d, a, b", {Type::s32}},
    {"div.u32", "div.type d, a, b", {Type::u32}},
    {"rem.u64", "rem.type d, a, b", {Type::u64}},
    {"shl.b32", "shl.type d, a, b", {Type::b32}},
    {"setp.lt.s32", "setp.CmpOp.type p[|q], a, b", {Type::s32}, 2},
    {"setp.lt.f32", "setp.CmpOp{.ftz}.f32 p[|q], a, b", {Type::f32}, 2},
    {"selp.b32", "selp.type d, a, b, {!}c", {Type::b32}},
    {"and.pred", "and.pred d, a, b", {Type::pred}},
    {"min.f32", "min{.ftz}.f32 d, a, b", {Type::f32}},
    {"cvt.rzi.s32.f32", "cvt.irnd{.ftz}{.sat}.dtype.f32 d, a", {Type::s32, Type::f32}, 1},
    {"cvt.rn.f32.s32", "cvt.frnd{.ftz}{.sat}.f32.atype d, a", {Type::f32, Type::s32}},
    {"cvt.s64.s32", "cvt.dtype.atype d, a", {Type::s64, Type::s32}},
    {"cvt.rn.f16.f32", "cvt.frnd{.ftz}{.sat}.f16.f32 d, a", {Type::f16, Type::f32}},
    {"cvt.f32.f16", "cvt{.ftz}{.sat}.f32.f16 d, a", {Type::f32, Type::f16}},
    {"fma.rn.f16x2", "fma.rn{.ftz}{.sat}.type d, a, b, c", {Type::f16x2}},
    {"popc.b32", "popc.type d, a", {Type::b32}},
    {"bfe.u32", "bfe.type d, a, b, c", {Type::u32}},
    {"prmt.b32", "prmt.b32 d, a, b, c", {Type::b32}},
    {"lop3.b32", "lop3.b32 d, a, b, c, immLut", {Type::b32}},
    {"sqrt.rn.f32", "sqrt.rnd{.ftz}.f32 d, a", {Type::f32}},
    {"sin.approx.f32", "sin.approx{.ftz}.f32 d, a", {Type::f32}},
    {"ex2.approx.f32", "ex2.approx{.ftz}.f32 d, a", {Type::f32}},
    {"lg2.approx.f32", "lg2.approx{.ftz}.f32 d, a", {Type::f32}},
    {"tanh.approx.f32", "tanh.approx.f32 d, a", {Type::f32}},
    {"add.u32", "add.type d, a, b", {Type::u32}},
    {"addc.cc.u32", "addc{.cc}.type d, a, b", {Type::u32}},
    {"madc.hi.cc.u64", "madc.hi{.cc}.type d, a, b, c", {Type::u64}},
    {"fma.rn.f32x2", "fma.rnd{.ftz}.f32x2 d, a, b, c", {Type::f32x2}},
    {"add.f64", "add{.rnd}.f64 d, a, b", {Type::f64}},
    {"add.bf16x2", "add{.rn}.type d, a, b", {Type::bf16x2}},
    {"set.lt.f16x2", "set.CmpOp{.ftz}.dtype.f16x2 d, a, b", {Type::f16x2, Type::f16x2}, 2},
    {"setp.lt.f16x2", "setp.CmpOp{.ftz}.f16x2 p|q, a, b", {Type::f16x2}, 2},
    {"cvt.e4m3x2.f32", "cvt.rn.satfinite.dtype.f32 d, a, b", {Type::e4m3x2, Type::f32}},
    {"cvt.f16x2.e4m3x2", "cvt.rn.f16x2.atype d, a", {Type::f16x2, Type::e4m3x2}},
    {"cvt.pack.u8", "cvt.pack.sat.dtype.s32.b32 d, a, b, c", {Type::u8, Type::s32, Type::b32}},
    {"dp4a.s32", "dp4a.atype.btype d, a, b, c", {Type::s32, Type::s32}},
    {"vadd.u32", "vadd.dtype.atype.btype{.sat} d, a{.asel}, b{.bsel}", {Type::u32, Type::u32, Type::u32}},
    {"vadd4.u32",
     "vadd4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c",
     {Type::u32, Type::u32, Type::u32}},
};

LaneFunction function_of(HostIsa host, Subject const& subject) {
    for (Row const& row : rows(host)) {
        if (row.syntax != subject.syntax) continue;
        for (Variant const& v : row.variants) {
            if (v.types == subject.types && v.selector == subject.selector) return v.run;
        }
    }
    return nullptr;
}

/// Seconds per call of add.u32, the simplest instruction, on this host.
double simplest(HostIsa host) {
    static std::array<double, 3> known{};
    double& seconds = known[static_cast<std::size_t>(host)];
    if (seconds > 0) return seconds;
    LaneFunction const function = function_of(host, {"", "add.type d, a, b", {Type::u32}});
    alignas(64) static std::array<std::byte, 3 * 512> frame;
    std::byte* const bases[4] = {frame.data(), frame.data(), frame.data(), frame.data()};
    Operands const operands{{0, 512, 1024}, 0};
    constexpr int calls = 1000000;
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
        function(bases, operands, all_lanes);
        benchmark::ClobberMemory();
    }
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
    return seconds;
}

void run(benchmark::State& state, LaneFunction function, HostIsa host, bool wide, LaneMask mask) {
    alignas(64) static std::array<std::byte, 6 * 512> frame;
    double const simplest_seconds = simplest(host);
    for (std::size_t i = 0; i < frame.size(); i += 8) {
        // Ordinary magnitudes, so that no value takes a slow path.
        float const values[2] = {1.0f + static_cast<float>(i % 97) / 64, 2.0f};
        double const value = static_cast<double>(values[0]);
        std::memcpy(frame.data() + i, wide ? static_cast<void const*>(&value) : values, 8);
    }
    std::byte* const bases[4] = {frame.data(), frame.data(), frame.data(), frame.data()};
    Operands const operands{{0, 512, 1024, 1536, 2048, 2560}, 0};
    auto const start = std::chrono::steady_clock::now();
    for (auto _ : state) {
        function(bases, operands, mask);
        benchmark::ClobberMemory();
    }
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    double const lanes = static_cast<double>(state.iterations()) * __builtin_popcount(mask);
    state.counters["threads/s"] = benchmark::Counter(lanes, benchmark::Counter::kIsRate);
    state.counters["to_add"] = seconds / static_cast<double>(state.iterations()) / simplest_seconds;
}

bool const registered = [] {
    for (Subject const& subject : subjects) {
        for (HostIsa const host : {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512}) {
            LaneFunction const function = function_of(host, subject);
            if (function == nullptr || !runs_here(host)) continue;
            std::string const stem = "lanes/" + std::string(subject.name) + "/" + std::string(name(host));
            bool const wide = width(subject.types[0]) == 64;
            auto const add = [&](std::string_view lanes, LaneMask mask) {
                benchmark::RegisterBenchmark(
                    (stem + "/" + std::string(lanes)).c_str(),
                    [=](benchmark::State& state) { run(state, function, host, wide, mask); });
            };
            add("all", all_lanes);
            add("some", 0x0ff0f3c5u);
        }
    }
    return true;
}();

}  // namespace
