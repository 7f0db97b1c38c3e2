// mbarriers: phases, counts, transactions, and which uses are faults.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace mbarrier_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const objects =
    ".shared .align 8 .b64 bar; .shared .align 8 .b64 other; .shared .align 16 .b8 cells[1024];";

void check(std::string const& body, Threads const& threads, std::vector<std::uint32_t> const& want) {
    for (std::string const& model : control_flows()) {
        INFO(model);
        Program program(kernel(body, objects), model);
        CHECK(program.run<std::uint32_t>(want.size(), threads) == want);
    }
}

std::string fault(std::string const& body, Threads const& threads = {}) {
    Program program(kernel(body, objects));
    std::string const text = program.error(4096, threads);
    return text;
}

std::string const init_by_first = "setp.eq.u32 %p15, %i, 0; @%p15 mbarrier.init.shared.b64 [bar], ";

}  // namespace

TEST_CASE("A phase of an mbarrier ends when all arrivals have come", "[exec]") {
    // one thread: test, arrive, test by state and by parity, over two phases
    check(R"(
        mbarrier.init.shared::cta.b64 [bar], 2; mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0; mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;
        mbarrier.arrive.shared.b64 %d0, [bar]; mbarrier.test_wait.shared.b64 %p2, [bar], %d0; mbarrier.pending_count.b64 %r1, %d0;
        mbarrier.arrive.shared.b64 %d1, [bar]; mbarrier.test_wait.shared.b64 %p3, [bar], %d0; mbarrier.pending_count.b64 %r2, %d1;
        mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; mbarrier.try_wait.parity.shared.b64 %p5, [bar], 1, 20;
        mbarrier.arrive.shared.b64 %d2, [bar], 2; mbarrier.test_wait.shared.b64 %p6, [bar], %d2; mbarrier.test_wait.parity.shared.b64 %p7, [bar], 0;
        selp.u32 %r0, 1, 0, %p0; @%p1 add.u32 %r0, %r0, 2; @%p2 add.u32 %r0, %r0, 4; @%p3 add.u32 %r0, %r0, 8; @%p4 add.u32 %r0, %r0, 16;
        @%p5 add.u32 %r0, %r0, 32; @%p6 add.u32 %r0, %r0, 64; @%p7 add.u32 %r0, %r0, 128; mad.lo.u32 %r0, %r1, 1000, %r0; mad.lo.u32 %r0, %r2, 10000, %r0;
        mbarrier.inval.shared.b64 [bar]; st.global.u32 [%o4], %r0;)",
          {.block = {1, 1, 1}}, {2 + 8 + 16 + 64 + 2000 + 10000});
}

TEST_CASE("Threads wait at an mbarrier for what the others have stored", "[exec]") {
    for (std::string const wait :
         {"mbarrier.try_wait.acquire.cta.b64 %p0, [%d5], %d0;", "mbarrier.test_wait.b64 %p0, [%d5], %d0;"}) {
        check(
            init_by_first +
                R"(96; bar.sync 0; mov.u32 %r9, 0; mov.u32 %r0, %i; mov.u32 %r2, cells; mad.lo.u32 %r3, %i, 4, %r2;
            mov.u64 %d4, bar; cvta.shared.u64 %d5, %d4;
            AGAIN: st.shared.u32 [%r3], %r0; mbarrier.arrive.b64 %d0, [%d5]; WAIT: )" +
                wait + R"( @!%p0 bra WAIT;
            add.u32 %r4, %i, 40; rem.u32 %r4, %r4, 96; mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %r0, [%r4];
            mbarrier.arrive.b64 %d0, [%d5]; WAIT2: )" +
                wait + R"( @!%p0 bra WAIT2;
            add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra AGAIN; st.global.u32 [%o4], %r0;)",
            {.block = {96, 1, 1}}, each<std::uint32_t>(96, [](std::uint32_t i) { return (i + 120) % 96; }));
    }
}

