// Which of the registers that are handed out anyway a kernel uses.
#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/allocate.hpp"
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <set>

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
            for (std::uint32_t const written : registers(k, j, true)) CHECK(read.count(written) == 0);
            ++checked;
        }
    }
    CHECK(checked > 100);
    // ptxas 13.0 takes 14.
    CHECK(k.machine.registers >= 12);
    CHECK(k.machine.registers <= 14);
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
