// Lanes that call functions, alone and together, and come back.
#include "tests/support/lanes_together.hpp"

namespace calls_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const functions = R"(
.func (.param .u32 result) twice(.param .u32 x) {
    .reg .u32 %a; ld.param.u32 %a, [x]; add.u32 %a, %a, %a; st.param.u32 [result], %a; ret; }
.func (.param .u32 result) square(.param .u32 x) {
    .reg .u32 %a; .reg .pred %p; ld.param.u32 %a, [x]; setp.gt.u32 %p, %a, 20; @%p bra BIG;
    mul.lo.u32 %a, %a, %a; st.param.u32 [result], %a; ret;
    BIG: st.param.u32 [result], 5; ret; }
.func (.reg .u32 result, .reg .pred odd) halve(.reg .u32 x, .reg .b16 y) {
    .reg .u32 %a; and.b32 %a, x, 1; setp.eq.u32 odd, %a, 1; shr.u32 result, x, 1; cvt.u32.u16 %a, y; add.u32 result, result, %a; ret; }
.func (.param .align 8 .b8 result[24]) turn(.param .align 8 .b8 x[24], .param .u8 by) {
    .reg .b64 %a<3>; .reg .b32 %b; ld.param.u8 %b, [by]; ld.param.u64 %a0, [x]; ld.param.u64 %a1, [x+8]; ld.param.u64 %a2, [x+16];
    .reg .b64 %c; cvt.u64.u32 %c, %b; add.u64 %a0, %a0, %c;
    st.param.u64 [result+8], %a0; st.param.u64 [result+16], %a1; st.param.u64 [result], %a2; ret; }
.func (.param .u32 result) depth(.param .u32 n);
.func (.param .u32 result) depth(.param .u32 n) {
    .reg .u32 %a, %b, %c; .reg .pred %p; .local .u32 mine; ld.param.u32 %a, [n]; st.local.u32 [mine], %a; setp.eq.u32 %p, %a, 0; @%p bra BASE;
    sub.u32 %b, %a, 1;
    { .param .u32 q; .param .u32 s; st.param.u32 [q], %b; call (s), depth, (q); ld.param.u32 %c, [s]; }
    ld.local.u32 %a, [mine]; mad.lo.u32 %c, %c, 3, %a; st.param.u32 [result], %c; ret;
    BASE: st.param.u32 [result], 1; ret; }
.const .u64 table[3] = {twice, square, depth};
)";

std::uint32_t depth(std::uint32_t n) { return n == 0 ? 1 : depth(n - 1) * 3 + n; }

}  // namespace

TEST_CASE("A call that returns from two places brings its lanes together", "[exec]") {
    check_both_models(call_with_index("square") + store_results,
                      with_lanes([](std::uint32_t i) { return i > 20 ? 5 : i * i; }), functions);
}

TEST_CASE("Calls in one branch, under a guard and in a loop come back to their callers", "[exec]") {
    check_both_models("mov.u32 %r0, 3; setp.lt.u32 %p0, %i, 9; @!%p0 bra END;" + call_with_index("square") +
                          "END:" + store_results,
                      with_lanes([](std::uint32_t i) { return i < 9 ? i * i : 3; }), functions);
    check_both_models(
        "setp.lt.u32 %p0, %i, 9; { .param .u32 q; .param .u32 s; st.param.u32 [q], %i; st.param.u32 [s], 3;\n"
        "@%p0 call (s), square, (q); ld.param.u32 %r0, [s]; }" +
            store_results,
        with_lanes([](std::uint32_t i) { return i < 9 ? i * i : 3; }), functions);
    check_both_models("mov.u32 %r5, 0; and.b32 %r6, %i, 3; LOOP:" + call_with_index("square") +
                          "add.u32 %r5, %r5, %r0; sub.u32 %r6, %r6, 1; setp.ge.s32 %p0, %r6, 0;\n"
                          "@%p0 bra LOOP; mov.u32 %r0, %r5;" +
                          store_results,
                      with_lanes([](std::uint32_t i) { return (i > 20 ? 5 : i * i) * (i % 4 + 1); }), functions);
}

TEST_CASE("Lanes recurse to depths of their own and meet behind the first call", "[exec]") {
    check_both_models(
        "{ .param .u32 q; .param .u32 s; rem.u32 %r1, %i, 9; st.param.u32 [q], %r1; call (s), depth, (q); "
        "ld.param.u32 %r0, [s]; }" +
            store_results,
        with_lanes([](std::uint32_t i) { return depth(i % 9); }), functions);
}

