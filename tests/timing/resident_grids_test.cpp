// The GPU outlives its launches, and holds grids of several at once.
#include "runtime/device.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/timing/gpu.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/timing/run_timing.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace resident_grids_test {

using namespace warpsim;

namespace {

using timing::Cycle;

runtime::DeviceOptions timing_mode() {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    return options;
}

/// A grid of `ctas` whose threads each add up so many times, and store the sum.
struct Job {
    std::uint32_t ctas = 1, threads = 32, rounds = 100;
    Cycle at = 0;
    int priority = 0;
    std::uint32_t shared = 0;
};

std::string const spin = R"(
ld.global.u32 %r1, [%in]; mov.u32 %r0, 1; mov.u32 %r2, 0; again: mad.lo.u32 %r0, %r0, 3, 1; add.u32 %r2, %r2, 1;
setp.lt.u32 %p0, %r2, %r1; @%p0 bra again; st.global.u32 [%o4], %r0;
)";

/// Grids on one GPU, which come as they are told to.
class Bench {
public:
    explicit Bench(std::vector<std::string> const& overrides = {}, timing::GpuOptions const& options = {},
                   std::string const& config = "teaching")
        : device_(sim::load_config(config, overrides), timing_mode()),
          module_(device_.load_text("k.ptx", test::kernel(spin))),
          gpu_(device_.config(), options) {}

    void launch(Job const& job) {
        auto const out = device_.allocate(std::uint64_t{job.ctas} * job.threads * 4);
        auto const in = device_.upload(std::vector<std::uint32_t>(1, job.rounds));
        runtime::LaunchShape shape;
        shape.grid = {job.ctas, 1, 1};
        shape.block = {job.threads, 1, 1};
        shape.dynamic_shared = job.shared;
        grids_.push_back(std::make_unique<test::TimedContext>(device_.config(), *module_, "k", shape,
                                                              runtime::Arguments::of(out, in)));
        timing::TimingOptions run;
        run.registers_per_thread = 32;
        run.priority = job.priority;
        numbers_.push_back(gpu_.launch(grids_.back()->context(), grids_.back()->machine(), run, job.at));
    }
    /// The cycles in which the grids ended, in the order of their launches.
    std::vector<Cycle> ends() {
        while (ends_.size() != numbers_.size()) {
            REQUIRE(gpu_.advance());
            for (timing::Gpu::Ended const& e : gpu_.ended()) ends_[e.grid] = e.at;
            gpu_.ended().clear();
        }
        while (gpu_.advance()) continue;
        std::vector<Cycle> list;
        for (timing::GridNumber const number : numbers_) list.push_back(ends_.at(number));
        return list;
    }
    /// All that was counted of each, when all have ended.
    std::vector<std::string> statistics() {
        ends();
        std::vector<std::string> list;
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            sim::LaunchStatistics s;
            gpu_.retire(numbers_[i], s, s.timing.emplace());
            s.host_seconds = 0;
            list.push_back(statistics::to_json(s));
        }
        return list;
    }

private:
    runtime::Device device_;
    std::shared_ptr<runtime::Module> module_;
    timing::Gpu gpu_;
    std::vector<std::unique_ptr<test::TimedContext>> grids_;
    std::vector<timing::GridNumber> numbers_;
    std::map<timing::GridNumber, Cycle> ends_;
};

std::vector<Cycle> ends(std::vector<Job> const& jobs, std::vector<std::string> const& overrides = {},
                        timing::GpuOptions const& options = {}) {
    Bench bench(overrides, options);
    for (Job const& job : jobs) bench.launch(job);
    return bench.ends();
}

}  // namespace

TEST_CASE("Two small grids together take little longer than one", "[timing]") {
    Job const small{1, 32, 400};
    Cycle const alone = ends({small}).front();
    std::vector<Cycle> const both = ends({small, small});
    CHECK(both[0] < alone + alone / 20);
    CHECK(both[1] < alone + alone / 20);
}

