// Who looks at a GPU cycle by cycle changes nothing, and sees each of them once.
#include "sim/timing/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/timing/run_timing.hpp"

#include <algorithm>
#include <vector>

namespace view_test {

using namespace warpsim;
using timing::Cycle;

namespace {

class Watcher final : public timing::GpuObserver {
public:
    void grid_begins(timing::GpuView const& gpu, Cycle at) override {
        gpu_ = &gpu;
        next_ = at;
    }
    Cycle next_look() override { return next_; }
    void look(Cycle now) override {
        seen.push_back(now);
        next_ = now + 1;
        for (timing::SmView const& sm : gpu_->sms()) {
            most_ctas = std::max(most_ctas, sm.ctas);
            for (timing::QueueView const& q : sm.queues) {
                if (q.name == "L1 misses (MSHRs)") most_misses = std::max(most_misses, q.used);
                if (q.limit != 0) CHECK(q.used <= q.limit);
            }
            micro_ops = std::max(micro_ops, sm.micro_ops);
            for (timing::WarpView const& w : sm.warps) {
                CHECK(w.sm == sm.number);
                timing::WarpView const whole = *gpu_->warp(*w.warp);
                bool const waits = std::any_of(whole.pending.begin(), whole.pending.end(), [](auto const& p) {
                    return p.ready == engine::never && p.maker == "memory";
                });
                if (waits) CHECK(w.loads != 0);
                waited += w.reason == sim::StallReason::long_scoreboard && !w.is_ready && w.since <= now;
            }
        }
        if (!gpu_->sms().empty()) last_l1 = gpu_->l1(0);
    }

    std::vector<Cycle> seen;
    std::uint32_t most_ctas = 0;
    std::uint64_t most_misses = 0, micro_ops = 0, waited = 0;
    timing::CacheView last_l1;

private:
    timing::GpuView const* gpu_ = nullptr;
    Cycle next_ = 0;
};

struct Result {
    sim::LaunchStatistics statistics;
    sim::TimingCounts counts;
};

Result run(timing::GpuObserver* observer) {
    test::TimingJob job("saxpy", test::timing_options(1), "v100", {"sm.count=1"});
    auto const x = job.device.allocate(4096), y = job.device.allocate(4096);
    runtime::LaunchShape shape;
    shape.grid = {2, 1, 1};
    shape.block = {256, 1, 1};
    test::TimedContext const launch(job.device.config(), *job.module, "saxpy", shape,
                                    runtime::Arguments::of(512, 2.0f, x, y));
    timing::GpuOptions options;
    options.observer = observer;
    timing::Gpu gpu(job.device.config(), options);
    timing::TimingOptions run;
    run.registers_per_thread = 32;
    Result result;
    timing::run_timing(gpu, launch.machine(), launch.context(), run, result.statistics, result.counts);
    return result;
}

}  // namespace

TEST_CASE("A look at each cycle changes no count, and misses none", "[timing]") {
    Watcher watcher;
    Result const watched = run(&watcher), plain = run(nullptr);
    CHECK(watched.counts.cycles == plain.counts.cycles);
    CHECK(watched.counts.stalls == plain.counts.stalls);
    CHECK(watched.counts.micro_ops == plain.counts.micro_ops);
    REQUIRE(watcher.seen.size() > 100);
    for (std::size_t i = 0; i < watcher.seen.size(); ++i) REQUIRE(watcher.seen[i] == watcher.seen.front() + i);
    CHECK(watcher.most_ctas == 2);
    // Two arrays of 512 floats are 32 lines.
    CHECK(watcher.most_misses > 8);
    CHECK(watcher.most_misses <= 32);
    std::uint32_t lines = 0;
    for (std::uint32_t const n : watcher.last_l1.used) lines += n;
    CHECK(lines == 32);
    CHECK(watcher.micro_ops == plain.counts.micro_ops);
    // Each cycle of a wait for memory was seen.
    CHECK(watcher.waited == plain.counts.stalls[static_cast<std::size_t>(sim::StallReason::long_scoreboard)]);
}

}  // namespace view_test
