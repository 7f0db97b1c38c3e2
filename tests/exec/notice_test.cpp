// Undefined behaviour that is not a fault is reported to the user, once for each instruction.
#include "tests/support/captured.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <functional>

namespace notice_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::size_t count(std::string const& text, std::string const& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

/// What a launch writes to the standard error; several launches of one program one after the other.
std::string told(Program& program, int launches = 1) {
    Captured errors(2);
    for (int i = 0; i < launches; ++i) program.run<std::uint32_t>(64, {.block = {64, 1, 1}});
    return errors.text();
}

/// Lanes 0 to 15 of each warp shuffle among themselves, five times; lane 15 reads from lane 16, which does not
/// take part.
std::string const absent = R"(
    mov.u32 %r9, 0; mov.u32 %r8, %laneid; setp.ge.u32 %p0, %r8, 16; @%p0 bra END;
    AGAIN: shfl.sync.down.b32 %r0, %i, 1, 31, 0xffff; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 5; @%p1 bra AGAIN;
    st.global.u32 [%o4], %r0; END:)";

}  // namespace

TEST_CASE("A shuffle from a lane that takes no part is told once, however often it is executed",
          "[exec][engine]") {
    for (std::string const& model : control_flows()) {
        Program program(kernel(absent), model);
        std::string const text = told(program, 3);
        INFO(text);
        CHECK(count(text, "warning") == 1);
        CHECK(contains(text, "undefined value: lane 15 reads from lanes that take no part; 0 is given"));
        CHECK(contains(text, "shfl.sync.down.b32 %r0, %i, 1, 31, 0xffff;"));
        CHECK(contains(text, "thread (15,0,0)"));
    }
}

TEST_CASE("Each instruction is told of for itself, and defined ones are not", "[exec]") {
    Program two(kernel(
        "mov.u32 %r8, %laneid; setp.ge.u32 %p0, %r8, 4; @%p0 bra END; shfl.sync.idx.b32 %r0, %i, 9, 31, 15;\n"
        "shfl.sync.idx.b32 %r1, %i, 10, 31, 15;\nshfl.sync.idx.b32 %r2, %i, 3, 31, 15; END:"));
    std::string const text = told(two);
    INFO(text);
    CHECK(count(text, "undefined value: lanes 0-3 read") == 2);
    CHECK(count(text, "warning") == 2);
    // Lanes beyond the end of a segment keep their own value: nothing is undefined.
    Program defined(kernel("shfl.sync.down.b32 %r0, %i, 1, 31, -1; st.global.u32 [%o4], %r0;"));
    CHECK(told(defined).empty());
}

TEST_CASE("A shuffle whose lanes come one by one is told of in the same way", "[exec]") {
    // The two halves arrive on different paths, so the operation waits for its members.
    Program program(
        kernel("mov.u32 %r8, %laneid; setp.ge.u32 %p0, %r8, 8; @%p0 bra END; and.b32 %r7, %i, 1; setp.eq.u32 %p1, "
               "%r7, 0; @%p1 bra EVEN;"
               "shfl.sync.up.b32 %r0, %i, 0, 0, 0xff; bra END; EVEN: shfl.sync.up.b32 %r0, %i, 0, 0, 0xff; END:"));
    CHECK(told(program).empty());
    Program wrong(kernel(
        "mov.u32 %r8, %laneid; setp.ge.u32 %p0, %r8, 8; @%p0 bra END; and.b32 %r7, %i, 1; setp.eq.u32 %p1, %r7, "
        "0; @%p1 bra EVEN;"
        "shfl.sync.bfly.b32 %r0, %i, 8, 31, 0xff; bra END; EVEN: shfl.sync.bfly.b32 %r0, %i, 8, 31, 0xff; END:"));
    std::string const text = told(wrong, 2);
    INFO(text);
    CHECK(count(text, "warning") == 2);
}

