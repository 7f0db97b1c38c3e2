// Grids as a whole: any number of host threads, faults, statistics that can be counted by hand.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <numeric>

namespace functional_run_test {

using namespace warpsim;
using namespace warpsim::test;
using isa::InstructionClass;

namespace {

runtime::DeviceOptions with_threads(int threads) {
    runtime::DeviceOptions options;
    options.threads = threads;
    return options;
}

/// Integers through divergence, shared memory, barriers and atomics.
std::string const work = kernel(R"(
    mov.u32 %r1, cells; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r2, 4, %r1; rem.u32 %r4, %i, 11; mov.u32 %r0, %i;
    LOOP: mad.lo.u32 %r0, %r0, 1664525, 1013904223; setp.eq.u32 %p0, %r4, 0; sub.u32 %r4, %r4, 1; @!%p0 bra LOOP;
    st.shared.u32 [%r3], %r0; bar.sync 0; xor.b32 %r5, %r2, 33; mad.lo.u32 %r5, %r5, 4, %r1; ld.shared.u32 %r6, [%r5];
    shr.u32 %r7, %r6, 28; mul.wide.u32 %d0, %r7, 4; add.u64 %d0, %d0, %in; red.global.add.u32 [%d0], 1;
    xor.b32 %r0, %r0, %r6; st.global.u32 [%o4], %r0;)",
                                ".shared .align 4 .b8 cells[256];");

}  // namespace

TEST_CASE("Integer results and counts do not depend on the number of host threads", "[functional]") {
    for (std::string const& model : control_flows()) {
        std::vector<std::uint32_t> want, want_bins;
        runtime::LaunchResult first;
        for (int const threads : {1, 2, 8}) {
            INFO(model << ", " << threads << " host threads");
            Program program(work, model, with_threads(threads));
            program.in = program.device.allocate(64);
            auto const got = program.run<std::uint32_t>(64 * 100, {.block = {64, 1, 1}, .grid = {20, 5, 1}});
            auto const bins = program.device.download<std::uint32_t>(program.in, 16);
            CHECK(std::accumulate(bins.begin(), bins.end(), 0u) == 6400);
            if (want.empty()) {
                want = got;
                want_bins = bins;
                first = program.result;
            }
            CHECK(got == want);
            CHECK(bins == want_bins);
            CHECK(program.result.instructions.warp == first.instructions.warp);
            CHECK(program.result.instructions.thread == first.instructions.thread);
            CHECK(program.result.instructions.thread_guarded == first.instructions.thread_guarded);
            CHECK(program.result.instructions.by_class == first.instructions.by_class);
            CHECK(program.result.branches.total == first.branches.total);
            CHECK(program.result.branches.divergent == first.branches.divergent);
        }
    }
}

TEST_CASE("Instructions are counted by warp, thread, guard and class", "[functional]") {
    for (std::string const& model : control_flows()) {
        INFO(model);
        // 40 threads: a whole warp and one of 8
        Program program(ptx_header() + R"(
            .visible .entry k(.param .u64 out, .param .u64 in) {
                .reg .pred %p; .reg .b32 %i, %r; .reg .f32 %f; .reg .b64 %d; .shared .u32 cell;
                ld.param.u64 %d, [out];              // 2 warps, 40 threads
                mov.u32 %i, %tid.x;                  // 2, 40
                setp.lt.u32 %p, %i, 36;              // 2, 40
                @%p bra LOW;                         // 2, 40; warp 1 parts 4 from 4: guarded 36
                cvt.rn.f32.u32 %f, %i;               // 1, 4
                mul.f32 %f, %f, %f;                  // 1, 4
            LOW:
                @!%p add.u32 %i, %i, 1;              // 2, 40, guarded 4
                st.shared.u32 [cell], %i;            // 2, 40
                bar.sync 0;                          // 2, 40
                atom.shared.add.u32 %r, [cell], 1;   // 2, 40
                @%p st.global.u32 [%d], %r;          // 2, 40, guarded 36
                ret;                                 // 2, 40
            })",
                        model);
        program.run<std::uint32_t>(1, {.block = {40, 1, 1}});
        auto const& counts = program.result.instructions;
        auto const of = [&](InstructionClass c) { return counts.by_class[static_cast<std::size_t>(c)]; };
        CHECK(counts.warp == 22);
        CHECK(counts.thread == 408);
        CHECK(counts.thread_guarded == 408 - 4 - 36 - 4);
        CHECK(of(InstructionClass::load) == 2);
        CHECK(of(InstructionClass::store) == 4);
        CHECK(of(InstructionClass::atomic) == 2);
        CHECK(of(InstructionClass::barrier) == 2);
        CHECK(of(InstructionClass::control) == 4);
        CHECK(of(InstructionClass::fp32) == 1);
        CHECK(std::accumulate(counts.by_class.begin(), counts.by_class.end(), std::uint64_t{0}) == 22);
        CHECK(program.result.branches.total == 2);
        CHECK(program.result.branches.divergent == 1);
        CHECK(program.result.shared_per_cta == 4);
    }
}

