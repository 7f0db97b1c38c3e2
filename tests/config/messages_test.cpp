#include "sim/config/config.hpp"
#include "sim/error.hpp"
#include "tests/config/minimal_config.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>

namespace messages_test {

using namespace warpsim;
using namespace warpsim::sim;
using test::minimal_config;
using test::TemporaryFolder;

namespace {

using Texts = std::vector<std::string>;

/// What load_config() complains about; empty: nothing.
std::string complaint(std::string const& name, Texts const& overrides = {}) {
    try {
        load_config(name, overrides);
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::config);
        return error.what();
    }
    return "";
}

/// The same for a file of this text; the file's folder is left out of the message.
std::string complaint_about(std::string const& text) {
    TemporaryFolder const folder;
    std::string message = complaint(folder.write("gpu.json", text));
    std::string const where = folder / "";
    for (std::size_t at = message.find(where); at != std::string::npos; at = message.find(where)) {
        message.erase(at, where.size());
    }
    return message;
}

std::string set(std::string const& override_text) { return complaint("a100", {override_text}); }

std::string with(std::string const& what, std::string const& instead) {
    std::string text = minimal_config;
    std::size_t const at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), instead);
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("An unknown key is named with its path and the nearest known one") {
    CHECK(complaint_about(with("\"max_warps\"", "\"max_warp\"")) ==
          "gpu.json: sm.max_warp: unknown key; did you mean 'max_warps'?");
    CHECK(complaint_about(R"({"base": "a100", "smm": {}})") == "gpu.json: smm: unknown key; did you mean 'sm'?");
    CHECK(complaint_about(R"({"base": "a100", "temperature": 1})") == "gpu.json: temperature: unknown key");
}

TEST_CASE("A value of the wrong type says which is wanted") {
    CHECK(complaint_about(R"({"base": "a100", "sm": {"count": "many"}})") ==
          "gpu.json: sm.count: must be an integer, not a string");
    CHECK(complaint_about(R"({"base": "a100", "sm": {"count": 1.5}})") ==
          "gpu.json: sm.count: must be an integer, not 1.5");
    CHECK(complaint_about(R"({"base": "a100", "sm": {"count": null}})") ==
          "gpu.json: sm.count: must be an integer, not null");
    CHECK(complaint_about(R"({"base": "a100", "sm": 3})") == "gpu.json: sm: must be an object, not a number");
    CHECK(complaint_about(R"({"base": "a100", "sm": {"tlb": {"enabled": 1}}})") ==
          "gpu.json: sm.tlb.enabled: must be a boolean, not a number");
    CHECK(complaint_about(R"({"base": 7})") == "gpu.json: base: must be a string, not a number");
    CHECK(complaint_about("[]") == "gpu.json: must be an object, not an array");
    CHECK(complaint_about(R"({"base": "a100", "sources": {"sm": 1}})") ==
          "gpu.json: sources.sm: must be a string, not a number");
}

TEST_CASE("A number out of range says which limit it breaks") {
    CHECK(complaint_about(with("\"count\": 3", "\"count\": 0")) == "gpu.json: sm.count: must be at least 1");
    CHECK(complaint_about(with("\"count\": 3", "\"count\": -1")) == "gpu.json: sm.count: must be at least 1");
    CHECK(complaint_about(with("\"count\": 3", "\"count\": 5000")) == "gpu.json: sm.count: must be at most 4096");
    for (char const* huge : {"4294967299", "18446744073709551619", "1e300", "99999999999999999999999"}) {
        CAPTURE(huge);
        CHECK(complaint_about(with("\"count\": 3", std::string("\"count\": ") + huge)) ==
              "gpu.json: sm.count: must be at most 4096");
    }
    CHECK(complaint_about(with("\"count\": 3", "\"count\": -1e300")) == "gpu.json: sm.count: must be at least 1");
}

