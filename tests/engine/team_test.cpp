#include "sim/engine/team.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <numeric>
#include <stdexcept>
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

TEST_CASE("A team that stands by runs one round after the other, and ends with what was thrown", "[engine]") {
    for (int const threads : {1, 2, 3, 8}) {
        Team team({threads, 0});
        for (int session = 0; session < 20; ++session) {
            std::vector<int> calls(37, 0);
            std::uint64_t rounds = 0;
            auto const session_of = [&](bool fails) {
                team.together([&] {
                    for (; rounds < 500; ++rounds) {
                        std::size_t const count = rounds % calls.size() + 1;
                        std::vector<int> const before = calls;
                        team.each(count, [&](std::size_t i) { ++calls[i]; });
                        for (std::size_t i = 0; i < calls.size(); ++i)
                            if (calls[i] != before[i] + (i < count ? 1 : 0))
                                throw std::logic_error("a round is not over");
                        if (fails && rounds == 250) throw std::runtime_error("stop");
                    }
                });
            };
            CHECK_THROWS_AS(session_of(true), std::runtime_error);
            CHECK(rounds == 250);
            CHECK_NOTHROW(session_of(false));
            CHECK(rounds == 500);
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