TEST_CASE("A fault ends the grid, names the first CTA, and the device works on", "[functional]") {
    for (int const threads : {1, 2, 8}) {
        INFO(threads << " host threads");
        Program program(
            kernel("mov.u32 %r0, %ctaid.x; setp.ge.u32 %p0, %r0, 3; @%p0 trap; st.global.u32 [%o4], %i;"),
            "independent", with_threads(threads));
        std::string const text = program.error(1 << 16, {.grid = {500, 1, 1}});
        INFO(text);
        CHECK(contains(text, "trap"));
        CHECK(contains(text, "lane 0"));
        if (threads == 1) CHECK(contains(text, "block (3,0,0)"));
        auto const out = program.run<std::uint32_t>(96, {.grid = {3, 1, 1}});
        CHECK(out[95] == 95);
    }
}

TEST_CASE("All CTAs of a large grid run once, each at its place", "[functional]") {
    Program program(ptx_header() + R"(
        .visible .entry k(.param .u64 out, .param .u64 in) {
            .reg .b32 %r<8>; .reg .b64 %d<4>; ld.param.u64 %d0, [out];
            mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z; mad.lo.u32 %r3, %r2, 7, %r1; mad.lo.u32 %r3, %r3, 100, %r0;
            mul.wide.u32 %d1, %r3, 4; add.u64 %d0, %d0, %d1; red.global.add.u32 [%d0], 1; ret; })",
                    "independent", with_threads(4));
    CHECK(program.run<std::uint32_t>(100 * 7 * 11, {.block = {1, 1, 1}, .grid = {100, 7, 11}}) ==
          std::vector<std::uint32_t>(100 * 7 * 11, 1));
}

TEST_CASE("Shared memory is zero at the start of each CTA", "[functional]") {
    Program program(kernel("mov.u32 %r1, cells; mad.lo.u32 %r1, %i, 0, %r1; ld.shared.u32 %r0, [%r1]; bar.sync 0; "
                           "st.shared.u32 [%r1], 7; st.global.u32 [%o4], %r0;",
                           ".shared .align 4 .b8 cells[4];"));
    CHECK(program.run<std::uint32_t>(32 * 20, {.grid = {20, 1, 1}}) == std::vector<std::uint32_t>(32 * 20, 0));
}

TEST_CASE("Progress is reported as rising numbers of CTAs", "[functional]") {
    std::vector<std::uint64_t> ended;
    runtime::DeviceOptions options = with_threads(2);
    options.progress = [&](sim::LaunchProgress const& progress) {
        CHECK(progress.ctas == 2000);
        CHECK(progress.kernel == "k");
        ended.push_back(progress.ended);
    };
    Program program(
        kernel("mov.u32 %r0, 0; LOOP: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 3000; @%p0 bra LOOP;"),
        "independent", options);
    program.run<std::uint32_t>(1, {.grid = {2000, 1, 1}});
    CHECK(std::is_sorted(ended.begin(), ended.end()));
    for (std::uint64_t const count : ended) CHECK((count > 0 && count <= 2000));
}

TEST_CASE("Two devices in one process keep their memories apart", "[functional]") {
    std::string const text = kernel("ld.global.u32 %r0, [counter]; add.u32 %r0, %r0, %i; st.global.u32 [%o4], "
                                    "%r0; st.global.u32 [counter], 100;",
                                    ".global .u32 counter = 5;");
    Program one(text), two(text);
    CHECK(one.run<std::uint32_t>(32)[0] == 5);
    CHECK(two.run<std::uint32_t>(32)[0] == 5);
    CHECK(one.run<std::uint32_t>(32)[31] == 131);
    // memory of one device is not accessible to the other
    one.in = two.device.allocate(64);
    Program reader(kernel("ld.global.u32 %r0, [%in];"));
    reader.in = one.in;
    CHECK(contains(reader.error(), "not inside any allocation"));
}

}  // namespace functional_run_test
