// Indirect calls: where they may go, and how a function is found that nothing near the call names.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace indirect_call_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const functions = R"(
.func (.param .b32 r) one(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }
.func (.param .b32 r) two(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 2; st.param.b32 [r], %a; ret; }
.func (.param .b32 r) three(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 3; st.param.b32 [r], %a; ret; }
.func (.param .f32 r) negated(.param .f32 x) { .reg .f32 %a; ld.param.f32 %a, [x]; neg.f32 %a, %a; st.param.f32 [r], %a; ret; }
.func (.param .b64 r) wide(.param .b32 x) { .reg .b64 %a; mov.b64 %a, 1; st.param.b64 [r], %a; ret; }
.func nothing() { ret; }
)";

/// Calls the function at %d0 with %i, by the prototype or list P, and stores the result.
std::string const call = R"(
{ .param .b32 q; .param .b32 s; st.param.b32 [q], %i; call (s), %d0, (q), P; ld.param.b32 %r0, [s]; st.global.u32 [%o4], %r0; }
)";

std::string fault(std::string const& body, std::string const& model) {
    Program program(kernel(body, functions), model);
    try {
        program.launch(program.device.allocate(4096));
    } catch (FaultError const& error) {
        CHECK(error.fault() == FaultKind::illegal_call);
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("An indirect call goes to the functions of its list only", "[exec]") {
    std::string const body = "P: .calltargets one, two; and.b32 %r1, %i, 1; setp.eq.u32 %p0, %r1, 0; mov.u64 %d0, "
                             "one; mov.u64 %d1, two;"
                             "mov.u64 %d2, three; selp.b64 %d0, %d0, %d1, %p0; setp.eq.u32 %p1, %i, 9;";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body + call, functions), model);
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return i + 1 + i % 2; }));
        std::string const error = fault(body + "@%p1 mov.u64 %d0, %d2;" + call, model);
        INFO(error);
        CHECK(contains(error, "call of three: it is not among the targets of the call: one, two"));
        CHECK(contains(error, "lane 9"));
        CHECK(contains(error, "call (s), %d0, (q), P;"));
    }
}

TEST_CASE("A call by an array of functions goes to one of these", "[exec]") {
    std::string const table = ".global .u64 P[3] = {two, 0, one};\n";
    std::string const body = "and.b32 %r1, %i, 1; shl.b32 %r1, %r1, 1; ld.global.u64 %d0, P[%r1]; setp.eq.u32 "
                             "%p1, %i, 9; mov.u64 %d2, three;";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body + call, functions + table), model);
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return i + 2 - i % 2; }));
        Program other(kernel(body + "@%p1 mov.u64 %d0, %d2;" + call, functions + table), model);
        try {
            other.launch(other.device.allocate(4096));
            FAIL("three was called");
        } catch (FaultError const& error) {
            CHECK(contains(error.what(), "call of three: it is not among the targets of the call: two, one"));
        }
    }
}

TEST_CASE("The callee of an indirect call has the signature of its prototype", "[exec]") {
    for (std::string const& model : control_flows()) {
        std::string const untyped = "P: .callprototype (.param .b32 _) _ (.param .b32 _);";
        std::string const integers = "P: .callprototype (.param .u32 _) _ (.param .u32 _);";
        CHECK(fault(untyped + "mov.u64 %d0, negated;" + call, model).empty());
        CHECK(fault(integers + "mov.u64 %d0, two;" + call, model).empty());
        CHECK(contains(fault(integers + "mov.u64 %d0, negated;" + call, model),
                       "call of negated: it takes (.param .f32) and the prototype of the call has (.param .u32)"));
        CHECK(contains(fault(untyped + "mov.u64 %d0, wide;" + call, model),
                       "call of wide: it returns (.param .b64) and the prototype of the call has (.param .b32)"));
        CHECK(contains(fault(untyped + "mov.u64 %d0, nothing;" + call, model), "call of nothing: it takes ()"));
        CHECK(contains(fault(untyped + "mov.u64 %d0, k;" + call, model), "call of k: it is a kernel"));
        CHECK(contains(fault(untyped + "mov.u64 %d0, 8;" + call, model),
                       "call of 8, which is not the address of a function"));
    }
}

TEST_CASE("A function is called through an address that only memory or a parameter brings", "[exec]") {
    // The kernel names no function: their addresses lie in a table that the host copies to `in`.
    std::string const tables = functions + ".global .u64 table[3] = {one, two, three};\n";
    for (std::string const& model : control_flows()) {
        Program program(kernel("P: .callprototype (.param .b32 _) _ (.param .b32 _); rem.u32 %r1, %i, 3; "
                               "mul.wide.u32 %d0, %r1, 8; "
                               "add.u64 %d0, %d0, %in; ld.global.u64 %d0, [%d0];" +
                                   call,
                               tables),
                        model);
        std::vector<std::uint64_t> addresses(3);
        program.module->read_symbol("table", 0, addresses.data(), 24);
        program.in = program.device.upload(addresses);
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return i + 1 + i % 3; }));
    }
}

TEST_CASE("Lists of call targets name the functions of the linked program", "[exec]") {
    std::string const first =
        ptx_header() + ".visible .func (.param .b32 r) away(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; "
                       "add.u32 %a, %a, 40; st.param.b32 [r], %a; ret; }\n";
    std::string const second = kernel("P: .calltargets two, away; mov.u64 %d0, away;" + call,
                                      functions + ".extern .func (.param .b32 r) away(.param .b32 x);\n");
    runtime::Device device(sim::load_config("h100"), Program::one_thread());
    auto const module = device.load_texts({{"first.ptx", first}, {"second.ptx", second}});
    runtime::DevicePointer const out = device.allocate(128);
    device.launch(*module, "k", {{1, 1, 1}, {32, 1, 1}}, runtime::Arguments::of(out, out));
    CHECK(device.download<std::uint32_t>(out, 32) ==
          each<std::uint32_t>(32, [](std::uint32_t i) { return i + 40; }));
}

TEST_CASE("An alias among call targets is the function that it stands for", "[exec]") {
    Program program(
        kernel("P: .calltargets same; mov.u64 %d0, one;" + call,
               functions + ".visible .func (.param .b32 r) same(.param .b32 x);\n.alias same, one;\n"));
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) { return i + 1; }));
}

}  // namespace indirect_call_test