TEST_CASE("Figures of energy are numbers with fractions, and must fit together") {
    CHECK(load_config("a100", Texts{"energy.l2_sector_pj=12.5"}).energy->l2_sector_pj == 12.5);
    CHECK(load_config("a100", Texts{"energy.lane_pj.alu=3"}).energy->lane_pj.alu == 3);
    CHECK(complaint_about(R"({"base": "a100", "energy": {"l2_sector_pj": "much"}})") ==
          "gpu.json: energy.l2_sector_pj: must be a number, not a string");
    CHECK(complaint_about(R"({"base": "a100", "energy": {"lane_pj": {"fma": -0.5}}})") ==
          "gpu.json: energy.lane_pj.fma: must be at least 0");
    CHECK(complaint_about(R"({"base": "a100", "energy": {"constant_w": 1e9}})") ==
          "gpu.json: energy.constant_w: must be at most 10000");
    CHECK(complaint_about(R"({"base": "a100", "energy": {"l2_sectors_pj": 1}})") ==
          "gpu.json: energy.l2_sectors_pj: unknown key; did you mean 'l2_sector_pj'?");
    CHECK(complaint_about(R"({"base": "teaching", "energy": {"constant_w": 5}})") ==
          "gpu.json: energy.source: missing\ngpu.json: energy.reference_clock_mhz: missing");
    CHECK(set("energy.voltage_percents=[10]") ==
          "a100.json with --set energy.voltage_percents=[10]: energy.voltage_percents: must have as many elements "
          "as voltage_clocks_mhz = 2");
    CHECK(set("energy.voltage_percents=[50,90]") ==
          "a100.json with --set energy.voltage_percents=[50,90]: energy.voltage_percents: must be 100 at "
          "reference_clock_mhz = 1410");
    CHECK(contains(set("energy.voltage_clocks_mhz=[2820,141]"), "must be ascending"));
}

TEST_CASE("A word that is no choice is answered with the choices") {
    CHECK(
        set("sm.schedulers.policy=gtp") ==
        "--set sm.schedulers.policy=gtp: must be one of 'cggty', 'gto', 'lrr', 'two_level'; did you mean 'gto'?");
    CHECK(contains(set("compute_capability=9.5"), "must be one of '5.0'"));
}

TEST_CASE("Arrays have the wanted number of elements, each in range") {
    CHECK(complaint_about(R"({"base": "a100", "limits": {"max_grid_size": [1, 2]}})") ==
          "gpu.json: limits.max_grid_size: must have 3 elements, not 2");
    CHECK(complaint_about(R"({"base": "a100", "limits": {"max_grid_size": [1, 2, 0]}})") ==
          "gpu.json: limits.max_grid_size[2]: must be at least 1");
    CHECK(complaint_about(R"({"base": "a100", "sm": {"shared": {"carve_outs_kib": []}}})") ==
          "gpu.json: sm.shared.carve_outs_kib: must have 1 to 32 elements, not 0");
}

TEST_CASE("Required keys are named where they are missing") {
    CHECK(complaint_about(with("\"count\": 3, ", "")) == "gpu.json: sm.count: missing");
    CHECK(complaint_about("{}") ==
          "gpu.json: compute_capability: missing\ngpu.json: clock_mhz: missing\ngpu.json: sm: missing\n"
          "gpu.json: memory: missing\ngpu.json: l2: missing\ngpu.json: dram: missing");
    CHECK(contains(complaint_about(with("\"size_kib\": 1024", "\"size_kib\": 1024, \"slices\": {\"count\": 4}")),
                   "gpu.json: l2.slices.clock_mhz: missing"));
}

TEST_CASE("Several problems are reported at once, each where it stands") {
    TemporaryFolder const folder;
    std::string const base = folder.write("base.json", with("\"count\": 3", "\"cout\": 3"));
    std::string const top =
        folder.write("top.json", R"({"base": "base.json", "clock_mhz": 0, "l2": {"size": 1}})");
    CHECK(complaint(top, {"sm.sub_cores=0", "nonsense"}) ==
          top + ": clock_mhz: must be at least 1\n" + top + ": l2.size: unknown key; did you mean 'size_kib'?\n" +
              base + ": sm.cout: unknown key; did you mean 'count'?\n" +
              "--set sm.sub_cores=0: must be at least 1\n--set nonsense: must be KEY=VALUE");
}

TEST_CASE("An override that is wrong is named as it was given") {
    CHECK(set("sm.count=0") == "--set sm.count=0: must be at least 1");
    CHECK(set("sm.cuont=1") == "--set sm.cuont=1: unknown key; did you mean 'count'?");
    CHECK(set("sm.count=many") == "--set sm.count=many: must be an integer, not a string");
    CHECK(set("sm=1") == "--set sm=1: must be an object, not a number");
    CHECK(set("sm={\"count\": 0}") == "--set sm={\"count\": 0}: sm.count: must be at least 1");
    CHECK(set("sm.count.x=1") == "--set sm.count.x=1: sm.count: must be an integer, not an object");
    CHECK(set("=1") == "--set =1: must be KEY=VALUE");
    CHECK(set("sm..count=1") == "--set sm..count=1: 'sm..count' is not a path of keys");
    CHECK(set("base=v100") == "--set base=v100: base cannot be set; choose the configuration instead");
    CHECK(contains(set(std::string(100000, '.') + "=1"), "is not a path of keys"));
    CHECK(contains(set("sm.count=" + std::string(100000, '[')), "must be an integer"));
}

