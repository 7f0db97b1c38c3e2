// Policies that are selected by name: one file each, and the worked example of sim/timing/README.md.
#include "sim/config/config.hpp"
#include "sim/timing/memory/components.hpp"
#include "sim/timing/placements.hpp"
#include "sim/timing/sm/warp_scheduler.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// What CMake generates for a file scheduler_youngest.cpp beside the others.
namespace warpsim::timing::schedulers {
void youngest(plugin::Registry& all);
}
#include "tests/timing/example/scheduler_youngest.cpp"

namespace choices_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

std::vector<std::string> names(char const* pointer) {
    auto const schema = nlohmann::json::parse(sim::config_schema());
    return schema.at(nlohmann::json::json_pointer(pointer)).get<std::vector<std::string>>();
}

std::string text_of(std::string const& path) {
    std::ifstream file(WARPSIM_SOURCE_DIR "/" + path);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("Every choice that the schema names has a file, and every file a name", "[timing]") {
    plugin::Components const& all = all_components();
    for (std::string const& name : names("/properties/sm/properties/schedulers/properties/policy/enum"))
        CHECK(all.make_warp_scheduler(name, {}) != nullptr);
    for (char const* const cache : {"/properties/sm/properties/l1", "/properties/l2/properties/slices"}) {
        for (std::string const& name : names((std::string(cache) + "/properties/replacement/enum").c_str()))
            CHECK(all.make_replacement(name, {}) != nullptr);
        for (std::string const& name : names((std::string(cache) + "/properties/write_policy/enum").c_str()))
            CHECK(all.make_write_policy(name, {}) != nullptr);
    }
    for (std::string const& name : names("/properties/dram/properties/channels/properties/policy/enum"))
        CHECK(all.make_dram_policy(name, {}) != nullptr);
    for (std::string const& name : names("/properties/sm/properties/l1/properties/prefetcher/enum"))
        CHECK((all.make_prefetcher(name, {}) == nullptr) == (name == "none"));
    for (std::string const& name : names("/properties/interconnect/properties/topology/enum")) {
        plugin::TopologySettings settings;
        settings.gpc_of = {0};
        CHECK((all.make_topology(name, settings) == nullptr) == (name == "crossbar"));
    }
    for (std::string const& name : names("/properties/launch/properties/placement/enum"))
        CHECK(all.make_cta_placement(name) != nullptr);
    std::size_t files = 0;
#define WARPSIM_CHOICE(name) ++files;
#include "sim/timing/sm/schedulers.inc"
#undef WARPSIM_CHOICE
    CHECK(names("/properties/sm/properties/schedulers/properties/policy/enum").size() == files);
    CHECK_THROWS_AS(all.make_warp_scheduler("luck", {}), std::logic_error);
    CHECK_THROWS_AS(all.make_prefetcher("", {}), std::logic_error);
}

TEST_CASE("A name is taken once, and is a word", "[timing]") {
    plugin::Components own;
    auto const make = [](plugin::Settings const&) { return std::unique_ptr<plugin::CtaPlacement>(); };
    own.cta_placement("mine", make);
    CHECK_THROWS_WITH(own.cta_placement("mine", make), "there is a cta_placement 'mine' already, built in");
    CHECK_THROWS_WITH(own.cta_placement("my:own", make), "'my:own' is no name: letters, digits and _");
    CHECK_THROWS_AS(own.cta_placement("other", nullptr), std::invalid_argument);
}

TEST_CASE("The scheduler that the documentation shows compiles and does what it says", "[timing]") {
    CHECK(text_of("sim/timing/README.md").find(text_of("tests/timing/example/scheduler_youngest.cpp")) !=
          std::string::npos);
    plugin::Components own;
    schedulers::youngest(own);
    auto const scheduler = own.make_warp_scheduler("youngest", {});
    for (unsigned const warp : {4u, 0u, 8u}) scheduler->started(warp);
    CHECK(scheduler->pick(1u << 0 | 1u << 4 | 1u << 8) == 8);
    CHECK(scheduler->pick(1u << 0 | 1u << 4) == 0);
    CHECK(scheduler->pick(1u << 0 | 1u << 4) == 0);
}

}  // namespace choices_test
