#include "sim/config/schema.hpp"

#include "sim/config/config.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <limits>
#include <regex>
#include <set>

namespace schema_test {

using namespace warpsim::sim;

namespace {

/// Calls `visit` with each property of the schema, its name and whether it is required.
void each_property(Json const& node, std::function<void(std::string const&, Json const&, bool)> const& visit) {
    std::set<std::string> required;
    for (Json const& key : node.value("required", Json::array())) {
        required.insert(key.get<std::string>());
    }
    if (node.contains("properties")) {
        for (auto const& [key, property] : node.at("properties").items()) {
            visit(key, property, required.contains(key));
            each_property(property, visit);
        }
    }
    if (node.contains("$defs")) {
        for (auto const& [key, definition] : node.at("$defs").items()) {
            each_property(definition, visit);
        }
    }
}

}  // namespace

TEST_CASE("The schema uses no keyword that the walker does not implement") {
    CHECK_NOTHROW(Schema(config_schema()));
    CHECK_THROWS_AS(Schema(R"({"type": "object", "patternProperties": {}})"), std::logic_error);
    CHECK_THROWS_AS(Schema(R"({"type": "object", "properties": {"a": {"type": "null"}}})"), std::logic_error);
    CHECK_THROWS_AS(Schema(R"({"type": "array", "items": {"type": "string", "pattern": "a"}})"), std::logic_error);
    CHECK_THROWS_AS(Schema("{"), std::logic_error);
}

TEST_CASE("Every property of the schema is described, and every object closed") {
    Json const schema = Json::parse(config_schema());
    CHECK(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
    each_property(schema, [](std::string const& key, Json const& property, bool) {
        CAPTURE(key);
        CHECK_FALSE(property.at("description").get<std::string>().empty());
        if (property.contains("properties")) {
            CHECK(property.at("additionalProperties") == false);
        }
    });
}

TEST_CASE("Every integer of the schema has limits that its member can hold") {
    Json const schema = Json::parse(config_schema());
    each_property(schema, [](std::string const& key, Json const& property, bool) {
        Json const& node = property.contains("items") ? property.at("items") : property;
        if (node.value("type", "") == "integer") {
            CAPTURE(key);
            auto const minimum = node.at("minimum").get<std::int64_t>(),
                       maximum = node.at("maximum").get<std::int64_t>();
            CHECK(minimum >= std::numeric_limits<std::int32_t>::min());
            CHECK(maximum <= (minimum < 0 ? std::numeric_limits<std::int32_t>::max()
                                          : std::numeric_limits<std::uint32_t>::max()));
        }
    });
}

TEST_CASE("A required property has no default, and every default is valid") {
    Json const schema = Json::parse(config_schema());
    each_property(schema, [](std::string const& key, Json const& property, bool required) {
        CAPTURE(key);
        CHECK_FALSE((required && property.contains("default")));
        if (property.contains("default")) {
            Json alone{{"type", "object"}, {"additionalProperties", false}, {"properties", {{"value", property}}}};
            Problems problems;
            Schema(alone.dump()).check(Json{{"value", property.at("default")}}, {"default", ""}, problems);
            CHECK(problems.empty());
        }
    });
}

TEST_CASE("A quantity has its unit in its name") {
    Json const schema = Json::parse(config_schema());
    std::regex const quantity("latency|size|clock|width|miss|interval|launch|fence|drain|window|sector_p|voltage");
    // Counts of things: threads, CTAs.
    std::set<std::string> const counts{"max_cta_size",        "max_grid_size",
                                       "max_cluster_size",    "max_cluster_size_non_portable",
                                       "transfers_per_clock", "launch"};
    std::regex const unit("_(cycles|kib|mib|bytes|mhz|ns|mb_per_s|bits|percents?|per_cycle|per_warp|pj|w)$");
    each_property(schema, [&](std::string const& key, Json const&, bool) {
        CAPTURE(key);
        if (std::regex_search(key, quantity) && !counts.contains(key)) {
            CHECK(std::regex_search(key, unit));
        }
    });
}

}  // namespace schema_test
