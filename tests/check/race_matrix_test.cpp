// Races of matrix units, which read shared memory beside the threads and another way: wgmma, and tcgen05 with tensor memory.
#include "tests/check/race_cases.hpp"
#include "tests/support/tensor_memory.hpp"

#include <string>

namespace race_matrix_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const fence = "fence.proxy.async.shared::cta;\n", barrier = "bar.sync 0;\n";

// ---- wgmma -------------------------------------------------------------------------------------------------------

/// Warpgroups, 4 KiB of shared memory that all threads of the first have written, and descriptors of a and b in it.
std::string warpgroup(std::string const& body) {
    return ".version 9.0\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k(.param .u64 p_out, .param .u64 p_in)\n{\n.shared .align 1024 .b8 s[8192];\n"
           ".shared .align 8 .b64 phase;\n"
           ".reg .pred %p<4>; .reg .b32 %t, %i, %a, %b; .reg .b64 %da, %db; .reg .f32 %c<4>;\n"
           "mov.u32 %t, %tid.x; shl.b32 %i, %t, 4; mov.u32 %a, s; add.u32 %a, %a, %i; mov.u32 %b, s;\n"
           "setp.ne.u32 %p0, %t, 0; @%p0 bra READY; mbarrier.init.shared.b64 [phase], 1;\nREADY:\n"
           "setp.lt.u32 %p1, %t, 128;\n@%p1 st.shared.v4.b32 [%a], {%t, %t, %t, %t};\n"
           "@%p1 st.shared.v4.b32 [%a+2048], {%t, %t, %t, %t};\n"
           "mov.b64 %da, 0x0000001000080000; mov.b64 %db, 0x0000001000080080;\n" +
           body + "ret;\n}\n";
}
std::string const multiply =
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %da, %db, 0, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\n";
std::string const wait = "wgmma.wait_group.sync.aligned 0;\n", write_again = "st.shared.b32 [%a], %t;\n";

/// Thread 32 tells a second warpgroup, by an mbarrier, that it may write.
std::string two_warpgroups(std::string const& first) {
    return warpgroup(fence + barrier + "@!%p1 bra SECOND;\n" + multiply + first +
                     "setp.ne.u32 %p2, %t, 32; @%p2 bra DONE; mbarrier.arrive.shared.b64 _, [phase]; bra DONE;\n"
                     "SECOND: mbarrier.try_wait.parity.shared.b64 %p3, [phase], 0; @!%p3 bra SECOND;\n"
                     "st.shared.b32 [%a+-2048], %t;\nDONE:\n");
}

std::vector<Case> products() {
    return {
        {"a product of what threads have written", blocks(1, 128),
         warpgroup(fence + barrier + multiply + wait + barrier + write_again), ""},
        {"... with no proxy fence", blocks(1, 128), warpgroup(barrier + multiply + wait + barrier + write_again),
         "asynchronous read after write", "no fence.proxy.async"},
        {"... with a fence of the threads' own", blocks(1, 128),
         warpgroup("membar.cta;\n" + barrier + multiply + wait + barrier + write_again),
         "asynchronous read after write", "no fence.proxy.async"},
        {"... with no barrier", blocks(1, 128), warpgroup(fence + multiply + wait + barrier + write_again),
         "asynchronous read after write", "barrier between them"},
        {"... that nobody waits for", blocks(1, 128),
         warpgroup(fence + barrier + multiply + barrier + write_again), "write after asynchronous read",
         "no wgmma.wait_group"},
        {"the older of two products", blocks(1, 128),
         warpgroup(fence + barrier + multiply + "add.s64 %da, %da, 64; add.s64 %db, %db, 64;\n" + multiply +
                   "wgmma.wait_group.sync.aligned 1;\n" + barrier +
                   "setp.lt.u32 %p1, %t, 64; @%p1 st.shared.b32 [%a], %t;\n" + wait),
         ""},
        {"... the younger one", blocks(1, 128),
         warpgroup(fence + barrier + multiply + "add.s64 %da, %da, 64; add.s64 %db, %db, 64;\n" + multiply +
                   "wgmma.wait_group.sync.aligned 1;\n" + barrier +
                   "setp.lt.u32 %p1, %t, 64; @!%p1 st.shared.b32 [%a], %t;\n" + wait),
         "write after asynchronous read", "no wgmma.wait_group"},
        {"one of four warps has waited and tells the others", blocks(1, 256), two_warpgroups(wait), ""},
        {"... and has not waited", blocks(1, 256), two_warpgroups(""), "write after asynchronous read",
         "no wgmma.wait_group"},
    };
}

