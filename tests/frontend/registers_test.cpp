#include "frontend/ir/registers.hpp"
#include "tests/support/build_function.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace registers_test {

using namespace warpsim;
using namespace warpsim::test;
using Registers = std::vector<std::uint32_t>;

namespace {

struct Accessed {
    Registers read, written;
    bool operator==(Accessed const&) const = default;
};

std::ostream& operator<<(std::ostream& out, Accessed const& a) {
    for (auto reg : a.read) out << " r" << reg;
    out << " |";
    for (auto reg : a.written) out << " w" << reg;
    return out;
}

Accessed accessed(std::string_view mnemonic, std::initializer_list<Written> operands, Guard guard = {}) {
    FunctionBuilder b;
    for (int i = 0; i < 20; ++i) {
        b.reg("%r" + std::to_string(i));
    }
    b.function.returns = {17, 3, 18};
    b.function.return_in_register = {true, false, true};
    auto const index = b.emit(mnemonic, operands, guard);
    Accessed result;
    ir::for_each_register(
        b.module, b.function, b.function.instructions[index],
        [&](std::uint32_t reg, bool written) { (written ? result.written : result.read).push_back(reg); });
    return result;
}

Written function_target() { return ir::Operand{.kind = ir::Operand::Kind::function, .index = 0}; }

}  // namespace

TEST_CASE("Arithmetic writes its first operand and reads the others and its guard", "[frontend]") {
    CHECK(accessed("add.u32", {r(1), r(2), r(3)}, {.reg = 9}) == Accessed{{9, 2, 3}, {1}});
    CHECK(accessed("add.u32", {r(1), r(1), immediate(4)}) == Accessed{{1}, {1}});
}

TEST_CASE("A pair of destinations is written, a sink is not", "[frontend]") {
    CHECK(accessed("setp.lt.u32", {r(1), r(2), r(3), r(4)}) == Accessed{{3, 4}, {1, 2}});
    CHECK(accessed("setp.lt.u32", {r(1), sink(), r(3), r(4)}) == Accessed{{3, 4}, {1}});
    CHECK(accessed("shfl.sync.bfly.b32", {r(1), r(2), r(3), immediate(1), immediate(31), r(4)}) ==
          Accessed{{3, 4}, {1, 2}});
    CHECK(accessed("match.all.sync.b32", {r(1), r(2), r(3), r(4)}) == Accessed{{3, 4}, {1, 2}});
    CHECK(accessed("match.any.sync.b32", {r(1), r(3), r(4)}) == Accessed{{3, 4}, {1}});
    CHECK(accessed("elect.sync", {sink(), r(2), r(3)}) == Accessed{{3}, {2}});
}

TEST_CASE("The elements of a vector destination are written", "[frontend]") {
    CHECK(accessed("ld.global.v2.u32", {vector({r(1), r(2)}), address(3, 8)}) == Accessed{{3}, {1, 2}});
    CHECK(accessed("mov.b64", {vector({r(1), sink()}), r(3)}) == Accessed{{3}, {1}});
    CHECK(accessed("mov.b64", {r(1), vector({r(2), r(3)})}) == Accessed{{2, 3}, {1}});
}

TEST_CASE("Stores, reductions, barriers and branches write no register", "[frontend]") {
    CHECK(accessed("st.global.v2.u32", {address(1), vector({r(2), r(3)})}) == Accessed{{1, 2, 3}, {}});
    CHECK(accessed("red.global.add.u32", {address(1), r(2)}) == Accessed{{1, 2}, {}});
    CHECK(accessed("bar.sync", {r(1), r(2)}) == Accessed{{1, 2}, {}});
    CHECK(accessed("brx.idx", {r(1)}) == Accessed{{1}, {}});
}

TEST_CASE("An atomic and a barrier reduction write their first operand", "[frontend]") {
    CHECK(accessed("atom.global.add.u32", {r(1), address(2), r(3)}) == Accessed{{2, 3}, {1}});
    CHECK(accessed("atom.global.add.u32", {sink(), address(2), r(3)}) == Accessed{{2, 3}, {}});
    CHECK(accessed("bar.red.and.pred", {r(1), immediate(0), r(2)}) == Accessed{{2}, {1}});
}

TEST_CASE("A call writes its results and reads its target and arguments", "[frontend]") {
    CHECK(accessed("call", {list({r(1)}), function_target(), list({r(2), r(3)})}) == Accessed{{2, 3}, {1}});
    CHECK(accessed("call", {function_target(), list({r(2), r(3)})}) == Accessed{{2, 3}, {}});
    CHECK(accessed("call", {list({}), r(4), list({r(2)})}) == Accessed{{4, 2}, {}});
    CHECK(accessed("call", {r(4)}) == Accessed{{4}, {}});
}

TEST_CASE("A ret reads the return registers of its function", "[frontend]") {
    CHECK(accessed("ret", {}) == Accessed{{17, 18}, {}});
    CHECK(accessed("exit", {}) == Accessed{});
}

TEST_CASE("The accumulator of wgmma is read and written", "[frontend]") {
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    if (std::none_of(rows.begin(), rows.end(),
                     [](isa::Row const& row) { return row.syntax.starts_with("wgmma.mma"); })) {
        WARN("no row of the table is wgmma.mma_async");
        return;
    }
    Written const accumulator = vector({r(1), r(2)});
    CHECK(accessed("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", {accumulator, r(3), r(4), r(5)}) ==
          Accessed{{1, 2, 3, 4, 5}, {1, 2}});
}

}  // namespace registers_test
