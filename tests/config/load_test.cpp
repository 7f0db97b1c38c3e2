#include "sim/config/config.hpp"
#include "sim/config/fields.hpp"
#include "sim/error.hpp"
#include "tests/config/minimal_config.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace load_test {

using namespace warpsim;
using namespace warpsim::sim;
using test::minimal_config;
using test::TemporaryFolder;

namespace {

using Texts = std::vector<std::string>;

nlohmann::json shown(std::string const& name, Texts const& overrides = {}) {
    return nlohmann::json::parse(show_config(name, overrides));
}

/// Every member of a Config as text, by path.
class Flatten {
public:
    template <class T> void operator()(char const* key, T& member) {
        std::string const outer = path_;
        path_ += (path_.empty() ? "" : ".") + std::string(key);
        add(member);
        path_ = outer;
    }
    std::map<std::string, std::string> values;

private:
    template <class T> void add(T& member) {
        if constexpr (std::is_same_v<T, std::string>) {
            values[path_] = member;
        } else if constexpr (std::is_same_v<T, ComputeCapability>) {
            values[path_] = std::to_string(member.number());
        } else if constexpr (std::is_arithmetic_v<T>) {
            values[path_] = std::to_string(member);
        } else if constexpr (std::is_enum_v<T>) {
            values[path_] = name(member);
        } else if constexpr (requires { member.size(); }) {
            for (std::uint32_t const number : member) {
                values[path_] += std::to_string(number) + " ";
            }
        } else if constexpr (requires { member.has_value(); }) {
            if (member) {
                add(*member);
            }
        } else {
            fields(*this, member);
        }
    }

    std::string path_;
};

std::map<std::string, std::string> flat(Config config) {
    Flatten flatten;
    fields(flatten, config);
    return flatten.values;
}

}  // namespace

TEST_CASE("A file with the required keys alone is a configuration") {
    TemporaryFolder const folder;
    Config const config = load_config(folder.write("small.json", minimal_config));
    CHECK(config.name == "small");
    CHECK(config.sm.count == 3);
    CHECK(config.sm.shared.carve_outs_kib == std::vector<std::uint32_t>{0, 32, 64});
    CHECK(config.compute_capability == ComputeCapability{8, 0});
    CHECK_FALSE(config.sm.l1);
    CHECK(config.missing_timing_groups().size() == 13);
}

TEST_CASE("The schema's defaults are those of the structs") {
    TemporaryFolder const folder;
    auto const loaded = flat(load_config(folder.write("small.json", minimal_config)));
    auto const written = nlohmann::json::parse(minimal_config);
    auto const standard = flat(Config{});
    for (auto const& [path, value] : loaded) {
        CAPTURE(path);
        std::string pointer = "/" + path;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        if (!written.contains(nlohmann::json::json_pointer(pointer)) && path != "product") {
            CHECK(standard.at(path) == value);
        }
    }
}

TEST_CASE("Comments are accepted") {
    TemporaryFolder const folder;
    std::string const text = "// a GPU\n" + std::string(minimal_config) + "/* the end */\n";
    CHECK(load_config(folder.write("small.json", text)).sm.count == 3);
}

TEST_CASE("A whole number may be written with a fraction or an exponent") {
    TemporaryFolder const folder;
    std::string const path =
        folder.write("c.json", R"({"base": "a100", "clock_mhz": 1.5e3, "sm": {"count": 4.0}})");
    CHECK(load_config(path).clock_mhz == 1500);
    CHECK(shown(path).at("sm").at("count").is_number_integer());
}

TEST_CASE("A configuration inherits what it does not say from its base") {
    TemporaryFolder const folder;
    std::string const path = folder.write("mine.json", R"({
        "base": "a100", "description": "mine", "sm": {"count": 10, "shared": {"carve_outs_kib": [0, 164]}}})");
    Config const config = load_config(path);
    Config const a100 = load_config("a100");
    CHECK(config.name == "mine");
    CHECK(config.description == "mine");
    CHECK(config.sm.count == 10);
    CHECK(config.sm.max_warps == a100.sm.max_warps);
    CHECK(config.sm.shared.carve_outs_kib == std::vector<std::uint32_t>{0, 164});
    CHECK(config.sm.shared.cta_opt_in_kib == 163);
    CHECK(config.sm.units->fma.issue_interval_cycles == a100.sm.units->fma.issue_interval_cycles);
    CHECK(config.clock_mhz == 1410);
}

TEST_CASE("A base is found beside the file that names it") {
    TemporaryFolder const folder;
    folder.write("common/root.json", minimal_config);
    folder.write("common/middle.json", R"({"base": "root.json", "sm": {"count": 7}, "clock_mhz": 1100})");
    std::string const top = folder.write("top.json", R"({"base": "common/middle.json", "clock_mhz": 1200})");
    Config const config = load_config(top);
    CHECK(config.sm.count == 7);
    CHECK(config.clock_mhz == 1200);
    CHECK(config.memory.global_mib == 512);
}

TEST_CASE("A built-in configuration inherits too") {
    Config const gv100 = load_config("gv100");
    CHECK(gv100.clock_mhz == 1132);
    CHECK(gv100.sm.count == 80);
    CHECK(gv100.l2.slices->clock_mhz == 1132);
    CHECK(gv100.l2.slices->count == 64);
}

