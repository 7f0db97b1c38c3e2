// Policies that are selected by name: one file each, and the worked example of sim/timing/README.md.
#include "sim/config/config.hpp"
#include "sim/timing/memory/dram_policy.hpp"
#include "sim/timing/memory/prefetcher.hpp"
#include "sim/timing/memory/replacement.hpp"
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
std::unique_ptr<WarpScheduler> youngest(sim::SchedulerConfig const& config);
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

TEST_CASE("Every warp scheduler that the schema names has a file, and every file a name", "[timing]") {
    auto const known = names("/properties/sm/properties/schedulers/properties/policy/enum");
    for (std::string const& name : known) {
        sim::SchedulerConfig config;
        config.policy = name;
        CHECK(make_scheduler(config) != nullptr);
    }
    std::size_t files = 0;
#define WARPSIM_CHOICE(name) ++files;
#include "sim/timing/sm/schedulers.inc"
#undef WARPSIM_CHOICE
    CHECK(known.size() == files);
    sim::SchedulerConfig unknown;
    unknown.policy = "youngest";
    CHECK_THROWS_AS(make_scheduler(unknown), std::logic_error);
}

TEST_CASE("Every replacement policy that the schema names has a file, and every file a name", "[timing]") {
    std::size_t files = 0;
#define WARPSIM_CHOICE(name) ++files;
#include "sim/timing/memory/replacements.inc"
#undef WARPSIM_CHOICE
    for (char const* const cache : {"/properties/sm/properties/l1", "/properties/l2/properties/slices"}) {
        auto const known = names((std::string(cache) + "/properties/replacement/enum").c_str());
        for (std::string const& name : known) CHECK(make_replacement(name, 4, 4) != nullptr);
        CHECK(known.size() == files);
    }
}

TEST_CASE("Every DRAM policy that the schema names has a file, and every file a name", "[timing]") {
    std::size_t files = 0;
#define WARPSIM_CHOICE(name) ++files;
#include "sim/timing/memory/dram_policies.inc"
#undef WARPSIM_CHOICE
    auto const known = names("/properties/dram/properties/channels/properties/policy/enum");
    for (std::string const& name : known) CHECK(make_dram_policy(name) != nullptr);
    CHECK(known.size() == files);
    CHECK_THROWS_AS(make_dram_policy("luck"), std::logic_error);
}

TEST_CASE("Every prefetcher that the schema names has a file, and every file a name", "[timing]") {
    std::size_t files = 0;
#define WARPSIM_CHOICE(name) ++files;
#include "sim/timing/memory/prefetchers.inc"
#undef WARPSIM_CHOICE
    auto const known = names("/properties/sm/properties/l1/properties/prefetcher/enum");
    for (std::string const& name : known) CHECK((make_prefetcher(name) == nullptr) == (name == "none"));
    CHECK(known.size() == files);
    CHECK_THROWS_AS(make_prefetcher("luck"), std::logic_error);
}

TEST_CASE("The scheduler that the documentation shows compiles and does what it says", "[timing]") {
    CHECK(text_of("sim/timing/README.md").find(text_of("tests/timing/example/scheduler_youngest.cpp")) !=
          std::string::npos);
    auto const scheduler = schedulers::youngest({});
    for (unsigned const warp : {4u, 0u, 8u}) scheduler->started(warp);
    CHECK(scheduler->pick(1u << 0 | 1u << 4 | 1u << 8) == 8);
    CHECK(scheduler->pick(1u << 0 | 1u << 4) == 0);
    CHECK(scheduler->pick(1u << 0 | 1u << 4) == 0);
}

}  // namespace choices_test
