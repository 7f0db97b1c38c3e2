#include "frontend/decode/decode.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

namespace decode_test {

using namespace warpsim;
using namespace warpsim::frontend;
using Kind = ir::Operand::Kind;
using Base = ir::Operand::AddressBase;
using isa::Type;

namespace {

std::string const header = ".version 8.0\n.target sm_90\n.address_size 64\n";

ir::Module decoded(std::string const& text) {
    auto const source = std::make_shared<Source const>("test.ptx", text);
    Diagnostics diagnostics(*source);
    ir::Module module = compile(source, diagnostics);
    INFO(diagnostics.render());
    REQUIRE(diagnostics.error_count() == 0);
    return module;
}

ir::Module in_kernel(std::string const& body, std::string const& before = {}) {
    return decoded(header + before +
                   "\n.visible .entry kernel(.param .u32 n, .param .u64 p)\n{\n"
                   ".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n" +
                   body + "\n}\n");
}

std::span<ir::Operand const> operands(ir::Module const& module, std::size_t instruction = 0) {
    ir::Function const& kernel = *module.function("kernel");
    return kernel.operands_of(kernel.instructions.at(instruction));
}

std::string register_name(ir::Module const& module, ir::Operand const& operand) {
    return module.function("kernel")->registers.at(operand.index).name;
}

std::uint64_t word(ir::Variable const& variable, std::size_t offset, std::size_t bytes) {
    std::uint64_t value = 0;
    REQUIRE(offset + bytes <= variable.initializer.size());
    std::memcpy(&value, variable.initializer.data() + offset, bytes);
    return value;
}

}  // namespace

TEST_CASE("Operands have the type that the instruction reads them with") {
    ir::Module const module =
        in_kernel("cvt.rn.f32.s32 %f1, %r2; shl.b64 %rd1, %rd2, %r3; mul.wide.u16 %r1, %rs1, 7;");
    CHECK(operands(module)[0].type == Type::f32);
    CHECK(operands(module)[1].type == Type::s32);
    CHECK(operands(module, 1)[1].type == Type::b64);
    CHECK(operands(module, 1)[2].type == Type::u32);
    CHECK(operands(module, 2)[0].type == Type::u32);
    CHECK(operands(module, 2)[2].type == Type::u16);
    CHECK(operands(module, 2)[2].kind == Kind::immediate);
    CHECK(operands(module, 2)[2].value == 7);
    CHECK(register_name(module, operands(module)[1]) == "%r2");
}

TEST_CASE("A second destination that is not written is a sink, so that positions are fixed") {
    ir::Module const module =
        in_kernel("setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p1|%p2, %r1, %r2;"
                  "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1; shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;");
    REQUIRE(operands(module, 0).size() == 4);
    CHECK(operands(module, 0)[1].kind == Kind::sink);
    REQUIRE(operands(module, 1).size() == 4);
    CHECK(register_name(module, operands(module, 1)[1]) == "%p2");
    REQUIRE(operands(module, 2).size() == 6);
    CHECK(operands(module, 2)[1].kind == Kind::sink);
    CHECK(operands(module, 2)[5].value == 0xffffffff);
    CHECK(operands(module, 3)[1].type == Type::pred);
}

TEST_CASE("A list of registers is a vector operand and its elements") {
    ir::Module const module = in_kernel("ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1+16]; mov.b64 %rd1, {%r1, %r2};"
                                        "mov.b32 {%rs1, _}, %r1; ld.global.u32 {%r1}, [%rd1];");
    auto const load = operands(module, 0);
    REQUIRE(load.size() == 6);
    CHECK(load[0].kind == Kind::vector);
    CHECK(load[0].count == 4);
    CHECK(load[2].kind == Kind::sink);
    CHECK(load[5].kind == Kind::address);
    CHECK(load[5].base == Base::reg);
    CHECK(load[5].value == 16);
    auto const pack = operands(module, 1);
    CHECK(pack[1].kind == Kind::vector);
    CHECK(pack[2].type == Type::b32);
    CHECK(operands(module, 2)[1].type == Type::b16);
    CHECK(operands(module, 3)[0].kind == Kind::reg);
}

TEST_CASE("A vector register stands for its elements") {
    ir::Module const module =
        in_kernel(".reg .v2 .f32 v; ld.global.v2.f32 v, [%rd1]; mov.f32 %f1, v.y; add.f32 v.x, v.r, %f1;");
    CHECK(operands(module)[0].count == 2);
    CHECK(register_name(module, operands(module)[2]) == "v.y");
    CHECK(register_name(module, operands(module, 1)[1]) == "v.y");
    CHECK(operands(module, 2)[0].index == operands(module, 2)[1].index);
}

TEST_CASE("A family of vectors has the elements of each") {
    ir::Module const module = in_kernel(".reg .v2 .f32 v<3>; ld.global.v2.f32 v1, [%rd1]; add.f32 v2.x, v0.y, "
                                        "v1.x; .reg .u32 after; mov.u32 after, 1;");
    REQUIRE(operands(module)[0].count == 2);
    CHECK(register_name(module, operands(module)[1]) == "v1.x");
    CHECK(register_name(module, operands(module)[2]) == "v1.y");
    CHECK(register_name(module, operands(module, 1)[0]) == "v2.x");
    CHECK(register_name(module, operands(module, 1)[1]) == "v0.y");
    CHECK(operands(module, 1)[2].index == operands(module)[1].index);
    CHECK(register_name(module, operands(module, 2)[0]) == "after");
}

TEST_CASE("mov takes a value apart into a vector register, and puts one together") {
    ir::Module const module = in_kernel(".reg .v2 .b32 v; mov.b64 v, %rd1; mov.b64 %rd2, v;");
    REQUIRE(operands(module).size() == 4);
    CHECK(operands(module)[0].kind == Kind::vector);
    CHECK(operands(module)[0].count == 2);
    CHECK(operands(module)[2].type == Type::b32);
    CHECK(register_name(module, operands(module)[2]) == "v.y");
    CHECK(operands(module, 1)[1].kind == Kind::vector);
    CHECK(register_name(module, operands(module, 1)[2]) == "v.x");
}

TEST_CASE("Addresses name registers, variables of the function and of the module") {
    ir::Module const module =
        in_kernel(".shared .align 8 .b8 tile[64]; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [table+4+4];"
                  "st.shared.u32 [tile+8], %r1; ld.global.u32 %r1, [%rd1+-4]; ld.global.u32 %r1, table[3];"
                  "mov.u64 %rd2, table+12; ld.local.u32 %r1, [16];",
                  ".global .u32 table[8];");
    CHECK(operands(module, 0)[1].base == Base::function_variable);
    CHECK(module.function("kernel")->variables[operands(module, 0)[1].index].name == "p");
    CHECK(operands(module, 1)[1].base == Base::module_variable);
    CHECK(operands(module, 1)[1].value == 8);
    CHECK(operands(module, 2)[0].value == 8);
    CHECK(operands(module, 3)[1].value == -4);
    CHECK(operands(module, 4)[1].value == 12);
    CHECK(operands(module, 5)[1].kind == Kind::symbol);
    CHECK(operands(module, 5)[1].value == 12);
    CHECK(operands(module, 6)[1].base == Base::immediate);
    CHECK(operands(module, 6)[1].value == 16);
}

TEST_CASE("An index in a register becomes an address calculation before the access") {
    ir::Module const module = in_kernel("@%p1 ld.global.u32 %r1, table[%r2+1];", ".global .u32 table[8];");
    ir::Function const& kernel = *module.function("kernel");
    REQUIRE(kernel.instructions.size() == 4);
    CHECK(module.forms[kernel.instructions[0].form].operation == isa::Operation::mov);
    CHECK(operands(module, 0)[1].value == 4);
    CHECK(module.forms[kernel.instructions[1].form].text == "mad.wide.u32");
    CHECK(operands(module, 1)[2].value == 4);
    CHECK(operands(module, 2)[1].base == Base::reg);
    CHECK(operands(module, 2)[1].index == operands(module, 1)[0].index);
    CHECK(kernel.instructions[2].guard != ir::none);
}

TEST_CASE("Special registers and WARP_SZ are operands") {
    ir::Module const module = in_kernel(
        "mov.u32 %r1, %ctaid.y; mov.u64 %rd1, %clock64; add.s32 %r1, %r2, WARP_SZ; mov.u16 %rs1, %tid.x;");
    CHECK(operands(module, 0)[1].kind == Kind::special);
    CHECK(operands(module, 0)[1].index == static_cast<std::uint32_t>(ir::SpecialRegister::ctaid));
    CHECK(operands(module, 0)[1].value == 1);
    CHECK(operands(module, 1)[1].index == static_cast<std::uint32_t>(ir::SpecialRegister::clock64));
    CHECK(operands(module, 2)[2].value == 32);
    CHECK(operands(module, 3)[1].type == Type::u16);
}

TEST_CASE("Branches go to instructions, and a label at the end to an implied return") {
    ir::Module const module = in_kernel("LOOP: add.s32 %r1, %r1, 1; @!%p1 bra LOOP; bra END; END:");
    ir::Function const& kernel = *module.function("kernel");
    REQUIRE(kernel.instructions.size() == 4);
    CHECK(operands(module, 1)[0].index == 0);
    CHECK(kernel.instructions[1].guard_negated);
    CHECK(operands(module, 2)[0].index == 3);
    CHECK(module.forms[kernel.instructions[3].form].operation == isa::Operation::ret);
}

TEST_CASE("An inner scope hides names, and its labels are its own") {
    ir::Module const module = in_kernel(
        "{ .reg .b32 %r1; L: mov.u32 %r1, 1; bra L; } { .reg .b32 t; L: mov.u32 t, 2; bra L; } mov.u32 %r1, 3;");
    CHECK(operands(module, 1)[0].index == 0);
    CHECK(operands(module, 3)[0].index == 2);
    CHECK(operands(module, 0)[0].index != operands(module, 4)[0].index);
}

TEST_CASE("A smaller family hides only as many of the outer one") {
    ir::Module const module = in_kernel("{ .reg .b32 %r<2>; mov.u32 %r1, 1; mov.u32 %r2, 2; } mov.u32 %r1, 3;");
    CHECK(operands(module, 0)[0].index != operands(module, 2)[0].index);
    CHECK(operands(module, 1)[0].index == operands(module, 2)[0].index + 1);
}

TEST_CASE("A name with digits is found in the range that declares it") {
    ir::Module const module =
        in_kernel(".reg .u32 a1<3>; .reg .u32 a<5>; .reg .u32 a9; mov.u32 a10, a4; mov.u32 a9, a12;");
    CHECK(register_name(module, operands(module, 0)[0]) == "a10");
    CHECK(register_name(module, operands(module, 0)[1]) == "a4");
    CHECK(register_name(module, operands(module, 1)[0]) == "a9");
}

TEST_CASE("A table of branch targets names labels further down, and families of labels") {
    ir::Module const module =
        in_kernel("T: .branchtargets N<2>, N0; brx.idx %r1, T; N0: add.s32 %r1, %r1, 1; N1: add.s32 %r1, %r1, 1;");
    ir::Function const& kernel = *module.function("kernel");
    REQUIRE(kernel.branch_targets.size() == 1);
    CHECK(kernel.branch_targets[0] == std::vector<std::uint32_t>{1, 2, 1});
    CHECK(operands(module, 0)[1].kind == Kind::branch_targets);
    CHECK(operands(module, 0)[1].index == 0);
}

TEST_CASE("Kernel parameters lie in the parameter block by their natural alignment") {
    ir::Module const module = decoded(
        header + ".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .f32 d) { ret; }");
    ir::Function const& kernel = *module.function("k");
    REQUIRE(kernel.variables.size() == 4);
    CHECK(kernel.variables[0].offset == 0);
    CHECK(kernel.variables[1].offset == 8);
    CHECK(kernel.variables[2].offset == 16);
    CHECK(kernel.variables[3].offset == 36);
    CHECK(kernel.param_bytes == 40);
    CHECK(kernel.is_entry);
}

TEST_CASE("A call lists returns, target and arguments, and call-local parameters share space") {
    ir::Module const module = in_kernel(
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %f1; call.uni (r), scale, (a); ld.param.b32 %f2, [r]; }"
        "{ .param .b32 b; .param .b32 s; call (s), scale, (b); } call (_), add, (%r1, 5);",
        ".func (.param .b32 r) scale(.param .b32 x) { ret; }\n"
        ".func (.reg .s32 r) add(.reg .s32 a, .reg .s32 b) { add.s32 r, a, b; ret; }");
    auto const call = operands(module, 1);
    REQUIRE(call.size() == 5);
    CHECK(call[0].kind == Kind::list);
    CHECK(call[0].count == 1);
    CHECK(call[1].kind == Kind::param);
    CHECK(call[2].kind == Kind::function);
    CHECK(module.functions[call[2].index].name == "scale");
    CHECK(call[3].kind == Kind::list);
    CHECK(call[4].kind == Kind::param);
    ir::Function const& kernel = *module.function("kernel");
    CHECK(kernel.variables[call[4].index].offset == 16);
    CHECK(kernel.variables[operands(module, 3)[4].index].offset == 16);
    CHECK(kernel.param_bytes == 16);
    CHECK(kernel.call_param_bytes == 24);
    auto const last = operands(module, 4);
    CHECK(last[1].kind == Kind::sink);
    CHECK(last[5].kind == Kind::immediate);
    CHECK(last[5].type == Type::s32);
}

