// A list of a few elements in place.
#include "sim/exec/few.hpp"
#include "sim/exec/warp.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace few_test {

using namespace warpsim;

namespace {

template <std::uint32_t few_count> std::vector<int> values(sim::Few<std::shared_ptr<int>, few_count> const& list) {
    std::vector<int> values;
    for (auto const& element : list) values.push_back(*element);
    return values;
}

template <class List> void check_as_vector() {
    std::mt19937 random(1);
    List list;
    std::vector<int> expected;
    std::size_t longest = 0;
    for (int step = 0; step < 5000; ++step) {
        bool const grows = expected.empty() || random() % (expected.size() < 4 ? 2 : 3) == 0;
        if (grows) {
            expected.push_back(step);
            CHECK(*list.add(std::make_shared<int>(step)) == step);
            CHECK(*list.back() == step);
        } else {
            std::size_t const i = random() % expected.size();
            std::weak_ptr<int> const removed = list[i];
            expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(i));
            list.remove(i);
            CHECK(removed.expired());
        }
        longest = std::max(longest, expected.size());
        REQUIRE(list.size() == expected.size());
        CHECK(list.empty() == expected.empty());
        CHECK(values(list) == expected);
        CHECK(values(sim::Few(list)) == expected);
    }
    CHECK(longest > 6);
}

}  // namespace

TEST_CASE("A list of a few elements is a vector, whatever its length", "[exec]") {
    check_as_vector<sim::Few<std::shared_ptr<int>>>();
    check_as_vector<sim::Few<std::shared_ptr<int>, 1>>();
}

TEST_CASE("A list of a few elements that is cleared owns nothing", "[exec]") {
    for (int const count : {0, 1, 4, 5, 9}) {
        sim::Few<std::shared_ptr<int>> list;
        std::vector<std::weak_ptr<int>> elements;
        for (int i = 0; i < count; ++i) elements.push_back(list.add(std::make_shared<int>(i)));
        list.clear();
        CHECK(list.empty());
        for (auto const& element : elements) CHECK(element.expired());
        list.add(std::make_shared<int>(7));
        CHECK(values(list) == std::vector<int>{7});
    }
}

TEST_CASE("A warp's first frame and first split lie in one line of the host's caches", "[exec]") {
    sim::Warp warp;
    warp.frames.add(sim::Owned<sim::Frame>(sim::Frame{}));
    warp.splits.add({});
    auto const line_of = [](auto const& x) { return reinterpret_cast<std::uintptr_t>(&x) / 64; };
    auto const last_byte = [](auto const& x) -> auto const& {
        return *(reinterpret_cast<std::byte const*>(&x + 1) - 1);
    };
    CHECK(line_of(warp.frames[0]) == line_of(warp.splits[0]));
    CHECK(line_of(last_byte(warp.splits[0])) == line_of(warp.splits[0]));
}

}  // namespace few_test