TEST_CASE("Overrides change one value each, the last one wins") {
    Texts const overrides{"sm.schedulers.policy=lrr",
                          "sm.control_flow=stack",
                          "sm.count=3",
                          "sm.count=4",
                          "product=H 100",
                          "sm.tlb.enabled=true",
                          "sm.shared.carve_outs_kib=[0, 228]"};
    Config const config = load_config("h100", overrides);
    CHECK(config.name == "h100");
    CHECK(config.sm.schedulers.policy == "lrr");
    CHECK(config.sm.schedulers.issue_per_cycle == 1);
    CHECK(config.sm.control_flow == ControlFlow::stack);
    CHECK(config.sm.count == 4);
    CHECK(config.product == "H 100");
    CHECK(config.sm.tlb.enabled);
    CHECK(config.sm.shared.carve_outs_kib == std::vector<std::uint32_t>{0, 228});
}

TEST_CASE("An override of a string needs no quotes, even where it looks like a number") {
    CHECK(load_config("a100", Texts{"compute_capability=8.6"}).compute_capability.number() == 86);
    CHECK(load_config("a100", Texts{"compute_capability=\"8.6\""}).compute_capability.number() == 86);
    CHECK(load_config("a100", Texts{"product=42"}).product == "42");
    CHECK(load_config("a100", Texts{"product="}).product.empty());
    CHECK(load_config("a100", Texts{"product=a=b"}).product == "a=b");
}

TEST_CASE("An override with bytes that are no text is shown as JSON all the same") {
    CHECK(shown("a100", {"product=a\xff"}).at("product") == "a\xef\xbf\xbd");
}

TEST_CASE("An override of an object changes the keys it has") {
    Config const config =
        load_config("h100", Texts{R"(sm.schedulers={"policy": "two_level", "active_warps": 3})"});
    CHECK(config.sm.schedulers.policy == "two_level");
    CHECK(config.sm.schedulers.active_warps == 3);
}

TEST_CASE("What is shown can be loaded again and shows the same") {
    TemporaryFolder const folder;
    for (ConfigSummary const& summary : builtin_configs()) {
        CAPTURE(summary.name);
        std::string const text = show_config(summary.name);
        std::string const path = folder.write(summary.name + ".json", text);
        CHECK(show_config(path) == text);
        CHECK(flat(load_config(path)) == flat(load_config(summary.name)));
    }
    Texts const overrides{"sm.count=5", "sm.schedulers.policy=gto"};
    std::string const text = show_config("a100", overrides);
    CHECK(show_config(folder.write("changed.json", text)) == text);
}

TEST_CASE("What is shown stands on its own, in the schema's order, with its defaults") {
    std::string const text = show_config("gv100");
    auto const document = nlohmann::ordered_json::parse(text);
    CHECK_FALSE(document.contains("base"));
    CHECK(document.at("sm").at("schedulers").at("policy") == "cggty");
    CHECK(document.at("limits").at("max_grid_size").at(0) == 2147483647);
    std::size_t at = 0;
    auto const schema = nlohmann::ordered_json::parse(config_schema());
    for (auto const& [key, property] : schema.at("properties").items()) {
        if (document.contains(key)) {
            std::size_t const here = text.find("\n  \"" + key + "\":");
            CHECK(here >= at);
            at = here;
        }
    }
}

TEST_CASE("A replaced value does not keep the source of the old one") {
    TemporaryFolder const folder;
    std::string const path = folder.write("mine.json", R"({
        "base": "a100", "clock_mhz": 1000, "interconnect": {"far_partition_cycles": 10},
        "sources": {"clock_mhz": "measured here"}})");
    auto const sources = shown(path, {"sm.count=2"}).at("sources");
    CHECK(sources.at("clock_mhz") == "measured here");
    CHECK_FALSE(sources.contains("interconnect.far_partition_cycles"));
    CHECK(sources.contains("interconnect"));
    CHECK(sources.at("sm.count") == "--set");
}

TEST_CASE("Configurations are compared figure by figure") {
    TemporaryFolder const folder;
    folder.write("a.json", minimal_config);
    auto const file = folder / "a.json";
    CHECK(compare_configs(file, file).empty());
    using Differences = std::vector<ConfigDifference>;
    CHECK(compare_configs("h100", "h100", Texts{"sm.count=8", "sm.schedulers.policy=lrr", "sm.l1.ways=128"}) ==
          Differences{{"sm.count", "132", "8"},
                      {"sm.schedulers.policy", shown("h100")["sm"]["schedulers"]["policy"].dump(), "\"lrr\""},
                      {"sm.l1.ways", "256", "128"}});
    // Whole groups that one of them leaves out are told figure by figure, in both directions.
    auto const l1 = [](auto const& differences, auto side) {
        std::map<std::string, std::string> found;
        for (ConfigDifference const& d : differences)
            if (d.key.starts_with("sm.l1.")) found[d.key] = d.*side;
        return found;
    };
    auto const there = l1(compare_configs("a100", file), &ConfigDifference::first);
    CHECK(there.size() == shown("a100")["sm"]["l1"].size());
    CHECK(there.at("sm.l1.size_kib") == "192");
    CHECK(l1(compare_configs("a100", file), &ConfigDifference::second).at("sm.l1.size_kib") == "");
    CHECK(l1(compare_configs(file, "a100"), &ConfigDifference::second) == there);
    // Undoing all differences of figures makes the configurations equal.
    Texts undo;
    for (ConfigDifference const& d : compare_configs("a100", "rtx3070")) undo.push_back(d.key + "=" + d.first);
    std::erase_if(undo, [](std::string const& text) { return text.ends_with("="); });
    CHECK(undo.size() > 20);
    for (ConfigDifference const& d : compare_configs("a100", "rtx3070", undo)) CHECK(d.first == "");
}

}  // namespace load_test
