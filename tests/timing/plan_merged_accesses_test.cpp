// Accesses to shared memory, and loads of constants, that a compiler makes one of.
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

namespace plan_merged_accesses_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// The accesses to shared memory that are issued.
std::size_t count_accesses(timing::CompiledFunction const& f) {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < f.machine.instructions.size(); ++i) {
        bool const is_shared = f.machine.form(i).space == isa::StateSpace::shared;
        count += is_shared && f.machine.instructions[i].micros != 0;
    }
    return count;
}

/// The loads of constants that are issued, and the moves of constants into registers.
std::pair<std::size_t, std::size_t> count_constants(timing::CompiledFunction const& f) {
    std::size_t loads = 0, moves = 0;
    for (std::uint32_t i = 0; i < f.machine.instructions.size(); ++i) {
        if (f.machine.form(i).space != isa::StateSpace::constant) continue;
        timing::MachineInstruction const& instruction = f.machine.instructions[i];
        for (std::uint32_t k = 0; k < instruction.micros; ++k) {
            bool const loads_it =
                f.machine.micros[instruction.first_micro + k].unit == timing::MicroUnit::constant;
            (loads_it ? loads : moves) += 1;
        }
    }
    return {loads, moves};
}

}  // namespace

TEST_CASE("Neighbouring accesses to shared memory are merged where ptxas merges them", "[timing]") {
    // LDS and STS in the code that ptxas 13.0 makes for sm_80.
    std::pair<char const*, std::size_t> const expected[]{
        {"four", 2},
        {"rows", 5},
        {"padded_rows", 32},
        {"doubles", 3},
        {"halves", 2},
        {"bytes", 5},
        {"behind_global_store", 2},
        {"behind_shared_store", 4},
        {"three_of_four", 2},
        {"first_and_last", 3},
        {"first_and_third", 3},
        {"in_the_middle", 3},
        {"across_four", 3},
        {"six", 3},
        {"far_apart", 2},
        {"stores_with_gap", 3},
        {"in_branch", 2},
        {"tiles", 21},
        {"stores_in_the_middle", 3},
        {"unknown_index", 3},
        {"even_index", 2},
    };
    Modules modules("a100");
    for (auto const& [kernel, accesses] : expected) {
        INFO(kernel);
        CHECK(count_accesses(modules.kernel("tests/timing/merged_accesses.ptx", kernel).functions.front()) ==
              accesses);
    }
}

TEST_CASE("Neighbouring loads of constants are merged where ptxas merges them", "[timing]") {
    // LDC and ULDC with a register in the code that ptxas 13.0 makes for sm_75 and sm_90; constants at known places are
    // operands, or take moves (MOV), of which these are for sm_75.
    struct Kernel {
        char const* name;
        std::size_t loads, moves;
    };
    Kernel const expected[]{
        {"pair", 1, 0},           {"odd_pair", 2, 0},     {"unknown_pair", 2, 0},    {"quad", 2, 0},
        {"first_three", 2, 0},    {"last_three", 2, 0},   {"in_the_middle", 2, 0},   {"first_and_third", 2, 0},
        {"first_and_last", 2, 0}, {"backwards", 1, 0},    {"eight", 4, 0},           {"of_twos", 1, 0},
        {"of_threes", 3, 0},      {"of_fours", 2, 0},     {"of_vectors", 2, 0},      {"of_doubles", 2, 0},
        {"of_bytes", 4, 0},       {"uniform_pair", 1, 0}, {"uniform_unknown", 2, 0}, {"across_store", 1, 0},
        {"across_barrier", 1, 0}, {"in_branch", 1, 0},    {"guarded", 1, 0},         {"known_word", 0, 0},
        {"known_double", 0, 0},   {"known_vector", 0, 1}, {"stored", 0, 1},          {"two_in_one", 0, 1},
        {"filter", 0, 0},
    };
    for (char const* config : {"rtx2060", "h100"}) {
        Modules modules(config);
        for (Kernel const& k : expected) {
            INFO(config << ": " << k.name);
            auto const& kernel = modules.kernel("tests/timing/constant_loads.ptx", k.name);
            auto const [loads, moves] = count_constants(kernel.functions.front());
            CHECK(loads == k.loads);
            if (config == std::string("rtx2060")) CHECK(moves == k.moves);
            else if (k.name == std::string("known_vector")) CHECK(moves == 2);
        }
    }
}

