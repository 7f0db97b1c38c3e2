#include "frontend/grammar/parse.hpp"

#include "tests/frontend/grammar/outline.hpp"
#include "tests/support/catch.hpp"

#include <string>

namespace grammar_test {

using namespace warpsim::frontend;
using test::outline;
using test::Parsed;
using test::token_outline;

namespace {

using Kind = syntax::Statement::Kind;

Parsed in_kernel(std::string const& body) { return Parsed(".entry k() {\n" + body + "\n}\n"); }

/// The operands of the only instruction of a kernel.
std::string operands(std::string const& instruction) {
    Parsed const parsed = in_kernel(instruction);
    if (!parsed.ok()) return parsed.diagnostics->render();
    auto const& module = parsed.module;
    if (module.instructions.size() != 1) return std::to_string(module.instructions.size()) + " instructions";
    return outline(module, module.instructions[0].operands);
}

/// The value of the only variable of a module.
std::string initial_value(std::string const& declaration) {
    Parsed const parsed(declaration);
    if (!parsed.ok()) return parsed.diagnostics->render();
    return outline(parsed.module, parsed.module.declarators.at(0).initializer);
}

std::string kinds(syntax::Module const& module) {
    static char const* const names[] = {"instruction", "label", "variable", "directive", "section",
                                        "function",    "end",   "{",        "}"};
    std::string result;
    for (auto const& statement : module.statements) {
        result += (result.empty() ? "" : " ") + std::string(names[static_cast<int>(statement.kind)]);
    }
    return result;
}

}  // namespace

TEST_CASE("An instruction keeps its guard, mnemonic and operands", "[frontend]") {
    Parsed const parsed = in_kernel("@!%p1 ld.param::entry.v4.f32 {a, b, _, c}, [%rd1+16];");
    REQUIRE(parsed.ok());
    auto const& instruction = parsed.module.instructions.at(0);
    CHECK(instruction.guard == "%p1");
    CHECK(instruction.guard_negated);
    CHECK(instruction.mnemonic == "ld.param::entry.v4.f32");
    CHECK(instruction.operand_count == 2);
    CHECK(instruction.text == "@!%p1 ld.param::entry.v4.f32 {a, b, _, c}, [%rd1+16];");
    CHECK(outline(parsed.module, instruction.operands) == "vector(a b _ c) address(%rd1 +#16)");
}

TEST_CASE("White space may stand before a modifier, around a guard and anywhere between words", "[frontend]") {
    Parsed const parsed = in_kernel("@ ! %p add .sat .s32 %r1 ,\r\n\t-  17, // c\n /* ; */ %r2\f;");
    REQUIRE(parsed.ok());
    auto const& instruction = parsed.module.instructions.at(0);
    CHECK(instruction.guard == "%p");
    CHECK(instruction.guard_negated);
    CHECK(instruction.mnemonic == "add .sat .s32");
    CHECK(outline(parsed.module, instruction.operands) == "%r1 -#17 %r2");
}

TEST_CASE("An operand is a name, with selectors and signs, or a literal in any notation", "[frontend]") {
    CHECK(operands("mov.u32 %r1, %tid.x;") == "%r1 %tid.x");
    CHECK(operands("vadd4.u32.u32.u32 a.b210, b.b7654, $c, _d;") == "a.b210 b.b7654 $c _d");
    CHECK(operands("vmad.u32.u32.s32 a, b, c, -%d;") == "a b c -%d");
    CHECK(operands("and.pred p, q, !r;") == "p q !r");
    CHECK(operands("x 0, 17, 0x1F, 0XfU, 0b101, 017, 5U, 00;") == "#0 #17 #0x1F #0XfU #0b101 #017 #5U #00");
    CHECK(operands("x 0f3F800000, 0D3FF0000000000000, 1.5, .5, 1., 1e3, -1.5E-3;") ==
          "#0f3F800000 #0D3FF0000000000000 #1.5 #.5 #1. #1e3 -#1.5E-3");
    CHECK(operands("x 18446744073709551616;") == "#18446744073709551616");
    CHECK(operands("mov.u32 add, ld;") == "add ld");
}

TEST_CASE("Addresses keep their terms and the separators between them", "[frontend]") {
    CHECK(operands("x [v], [%r+4], [%r+-4], [%r-4], [v+4+8], [16], [-16];") ==
          "address(v) address(%r +#4) address(%r +-#4) address(%r -#4) address(v +#4 +#8) address(#16) "
          "address(-#16)");
    CHECK(operands("x [v+(4*2)], [v+4*2+1], [4+v];") ==
          "address(v +<4 2 *>) address(v +<4 2 *> +#1) address(#4 +v)");
    CHECK(operands("x [t, s, {%f1, %f2}], [t, {1, x}];") ==
          "address(t ,s ,vector(%f1 %f2)) address(t ,vector(#1 x))");
    CHECK(operands("x a[%r+4], a[2], [v[2]];") == "a[](%r +#4) a[](#2) address(v[](#2))");
    CHECK(operands("ld.global.b32 %r1, [g].unified, p;") == "%r1 unified(g) p");
    CHECK(operands("mov.u64 d, gv+4; ") == "d sum(gv +#4)");
    CHECK(operands("mov.u64 d, gv + 4*2 + -8; ") == "d sum(gv +<4 2 *> +-#8)");
}

TEST_CASE("Pairs and vectors are operands of one destination", "[frontend]") {
    CHECK(operands("setp.lt.s32 %p|%q, a, 1;") == "pair(%p %q) a #1");
    CHECK(operands("setp.lt.s32 _ | %q, a, b;") == "pair(_ %q) a b");
    CHECK(operands("tex.1d.v4.s32.s32 {a,b,c,d}|%p, [t, {x}];") ==
          "pair(vector(a b c d) %p) address(t ,vector(x))");
    CHECK(operands("mov.b32 {_, {a, b}}, c;") == "vector(_ vector(a b)) c");
}

TEST_CASE("Parentheses hold arguments in a call and constants everywhere else", "[frontend]") {
    CHECK(operands("call (retval0), _Z4facti, ( param0 );") == "tuple(retval0) _Z4facti tuple(param0)");
    CHECK(operands("call.uni foo;") == "foo");
    CHECK(operands("call %rd1, (), P;") == "%rd1 tuple() P");
    CHECK(operands("call (_), f, ((1+2)*3, {a, b}, -1);") == "tuple(_) f tuple(<1 2 + 3 *> vector(a b) -#1)");
    CHECK(operands("mov.u32 a, (1);") == "a <1>");
    CHECK(operands("callx a, (1+2);") == "a <1 2 +>");
}

TEST_CASE("Constant expressions become postfix tokens by the precedence of C", "[frontend]") {
    CHECK(operands("x 4*(2+1);") == "<4 2 1 + *>");
    CHECK(operands("x 1+2*3-4/5;") == "<1 2 3 * + 4 5 / ->");
    CHECK(operands("x 1<<3, 1|2^3&4==5<6>>7+8;") == "<1 3 <<> <1 2 3 4 5 6 7 8 + >> < == & ^ |>");
    CHECK(operands("x 1||2&&3, 1>=2, 1<=2, 1!=2, 7 % 4;") == "<1 2 3 && ||> <1 2 >=> <1 2 <=> <1 2 !=> <7 4 %>");
    CHECK(operands("x 1 ? 2 : 3 ? 4 : 5;") == "<1 2 3 4 5 ?: ?:>");
    CHECK(operands("x (1?2:3)+4;") == "<1 2 3 ?: 4 +>");
    CHECK(operands("x -(1), - -1, +1, ~0, !0, -1+2;") ==
          "<1 neg> <1 neg neg> <1 pos> <0 com> <0 not> <1 neg 2 +>");
    CHECK(operands("x (.s64)5, ( .u64 ) -1, ((.s64)1+2);") == "<5 s64> <1 neg u64> <1 s64 2 +>");
    CHECK(operands("x WARP_SZ, WARP_SZ-1, 2*WARP_SZ, WARP_SZX;") ==
          "WARP_SZ <WARP_SZ 1 -> <2 WARP_SZ *> WARP_SZX");
}

TEST_CASE("Labels, blocks and several statements share a line", "[frontend]") {
    Parsed const parsed = in_kernel("$L1: L2: { .reg .b32 t; mov.b32 t, 1; } @p { ret; } @!q bra L2;");
    REQUIRE(parsed.ok());
    CHECK(kinds(parsed.module) == "function label label { variable instruction } { instruction } instruction end");
    CHECK(parsed.module.labels[0] == "$L1");
    CHECK(parsed.module.labels[1] == "L2");
    CHECK(parsed.module.statements[3].text == "{");
    CHECK(parsed.module.statements[7].text == "@p {");
}

TEST_CASE("Comments and preprocessor lines are white space", "[frontend]") {
    Parsed const parsed(
        "# 1 \"a.cu\"\n  #line 3\r\n.version 9.0 // x; {\n/* { \" // */.target sm_90 /**/, debug\n//");
    CHECK(parsed.ok());
    REQUIRE(parsed.module.directives.size() == 2);
    CHECK(parsed.module.directives[0].text == ".version 9.0");
    CHECK(outline(parsed.module, parsed.module.directives[1].operands) == "sm_90 ,debug");
}

TEST_CASE("A text without statements is an empty module", "[frontend]") {
    for (char const* text : {"", " ", "\n\n", "// only a comment", "/**/", "# 1"}) {
        Parsed const parsed(text);
        CHECK(parsed.ok());
        CHECK(parsed.module.statements.empty());
    }
}

TEST_CASE("A variable keeps space, alignment, vector, type and every declarator", "[frontend]") {
    Parsed const parsed(".visible .global .align 8*2 .v4 .f32 a, b[4][], %r<100>;");
    REQUIRE(parsed.ok());
    auto const& module = parsed.module;
    auto const& variable = module.variables.at(0);
    CHECK(variable.linkage == ".visible");
    CHECK(variable.space == ".global");
    CHECK(variable.vector == ".v4");
    CHECK(variable.type == ".f32");
    CHECK(token_outline(module, variable.align) == "<8 2 *>");
    CHECK(variable.text == ".visible .global .align 8*2 .v4 .f32 a, b[4][], %r<100>;");
    REQUIRE(variable.declarators.count == 3);
    CHECK(module.declarators[0].name == "a");
    CHECK(module.declarators[1].text == "b[4][]");
    REQUIRE(module.declarators[1].dimensions.count == 2);
    CHECK(token_outline(module, module.dimensions[0].tokens) == "<4>");
    CHECK(module.dimensions[1].tokens.count == 0);
    CHECK(module.declarators[2].name == "%r");
    CHECK(token_outline(module, module.declarators[2].count) == "<100>");
}

TEST_CASE("Every state space can be declared in, a constant bank included", "[frontend]") {
    for (std::string const space :
         {".reg", ".param", ".shared", ".global", ".const", ".local", ".tex", ".const[3]"}) {
        Parsed const parsed(space + " .u32 x;");
        INFO(space);
        REQUIRE(parsed.ok());
        CHECK(parsed.module.variables.at(0).space == space);
    }
}

TEST_CASE("Attributes of a variable are names and applications", "[frontend]") {
    Parsed const parsed(".global .attribute(.managed, .unified(1, 2)) .s32 x;");
    REQUIRE(parsed.ok());
    CHECK(outline(parsed.module, parsed.module.variables.at(0).attributes) == ".managed .unified()(#1 #2)");
    CHECK(parsed.module.variables.at(0).type == ".s32");
}

TEST_CASE("Initializers nest, and hold constants, symbols with offsets and operators", "[frontend]") {
    CHECK(initial_value(".global .u32 x = 5;") == "#5");
    CHECK(initial_value(".global .f32 x[2][2] = {{1.5, -2}, {0f3F800000, 1<<3}};") ==
          "vector(vector(#1.5 -#2) vector(#0f3F800000 <1 3 <<>))");
    CHECK(initial_value(".global .u64 x[] = {y, y+8, generic(y), generic(y)+4};") ==
          "vector(y sum(y +#8) generic()(y) sum(generic()(y) +#4))");
    CHECK(initial_value(".global .u8 x[] = {0xFF(y), 0xFF00(y+4), mask(y), 0xFF(0x1234)};") ==
          "vector(0xFF()(y) 0xFF00()(sum(y +#4)) mask()(y) 0xFF()(#0x1234))");
    CHECK(initial_value(".const .b32 x[4] = {};") == "vector()");
    CHECK(initial_value(".global .samplerref s = { filter_mode = nearest, addr_mode_0 = wrap };") ==
          "vector(filter_mode=(nearest) addr_mode_0=(wrap))");
}

TEST_CASE("A kernel's header gives its parameters and performance directives", "[frontend]") {
    Parsed const parsed(
        ".visible .entry k(\n\t.param .u64 .ptr .global .align 4 a,\n\t.param .align 8 .b8 p[16],\n"
        "\t.param .texref t)\n.maxntid 128, 1, 1\n.minnctapersm 2 .pragma \"nounroll\"; "
        ".explicitcluster { ret; }");
    REQUIRE(parsed.ok());
    auto const& module = parsed.module;
    auto const& function = module.functions.at(0);
    CHECK(function.kind == syntax::Function::Kind::entry);
    CHECK(function.has_body);
    CHECK(function.linkage == ".visible");
    CHECK(function.name == "k");
    REQUIRE(function.parameters.count == 3);
    CHECK(module.variables[0].is_pointer);
    CHECK(module.variables[0].pointer_space == ".global");
    CHECK(token_outline(module, module.variables[0].pointer_align) == "<4>");
    CHECK(module.variables[0].align.count == 0);
    CHECK(token_outline(module, module.variables[1].align) == "<8>");
    CHECK(module.variables[2].type == ".texref");
    REQUIRE(function.directives.count == 4);
    CHECK(module.directives[0].name == ".maxntid");
    CHECK(outline(module, module.directives[0].operands) == "#128 ,#1 ,#1");
    CHECK(outline(module, module.directives[2].operands) == "\"nounroll\"");
    CHECK(kinds(module) == "function instruction end");
}

TEST_CASE("A function may return, be declared only, and never return", "[frontend]") {
    Parsed const parsed(".extern .func (.param .b32 r) f (.param .b64 a, .param .align 4 .b8 rest[]);\n"
                        ".weak .func .attribute(.unified(1,2)) g .noreturn .abi_preserve 8 { trap; }\n"
                        ".func (.reg .u32 r) h (.reg .f64 x) { ret; }\n.func () i () ;\n.entry bare { ret; }");
    REQUIRE(parsed.ok());
    auto const& functions = parsed.module.functions;
    REQUIRE(functions.size() == 5);
    CHECK(kinds(parsed.module) == "function function instruction end function instruction end function function "
                                  "instruction end");
    CHECK_FALSE(functions[0].has_body);
    CHECK(functions[0].returns.count == 1);
    CHECK(functions[0].parameters.count == 2);
    CHECK(functions[0].text == ".extern .func (.param .b32 r) f (.param .b64 a, .param .align 4 .b8 rest[])");
    CHECK(functions[1].noreturn);
    CHECK(functions[1].directives.count == 1);
    CHECK(outline(parsed.module, functions[1].attributes) == ".unified()(#1 #2)");
    CHECK(functions[2].returns.count == 1);
    CHECK_FALSE(functions[2].noreturn);
    CHECK(functions[3].returns.count == 0);
}

TEST_CASE("Call prototypes, branch targets and call targets follow their labels", "[frontend]") {
    Parsed const parsed =
        in_kernel("P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[12]) .noreturn;\n"
                  "T: .branchtargets L1, N<5>;\nC: .calltargets f, g;");
    REQUIRE(parsed.ok());
    auto const& module = parsed.module;
    CHECK(kinds(module) == "function label function label directive label directive end");
    CHECK(module.functions[1].kind == syntax::Function::Kind::prototype);
    CHECK(module.functions[1].noreturn);
    CHECK(module.functions[1].parameters.count == 2);
    CHECK(module.functions[1].linkage.empty());
    CHECK(outline(module, module.directives[0].operands) == "L1 ,N<>(#5)");
    CHECK(outline(module, module.directives[1].operands) == "f ,g");
}

TEST_CASE("Debugging directives keep files, lines and sections", "[frontend]") {
    Parsed const parsed(".file 1 \"dir/a b.cu\", 1339013327, 64118\n.entry k() {\n"
                        ".loc 1 5 3\n.loc\t1 9 3, function_name $L__info_string0+12, inlined_at 1 5 3\n"
                        ".loc 1 9 3, function_name .debug_str+16, inlined_at 1 5 3 ret;\n}\n"
                        "@@DWARF .section .debug_pubnames, \"\", @progbits\n@@DWARF .byte 0x2b, 0x00\n"
                        ".section .debug_str\n{\n$L__info_string0:\n.b8 95 // }\n.b32 L1-L0, .debug_loc+0x4\n}\n");
    REQUIRE(parsed.ok());
    auto const& module = parsed.module;
    CHECK(kinds(module) == "directive function directive directive directive instruction end section");
    CHECK(outline(module, module.directives[0].operands) == "#1 \"dir/a b.cu\" ,#1339013327 ,#64118");
    CHECK(outline(module, module.directives[1].operands) == "#1 #5 #3");
    CHECK(outline(module, module.directives[2].operands) ==
          "#1 #9 #3 ,function_name sum($L__info_string0 +#12) ,inlined_at #1 #5 #3");
    CHECK(outline(module, module.directives[3].operands) ==
          "#1 #9 #3 ,function_name sum(.debug_str +#16) ,inlined_at #1 #5 #3");
    CHECK(module.sections[0].name == ".debug_str");
    CHECK(module.sections[0].body.starts_with("{\n$L"));
    CHECK(module.sections[0].body.ends_with("0x4\n}"));
}

TEST_CASE("Pragmas and aliases are directives with a semicolon", "[frontend]") {
    Parsed const parsed(".pragma \"a\", \"b;\\\"c\";\n.alias f, g;");
    REQUIRE(parsed.ok());
    auto const& module = parsed.module;
    CHECK(outline(module, module.directives[0].operands) == "\"a\" ,\"b;\\\"c\"");
    CHECK(module.directives[0].text == ".pragma \"a\", \"b;\\\"c\";");
    CHECK(outline(module, module.directives[1].operands) == "f ,g");
}

}  // namespace grammar_test
