// What a run of a trace counts, in each version of the format, compressed, and with any number of host threads.
#include "runtime/replay/trace.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/error.hpp"
#include "tests/command/run_command.hpp"
#include "tests/replay/sample_trace.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>
#include <vector>

namespace {
namespace counts_test {

using namespace warpsim;
using namespace warpsim::replay;

constexpr auto of_load = static_cast<std::size_t>(isa::InstructionClass::load),
               of_barrier = static_cast<std::size_t>(isa::InstructionClass::barrier);

/// Two warps, of which the first has lanes that leave early.
SampleTrace sample(int version) {
    SampleTrace trace;
    trace.version = version;
    trace.grid = 3;
    trace.block = 64;
    std::string const imm = version >= 5 ? " 0" : "";
    trace.warps = {{at(0, "1 R1 IMAD.MOV.U32 2 R255 R255 0" + imm), at(1, "0 EXIT 0 0" + imm, "0000000f"),
                    at(2, "1 R4 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4" + imm, "fffffff0"),
                    at(3, "1 R6 LDG.E.64.SYS 1 R2 8 2 0x7f0000001000 256 256 0" + imm, "000000f0"),
                    at(4, "0 BAR.SYNC 0 0" + imm, "fffffff0"),
                    at(5, "1 R5 LDS.U 1 R5 4 0 0x0 0x4 0x8 0x80" + imm, "000000f0"),
                    at(6, "0 BRA 0 0" + imm, "00000000"), at(7, "0 EXIT 0 0" + imm, "fffffff0")},
                   {at(0, "1 R1 IMAD.MOV.U32 2 R255 R255 0" + imm), at(4, "0 BAR.SYNC 0 0" + imm),
                    at(7, "0 EXIT 0 0" + imm)}};
    return trace;
}

TEST_CASE("The counts of a trace are what it holds", "[replay]") {
    for (int version = 1; version <= newest_version; ++version) {
        INFO("version " << version);
        sim::LaunchStatistics const ran = sample(version).run(sim::load_config("v100"));
        CHECK(ran.kernel == "sample");
        CHECK(ran.instructions.warp == 3 * (8 + 3));
        // Lanes of the masks, and all that are left where the guard lets none pass.
        CHECK(ran.instructions.by_class[of_load] == 3 * 3);
        CHECK(ran.instructions.by_class[of_barrier] == 3 * 2);
        CHECK(ran.memory.global_requests == 3 * 2);
        // 28 words are 112 bytes of four sectors; four places in lines of their own, of which two are one.
        CHECK(ran.memory.global_sectors == 3 * (4 + 3));
        CHECK(ran.memory.shared_requests == 3);
        CHECK(ran.memory.shared_bank_conflicts == 3);  // 0x0 and 0x80
        CHECK(ran.timing->cycles == sample(4).run(sim::load_config("v100")).timing->cycles);
    }
}

TEST_CASE("A trace takes the same cycles with any number of host threads", "[replay]") {
    SampleTrace trace;
    trace.grid = 40;
    trace.block = 128;
    for (int w = 0; w < 4; ++w) {
        std::vector<std::string> lines;
        std::uint32_t random = 12345u + static_cast<unsigned>(w);
        for (int i = 0; i < 30; ++i) {
            std::string list;
            for (int lane = 0; lane < 32; ++lane) {
                random = random * 1664525u + 1013904223u;
                list += " " + std::to_string(random >> 12 << 2);
            }
            lines.push_back(at(1, "1 R4 LDG.E.SYS 1 R2 4 0" + list));
            lines.push_back(at(2, "0 ATOMG.E.ADD.STRONG.GPU 3 R6 R4 R4 4 0" + list));
            if (i % 8 == 7) lines.push_back(at(3, "0 BAR.SYNC 0 0"));
        }
        lines.push_back(leave);
        trace.warps.push_back(lines);
    }
    sim::Config const config = sim::load_config("v100");
    auto const text = [&](int threads) {
        sim::LaunchStatistics statistics = trace.run(config, threads);
        statistics.host_seconds = 0;
        return statistics::to_json(statistics);
    };
    std::string const one = text(1);
    CHECK(text(2) == one);
    CHECK(text(5) == one);
}

TEST_CASE("A list of traces runs from files compressed as the tracer does it", "[replay]") {
    test::TemporaryFolder const folder;
    struct Program {
        std::string ending, command;
    };
    std::string list = "MemcpyHtoD,0x00007f0000000000,4096\n";
    std::size_t kernels = 0;
    for (Program const& program :
         {Program{"", "cat"}, Program{".xz", "xz"}, Program{".gz", "gzip"}, Program{".zst", "zstd"}}) {
        std::string const name = "kernel-" + std::to_string(kernels + 1) + ".traceg" + program.ending;
        std::string const from = folder.write("text", sample(4).text());
        if (std::system((program.command + " < " + from + " > " + (folder / name) + " 2>/dev/null").c_str()) != 0)
            continue;  // not installed
        list += name + "\n";
        ++kernels;
    }
    REQUIRE(kernels >= 2);
    folder.write("kernelslist.g", list);
    test::Ended const ended = test::run_command(
        folder, "run ./kernelslist.g --config v100 --set launch.flush_caches=true --stats stats.json");
    INFO(ended.err);
    CHECK(ended.status == 0);
    nlohmann::json const launches = nlohmann::json::parse(folder.read("stats.json")).at("launches");
    REQUIRE(launches.size() == kernels);
    for (auto const& launch : launches)
        CHECK(launch.at("cycles") == sample(4).run(sim::load_config("v100")).timing->cycles);
}

TEST_CASE("A copy that an older tracer wrote twice is one", "[replay]") {
    // It has two places in memory: the first record has that in shared memory.
    SampleTrace trace;
    trace.version = 4;
    trace.binary_version = 80;
    trace.more = "-shmem base_addr = 0x00007f4000000000\n-local mem base_addr = 0x00007f4100000000\n";
    trace.warps = {{at(1, "0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f4000000100 16"),
                    at(1, "0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f0000000000 16"), at(2, "0 LDGDEPBAR 0 0"),
                    at(3, "0 DEPBAR.LE 0 0"), leave}};
    sim::LaunchStatistics const ran = trace.run(sim::load_config("a100"));
    CHECK(ran.memory.global_requests == 1);
    CHECK(ran.memory.global_sectors == 16);
}

TEST_CASE("A part of a large grid is enough", "[replay]") {
    SampleTrace trace;
    trace.warps = {{at(1, "1 R1 FFMA 3 R1 R2 R3 0"), leave}};
    std::string text = trace.text();
    text.replace(text.find("(1,1,1)"), 7, "(3000,2,1)");
    text.replace(text.find("thread block = 0,0,0"), 20, "thread block = 2999,1,0");
    test::TemporaryFolder const folder;
    folder.write("kernel-1.traceg", text);
    test::Ended const ended = test::run_command(folder, "run kernel-1.traceg --config v100 --stats stats.json");
    INFO(ended.err);
    CHECK(ended.status == 0);
    CHECK(test::contains(ended.err, "5999 CTAs of the grid are not in the trace; they end at once"));
    nlohmann::json const launch = nlohmann::json::parse(folder.read("stats.json")).at("launches").at(0);
    CHECK(launch.at("instructions").at("by_class").at("fp32") == 1);
}

TEST_CASE("A trace with a mistake in it runs, or is refused", "[replay]") {
    std::string const whole = sample(5).text();
    sim::Config const config = sim::load_config("teaching");
    test::TemporaryFolder const folder;
    std::uint32_t random = 1;
    int ran = 0, refused = 0;
    for (int i = 0; i < 150; ++i) {
        std::string text = whole;
        auto const next = [&](std::size_t below) {
            return (random = random * 1664525u + 1013904223u) / 7u % below;
        };
        for (int k = 0; k < 2; ++k) text[next(text.size())] = "0123456789abcdefR ,\n-"[next(21)];
        ReplayOptions options;
        options.device.threads = 1;
        try {
            warpsim::replay::replay(folder.write("kernel-1.traceg", text), config, options);
            ++ran;
        } catch (Error const&) {
            ++refused;
        }
    }
    CHECK(ran > 10);
    CHECK(refused > 10);
}

TEST_CASE("What the trace of a barrier leaves open is told with its place", "[replay]") {
    SampleTrace trace;
    trace.version = 5;
    trace.block = 64;
    auto const message = [&](std::string const& barrier) -> std::string {
        trace.warps = {{at(1, barrier), leave}, {at(1, barrier), leave}};
        try {
            trace.run(sim::load_config("v100"));
        } catch (Error const& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message("0 BAR.SYNC 0 0 1").empty());
    CHECK(message("0 BAR.SYNC 0 0 64").empty());  // all threads
    CHECK(message("0 BAR.SYNC 1 R4 0 0").empty());
    std::string const part = message("0 BAR.SYNC 0 0 32");
    CHECK(test::contains(part, "it is for 32 threads"));
    CHECK(test::contains(part, "kernel-1.traceg:22:17: error"));
    CHECK(test::contains(message("0 BAR.SYNC 2 R4 R5 0 0"), "a register says"));
    CHECK(test::contains(message("0 BAR.ARV 0 0 64"), "BAR.ARV is not timed"));
}

}  // namespace counts_test
}  // namespace
