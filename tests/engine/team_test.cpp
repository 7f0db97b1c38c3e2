#include "sim/engine/team.hpp"

#include "tests/support/catch.hpp"

#include <numeric>
#include <vector>

namespace team_test {

using namespace warpsim::engine;

TEST_CASE("A team runs every component once, whatever the number of threads and the order", "[engine]") {
    for (int const threads : {1, 2, 3}) {
        for (std::uint64_t const seed : {0u, 1u, 99u}) {
            Team team({threads, seed});
            std::vector<int> calls(100, 0);  // each component writes its own
            for (int epoch = 0; epoch < 20; ++epoch) team.each(calls.size(), [&](std::size_t i) { ++calls[i]; });
            CHECK(calls == std::vector<int>(100, 20));
        }
    }
}

TEST_CASE("A seed changes the order in which a single thread runs components", "[engine]") {
    auto const order = [](std::uint64_t seed) {
        Team team({1, seed});
        std::vector<std::size_t> seen;
        team.each(20, [&](std::size_t i) { seen.push_back(i); });
        return seen;
    };
    std::vector<std::size_t> ascending(20);
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    CHECK(order(0) == ascending);
    CHECK(order(7) != ascending);
    CHECK(order(7) == order(7));
    CHECK(order(7) != order(8));
}

}  // namespace team_test
