// Values that nobody has written are found where they matter, and only there. Each mistake has a twin that does the same
// correctly.
#include "tests/check/init_run.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace init_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Case {
    char const* name;
    std::string body;
    char const* found;  // what is found; "": nothing
    std::string before = {};
    std::uint32_t threads = 32;
};

char const* const to_host = "uninitialised value reaches the host";
char const* const in_branch = "uninitialised value decides a branch";
char const* const as_guard = "uninitialised value decides whether an instruction executes";
char const* const as_address = "uninitialised value is an address";
char const* const as_operand = "uninitialised value controls an operation";

/// %r1 = a word that nobody has written; %d1 the same of eight bytes. %out has been written as a whole.
std::string const garbage = "ld.global.u32 %r1, [%in]; ld.global.u64 %d1, [%in];\n";
std::string const put = "st.global.u32 [%o4], %r2;\n";
std::string const branch = "@%p0 bra NEXT; st.global.u32 [%out], 1; NEXT:\n";
/// A word of shared memory for each thread, at %d0.
std::string const shared = ".shared .align 16 .b8 tile[512];\n"
                           "mov.u64 %d2, tile; mul.wide.u32 %d0, %i, 4; add.u64 %d0, %d0, %d2;\n";
/// %r1 = a word whose lowest byte, or highest, is 0x81, and of which nobody has written the rest.
std::string const low_byte = shared + "st.shared.u8 [%d0], 0x81; ld.shared.u32 %r1, [%d0];\n";
std::string const high_byte = shared + "st.shared.u8 [%d0+3], 0x81; ld.shared.u32 %r1, [%d0];\n";