TEST_CASE("An indirect call carries its prototype") {
    ir::Module const module =
        in_kernel("{ .param .b32 a; P: .callprototype _ (.param .b32 _); call %rd1, (a), P; }");
    auto const call = operands(module, 0);
    REQUIRE(call.size() == 5);
    CHECK(call[0].count == 0);
    CHECK(call[1].kind == Kind::reg);
    CHECK(call[4].kind == Kind::prototype);
    CHECK(module.prototypes.at(call[4].index).parameters.size() == 1);
}

TEST_CASE("A call through an array of functions goes to one of these") {
    std::string const table = ".func (.param .b32 r) f(.param .b32 a) { ret; }\n"
                              ".func (.param .b32 r) g(.param .b32 a) { ret; }\n"
                              ".global .u64 table[3] = {g, 0, f};\n";
    ir::Module const module = in_kernel("call (%r1), %rd1, (%r2), table; call (_), %rd1, (7), table;", table);
    ir::Operand const& last = operands(module, 0).back();
    REQUIRE(last.kind == Kind::prototype);
    ir::Prototype const& prototype = module.prototypes.at(last.index);
    CHECK(prototype.targets == std::vector<std::uint32_t>{1, 0});
    CHECK(prototype.parameters.size() == 1);
    CHECK(prototype.returns.size() == 1);
    CHECK(operands(module, 1).back().index == last.index);
}

