// Several modules become one: which definition a name stands for, what stays private, and what is refused. What is
// linked and what is refused agrees with NVIDIA's nvlink of CUDA 13 unless a test says otherwise.
#include "frontend/link/read_modules.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace link_test {

using namespace warpsim;
using namespace warpsim::frontend;
using warpsim::test::contains;

namespace {

std::string const header = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Modules named a.ptx, b.ptx, ... whose fourth line is the first of the text.
Linked linked(std::vector<std::string> const& texts, unsigned threads = 1) {
    std::vector<NamedText> named;
    for (std::string const& text : texts) {
        named.push_back({std::string(1, static_cast<char>('a' + named.size())) + ".ptx", header + text + "\n"});
    }
    return read_modules(std::move(named), threads);
}

ir::Module good(std::vector<std::string> const& texts) {
    Linked result = linked(texts);
    INFO(result.report);
    REQUIRE(result.error_count == 0);
    return std::move(result.module);
}

void check_refused(std::vector<std::string> const& texts, std::vector<std::string> const& parts) {
    Linked const result = linked(texts);
    INFO(result.report);
    CHECK(result.error_count > 0);
    for (std::string const& part : parts) {
        INFO("wanted: " << part);
        CHECK(contains(result.report, part));
    }
}

/// What the first instruction of a function calls.
ir::Function const& called_by(ir::Module const& module, std::string_view caller) {
    ir::Function const& f = *module.function(caller);
    auto const operands = f.operands_of(f.instructions.at(0));
    auto const at = std::find_if(operands.begin(), operands.end(),
                                 [](ir::Operand const& o) { return o.kind == ir::Operand::Kind::function; });
    REQUIRE(at != operands.end());
    return module.functions.at(at->index);
}

std::string text_of(ir::Module const& module, ir::Function const& f) {
    return module.written(f.instructions.at(0)) + " at " + module.place(f.instructions.at(0));
}

std::string const caller = ".extern .func f();\n.visible .func caller() { call f; ret; }";

}  // namespace

TEST_CASE("A call reaches the function that another module defines, before or after it", "[link]") {
    std::string const definition = ".visible .func f() { trap; ret; }";
    ir::Module const after = good({caller, definition});
    CHECK(text_of(after, called_by(after, "caller")) == "trap; at b.ptx:4");
    ir::Module const before = good({definition, caller});
    CHECK(text_of(before, called_by(before, "caller")) == "trap; at a.ptx:4");
}

TEST_CASE("A weak function serves where no visible one is, and the first of several does", "[link]") {
    std::string const weak = ".weak .func f() { exit; }";
    std::string const other = ".weak .func f() { ret; }";
    std::string const visible = ".visible .func f() { trap; ret; }";
    ir::Module const one = good({caller, weak, visible, other});
    CHECK(text_of(one, called_by(one, "caller")) == "trap; at c.ptx:4");
    ir::Module const two = good({other, caller, weak});
    CHECK(text_of(two, called_by(two, "caller")) == "ret; at a.ptx:4");
    CHECK(std::count_if(two.functions.begin(), two.functions.end(),
                        [](ir::Function const& f) { return f.name == "f"; }) == 1);
}

TEST_CASE("A module's own weak function gives way to another's visible one, also in calls of its own", "[link]") {
    ir::Module const module = good({".weak .func f() { exit; }\n.visible .func caller() { call f; ret; }",
                                    ".visible .func f() { trap; ret; }"});
    CHECK(text_of(module, called_by(module, "caller")) == "trap; at b.ptx:4");
}

TEST_CASE("Private names of two modules never clash", "[link]") {
    auto const text = [](std::string const& name, std::string const& body, std::string const& value) {
        return ".global .u32 v = " + value + ";\n.func f() { " + body + " ret; }\n.visible .func " + name +
               "() { .reg .u32 %r; call f; ld.global.u32 %r, [v]; ret; }\n.visible .global .u64 p_" + name +
               " = v;";
    };
    ir::Module const module = good({text("one", "trap;", "1"), text("two", "brkpt;", "2")});
    CHECK(text_of(module, called_by(module, "one")) == "trap; at a.ptx:5");
    CHECK(text_of(module, called_by(module, "two")) == "brkpt; at b.ptx:5");
    for (std::string const name : {"one", "two"}) {
        ir::Function const& f = *module.function(name);
        std::uint32_t const loaded = f.operands_of(f.instructions.at(1))[1].index;
        CHECK(module.variables.at(loaded).initializer.at(0) == static_cast<std::byte>(name == "one" ? 1 : 2));
        CHECK(module.variable("p_" + name)->relocations.at(0).index == loaded);
    }
}

