// Programs of several modules on a device: calls and addresses across modules, and what the host finds by name.
#include "tests/support/captured.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace link_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::shared_ptr<runtime::Module> load(runtime::Device& device, std::vector<std::string> const& texts) {
    std::vector<runtime::PtxText> named;
    for (std::string const& text : texts) named.push_back({"part" + std::to_string(named.size()) + ".ptx", text});
    return device.load_texts(std::move(named));
}

std::vector<std::uint32_t> run(runtime::Device& device, runtime::Module& module, std::string const& name,
                               std::size_t count) {
    auto const out = device.allocate(count * 4);
    runtime::LaunchShape shape;
    shape.block = {static_cast<std::uint32_t>(count), 1, 1};
    device.launch(module, name, shape, runtime::Arguments::of(out, out));
    return device.download<std::uint32_t>(out, count);
}

std::string private_kernel(std::string const& name, int value) {
    return ptx_header() + ".global .u32 v = " + std::to_string(value) + ";\n.entry " + name +
           "(.param .u64 p, .param .u64 q)\n{ .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [p]; ld.global.u32 %r, "
           "[v]; "
           "st.global.u32 [%d], %r; ret; }\n";
}

std::string error_of(std::vector<std::string> const& texts) {
    runtime::Device device(sim::load_config("h100"), Program::one_thread());
    try {
        load(device, texts);
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::ptx);
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("Indirect calls go through tables to functions of other modules", "[link]") {
    std::string const table =
        ptx_header() +
        ".extern .func (.param .u32 r) twice(.param .u32 a);\n"
        ".func (.param .u32 r) next(.param .u32 a)\n{ .reg .u32 %r; ld.param.u32 %r, [a]; add.u32 %r, %r, 1; "
        "st.param.u32 [r], %r; ret; }\n.visible .global .u64 table[2] = {twice, next};\n";
    std::string const functions =
        ptx_header() + ".visible .func (.param .u32 r) twice(.param .u32 a)\n"
                       "{ .reg .u32 %r; ld.param.u32 %r, [a]; add.u32 %r, %r, %r; st.param.u32 [r], %r; ret; }\n";
    std::string const user =
        kernel("and.b32 %r0, %i, 1; mul.wide.u32 %d0, %r0, 8; mov.u64 %d1, table; add.u64 %d0, %d0, %d1;\n"
               "ld.global.u64 %d2, [%d0];\nP: .callprototype (.param .u32 _) _ (.param .u32 _);\n"
               "{ .param .u32 a; .param .u32 b; st.param.u32 [a], %i; call (b), %d2, (a), P; "
               "ld.param.u32 %r1, [b]; }\nst.global.u32 [%o4], %r1;",
               ".extern .global .u64 table[2];");
    for (std::string const& control_flow : control_flows()) {
        INFO(control_flow);
        std::vector<std::string> const overrides{"sm.control_flow=" + control_flow};
        runtime::Device device(sim::load_config("h100", overrides), Program::one_thread());
        auto const module = load(device, {table, functions, user});
        CHECK(run(device, *module, "k", 32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return i % 2 == 0 ? 2 * i : i + 1; }));
    }
}

TEST_CASE("The host finds private kernels and variables of every module", "[link]") {
    runtime::Device device(sim::load_config("h100"), Program::one_thread());
    auto const module = load(device, {private_kernel("one", 11), private_kernel("two", 22)});
    CHECK(module->kernels() == std::vector<std::string>{"one", "two"});
    CHECK(run(device, *module, "one", 1)[0] == 11);
    CHECK(run(device, *module, "two", 1)[0] == 22);
    std::uint32_t const changed = 33;
    module->write_symbol("v", 0, &changed, 4);  // the first of that name
    CHECK(run(device, *module, "one", 1)[0] == 33);
    CHECK(run(device, *module, "two", 1)[0] == 22);
}

