// Which of the registers that are handed out anyway a kernel uses.
#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/allocate.hpp"
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <map>
#include <set>
#include <sstream>

namespace plan_spread_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

timing::Allocation const& allocation(Compiled const& k) { return k.machine.functions.front().allocation; }

/// Every 32-bit register that the instruction reads, or writes.
std::set<std::uint32_t> registers(Compiled const& k, std::uint32_t i, bool writes) {
    timing::MachineFunction const& m = k.function();
    std::set<std::uint32_t> found;
    for (std::uint32_t const reg : writes ? m.machine_writes[i] : m.machine_reads[i]) {
        std::uint32_t const first = allocation(k).at(reg, writes ? ir::write_point(i) : ir::read_point(i));
        for (std::uint32_t u = 0; u < m.units(reg); ++u) found.insert(first + u);
    }
    return found;
}

std::string numbered(std::string text, int number) {
    for (std::size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, std::to_string(number));
    return text;
}

/// Values r2 to r17, each made of the one before it, of which the last is stored.
std::string chain(std::string const& step) {
    std::string text = "ld.global.u32 %r1, [%in];\n";
    for (int i = 2; i < 18; ++i) text += step + " %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ";\n";
    return text + "st.global.u32 [%o4], %r17;\n";
}

/// Names of results and the registers that they should have, in turn.
void check_registers(Compiled const& k, std::string const& expected) {
    std::map<std::string, std::uint32_t> found;
    for (std::uint32_t i = 0; i < k.function().instructions.size(); ++i) {
        for (std::uint32_t const reg : k.function().machine_writes[i])
            found[k.function().function->registers[reg].name] = allocation(k).at(reg, ir::write_point(i));
    }
    std::istringstream words(expected);
    std::uint32_t place = 0;
    for (std::string name; words >> name >> place;) {
        INFO(name);
        CHECK(found.at(name) == place);
    }
}

}  // namespace

TEST_CASE("Operands that are read together are in different banks while registers are left", "[timing]") {
    std::string text;
    for (int i = 1; i <= 8; ++i) text += numbered("ld.global.f32 %f#, [%in+", i) + std::to_string(4 * i) + "];\n";
    text += "mul.f32 %f20, %f1, 0f3F000000;\n";
    for (int i = 2; i <= 8; ++i) {
        text += "fma.rn.f32 %f" + std::to_string(19 + i) + ", %f" + std::to_string(i) + ", 0f3E800000, %f" +
                std::to_string(18 + i) + ";\n";
    }
    Compiled const k(text + "st.global.f32 [%o4], %f27;\n", "", "a100");
    unsigned sums = 0;
    for (std::uint32_t i = 0; i < k.function().instructions.size(); ++i) {
        if (!k.machine.module.written(k.function().ir(i)).starts_with("fma.rn.f32")) continue;
        std::set<std::uint32_t> const read = registers(k, i, false);
        REQUIRE(read.size() == 2);
        CHECK(*read.begin() % 2 != *read.rbegin() % 2);
        ++sums;
    }
    CHECK(sums == 7);
    // ptxas 13.0 gives 24 to the same with nine loads, of which twelve values are live at once.
    CHECK(k.machine.registers <= 24);
}

