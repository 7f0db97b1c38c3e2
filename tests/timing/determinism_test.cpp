#include "runtime/device.hpp"
#include "runtime/statistics/statistics.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace determinism_test {

using namespace warpsim;

namespace {

/// What a kernel left behind: the bytes of its output, and all its statistics as text.
struct Outcome {
    std::vector<std::uint32_t> bytes;
    std::string statistics;
    bool operator==(Outcome const&) const = default;
};

/// One device with one module of tests/kernels, and the launches made on it.
class Bench {
public:
    Bench(std::string const& file, std::string const& config, runtime::DeviceOptions const& options,
          std::vector<std::string> const& overrides = {})
        : device_(sim::load_config(config, overrides), options),
          module_(device_.load_file(WARPSIM_SOURCE_DIR "/tests/kernels/" + file + ".ptx")) {}

    runtime::DevicePointer words(std::size_t n, std::uint32_t factor = 0) {
        std::vector<std::uint32_t> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i) * factor;
        return device_.upload(values);
    }
    runtime::DevicePointer floats(std::size_t n) {
        std::vector<float> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * 37 % 101) - 50.0f;
        return device_.upload(values);
    }
    template <class... T>
    void launch(std::string const& kernel, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                std::uint32_t shared, T const&... arguments) {
        runtime::LaunchShape shape;
        shape.grid = grid;
        shape.block = block;
        shape.dynamic_shared = shared;
        sim::LaunchStatistics statistics =
            device_.launch(*module_, kernel, shape, runtime::Arguments::of(arguments...));
        statistics.host_seconds = 0;
        outcome_.statistics += statistics::to_json(statistics) + "\n";
    }
    Outcome take(runtime::DevicePointer out, std::size_t n) {
        outcome_.bytes = device_.download<std::uint32_t>(out, n);
        return outcome_;
    }

private:
    runtime::Device device_;
    std::shared_ptr<runtime::Module> module_;
    Outcome outcome_;
};

struct Program {
    std::string file;
    std::function<Outcome(Bench&)> run;
};

/// Streams, tiles, barriers, divergence, shuffles, atomics, calls: ten kernels.
std::vector<Program> programs() {
    return {
        {"saxpy",
         [](Bench& b) {
             auto const y = b.floats(20000);
             b.launch("saxpy", {79, 1, 1}, {256, 1, 1}, 0, 20000, 2.0f, b.floats(20000), y);
             return b.take(y, 20000);
         }},
        {"reduce",
         [](Bench& b) {
             auto const sum = b.words(1);
             b.launch("reduce", {64, 1, 1}, {256, 1, 1}, 0, 50000, b.words(50000, 2654435761u), sum);
             return b.take(sum, 1);
         }},
        {"matmul",
         [](Bench& b) {
             auto const c = b.words(48 * 48);
             b.launch("matmul", {3, 3, 1}, {16, 16, 1}, 0, 48, b.floats(48 * 48), b.floats(48 * 48), c);
             return b.take(c, 48 * 48);
         }},
        {"mandelbrot",
         [](Bench& b) {
             auto const out = b.words(64 * 64);
             b.launch("mandelbrot", {4, 4, 1}, {16, 16, 1}, 0, out, 64, 64, -2.0f, -1.0f, 3.0f / 64, 2.0f / 64,
                      100);
             return b.take(out, 64 * 64);
         }},
        {"histogram",
         [](Bench& b) {
             auto const bins = b.words(256);
             b.launch("histogram", {24, 1, 1}, {128, 1, 1}, 0, 40000, b.words(10000, 2654435761u), bins);
             return b.take(bins, 256);
         }},
        {"bitonic",
         [](Bench& b) {
             auto const keys = b.words(2048, 2654435761u);
             b.launch("bitonic_shared", {8, 1, 1}, {128, 1, 1}, 1024, keys, 2u, 256u);
             b.launch("bitonic_global", {8, 1, 1}, {128, 1, 1}, 0, keys, 512u, 256u);
             b.launch("bitonic_shared", {8, 1, 1}, {128, 1, 1}, 1024, keys, 512u, 512u);
             return b.take(keys, 2048);
         }},
        {"transpose",
         [](Bench& b) {
             auto const out = b.words(96 * 160);
             b.launch("transpose", {3, 5, 1}, {32, 8, 1}, 0, 96, 160, b.floats(96 * 160), out);
             return b.take(out, 96 * 160);
         }},
        {"stencil_shared",
         [](Bench& b) {
             auto const out = b.words(4096);
             b.launch("stencil_shared", {16, 1, 1}, {256, 1, 1}, 0, b.words(4096, 40503), out, 9);
             return b.take(out, 4096);
         }},
        {"warp_reduction",
         [](Bench& b) {
             auto const sums = b.words(256);
             b.launch("warp_reduction", {32, 1, 1}, {256, 1, 1}, 0, 3, b.floats(8192), sums);
             return b.take(sums, 256);
         }},
        {"recursion",
         [](Bench& b) {
             auto const out = b.words(1024);
             b.launch("recursion", {8, 1, 1}, {128, 1, 1}, 0, 5u, out);
             return b.take(out, 1024);
         }},
    };
}

