// What a timing run reports beside its totals: counts by line, samples over time, a trace.
#include "runtime/device.hpp"
#include "sim/timing/plan/micro_op.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace observation_test {

using namespace warpsim;

namespace {

struct Observed {
    sim::LaunchStatistics statistics;
    std::vector<std::string> trace;
    sim::TimingCounts const& timing() const { return *statistics.timing; }
};

struct Wanted {
    int threads = 1;
    bool profile = false;
    std::uint64_t interval = 0;
    bool trace = false;
    std::string filter = {};
    std::uint32_t divisor = 1;
};

/// The reduction of tests/kernels: barriers, shared memory and an atomic.
Observed run_reduce(Wanted const& wanted) {
    Observed result;
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = wanted.threads;
    options.profile = wanted.profile;
    options.interval_cycles = wanted.interval;
    options.timing_epoch_divisor = wanted.divisor;
    options.trace_filter = wanted.filter;
    if (wanted.trace) options.trace = [&](std::string_view line) { result.trace.emplace_back(line); };
    runtime::Device device(sim::load_config("v100"), options);
    auto const module = device.load_file(WARPSIM_SOURCE_DIR "/tests/kernels/reduce.ptx");
    std::vector<std::uint32_t> values(8000);
    std::iota(values.begin(), values.end(), 0u);
    auto const in = device.upload(values), out = device.upload(std::vector<std::uint32_t>(1));
    runtime::LaunchShape shape;
    shape.grid = {20, 1, 1};
    shape.block = {128, 1, 1};
    result.statistics = device.launch(*module, "reduce", shape, runtime::Arguments::of(8000, in, out));
    return result;
}

std::vector<std::vector<std::uint64_t>> numbers(std::vector<sim::LineProfile> const& lines) {
    std::vector<std::vector<std::uint64_t>> all;
    for (sim::LineProfile const& line : lines) {
        auto& n = all.emplace_back(
            std::vector<std::uint64_t>{line.executed, line.threads, line.threads_guarded, line.micro_ops});
        n.insert(n.end(), line.stalls.begin(), line.stalls.end());
    }
    return all;
}

std::vector<std::vector<std::uint64_t>> numbers(std::vector<sim::IntervalSample> const& samples) {
    std::vector<std::vector<std::uint64_t>> all;
    for (sim::IntervalSample const& s : samples) {
        auto& n = all.emplace_back(std::vector<std::uint64_t>{
            s.micro_ops, s.resident_warp_cycles, s.l1.load_sectors, s.l1.tag_hits, s.l1.store_sectors,
            s.l1.atomic_sectors, s.l1.shared_requests, s.l2.read_sectors, s.l2.write_sectors, s.l2.atomic_sectors,
            s.l2.tag_hits, s.dram.read_sectors, s.dram.written_sectors, s.noc.request_bytes, s.noc.reply_bytes});
        n.insert(n.end(), s.stalls.begin(), s.stalls.end());
    }
    return all;
}

/// One warp runs `body`; the profile of its lines, found by what they begin with.
std::vector<sim::LineProfile> profile_of(std::string const& body, std::uint32_t threads = 32) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.profile = true;
    runtime::Device device(sim::load_config("v100"), options);
    auto const module = device.load_text("k.ptx", test::kernel(body));
    auto const memory = device.allocate(4096);
    runtime::LaunchShape shape;
    shape.block = {threads, 1, 1};
    return device.launch(*module, "k", shape, runtime::Arguments::of(memory, memory)).timing->profile;
}

sim::LineProfile const& line(std::vector<sim::LineProfile> const& lines, std::string const& begin) {
    for (sim::LineProfile const& l : lines) {
        if (l.text.substr(0, begin.size()) == begin) return l;
    }
    throw std::runtime_error("no line " + begin);
}

std::uint64_t stall(sim::LineProfile const& line, sim::StallReason reason) {
    return line.stalls[static_cast<std::size_t>(reason)];
}

}  // namespace

TEST_CASE("The lines of a profile add up to the launch's counts", "[timing]") {
    Observed const run = run_reduce({.profile = true});
    std::uint64_t executed = 0, threads = 0, guarded = 0, micro_ops = 0;
    std::array<std::uint64_t, sim::stall_reasons> stalls{};
    for (sim::LineProfile const& line : run.timing().profile) {
        executed += line.executed;
        threads += line.threads;
        guarded += line.threads_guarded;
        micro_ops += line.micro_ops;
        for (std::size_t r = 0; r < stalls.size(); ++r) stalls[r] += line.stalls[r];
        CHECK(line.place.substr(0, line.place.rfind(':')).find("reduce.ptx") != std::string::npos);
    }
    CHECK(executed == run.statistics.instructions.warp);
    CHECK(threads == run.statistics.instructions.thread);
    CHECK(guarded == run.statistics.instructions.thread_guarded);
    CHECK(micro_ops == run.timing().micro_ops);
    CHECK(stalls == run.timing().stalls);
}