TEST_CASE("Values have the registers that ptxas gives them", "[timing]") {
    // Loads of shared memory that nothing merges, what is made of them, and what is stored again; and what ptxas 13.0 names for sm_80,
    // from the first to the last result; for sm_86 only where that says so.
    struct Sequence {
        char const *name, *body, *registers, *config = "a100";
    };
    static constexpr Sequence sequences[] = {
        {"as in the program where all live at once",
         "L1; L2; add.f32 %f3, %f1, 0f3F800000; add.f32 %f4, %f2, 0f3F800000; S3; S4; S1; S2;", "0 2 3 4"},
        {"constants behind loads", "L1; mov.f32 %f2, 0f42F60000; L3; S1; S2; S3;", "0 3 2"},
        {"first what another one could follow in its register",
         "L1; L2; L3; add.f32 %f4, %f3, 0f3F800000; S1; S2; S4;", "2 3 0 0"},
        {"sums in the lowest register in the bank that the next one needs",
         "L1; L2; L3; L4; L5; add.f32 %f6, %f1, %f2; add.f32 %f7, %f6, %f3; add.f32 %f8, %f7, %f4; "
         "add.f32 %f9, %f8, %f5; S9;",
         "0 3 2 4 5 3 3 4 4"},
        {"sums across", "L1; L2; L3; L4; add.f32 %f5, %f1, %f4; add.f32 %f6, %f2, %f3; add.f32 %f7, %f6, %f5; S7;",
         "0 2 3 5 0 3 0"},
        {"sums backwards",
         "L1; L2; L3; L4; L5; add.f32 %f6, %f5, %f4; add.f32 %f7, %f6, %f3; add.f32 %f8, %f7, %f2; "
         "add.f32 %f9, %f8, %f1; S9;",
         "0 2 3 4 5 4 3 3 0"},
        {"first what another one could only follow later", "L1; L2; S2; L3; S3; S1;", "3 0 2"},
        {"two beside all of these", "L1; L2; L3; S3; L4; S4; L5; S5; L6; S6; S2; S1;", "5 6 0 2 3 4"},
        {"three operands, of which two are in different banks",
         "L1; L2; L3; fma.rn.f32 %f4, %f1, %f2, %f3; S4; S1; S2; S3;", "0 3 2 4"},
        {"a factor and the summand for two floats a cycle",
         "L1; L2; L3; fma.rn.f32 %f4, %f1, %f2, %f3; S4; S1; S2; S3;", "0 3 5 2", "rtx3070"},
        {"the other factor", "L1; L2; L3; fma.rn.f32 %f4, %f1, %f3, %f2; S4; S1; S2; S3;", "0 3 2 4", "rtx3070"},
        {"rather an operand that nothing else reads",
         "L1; L2; L3; L4; add.f32 %f5, %f2, %f4; S5; add.f32 %f6, %f2, %f3; S6; S1; S4;", "2 0 3 5 4 3"},
        {"banks by those that have registers already",
         "L1; L5; L2; L6; L3; add.f32 %f4, %f1, %f3; S4; add.f32 %f7, %f2, %f3; S7; add.f32 %f8, %f5, %f6; S8; "
         "S1; S2; S3; S5; S6;",
         "0 3 4 6 2 5 7 8"},
    };
    for (Sequence const& sequence : sequences) {
        INFO(sequence.name);
        std::string body;
        for (char const* c = sequence.body; *c != '\0'; ++c) {
            if (*c != 'L' && *c != 'S') {
                body += *c;
                continue;
            }
            std::string const place = "[area+" + std::to_string(32 * (c[1] - '0') + (*c == 'S' ? 512 : 0)) + "]";
            std::string const reg = std::string("%f") + *++c;
            body += c[-1] == 'L' ? "ld.volatile.shared.f32 " + reg + ", " + place
                                 : "st.volatile.shared.f32 " + place + ", " + reg;
        }
        Compiled const k(body, "", sequence.config);
        std::istringstream registers(sequence.registers);
        std::string expected;
        int number = 0;
        for (std::string place; registers >> place;) expected += " %f" + std::to_string(++number) + " " + place;
        check_registers(k, expected);
    }
}