TEST_CASE("An indirect call sends each lane to its function", "[exec]") {
    check_both_models(R"(
        PROTO: .callprototype (.param .u32 _) _ (.param .u32 _);
        rem.u32 %r1, %i, 3; mul.wide.u32 %d0, %r1, 8; mov.u64 %d1, table; add.u64 %d0, %d0, %d1; ld.const.u64 %d0, [%d0];
        rem.u32 %r2, %i, 7;
        { .param .u32 q; .param .u32 s; st.param.u32 [q], %r2; call (s), %d0, (q), PROTO; ld.param.u32 %r0, [s]; })" +
                          store_results,
                      with_lanes([](std::uint32_t i) {
                          std::uint32_t const x = i % 7;
                          return i % 3 == 0 ? 2 * x : i % 3 == 1 ? x * x : depth(x);
                      }),
                      functions);
}

TEST_CASE("An indirect call of what is no function or takes other arguments is a fault", "[exec]") {
    std::string const body = R"(
        PROTO: .callprototype (.param .u32 _) _ (.param .u32 _);
        mov.u64 %d0, twice; setp.eq.u32 %p0, %i, 6; @%p0 mov.u64 %d0, TARGET;
        { .param .u32 q; .param .u32 s; st.param.u32 [q], %i; call (s), %d0, (q), PROTO; ld.param.u32 %r0, [s]; }
        mov.u64 %d1, turn; mov.u64 %d1, halve;)";
    for (std::string const& model : control_flows()) {
        for (auto const& [target, part] : {std::pair("12345", "is not the address of a function"),
                                           std::pair("turn", "call of turn: it takes (.param .b8[24], .param .u8) "
                                                             "and the prototype of the call has (.param .u32)"),
                                           std::pair("halve", "call of halve: it takes (.reg .u32, .reg .b16)")}) {
            std::string text = body;
            text.replace(text.find("TARGET"), 6, target);
            Program program(kernel(text, functions), model);
            std::string const error = program.error();
            INFO(error);
            CHECK(contains(error, part));
            CHECK(contains(error, "lane 6"));
        }
    }
}

TEST_CASE("Structures and registers travel to a function and back", "[exec]") {
    check_both_models(R"(
        .reg .u32 %x; .reg .pred %odd;
        mul.wide.u32 %d0, %i, 5; mov.u64 %d1, 2; mov.u64 %d2, 3;
        { .param .align 8 .b8 q[24]; .param .u8 n; .param .align 8 .b8 s[24];
          st.param.u64 [q], %d0; st.param.u64 [q+8], %d1; st.param.u64 [q+16], %d2; st.param.u8 [n], %i;
          call (s), turn, (q, n);
          ld.param.u64 %d3, [s]; ld.param.u64 %d4, [s+8]; ld.param.u64 %d5, [s+16]; }
        mad.lo.u64 %d3, %d3, 100, %d4; mad.lo.u64 %d3, %d5, 1000, %d3; cvt.u32.u64 %r0, %d3;
        cvt.u16.u32 %h0, %i; call (%x, %odd), halve, (%i, %h0);
        mad.lo.u32 %r0, %x, 10000, %r0; @%odd add.u32 %r0, %r0, 7;)" +
                          store_results,
                      with_lanes([](std::uint32_t i) { return 2300 + 6 * i + 10000 * (i / 2 + i) + (i % 2) * 7; }),
                      functions);
}

TEST_CASE("Endless recursion is a stack overflow with a trace of the calls", "[exec]") {
    std::string const endless = R"(
.func down(.param .u32 n) {
    .reg .u32 %a; .local .b8 much[64]; ld.param.u32 %a, [n]; st.local.u32 [much], %a;
    { .param .u32 q; st.param.u32 [q], %a; call down, (q); } ret; })";
    for (std::string const& model : control_flows()) {
        Program program(kernel("setp.eq.u32 %p0, %i, 13; @!%p0 bra END; { .param .u32 q; st.param.u32 [q], %i; "
                               "call down, (q); } END:",
                               endless),
                        model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "stack overflow"));
        CHECK(contains(text, "lane 13"));
        CHECK(contains(text, "in down, called from down at test.ptx:"));
        CHECK(contains(text, "calls more"));
        CHECK(contains(text, "in down, called from k at test.ptx:"));  // always says where it began
    }
}

TEST_CASE("A function's early return leaves the others to meet inside of it", "[exec]") {
    std::string const function = R"(
.func (.param .u32 result) f(.param .u32 x) {
    .reg .u32 %a, %m; .reg .pred %p, %q; ld.param.u32 %a, [x]; setp.ge.u32 %p, %a, 16; setp.eq.u32 %q, %a, 3;
    st.param.u32 [result], 7; @%p bra ELSE; @%q ret; bra JOIN; ELSE: add.u32 %a, %a, 1; JOIN:
    activemask.b32 %m; popc.b32 %m, %m; st.param.u32 [result], %m; ret; })";
    check_both_models(call_with_index("f") + store_results,
                      with_lanes([](std::uint32_t i) { return i == 3 ? 7 : 31; }), function);
}

