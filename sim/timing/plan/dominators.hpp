// Which block every way to another leads through.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

class Dominators {
public:
    explicit Dominators(ir::Function const& function);

    /// The nearest block that dominates this one; of the entry and of what nothing leads to the block itself.
    std::uint32_t above(std::uint32_t block) const { return above_[block]; }
    bool is_reached(std::uint32_t block) const { return number_[block] != ir::none; }
    /// Whether every way to `block` leads through `other`; a block dominates itself.
    bool dominates(std::uint32_t other, std::uint32_t block) const;
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const;

private:
    std::vector<std::uint32_t> number_;  // in an order in which dominators come first
    std::vector<std::uint32_t> above_;
    std::vector<std::uint32_t> enter_, leave_;  // of the tree of dominators
};

}  // namespace warpsim::timing