TEST_CASE("A private definition does not serve another module, and does not hinder a visible one", "[link]") {
    check_refused({caller, ".func f() { ret; }"},
                  {"a.ptx:4:15: error: undefined function 'f'", "a.ptx:5:27: note: used here"});
    ir::Module const module = good({".func f() { exit; }", caller, ".visible .func f() { trap; ret; }"});
    CHECK(text_of(module, called_by(module, "caller")) == "trap; at c.ptx:4");
    CHECK(module.function("f")->is_visible);
}

TEST_CASE("Two visible definitions are refused with both places", "[link]") {
    check_refused(
        {".visible .func f() { ret; }", "\n.visible .func f() { ret; }"},
        {"b.ptx:5:16: error: 'f' is defined in more than one module", "a.ptx:4:16: note: first defined here"});
    check_refused({".visible .global .u32 v;", ".visible .global .u32 v;"},
                  {"b.ptx:4:23: error: 'v' is defined", "a.ptx:4:23: note: first defined"});
    check_refused({".visible .entry k() { ret; }", ".visible .entry k() { ret; }"},
                  {"'k' is defined in more than one"});
}

TEST_CASE("A variable that no module defines is refused with its declaration and its use", "[link]") {
    check_refused({".extern .global .u32 v;\n.visible .func g() { .reg .u32 %r; ld.global.u32 %r, [v]; ret; }"},
                  {"a.ptx:4:22: error: undefined variable 'v'", "a.ptx:5:36: note: used here"});
    check_refused({".extern .global .u32 v;\n.global .u64 p = v;"}, {"a.ptx:5:14: note: used here"});
}

TEST_CASE("A function that is declared and never used need not exist", "[link]") {
    ir::Module const module = good({".extern .func f();\n.visible .entry k() { ret; }"});
    CHECK(module.kernel("k") != nullptr);
}

TEST_CASE("Only an .extern declaration may be left for other modules to define", "[link]") {
    for (std::string const linkage : {"", ".visible", ".weak"}) {
        check_refused(
            {linkage + " .func f();\n.visible .func g() { call f; ret; }", ".visible .func f() { ret; }"},
            {"'f' is used and has no body in this module"});
    }
}

TEST_CASE("Prototypes are the same in all modules, but for the signs of integers", "[link]") {
    std::string const f = ".visible .func (.param .b32 r) f(.param .b32 a) { ret; }";
    good({f, ".extern .func (.param .u32 r) f(.param .s32 a);"});
    check_refused(
        {f, ".extern .func (.param .b32 r) f(.param .b64 a);"},
        {"b.ptx:4:31: error: the prototypes of 'f' differ: parameter 1 is .param .b64 here, .param .b32 there",
         "a.ptx:4:32: note: defined here"});
    check_refused({f, ".extern .func (.param .b32 r) f(.param .f32 a);"}, {"parameter 1 is .param .f32 here"});
    check_refused({f, ".extern .func (.param .b32 r) f(.param .align 4 .b8 a[4]);"}, {"an array of 4 bytes here"});
    good({".visible .func f(.param .b32 a) { ret; }", ".extern .func (.param .b32 r) f(.param .b32 a);"});
    check_refused({f, ".extern .func f(.param .b32 a);"}, {"0 return values here, 1 there"});
    check_refused({f, ".weak .func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }"},
                  {"2 parameters here, 1 there"});
    check_refused({f, ".visible .global .u32 f;"}, {"'f' is a variable here and a function in another module"});
}

TEST_CASE("Variables of one name have one space and one size", "[link]") {
    good({".visible .global .f32 v;", ".extern .global .u32 v;", ".extern .global .u32 v[];"});
    check_refused({".visible .global .u32 v;", ".extern .const .u32 v;"},
                  {"b.ptx:4:21: error: 'v' is in .const here, in .global there"});
    check_refused({".visible .global .u32 v;", ".extern .global .u64 v;"},
                  {"'v' has 8 bytes here, 4 there", "a.ptx:4:23: note: defined here"});
    check_refused({".weak .global .u32 v[2];", ".weak .global .u32 v[3];"}, {"'v' has 12 bytes here, 8 there"});
    check_refused({".visible .global .attribute(.managed) .u32 v;", ".extern .global .u32 v;"},
                  {"'v' is .managed there, not here"});
}

