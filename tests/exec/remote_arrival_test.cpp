// What threads do to mbarriers and shared memory of other CTAs of their cluster: arrivals, st.async and red.async.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cstring>

namespace remote_arrival_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const objects = ".shared .align 8 .b64 bar; .shared .align 128 .b8 cells[2048];";
std::string const cluster_barrier = "barrier.cluster.arrive; barrier.cluster.wait;";
std::string const wait =
    "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [bar], 0; @!%p0 bra WAIT;";

/// %r0 is the thread within its CTA, %p1 says that it is not the first, %p2 that the rank is 0, %r2 points to its
/// 16 bytes of the cells, %r4 and %r5 to those of rank 0 and to its mbarrier, which expects `arrivals`.
std::string begin(std::string const& arrivals) {
    return "mov.u32 %r0, %tid.x; setp.ne.u32 %p1, %r0, 0; mov.u32 %r1, cells; mad.lo.u32 %r2, %r0, 16, %r1; "
           "mov.u32 %r3, %cluster_ctarank; "
           "setp.eq.u32 %p2, %r3, 0; @!%p1 mbarrier.init.shared.b64 [bar], " +
           arrivals +
           "; bar.sync 0; mapa.shared::cluster.u32 %r4, %r2, 0; "
           "mapa.shared::cluster.u32 %r5, bar, 0; " +
           cluster_barrier;
}

std::vector<std::uint32_t> run(std::string const& body, std::size_t count, bool late,
                               std::string const& model = "independent") {
    std::string text = kernel(body, objects);
    text.replace(text.find(".version 8.7"), 12, ".version 9.2");
    Program program(text, model, Program::one_thread(),
                    {std::string("functional.late_async=") + (late ? "true" : "false")});
    runtime::DevicePointer const out = program.device.allocate(count * 4);
    runtime::LaunchShape shape;
    shape.grid = {2, 1, 1};
    shape.block = {32, 1, 1};
    shape.cluster = {2, 1, 1};
    program.device.launch(*program.module, "k", shape, runtime::Arguments::of(out, out));
    return program.device.download<std::uint32_t>(out, count);
}

}  // namespace

TEST_CASE("Arrivals from another block end a phase, in every form", "[exec]") {
    struct Form {
        char const* arrivals;  // that the mbarrier expects
        char const* arrive;
    };
    Form const forms[] = {
        {"32", "mbarrier.arrive.shared::cluster.b64 _, [%r5];"},
        {"64", "mbarrier.arrive.shared::cluster.b64 _, [%r5], 2;"},
        {"32", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];"},
        {"96", "mov.u32 %r6, 3; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5], %r6;"},
        {"32", "mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r5], 1;"},
        {"32", "fence.acq_rel.cluster; mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r5];"},
        {"32", "mbarrier.arrive_drop.shared::cluster.b64 _, [%r5];"},
        {"64", "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r5], 2;"},
        {"32", "mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r5], 16; "
               "mbarrier.complete_tx.shared::cluster.b64 [%r5], 16;"},
        {"32", "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r5], 8; "
               "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r5], 8;"},
        {"32", "mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%r5], 4; "
               "mbarrier.complete_tx.shared::cluster.b64 [%r5], 4;"},
        {"32", "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r5], 32; "
               "mbarrier.arrive.shared::cluster.b64 _, [%r5]; "
               "mbarrier.complete_tx.shared::cluster.b64 [%r5], 32;"},
    };
    std::vector<std::uint32_t> const want = each<std::uint32_t>(32, [](std::uint32_t i) { return 132 + i; });
    for (std::string const& model : control_flows()) {
        for (Form const& form : forms) {
            INFO(form.arrive);
            CHECK(run(begin(form.arrivals) +
                          "@%p2 bra TAKE; add.u32 %r7, %i, 100; st.shared::cluster.u32 [%r4], %r7;" + form.arrive +
                          " bra END; TAKE: " + wait +
                          "ld.shared.u32 %r7, [%r2]; st.global.u32 [%o4], %r7; END: " + cluster_barrier,
                      32, false, model) == want);
        }
    }
}