std::vector<Case> memory_cases() {
    return {
        {"a branch on memory of the device", garbage + "setp.eq.u32 %p0, %r1, 0;\n" + branch, in_branch},
        {"... that was written", "ld.global.u32 %r1, [%out]; setp.eq.u32 %p0, %r1, 0;\n" + branch, ""},
        {"a guard", garbage + "setp.eq.u32 %p0, %r1, 0; @%p0 st.global.u32 [%o4], 1;", as_guard},
        {"... of a value that is stored, but not read",
         garbage + "setp.eq.u32 %p0, %i, 0; @%p0 st.global.u32 [%in+256], %r1;", ""},
        {"an address", garbage + "and.b64 %d1, %d1, 0xffc; add.u64 %d1, %d1, %out; ld.global.u32 %r2, [%d1];",
         as_address},
        {"... of a store", garbage + "and.b64 %d1, %d1, 0xffc; add.u64 %d1, %d1, %out; st.global.u32 [%d1], 1;",
         as_address},
        {"... whose unknown part is masked",
         garbage + "and.b64 %d1, %d1, 0; add.u64 %d1, %d1, %out; ld.global.u32 %r2, [%d1];", ""},
        {"a copy that the host reads", garbage + "mov.u32 %r2, %r1;\n" + put, to_host},
        {"... that nobody reads",
         "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in]; st.global.v4.u32 [%in+4096], {%r1, %r2, %r3, %r4};", ""},
        {"a sum", garbage + "add.u32 %r2, %r1, %i;\n" + put, to_host},
        {"... of what a thread has stored before",
         "mul.wide.u32 %d3, %i, 4; add.u64 %d3, %d3, %in; st.global.u32 [%d3], %i; ld.global.u32 %r1, [%d3];\n"
         "add.u32 %r2, %r1, %i;\n" +
             put,
         ""},
        {"shared memory", shared + "ld.shared.u32 %r2, [%d0];\n" + put, to_host},
        {"... that was written", shared + "st.shared.u32 [%d0], %i; ld.shared.u32 %r2, [%d0];\n" + put, ""},
        {"... by half of the threads",
         shared +
             "setp.lt.u32 %p1, %i, 16; @%p1 st.shared.u32 [%d0], %i; bar.sync 0; ld.shared.u32 %r2, [%d0];\n" +
             put,
         to_host},
        {"... and what they have written",
         shared +
             "setp.lt.u32 %p1, %i, 16; @%p1 st.shared.u32 [%d0], %i; bar.sync 0; mov.u32 %r2, 0;\n"
             "@%p1 ld.shared.u32 %r2, [%d0];\n" +
             put,
         ""},
        {"dynamic shared memory", "mov.u64 %d2, dynamic; ld.shared.u32 %r2, [%d2];\n" + put, to_host,
         ".extern .shared .align 16 .b8 dynamic[];"},
        {"shared memory by a generic address", shared + "cvta.shared.u64 %d4, %d0; ld.u32 %r2, [%d4];\n" + put,
         to_host},
        {"... that was written by one",
         shared + "cvta.shared.u64 %d4, %d0; st.u32 [%d4], %i; ld.shared.u32 %r2, [%d0];\n" + put, ""},
        {"local memory", ".local .align 4 .b8 mine[64];\nmov.u64 %d2, mine; ld.local.u32 %r2, [%d2+8];\n" + put,
         to_host},
        {"... that was written",
         ".local .align 4 .b8 mine[64];\nmov.u64 %d2, mine; st.local.u32 [%d2+8], %i; ld.local.u32 %r2, "
         "[%d2+8];\n" +
             put,
         ""},
        {"... beside what was written",
         ".local .align 4 .b8 mine[64];\nmov.u64 %d2, mine; st.local.u16 [%d2+10], 7; ld.local.u32 %r2, "
         "[%d2+8];\n" +
             put,
         to_host},
        {"a variable of the module", "mov.u64 %d2, zeros; ld.global.u32 %r2, [%d2+4];\n" + put, "",
         ".global .u32 zeros[4];"},
        {"an atomic on memory of the device", "red.global.add.u32 [%in], 1; ld.global.u32 %r2, [%in];\n" + put,
         to_host},
        {"... on a counter that was set",
         "setp.eq.u32 %p1, %i, 0; @%p1 st.global.u32 [%in], 0; bar.sync 0;\n"
         "red.global.add.u32 [%in], 1; ld.global.u32 %r2, [%in];\n" +
             put,
         ""},
        {"an exchange sets it", "atom.global.exch.b32 %r3, [%in], 5; ld.global.u32 %r2, [%in];\n" + put, ""},
        {"... and returns what was there",
         "atom.global.exch.b32 %r2, [%in], 5;\n setp.eq.u32 %p1, %i, 0; @%p1 st.global.u32 [%out], %r2;", to_host,
         "", 1},
        {"a lock that nobody has set to 0",
         "setp.ne.u32 %p1, %i, 0; @%p1 bra NEXT; atom.global.cas.b32 %r1, [%in], 0, 1; setp.ne.u32 %p0, %r1, "
         "0;\n" +
             branch,
         in_branch},
        {"... that the host has",
         "setp.ne.u32 %p1, %i, 0; @%p1 bra NEXT; atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p0, %r1, "
         "0;\n" +
             branch,
         ""},
        {"the value of discarded memory", "discard.global.L2 [%out], 128; ld.global.u32 %r2, [%out];\n" + put,
         to_host},
        {"a vector of which one element is used",
         shared + "st.shared.u32 [%d2], 7; bar.sync 0; ld.shared.v2.u32 {%r2, %r3}, [%d2];\n" + put, ""},
        {"... the other one",
         shared + "st.shared.u32 [%d2], 7; bar.sync 0; ld.shared.v2.u32 {%r3, %r2}, [%d2];\n" + put, to_host},
    };
}

