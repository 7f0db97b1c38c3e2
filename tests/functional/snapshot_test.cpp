// A launch that is copied between two turns continues from the copy as it would have without.
#include "runtime/child_grids.hpp"
#include "runtime/device_state.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/functional/snapshot.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace snapshot_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

constexpr std::uint32_t ctas = 6, threads = 64;

/// A launch of `k` whose run can be interrupted.
class Job {
public:
    Job(std::string const& text, std::string const& model, bool late_copies,
        std::array<std::uint32_t, 3> cluster = {1, 1, 1})
        : device_(sim::load_config("h100", std::vector<std::string>{"sm.control_flow=" + model}),
                  Program::one_thread()),
          module_(device_.load_text("test.ptx", text)),
          out_(device_.allocate(bytes)),
          in_(device_.upload(each<std::uint32_t>(1024, [](std::uint32_t i) { return 1000 + i; }))),
          heap_(state().memory->allocate(heap_bytes), heap_bytes),
          empty_heap_(heap_.ranges()),
          plan_(state().plan(state().kernel("k"))) {
        if (plan_.uses_runtime) {
            pools_.config = device_.config();
            pools_.memory = state().memory;
            children_.emplace(pools_, state(), shape_, 0u);
        }
        map_ = state().memory->map();
        context_.emplace(sim::LaunchContext{.plan = plan_,
                                            .access = sim::access_functions(state().host),
                                            .allocations = *map_,
                                            .memory = *state().memory,
                                            .windows = sim::Reservation::process().windows()});
        sim::LaunchContext& context = *context_;
        context.grid = {ctas, 1, 1};
        context.block = {threads, 1, 1};
        context.cluster = cluster;
        context.shared_bytes = context.plan.shared_bytes;
        context.control_flow = device_.config().sm.control_flow;
        context.stack_bytes = 4096;
        context.late_copies = late_copies;
        context.heap = &heap_;
        context.runtime = children_ ? &*children_ : nullptr;
        context.print = &print_;
        plan_block_ = sim::make_plan_block(context.plan, context, runtime::Arguments::of(out_, in_).bytes());
        context.plan_block = plan_block_.get();
        warp_blocks_ = sim::make_warp_blocks(context.plan, context);
        context.warp_blocks = warp_blocks_.get();
        options.resident_ctas = 4;
        options.threads = 1;
        options.turn_instructions = 20;
    }

    struct Result {
        std::vector<std::uint32_t> out;
        std::string printed;
        std::vector<std::uint32_t> launched;  // the argument of each grid that a kernel has launched
        sim::LaunchStatistics counted;
        bool operator==(Result const& other) const {
            auto const& a = counted.instructions;
            auto const& b = other.counted.instructions;
            return out == other.out && printed == other.printed && launched == other.launched &&
                   a.warp == b.warp && a.thread == b.thread && a.thread_guarded == b.thread_guarded &&
                   a.by_class == b.by_class && counted.branches.total == other.counted.branches.total &&
                   counted.branches.divergent == other.counted.branches.divergent;
        }
    };
    Result whole() {
        Result result;
        clear();
        sim::run_functional(*context_, options, result.counted);
        return with_output(std::move(result));
    }
    std::optional<sim::Snapshot> first(std::uint64_t turns) {
        sim::LaunchStatistics counted;
        clear();
        auto snapshot = sim::run_for(*context_, options, turns, counted);
        if (snapshot) CHECK(counted.instructions.warp == 0);
        return snapshot;
    }
    Result rest(sim::Snapshot const& snapshot) {
        Result result;
        sim::run_from(snapshot, *context_, options, result.counted);
        return with_output(std::move(result));
    }

    sim::FunctionalOptions options;

private:
    static constexpr std::size_t bytes = 4096;
    static constexpr std::uint64_t heap_bytes = 65536;
    runtime::Module::State& state() { return module_->state(); }
    void clear() {
        std::vector<std::byte> const zeros(bytes);
        device_.write(out_, zeros.data(), bytes);
        heap_.restore(empty_heap_);
        print_.take();
        if (children_) children_->take();
    }
    Result with_output(Result result) {
        result.out = device_.download<std::uint32_t>(out_, bytes / 4);
        result.printed = print_.take().text;
        if (!children_) return result;
        for (runtime::ChildWork const& work : children_->take()) {
            REQUIRE(work.arguments.bytes().size() == 4);
            std::memcpy(&result.launched.emplace_back(), work.arguments.bytes().data(), 4);
        }
        return result;
    }

