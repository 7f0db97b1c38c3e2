// Asynchronous copies, performed at once and late: what they move, and what a missing wait reveals.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace async_copy_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const objects = ".shared .align 8 .b64 bar; .shared .align 128 .b8 cells[2048];";

struct Launch {
    std::uint32_t threads = 32;
    std::uint32_t blocks = 1;
    std::uint32_t cluster = 0;
};

/// `in` holds words 1000, 1001, ...
std::vector<std::uint32_t> run(std::string const& body, std::size_t count, bool late, Launch const& how = {}) {
    Program program(kernel(body, objects), "independent", Program::one_thread(),
                    {std::string("functional.late_async=") + (late ? "true" : "false")});
    program.in = program.device.upload(each<std::uint32_t>(1024, [](std::uint32_t i) { return 1000 + i; }));
    runtime::DevicePointer const out = program.device.allocate(count * 4);
    runtime::LaunchShape shape;
    shape.grid = {how.blocks, 1, 1};
    shape.block = {how.threads, 1, 1};
    if (how.cluster != 0) shape.cluster = {how.cluster, 1, 1};
    program.device.launch(*program.module, "k", shape, runtime::Arguments::of(out, program.in));
    return program.device.download<std::uint32_t>(out, count);
}

std::string fault(std::string const& body, bool late = false) {
    try {
        run(body, 64, late);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

void check(std::string const& body, std::vector<std::uint32_t> const& want, Launch const& how = {}) {
    for (bool const late : {false, true}) {
        INFO((late ? "late" : "at once"));
        CHECK(run(body, want.size(), late, how) == want);
    }
}

std::string const places = "mov.u32 %r1, cells; mad.lo.u32 %r2, %i, 16, %r1; mul.wide.u32 %d1, %i, 16; add.u64 "
                           "%d1, %d1, %in; mul.wide.u32 %d2, %i, 16; add.u64 %d2, %d2, %out;\n";

}  // namespace

TEST_CASE("cp.async copies, fills with zeros and ignores its source", "[exec]") {
    check(places + R"(
        cp.async.ca.shared.global [%r2], [%d1], 4; cp.async.ca.shared.global [%r2+8], [%d1+8], 8, 4; cp.async.wait_all;
        ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2]; st.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};)",
          each<std::uint32_t>(128, [](std::uint32_t i) { return i % 2 == 0 ? 1000 + i : 0; }));
    check(places + R"(
        st.shared.u32 [%r2], 7; setp.lt.u32 %p1, %i, 3; mov.u32 %r9, 12; cp.async.cg.shared.global [%r2], [%d1], 16, %p1; cp.async.wait_all;
        cp.async.cg.shared.global [%r2+512], [%d1], 16, %r9; cp.async.commit_group; cp.async.wait_group 0;
        ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2]; ld.shared.u32 %r7, [%r2+524]; st.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};)",
          each<std::uint32_t>(128, [](std::uint32_t i) { return i < 12 || i % 4 == 3 ? 0 : 1000 + i; }));
}

TEST_CASE("A group of copies is not there before its wait when copies are late", "[exec][engine]") {
    std::string const body = places + R"(
        cp.async.ca.shared.global [%r2], [%d1], 4; cp.async.commit_group; cp.async.ca.shared.global [%r2+4], [%d1+4], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%r2+8], [%d1+8], 4; ld.shared.u32 %r4, [%r2]; cp.async.wait_group 1;
        ld.shared.u32 %r5, [%r2]; ld.shared.u32 %r6, [%r2+4]; cp.async.wait_group 0; ld.shared.u32 %r7, [%r2+4]; ld.shared.u32 %r8, [%r2+8];
        setp.ne.u32 %p0, %r4, 0; selp.u32 %r0, 1, 0, %p0; setp.ne.u32 %p0, %r5, 0; @%p0 add.u32 %r0, %r0, 2; setp.ne.u32 %p0, %r6, 0; @%p0 add.u32 %r0, %r0, 4;
        setp.ne.u32 %p0, %r7, 0; @%p0 add.u32 %r0, %r0, 8; setp.ne.u32 %p0, %r8, 0; @%p0 add.u32 %r0, %r0, 16; st.global.u32 [%o4], %r0;)";
    CHECK(run(body, 32, false) == std::vector<std::uint32_t>(32, 31));
    CHECK(run(body, 32, true) == std::vector<std::uint32_t>(32, 2 + 8));
}

