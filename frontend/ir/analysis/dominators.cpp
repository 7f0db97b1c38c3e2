// The algorithm of Lengauer and Tarjan in its "semi-NCA" form (Georgiadis, "Linear-Time Algorithms for Dominators
// and Related Problems", 2005), from one virtual node before all roots; for post-dominators on the reversed graph.
// Boost.Graph's lengauer_tarjan_dominator_tree recurses along the spanning tree: a loop of 300,000 blocks, which a
// user can write, overflows the stack there, and smaller ones take four times as long.
#include "frontend/ir/analysis/dominators.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <numeric>

namespace warpsim::ir {
namespace {

using Nodes = std::vector<std::uint32_t>;

/// Marks `start` and all nodes from which it can be reached.
void mark_backward(std::uint32_t start, Lists const& predecessors, std::vector<bool>& marked) {
    Nodes pending{start};
    marked[start] = true;
    while (!pending.empty()) {
        std::uint32_t const node = pending.back();
        pending.pop_back();
        for (std::uint32_t next : predecessors[node]) {
            if (!marked[next]) {
                marked[next] = true;
                pending.push_back(next);
            }
        }
    }
}

/// Post-dominance is defined by paths to an exit, so each cycle that has no exit is given one.
void open_endless_cycles(Lists const& successors, Lists const& predecessors, std::vector<bool>& leaves) {
    auto const count = static_cast<std::uint32_t>(successors.size());
    std::vector<bool> can_leave(count, false);
    for (std::uint32_t node = 0; node < count; ++node) {
        if (leaves[node] && !can_leave[node]) {
            mark_backward(node, predecessors, can_leave);
        }
    }
    if (std::find(can_leave.begin(), can_leave.end(), false) == can_leave.end()) {
        return;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t node = 0; node < count; ++node) {
        for (std::uint32_t next : successors[node]) {
            edges.emplace_back(node, next);
        }
    }
    using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
    Graph const whole(boost::edges_are_unsorted, edges.begin(), edges.end(), count);
    Nodes component(count);
    boost::strong_components(
        whole, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, whole)));
    // Strongly connected components are numbered in the order of their completion: a component that nothing leaves
    // comes before all those from which it can be reached.
    Nodes order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return component[a] != component[b] ? component[a] < component[b] : a > b;
    });
    for (std::uint32_t node : order) {
        if (!can_leave[node]) {
            leaves[node] = true;
            mark_backward(node, predecessors, can_leave);
        }
    }
}

/// Nodes by their number in a depth-first walk from the virtual node before all roots, which has number 0.
class SemiNca {
public:
    SemiNca(Lists const& successors, Lists const& predecessors, std::vector<bool> const& is_root)
        : successors_(successors),
          predecessors_(predecessors),
          is_root_(is_root),
          number_(successors.size(), none) {
        number_nodes();
    }

    Nodes run() {
        auto const count = static_cast<std::uint32_t>(node_.size());
        semidominator_.resize(count);
        std::iota(semidominator_.begin(), semidominator_.end(), 0u);
        best_ = semidominator_;
        ancestor_ = parent_;
        for (std::uint32_t n = count; n-- > 1;) {
            find_semidominator(n);
        }
        Nodes dominator = parent_;
        for (std::uint32_t n = 1; n < count; ++n) {
            while (dominator[n] > semidominator_[n]) {
                dominator[n] = dominator[dominator[n]];
            }
        }
        Nodes result(number_.size(), none);
        for (std::uint32_t n = 1; n < count; ++n) {
            if (dominator[n] != 0) {
                result[node_[n]] = node_[dominator[n]];
            }
        }
        return result;
    }

private:
    void number_nodes() {
        node_.push_back(none);
        parent_.push_back(0);
        for (std::uint32_t root = 0; root < number_.size(); ++root) {
            if (is_root_[root] && number_[root] == none) {
                number_from(root);
            }
        }
    }