    runtime::Device device_;
    std::shared_ptr<runtime::Module> module_;
    runtime::DevicePointer out_, in_;
    sim::DeviceHeap heap_;
    sim::DeviceHeap::Ranges const empty_heap_;
    sim::PrintBuffer print_{1 << 20};
    runtime::LaunchShape const shape_{};
    sim::KernelPlan const& plan_;
    runtime::Device::State pools_;  // of what the device runtime hands out
    std::optional<runtime::ChildGrids> children_;
    std::shared_ptr<sim::AllocationMap const> map_;
    std::optional<sim::LaunchContext> context_;
    sim::AlignedBytes plan_block_, warp_blocks_;
};

/// Stops after 1, 2, 3, 5, ... turns, each time with two copies that continue; returns how often that was
/// possible.
int check_all_pauses(Job& job) {
    Job::Result const whole = job.whole();
    CHECK(whole.counted.instructions.warp > 0);
    int pauses = 0;
    for (std::uint64_t turns = 1;; turns += turns / 2 + 1, ++pauses) {
        INFO(turns << " turns");
        auto const snapshot = job.first(turns);
        if (!snapshot) return pauses;
        CHECK(job.rest(*snapshot) == whole);
        CHECK(job.rest(*snapshot) == whole);
    }
}

std::string const functions = R"(
    .shared .align 16 .b8 cells[1024];
    .func (.reg .u32 r) mix(.reg .u32 a) {
        .local .u32 kept; .reg .u32 t, n, most; .reg .pred p;
        mov.u32 n, 0; and.b32 most, a, 3; st.local.u32 [kept], a;
        AGAIN: ld.local.u32 t, [kept]; mad.lo.u32 t, t, 1664525, 1013904223; st.local.u32 [kept], t;
        add.u32 n, n, 1; setp.le.u32 p, n, most; @p bra AGAIN;
        ld.local.u32 r, [kept]; ret; })";

std::string const body = R"(
    mov.u32 %r9, 0; and.b32 %r8, %i, 7; mov.u32 %r0, %i; mov.u32 %r2, %tid.x; mov.u32 %r7, cells;
    mad.lo.u32 %r1, %r2, 16, %r7; mul.wide.u32 %d1, %r2, 16; add.u64 %d1, %d1, %in;
    LOOP: call (%r4), mix, (%r0);
    cp.async.ca.shared.global [%r1], [%d1], 16; cp.async.commit_group;
    add.u32 %r0, %r0, %r4; atom.global.add.u32 %r5, [%out+2048], %r4; xor.b32 %r0, %r0, %r5;
    cp.async.wait_group 0; ld.shared.u32 %r6, [%r1+4]; add.u32 %r0, %r0, %r6;
    add.u32 %r9, %r9, 1; setp.le.u32 %p0, %r9, %r8; @%p0 bra LOOP;
    st.shared.u32 [%r1+4], %r0; bar.sync 0;
    xor.b32 %r2, %r2, 33; mad.lo.u32 %r2, %r2, 16, %r7; ld.shared.u32 %r3, [%r2+4];
    shfl.sync.bfly.b32 %r4, %r3, 5, 31, -1; atom.shared.add.u32 %r5, [cells], %r4;
    add.u32 %r0, %r3, %r5; st.global.u32 [%o4], %r0;)";

}  // namespace

TEST_CASE("A launch goes on from a copy as it does without", "[functional]") {
    for (std::string const& model : control_flows()) {
        for (bool const late_copies : {false, true}) {
            INFO(model << (late_copies ? ", copies are late" : ""));
            Job job(kernel(body, functions), model, late_copies);
            CHECK(check_all_pauses(job) >= 5);
        }
    }
}

TEST_CASE("A launch whose CTAs wait for each other goes on from a copy", "[functional]") {
    // Every CTA takes a ticket and waits for its turn.
    Job job(kernel(R"(
        mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; setp.ne.u32 %p0, %r1, 0; @%p0 bra DONE;
        WAIT: ld.volatile.global.u32 %r2, [%out+1024]; setp.ne.u32 %p1, %r2, %r0; @%p1 bra WAIT;
        mad.lo.u32 %r3, %r0, 7, %r2; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d1, %out; st.global.u32 [%d1], %r3;
        membar.gl; atom.global.add.u32 %r4, [%out+1024], 1;
        DONE: bar.sync 0;)"),
            "independent", false);
    job.options.turn_instructions = 4;
    CHECK(check_all_pauses(job) >= 5);
}

