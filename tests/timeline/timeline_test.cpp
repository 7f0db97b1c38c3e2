// The timeline of a run: that its tracks are well-formed, and that they say what the statistics say.
#include "runtime/device.hpp"
#include "runtime/timeline/timeline.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace timeline_test {

using namespace warpsim;
using nlohmann::json;

namespace {

struct Slice {
    std::uint64_t begin, length;
    std::string name, category;
    json args;
    std::uint64_t end() const { return begin + length; }
};
using Track = std::pair<int, int>;

std::uint64_t nanoseconds(json const& microseconds) {
    return static_cast<std::uint64_t>(std::llround(1000 * microseconds.get<double>()));
}

struct Read {
    json file;
    std::map<Track, std::vector<Slice>> tracks;
    std::map<std::string, std::size_t> marks;  // by the first word of their names

    explicit Read(std::string const& text) : file(json::parse(text)) {
        for (json const& e : file["traceEvents"]) {
            std::string const phase = e["ph"], name = e["name"];
            if (phase == "i") ++marks[name.substr(0, name.find(' '))];
            if (phase != "X") continue;
            tracks[{e["pid"], e["tid"]}].push_back(
                {nanoseconds(e["ts"]), nanoseconds(e["dur"]), name, e["cat"], e.value("args", json::object())});
        }
    }
    /// Slices of a track follow each other or lie in each other, and the outer one comes first.
    void check_nesting() const {
        for (auto const& [track, slices] : tracks) {
            std::vector<std::uint64_t> open;
            std::uint64_t last = 0;
            for (Slice const& slice : slices) {
                CHECK(slice.begin >= last);
                last = slice.begin;
                while (!open.empty() && open.back() <= slice.begin) open.pop_back();
                if (!open.empty()) CHECK(slice.end() <= open.back());
                open.push_back(slice.end());
            }
        }
    }
    template <class Each> void of_category(std::string const& category, Each const& each) const {
        for (auto const& [track, slices] : tracks)
            for (Slice const& slice : slices)
                if (slice.category == category) each(track, slice);
    }
};

timeline::Options options_of(std::uint32_t sms = 80) {
    timeline::Options options;
    options.config = "v100";
    options.clock_mhz = 1530;
    options.sms = 80;
    options.detailed_sms = sms;
    options.events = 5'000'000;
    return options;
}

struct Ran {
    std::string text;
    sim::LaunchStatistics statistics;
};

/// The reduction of tests/kernels: barriers, shared memory, divergence and an atomic.
Ran run_reduce(timeline::Options const& options, int threads = 1) {
    timeline::Timeline timeline(options);
    runtime::DeviceOptions device_options;
    device_options.mode = runtime::Mode::timing;
    device_options.threads = threads;
    device_options.interval_cycles = 200;
    timeline.observe(device_options);
    runtime::Device device(sim::load_config("v100"), device_options);
    auto const module = device.load_file(WARPSIM_SOURCE_DIR "/tests/kernels/reduce.ptx");
    std::vector<std::uint32_t> values(8000);
    std::iota(values.begin(), values.end(), 0u);
    auto const in = device.upload(values), out = device.upload(std::vector<std::uint32_t>(1));
    runtime::LaunchShape shape;
    shape.grid = {100, 1, 1};
    shape.block = {128, 1, 1};
    Ran ran;
    for (int i = 0; i < 2; ++i) {
        ran.statistics = device.launch(*module, "reduce", shape, runtime::Arguments::of(8000, in, out));
        timeline.counted(ran.statistics);
    }
    ran.text = timeline.text();
    // Launches are numbered over all tests of a process.
    return ran;
}

/// Without what differs from run to run of one process.
json events_of(std::string const& text) {
    json file = json::parse(text);
    for (json& e : file["traceEvents"])
        if (e.contains("args")) e["args"].erase("launch");
    return file["traceEvents"];
}

}  // namespace

TEST_CASE("A warp's slices in a timeline add up to its residence, and all of them to the statistics",
          "[timeline]") {
    Ran const ran = run_reduce(options_of());
    Read const read(ran.text);
    read.check_nesting();
    CHECK(read.file["otherData"]["complete"] == "yes");
    sim::TimingCounts const& t = *ran.statistics.timing;
    std::uint64_t begin = 0, residence = 0, issued = 0;
    std::vector<std::uint64_t> kernels;
    read.of_category("kernel", [&](Track, Slice const& s) {
        CHECK(s.name == "reduce");
        kernels.push_back(s.length);
        begin = s.begin;  // of the second
    });
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[1] == t.cycles);
    std::map<std::string, std::uint64_t> stalls;
    std::size_t ctas = 0;
    read.of_category("cta", [&](Track, Slice const& s) { ctas += s.begin >= begin; });
    CHECK(ctas == 100);
    read.of_category("warp", [&](Track track, Slice const& warp) {
        std::uint64_t sum = 0;
        for (Slice const& s : read.tracks.at(track)) {
            bool const is_inside = s.begin >= warp.begin && s.end() <= warp.end();
            if (is_inside && (s.category == "stall" || s.category == "issue")) sum += s.length;
        }
        CHECK(sum == warp.length);
        if (warp.begin >= begin) residence += warp.length;
    });
    read.of_category("stall", [&](Track, Slice const& s) {
        if (s.begin >= begin) stalls[s.name] += s.length;
    });
    read.of_category("issue", [&](Track, Slice const& s) { issued += s.begin >= begin; });
    CHECK(residence == t.resident_warp_cycles);
    CHECK(issued == t.micro_ops);
    for (std::size_t r = 0; r < sim::stall_reasons; ++r) {
        INFO(sim::stall_name(r));
        CHECK(stalls[std::string(sim::stall_name(r))] == t.stalls[r]);
    }
    CHECK(read.marks.contains("divergence"));
    CHECK(read.marks.contains("reconvergence"));
    CHECK(read.marks.contains("arrives"));
    CHECK(read.marks.contains("barrier"));  // ... releases
}