TEST_CASE("A broken promise of .uni is reported with its lanes and its place", "[exec]") {
    std::string const tables = functions + "\n";
    std::pair<std::string, std::string> const cases[] = {
        {"setp.lt.u32 %p0, %i, 3;\n@%p0 bra.uni END;\nmov.u32 %r0, 1; END:",
         "lanes 0-2 branch, lanes 3-31 do not"},
        {"T: .branchtargets A, B; setp.ge.u32 %p0, %i, 31; selp.u32 %r0, 1, 0, %p0;\nbrx.idx.uni %r0, T; A: "
         "mov.u32 %r1, 1; B:",
         "lane 31 branch to one place, lanes 0-30 do not"},
        {"setp.eq.u32 %p0, %i, 4;\n{ .param .u32 q; .param .u32 s; st.param.u32 [q], %i;\n@!%p0 call.uni (s), "
         "square, (q); }",
         "lanes 0-3,5-31 call, lane 4 does not"},
        {"setp.eq.u32 %p0, %i, 4;\n@%p0 ret.uni;", "lane 4 return, lanes 0-3,5-31 do not"},
        {"P: .callprototype (.param .u32 _) _ (.param .u32 _); setp.eq.u32 %p0, %i, 2; mov.u64 %d0, twice; "
         "mov.u64 %d1, square;\n"
         "selp.b64 %d0, %d0, %d1, %p0; { .param .u32 q; .param .u32 s; st.param.u32 [q], %i;\ncall.uni (s), %d0, "
         "(q), P; }",
         "lanes 0-1,3-31 call one function, lane 2 does not"}};
    for (std::string const& model : control_flows()) {
        for (auto const& [body, part] : cases) {
            Program program(kernel(body, tables), model);
            std::string const text = program.error();
            INFO(text);
            CHECK(contains(text, "broken promise of .uni: " + part));
            CHECK(contains(text, "test.ptx:"));
        }
        // The promise is about the lanes that are active.
        Program program(kernel("setp.lt.u32 %p0, %i, 3; @!%p0 bra OTHER; @%p0 bra.uni END; OTHER: END:"), model);
        CHECK(program.error() == "");
    }
}

TEST_CASE("A return from a function that promised not to is a fault", "[exec]") {
    std::string const function = R"(
.func down(.param .u32 n) .noreturn {
    .reg .u32 %a; .reg .pred %p; ld.param.u32 %a, [n]; setp.eq.u32 %p, %a, 40; @%p exit; ret; })";
    for (std::string const& model : control_flows()) {
        Program program(kernel("{ .param .u32 q; st.param.u32 [q], %i;\ncall down, (q); }", function), model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "return from down, which is declared .noreturn"));
        CHECK(contains(text, "in down, called from k at test.ptx:"));
    }
}

TEST_CASE("An unsized array of parameters holds what each call gives, and an access behind it is a fault",
          "[exec]") {
    std::string const function = R"(
.func (.param .u32 y) sum(.param .u32 n, .param .align 8 .b8 data[]);
.func (.param .u32 y) sum(.param .u32 n, .param .align 8 .b8 data[]) {
    .reg .u32 %n, %s, %k, %v; .reg .pred %p; ld.param.u32 %n, [n]; mov.u32 %s, 0; ld.param.u32 %s, [data];
    setp.lt.u32 %p, %n, 2; @%p bra OUT; ld.param.u32 %v, [data+4]; add.u32 %s, %s, %v;
    setp.lt.u32 %p, %n, 4; @%p bra OUT; ld.param.u32 %v, [data+12]; add.u32 %s, %s, %v;
    OUT: st.param.u32 [y], %s; ret; })";
    auto const call = [](int bytes, int count) {
        std::string text = "{ .param .u32 n; .param .align 8 .b8 d[" + std::to_string(bytes) +
                           "]; .param .u32 y; st.param.u32 [n], " + std::to_string(count) + ";";
        for (int b = 0; b < bytes; b += 4)
            text += "add.u32 %r1, %i, " + std::to_string(b) + "; st.param.u32 [d+" + std::to_string(b) + "], %r1;";
        return text + "\ncall (y), sum, (n, d); ld.param.u32 %r2, [y]; add.u32 %r0, %r0, %r2; }\n";
    };
    check_both_models("mov.u32 %r0, 0;" + call(4, 1) + call(8, 2) + call(16, 4) + store_results,
                      with_lanes([](std::uint32_t i) { return i + (2 * i + 4) + (3 * i + 16); }), function);
    for (std::string const& model : control_flows()) {
        Program program(kernel("mov.u32 %r0, 0;" + call(16, 4) + call(8, 4), function), model);
        std::string const text = program.error();
        INFO(text);
        CHECK(contains(text, "illegal address: 4-byte load from param"));
        CHECK(contains(text, "[data+12]"));
    }
}

}  // namespace calls_test
