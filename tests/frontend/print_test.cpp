#include "frontend/ir/print.hpp"

#include "frontend/decode/control_flow.hpp"
#include "tests/support/build_function.hpp"
#include "tests/support/catch.hpp"

namespace print_test {

using namespace warpsim;
using namespace warpsim::test;
using ir::Operand;
using ir::Type;

namespace {

/// The text of one instruction whose registers are %r0, %r1 ...
std::string printed(std::string_view mnemonic, std::initializer_list<Written> operands, Guard guard = {}) {
    FunctionBuilder b;
    for (int i = 0; i < 8; ++i) {
        b.reg("%r" + std::to_string(i));
    }
    b.module.functions.emplace_back().name = "callee";
    b.module.variables.emplace_back().name = "table";
    b.function.variables.emplace_back().name = "frame";
    auto const index = b.emit(mnemonic, operands, guard);
    return ir::print(b.module, b.function, b.function.instructions[index]);
}

Written operand(Operand::Kind kind, std::uint32_t index, std::int64_t value = 0) {
    return Operand{.kind = kind, .index = index, .value = value};
}
Written immediate_of(Type type, std::int64_t value) {
    return Operand{.kind = Operand::Kind::immediate, .type = type, .value = value};
}
Written special(ir::SpecialRegister reg, int component = 0) {
    return operand(Operand::Kind::special, static_cast<std::uint32_t>(reg), component);
}

FunctionBuilder branching() {
    FunctionBuilder b("kernel");
    b.function.is_entry = true;
    b.function.is_visible = true;
    auto const p = b.reg("%p1", Type::pred);
    auto const x = b.reg("%r1");
    auto const d = b.reg("%rd1", Type::b64);
    b.function.variables.push_back({});
    b.function.variables[0].name = "kernel_param_0";
    b.function.variables[0].space = ir::StateSpace::param;
    b.function.variables[0].type = Type::u64;
    b.function.variables[0].size = 8;
    b.function.variables[0].align = 8;
    b.function.parameters = {0};
    b.function.parameter_in_register = {false};
    b.emit("ld.param.u64",
           {r(d),
            Operand{.kind = Operand::Kind::address, .base = Operand::AddressBase::function_variable, .index = 0}});
    b.emit("mov.u32", {r(x), special(ir::SpecialRegister::tid, 0)});
    b.emit("setp.lt.u32", {r(p), sink(), r(x), immediate(16)});
    b.emit("bra", {to("$L_end")}, {.reg = p, .negated = true});
    b.emit("st.global.u32", {address(d, 4), r(x)});
    b.label("$L_end");
    b.emit("ret");
    b.finish();
    std::string const text = "line one\nline two\nld\nmov\nsetp\nbra\nst\nret\n";
    b.module.sources = {std::make_shared<frontend::Source>("k.ptx", text)};
    for (std::uint32_t i = 0; i < b.function.instructions.size(); ++i) {
        char const* const words[] = {"ld", "mov", "setp", "bra", "st", "ret"};
        b.function.instructions[i].span = {static_cast<std::uint32_t>(text.find(words[i])), 2};
    }
    b.module.files = {"", "kernels.cu"};
    b.module.locations.push_back({.file = 1, .line = 6, .column = 1, .function = {}});
    b.function.instructions[4].location = 0;
    frontend::build_control_flow(b.module, b.function);
    frontend::lay_out_registers(b.module, b.function);
    return b;
}

}  // namespace

TEST_CASE("An instruction is printed with the names PTX gave its operands", "[frontend]") {
    CHECK(printed("add.u32", {r(1), r(2), immediate(-3)}) == "add.u32 %r1, %r2, -3;");
    CHECK(printed("add.u32", {r(1), r(2), r(3)}, {.reg = 4, .negated = true}) == "@!%r4 add.u32 %r1, %r2, %r3;");
    CHECK(printed("ld.global.v2.u32", {vector({r(1), sink()}), address(3, 8)}) ==
          "ld.global.v2.u32 {%r1, _}, [%r3+8];");
    CHECK(printed("ld.global.u32", {r(1), address(3, -8)}) == "ld.global.u32 %r1, [%r3+-8];");
    CHECK(printed("call", {list({r(1)}), operand(Operand::Kind::function, 0), list({r(2), r(3)})}) ==
          "call (%r1), callee, (%r2, %r3);");
    CHECK(printed("call", {list({}), operand(Operand::Kind::function, 0), list({vector({r(2), r(3)}), r(4)})}) ==
          "call callee, ({%r2, %r3}, %r4);");
    CHECK(printed("exit", {}) == "exit;");
}

TEST_CASE("White space inside a mnemonic is not printed", "[frontend]") {
    CHECK(printed("add .u32", {r(1), r(2), r(3)}) == "add.u32 %r1, %r2, %r3;");
}

TEST_CASE("A second destination is printed only where it is used", "[frontend]") {
    CHECK(printed("setp.lt.u32", {r(1), r(2), r(3), r(4)}) == "setp.lt.u32 %r1|%r2, %r3, %r4;");
    CHECK(printed("setp.lt.u32", {r(1), sink(), r(3), r(4)}) == "setp.lt.u32 %r1, %r3, %r4;");
}

TEST_CASE("Immediates, special registers, symbols and addresses are printed as PTX spells them", "[frontend]") {
    CHECK(printed("mov.f32", {r(1), immediate_of(Type::f32, 0x3f800000)}) == "mov.f32 %r1, 0f3F800000;");
    CHECK(printed("mov.f64", {r(1), immediate_of(Type::f64, 0x3ff0000000000000)}) ==
          "mov.f64 %r1, 0d3FF0000000000000;");
    CHECK(printed("mov.u64", {r(1), immediate_of(Type::u64, -1)}) == "mov.u64 %r1, 18446744073709551615;");
    CHECK(printed("mov.s32", {r(1), immediate_of(Type::s32, 0xffffffff)}) == "mov.s32 %r1, -1;");
    CHECK(printed("mov.u32", {r(1), immediate_of(Type::u32, 0xffffffff)}) == "mov.u32 %r1, 4294967295;");
    CHECK(printed("mov.u32", {r(1), special(ir::SpecialRegister::ctaid, 2)}) == "mov.u32 %r1, %ctaid.z;");
    CHECK(printed("mov.u32", {r(1), special(ir::SpecialRegister::laneid)}) == "mov.u32 %r1, %laneid;");
    CHECK(printed("mov.u32", {r(1), special(ir::SpecialRegister::envreg, 31)}) == "mov.u32 %r1, %envreg31;");
    CHECK(printed("mov.u32", {r(1), special(ir::SpecialRegister::current_graph_exec)}) ==
          "mov.u32 %r1, %current_graph_exec;");
    Operand symbol{.kind = Operand::Kind::symbol, .is_module_variable = true, .index = 0, .value = 12};
    CHECK(printed("mov.u64", {r(1), symbol}) == "mov.u64 %r1, table+12;");
    symbol.generic = true;
    symbol.is_module_variable = false;
    CHECK(printed("mov.u64", {r(1), symbol}) == "mov.u64 %r1, generic(frame)+12;");
    Operand const absolute{.kind = Operand::Kind::address, .value = 64};
    CHECK(printed("ld.shared.u32", {r(1), absolute}) == "ld.shared.u32 %r1, [64];");
}

TEST_CASE("An operand that names nothing is printed, not followed", "[frontend]") {
    CHECK(printed("add.u32", {r(99), r(2), operand(Operand::Kind::special, 999)}) == "add.u32 ?, %r2, ?;");
    CHECK(printed("call", {operand(Operand::Kind::function, ir::none)}) == "call ?;");
}

TEST_CASE("A function is printed in program order with its blocks and source places", "[frontend]") {
    auto const b = branching();
    CHECK(ir::print(b.module, b.function) ==
          R"(.visible .entry kernel(.param .align 8 .u64 kernel_param_0)
{
    // 3 registers in columns: 0 of 16 bits, 1 of 32, 1 of 64, 0 of 128, 1 predicates; pressure 3
    .param .align 8 .u64 kernel_param_0;                // offset 0, 8 bytes
block0:                                                 // to block2 block1, reconverges at block2
     0  ld.param.u64 %rd1, [kernel_param_0];            // k.ptx:3
     1  mov.u32 %r1, %tid.x;                            // k.ptx:4
     2  setp.lt.u32 %p1, %r1, 16;                       // k.ptx:5
     3  @!%p1 bra $L_end;                               // k.ptx:6
block1:                                                 // to block2
     4  st.global.u32 [%rd1+4], %r1;                    // k.ptx:7 (kernels.cu:6)
block2:                                                 // leaves
$L_end:
     5  ret;                                            // k.ptx:8
}
)");
}

TEST_CASE("A function without a body is printed as its declaration", "[frontend]") {
    FunctionBuilder b("vprintf");
    b.function.has_body = false;
    b.function.is_external = true;
    CHECK(ir::print(b.module, b.function) == ".extern .func vprintf();\n");
}

TEST_CASE("The control-flow graph is printed for Graphviz", "[frontend]") {
    auto const b = branching();
    CHECK(ir::print_cfg_dot(b.module, b.function) == R"(digraph "kernel" {
    node [shape=box, fontname=monospace];
    block0 [label="block0\lld.param.u64 %rd1, [kernel_param_0];\lmov.u32 %r1, %tid.x;\lsetp.lt.u32 %p1, %r1, 16;\l@!%p1 bra $L_end;\l"];
    block0 -> block2;
    block0 -> block1;
    block0 -> block2 [style=dashed, constraint=false];
    block1 [label="block1\lst.global.u32 [%rd1+4], %r1;\l"];
    block1 -> block2;
    block2 [label="block2\lret;\l"];
}
)");
}

}  // namespace print_test