TEST_CASE("A lane that its own member mask does not name takes part as on hardware, and is told of once",
          "[exec]") {
    std::uint32_t const odd = 0xaaaaaaaa;
    struct Case {
        std::string code;
        std::function<std::uint32_t(std::uint32_t)> want;
    };
    for (Case const& c : {
             Case{"shfl.sync.bfly.b32 %r0, %i, 1, 31, 0xff;", [](std::uint32_t i) { return i ^ 1; }},
             Case{"and.b32 %r1, %i, 1; setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r0, %p1, 0xff;",
                  [&](std::uint32_t) { return odd; }},
             Case{"and.b32 %r1, %i, 1; match.any.sync.b32 %r0, %r1, 0xff;",
                  [&](std::uint32_t i) { return i % 2 == 1 ? odd : ~odd; }},
             Case{"redux.sync.add.u32 %r0, %i, 0xff;", [](std::uint32_t) { return 31u * 32 / 2; }},
             Case{"bar.warp.sync 0xff; mov.u32 %r0, %i;", [](std::uint32_t i) { return i; }},
         }) {
        for (std::string const& model : control_flows()) {
            Program program(kernel(c.code + " st.global.u32 [%o4], %r0;"), model);
            Captured errors(2);
            CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, c.want));
            CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, c.want));
            std::string const text = errors.text();
            INFO(c.code << '\n' << text);
            CHECK(count(text, "warning") == 1);
            CHECK(contains(text,
                           "undefined: lanes 8-31 execute it with the member mask 0x000000ff, which does not "
                           "name them; the lanes that are there take part, as on hardware"));
        }
    }
}

TEST_CASE("Lanes that their member mask does not name wait for nobody", "[exec]") {
    // Lanes 0 to 7, which the mask names, never come; the others exchange among themselves.
    for (std::string const& model : control_flows()) {
        Program program(kernel("setp.lt.u32 %p0, %i, 8; @%p0 bra END; shfl.sync.bfly.b32 %r0, %i, 1, 31, 0xff;\n"
                               "st.global.u32 [%o4], %r0; END:"),
                        model);
        Captured errors(2);
        CHECK(program.run<std::uint32_t>(32) ==
              each<std::uint32_t>(32, [](std::uint32_t i) { return i < 8 ? 0 : i ^ 1; }));
        CHECK(count(errors.text(), "warning") == 1);
    }
}

TEST_CASE("The stack's size is the configuration's, and its end a fault with the calls that led there", "[exec]") {
    std::string const functions = R"(
.func (.param .u32 result) depth(.param .u32 n);
.func (.param .u32 result) depth(.param .u32 n) {
    .reg .u32 %a, %b; .reg .pred %p; .local .b8 room[48]; ld.param.u32 %a, [n]; st.local.u32 [room], %a; setp.eq.u32 %p, %a, 0; @%p bra BASE; sub.u32 %b, %a, 1;
    { .param .u32 q; .param .u32 s; st.param.u32 [q], %b; call (s), depth, (q); ld.param.u32 %b, [s]; }
    add.u32 %b, %b, 1; st.param.u32 [result], %b; ret;
    BASE: st.param.u32 [result], 0; ret; })";
    std::string const body = "{ .param .u32 q; .param .u32 s; st.param.u32 [q], 60; call (s), depth, (q); "
                             "ld.param.u32 %r0, [s]; } st.global.u32 [%o4], %r0;";
    for (std::string const& model : control_flows()) {
        Program enough(kernel(body, functions), model, Program::one_thread(),
                       {"limits.stack_bytes_per_thread=4096"});
        CHECK(enough.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 60));
        Program small(kernel(body, functions), model, Program::one_thread(),
                      {"limits.stack_bytes_per_thread=2048"});
        std::string const error = small.error();
        INFO(error);
        CHECK(contains(error, "stack overflow: 33 calls deep, 2112 bytes of a stack of 2048"));
        CHECK(contains(error, "in depth, called from depth at test.ptx:"));
    }
}

}  // namespace notice_test