TEST_CASE("The strictest alignment of a variable's declarations holds", "[link]") {
    ir::Module const module = good({".extern .global .align 16 .u32 v;", ".visible .global .u32 v;"});
    CHECK(module.variable("v")->align == 16);
    CHECK(module.variables.size() == 1);
}

TEST_CASE("A common variable has the largest size, and a visible one comes before it", "[link]") {
    ir::Module const module = good({".common .global .u32 v;", ".common .global .u32 v[5];",
                                    ".common .global .u64 v;", ".extern .global .u32 v[];"});
    CHECK(module.variables.size() == 1);
    CHECK(module.variable("v")->size == 20);
    ir::Module const visible = good({".common .global .u32 v;", ".visible .global .u32 v = 3;"});
    CHECK(visible.variable("v")->initializer.size() == 4);
}

TEST_CASE("Only the largest common variable may have a value, and only one", "[link]") {
    ir::Module const module =
        good({".common .global .u32 v;", ".common .global .u32 v = 3;", ".common .global .u32 v;"});
    CHECK(module.variable("v")->initializer.size() == 4);
    check_refused({".common .global .u32 v = 3;", ".common .global .u64 v;"},
                  {"a.ptx:4:22: error: only the largest .common 'v' may have",
                   "b.ptx:4:22: note: the largest is declared here"});
    check_refused({".common .global .u32 v = 3;", ".common .global .u32 v = 3;"},
                  {"'v' has an initial value in more than one"});
}

TEST_CASE("Other modules may call an alias", "[link]") {
    std::string const target = ".visible .func f() { trap; ret; }\n.visible .func g();\n.alias g, f;";
    ir::Module const module = good({".extern .func g();\n.visible .func caller() { call g; ret; }", target});
    CHECK(text_of(module, called_by(module, "caller")) == "trap; at b.ptx:4");
    check_refused({target, ".visible .func g() { ret; }"}, {"'g' is defined in more than one module"});
    ir::Module const weak =
        good({".func f() { exit; }\n.weak .func g();\n.alias g, f;", ".visible .func g() { trap; ret; }",
              ".extern .func g();\n.visible .func caller() { call g; ret; }"});
    CHECK(text_of(weak, called_by(weak, "caller")) == "trap; at b.ptx:4");
}

TEST_CASE("Tables of functions and addresses are filled across modules", "[link]") {
    ir::Module const module = good({".extern .func f();\n.extern .global .u32 v[4];\n.func own() { ret; }\n"
                                    ".visible .global .u64 table[3] = {f, generic(v)+8, own};",
                                    ".visible .global .u32 v[4];\n.visible .func f() { ret; }"});
    auto const& relocations = module.variable("table")->relocations;
    REQUIRE(relocations.size() == 3);
    CHECK(module.functions.at(relocations[0].index).name == "f");
    CHECK(&module.variables.at(relocations[1].index) == module.variable("v"));
    CHECK(relocations[1].addend == 8);
    CHECK(module.functions.at(relocations[2].index).name == "own");
}

TEST_CASE("Constants of all modules share one bank of 64 KiB", "[link]") {
    ir::Module const module = good({".visible .const .u8 a[3];", ".visible .const .align 8 .u8 b[8];"});
    CHECK(module.variable("a")->offset == 0);
    CHECK(module.variable("b")->offset == 8);
    check_refused({".visible .const .u8 a[40000];", ".const .u8 b[40000];"},
                  {"b.ptx:4:12: error: the .const variables of all modules together have 65536 bytes"});
}

TEST_CASE("Source lines and inlined calls keep their files when modules are linked", "[link]") {
    auto const text = [](std::string const& name) {
        return ".visible .func " + name + "() {\n.loc 1 7 3\ntrap;\nret;\n}\n.file 1 \"" + name + ".cu\"";
    };
    ir::Module const module = good({text("one"), text("two")});
    for (std::string const name : {"one", "two"}) {
        ir::Function const& f = *module.function(name);
        CHECK(module.source_place(f.instructions.at(0)) == name + ".cu:7");
        CHECK(module.place(f.instructions.at(0)) == (name == "one" ? "a.ptx:6" : "b.ptx:6"));
    }
}