TEST_CASE("A syntax error has its line and column") {
    CHECK(contains(complaint_about("{\n  \"sm\": {,}\n}"), "gpu.json:2:10: syntax error"));
    CHECK(contains(complaint_about("{\"sm\": "), "gpu.json:1:8: syntax error"));
    CHECK(contains(complaint_about(""), "gpu.json:1:1: syntax error"));
    CHECK(contains(complaint_about("{\"clock_mhz\": 1e999}"), "gpu.json: number overflow"));
    CHECK_FALSE(contains(complaint_about("{"), "json.exception"));
}

TEST_CASE("A key that is given twice is an error") {
    CHECK(complaint_about(R"({"base": "a100", "sm": {"count": 1, "count": 2}})") ==
          "gpu.json: sm.count: given twice");
}

TEST_CASE("Deeply nested input is refused like any other") {
    CHECK(complaint_about(std::string(200000, '[') + std::string(200000, ']')) ==
          "gpu.json: must be an object, not an array");
    std::string deep;
    for (int i = 0; i < 100000; ++i) {
        deep += "{\"sm\":";
    }
    CHECK(complaint_about(deep + "1" + std::string(100000, '}')) == "gpu.json: sm.sm: unknown key");
}

TEST_CASE("A name that is neither built in nor a file proposes the nearest") {
    CHECK(contains(complaint("h10"), "no configuration 'h10': neither built in nor a file; did you mean 'h100'?"));
    CHECK(contains(complaint("h10"), "built in: h100, a100"));
    CHECK(contains(complaint("schema"), "no configuration 'schema'"));
    CHECK(contains(complaint(""), "no configuration ''"));
    CHECK(complaint("/nowhere/gpu.json") == "/nowhere/gpu.json: cannot be opened");
    TemporaryFolder const folder;
    CHECK(complaint(folder / "") == (folder / "") + ": is a directory");
    CHECK(contains(complaint("/dev/zero"), "too large for a configuration"));
}

TEST_CASE("A base that cannot be found is named with the file that wants it") {
    CHECK(contains(complaint_about(R"({"base": "a10"})"), "gpu.json: base: no configuration 'a10'"));
    CHECK(complaint_about(R"({"base": "other.json"})") == "gpu.json: base: other.json: cannot be opened");
}

TEST_CASE("A configuration that inherits from itself is an error") {
    TemporaryFolder const folder;
    std::string const a = folder.write("a.json", R"({"base": "b.json"})");
    std::string const b = folder.write("b.json", R"({"base": "./a.json"})");
    CHECK(contains(complaint(a), a + ": base: inherits from itself: " + a + " -> " + b + " -> "));
    std::string const own = folder.write("own.json", R"({"base": "own.json"})");
    CHECK(contains(complaint(own), "inherits from itself"));
}

