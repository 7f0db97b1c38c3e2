// The stack of calls: what is known before a kernel starts is provided for; the limit is for recursion.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <string>

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Writes and reads the last word of a frame of 20,000 bytes, and calls the next function.
std::string large(std::string const& name, std::string const& next) {
    std::string const call = next.empty() ? "" : "call (%r), " + next + ", (%r);";
    return ".func (.reg .b32 %r) " + name + "(.reg .b32 %a) { .local .align 4 .b8 frame[20000]; .reg .b64 %d;\n" +
           "mov.b64 %d, frame; st.local.b32 [%d+19996], %a; add.u32 %r, %a, 1; " + call +
           " ld.local.b32 %a, [%d+19996]; add.u32 %r, %r, %a; ret; }\n";
}

}  // namespace

TEST_CASE("Frames of calls that are not recursive may be larger than the stack's limit", "[exec]") {
    for (std::string const& model : control_flows()) {
        Program program(kernel("call (%r1), outer, (%i); st.global.u32 [%o4], %r1;",
                               large("inner", "") + large("outer", "inner")),
                        model);
        auto const result = program.run<std::uint32_t>(32);
        for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == 3 * i + 3);
    }
}

TEST_CASE("Frames of recursive calls count against the stack's limit", "[exec]") {
    std::string const declared = ".func (.reg .b32 %r) outer(.reg .b32 %a);\n";
    Program program(kernel("call (%r1), outer, (%i); st.global.u32 [%o4], %r1;",
                           declared + large("inner", "outer") + large("outer", "inner")),
                    "independent");
    std::string text;
    try {
        program.run<std::uint32_t>(32);
    } catch (Error const& error) {
        text = error.what();
    }
    CHECK(text.find("stack overflow") != std::string::npos);
}