std::vector<Case> register_cases() {
    return {
        {"a register that nothing writes", "add.u32 %r2, %r9, 1;\n" + put, to_host},
        {"... that is set before", "mov.u32 %r9, 3; add.u32 %r2, %r9, 1;\n" + put, ""},
        {"... in half of the threads", "setp.lt.u32 %p1, %i, 16; @%p1 mov.u32 %r2, 1;\n" + put, to_host},
        {"... in each half differently",
         "setp.lt.u32 %p1, %i, 16; @%p1 mov.u32 %r2, 1; @!%p1 mov.u32 %r2, 2;\n" + put, ""},
        {"a predicate that nothing sets", branch, in_branch},
        {"a register minus itself", "sub.u32 %r2, %r9, %r9;\n" + put, ""},
        {"... and exclusive or", "xor.b32 %r2, %r9, %r9;\n" + put, ""},
        {"a mask", low_byte + "and.b32 %r2, %r1, 0xff;\n" + put, ""},
        {"... that is too wide", low_byte + "and.b32 %r2, %r1, 0x1ff;\n" + put, to_host},
        {"ones over what is unknown", low_byte + "or.b32 %r2, %r1, 0xffffff00;\n" + put, ""},
        {"a shift to the left", low_byte + "shl.b32 %r2, %r1, 24;\n" + put, ""},
        {"... of too few", low_byte + "shl.b32 %r2, %r1, 23;\n" + put, to_host},
        {"a shift to the right", high_byte + "shr.u32 %r2, %r1, 24;\n" + put, ""},
        {"... with its sign", high_byte + "shr.s32 %r2, %r1, 24;\n" + put, ""},
        {"... of too few", high_byte + "shr.s32 %r2, %r1, 23;\n" + put, to_host},
        {"a funnel shift", high_byte + "shf.l.wrap.b32 %r2, %r1, 0, 8;\n" + put, ""},
        {"extracted bits", high_byte + "bfe.u32 %r2, %r1, 24, 8;\n" + put, ""},
        {"... from beside", high_byte + "bfe.s32 %r2, %r1, 23, 8;\n" + put, to_host},
        {"inserted bits", low_byte + "mov.u32 %r3, 5; bfi.b32 %r2, %r1, %r3, 8, 8;\n" + put, ""},
        {"... of which too many", low_byte + "mov.u32 %r3, 5; bfi.b32 %r2, %r1, %r3, 8, 9;\n" + put, to_host},
        {"permuted bytes", high_byte + "prmt.b32 %r2, %r1, 0, 0x4bb3;\n" + put, ""},
        {"... another of them", high_byte + "prmt.b32 %r2, %r1, 0, 0x4bb2;\n" + put, to_host},
        {"reversed bits", high_byte + "brev.b32 %r2, %r1; and.b32 %r2, %r2, 0xff;\n" + put, ""},
        {"a conversion to fewer bits", low_byte + "cvt.u32.u8 %r2, %r1;\n" + put, ""},
        {"... to too many", low_byte + "cvt.u32.u16 %r2, %r1;\n" + put, to_host},
        {"lop3", low_byte + "lop3.b32 %r2, %r1, 0xff, 0, 0xc0;\n" + put, ""},
        {"a product with zero", low_byte + "mul.lo.u32 %r2, %r1, 0;\n" + put, ""},
        {"a multiple whose unknown bits leave", low_byte + "mul.lo.u32 %r2, %r1, 0x1000000;\n" + put, ""},
        {"a comparison that known bits decide", high_byte + "setp.ge.u32 %p0, %r1, 0x80000000;\n" + branch, ""},
        {"... of signed numbers", high_byte + "setp.lt.s32 %p0, %r1, 0;\n" + branch, ""},
        {"... of unlike ones", high_byte + "setp.eq.u32 %p0, %r1, 5;\n" + branch, ""},
        {"... that they do not", high_byte + "setp.gt.u32 %p0, %r1, 0x81000000;\n" + branch, in_branch},
        {"a predicate that a known one decides",
         garbage + "setp.eq.u32 %p2, %i, 99; setp.eq.and.u32 %p0, %r1, 0, %p2;\n" + branch, ""},
        {"... that it does not", garbage + "setp.ne.u32 %p2, %i, 99; setp.eq.and.u32 %p0, %r1, 0, %p2;\n" + branch,
         in_branch},
        {"and.pred",
         garbage + "setp.eq.u32 %p2, %i, 99; setp.eq.u32 %p0, %r1, 0; and.pred %p0, %p0, %p2;\n" + branch, ""},
        {"a choice that leaves it out", garbage + "setp.eq.u32 %p1, %i, 99; selp.b32 %r2, %r1, 5, %p1;\n" + put,
         ""},
        {"... that takes it", garbage + "setp.ne.u32 %p1, %i, 99; selp.b32 %r2, %r1, 5, %p1;\n" + put, to_host},
        {"... of equal values", garbage + "setp.ne.u32 %p1, %r1, 99; selp.b32 %r2, 5, 5, %p1;\n" + put, ""},
        {"a minimum that is known", high_byte + "min.u32 %r2, %r1, 7;\n" + put, ""},
        {"half of a packed pair", "mov.b64 %d3, {%r9, %i}; mov.b64 {%r3, %r2}, %d3;\n" + put, ""},
        {"... the other half", "mov.b64 %d3, {%r9, %i}; mov.b64 {%r2, %r3}, %d3;\n" + put, to_host},
        {"64 bits in 128",
         "mov.u64 %d4, 5; mov.b128 %q0, {%d4, %d9}; mov.b128 {%d5, %d6}, %q0; cvt.u32.u64 %r2, %d5;\n" + put, ""},
        {"... the others",
         "mov.u64 %d4, 5; mov.b128 %q0, {%d4, %d9}; mov.b128 {%d5, %d6}, %q0; cvt.u32.u64 %r2, %d6;\n" + put,
         to_host},
        {"a narrow load", shared + "st.shared.u8 [%d0], 0x81; ld.shared.s8 %r2, [%d0];\n" + put, ""},
        {"one of two halves",
         low_byte + "mov.b32 {%h0, %h1}, %r1; mov.b32 %r3, {%h0, %h0}; and.b32 %r2, %r3, 0x00ff00ff;\n" + put, ""},
        {"floats",
         garbage + "mov.b32 %f1, %r1; fma.rn.f32 %f2, %f1, 0f00000000, 0f3f800000; mov.b32 %r2, %f2;\n" + put,
         to_host},
        {"where a jump leads",
         "L: .branchtargets NEXT, OTHER;\nld.global.u32 %r1, [%in]; brx.idx %r1, L;\n"
         "OTHER: st.global.u32 [%out], 1;\nNEXT:\n",
         in_branch},
        {"... that is known",
         "L: .branchtargets NEXT, OTHER;\nld.global.u32 %r1, [%out]; brx.idx %r1, L;\n"
         "OTHER: st.global.u32 [%out], 1;\nNEXT:\n",
         ""},
    };
}