TEST_CASE("Functions of the device runtime stay for it to supply, with their prototypes", "[link]") {
    std::string const call =
        "\n.visible .entry k() { .param .b32 r; .param .b64 a; .param .b64 b; call (r), vprintf, (a, b); ret; }";
    std::string const extern_vprintf = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);";
    ir::Module const module = good({extern_vprintf + call, extern_vprintf + "\n.visible .func unused() { ret; }"});
    CHECK(module.function("vprintf")->builtin == ir::Builtin::vprintf);
    check_refused({".extern .func (.param .b32 r) vprintf(.param .b64 f);\n.visible .func k() { .param .b32 r; "
                   ".param .b64 a; "
                   "call (r), vprintf, (a); ret; }"},
                  {"the device runtime supplies 'vprintf' as (b32) vprintf (b64, b64)", "used here"});
    ir::Module const own = good(
        {extern_vprintf + call, ".visible .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a) { ret; }"});
    CHECK(own.function("vprintf")->builtin == ir::Builtin::none);
    CHECK(own.function("vprintf")->has_body);
}

TEST_CASE("Functions of dynamic parallelism are known by all of their names", "[link]") {
    for (std::string_view const name :
         {"cudaLaunchDeviceV2", "__cudaCDP2LaunchDeviceV2", "__cudaCDP2LaunchDeviceV2_ptsz"}) {
        REQUIRE(ir::builtin_function(name) != nullptr);
        CHECK(ir::builtin_function(name)->id == ir::Builtin::launch_device_v2);
    }
    CHECK(ir::builtin_function("__cudaCDP2vprintf") == nullptr);
    CHECK(ir::builtin_function("LaunchDeviceV2") == nullptr);
    CHECK(&ir::builtin_function(ir::Builtin::free) == ir::builtin_function("free"));
}

TEST_CASE("Undefined functions of libraries are told where they come from", "[link]") {
    auto const report = [](std::string const& name) {
        return linked({".extern .func " + name + "();\n.func f() { call " + name + "; ret; }"}).report;
    };
    CHECK(contains(report("__nv_sinf"), "note: it belongs to libdevice"));
    CHECK(contains(report("sinf"), "__nv_sinf"));
    CHECK(contains(report("pow"), "__nv_pow"));
    CHECK(contains(report("memcpy"), "define it in the module"));
    CHECK(contains(report("_Znwm"), "operator new"));
    for (char const* const name : {"sing", "f2", "elf"}) CHECK_FALSE(contains(report(name), "libdevice"));
}

TEST_CASE("A shared array of unknown size is dynamic shared memory in every module", "[link]") {
    std::string const use =
        ".extern .shared .align 16 .b8 memory[];\n.func f() { .reg .u32 %r; ld.shared.u32 %r, [memory]; ret; }";
    CHECK(good({use, use}).variables.size() == 2);
}

TEST_CASE("A shared variable of known size is found in another module, or is its own definition", "[link]") {
    std::string const use = ".extern .shared .u32 s[4];\n.func f() { .reg .u32 %r; ld.shared.u32 %r, [s]; ret; }";
    CHECK(good({use, ".visible .shared .u32 s[4];"}).variables.size() == 1);
    Linked const alone = linked({use});  // so does ptxas of a whole program, with a warning
    CHECK(alone.error_count == 0);
    CHECK(contains(alone.report, "warning: 's' is .extern and no module defines it"));
    CHECK_FALSE(alone.module.variable("s")->is_external);
}

TEST_CASE("Errors of all modules are reported in their order, however many threads read them", "[link]") {
    std::vector<std::string> const texts{".visible .func f() { add; ret; }", ".visible .func g() { ret; }",
                                         ".global .u32 v = x;"};
    Linked const one = linked(texts, 1);
    Linked const many = linked(texts, 3);
    CHECK(one.error_count >= 2);
    CHECK(one.report == many.report);
    CHECK(one.report.find("a.ptx:4") < one.report.find("c.ptx:4"));
}

TEST_CASE("Addresses of 32 and of 64 bits do not go together", "[link]") {
    Linked const result =
        read_modules({{"a.ptx", header}, {"b.ptx", ".version 8.0\n.target sm_80\n.address_size 32\n"}}, 1);
    CHECK(contains(result.report, "b.ptx:1:1: error: addresses of 32 bits here, of 64 in a.ptx"));
}

TEST_CASE("A linked program has the newest version and the highest target of its modules", "[link]") {
    Linked const result = read_modules({{"a.ptx", ".version 8.0\n.target sm_90a\n.address_size 64\n"},
                                        {"b.ptx", ".version 8.3\n.target sm_75\n.address_size 64\n"}},
                                       1);
    CHECK(result.module.version == 83);
    CHECK(result.module.target == "sm_90a");
}

}  // namespace link_test