TEST_CASE("A function may be declared, called and defined later; an extern one stays without a body") {
    ir::Module const module = in_kernel("call f; call g;", ".func f();\n.extern .func g();\n.func f() { ret; }");
    CHECK(module.function("f")->has_body);
    CHECK_FALSE(module.function("g")->has_body);
    CHECK(module.function("g")->is_external);
    CHECK(module.functions.size() == 3);
}

TEST_CASE("Whatever refers to an alias refers to its function") {
    ir::Module const module =
        decoded(header + ".visible .func f() { ret; }\n.visible .func g();\n.global .u64 table = g;\n"
                         ".func caller() { call g; ret; }\n.alias g, f;\n");
    REQUIRE(module.functions.at(0).name == "f");
    CHECK(module.function("g")->alias_of == 0);
    CHECK(module.variable("table")->relocations.at(0).index == 0);
    ir::Function const& caller = *module.function("caller");
    CHECK(caller.operands_of(caller.instructions.at(0))[1].index == 0);
}

TEST_CASE("Initializers become bytes, and names in them relocations") {
    ir::Module const module =
        decoded(header + ".global .u32 a[2][3] = {{1, -2}, {0x10}};\n.const .f32 b[] = {1.5, 0f40000000};\n"
                         ".func f() { ret; }\n.global .u64 c[3] = {a+8, generic(a), f};\n.global .u8 d[2] = "
                         "{mask(0xFF00, a), 7};\n");
    ir::Variable const& a = *module.variable("a");
    CHECK(a.size == 24);
    CHECK(word(a, 4, 4) == 0xfffffffe);
    CHECK(word(a, 12, 4) == 0x10);
    ir::Variable const& b = *module.variable("b");
    CHECK(b.size == 8);
    CHECK(word(b, 4, 4) == 0x40000000);
    ir::Variable const& c = *module.variable("c");
    REQUIRE(c.relocations.size() == 3);
    CHECK(c.relocations[0].addend == 8);
    CHECK_FALSE(c.relocations[0].generic);
    CHECK(c.relocations[1].generic);
    CHECK(c.relocations[1].offset == 8);
    CHECK(c.relocations[2].is_function);
    ir::Variable const& d = *module.variable("d");
    REQUIRE(d.relocations.size() == 1);
    CHECK(d.relocations[0].masked);
    CHECK(d.relocations[0].mask_shift == 8);
    CHECK(word(d, 1, 1) == 7);
}