TEST_CASE("On one SM grids share the units", "[timing]") {
    Job const small{1, 64, 400};
    Cycle const alone = ends({small}, {"sm.count=1"}).front();
    std::vector<Cycle> const both = ends({small, small}, {"sm.count=1"});
    CHECK(both[1] > alone + alone / 10);  // they want the same unit
    CHECK(both[1] < 2 * alone + alone / 10);
}

TEST_CASE("A small grid begins behind a big one when all of that have begun", "[timing]") {
    // Eight CTAs have room at once, so two of the big grid are left for a second wave, in which the small one joins.
    std::vector<Cycle> const e = ends({{10, 32, 400}, {1, 32, 40}});
    CHECK(e[1] < e[0]);
    CHECK(e[1] > ends({{8, 32, 400}}).front());
    // With nothing left over it begins at once.
    CHECK(ends({{4, 32, 400}, {1, 32, 40}})[1] < ends({{4, 32, 400}}).front());
}

TEST_CASE("Grids of a higher priority begin first where CTAs end", "[timing]") {
    Job const first{16, 32, 200}, second{8, 32, 200};
    Job urgent{8, 32, 200};
    std::vector<Cycle> const equal = ends({first, second, urgent});
    CHECK(equal[1] <= equal[2]);
    urgent.priority = 1;
    std::vector<Cycle> const e = ends({first, second, urgent});
    CHECK(e[2] < e[1]);
    CHECK(e[2] < e[0]);
}

TEST_CASE("As many grids are resident as CUDA documents for the compute capability", "[timing]") {
    // One thread each, so that all have room; the first runs for long, those behind it end soon.
    auto const last = [](std::string const& capability) {
        std::vector<Job> jobs(17, Job{1, 32, 400});
        jobs.push_back({1, 32, 1});
        return ends(jobs, {"compute_capability=" + capability, "sm.count=10"});
    };
    auto const all = last("7.5"), sixteen = last("7.2");
    CHECK(all.back() < all.front());
    auto const one = ends({{1, 32, 400}, {1, 32, 1}}, {"launch.resident_grids=1"});
    CHECK(one[1] > one[0]);
    // The last two begin when the first of the sixteen has ended.
    Cycle const first_end = *std::min_element(sixteen.begin(), sixteen.begin() + 16);
    CHECK(sixteen[16] > first_end);
    CHECK(sixteen.back() > first_end);
}

TEST_CASE("Grids share an SM as far as its registers, shared memory and places go", "[timing]") {
    // One CTA each of two grids; where they do not fit together the second waits for the first.
    auto const waits = [](Job const& a, Job const& b, std::vector<std::string> overrides) {
        overrides.push_back("sm.count=1");
        Cycle const alone = ends({a}, overrides).front();
        return ends({a, b}, overrides)[1] > alone;
    };
    Job const one{1, 32, 400};
    Job const little{1, 32, 40};
    CHECK_FALSE(waits(one, little, {}));
    CHECK(waits(one, little, {"sm.max_ctas=1"}));
    CHECK(waits({1, 256, 100}, little, {}));  // all warps
    CHECK(waits({1, 32, 400, 0, 0, 6000}, {1, 32, 40, 0, 0, 6000}, {}));
    CHECK_FALSE(waits({1, 32, 400, 0, 0, 4100}, {1, 32, 40, 0, 0, 3000}, {}));
}

TEST_CASE("What is counted of a grid does not depend on who is beside it, if they do not meet", "[timing]") {
    Bench together;
    together.launch({1, 32, 300});
    together.launch({1, 64, 100});
    std::vector<std::string> const both = together.statistics();
    auto const instructions = [](std::string const& json) {
        std::size_t const at = json.find("\"instructions\"");
        return json.substr(at, json.find('}', at) - at);
    };
    for (std::size_t i = 0; i < 2; ++i) {
        Bench bench;
        bench.launch(i == 0 ? Job{1, 32, 300} : Job{1, 64, 100});
        CHECK(instructions(bench.statistics().front()) == instructions(both[i]));
    }
}