TEST_CASE("One arrival too few keeps the waiters of another block", "[exec]") {
    std::string error;
    try {
        run(begin("33") + "@%p2 bra TAKE; mbarrier.arrive.shared::cluster.b64 _, [%r5]; bra END; TAKE: " + wait +
                " END: " + cluster_barrier,
            32, false);
    } catch (FaultError const& fault) {
        CHECK(fault.fault() == FaultKind::deadlock);
        error = fault.what();
    }
    INFO(error);
    CHECK(contains(error, "poll an mbarrier at shared 0 of rank 0 (1 of 33 arrivals"));
    CHECK(contains(error, "wait in the barrier of the cluster"));
}

TEST_CASE("st.async brings values of every type with their bytes", "[exec]") {
    struct Form {
        char const* type;
        std::uint32_t bytes;  // of a thread
        char const* value;    // what is stored; %r6 to %r9 are its words
        std::uint32_t words;
    };
    Form const forms[] = {
        {"b32", 4, "%r6", 1},
        {"u32", 4, "%r6", 1},
        {"f32", 4, "%f6", 1},
        {"s64", 8, "%d6", 2},
        {"f64", 8, "%g6", 2},
        {"v2.s32", 8, "{%r6, %r7}", 2},
        {"v4.b32", 16, "{%r6, %r7, %r8, %r9}", 4},
        {"v2.u64", 16, "{%d6, %d7}", 4},
        {"v4.f32", 16, "{%f6, %f7, %f8, %f9}", 4},
        {"b128", 16, "%q6", 4},
    };
    std::string const values = "mad.lo.u32 %r6, %r0, 4, 1000; add.u32 %r7, %r6, 1; add.u32 %r8, %r6, 2; add.u32 "
                               "%r9, %r6, 3; mov.b64 %d6, {%r6, %r7}; "
                               "mov.b64 %d7, {%r8, %r9}; mov.b32 %f6, %r6; mov.b32 %f7, %r7; mov.b32 %f8, %r8; "
                               "mov.b32 %f9, %r9; mov.b64 %g6, %d6; "
                               ".reg .b128 %q6; mov.b128 %q6, {%d6, %d7}; "
                               "mul.wide.u32 %d8, %r0, 16; add.u64 %d8, %d8, %out;";
    for (Form const& form : forms) {
        for (bool const late : {false, true}) {
            INFO(form.type << (late ? " late" : ""));
            std::vector<std::uint32_t> const want =
                each<std::uint32_t>(128, [&](std::uint32_t i) { return i % 4 < form.words ? 1000 + i : 0; });
            CHECK(run(begin("1") + "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " +
                          std::to_string(32 * form.bytes) + "; " + cluster_barrier + values +
                          "@%p2 bra TAKE; st.async.shared::cluster.mbarrier::complete_tx::bytes." + form.type +
                          " [%r4], " + form.value + ", [%r5]; bra END; TAKE: " + wait +
                          "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r2]; st.global.v4.u32 [%d8], {%r10, %r11, "
                          "%r12, %r13}; END: " +
                          cluster_barrier,
                      128, late) == want);
        }
    }
}