struct Variation {
    int threads = 1;
    std::uint64_t permutation_seed = 0;
    std::uint32_t epoch_divisor = 1;
};

Outcome run(Program const& program, Variation const& variation, std::string const& config = "v100",
            std::vector<std::string> const& overrides = {}) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = variation.threads;
    options.timing_permutation_seed = variation.permutation_seed;
    options.timing_epoch_divisor = variation.epoch_divisor;
    Bench bench(program.file, config, options, overrides);
    return program.run(bench);
}

/// With each variation, every program gives what it gives on one thread.
void nothing_changes(std::vector<Variation> const& variations, std::string const& config = "v100",
                     std::vector<std::string> const& overrides = {}) {
    for (Program const& program : programs()) {
        Outcome const want = run(program, {}, config, overrides);
        for (Variation const& v : variations) {
            INFO(program.file << ", threads " << v.threads << ", seed " << v.permutation_seed << ", divisor "
                              << v.epoch_divisor);
            Outcome const got = run(program, v, config, overrides);
            CHECK(got.bytes == want.bytes);
            CHECK(got.statistics == want.statistics);
        }
    }
}

}  // namespace

TEST_CASE("Timing mode computes what functional mode does", "[timing]") {
    for (Program const& program : programs()) {
        runtime::DeviceOptions options;
        options.threads = 1;
        for (char const* const config : {"v100", "teaching"}) {
            INFO(program.file << " on " << config);
            Bench functional(program.file, config, options);
            Outcome const want = program.run(functional);
            Outcome const got = run(program, {}, config);
            CHECK(got.bytes == want.bytes);
            CHECK(std::accumulate(got.bytes.begin(), got.bytes.end(), 0u) != 0);
        }
    }
}

TEST_CASE("Any number of host threads gives the same cycles, bytes and statistics", "[timing]") {
    nothing_changes({{2}, {4}, {7}});
}

TEST_CASE("The order in which SMs and partitions run makes no difference", "[timing]") {
    nothing_changes({{1, 12345}, {3, 99}});
}

TEST_CASE("Shorter epochs change no cycle", "[timing]") { nothing_changes({{1, 0, 2}, {2, 7, 3}}); }

TEST_CASE("Where L2 is small and its slices wait for DRAM, or clocks differ, nothing changes either", "[timing]") {
    nothing_changes({{2}, {1, 0, 2}, {2, 7, 3}}, "teaching");
    nothing_changes({{2, 5}, {1, 0, 2}}, "h100");
}

TEST_CASE("With links, shared TLBs, code in L2 and bank groups, nothing changes either", "[timing]") {
    std::vector<std::string> const deep{"sm.tlb.enabled=true",
                                        "sm.tlb.entries=2",
                                        "sm.tlb.page_kib=4",
                                        "sm.tlb.miss_latency_cycles=60",
                                        "mmu.entries=8",
                                        "mmu.ways=2",
                                        "mmu.walkers=1",
                                        "mmu.walk_cycles=150",
                                        "sm.front_end.fetch_from_l2=true",
                                        "sm.dependences.counters=2",
                                        "dram.channels.bank_groups=4",
                                        "dram.channels.same_group_cycles=9",
                                        "dram.channels.four_activates_cycles=40",
                                        "interconnect.link_bytes_per_cycle=8",
                                        "interconnect.hop_cycles=3"};
    for (char const* const topology : {"mesh", "ring", "gpcs"}) {
        INFO(topology);
        std::vector<std::string> overrides = deep;
        overrides.push_back(std::string("interconnect.topology=") + topology);
        nothing_changes({{2}, {1, 0, 2}, {2, 7, 3}}, "teaching", overrides);
    }
}

}  // namespace determinism_test
