// Products of matrix units, by host instruction set: one m16n8 block as an instruction computes it, registers of a warp in
// and out. `items_per_second` is instructions per second, `mac/s` multiply-adds.
#include "sim/matrix/products.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace warpsim;
using namespace warpsim::sim::matrix;
using isa::Type;

struct Subject {
    char const* name;
    Type type;
    int k;
    Accumulator accumulator;
    bool result_is_f16 = false;
};

constexpr Accumulator aligned(int group, int extra_bits) {
    Accumulator a;
    a.group = group;
    a.extra_bits = extra_bits;
    return a;
}
constexpr Accumulator exact = [] {
    Accumulator a;
    a.sum = Sum::exact;
    return a;
}();
constexpr Subject subjects[] = {
    {"f16/m16n8k16/h100", Type::f16, 16, aligned(16, 2)},
    {"f16/m16n8k16/a100", Type::f16, 16, aligned(8, 1)},
    {"f16/m16n8k16/v100", Type::f16, 16, aligned(4, 0)},
    {"f16/m16n8k16/h100/to_f16", Type::f16, 16, aligned(16, 2), true},
    {"bf16/m16n8k16/h100", Type::bf16, 16, aligned(16, 2)},
    {"tf32/m16n8k8/h100", Type::tf32, 8, aligned(8, 2)},
    {"e4m3/m16n8k32/l40s", Type::e4m3, 32, aligned(16, -10)},
    {"e4m3/m16n8k32/exact", Type::e4m3, 32, exact},
    {"f16/m16n8k16/exact", Type::f16, 16, exact},
    {"s8/m16n8k32", Type::s8, 32, {}},
};

/// A number between 1/8 and 2 of either sign, or any integer.
std::uint32_t code(std::mt19937& random, Type type) {
    std::uint32_t const bits = static_cast<std::uint32_t>(random());
    std::uint32_t const step = bits >> 28 & 3;
    switch (type) {
        case Type::f16: return (bits & 0x83ff) | (12 + step) << 10;
        case Type::bf16: return (bits & 0x807f) | (124 + step) << 7;
        case Type::tf32: return (bits & 0x807fffff) | (124 + step) << 23;
        case Type::e4m3: return (bits & 0x87) | (4 + step) << 3;
        default: return bits & 0xff;
    }
}

std::uint32_t word(std::mt19937& random, Type type) {
    int const width = type == Type::tf32 ? 32 : isa::width(type);
    std::uint32_t packed = 0;
    for (int at = 0; at < 32; at += width) packed |= code(random, type) << at;
    return packed;
}

template <class From> void copy(std::uint32_t (&to)[32], From const& from) {
    static_assert(sizeof from == sizeof to);
    std::memcpy(to, &from, sizeof to);
}

using Registers = std::array<std::array<std::uint32_t, 32>, 8>;
std::vector<Registers> random_registers(std::mt19937& random, Type type, std::size_t count) {
    std::vector<Registers> sets(count);
    for (Registers& registers : sets)
        for (auto& words : registers)
            for (std::uint32_t& w : words) w = word(random, type);
    return sets;
}

void run(benchmark::State& state, Subject const& subject, isa::HostIsa host) {
    std::mt19937 random(1);
    int const width = subject.type == Type::tf32 ? 32 : isa::width(subject.type);
    auto const words = static_cast<std::size_t>(subject.k * width / 32);
    // As a kernel whose warps have 32 by 32 elements: each a is used four times, each b twice.
    constexpr std::size_t sets_of_a = 8, sets_of_b = 16;
    std::vector<Registers> const a = random_registers(random, subject.type, sets_of_a),
                                 b = random_registers(random, subject.type, sets_of_b);
    std::uint32_t c[4][32] = {}, d[4][32];
    std::size_t number = 0;
    FloatProduct floats;
    floats.a = floats.b = subject.type;
    floats.accumulator = subject.accumulator;
    floats.result_is_f16 = subject.result_is_f16;
    ProductFunctions const& functions = product_functions(host);
    auto const block = std::make_unique<Block>();
    block->words = static_cast<int>(words);
    block->columns = 8;
    for (auto _ : state) {
        for (std::size_t four = 0; four < words / 4; ++four) {
            for (std::size_t half = 0; half < 2; ++half)
                copy(block->a[four][half], a[number / 4 % sets_of_a][2 * four + half]);
            copy(block->b[0][four], b[number / 8 * 4 % sets_of_b + number % 4][four]);
        }
        ++number;
        for (std::size_t i = 0; i < 4; ++i) copy(block->d[0][i], c[i]);
        if (subject.type == Type::s8) functions.integers({}, *block);
        else functions.floats(floats, *block);
        for (std::size_t i = 0; i < 4; ++i) copy(d[i], block->d[0][i]);
        benchmark::DoNotOptimize(d);
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations());
    double const multiply_adds = static_cast<double>(state.iterations()) * 128 * subject.k;
    state.counters["mac/s"] = benchmark::Counter(multiply_adds, benchmark::Counter::kIsRate);
}

bool const registered = [] {
    for (Subject const& subject : subjects) {
        for (isa::HostIsa const host : {isa::HostIsa::baseline, isa::HostIsa::avx2, isa::HostIsa::avx512}) {
            if (!isa::runs_here(host)) continue;
            std::string const name = "matrix/" + std::string(subject.name) + "/" + std::string(isa::name(host));
            benchmark::RegisterBenchmark(name.c_str(),
                                         [=](benchmark::State& state) { run(state, subject, host); });
        }
    }
    return true;
}();

}  // namespace