TEST_CASE("Constant variables get their place in the bank, and dynamic shared memory has no size") {
    ir::Module const module =
        decoded(header + ".const .u8 a;\n.const .align 8 .f64 b;\n.extern .shared .align 16 .b8 s[];\n");
    CHECK(module.variable("b")->offset == 8);
    CHECK(module.variable("s")->size == 0);
    CHECK(module.variable("s")->is_external);
    CHECK(module.variable("s")->is_array);
    CHECK(module.variable("s")->align == 16);
}

TEST_CASE("Local and shared variables of a function get offsets") {
    ir::Module const module =
        in_kernel(".local .align 8 .b8 depot[20]; .local .u64 x; .shared .u8 c; .shared .f32 t[4];");
    ir::Function const& kernel = *module.function("kernel");
    CHECK(kernel.local_bytes == 32);
    CHECK(kernel.shared_bytes == 20);
}

TEST_CASE("Launch bounds are kept") {
    ir::Module const module =
        decoded(header + ".entry k() .maxntid 128, 2 .minnctapersm 3 .maxnreg 40 { ret; }\n"
                         ".entry c() .reqntid 32 .reqnctapercluster 2, 1, 1 .explicitcluster { ret; }");
    CHECK(module.function("k")->bounds.max_threads == std::array<std::uint32_t, 3>{128, 2, 1});
    CHECK(module.function("k")->bounds.min_ctas_per_sm == 3);
    CHECK(module.function("k")->bounds.max_registers == 40);
    CHECK(module.function("c")->bounds.required_threads[0] == 32);
    CHECK(module.function("c")->bounds.explicit_cluster);
}