TEST_CASE("A profile shows what each line waits for", "[timing]") {
    auto const lines = profile_of(R"(
ld.volatile.global.u32 %r1, [%in];
sub.u32 %r2, %r1, 1;
st.volatile.global.u32 [%o4], %r2;
bar.sync 0;
st.global.u32 [%out], %r2;
)",
                                  64);
    using sim::StallReason;
    // The subtraction waits for the load: an L2 hit or miss, two warps.
    CHECK(stall(line(lines, "sub.u32"), StallReason::long_scoreboard) > 2 * 200);
    CHECK(stall(line(lines, "ld.volatile"), StallReason::long_scoreboard) == 0);
    CHECK(stall(line(lines, "bar.sync"), StallReason::barrier) >= 2 * 20);
    CHECK(stall(line(lines, "st.global"), StallReason::barrier) == 0);
    CHECK(line(lines, "sub.u32").executed == 2);
    CHECK(line(lines, "sub.u32").threads == 64);
}

TEST_CASE("Samples add up to the launch's counts and end with it", "[timing]") {
    Observed const run = run_reduce({.interval = 100});
    sim::TimingCounts const& t = run.timing();
    REQUIRE(t.interval_cycles == 100);
    CHECK(t.intervals.size() <= (t.cycles + 99) / 100);
    sim::IntervalSample total;
    for (sim::IntervalSample const& s : t.intervals) {
        total += s;
        CHECK(s.resident_warp_cycles <= 20 * 4 * 100);
    }
    CHECK(total.micro_ops == t.micro_ops);
    CHECK(total.resident_warp_cycles == t.resident_warp_cycles);
    CHECK(total.stalls == t.stalls);
    CHECK(total.l1.load_sectors == t.l1.load_sectors);
    CHECK(total.l1.atomic_sectors == t.l1.atomic_sectors);
    CHECK(total.l2.read_sectors == t.l2.read_sectors);
    CHECK(total.dram.read_sectors == t.dram.read_sectors);
    CHECK(total.noc.reply_bytes == t.noc.reply_bytes);
    // Nothing happens while the kernel is being launched.
    CHECK(t.intervals[10].micro_ops == 0);
}

TEST_CASE("A sample every cycle and one of the whole run tell the same", "[timing]") {
    Observed const fine = run_reduce({.interval = 1}), whole = run_reduce({.interval = 1'000'000});
    REQUIRE(whole.timing().intervals.size() == 1);
    sim::IntervalSample total;
    for (sim::IntervalSample const& s : fine.timing().intervals) total += s;
    CHECK(numbers({total}) == numbers(whole.timing().intervals));
}

TEST_CASE("To observe a run changes no cycle", "[timing]") {
    Observed const plain = run_reduce({}), observed = run_reduce({.profile = true, .interval = 50, .trace = true});
    CHECK(plain.timing().cycles == observed.timing().cycles);
    CHECK(plain.timing().stalls == observed.timing().stalls);
    CHECK(plain.timing().profile.empty());
    CHECK(plain.timing().intervals.empty());
}

TEST_CASE("Profile, samples and trace are the same for any number of host threads and any epoch", "[timing]") {
    Observed const one = run_reduce({.profile = true, .interval = 64, .trace = true});
    for (Wanted const& wanted :
         {Wanted{.threads = 3, .profile = true, .interval = 64, .trace = true},
          Wanted{.threads = 2, .profile = true, .interval = 64, .trace = true, .divisor = 3}}) {
        Observed const other = run_reduce(wanted);
        CHECK(numbers(one.timing().profile) == numbers(other.timing().profile));
        CHECK(numbers(one.timing().intervals) == numbers(other.timing().intervals));
        CHECK(one.trace == other.trace);
    }
}

TEST_CASE("The trace has a line for each warp instruction, in the order of cycles", "[timing]") {
    Observed const run = run_reduce({.trace = true});
    std::uint64_t lines = 0, last = 0;
    bool in_order = true;
    for (std::string const& text : run.trace) {
        if (text.find(" -- warp") != std::string::npos) continue;
        ++lines;
        std::uint64_t cycle = 0;
        std::istringstream(text) >> cycle;
        in_order &= cycle >= last;
        last = cycle;
    }
    CHECK(lines == run.statistics.instructions.warp);
    CHECK(in_order);
    CHECK(last <= run.timing().cycles);
    CHECK(run.trace.front().find("sm 0 ") != std::string::npos);
    Observed const filtered = run_reduce({.trace = true, .filter = "cta=3,warp=1"});
    CHECK(!filtered.trace.empty());
    CHECK(filtered.trace.size() < run.trace.size() / 40);
    for (std::string const& text : filtered.trace) CHECK(text.find("warp 1 ") != std::string::npos);
}

TEST_CASE("Units, constants and requests of a run are counted", "[timing]") {
    Observed const run = run_reduce({});
    sim::TimingCounts const& t = run.timing();
    std::uint64_t micro_ops = 0;
    for (sim::TimingCounts::Unit const& u : t.units) {
        INFO(u.name);
        micro_ops += u.micro_ops;
        CHECK(u.busy_cycles >= u.micro_ops);
        CHECK(u.busy_cycles <= u.cycles);
    }
    CHECK(micro_ops == t.micro_ops);
    CHECK(t.units.size() ==
          timing::micro_units);  // also those that it has no use for: a table has the same columns for all kernels
    CHECK(std::any_of(t.units.begin(), t.units.end(), [](auto const& u) { return u.name == "lsu"; }));
    CHECK(t.tlb_hits + t.tlb_misses == 0);
    // Shares of the schedulers' cycles: what was issued and what was not.
    CHECK(t.occupied_slots <= t.active_cycles * t.sub_cores);
    CHECK(t.micro_ops <= t.occupied_slots);
}

}  // namespace observation_test
