#include "sim/config/config.hpp"
#include "sim/config/resolve.hpp"
#include "sim/error.hpp"
#include "tests/config/minimal_config.hpp"
#include "tests/support/catch.hpp"

#include "configs/embedded_configs.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace builtin_test {

using namespace warpsim;
using namespace warpsim::sim;

namespace {

/// Paths of the numbers and arrays that no source covers, itself or through an object around it.
void unsourced(Json const& value, std::string const& path, Json const& sources, std::vector<std::string>& found) {
    if (sources.contains(path)) {
        return;
    }
    if (value.is_object()) {
        for (auto const& [key, member] : value.items()) {
            if (key != "sources") {
                unsourced(member, path.empty() ? key : path + "." + key, sources, found);
            }
        }
    } else if (!value.is_string()) {
        found.push_back(path);
    }
}

bool leads_somewhere(Json const& document, std::string const& path) {
    std::string pointer = "/" + path;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    return document.contains(Json::json_pointer(pointer));
}

}  // namespace

TEST_CASE("Every built-in configuration is valid") {
    auto const list = builtin_configs();
    REQUIRE(list.size() >= 9);
    for (ConfigSummary const& summary : list) {
        CAPTURE(summary.name);
        CHECK_NOTHROW(validate_config(summary.name));
        CHECK_FALSE(summary.description.empty());
    }
}

TEST_CASE("The list of built-in configurations begins with the default and has no schema in it") {
    auto const list = builtin_configs();
    CHECK(list.front().name == default_config_name);
    CHECK(list.front().compute_capability == ComputeCapability{9, 0});
    CHECK(list.front().sms == 132);
    for (ConfigSummary const& summary : list) {
        CHECK(summary.name != "schema");
    }
}

TEST_CASE("The embedded files are the files of the folder, byte for byte") {
    for (EmbeddedConfig const& file : embedded_configs()) {
        if (file.file == "schema.json") continue;  // has the names of policies in it
        CAPTURE(file.file);
        std::ifstream stream(std::string(WARPSIM_SOURCE_DIR "/configs/") + std::string(file.file),
                             std::ios::binary);
        std::string const text{std::istreambuf_iterator<char>(stream), {}};
        CHECK(file.text == text);
    }
}

TEST_CASE("The schema names the policies that there are files of, and says what they do") {
    Json const schema = Json::parse(config_schema());
    auto const property = [&](std::string const& path) {
        Json const* node = &schema;
        std::istringstream keys(path);
        for (std::string key; std::getline(keys, key, '.');) node = &node->at("properties").at(key);
        return *node;
    };
    std::pair<char const*, char const*> const policies[] = {
        {"sm.schedulers.policy", "sm/scheduler_"},       {"sm.l1.replacement", "memory/replacement_"},
        {"sm.l1.prefetcher", "memory/prefetcher_"},      {"l2.slices.replacement", "memory/replacement_"},
        {"dram.channels.policy", "memory/dram_policy_"},
    };
    for (auto const& [path, prefix] : policies) {
        CAPTURE(path);
        std::set<std::string> files, named;
        std::filesystem::path const begin = std::string(WARPSIM_SOURCE_DIR "/sim/timing/") + prefix;
        for (auto const& entry : std::filesystem::directory_iterator(begin.parent_path())) {
            std::string const name = entry.path().filename().string(), start = begin.filename().string();
            if (name.starts_with(start) && name.ends_with(".cpp"))
                files.insert(name.substr(start.size(), name.size() - start.size() - 4));
        }
        Json const node = property(path);
        std::string const description = node.at("description");
        for (Json const& name : node.at("enum")) {
            named.insert(name.get<std::string>());
            CHECK(description.find("`" + name.get<std::string>() + "`: ") != std::string::npos);
        }
        CHECK(files.size() >= 2);
        CHECK(named == files);
        CHECK(description.find(".cpp") == std::string::npos);
    }
}

TEST_CASE("Every figure of a built-in configuration has a source, and every source has a figure") {
    for (EmbeddedConfig const& file : embedded_configs()) {
        if (file.file == "schema.json") {
            continue;
        }
        CAPTURE(file.file);
        Problems problems;
        Json const document = parse_json(std::string(file.file), file.text, problems);
        REQUIRE(problems.empty());
        std::vector<std::string> found;
        unsourced(document, "", document.at("sources"), found);
        CHECK(found == std::vector<std::string>{});
        for (auto const& [path, source] : document.at("sources").items()) {
            CAPTURE(path);
            CHECK(leads_somewhere(document, path));
            CHECK_FALSE(source.get<std::string>().empty());
        }
    }
}

