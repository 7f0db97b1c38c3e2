// Backward data flow over the blocks of a function for a group of registers at a time: a few words per block hold
// them all, so memory grows with the number of blocks and not with its product with the registers.
#pragma once

#include "frontend/ir/analysis/flow_graph.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::ir {

/// A set of the registers of one group.
struct RegisterGroup {
    static constexpr std::size_t size = 256;
    std::array<std::uint64_t, size / 64> words{};

    void insert(std::size_t i) { words[i / 64] |= std::uint64_t{1} << i % 64; }
    bool contains(std::size_t i) const { return (words[i / 64] >> i % 64 & 1) != 0; }
    bool empty() const { return *this == RegisterGroup{}; }
    bool operator==(RegisterGroup const&) const = default;

    RegisterGroup& operator|=(RegisterGroup const& other) {
        for (std::size_t w = 0; w < words.size(); ++w) words[w] |= other.words[w];
        return *this;
    }
    RegisterGroup without(RegisterGroup const& other) const {
        RegisterGroup result;
        for (std::size_t w = 0; w < words.size(); ++w) result.words[w] = words[w] & ~other.words[w];
        return result;
    }
    std::uint32_t count_common(RegisterGroup const& other) const {
        int count = 0;
        for (std::size_t w = 0; w < words.size(); ++w) count += std::popcount(words[w] & other.words[w]);
        return static_cast<std::uint32_t>(count);
    }
    template <class Callback> void for_each(Callback&& callback) const {
        for (std::size_t w = 0; w < words.size(); ++w) {
            for (std::uint64_t left = words[w]; left != 0; left &= left - 1) {
                callback(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
            }
        }
    }
};

/// What is live where, for one group of registers at a time: clear(), say what the blocks do, solve(), then ask.
class BackwardFlow {
public:
    explicit BackwardFlow(Function const& function);

    void clear();
    /// The block reads the register before it writes it.
    void needs(std::uint32_t block, std::size_t i) { touch(block).needed.insert(i); }
    void replaces(std::uint32_t block, std::size_t i) { touch(block).replaced.insert(i); }
    void solve();

    RegisterGroup const& live_in(std::uint32_t block) const { return states_[block].live_in; }
    RegisterGroup const& live_out(std::uint32_t block) const { return states_[block].live_out; }
    /// In program order, all blocks at which something may be live.
    std::span<std::uint32_t const> touched() const { return touched_; }

private:
    struct State {
        RegisterGroup needed, replaced, live_in, live_out;
        bool is_touched = false;
    };

    State& touch(std::uint32_t block);
    void visit(std::uint32_t block);

    Lists predecessors_;         // per block
    std::vector<State> states_;  // per block
    std::vector<std::uint32_t> touched_;
    std::vector<std::uint64_t> pending_;  // a bit per block
};

}  // namespace warpsim::ir