TEST_CASE("Bytes of transactions and arrivals together end a phase", "[exec]") {
    check(R"(
        mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %d0, [bar], 64; mbarrier.test_wait.shared.b64 %p0, [bar], %d0;
        mbarrier.complete_tx.shared.b64 [bar], 48; mbarrier.test_wait.shared.b64 %p1, [bar], %d0; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 16;
        mbarrier.complete_tx.shared.b64 [bar], 16; mbarrier.test_wait.shared.b64 %p2, [bar], %d0;
        mbarrier.complete_tx.shared.b64 [bar], 16; mbarrier.test_wait.shared.b64 %p3, [bar], %d0;
        selp.u32 %r0, 1, 0, %p0; @%p1 add.u32 %r0, %r0, 2; @%p2 add.u32 %r0, %r0, 4; @%p3 add.u32 %r0, %r0, 8; st.global.u32 [%o4], %r0;)",
          {.block = {1, 1, 1}}, {8});
}

TEST_CASE("Threads that drop out are not expected in later phases", "[exec]") {
    check(R"(
        mbarrier.init.shared.b64 [bar], 3; mbarrier.arrive_drop.shared.b64 %d0, [bar]; mbarrier.arrive.noComplete.shared.b64 %d1, [bar], 1;
        mbarrier.arrive.shared.b64 _, [bar]; mbarrier.test_wait.shared.b64 %p0, [bar], %d0;
        mbarrier.arrive.shared.b64 %d2, [bar], 2; mbarrier.test_wait.shared.b64 %p1, [bar], %d2;
        selp.u32 %r0, 1, 0, %p0; @%p1 add.u32 %r0, %r0, 2; mbarrier.pending_count.b64 %r1, %d2; mad.lo.u32 %r0, %r1, 10, %r0; st.global.u32 [%o4], %r0;)",
          {.block = {1, 1, 1}}, {23});
}

TEST_CASE("Wrong uses of an mbarrier are faults", "[exec]") {
    Threads const one{.block = {1, 1, 1}};
    CHECK(contains(fault("mbarrier.arrive.shared.b64 %d0, [bar];", one), "used before mbarrier.init"));
    CHECK(contains(fault("mbarrier.init.shared.b64 [bar], 0;", one), "initialized for 0 arrivals"));
    CHECK(contains(fault("mbarrier.init.shared.b64 [bar], 1048576;", one), "initialized for 1048576"));
    CHECK(contains(fault("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %d0, [bar], 3;", one),
                   "only 2 of 2 arrivals are pending"));
    CHECK(contains(
        fault("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 %d0, [bar], 1;", one),
        "noComplete completes"));
    CHECK(contains(fault("mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.shared.b64 [bar], 1048575; "
                         "mbarrier.expect_tx.shared.b64 [bar], 1;",
                         one),
                   "transactions of 1048576 bytes"));
    CHECK(contains(fault("mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.shared.b64 [bar], 16; "
                         "mbarrier.inval.shared.b64 [bar];",
                         one),
                   "invalidated in use"));
    CHECK(contains(fault("mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar]; "
                         "mbarrier.arrive.shared.b64 %d0, [bar];",
                         one),
                   "used before"));
    CHECK(contains(fault("mov.u32 %r0, bar; mbarrier.init.shared.b64 [%r0+4], 1;", one), "misaligned"));
}

TEST_CASE("A wait for an mbarrier that nobody ends says what is missing", "[exec]") {
    std::string const text =
        fault(init_by_first + "40; bar.sync 0; mbarrier.arrive.shared.b64 %d0, [bar]; "
                              "WAIT: mbarrier.try_wait.shared.b64 %p0, [bar], %d0; @!%p0 bra WAIT;");
    INFO(text);
    CHECK(contains(text, "deadlock"));
    CHECK(contains(text, "poll an mbarrier at shared 0 of rank 0 (8 of 40 arrivals and 0 bytes"));
}

}  // namespace mbarrier_test