TEST_CASE("Of values beside which others could take all registers the one that is needed longest chooses first",
          "[timing]") {
    // As ptxas 13.0 does it for sm_80.
    auto const places = [](int rounds, std::vector<int> const& stored) {
        std::string body;
        auto const add = [&](char const* operation, int number, int place) {
            std::string const reg = "%r" + std::to_string(number), at = "[area+" + std::to_string(place) + "]";
            bool const loads = operation[0] == 'l';
            body += operation + (loads ? reg + ", " + at : at + ", " + reg) + ";\n";
        };
        for (int number : {1, 2, 3}) add("ld.volatile.shared.u32 ", number, 32 * number);
        for (int i = 0; i < rounds; ++i) {
            add("ld.volatile.shared.u32 ", 4, 128);
            add("st.volatile.shared.u32 ", 4, 640);
        }
        for (int const number : stored) add("st.volatile.shared.u32 ", number, 512 + 32 * number);
        Compiled const k(body, "", "a100");
        std::vector<std::uint32_t> found;
        for (int number : {1, 2, 3}) {
            auto const i =
                static_cast<std::uint32_t>(k.place("ld.volatile.shared.u32 %r" + std::to_string(number) + ","));
            found.push_back(allocation(k).at(k.function().machine_writes[i][0], ir::write_point(i)));
        }
        return found;
    };
    using Places = std::vector<std::uint32_t>;
    CHECK(places(2, {1, 2, 3}) == Places{3, 4, 5});
    CHECK(places(2, {3, 2, 1}) == Places{3, 4, 5});
    CHECK(places(40, {1, 2, 3}) == Places{9, 8, 7});
    CHECK(places(40, {3, 2, 1}) == Places{7, 8, 9});
}

TEST_CASE("Special registers choose last, unless as many values as there are registers are live beside them",
          "[timing]") {
    struct Rounds {
        char const* config;
        int last_of_few, first_of_many;
    };
    // As ptxas 13.0 does it for 32, 40 and 64 registers, of which one holds the stack and two the program counter.
    for (Rounds const& r : {Rounds{"rtx2060", 30, 31}, {"a100", 14, 15}, {"rtx3070", 18, 19}, {"h100", 14, 15}}) {
        auto const place = [&](int rounds) {
            std::string body = "mov.u32 %r1, %tid.x;\n";
            for (int i = 0; i < rounds; ++i) {
                body += "ld.volatile.shared.u32 %r2, [area];\nld.volatile.shared.u32 %r3, [area+64];\n"
                        "st.volatile.shared.u32 [area+16], %r1;\nst.volatile.shared.u32 [area+32], %r2;\n"
                        "st.volatile.shared.u32 [area+64], %r3;\n";
            }
            Compiled const k(body, "", r.config);
            std::uint32_t const i = static_cast<std::uint32_t>(k.place("mov.u32 %r1"));
            return allocation(k).at(k.function().machine_writes[i][0], ir::write_point(i));
        };
        INFO(r.config);
        CHECK(place(1) == 3);
        CHECK(place(r.last_of_few) == 7);
        CHECK(place(r.first_of_many) == 0);
    }
}

TEST_CASE(
    "A number of 16 bits is stored from the lowest register, a wider one from the other bank than the address",
    "[timing]") {
    for (char const* const config : {"a100", "rtx3070"}) {
        INFO(config);
        Compiled const narrow("mov.u16 %h1, 7;\nst.global.u8 [%o4], %h1;\n", "", config);
        CHECK(registers(narrow, static_cast<std::uint32_t>(narrow.place("mov.u16 %h1")), true) == std::set{0u});
        Compiled const wide("mov.u32 %r1, 7;\nst.global.u32 [%o4], %r1;\n", "", config);
        CHECK(*registers(wide, static_cast<std::uint32_t>(wide.place("mov.u32 %r1")), true).begin() % 2 == 1);
    }
}

TEST_CASE("Registers are given out for as many loads as are under way if pipelines keep none from it",
          "[timing]") {
    // Least and greatest values in a loop: ptxas 13.0 takes 30, 30 and 29 for both, 18 for one of them alone.
    auto const registers = [](std::string const& config, bool is_second) {
        std::string loads, limits;
        for (int i = 0; i < 16; ++i) {
            std::string const n = std::to_string(10 + i), offset = std::to_string(64 * i);
            loads += "ld.shared.u32 %v" + n + ", [%r3+" + offset + "];\n";
            limits += "min.u32 %r1, %r1, %v" + n + ";\n";
            if (!is_second) continue;
            loads += "ld.shared.u32 %w" + n + ", [%r3+" + offset + "+2048];\n";
            limits += "max.u32 %r2, %r2, %w" + n + ";\n";
        }
        Compiled const k(".reg .u32 %v<30>, %w<30>;\nmov.u32 %r1, %i;\nmov.u32 %r2, %i;\nmov.u32 %r3, 0;\n"
                         "ld.param.u64 %d1, [p_in];\ncvt.u32.u64 %r5, %d1;\nagain:\n.pragma \"nounroll\";\n" +
                             loads + limits +
                             "add.u32 %r3, %r3, 4;\nsetp.lt.u32 %p1, %r3, %r5;\n@%p1 bra again;\n"
                             "st.global.u32 [%o4], %r1;\nst.global.u32 [%o4+4], %r2;\n",
                         "", config);
        return k.machine.registers;
    };
    for (auto const& [config, both] : {std::pair("rtx2060", 30u), {"a100", 30u}, {"rtx3070", 29u}}) {
        INFO(config);
        CHECK(registers(config, false) == 18);
        CHECK(registers(config, true) == both);
    }
}