TEST_CASE("Architectural limits follow the compute capability") {
    struct Limits {
        std::uint32_t warps, ctas, shared_kib, opt_in_kib, reserved, unit, barriers;
        bool operator==(Limits const&) const = default;
    };
    // cuda_occupancy.h of CUDA 13.0, which is not needed here.
    std::map<ComputeCapability, Limits> const expected{
        {{7, 0}, {64, 32, 96, 96, 0, 256, 64}},      {{7, 5}, {32, 16, 64, 64, 0, 256, 32}},
        {{8, 0}, {64, 32, 164, 163, 1024, 128, 64}}, {{8, 6}, {48, 16, 100, 99, 1024, 128, 16}},
        {{9, 0}, {64, 32, 228, 227, 1024, 128, 64}}, {{10, 0}, {64, 32, 228, 227, 1024, 128, 64}},
        {{12, 0}, {48, 24, 100, 99, 1024, 128, 24}},
    };
    for (ConfigSummary const& summary : builtin_configs()) {
        if (summary.name == "teaching") {
            continue;
        }
        CAPTURE(summary.name);
        Config const c = load_config(summary.name);
        Limits const limits{c.sm.max_warps,
                            c.sm.max_ctas,
                            c.sm.shared.size_kib,
                            c.sm.shared.cta_opt_in_kib,
                            c.sm.shared.cta_reserved_bytes,
                            c.sm.shared.allocation_unit_bytes,
                            c.sm.barriers};
        CHECK((limits == expected.at(c.compute_capability)));
        CHECK(c.sm.registers == 65536);
        CHECK(c.sm.sub_cores == 4);
        CHECK(c.sm.register_allocation_unit == 256);
        CHECK(c.sm.warp_allocation_granularity == 4);
        CHECK(c.sm.shared.cta_default_bytes() == 49152);
        CHECK(c.limits.max_threads_per_cta == 1024);
        CHECK(c.limits.max_cta_size == std::array<std::uint32_t, 3>{1024, 1024, 64});
        CHECK(c.limits.max_grid_size == std::array<std::uint32_t, 3>{2147483647, 65535, 65535});
        CHECK(c.limits.max_registers_per_thread == 255);
        CHECK(c.limits.constant_bank_bytes() == 65536);
        CHECK((c.limits.max_cluster_size == 8) == (c.compute_capability.major >= 9));
        CHECK(c.sm.control_flow == ControlFlow::independent);
    }
}

TEST_CASE("Peak DRAM bandwidth comes out as the data sheets say") {
    auto const gigabytes = [](char const* name) {
        return load_config(name).dram.bytes_per_second() / 1'000'000'000;
    };
    CHECK(gigabytes("h100") == 3352);
    CHECK(gigabytes("a100") == 1555);
    CHECK(gigabytes("v100") == 898);
    CHECK(gigabytes("rtx2060") == 336);
    CHECK(gigabytes("rtx3070") == 448);
    CHECK(gigabytes("rtx5090") == 1792);
    CHECK(load_config("rtx3070").dram.reported_clock_mhz() == 7000);
}

TEST_CASE("The latency of an L2 hit adds up to what was measured") {
    auto const hit = [](char const* name) {
        Config const c = load_config(name);
        return c.sm.l1->hit_latency_cycles + c.interconnect->request_latency_cycles +
               c.l2.slices->hit_latency_cycles + c.interconnect->reply_latency_cycles;
    };
    CHECK(hit("h100") == 276);
    CHECK(hit("b200") == 293);
    CHECK(hit("a100") == 206);
    CHECK(hit("v100") == 212);
    CHECK(hit("rtx2060") == 226);
    CHECK(hit("rtx3070") == 219);
    CHECK(hit("teaching") == 100);
}

TEST_CASE("Configurations with timing figures have them all, the others say which are missing") {
    for (char const* name : {"b200", "h100", "a100", "v100", "gv100", "rtx2060", "rtx3070", "teaching"}) {
        CAPTURE(name);
        CHECK(load_config(name).missing_timing_groups().empty());
    }
    auto const missing = load_config("rtx5090").missing_timing_groups();
    CHECK(missing.size() == 13);
    CHECK(missing.front() == "sm.shared.banks");
}

TEST_CASE("Registers and shared memory are given out in units") {
    Config const h100 = load_config("h100");
    CHECK(h100.sm.registers_per_warp(1) == 256);
    CHECK(h100.sm.registers_per_warp(32) == 1024);
    CHECK(h100.sm.registers_per_warp(33) == 1280);
    CHECK(h100.sm.shared.allocated_bytes(0) == 1024);
    CHECK(h100.sm.shared.allocated_bytes(1) == 1152);
    CHECK(load_config("v100").sm.shared.allocated_bytes(1) == 256);
    CHECK(h100.compute_capability.number() == 90);
    CHECK(h100.memory.global_bytes() == std::uint64_t{80} << 30);
    CHECK(h100.l2.size_bytes() == std::uint64_t{50} << 20);
}

}  // namespace builtin_test
