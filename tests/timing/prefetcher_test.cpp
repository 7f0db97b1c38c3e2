// Lines are fetched before a load asks for them, and a stream of loads is faster with that.
#include "runtime/device.hpp"
#include "sim/timing/memory/components.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace prefetcher_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

struct Outcome {
    std::uint64_t cycles, missed_sectors;
    sim::PrefetchCounts prefetch;
    std::vector<std::uint32_t> result;
};

/// One warp adds up 64 lines in order, `distance` lines from each other; the next is loaded when the last has arrived.
Outcome stream(std::string const& prefetcher, std::uint32_t distance = 1, std::uint32_t lines = 1) {
    std::string const body =
        R"(
mul.wide.u32 %d0, %s, 4; add.u64 %d0, %in, %d0; mov.u32 %r0, 0; mov.u32 %r1, 0;
again: .pragma "nounroll"; ld.global.u32 %r2, [%d0]; add.u32 %r0, %r0, %r2; shr.u32 %r3, %r2, 31; cvt.u64.u32 %d1, %r3; add.u64 %d0, %d0, %d1;
add.u64 %d0, %d0, )" +
        std::to_string(distance * 128) +
        R"(; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 64; @%p0 bra again; st.global.u32 [%o4], %r0;
)";
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    runtime::Device device(
        sim::load_config("v100", std::vector<std::string>{"sm.l1.prefetcher=" + prefetcher,
                                                          "sm.l1.prefetch_lines=" + std::to_string(lines)}),
        options);
    auto const module = device.load_text("k.ptx", test::kernel(body));
    std::vector<std::uint32_t> values(std::size_t{64} * 32 * distance);
    std::iota(values.begin(), values.end(), 0u);
    auto const in = device.upload(values), out = device.allocate(32 * 4);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    auto const launch = device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
    auto const& l1 = launch.timing->l1;
    return {launch.timing->cycles, l1.load_sectors - l1.sector_hits, l1.prefetch,
            device.download<std::uint32_t>(out, 32)};
}

}  // namespace

TEST_CASE("The prefetcher of the next line wants those behind a line that was missing", "[timing]") {
    plugin::PrefetcherSettings settings;
    settings.lines = 2;
    auto const prefetcher = memory_components().make_prefetcher("next_line", settings);
    std::vector<std::uint64_t> wanted;
    prefetcher->loaded({.line = 7, .was_there = true}, wanted);
    CHECK(wanted.empty());
    prefetcher->loaded({.line = 7}, wanted);
    CHECK(wanted == std::vector<std::uint64_t>{8, 9});
    CHECK(memory_components().make_prefetcher("none", {}) == nullptr);
}

TEST_CASE("The stride prefetcher follows an instruction of a warp once it has moved twice alike", "[timing]") {
    auto const prefetcher = memory_components().make_prefetcher("stride", {});
    auto const wants = [&](std::uint64_t line, std::uint32_t warp, std::uint64_t instruction,
                           bool is_first = true) {
        std::vector<std::uint64_t> wanted;
        prefetcher->loaded({.line = line, .is_first = is_first, .warp = warp, .instruction = instruction}, wanted);
        return wanted;
    };
    using Lines = std::vector<std::uint64_t>;
    CHECK(wants(100, 1, 5).empty());
    CHECK(wants(98, 1, 5).empty());
    CHECK(wants(7, 2, 5).empty());  // another warp
    CHECK(wants(96, 1, 5) == Lines{94});
    CHECK(wants(40, 1, 5, false) == Lines{38});  // another line of the same access
    CHECK(wants(96, 1, 5) == Lines{94});         // it stays in its line
    CHECK(wants(90, 1, 5).empty());              // another distance
    CHECK(wants(84, 1, 5) == Lines{78});
}

TEST_CASE("What is prefetched is counted by what becomes of it", "[timing]") {
    // Lines that nobody wants.
    Outcome const next = stream("next_line", 3);
    CHECK(next.prefetch.issued == 64);
    CHECK(next.prefetch.used() == 0);
    CHECK(next.prefetch.missed == 64);
    CHECK(next.missed_sectors == 64 * 4);
    // The load has to come thrice before its distance is known.
    Outcome const stride = stream("stride", 3);
    CHECK(stride.prefetch.used() >= 60);
    CHECK(stride.prefetch.used() + stride.prefetch.missed == 64);
    CHECK(stride.prefetch.issued >= stride.prefetch.used());
    CHECK(stride.missed_sectors == stride.prefetch.missed * 4);
    CHECK(stride.result == next.result);
    CHECK(stride.cycles < next.cycles);
    // One line ahead is fetched for every other line at least, three ahead for three of four.
    Outcome const one = stream("next_line"), three = stream("next_line", 1, 3);
    CHECK(one.prefetch.used() >= 32);
    CHECK(one.prefetch.used() + one.prefetch.missed == 64);
    CHECK(three.prefetch.used() >= 48);
    CHECK(three.prefetch.used() + three.prefetch.missed == 64);
    CHECK(three.prefetch.useful > one.prefetch.useful);
    CHECK(stream("none").prefetch == sim::PrefetchCounts{});
}

TEST_CASE("A stream of loads takes fewer cycles when the next line is fetched, and sums up the same", "[timing]") {
    Outcome const without = stream("none"), with = stream("next_line");
    CHECK(with.result == without.result);
    CHECK(without.result[1] == 64u * 63 / 2 * 32 + 64);
    CHECK(without.missed_sectors == 64 * 4);
    // At least every other line was in flight or present.
    CHECK(with.missed_sectors <= 32 * 4);
    CHECK(with.cycles < without.cycles * 4 / 5);
}

}  // namespace prefetcher_test