TEST_CASE("The host finds what other modules may see before what is private", "[link]") {
    runtime::Device device(sim::load_config("h100"), Program::one_thread());
    std::string visible = private_kernel("k", 2);
    visible.replace(visible.find(".global .u32 v"), 7, ".visible .global");
    visible.replace(visible.find(".entry"), 6, ".visible .entry");
    auto const module = load(device, {private_kernel("k", 1), visible});
    CHECK(run(device, *module, "k", 1)[0] == 2);
    std::uint32_t value = 0;
    module->read_symbol("v", 0, &value, 4);
    CHECK(value == 2);
}

TEST_CASE("A program that refers to what no module defines is not loaded", "[link]") {
    std::string const text = error_of(
        {private_kernel("k", 1), ptx_header() + ".extern .func f();\n.visible .func g() { call f; ret; }\n"});
    CHECK(contains(text, "part1.ptx:4:15: error: undefined function 'f'"));
    CHECK(contains(text, "part1.ptx:5:22: note: used here"));
}

TEST_CASE("The bytes of an address can be initial values", "[link]") {
    std::string const table =
        ".global .align 4 .u32 v[4];\n.func f() { ret; }\n.global .align 8 .u8 a[8] = {0xFF(v+4), 0xFF00(v+4), "
        "0xFF0000(v+4), 0xFF000000(v+4), 0xFF00000000(v+4), 0xFF0000000000(v+4), 0xFF000000000000(v+4), "
        "0xFF00000000000000(v+4)};\n.global .align 8 .u8 b[8] = {0xFF(f), 0xFF00(f), 0xFF0000(f)};\n"
        ".global .u8 c = 0xFF00(0x1234);\n";
    Program program(kernel("ld.global.u64 %d0, [a]; mov.u64 %d1, v; sub.u64 %d0, %d0, %d1; cvt.u32.u64 %r0, %d0;\n"
                           "ld.global.u64 %d2, [b]; mov.u64 %d3, f; sub.u64 %d2, %d2, %d3; cvt.u32.u64 %r1, %d2;\n"
                           "ld.global.u8 %r2, [c]; st.global.u32 [%out], %r0; st.global.u32 [%out+4], %r1; "
                           "st.global.u32 [%out+8], %r2;",
                           table));
    CHECK(run(program.device, *program.module, "k", 4) == std::vector<std::uint32_t>{4, 0, 0x12, 0});
}

TEST_CASE("Registers of the module serve a kernel; shared with functions they are refused", "[link]") {
    std::string const header = ".version 2.3\n.target sm_20\n.address_size 64\n.reg .u32 r;\n";
    Program alone(header +
                  ".entry k(.param .u64 p, .param .u64 q) { .reg .u64 %d; ld.param.u64 %d, [p]; mov.u32 r, 5; "
                  "st.global.u32 [%d], r; ret; }\n");
    CHECK(run(alone.device, *alone.module, "k", 1)[0] == 5);
    Program shared(header +
                   ".func f() { mov.u32 r, 7; ret; }\n.entry k(.param .u64 p, .param .u64 q) { .reg .u64 %d; "
                   "ld.param.u64 %d, [p]; call f; st.global.u32 [%d], r; ret; }\n");
    CHECK(contains(shared.error(), "test.ptx:5:13: function f   (it uses a register of the module)"));
}

TEST_CASE("PTX of a version that is not known yet runs without a word, and its errors name the version",
          "[link]") {
    std::string const head = ".version 9.9\n.target sm_90\n.address_size 64\n";
    std::string const good = head + ".visible .global .u32 v = 3;\n.entry k() { ret; }\n";
    runtime::Device device(sim::load_config("h100"), Program::one_thread());
    Captured errors(2);
    auto const module = load(device, {good});
    device.launch(*module, "k", {}, runtime::Arguments());
    CHECK(errors.text().empty());
    std::string const wrong = error_of({head + ".entry k() { unheard.of.f32; }\n"});
    CHECK(wrong.find("PTX version 9.9 is newer than ") != std::string::npos);
    CHECK(wrong.find("unheard") != std::string::npos);
}

}  // namespace link_test