TEST_CASE("What is read late is not overwritten by the next ten instructions", "[timing]") {
    Compiled const k(chain("brev.b32"), "", "a100");
    timing::MachineFunction const& m = k.function();
    unsigned checked = 0;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (m.instructions[i].micros == 0 || !k.machine.module.written(m.ir(i)).starts_with("brev")) continue;
        std::set<std::uint32_t> const read = registers(k, i, false);
        std::uint32_t const from = m.instructions[i].first_micro;
        for (std::uint32_t j = i + 1; j < m.instructions.size(); ++j) {
            if (m.instructions[j].first_micro > from + 10) break;
            // Others may come closer once they have their registers.
            if (!k.machine.module.written(m.ir(j)).starts_with("brev")) continue;
            for (std::uint32_t const written : registers(k, j, true)) CHECK(read.count(written) == 0);
            ++checked;
        }
    }
    CHECK(checked > 100);
    // ptxas 13.0 takes 14.
    CHECK(k.machine.registers >= 12);
    CHECK(k.machine.registers <= 14);
}

TEST_CASE(
    "What is read late may be overwritten at once on a path that becomes guarded, unless that waits for memory",
    "[timing]") {
    std::string const before = "ld.volatile.shared.u32 %r1, [area];\nst.volatile.shared.u32 [area+16], %r1;\n";
    std::string const load = "ld.volatile.shared.u32 %r2, [area+32];\n",
                      store = "st.volatile.shared.u32 [area+48], %r2;\n";
    std::string const branch = "setp.eq.u64 %p1, %in, 0;\n@%p1 bra behind;\n";
    for (char const* const config : {"rtx2060", "a100", "rtx3070"}) {
        INFO(config);
        auto const place = [&](std::string const& body) {
            Compiled const k(body, "", config);
            return *registers(k, static_cast<std::uint32_t>(k.place("ld.volatile.shared.u32 %r2")), true).begin();
        };
        CHECK(place(before + load + store) == 2);
        CHECK(place(before + branch + load + store + "behind:\n") == 0);
    }
}

TEST_CASE("A register that is wished for twice comes before others", "[timing]") {
    // %r10 ends %r8 and leads to an address in the pair above it; ptxas 13.0 gives all these registers for sm_80.
    Compiled const k(R"(
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.y;
mov.u32 %r4, %tid.y;
shl.b32 %r5, %r1, 4;
add.s32 %r6, %r5, %r2;
shl.b32 %r7, %r3, 4;
add.s32 %r8, %r7, %r4;
mad.lo.s32 %r9, %r8, 100, %r6;
mul.wide.s32 %d1, %r9, 4;
add.s64 %d2, %in, %d1;
ld.global.f32 %f1, [%d2];
mad.lo.s32 %r10, %r6, 200, %r8;
mul.wide.s32 %d3, %r10, 4;
add.s64 %d4, %out, %d3;
st.global.f32 [%d4], %f1;
)",
                     "", "a100");
    check_registers(k, "%r1 0 %r2 3 %r3 5 %r4 2 %r6 0 %r8 5 %r9 2 %d2 2 %f1 3 %r10 5 %d4 4");
    CHECK(allocation(k).registers == 8);
}