TEST_CASE("What a kernel has allocated and printed is part of the copy", "[functional]") {
    // Each thread writes into memory that it allocates, lets others have turns, reads it again and frees it.
    std::string const before = R"(
        .extern .func (.param .b64 p) malloc(.param .b64 n);
        .extern .func free(.param .b64 p);
        .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
        .global .align 1 .b8 said[6] = {116, 37, 100, 44, 32, 0};
    )";
    Job job(kernel(R"(
        .local .align 8 .b8 arguments[8]; .reg .b64 %mine, %f, %a;
        mov.u32 %r9, 0;
        LOOP: { .param .b64 n; .param .b64 p; st.param.b64 [n], 32; call (p), malloc, (n); ld.param.b64 %mine, [p]; }
        st.u32 [%mine], %i; st.u32 [%mine+4], %r9; mov.u32 %r1, 0;
        SPIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 20; @%p0 bra SPIN;
        ld.u32 %r2, [%mine]; ld.u32 %r3, [%mine+4]; mad.lo.u32 %r4, %r2, 100, %r3;
        ld.global.u32 %r5, [%o4]; add.u32 %r4, %r4, %r5; st.global.u32 [%o4], %r4;
        { .param .b64 p; st.param.b64 [p], %mine; call free, (p); }
        add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 3; @%p0 bra LOOP;
        mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra DONE;
        cvta.local.u64 %a, arguments; mov.u64 %f, said; cvta.global.u64 %f, %f; st.u32 [%a], %i;
        { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %f; st.param.b64 [a], %a;
          call (r), vprintf, (f, a); }
        DONE:)",
                   before),
            "independent", false);
    job.options.turn_instructions = 30;
    CHECK(check_all_pauses(job) >= 5);
    Job::Result const whole = job.whole();
    CHECK(std::count(whole.printed.begin(), whole.printed.end(), 't') == ctas);
    CHECK(whole.out[5] == 3 * 500 + 0 + 1 + 2);
}

TEST_CASE("A launch on several host threads goes on from a copy, on one thread or on several", "[functional]") {
    Job job(kernel(R"(
        mov.u32 %r9, 0; mov.u32 %r0, %i; mov.u32 %r7, cells; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r2, 4, %r7;
        LOOP: st.shared.u32 [%r1], %r0; bar.sync 0; xor.b32 %r3, %r1, 4; ld.shared.u32 %r4, [%r3]; bar.sync 0;
        mad.lo.u32 %r0, %r4, 5, %r9; atom.global.add.u32 %r5, [%out+2048], %r0;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 12; @%p0 bra LOOP;
        st.global.u32 [%o4], %r0;)",
                   functions),
            "independent", false);
    job.options.turn_instructions = 16;
    Job::Result const whole = job.whole();
    int pauses = 0;
    for (std::uint64_t turns = 1; turns < 60; turns += 1 + turns / 3) {
        INFO(turns << " turns");
        job.options.threads = 3;
        auto const snapshot = job.first(turns);
        if (!snapshot) break;
        ++pauses;
        CHECK(job.rest(*snapshot) == whole);
        job.options.threads = 1;
        CHECK(job.rest(*snapshot) == whole);
    }
    CHECK(pauses >= 5);
}

TEST_CASE("Copies between CTAs of a cluster that are in flight are part of the copy", "[functional]") {
    // In each round every CTA sends a tile to the next one of its cluster, works on, and then waits for its own.
    Job job(kernel(R"(
        .shared .align 128 .b8 mine[256]; .shared .align 128 .b8 got[256]; .shared .align 8 .b64 bar;
        .reg .b64 %state; .reg .b32 %rank, %next, %tile, %there, %bar, %theirs, %own;
        mov.u32 %rank, %cluster_ctarank; add.u32 %next, %rank, 1; rem.u32 %next, %next, 3;
        mov.u32 %tile, mine; mov.u32 %own, got; mov.u32 %bar, bar;
        mapa.shared::cluster.u32 %there, %own, %next; mapa.shared::cluster.u32 %theirs, %bar, %next;
        mov.u32 %r1, %tid.x; setp.eq.u32 %p0, %r1, 0; mad.lo.u32 %r2, %r1, 4, %tile; mad.lo.u32 %r3, %r1, 4, %own;
        @%p0 mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
        barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r0, %i; mov.u32 %r9, 0;
        LOOP: st.shared.u32 [%r2], %r0;
        @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 256;
        fence.proxy.async; bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait;
        @%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%there], [%tile], 256, [%theirs];
        mov.u32 %r8, 0;
        WORK: mad.lo.u32 %r0, %r0, 5, %rank; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 30; @%p1 bra WORK;
        and.b32 %r4, %r9, 1;
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r4; @!%p1 bra WAIT;
        ld.shared.u32 %r5, [%r3]; add.u32 %r0, %r0, %r5; barrier.cluster.arrive; barrier.cluster.wait;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra LOOP;
        st.global.u32 [%o4], %r0;)"),
            "independent", true, {3, 1, 1});
    int in_flight = 0;
    Job::Result const whole = job.whole();
    for (std::uint64_t turns = 1; auto const snapshot = job.first(turns); ++turns) {
        INFO(turns << " turns");
        for (auto const& cluster : snapshot->clusters) {
            for (sim::UnderWay const& w : cluster->under_way) in_flight += w.from.rank != w.to.rank;
        }
        CHECK(job.rest(*snapshot) == whole);
        CHECK(job.rest(*snapshot) == whole);
    }
    CHECK(in_flight >= 3);
}