    void number_from(std::uint32_t root) {
        struct Step {
            std::uint32_t node;
            std::size_t next;
        };
        std::vector<Step> path;
        auto const enter = [&](std::uint32_t node, std::uint32_t parent) {
            number_[node] = static_cast<std::uint32_t>(node_.size());
            node_.push_back(node);
            parent_.push_back(parent);
            path.push_back({node, 0});
        };
        enter(root, 0);
        while (!path.empty()) {
            Step& step = path.back();
            std::span<std::uint32_t const> const next = successors_[step.node];
            if (step.next == next.size()) {
                path.pop_back();
            } else if (std::uint32_t const node = next[step.next++]; number_[node] == none) {
                enter(node, number_[step.node]);
            }
        }
    }

    void find_semidominator(std::uint32_t n) {
        std::uint32_t semidominator = is_root_[node_[n]] ? 0 : parent_[n];
        for (std::uint32_t const before : predecessors_[node_[n]]) {
            if (number_[before] == none) {
                continue;
            }
            semidominator = std::min(semidominator, semidominator_[evaluate(number_[before], n)]);
        }
        semidominator_[n] = semidominator;
    }

    /// The node with the smallest semidominator on the tree path from `n` up to, but without, the nodes that are
    /// not yet done (numbers up to `current`); compresses that path for later calls.
    std::uint32_t evaluate(std::uint32_t n, std::uint32_t current) {
        if (n <= current) {
            return n;
        }
        path_.clear();
        for (std::uint32_t at = n; ancestor_[at] > current; at = ancestor_[at]) {
            path_.push_back(at);
        }
        for (; !path_.empty(); path_.pop_back()) {
            std::uint32_t const at = path_.back();
            std::uint32_t const above = ancestor_[at];
            if (semidominator_[best_[above]] < semidominator_[best_[at]]) {
                best_[at] = best_[above];
            }
            ancestor_[at] = ancestor_[above];
        }
        return best_[n];
    }

    Lists const& successors_;
    Lists const& predecessors_;
    std::vector<bool> const& is_root_;
    Nodes number_;                                           // by node
    Nodes node_, parent_, semidominator_, best_, ancestor_;  // by number
    Nodes path_;
};

}  // namespace

std::vector<std::uint32_t> immediate_dominators(Lists const& successors, Lists const& predecessors,
                                                std::vector<bool> const& is_root) {
    return SemiNca(successors, predecessors, is_root).run();
}

std::vector<std::uint32_t> immediate_post_dominators(Lists const& successors, std::vector<bool> leaves) {
    Lists const predecessors = reversed(successors);
    open_endless_cycles(successors, predecessors, leaves);
    return immediate_dominators(predecessors, successors, leaves);
}

DominatorTree::DominatorTree(Function const& function)
    : enter_(function.blocks.size(), none), leave_(function.blocks.size(), none) {
    if (function.blocks.empty()) {
        return;
    }
    Lists const successors = successors_of(function);
    std::vector<bool> is_entry(function.blocks.size(), false);
    is_entry[0] = true;
    immediate_ = immediate_dominators(successors, reversed(successors), is_entry);
    std::vector<Nodes> below(function.blocks.size());
    for (std::uint32_t b = 0; b < immediate_.size(); ++b) {
        if (immediate_[b] != none) {
            below[immediate_[b]].push_back(b);
        }
    }
    // The children of a node are visited from the last to the first; a node that is on top of the stack for the
    // second time has been visited with everything below it.
    std::uint32_t clock = 0;
    Nodes pending{0};
    while (!pending.empty()) {
        std::uint32_t const block = pending.back();
        if (enter_[block] == none) {
            enter_[block] = clock++;
            pending.insert(pending.end(), below[block].begin(), below[block].end());
        } else {
            leave_[block] = clock;
            pending.pop_back();
        }
    }
}

bool DominatorTree::dominates(std::uint32_t other, std::uint32_t block) const {
    if (other == block) {
        return true;
    }
    if (!is_reached(other) || !is_reached(block)) {
        return false;
    }
    return enter_[other] < enter_[block] && enter_[block] < leave_[other];
}

std::uint32_t DominatorTree::common(std::uint32_t a, std::uint32_t b) const {
    // A dominator is entered before the blocks that it dominates.
    while (a != b) {
        std::uint32_t& later = enter_[a] > enter_[b] ? a : b;
        later = immediate_[later];
    }
    return a;
}

}  // namespace warpsim::ir
