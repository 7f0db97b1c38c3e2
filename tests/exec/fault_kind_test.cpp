// Every fault of a kernel has a kind, which programs can tell apart without reading its report.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace fault_kind_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Case {
    FaultKind kind;
    char const* body;
};

std::string const before = R"(
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.func down(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; { .param .b32 q; st.param.b32 [q], %a; call down, (q); } ret; }
.func back() .noreturn { ret; }
.shared .align 8 .b64 cell;
)";

Case const cases[] = {
    {FaultKind::illegal_address, "mov.u64 %d0, 64; st.global.u32 [%d0], 1;"},
    {FaultKind::illegal_address, "ld.shared.u32 %r0, [cell+4096];"},
    {FaultKind::misaligned_address, "st.global.u32 [%out+2], 1;"},
    {FaultKind::wrong_address_space,
     ".local .b32 mine; mov.u64 %d0, mine; cvta.local.u64 %d0, %d0; atom.add.u32 %r0, [%d0], 1;"},
    {FaultKind::illegal_call, "P: .callprototype _ (); mov.u64 %d0, 4; call %d0, (), P;"},
    {FaultKind::illegal_operand, "mov.u32 %r0, 7; T: .branchtargets A, B; brx.idx %r0, T; A: B:"},
    {FaultKind::broken_promise, "setp.eq.u32 %p0, %i, 3; @%p0 bra.uni END; st.global.u32 [%o4], 1; END:"},
    {FaultKind::broken_promise, "call back;"},
    {FaultKind::barrier_misuse, "setp.eq.u32 %p0, %i, 3; @%p0 bar.sync 0;"},
    {FaultKind::barrier_misuse, "mov.u32 %r0, 20; barrier.sync %r0;"},
    {FaultKind::barrier_misuse, "shfl.sync.idx.b32 %r0, %i, 0, 31, 1;"},
    {FaultKind::barrier_misuse, "mbarrier.arrive.shared.b64 %d0, [cell];"},
    {FaultKind::stack_overflow, "{ .param .b32 q; st.param.b32 [q], %i; call down, (q); }"},
    {FaultKind::stack_overflow, "alloca.u64 %d0, 1000000;"},
    {FaultKind::heap_misuse, "{ .param .b64 q; st.param.b64 [q], %out; call free, (q); }"},
    {FaultKind::assertion,
     "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; mov.u64 %d0, 0; st.param.b64 "
     "[a], %d0; "
     "st.param.b64 [b], %d0; st.param.b32 [c], 1; st.param.b64 [d], %d0; st.param.b64 [e], %d0; "
     "call __assertfail, (a, b, c, d, e); }"},
    {FaultKind::trap, "trap;"},
    {FaultKind::breakpoint, "brkpt;"},
    {FaultKind::deadlock, "AGAIN: ld.volatile.global.u32 %r0, [%out]; setp.eq.u32 %p0, %r0, 0; @%p0 bra AGAIN;"},
    {FaultKind::deadlock, "setp.eq.u32 %p0, %i, 3; @%p0 exit; barrier.sync 0, 64;"},
    {FaultKind::instruction_limit, "AGAIN: add.u32 %r0, %r0, 1; bra AGAIN;"},
};

}  // namespace

TEST_CASE("A fault tells its kind", "[exec]") {
    runtime::DeviceOptions options = Program::one_thread();
    options.max_instructions = 200000;
    for (std::string const& model : control_flows()) {
        for (Case const& c : cases) {
            Program program(kernel(c.body, before), model, options, {"functional.undefined=fault"});
            bool was_fault = false;
            try {
                program.launch(program.device.allocate(4096));
            } catch (FaultError const& error) {
                INFO(c.body << "\n" << error.what());
                CHECK(static_cast<int>(error.fault()) == static_cast<int>(c.kind));
                CHECK(error.kind() == ErrorKind::fault);
                was_fault = true;
            }
            INFO(c.body);
            CHECK(was_fault);
        }
    }
}

}  // namespace fault_kind_test