std::string const bulk =
    ".shared .b64 phase;\n" + shared +
    "setp.ne.u32 %p0, %i, 0; @%p0 bra READY; mbarrier.init.shared.b64 [phase], 1;\nmov.u32 %r5, tile; mov.u32 "
    "%r6, phase;\n"
    "mbarrier.arrive.expect_tx.shared.b64 %d9, [phase], 128;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [SOURCE], 128, [%r6];\nREADY: "
    "bar.sync 0;\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [phase], 0; @!%p3 bra WAIT;\nld.shared.u32 %r2, [%d0];\n" +
    put;

std::string with(std::string text, std::string const& word, std::string const& by) {
    return text.replace(text.find(word), word.size(), by);
}

/// Each thread brings a value into a word of shared memory that is zero.
std::string brought(std::string const& instruction, std::string const& value) {
    return ".shared .b64 phase;\n" + shared +
           "st.shared.u32 [%d0], 0; setp.ne.u32 %p0, %i, 0; @%p0 bra READY; mbarrier.init.shared.b64 [phase], 1;\n"
           "mbarrier.arrive.expect_tx.shared.b64 %d9, [phase], 128;\nREADY: bar.sync 0;\n"
           "cvt.u32.u64 %r5, %d0; mov.u32 %r6, phase;\n" +
           garbage + instruction + " [%r5], " + value +
           ", [%r6];\n"
           "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [phase], 0; @!%p3 bra WAIT;\nld.shared.u32 %r2, "
           "[%d0];\n" +
           put;
}
std::string const store_async = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32";
std::string const add_async = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32";

std::string const twice = ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %a; ld.param.u32 %a, [x];\n"
                          "add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }\n";
