#include "frontend/ir/analysis/dominators.hpp"
#include "tests/analysis/random_function.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace dominators_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Nodes that a walk from `starts` reaches when it must not enter `closed`.
std::vector<bool> reached(ir::Lists const& successors, std::vector<std::uint32_t> const& starts,
                          std::uint32_t closed = ir::none) {
    std::vector<bool> seen(successors.size(), false);
    std::vector<std::uint32_t> pending;
    auto const enter = [&](std::uint32_t node) {
        if (node == closed || seen[node]) return;
        seen[node] = true;
        pending.push_back(node);
    };
    for (std::uint32_t const start : starts) enter(start);
    while (!pending.empty()) {
        std::uint32_t const node = pending.back();
        pending.pop_back();
        for (std::uint32_t const next : successors[node]) enter(next);
    }
    return seen;
}

ir::Function chain(std::uint32_t length) {
    ir::Function f;
    for (std::uint32_t b = 0; b < length; ++b) {
        f.blocks.push_back({.first = b, .last = b, .successors = {}});
        if (b + 1 < length) f.blocks.back().successors.push_back(b + 1);
    }
    return f;
}

}  // namespace

TEST_CASE("A block dominates another when closing it cuts the other off", "[analysis]") {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        RandomFunction const f(random, static_cast<std::uint32_t>(1 + random() % 14), 1, 1);
        ir::Lists const successors = ir::successors_of(f.function);
        auto const count = static_cast<std::uint32_t>(f.function.blocks.size());
        ir::DominatorTree const tree(f.function);
        std::vector<bool> const is_reached = reached(successors, {0});
        INFO("round " << round);
        std::vector<std::vector<bool>> dominates(count, std::vector<bool>(count));
        for (std::uint32_t a = 0; a < count; ++a) {
            std::vector<bool> const without = reached(successors, {0}, a);
            for (std::uint32_t b = 0; b < count; ++b) {
                dominates[a][b] = a == b || (is_reached[a] && is_reached[b] && !without[b]);
                INFO(a << " and " << b);
                REQUIRE(tree.dominates(a, b) == dominates[a][b]);
            }
        }
        for (std::uint32_t b = 0; b < count; ++b) {
            CHECK(tree.is_reached(b) == is_reached[b]);
            // The nearest one is dominated by all others that dominate the block.
            std::uint32_t nearest = ir::none;
            for (std::uint32_t a = 0; a < count; ++a) {
                if (a == b || !dominates[a][b]) continue;
                bool const is_nearest = [&] {
                    for (std::uint32_t c = 0; c < count; ++c) {
                        if (c != b && dominates[c][b] && !dominates[c][a]) return false;
                    }
                    return true;
                }();
                if (is_nearest) nearest = a;
            }
            CHECK(tree.immediate(b) == nearest);
        }
        for (std::uint32_t a = 0; a < count; ++a) {
            for (std::uint32_t b = 0; b < count; ++b) {
                if (!is_reached[a] || !is_reached[b]) continue;
                std::uint32_t const common = tree.common(a, b);
                CHECK((dominates[common][a] && dominates[common][b]));
                for (std::uint32_t c = 0; c < count; ++c) {
                    if (dominates[c][a] && dominates[c][b]) CHECK(dominates[c][common]);
                }
            }
        }
    }
}

TEST_CASE("Several roots share no dominator, and what no root leads to has none", "[analysis]") {
    // 0 and 1 are roots and meet in 2; 4 leads to 3, and nothing to 4.
    ir::Lists successors;
    for (std::vector<std::uint32_t> const& list :
         std::vector<std::vector<std::uint32_t>>{{2}, {2}, {3}, {}, {3}}) {
        successors.items.insert(successors.items.end(), list.begin(), list.end());
        successors.end_list();
    }
    auto const immediate =
        ir::immediate_dominators(successors, ir::reversed(successors), {true, true, false, false, false});
    CHECK(immediate == std::vector<std::uint32_t>{ir::none, ir::none, ir::none, 2, ir::none});
}

TEST_CASE("Edges are turned round in ascending order", "[analysis]") {
    std::mt19937 random(6);
    RandomFunction const f(random, 40, 1, 1);
    ir::Lists const successors = ir::successors_of(f.function), predecessors = ir::reversed(successors);
    REQUIRE(predecessors.size() == successors.size());
    CHECK(predecessors.items.size() == successors.items.size());
    for (std::uint32_t node = 0; node < successors.size(); ++node) {
        CHECK(std::is_sorted(predecessors[node].begin(), predecessors[node].end()));
        for (std::uint32_t const next : successors[node]) {
            auto const back = predecessors[next];
            CHECK(std::count(back.begin(), back.end(), node) ==
                  std::count(successors[node].begin(), successors[node].end(), next));
        }
    }
}

TEST_CASE("A cycle that nothing leaves gets a way out behind its last node", "[analysis]") {
    // 0 -> 1 <-> 2, and 0 -> 3, which leaves.
    ir::Lists successors;
    for (std::vector<std::uint32_t> const& list : std::vector<std::vector<std::uint32_t>>{{1, 3}, {2}, {1}, {}}) {
        successors.items.insert(successors.items.end(), list.begin(), list.end());
        successors.end_list();
    }
    auto const immediate = ir::immediate_post_dominators(successors, {false, false, false, true});
    CHECK(immediate == std::vector<std::uint32_t>{ir::none, 2, ir::none, ir::none});
}

TEST_CASE("Very many blocks have dominators without deep recursion", "[analysis]") {
    ir::Function f = chain(400000);
    f.blocks.back().successors.push_back(0);
    ir::DominatorTree const tree(f);
    CHECK(tree.immediate(399999) == 399998);
    CHECK(tree.dominates(0, 399999));
    CHECK(tree.dominates(1000, 399999));
    CHECK_FALSE(tree.dominates(399999, 1000));
    CHECK(ir::DominatorTree(ir::Function{}).dominates(0, 0));
}

}  // namespace dominators_test