TEST_CASE("The counters of a timeline hold what was counted in their time", "[timeline]") {
    Ran const ran = run_reduce(options_of());
    sim::TimingCounts const& t = *ran.statistics.timing;
    Read const read(ran.text);
    std::uint64_t begin = 0;
    read.of_category("kernel", [&](Track, Slice const& s) { begin = s.begin; });
    double micro_ops = 0, last_value = 0;
    std::uint64_t last = 0;
    for (json const& e : read.file["traceEvents"]) {
        if (e["ph"] != "C" || e["name"] != "IPC of an SM" || nanoseconds(e["ts"]) < begin) continue;
        micro_ops += last_value * static_cast<double>(nanoseconds(e["ts"]) - last) * t.sms;
        last = nanoseconds(e["ts"]);
        last_value = e["args"]["value"];
    }
    CHECK(micro_ops == Approx(static_cast<double>(t.micro_ops)).epsilon(1e-4));
    CHECK(last == begin + t.cycles);
    CHECK(last_value == 0);
}

TEST_CASE("A timeline is the same for any number of host threads", "[timeline]") {
    CHECK(events_of(run_reduce(options_of(), 1).text) == events_of(run_reduce(options_of(), 2).text));
}

TEST_CASE("A timeline shows the warps of some SMs, and of all others their CTAs", "[timeline]") {
    Read const read(run_reduce(options_of(1)).text);
    read.check_nesting();
    std::map<int, std::size_t> warps, ctas;
    read.of_category("warp", [&](Track track, Slice const&) { ++warps[track.first]; });
    read.of_category("cta", [&](Track track, Slice const&) { ++ctas[track.first]; });
    CHECK(warps.size() == 1);
    CHECK(ctas.size() == 80);
}

TEST_CASE("A timeline that is full says so and stays well-formed", "[timeline]") {
    timeline::Options options = options_of(2);
    options.events = 2000;
    Ran const ran = run_reduce(options);
    Read const read(ran.text);
    read.check_nesting();
    CHECK(read.file["otherData"]["complete"] != "yes");
    CHECK(read.marks.contains("what"));  // follows is left out
    std::size_t count = 0;
    for (auto const& [track, slices] : read.tracks) count += slices.size();
    CHECK(count < 4000);
}

TEST_CASE("A fault ends what a timeline shows of its kernel", "[timeline]") {
    timeline::Timeline timeline(options_of());
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    timeline.observe(options);
    runtime::Device device(sim::load_config("v100"), options);
    auto const module =
        device.load_text("test.ptx", ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k() {\n"
                                     ".reg .b64 %a;\nmov.u64 %a, 64;\nst.global.u32 [%a], 1;\nret;\n}\n");
    runtime::LaunchShape shape;
    shape.grid = {4, 1, 1};
    shape.block = {64, 1, 1};
    CHECK_THROWS(device.launch(*module, "k", shape, {}));
    Read const read(timeline.text());
    read.check_nesting();
    std::size_t warps = 0, kernels = 0;
    read.of_category("warp", [&](Track, Slice const&) { ++warps; });
    read.of_category("kernel", [&](Track, Slice const& s) {
        ++kernels;
        CHECK(s.name == "k (faulted)");
    });
    CHECK(kernels == 1);
    CHECK(warps == 8);
}

TEST_CASE("A timeline of functional mode has kernels, in the host's time", "[timeline]") {
    timeline::Options options;
    options.config = "h100";
    timeline::Timeline timeline(options);
    runtime::DeviceOptions device_options;
    timeline.observe(device_options);
    runtime::Device device(sim::load_config("h100"), device_options);
    auto const module = device.load_text(
        "test.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n");
    timeline.counted(device.launch(*module, "k", {}, {}));
    timeline.device(0).work({.stream = 3}, "copy to the device", 4096, 1000, 5000);
    timeline.call(0, "cudaMemcpy", "1, 2", 0, 9000);
    Read const read(timeline.text());
    read.check_nesting();
    std::map<std::string, Slice> found;
    for (auto const& [track, slices] : read.tracks)
        for (Slice const& slice : slices) found.emplace(slice.category, slice);
    REQUIRE(found.size() == 3);
    CHECK(found.at("kernel").name == "k");
    CHECK(found.at("copy").begin == 1);
    CHECK(found.at("copy").length == 4);
    CHECK(found.at("copy").args["bytes"] == 4096);
    CHECK(found.at("call").name == "cudaMemcpy");
    CHECK(found.at("call").args["arguments"] == "1, 2");
}

}  // namespace timeline_test