std::string call(std::string const& argument) {
    return "{ .param .b32 x; .param .b32 r; st.param.b32 [x], " + argument +
           "; call.uni (r), twice, (x);\n"
           "ld.param.b32 %r2, [r]; }\n" +
           put;
}
std::string const runtime = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                            ".extern .func (.param .b64 p) malloc(.param .b64 n);\n"
                            ".global .align 1 .b8 text[4] = {37, 100, 10, 0};\n";
std::string print(std::string const& value) {
    return ".local .align 8 .b8 arguments[16];\nmov.u64 %d2, arguments; cvta.local.u64 %d3, %d2; st.local.u32 "
           "[%d2], " +
           value +
           ";\n"
           "mov.u64 %d4, text; cvta.global.u64 %d4, %d4; { .param .b64 f; .param .b64 a; .param .b32 r;\n"
           "st.param.b64 [f], %d4; st.param.b64 [a], %d3; call.uni (r), vprintf, (f, a); }\n";
}
std::string allocate(std::string const& bytes) {
    return "{ .param .b64 n; .param .b64 p; st.param.b64 [n], " + bytes +
           "; call.uni (p), malloc, (n); ld.param.b64 %d2, [p]; }\n";
}
std::string product(std::string const& first) {
    return "mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0; mov.b32 %r13, 0; mov.b32 %r14, 0; mov.b32 %r15, "
           "0;\n" +
           first +
           "mov.f32 %f0, 0f00000000; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, "
           "{%r10, %r11, %r12, %r13},\n"
           "{%r14, %r15}, {%f0, %f0, %f0, %f0};\n";
}