// ---- tcgen05 -----------------------------------------------------------------------------------------------------

std::string const operands =
    "and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; mov.u32 %r1, %ta;\n"
    "or.b64 %d1, %d1, 70368744177664; mov.b64 %d2, %d1; mov.b32 %r0, 135266320; setp.eq.u32 %p5, 0, 0;\n";
std::string const mma = "tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d2, %r0, %p5;\n";
std::string const load =
    "shl.b32 %b, %w, 21; add.u32 %a, %ta, %b; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%a]; "
    "tcgen05.wait::ld.sync.aligned;\n";
std::string const visible = fence + barrier;

/// Two loads, something, and the wait for both.
std::string load_twice(std::string const& before_wait) {
    return "shl.b32 %b, %w, 21; add.u32 %a, %ta, %b; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%a];\n"
           "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v1}, [%a];\n" +
           before_wait + "tcgen05.wait::ld.sync.aligned;\n";
}

std::string tensor(std::string const& body) {
    TensorKernel kernel;
    kernel.shared = 8192;
    kernel.body = body;
    return kernel.text();
}
std::string issued(std::string const& instructions) {
    return "mov.pred %p4, %p1; @%p4 bra ISSUED;\n" + instructions + "ISSUED:\n";
}
std::string const waited = committed(TensorKernel{}, operands + mma);
std::string const write_shared = "st.shared.b32 [%sa], %t;\n", by_first = "@!%p1 ";

std::vector<Case> tensor_memory() {
    return {
        {"a product that all wait for", blocks(1, 128),
         tensor(visible + waited + barrier + by_first + write_shared), ""},
        {"... with no proxy fence", blocks(1, 128), tensor(waited), "asynchronous read after write",
         "no fence.proxy.async"},
        {"... whose factors are overwritten before it is over", blocks(1, 128),
         tensor(visible + issued(operands + mma) + by_first + write_shared + waited),
         "asynchronous read after write, write after asynchronous read", "no tcgen05.commit"},
        {"... whose sum is read before it is over", blocks(1, 128),
         tensor(visible + issued(operands + mma) + barrier + load + barrier + waited),
         "read after asynchronous write", "no tcgen05.commit"},
        {"two products of one thread", blocks(1, 128),
         tensor(visible + committed(TensorKernel{}, operands + mma + mma)), ""},
        {"a sum that is written again when it has been read", blocks(1, 128),
         tensor(visible + load + "tcgen05.fence::before_thread_sync;\n" + barrier + waited), ""},
        {"... that may not have been read", blocks(1, 128), tensor(visible + load + waited),
         "asynchronous write after read", "no barrier"},
        {"registers that are waited for", blocks(1, 128),
         tensor(visible + load_twice("") + "add.u32 %a, %v0, %v1;\n"), ""},
        {"... that are not", blocks(1, 128),
         tensor(visible + load_twice("add.u32 %a, %v1, 1;\n") + "add.u32 %a, %v0, %v1;\n"),
         "use of registers that are still loaded", "no tcgen05.wait::ld"},
        {"... behind a jump", blocks(1, 128), tensor(visible + load_twice("bra JUMP; JUMP: mov.b32 %v0, 1;\n")),
         "use of registers that are still loaded"},
        {"... others in between", blocks(1, 128), tensor(visible + load_twice("add.u32 %b, %v2, 1;\n")), ""},
    };
}

}  // namespace

TEST_CASE("What wgmma reads is a race unless it is fenced and waited for") { check_cases(products()); }
TEST_CASE("What tcgen05 reads and writes is a race unless it is fenced and waited for") {
    check_cases(tensor_memory());
}

}  // namespace race_matrix_test
