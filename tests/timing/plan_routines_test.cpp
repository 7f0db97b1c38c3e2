// Routines for rare operands: how much memory they take, compared with what NVIDIA's compiler generates (sass_routines.py says how
// the table is made), and which warps execute them.
#include "sim/timing/plan/routines.hpp"
#include "tests/timing/plan_support.hpp"

#include <bit>
#include <cstdlib>
#include <limits>

namespace plan_routines_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// As the table's kernels: each of `count` operations has operands of its own.
std::string kernel(std::string const& operation, std::string const& type, int count) {
    int const bytes = std::stoi(type.substr(1)) / 8;
    std::string loads, work, stores;
    for (int n = 0; n < count; ++n) {
        std::string text = operation + ";\n";
        for (auto const& [letter, reg] : {std::pair{" D", " %w" + std::to_string(n)},
                                          {" A", " %v" + std::to_string(2 * n)},
                                          {" B", " %v" + std::to_string(2 * n + 1)}}) {
            if (auto const at = text.find(letter); at != std::string::npos) text.replace(at, 2, reg);
        }
        work += text;
        stores +=
            "st.global." + type + " [%d4+" + std::to_string(4096 * (20 + n)) + "], %w" + std::to_string(n) + ";\n";
    }
    for (int n = 0; n < 2 * count; ++n) {
        std::string const reg = "%v" + std::to_string(n);
        if (work.find(reg) != std::string::npos)
            loads += "ld.global." + type + " " + reg + ", [%d4+" + std::to_string(4096 * n) + "];\n";
    }
    return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg ." + type +
           " %v<8>;\n.reg ." + type + " %w<4>;\n.reg .b32 %r<2>;\n.reg .b64 %d<5>;\nld.param.u64 %d1, [p];\n" +
           "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, " + std::to_string(bytes) +
           ";\ncvta.to.global.u64 %d3, %d1;\nadd.s64 %d4, %d3, %d2;\n" + loads + work + stores + "ret;\n}\n";
}

/// Micro-ops of 32 lanes that all have these operands, but for one that has others.
template <class T>
std::uint64_t executed(Modules& modules, std::string const& operation, T a, T b, T other_a, T other_b) {
    auto const module =
        modules.device.load_text("k.ptx", kernel(operation, "f" + std::to_string(8 * sizeof(T)), 1));
    std::vector<T> values(4096 * 24 / sizeof(T));
    for (std::size_t lane = 0; lane < 32; ++lane) {
        values[lane] = lane == 7 ? other_a : a;
        values[4096 / sizeof(T) + lane] = lane == 7 ? other_b : b;
    }
    runtime::LaunchShape shape;
    shape.grid = {1, 1, 1};
    shape.block = {32, 1, 1};
    Timed const t = timed_launch(modules.device, *module, "k", shape,
                                 runtime::Arguments::of(modules.device.upload(values)), timing_options(1));
    return t.timing->micro_ops;
}

}  // namespace

TEST_CASE("Kernels with routines take as much memory as what ptxas makes of them", "[timing][plan]") {
    for (std::size_t c = 0; c < 3; ++c) {
        Modules modules(configs_of_table[c]);
        std::ifstream in(WARPSIM_SOURCE_DIR "/tests/timing/sass_routines.txt");
        std::size_t seen = 0;
        for (std::string line; std::getline(in, line);) {
            if (line.empty() || line[0] == '#') continue;
            int wanted[3] = {}, count = 0;
            std::string type, operation;
            std::istringstream words(line);
            words >> wanted[0] >> wanted[1] >> wanted[2] >> count >> type >> std::ws;
            std::getline(words, operation);
            auto const module = modules.device.load_text("k.ptx", kernel(operation, type, count));
            auto const ours = static_cast<int>(
                timing::code_places(modules.compiled(*module, "k").functions.front().machine).back());
            INFO(count << " " << operation << " on " << configs_of_table[c] << ": " << ours << ", ptxas "
                       << wanted[c]);
            CHECK(100 * std::abs(ours - wanted[c]) <= 8 * wanted[c]);
            ++seen;
        }
        CHECK(seen > 40);
    }
}