TEST_CASE("Figures must fit one another") {
    auto const refused = [](Texts const& overrides, std::string const& message) {
        std::string label = "h100.json with";
        for (std::string const& text : overrides) {
            label += " --set " + text;
        }
        std::string const got = complaint("h100", overrides);
        INFO(got);
        CHECK(contains("\n" + got + "\n", "\n" + label + ": " + message + "\n"));
    };
    refused({"sm.max_warps=48"}, "sm.max_threads: must be 32 * max_warps = 1536, not 2048");
    refused({"sm.max_warps=63", "sm.max_threads=2016"}, "sm.max_warps: must be a multiple of sub_cores = 4");
    refused({"sm.registers=65537"}, "sm.registers: must be a multiple of sub_cores = 4");
    refused({"sm.max_ctas=65"}, "sm.max_ctas: must be at most max_warps = 64: a CTA has a warp at least");
    refused({"sm.shared.cta_opt_in_kib=228"},
            "sm.shared.cta_opt_in_kib: with cta_reserved_bytes it must fit in size_kib = 228");
    refused({"sm.shared.cta_opt_in_kib=40"}, "sm.shared.cta_default_kib: must be at most cta_opt_in_kib = 40");
    refused({"sm.shared.carve_outs_kib=[8, 8, 228]"}, "sm.shared.carve_outs_kib: must be ascending");
    refused({"sm.shared.carve_outs_kib=[8]"}, "sm.shared.carve_outs_kib: must end with size_kib = 228");
    refused({"sm.shared.allocation_unit_bytes=100"}, "sm.shared.allocation_unit_bytes: must be a power of two");
    refused({"sm.max_warps=16", "sm.max_threads=512", "sm.max_ctas=16"},
            "limits.max_threads_per_cta: must be at most sm.max_threads = 512");
    refused({"limits.max_threads_per_cta=512"}, "limits.max_cta_size: must be at most max_threads_per_cta = 512");
    refused({"sm.registers=32768"}, "limits.max_registers_per_cta: must be at most sm.registers = 32768");
    refused({"limits.max_cluster_size=16", "limits.max_cluster_size_non_portable=8"},
            "limits.max_cluster_size: must be at most max_cluster_size_non_portable = 8");
    refused({"compute_capability=8.0"},
            "limits.max_cluster_size_non_portable: must be 1: compute capabilities below 9.0 have no clusters");
    refused({"limits.local_bytes_per_thread=1024"},
            "limits.stack_bytes_per_thread: must be at most local_bytes_per_thread = 1024");
    refused({"sm.matrix.tf32.group=12"}, "sm.matrix.tf32.group: must be a power of two");
    refused({"sm.l1.size_kib=128", "sm.shared.size_kib=228"},
            "sm.l1.size_kib: must be at least sm.shared.size_kib = 228, which is carved out of it; "
            "sm.l1.cache_kib is a "
            "smaller cache beside the same shared memory");
    refused({"sm.l1.ways=3"}, "sm.l1.ways: size_kib must be a whole number of sets of ways * line_bytes");
    refused({"sm.l1.sector_bytes=48"},
            "sm.l1.line_bytes: line_bytes and sector_bytes must be powers of two, a sector no longer than a line");
    refused({"l2.slices.ways=7"}, "l2.slices.ways: l2.size_kib must be a whole number of sets of ways * "
                                  "line_bytes: 51198 or 51205, as it is 51200");
    refused({"l2.size_kib=150"}, "l2.size_kib: must be at least 200: each slice has a set of ways * line_bytes");
    refused(
        {"dram.channels.command_interval_cycles=3"},
        "dram.channels.command_interval_cycles: must be at least 4: the bus is busy that long with access_bytes");
    refused({"dram.channels.count=60"},
            "dram.channels.count: each channel must have a whole number of bytes of bus_width_bits");
    refused({"dram.channels.write_high_watermark=65"},
            "dram.channels.write_high_watermark: must be at most write_queue_entries = 64");
    refused({"dram.channels.write_low_watermark=57"},
            "dram.channels.write_low_watermark: must be at most write_high_watermark = 56");
    refused({"interconnect.sm_to_sm_latency_cycles=7"},
            "interconnect.sm_to_sm_latency_cycles: must be at least 8 in a GPU with clusters");
}

TEST_CASE("Shared memory is never larger than the L1 that it is carved out of, on every configuration") {
    for (ConfigSummary const& summary : builtin_configs()) {
        CAPTURE(summary.name);
        Config const config = load_config(summary.name);
        if (!config.sm.l1) continue;
        std::uint32_t const kib = config.sm.shared.size_kib > 64 ? 64 : config.sm.shared.size_kib / 2;
        Config const smaller = load_config(summary.name, Texts{"sm.l1.size_kib=" + std::to_string(kib)});
        SharedConfig const& shared = smaller.sm.shared;
        CHECK(smaller.sm.l1->size_kib == kib);
        CHECK(shared.size_kib == kib);
        CHECK(shared.carve_outs_kib.back() == kib);
        CHECK(shared.allocated_bytes(shared.cta_opt_in_bytes()) <= shared.size_bytes());
        std::string const shown = show_config(summary.name, Texts{"sm.l1.size_kib=" + std::to_string(kib)});
        CHECK(shown.find(R"("sm.shared.size_kib": "follows sm.l1.size_kib")") != std::string::npos);
        // What is still large enough stays.
        Config const larger =
            load_config(summary.name, Texts{"sm.l1.size_kib=" + std::to_string(2 * config.sm.l1->size_kib)});
        CHECK(larger.sm.shared.carve_outs_kib == config.sm.shared.carve_outs_kib);
        CHECK(larger.sm.shared.cta_opt_in_kib == config.sm.shared.cta_opt_in_kib);
    }
}

}  // namespace messages_test
