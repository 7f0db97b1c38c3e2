// The registers whose values pass from one block to another, and the data flow between blocks for just those.
#pragma once

#include "frontend/ir/analysis/backward_flow.hpp"
#include "frontend/ir/analysis/register_uses.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::ir {

/// A register is global when some block reads it before writing it.
class GlobalRegisters {
public:
    /// A global register as one block sees it.
    struct Mention {
        std::uint32_t block = 0;
        std::uint32_t reg = 0;
        bool needed_before = false;  // read before every lane has written it
        bool replaced = false;       // written in every lane that executes the block
        bool live_out = false;       // valid after solve()
    };

    explicit GlobalRegisters(RegisterUses const& uses);

    /// Calls callback(flow, registers) for one group of global registers after the other: index i in the sets of
    /// the solved flow stands for registers[i].
    template <class Callback> void solve(Callback&& callback) {
        BackwardFlow flow(function_);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            solve_group(flow, groups_[g]);
            std::size_t const first = RegisterGroup::size * g;
            callback(flow,
                     std::span<std::uint32_t const>(registers_.data() + first,
                                                    std::min(RegisterGroup::size, registers_.size() - first)));
        }
    }

    std::span<Mention const> mentions(std::uint32_t block) const {
        return {mentions_.data() + first_mention_[block], first_mention_[block + 1] - first_mention_[block]};
    }

private:
    void collect_mentions(RegisterUses const& uses);
    void divide();
    void solve_group(BackwardFlow& flow, std::vector<std::uint32_t> const& group);

    Function const& function_;
    std::vector<Mention> mentions_;             // in the order of their blocks
    std::vector<std::uint32_t> first_mention_;  // per block
    /// In the order of first appearance, because neighbours there tend to be live in the same blocks.
    std::vector<std::uint32_t> registers_;
    std::vector<std::uint32_t> position_;             // per register: in registers_; none
    std::vector<std::vector<std::uint32_t>> groups_;  // mentions of RegisterGroup::size registers each
};

}  // namespace warpsim::ir