TEST_CASE("Indices of constant memory are read late", "[timing]") {
    Compiled const k(R"(
and.b32 %r1, %s, 60;
cvt.u64.u32 %d1, %r1;
mov.u64 %d2, table;
add.u64 %d3, %d2, %d1;
ld.const.f32 %f1, [%d3];
add.f32 %f2, %f1, 0f3F800000;
ld.const.f32 %f3, [%d3+16];
add.f32 %f4, %f3, 0f40000000;
ld.const.f32 %f5, [%d3+32];
mul.f32 %f6, %f2, %f4;
mul.f32 %f7, %f6, %f5;
st.global.f32 [%o4], %f7;
)",
                     "", "a100", ".const .align 4 .b8 table[1024];\n");
    check_registers(k, "%r1 0 %f1 2 %f3 4 %f5 5 %f2 3 %f4 4 %f6 4 %f7 5");
}

TEST_CASE("The zero above an extended value comes when all is needed, and others have its register before",
          "[timing]") {
    // As in ptxas 13.0's code, where the value is in R2 and others are in R3.
    std::string body = "ld.volatile.shared.u32 %r1, [area];\ncvt.u64.u32 %d1, %r1;\n"
                       "ld.volatile.shared.u32 %r2, [area+32];\nld.volatile.shared.u32 %r3, [area+36];\n"
                       "st.volatile.shared.u32 [area+64], %r2;\nst.volatile.shared.u32 [area+68], %r3;\n";
    for (int i = 0; i < 5; ++i) {
        body += "ld.volatile.shared.u32 %r4, [area+" + std::to_string(40 + 4 * i) +
                "];\nadd.u32 %r4, %r4, %r1;\nst.volatile.shared.u32 [area+" + std::to_string(80 + 4 * i) +
                "], %r4;\n";
    }
    for (char const* const config : {"rtx2060", "a100", "rtx3070"}) {
        INFO(config);
        Compiled const k(body + "st.volatile.shared.u64 [area+128], %d1;\n", "", config);
        auto const extension = static_cast<std::uint32_t>(k.place("cvt.u64.u32 %d1"));
        std::uint32_t const upper = *registers(k, extension, true).rbegin();
        CHECK(*registers(k, static_cast<std::uint32_t>(k.place("ld.volatile.shared.u32 %r1,")), true).begin() +
                  1 ==
              upper);
        bool is_used_before = false;
        for (std::uint32_t i = 0; i < extension; ++i)
            is_used_before = is_used_before || registers(k, i, true).contains(upper);
        CHECK(is_used_before);
    }
}

TEST_CASE("Results of arithmetic take the register of an operand", "[timing]") {
    Compiled const k(chain("not.b32"), "", "a100");
    CHECK(k.machine.registers <= 10);
}

TEST_CASE("Spreading values takes no more of what registers are handed out in", "[timing]") {
    constexpr std::uint32_t unit = 8, free = 32;
    Modules modules("a100");
    for (char const* const name :
         {"matmul", "nbody", "stencil", "transpose", "scan", "mandelbrot", "warp_reduction"}) {
        INFO(name);
        timing::MachineKernel const& k = modules.kernel(std::string("tests/kernels/") + name + ".ptx", name);
        std::uint32_t const least = timing::allocate(k.functions.front().machine).registers;
        CHECK(k.registers <= std::max((least + unit - 1) / unit * unit, free));
    }
}

TEST_CASE("Copies of an unrolled loop do not share the registers of their values", "[timing]") {
    // Each copy stores its own sum, and may not wait until the one before it has been read.
    Modules modules("a100");
    timing::CompiledFunction const& f =
        modules.kernel("tests/timing/published/kernels.ptx", "gemm").functions.front();
    timing::MachineFunction const& m = f.machine;
    std::set<std::uint32_t> places;
    std::uint32_t stores = 0;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (ir::effect(*m.module, m.ir(i)) != isa::Effect::store || m.machine_reads[i].size() != 2) continue;
        for (std::uint32_t const reg : m.machine_reads[i])
            if (m.units(reg) == 1) places.insert(f.allocation.at(reg, ir::read_point(i)));
        ++stores;
    }
    REQUIRE(stores > 30);
    CHECK(places.size() >= 3);
    CHECK(places.size() <= 6);
}

}  // namespace plan_spread_test