std::vector<Case> warp_cases() {
    std::string const upper = "setp.ge.u32 %p1, %i, 16; @%p1 mov.u32 %r9, 1;\n";
    std::string const half = "setp.lt.u32 %p1, %i, 16; @%p1 mov.u32 %r9, 1;\n";
    return {
        {"a shuffle from a thread with a value", half + "shfl.sync.idx.b32 %r2, %r9, 3, 31, 0xffffffff;\n" + put,
         ""},
        {"... without one", half + "shfl.sync.idx.b32 %r2, %r9, 20, 31, 0xffffffff;\n" + put, to_host},
        {"a reduction by shuffles",
         "mov.u32 %r2, %i; shfl.sync.bfly.b32 %r3, %r2, 16, 31, 0xffffffff; add.u32 %r2, %r2, %r3;\n" + put, ""},
        {"a vote that one thread decides",
         half + "setp.eq.u32 %p2, %r9, 1; vote.sync.any.pred %p0, %p2, 0xffffffff;\n" + branch, ""},
        {"... that needs all",
         half + "setp.eq.u32 %p2, %r9, 1; vote.sync.all.pred %p0, %p2, 0xffffffff;\n" + branch, in_branch},
        {"the known bits of a ballot",
         upper +
             "setp.eq.u32 %p2, %r9, 1; vote.sync.ballot.b32 %r2, %p2, 0xffffffff; and.b32 %r2, %r2, "
             "0xffff0000;\n" +
             put,
         ""},
        {"... the others", upper + "setp.eq.u32 %p2, %r9, 1; vote.sync.ballot.b32 %r2, %p2, 0xffffffff;\n" + put,
         to_host},
        {"a reduction of the warp", half + "redux.sync.add.u32 %r2, %r9, 0xffffffff;\n" + put, to_host},
        {"... of values that are there", "redux.sync.add.u32 %r2, %i, 0xffffffff;\n" + put, ""},
        {"a member mask", garbage + "add.u32 %r3, %r1, 0xffffffff; bar.warp.sync %r3;\n", as_operand},
        {"... that is known", "mov.u32 %r3, 0xffffffff; bar.warp.sync %r3;\n", ""},
        {"the number of a barrier", garbage + "bar.sync %r1;\n", as_operand},
        {"... that is known", "ld.global.u32 %r1, [%out]; bar.sync %r1;\n", ""},
        {"a copy with cp.async",
         shared + "cp.async.ca.shared.global [%d0], [%in], 4; cp.async.wait_all; ld.shared.u32 %r2, [%d0];\n" +
             put,
         to_host},
        {"... of what is there",
         shared + "cp.async.ca.shared.global [%d0], [%o4], 4; cp.async.wait_all; ld.shared.u32 %r2, [%d0];\n" +
             put,
         ""},
        {"... of zeros",
         shared +
             "mov.u32 %r3, 0; cp.async.ca.shared.global [%d0], [%in], 4, %r3; cp.async.wait_all; ld.shared.u32 "
             "%r2, [%d0];\n" +
             put,
         ""},
        {"a bulk copy", with(bulk, "SOURCE", "%in"), to_host},
        {"... of what is there", with(bulk, "SOURCE", "%out"), ""},
        {"what st.async brings", brought(store_async, "%r1"), to_host},
        {"... that is known", brought(store_async, "%i"), ""},
        {"what red.async adds", brought(add_async, "%r1"), to_host},
        {"... that is known", brought(add_async, "%i"), ""},
        {"an argument that comes back", garbage + call("%r1"), to_host, twice},
        {"... that is known", call("%i"), "", twice},
        {"a printed value", garbage + print("%r1"), "uninitialised value is printed", runtime, 1},
        {"... that is known", print("%i"), "", runtime, 1},
        {"memory of the heap", allocate("16") + "ld.u32 %r2, [%d2];\n" + put, to_host, runtime, 1},
        {"... that was written", allocate("16") + "st.u32 [%d2], 4; ld.u32 %r2, [%d2];\n" + put, "", runtime, 1},
        {"how much of the heap", garbage + "add.u64 %d1, %d1, 16;\n" + allocate("%d1"), as_operand, runtime, 1},
        {"a row of a factor, in another row of the product",
         product("setp.lt.u32 %p1, %i, 4; @!%p1 bra ROW; mov.b32 %r10, %r9; ROW: bar.warp.sync 0xffffffff;\n") +
             "mov.b32 %r2, %f6;\n" + put,
         ""},
        {"... in the same row",
         product("setp.lt.u32 %p1, %i, 4; @!%p1 bra ROW; mov.b32 %r10, %r9; ROW: bar.warp.sync 0xffffffff;\n") +
             "mov.b32 %r2, %f4;\n" + put,
         to_host},
        {"a column of a factor, in the same column",
         product("setp.eq.u32 %p1, %i, 4; @!%p1 bra ROW; mov.b32 %r14, %r9; ROW: bar.warp.sync 0xffffffff;\n") +
             "mov.b32 %r2, %f5;\n" + put,
         to_host},
        {"... in another column",
         product("setp.eq.u32 %p1, %i, 4; @!%p1 bra ROW; mov.b32 %r14, %r9; ROW: bar.warp.sync 0xffffffff;\n") +
             "mov.b32 %r2, %f4;\n" + put,
         ""},
        {"ldmatrix",
         shared +
             "mul.wide.u32 %d4, %i, 16; and.b64 %d4, %d4, 0x70; add.u64 %d4, %d4, %d2;\n"
             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%d4];\n" +
             put,
         to_host},
        {"... of what was written",
         shared +
             "st.shared.u32 [%d0], %i; bar.sync 0; mul.wide.u32 %d4, %i, 16; and.b64 %d4, %d4, 0x70; add.u64 %d4, "
             "%d4, %d2;\n"
             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%d4];\n" +
             put,
         ""},
    };
}

void check_all(std::vector<Case> const& cases) {
    for (Case const& c : cases) {
        INFO(c.name);
        auto const findings = init_findings(kernel(c.body, c.before), {{c.threads, 1, 1}, {1, 1, 1}, 512});
        for (check::Finding const& finding : findings) UNSCOPED_INFO(check::to_text(finding));
        CHECK(whats(findings) == c.found);
    }
}

}  // namespace

TEST_CASE("Memory that nobody has written is found where it matters", "[check][init]") {
    check_all(memory_cases());
}
TEST_CASE("Registers that nobody has written are found where it matters", "[check][init]") {
    check_all(register_cases());
}
TEST_CASE("Undefined values pass through warps, copies, calls and matrices", "[check][init]") {
    check_all(warp_cases());
}

}  // namespace init_test