TEST_CASE("Source locations keep the chain of inlined calls and the names of the functions") {
    ir::Module const module =
        decoded(header + ".file 1 \"a.cu\"\n.entry k() { .reg .b32 %r<2>;\n.loc 1 20 3\nmov.u32 %r0, 1;\n"
                         ".loc 1 5 7, function_name $S+4, inlined_at 1 20 3\nmov.u32 %r1, 2; ret; }\n"
                         ".section .debug_str { $S: .b8 97,98,99,0\n .b8 102 .b8 110 .b8 0 }\n");
    ir::Function const& kernel = *module.function("k");
    REQUIRE(module.files.size() == 2);
    CHECK(module.files[1] == "a.cu");
    ir::SourceLocation const& inner = module.locations.at(kernel.instructions[1].location);
    CHECK(inner.line == 5);
    CHECK(inner.function == "fn");
    REQUIRE(inner.inlined_at == kernel.instructions[0].location);
    CHECK(module.locations[inner.inlined_at].line == 20);
    CHECK(kernel.instructions[2].location == kernel.instructions[1].location);
}

TEST_CASE("Target names: suffixes, compute_XX and the renamed sm_101") {
    auto const target = [](std::string const& version, std::string const& name) {
        return decoded(".version " + version + "\n.target " + name + "\n.address_size 64\n");
    };
    CHECK(target("8.0", "sm_90a").target_suffix == 'a');
    CHECK(target("8.0", "sm_90a").target_sm == 90);
    CHECK(target("8.0", "compute_75").target_sm == 75);
    CHECK(target("8.8", "sm_101f").target_sm == 110);
    CHECK(target("8.0", "sm_80, texmode_independent").target_sm == 80);
    CHECK(target("9.3", "sm_90").version == 93);
    CHECK(target("9.4", "sm_107a").target_sm == 107);
}

TEST_CASE("A guarded block is a branch around it") {
    ir::Module const module = in_kernel("@%p1 { mov.u32 %r1, 1; mov.u32 %r2, 2; } mov.u32 %r3, 3;");
    ir::Function const& kernel = *module.function("kernel");
    CHECK(module.forms[kernel.instructions[0].form].operation == isa::Operation::bra);
    CHECK(kernel.instructions[0].guard_negated);
    CHECK(operands(module, 0)[0].index == 3);
}

