// The table for users of gpgpusim.config names our keys: each of them exists.
#include "sim/config/config.hpp"
#include "sim/config/schema.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>

namespace gpgpusim_table_test {

using namespace warpsim::sim;

namespace {

/// The schema of the key at `path`, "sm.l1.ways"; null when there is none.
Json const* property(Json const& schema, std::string const& path) {
    Json const* node = &schema;
    std::istringstream names(path);
    for (std::string name; std::getline(names, name, '.');) {
        if (node->contains("$ref"))
            node = &schema.at(Json::json_pointer(node->at("$ref").get<std::string>().substr(1)));
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
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| `-")) continue;
        std::size_t const begin = line.find(" | ") + 3, end = line.find(" | ", begin);
        std::string const ours = line.substr(begin, end - begin);
        for (std::size_t at = ours.find('`'); at != std::string::npos;
             at = ours.find('`', ours.find('`', at + 1) + 1)) {
            std::string const name = ours.substr(at + 1, ours.find('`', at + 1) - at - 1);
            if (name.starts_with("--")) continue;  // an option of the command
            INFO(name);
            CHECK(property(schema, name) != nullptr);
            ++keys;
        }
    }
    CHECK(keys > 60);
}

}  // namespace gpgpusim_table_test