TEST_CASE("A warp executes a routine where a lane has operands that need it", "[timing][plan]") {
    Modules modules("a100");
    float const zero = 0, infinite = std::numeric_limits<float>::infinity(), small = 1e-40f, large = 3e38f;
    struct Case {
        char const* operation;
        float a, b;
        std::uint64_t more;  // micro-ops than where all have 3 and 2
    };
    for (Case const& k : std::initializer_list<Case>{{"div.rn.f32 D, A, B", 1, 3, 0},
                                                     {"div.rn.f32 D, A, B", zero, 2, 35},
                                                     {"div.rn.f32 D, A, B", 1, zero, 35},
                                                     {"div.rn.f32 D, A, B", infinite, 2, 35},
                                                     {"div.rn.f32 D, A, B", small, 2, 45},
                                                     {"div.rn.f32 D, A, B", large, 1e-3f, 45},
                                                     {"div.full.f32 D, A, B", zero, 2, 0},
                                                     {"rcp.rn.f32 D, A", 1e30f, 0, 0},
                                                     {"rcp.rn.f32 D, A", zero, 0, 24},
                                                     {"rcp.rn.f32 D, A", large, 0, 24},
                                                     {"sqrt.rn.f32 D, A", 1e-20f, 0, 0},
                                                     {"sqrt.rn.f32 D, A", zero, 0, 11},
                                                     {"sqrt.rn.f32 D, A", -1, 0, 27},
                                                     {"sqrt.rn.f32 D, A", small, 0, 27}}) {
        INFO(k.operation << " of " << k.a << " and " << k.b);
        CHECK(executed<float>(modules, k.operation, 3, 2, k.a, k.b) ==
              executed<float>(modules, k.operation, 3, 2, 3, 2) + k.more);
    }
    struct Wide {
        char const* operation;
        double a, b;
        std::uint64_t more;
    };
    for (Wide const& k : std::initializer_list<Wide>{{"div.rn.f64 D, A, B", 1, 3, 0},
                                                     {"div.rn.f64 D, A, B", 0, 3, 64},
                                                     {"div.rn.f64 D, A, B", 3, 0, 64},
                                                     {"div.rn.f64 D, A, B", 1e-300, 3, 60},
                                                     {"rcp.rn.f64 D, A", 1e200, 0, 0},
                                                     {"rcp.rn.f64 D, A", 0, 0, 19},
                                                     {"sqrt.rn.f64 D, A", 1e-200, 0, 0},
                                                     {"sqrt.rn.f64 D, A", 0, 0, 15},
                                                     {"sqrt.rn.f64 D, A", -1, 0, 36},
                                                     {"rsqrt.approx.f64 D, A", 5, 0, 0},
                                                     {"rsqrt.approx.f64 D, A", 0, 0, 12}}) {
        INFO(k.operation << " of " << k.a << " and " << k.b);
        CHECK(executed<double>(modules, k.operation, 3, 2, k.a, k.b) ==
              executed<double>(modules, k.operation, 3, 2, 3, 2) + k.more);
    }
}

TEST_CASE("The operands of a function's first instruction are its own", "[timing][plan]") {
    Modules modules("a100");
    std::string const text = R"(.version 7.8
.target sm_75
.address_size 64
.func (.reg .f32 q) quotient (.reg .f32 a, .reg .f32 b)
{
    div.rn.f32 q, a, b;
    ret;
}
.visible .entry k(.param .f32 a, .param .u64 p)
{
    .reg .f32 %f<9>;
    .reg .u64 %d;
    ld.param.f32 %f0, [a];
    ld.param.u64 %d, [p];
    add.f32 %f1, %f0, 0f3F800000;
    add.f32 %f2, %f1, 0f3F800000;
    add.f32 %f3, %f2, 0f3F800000;
    add.f32 %f4, %f3, 0f3F800000;
    add.f32 %f5, %f4, 0f3F800000;
    call (%f6), quotient, (%f0, %f1);
    add.f32 %f7, %f6, %f2;
    add.f32 %f7, %f7, %f3;
    add.f32 %f7, %f7, %f4;
    add.f32 %f7, %f7, %f5;
    st.global.f32 [%d], %f7;
    ret;
}
)";
    auto const module = modules.device.load_text("k.ptx", text);
    auto const micro_ops = [&](float a) {
        runtime::LaunchShape shape;
        shape.grid = {1, 1, 1};
        shape.block = {32, 1, 1};
        auto const out = modules.device.upload(std::vector<float>(1));
        return timed_launch(modules.device, *module, "k", shape, runtime::Arguments::of(a, out), timing_options(1))
            .timing->micro_ops;
    };
    CHECK(micro_ops(0) == micro_ops(3) + 35);
}

}  // namespace plan_routines_test
