// The table for those who come from gpgpusim.config names keys of ours: each exists.
#include "sim/config/config.hpp"
#include "sim/config/schema.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>

using namespace warpsim::sim;

namespace {

/// The schema of the key at `path`, "sm.l1.ways"; null when there is none.
Json const* property(Json const& schema, std::string const& path) {
    Json const* node = &schema;
    std::istringstream names(path);
    for (std::string name; std::getline(names, name, '.');) {
        if (node->contains("$ref")) node = &schema.at(Json::json_pointer(node->at("$ref").get<std::string>().substr(1)));
        if (!node->contains("properties") || !node->at("properties").contains(name)) return nullptr;
        node = &node->at("properties").at(name);
    }
    return node;
}

}  // namespace

TEST_CASE("Every key in the table for users of gpgpusim.config exists", "[config]") {
    Json const schema = Json::parse(config_schema());
    REQUIRE(property(schema, "sm.l1.ways") != nullptr);
    REQUIRE(property(schema, "sm.l1.sets") == nullptr);

    std::ifstream file(WARPSIM_SOURCE_DIR "/configs/gpgpusim.md");
    REQUIRE(file);
    int keys = 0;
    std::regex const row(R"(^\| `-.* \| (.*) \| .*\|$)"), quoted("`([^`]*)`");
    for (std::string line; std::getline(file, line);) {
        std::smatch columns;
        if (!std::regex_match(line, columns, row)) continue;
        std::string const ours = columns[1];
        for (std::sregex_iterator key(ours.begin(), ours.end(), quoted), end; key != end; ++key) {
            std::string const name = (*key)[1];
            if (name.starts_with("--")) continue;   // an option of the command
            INFO(name);
            CHECK(property(schema, name) != nullptr);
            ++keys;
        }
    }
    CHECK(keys > 60);
}