TEST_CASE("What kernels have requested from the device runtime is part of the copy", "[functional]") {
    // Thread 0 of each CTA launches a grid, makes an event and an error, and later looks at what has become of it.
    std::string const before = R"(
        .extern .func (.param .b64 p) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],
                                                               .param .align 4 .b8 b[12], .param .b32 s);
        .extern .func (.param .b32 e) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);
        .extern .func (.param .b32 e) cudaEventCreateWithFlags(.param .b64 p, .param .b32 f);
        .extern .func (.param .b32 e) cudaEventDestroy(.param .b64 p);
        .extern .func (.param .b32 e) cudaGetLastError;
        .visible .entry child(.param .u32 n) { ret; }
    )";
    Job job(kernel(R"(
        .local .align 8 .b64 event; .reg .b64 %f, %buffer, %event, %a;
        mov.u32 %r2, %tid.x; setp.ne.u32 %p0, %r2, 0; @%p0 bra DONE; mov.u32 %r7, 0; mov.u32 %r9, 0;
        LOOP: mov.u64 %f, child;
        { .param .b64 p; .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;
          st.param.b64 [f], %f; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
          st.param.b32 [b], 32; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
          call (p), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %buffer, [p]; }
        mad.lo.u32 %r3, %i, 10, %r9; st.global.u32 [%buffer], %r3; cvta.local.u64 %a, event;
        { .param .b32 e; .param .b64 p; .param .b32 f; st.param.b64 [p], %a; st.param.b32 [f], 2;
          call (e), cudaEventCreateWithFlags, (p, f); ld.param.b32 %r4, [e]; } ld.local.u64 %event, [event];
        mov.u32 %r1, 0;
        SPIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra SPIN;
        { .param .b32 e; .param .b64 p; .param .b64 s; st.param.b64 [p], %buffer; st.param.b64 [s], 0;
          call (e), cudaLaunchDeviceV2, (p, s); ld.param.b32 %r5, [e]; } mad.lo.u32 %r7, %r7, 31, %r5;
        { .param .b32 e; .param .b64 p; st.param.b64 [p], %event; call (e), cudaEventDestroy, (p);
          ld.param.b32 %r5, [e]; } mad.lo.u32 %r7, %r7, 31, %r5;
        { .param .b32 e; .param .b64 p; st.param.b64 [p], %event; call (e), cudaEventDestroy, (p); }
        { .param .b32 e; call (e), cudaGetLastError; ld.param.b32 %r5, [e]; } mad.lo.u32 %r7, %r7, 31, %r5;
        add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2; @%p1 bra LOOP;
        st.global.u32 [%o4], %r7;
        DONE:)",
                   before),
            "independent", false);
    job.options.turn_instructions = 16;
    CHECK(check_all_pauses(job) >= 5);
    Job::Result const whole = job.whole();
    CHECK(whole.out[0] == 400 * 31 * 31 * 31 + 400);  // each second destruction of an event failed, nothing else
    std::vector<std::uint32_t> arguments = whole.launched;
    std::sort(arguments.begin(), arguments.end());
    std::vector<std::uint32_t> want;
    for (std::uint32_t cta = 0; cta < ctas; ++cta)
        for (std::uint32_t const round : {0u, 1u}) want.push_back(cta * threads * 10 + round);
    CHECK(arguments == want);
}

}  // namespace snapshot_test