TEST_CASE("Copies arrive at an mbarrier", "[exec]") {
    std::string const wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT;";
    std::string const show = "xor.b32 %r9, %i, 31; mad.lo.u32 %r9, %r9, 16, %r1; ld.shared.v4.u32 {%r4, %r5, %r6, "
                             "%r7}, [%r9]; st.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};";
    auto const want = each<std::uint32_t>(128, [](std::uint32_t i) { return 1000 + (i / 4 ^ 31) * 4 + i % 4; });
    std::string const copy = places + "setp.eq.u32 %p1, %i, 0; @%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync "
                                      "0; cp.async.cg.shared.global [%r2], [%d1], 16;";
    check(copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];" + wait + show, want);
    check(copy + "cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 %d0, [bar];" + wait + show,
          want);
}

TEST_CASE("Bulk copies complete their bytes at an mbarrier, and go back to global memory in groups", "[exec]") {
    std::string const body = places + R"(
        setp.ne.u32 %p1, %i, 0; @%p1 bra WAIT0; mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512; mov.u32 %r9, 496;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], %r9, [bar];
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+496], [%in+496], 16, [bar];
        WAIT0: bar.sync 0; WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT;
        ld.shared.u32 %r4, [%r2]; add.u32 %r4, %r4, 5; st.shared.u32 [%r2], %r4; fence.proxy.async.shared::cta; bar.sync 0;
        @%p1 bra END; cp.async.bulk.prefetch.L2.global [%in], 64; cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 512; cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0; st.shared.u32 [%r1+4], 1; cp.async.bulk.wait_group 0; END:)";
    check(body, each<std::uint32_t>(128, [](std::uint32_t i) { return 1000 + i + (i % 4 == 0 ? 5 : 0); }));
}

TEST_CASE("Bulk reductions combine what is there with what is copied", "[exec]") {
    auto const sum = [](std::string const& operation) {
        return places +
               "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1]; st.shared.v4.u32 [%r2], {%r4, %r5, %r6, %r7}; "
               "mov.u32 %r8, 1010; st.global.v4.u32 [%d2], {%r8, %r8, %r8, %r8}; bar.sync 0; "
               "setp.ne.u32 %p1, %i, 0; @%p1 bra END; cp.reduce.async.bulk.global.shared::cta.bulk_group" +
               operation + " [%out], [%r1], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:";
    };
    check(sum(".add.u32"), each<std::uint32_t>(128, [](std::uint32_t i) { return 2010 + i; }));
    check(sum(".min.s32"), each<std::uint32_t>(128, [](std::uint32_t i) { return std::min(1010u, 1000 + i); }));
    check(sum(".max.u32"), each<std::uint32_t>(128, [](std::uint32_t i) { return std::max(1010u, 1000 + i); }));
    check(sum(".and.b32"), each<std::uint32_t>(128, [](std::uint32_t i) { return 1010u & (1000 + i); }));
    check(sum(".xor.b32"), each<std::uint32_t>(128, [](std::uint32_t i) { return 1010u ^ (1000 + i); }));
    check(sum(".inc.u32"),
          each<std::uint32_t>(128, [](std::uint32_t i) { return 1010u >= 1000 + i ? 0u : 1011u; }));
}

TEST_CASE("Blocks of a cluster copy into each other's shared memory, and one to all", "[exec]") {
    std::string const ready = places + R"(
        mov.u32 %r0, %tid.x; mad.lo.u32 %r2, %r0, 4, %r1; mov.u32 %r3, %cluster_ctarank; setp.ne.u32 %p1, %r0, 0;
        @!%p1 mbarrier.init.shared.b64 [bar], 1; @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
        add.u32 %r4, %i, 1000; st.shared.u32 [%r2+256], %r4; bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait;)";
    std::string const show = R"( WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT;
        ld.shared.u32 %r4, [%r2]; st.global.u32 [%o4], %r4; barrier.cluster.arrive; barrier.cluster.wait;)";
    check(
        ready +
            R"( xor.b32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, %r1, %r5; mapa.shared::cluster.u32 %r7, bar, %r5;
        @!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r1+256], 128, [%r7];)" +
            show,
        each<std::uint32_t>(128, [](std::uint32_t i) { return 1000 + (i ^ 32); }), {32, 4, 2});
    check(
        ready +
            R"( mov.u16 %h0, 3; setp.eq.u32 %p2, %r3, 0; @!%p2 bra GO; mov.u32 %r8, %clusterid.x; mul.wide.u32 %d3, %r8, 128; add.u64 %d3, %d3, %in;
        @!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%d3], 128, [bar], %h0; GO:)" +
            show,
        each<std::uint32_t>(128, [](std::uint32_t i) { return 1000 + i / 64 * 32 + i % 32; }), {32, 4, 2});
    check(ready + R"( xor.b32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, bar, %r5;
        @!%p1 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r6], 128; mov.u32 %r9, 3; st.shared.u32 [%r2], %r9;)" +
              show,
          std::vector<std::uint32_t>(128, 3), {32, 4, 2});
}

