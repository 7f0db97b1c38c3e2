#include "sim/nearest.hpp"

#include "tests/support/catch.hpp"

#include <vector>

namespace nearest_test {

using warpsim::sim::did_you_mean;
using warpsim::sim::nearest;

namespace {

std::vector<std::string> const keys{"max_warps", "max_ctas", "max_threads", "count", "l1"};

}  // namespace

TEST_CASE("The nearest key is the one with the fewest edits") {
    CHECK(nearest("max_warp", keys) == "max_warps");
    CHECK(nearest("maxctas", keys) == "max_ctas");
    CHECK(nearest("conut", keys) == "count");
    CHECK(nearest("count", keys) == "count");
    CHECK(nearest("l2", keys) == "l1");
}

TEST_CASE("The first of equally near keys is proposed") {
    CHECK(nearest("ab", std::vector<std::string>{"ac", "ad"}) == "ac");
}

TEST_CASE("A key may be found by its beginning") {
    CHECK(nearest("max", keys) == "max_warps");
    CHECK(nearest("size", std::vector<std::string>{"slices", "size_kib"}) == "size_kib");
}

TEST_CASE("A word that is far from every key has no nearest one") {
    CHECK_FALSE(nearest("convergence", keys));
    CHECK_FALSE(nearest("xy", keys));
    CHECK_FALSE(nearest("", keys));
    CHECK_FALSE(nearest("count", {}));
    CHECK_FALSE(nearest(std::string(100000, 'c'), keys));
}

TEST_CASE("A proposal is a phrase to append to a message") {
    CHECK(did_you_mean("max_warp", keys) == "; did you mean 'max_warps'?");
    CHECK(did_you_mean("something", keys).empty());
}

}  // namespace nearest_test
