// Which thread did something, and in which line.
#pragma once

#include "frontend/ir/module.hpp"
#include "runtime/check/findings/finding.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace warpsim::check {

/// An instruction as indices into Module::functions and Function::instructions.
struct Instruction {
    std::uint32_t function = ir::none;
    std::uint32_t index = 0;

    bool operator==(Instruction const&) const = default;
};

/// `thread` is its number in the block.
Act act_of(std::string verb, ir::Module const& module, Instruction which,
           std::array<std::uint32_t, 3> const& block, std::uint32_t thread,
           std::array<std::uint32_t, 3> const& block_shape);

/// "block (0,0,0), thread (3,0,0)"
std::string who(Act const& act);
/// Of a block that is so many in the grid.
std::array<std::uint32_t, 3> place_in(std::array<std::uint32_t, 3> const& shape, std::uint64_t number);
std::string dims_text(std::array<std::uint32_t, 3> const& v);

}  // namespace warpsim::check