TEST_CASE("Grids that run together take the same cycles on any number of host threads", "[timing]") {
    auto const outcome = [](int threads, std::uint64_t seed, std::uint32_t divisor) {
        timing::GpuOptions options;
        options.threads = threads;
        options.permutation_seed = seed;
        options.epoch_divisor = divisor;
        Bench bench({}, options);
        bench.launch({12, 64, 100});
        bench.launch({3, 96, 70, 13});
        bench.launch({5, 32, 150, 401, 1});
        bench.launch({2, 128, 90, 777, 0, 1024});
        std::vector<std::string> all = bench.statistics();
        for (Cycle const end : bench.ends()) all.push_back(std::to_string(end));
        return all;
    };
    auto const plain = outcome(1, 0, 1);
    CHECK(outcome(2, 1, 1) == plain);
    CHECK(outcome(4, 2, 1) == plain);
    CHECK(outcome(1, 3, 3) == plain);
    CHECK(outcome(2, 4, 7) == plain);
}

TEST_CASE("A second launch finds in L2 what the first has left there, unless caches are flushed", "[timing]") {
    auto const misses = [](std::vector<std::string> const& overrides) {
        runtime::Device device(sim::load_config("v100", overrides), timing_mode());
        auto const module =
            device.load_text("k.ptx", test::kernel("ld.global.u32 %r1, [%in]; st.global.u32 [%o4], %r1;"));
        auto const out = device.allocate(1 << 16), in = device.allocate(4096);
        runtime::LaunchShape shape;
        shape.grid = {8, 1, 1};
        shape.block = {128, 1, 1};
        std::vector<std::uint64_t> list;
        for (int i = 0; i < 2; ++i) {
            auto const result = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
            list.push_back(result.timing->dram.read_sectors);
            list.push_back(result.timing->cycles);
        }
        return list;
    };
    auto const warm = misses({}), flushed = misses({"launch.flush_caches=true"});
    CHECK(warm[0] != 0);
    CHECK(warm[2] == 0);
    CHECK(warm[3] < warm[1]);
    // Where the caches are flushed, each launch is like the first.
    CHECK(flushed == std::vector<std::uint64_t>{warm[0], warm[1], warm[0], warm[1]});
}

TEST_CASE("Memory that is freed and given out again holds what is written to it", "[timing]") {
    runtime::Device device(sim::load_config("teaching"), timing_mode());
    auto const module = device.load_text(
        "k.ptx", test::kernel("ld.global.u32 %r1, [%in]; add.u32 %r1, %r1, %i; st.global.u32 [%o4], %r1;"));
    runtime::LaunchShape shape;
    shape.block = {64, 1, 1};
    for (std::uint32_t round = 0; round < 4; ++round) {
        auto const out = device.allocate(256);
        auto const in = device.upload(std::vector<std::uint32_t>(1, 1000 * round));
        device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
        auto const words = device.download<std::uint32_t>(out, 64);
        for (std::uint32_t i = 0; i < 64; ++i) REQUIRE(words[i] == 1000 * round + i);
        device.free(out);
        device.free(in);
    }
}

TEST_CASE("A faulted launch leaves a device that runs the next", "[timing]") {
    runtime::Device device(sim::load_config("teaching"), timing_mode());
    auto const module =
        device.load_text("k.ptx", test::kernel("ld.global.u32 %r1, [%in]; st.global.u32 [%o4], %r1;"));
    auto const memory = device.allocate(256);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    CHECK_THROWS_AS(device.launch(*module, "k", shape, runtime::Arguments::of(memory, std::uint64_t{16})),
                    FaultError);
    auto const result = device.launch(*module, "k", shape, runtime::Arguments::of(memory, memory));
    CHECK(result.timing->cycles > 0);
}

}  // namespace resident_grids_test