TEST_CASE("red.async combines in another block as plain C++ does", "[exec]") {
    struct Form {
        char const* name;
        std::uint32_t (*combine)(std::uint32_t, std::uint32_t);
    };
    Form const forms[] = {
        {"add.u32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
        {"add.s32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
        {"min.u32", [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); }},
        {"max.u32", [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); }},
        {"min.s32",
         [](std::uint32_t a, std::uint32_t b) {
             return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
         }},
        {"max.s32",
         [](std::uint32_t a, std::uint32_t b) {
             return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
         }},
        {"and.b32", [](std::uint32_t a, std::uint32_t b) { return a & b; }},
        {"or.b32", [](std::uint32_t a, std::uint32_t b) { return a | b; }},
        {"xor.b32", [](std::uint32_t a, std::uint32_t b) { return a ^ b; }},
        {"inc.u32", [](std::uint32_t a, std::uint32_t b) { return a >= b ? 0 : a + 1; }},
        {"dec.u32", [](std::uint32_t a, std::uint32_t b) { return a == 0 || a > b ? b : a - 1; }},
    };
    auto const there = [](std::uint32_t i) { return 0x9e3779b9u * i; };
    auto const brought = [](std::uint32_t i) { return 0x85ebca6bu * (i + 5); };
    std::string const values =
        "mul.lo.u32 %r6, %r0, 0x9e3779b9; add.u32 %r7, %r0, 5; mul.lo.u32 %r7, %r7, 0x85ebca6b;";
    for (Form const& form : forms) {
        for (bool const late : {false, true}) {
            INFO(form.name << (late ? " late" : ""));
            CHECK(
                run(begin("1") + values +
                        "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128; st.shared.u32 [%r2], %r6; " +
                        cluster_barrier +
                        "@%p2 bra TAKE; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." +
                        form.name + " [%r4], %r7, [%r5]; bra END; TAKE: " + wait +
                        "ld.shared.u32 %r8, [%r2]; st.global.u32 [%o4], %r8; END: " + cluster_barrier,
                    32, late) ==
                each<std::uint32_t>(32, [&](std::uint32_t i) { return form.combine(there(i), brought(i)); }));
        }
    }
    std::vector<std::uint32_t> const wide =
        run(begin("1") +
                "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; mov.b64 %d6, 0xffffffff; st.shared.u64 "
                "[%r2], %d6; " +
                cluster_barrier +
                "@%p2 bra TAKE; mov.b64 %d7, 2; "
                "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u64 [%r4], %d7, "
                "[%r5]; bra END; TAKE: " +
                wait + "ld.shared.u64 %d8, [%r2]; st.global.u64 [%o8], %d8; END: " + cluster_barrier,
            64, true);
    CHECK(wide == each<std::uint32_t>(64, [](std::uint32_t) { return 1u; }));
}

TEST_CASE("Whoever forgets to wait sees old values when operations complete late", "[exec][engine]") {
    struct Form {
        char const* name;
        std::string sends;    // by rank 1, 16 bytes a thread into rank 0's cells
        std::uint32_t bytes;  // of the block
    };
    Form const forms[] = {
        {"st.async", "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r7, [%r5];", 128},
        {"red.async",
         "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r4], %r7, [%r5];", 128},
        {"bulk copy",
         "st.shared.u32 [%r2], %r7; bar.sync 0; @!%p1 "
         "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
         "[%r4], [%r1], 512, [%r5];",
         512},
        {"bulk reduction",
         "st.shared.u32 [%r2], %r7; bar.sync 0; @!%p1 "
         "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.or.b32 "
         "[%r4], [%r1], 512, [%r5];",
         512},
    };
    for (Form const& form : forms) {
        for (bool const late : {false, true}) {
            INFO(form.name << (late ? " late" : ""));
            // Rank 0 reads after rank 1 has sent, and again when its mbarrier completes.
            auto const got = run(
                begin("1") +
                    "mov.u32 %r7, 0; @%p2 st.shared.u32 [%r2], %r7; @!%p1 mbarrier.arrive.expect_tx.shared.b64 _, "
                    "[bar], " +
                    std::to_string(form.bytes) + "; " + cluster_barrier + "@%p2 bra TAKE; add.u32 %r7, %r0, 1; " +
                    form.sends + cluster_barrier + "bra END; TAKE: " + cluster_barrier +
                    "ld.shared.u32 %r8, [%r2]; " + wait +
                    "ld.shared.u32 %r9, [%r2]; mad.lo.u32 %r8, %r8, 100, %r9; st.global.u32 [%o4], %r8; END: " +
                    cluster_barrier,
                32, late);
            CHECK(got == each<std::uint32_t>(32, [&](std::uint32_t i) { return (i + 1) * (late ? 1 : 101); }));
        }
    }
}

}  // namespace remote_arrival_test
