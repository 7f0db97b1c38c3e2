// What the four warps of a warpgroup have executed of its common products (wgmma). Each warp computes its rows when it
// executes the instruction, at a time of its own; what all four must have done is looked at here.
#pragma once

#include "sim/exec/op.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::sim {

struct Cta;
struct Warp;

inline constexpr std::uint32_t warps_of_group = 4;

/// wgmma.fence, commit_group and wait_group.
struct WarpgroupOrder {
    enum class Kind : std::uint8_t { fence, commit, wait };
    Kind kind = Kind::fence;
    std::uint32_t left = 0;  // groups that may be under way behind a wait
};

struct Warpgroup {
    /// What must be the same in all warps.
    struct Product {
        Op const* op = nullptr;
        std::uint64_t a = 0, b = 0;  // descriptors; 0 of an a in registers
        bool adds = false;
    };
    std::array<std::uint32_t, warps_of_group> executed{};   // products of each warp
    std::array<std::uint32_t, warps_of_group> committed{};  // groups of each warp
    std::vector<Product> ahead;                             // those that not all warps have executed, oldest first
    std::uint32_t first = 0;                                // the number of the oldest one

    /// Warp number `part` of the group executes its next product. What differs from those that executed it before:
    /// "the descriptor of a", and the like; empty where all is the same.
    std::string execute(std::uint32_t part, Product const& product);
    /// Which of the warps have not committed the groups that a wait of warp `part` is for: a bit for each.
    std::uint32_t missing(std::uint32_t part, std::uint32_t left) const;
};

/// The warpgroup that a warp belongs to.
Warpgroup& warpgroup_of(Cta& cta, Warp const& warp);

/// "warps 5 and 7", of those of the group that begins with warp `first`.
std::string warps_text(std::uint32_t first, std::uint32_t parts);

}  // namespace warpsim::sim