TEST_CASE("Stores and reductions of registers arrive in another block with their bytes", "[exec]") {
    std::string const ready = places + R"(
        mov.u32 %r0, %tid.x; mad.lo.u32 %r2, %r0, 16, %r1; mov.u32 %r3, %cluster_ctarank; setp.ne.u32 %p1, %r0, 0;
        mov.u32 %r9, 50; st.shared.u32 [%r2], %r9; st.shared.u32 [%r2+8], %r9; bar.sync 0;
        @!%p1 mbarrier.init.shared.b64 [bar], 1; @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 384;
        barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, %r2, %r5; mapa.shared::cluster.u32 %r7, bar, %r5;)";
    check(
        ready +
            R"( add.u32 %r8, %i, 7; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r6], {%i, %r8}, [%r7];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+8], %i, [%r7];
        WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];
        mad.lo.u32 %r4, %r5, 1000, %r4; mad.lo.u32 %r4, %r6, 1000000, %r4; st.global.u32 [%o4], %r4; barrier.cluster.arrive; barrier.cluster.wait;)",
        each<std::uint32_t>(
            64, [](std::uint32_t i) { return (i ^ 32) + ((i ^ 32) + 7) * 1000 + ((i ^ 32) + 50) * 1000000; }),
        {32, 2, 2});
}

TEST_CASE("Wrong copies are faults", "[exec][engine]") {
    CHECK(contains(fault(places + "mov.u32 %r9, 17; cp.async.cg.shared.global [%r2], [%d1], 16, %r9;"),
                   "source of 17"));
    CHECK(contains(fault(places + "cp.async.ca.shared.global [%r2+2], [%d1], 4;"), "misaligned"));
    CHECK(contains(fault(places + "cp.async.ca.shared.global [%r2+4096], [%d1], 4;"), "past the end"));
    CHECK(contains(fault(places + "cp.async.ca.shared.global [%r2], [%d1+65536], 4;"),
                   "illegal address: asynchronous copy of 4 bytes"));
    std::string const bulk =
        places + "mbarrier.init.shared.b64 [bar], 1; mov.u32 %r9, 20; setp.eq.u32 %p1, %i, 0;";
    CHECK(contains(
        fault(bulk +
              "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], %r9, [bar];"),
        "not a multiple of 16"));
    CHECK(contains(fault(bulk + "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 64; @%p1 "
                                "cp.async.bulk.commit_group;",
                         true),
                   "did not wait for"));
}

TEST_CASE("Blocks cancel the launch of others and do their work", "[exec]") {
    // one of the first CTAs does the work of all that have not begun
    std::string const text =
        std::string(".version 8.7\n.target sm_100\n.address_size 64\n") + kernel(R"(
        mov.u32 %r1, cells; mov.u32 %r2, %ctaid.x; mov.u32 %r9, 0; mbarrier.init.shared.b64 [bar], 1;
        WORK: mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d1, %out; add.u32 %r3, %r2, 100; red.global.add.u32 [%d1], %r3;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [bar];
        and.b32 %r8, %r9, 1; WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], %r8; @!%p0 bra WAIT; add.u32 %r9, %r9, 1;
        ld.shared.b128 %q0, [%r1]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q0; @!%p1 bra END;
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r2, %r4, %r5, _}, %q0;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r6, %q0; setp.ne.u32 %p2, %r6, %r2; @%p2 trap; bra WORK; END:)",
                                                                                 objects)
                                                                              .substr(ptx_header().size());
    runtime::Device device(sim::load_config("b200"), Program::one_thread());
    auto const module = device.load_text("test.ptx", text);
    runtime::DevicePointer const out = device.allocate(400);
    runtime::LaunchShape shape;
    shape.grid = {100, 1, 1};
    device.launch(*module, "k", shape, runtime::Arguments::of(out, std::uint64_t{0}));
    CHECK(device.download<std::uint32_t>(out, 100) ==
          each<std::uint32_t>(100, [](std::uint32_t i) { return 100 + i; }));
}