TEST_CASE("Every lane gets its values from a merged load of constants", "[timing]") {
    // Words 2 * i and 2 * i + 1 of the table, once more for the odd lanes alone, and one at a known place.
    std::string const body = R"(
        .reg .b32 t, i, x<4>, known; .reg .b64 a; .reg .pred odd;
        mov.u32 t, %tid.x; and.b32 i, t, 7; mul.wide.u32 a, i, 8; mov.u64 %d1, table; add.s64 a, a, %d1;
        ld.const.u32 x1, [a+4]; st.global.u32 [%o4+2048], x1; bar.sync 0; ld.const.u32 x0, [a];
        mad.lo.u32 x0, x0, 11, x1;
        and.b32 i, t, 1; setp.ne.u32 odd, i, 0;
        mov.u32 x2, 5; mov.u32 x3, 7;
        @odd ld.const.u32 x2, [a+8]; @odd ld.const.u32 x3, [a+12];
        mad.lo.u32 x0, x0, 13, x2; mad.lo.u32 x0, x0, 17, x3;
        ld.const.u32 known, [table+12]; add.u32 x0, x0, known;
        st.global.u32 [%o4], x0;
    )";
    std::string const table =
        ".const .align 4 .b32 table[18] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3};\n";
    Compiled k(body, "", "v100", table);
    CHECK(count_constants(k.machine.functions.front()) == std::pair<std::size_t, std::size_t>{2, 0});
    check_as_functional(k, 2);
}

TEST_CASE("A merged access is one for the banks, and every lane gets its values", "[timing]") {
    // Words 4 * tid ... 4 * tid + 3 of 64 threads; then those of the lane beside it, some of them twice.
    std::string const body = R"(
        .reg .b32 t, o, b, a, a2, x<4>; .reg .b32 sum;
        mov.u32 t, %tid.x; shl.b32 o, t, 4; mov.u32 b, area; add.u32 a, o, b;
        mov.u32 x0, %tid.x; mad.lo.u32 x1, x0, 7, 1; mad.lo.u32 x2, x0, 5, 2; mad.lo.u32 x3, x0, 3, 3;
        st.shared.u32 [a+8], x2; st.shared.u32 [a], x0; st.shared.u32 [a+4], x1; st.shared.u32 [a+12], x3;
        bar.sync 0;
        xor.b32 a2, a, 16;
        ld.shared.u32 x1, [a2+4]; ld.shared.u32 x0, [a2];
        mad.lo.u32 sum, x0, 11, x1;
        ld.shared.u32 x3, [a2+12]; ld.shared.u32 x2, [a2+8];
        mad.lo.u32 sum, sum, 13, x2; mad.lo.u32 sum, sum, 17, x3;
        ld.shared.u32 x1, [a2+4]; add.u32 sum, sum, x1;
        st.global.u32 [%o4], sum;
    )";
    Compiled k(body, "", "a100");
    CHECK(count_accesses(k.machine.functions.front()) == 3);
    check_as_functional(k, 2);
}

TEST_CASE("A merged access faults as its first part that is out of bounds", "[timing]") {
    std::string const body = R"(
        .reg .b32 t, o, b, a, x<2>;
        mov.u32 t, %tid.x; shl.b32 o, t, 3; mov.u32 b, area; add.u32 a, o, b;
        ld.shared.u32 x0, [a+1016]; ld.shared.u32 x1, [a+1020];
        add.u32 x0, x0, x1; st.global.u32 [%o4], x0;
    )";
    std::string timed, functional_report;
    for (bool const functional : {false, true}) {
        Compiled k(body, "", "a100");
        CHECK(count_accesses(k.machine.functions.front()) == 1);
        auto const in = k.modules.device.allocate(4096), out = k.modules.device.allocate(4096);
        runtime::LaunchShape shape;
        shape.block = {32, 1, 1};
        TimingSetup setup = timing_options(1);
        setup.functional = functional;
        try {
            timed_launch(k.modules.device, *k.module, "k", shape, runtime::Arguments::of(out, in), setup);
        } catch (sim::Fault const& fault) {
            timed = fault.what;
            CHECK(k.machine.module.written(k.function().function->instructions[fault.instruction]) ==
                  "ld.shared.u32 x0, [a+1016];");
        } catch (Error const& error) {
            functional_report = error.what();
        }
    }
    CHECK(timed != "");
    INFO(timed << "\n" << functional_report);
    CHECK(functional_report.find(timed) != std::string::npos);
    CHECK(functional_report.find("ld.shared.u32 x0") != std::string::npos);
}

}  // namespace plan_merged_accesses_test