TEST_CASE("Registers wider than the type are accepted by ld, st and cvt only") {
    auto const errors = [](std::string const& instruction) {
        auto const source =
            std::make_shared<Source const>("test.ptx", header +
                                                           ".global .u32 g;\n.entry k() { .reg .b32 %r<3>; .reg "
                                                           ".b64 %rd<3>; .reg .f32 %f<3>; .reg .f16 %h; " +
                                                           instruction + " }");
        Diagnostics diagnostics(*source);
        compile(source, diagnostics);
        return diagnostics.error_count();
    };
    CHECK(errors("ld.global.u8 %r1, [g];") == 0);
    CHECK(errors("st.global.u16 [g], %rd1;") == 0);
    CHECK(errors("ld.global.f32 %rd1, [g];") == 0);
    CHECK(errors("cvt.u32.u16 %r1, %r2;") == 0);
    CHECK(errors("ld.global.u8 %f1, [g];") == 1);
    CHECK(errors("ld.global.u64 %r1, [g];") == 1);
    CHECK(errors("add.u32 %rd1, %r1, %r2;") == 1);
    CHECK(errors("add.f32 %f1, %r1, %f2;") == 0);
    CHECK(errors("add.s16 %h, %h, %h;") == 1);
}

TEST_CASE("A version that is not known yet is a warning, if the caller wants it or there are errors") {
    auto const source = std::make_shared<Source const>("test.ptx", ".version 9.9\n.target sm_90\n");
    auto const bad =
        std::make_shared<Source const>("test.ptx", ".version 9.9\n.target sm_90\n.entry f() { new.f32; }\n");
    Diagnostics told(*source), silent(*source), wrong(*bad);
    compile(source, told);
    compile(source, silent, {.warns_of_version = false});
    compile(bad, wrong, {.warns_of_version = false});
    CHECK(wrong.error_count() == 1);
    CHECK(wrong.render().find(newer_version(99)) != std::string::npos);
    REQUIRE(told.list().size() == 1);
    CHECK(told.render().find(newer_version(99)) != std::string::npos);
    CHECK(silent.list().empty());
    CHECK(newer_version(93).empty());
}

TEST_CASE("The address of a function's parameter moves it and its accesses to .local") {
    ir::Module const module = decoded(header + R"(
.func (.param .b32 rv) f(.param .align 8 .b8 p[8], .param .b32 q) {
  .local .b32 own; .reg .b64 a; .reg .b32 r; mov.b64 a, p; ld.param.b32 r, [p+4]; ld.param.b32 r, [a];
  ld.param.b32 r, [q]; st.param.b32 [rv], r; ret; })");
    ir::Function const& f = *module.function("f");
    auto const space = [&](std::size_t i) { return module.forms[f.instructions.at(i).form].space; };
    CHECK(space(1) == isa::StateSpace::local);
    CHECK(space(2) == isa::StateSpace::local);
    CHECK(space(3) == isa::StateSpace::param);
    CHECK(space(4) == isa::StateSpace::param);
    CHECK(f.instructions[1].form == f.instructions[2].form);
    ir::Variable const& moved = f.variables.at(f.parameters[0]);
    CHECK(moved.space == isa::StateSpace::local);
    CHECK(moved.offset == 8);
    CHECK(f.local_bytes == 16);
    CHECK(f.variables.at(f.parameters[1]).space == isa::StateSpace::param);
}

TEST_CASE("Without .address_size the addresses that are used decide") {
    auto const bits = [](std::string const& body, std::string const& version = "8.0") {
        return decoded(".version " + version +
                       "\n.target sm_20\n.entry k() { .reg .b32 r; .reg .b64 d; .shared .b32 s; " + body +
                       " ret; }")
            .address_bits;
    };
    CHECK(bits("ld.global.u32 r, [r];") == 32);
    CHECK(bits("cvta.to.global.u32 r, r;") == 32);
    CHECK(bits("ld.global.u32 r, [d];") == 64);
    CHECK(bits("ld.global.u32 r, [d]; ld.global.u32 r, [r];") == 64);
    CHECK(bits("ld.shared.u32 r, [r];") == 64);  // no evidence
    CHECK(bits("ld.shared.u32 r, [r];", "2.0") == 32);
    CHECK(bits("ld.u32 r, [d];", "2.0") == 64);
}

}  // namespace decode_test