TEST_CASE("A bulk copy with .ignore_oob leaves out bytes at its edges, and its barrier counts them", "[exec]") {
    std::string text = kernel(R"(
        mov.u32 %r1, cells; mov.u32 %r2, bar; mad.lo.u32 %r3, %i, 4, %r1; setp.eq.u32 %p1, %i, 0;
        st.shared.u32 [%r3], 7; @%p1 mbarrier.init.shared.b64 [%r2], 1; bar.sync 0;
        sub.u64 %d1, %in, 16; mov.u32 %r4, 64; mov.u32 %r5, 12; mov.u32 %r6, 8;
        @%p1 mbarrier.arrive.expect_tx.shared.b64 %d2, [%r2], 64;
        @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r1], [%in], %r4, %r5, %r6, [%r2];
    wait: mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra wait;
        ld.shared.u32 %r7, [%r3]; st.global.u32 [%o4], %r7;)",
                              objects);
    text.replace(text.find(".version 8.7"), 12, ".version 9.2");
    for (bool const late : {false, true}) {
        Program program(text, "independent", Program::one_thread(),
                        {std::string("functional.late_async=") + (late ? "true" : "false")});
        // The last bytes of the copy lie outside of what is allocated.
        program.in = program.device.upload(each<std::uint32_t>(14, [](std::uint32_t i) { return 1000 + i; }));
        auto const result = program.run<std::uint32_t>(32);
        INFO((late ? "late" : "at once"));
        for (std::uint32_t i = 0; i < 32; ++i) CHECK(result[i] == (i >= 3 && i < 14 ? 1000 + i : 7));
    }
}

TEST_CASE("Strong copies in bulk, and those to all devices, of which there is one, copy and reduce", "[exec]") {
    struct Form {
        char const* copy;  // of 128 bytes from [%r1] to [%out], whose words are 5
        std::uint32_t (*wanted)(std::uint32_t);
    };
    auto constexpr all = [](std::uint32_t i) { return 3 * i; };
    auto constexpr sum = [](std::uint32_t i) { return 3 * i + 5; };
    auto constexpr masked = [](std::uint32_t i) { return i % 4 == 1 ? 3 * i : 5; };  // bytes 4 to 7 of 16
    Form const forms[] = {
        {"cp.async.bulk.weak.global.shared::cta.bulk_group [%out], [%r1], 128;", all},
        {"cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%out], [%r1], 128;", all},
        {"cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group.cp_mask.b128 [%out], [%r1], 128, %h1;", masked},
        {"cp.reduce.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.add.u32 [%out], [%r1], 128;", sum},
        {"multimem.cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 128;", all},
        {"multimem.cp.async.bulk.weak.global.shared::cta.bulk_group.cp_mask [%out], [%r1], 128, %h1;", masked},
        {"multimem.cp.async.bulk.relaxed.cta.global.shared::cta.bulk_group.b128 [%out], [%r1], 128;", all},
        {"multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r1], 128;", sum},
    };
    for (Form const& form : forms) {
        std::string text = kernel(R"(
            mov.u32 %r1, cells; mad.lo.u32 %r3, %i, 4, %r1; mul.lo.u32 %r4, %i, 3; st.shared.u32 [%r3], %r4;
            st.global.u32 [%o4], 5; mov.u16 %h1, 0x00f0;
            fence.proxy.async; bar.sync 0; setp.ne.u32 %p1, %i, 0; @%p1 bra end;)" +
                                      std::string(form.copy) + R"(
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        end:)",
                                  objects);
        text.replace(text.find(".version 8.7"), 12, ".version 9.3");
        text.replace(text.find("sm_90"), 5, "sm_100a");
        for (bool const late : {false, true}) {
            Program program(text, "independent", Program::one_thread(),
                            {std::string("functional.late_async=") + (late ? "true" : "false")});
            INFO(form.copy << (late ? " late" : " at once"));
            CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, form.wanted));
        }
    }
}

}  // namespace async_copy_test
