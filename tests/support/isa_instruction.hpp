// Finds the lane function of a mnemonic and runs it on columns, for the tests of the instruction table.
#pragma once

#include "frontend/isa/table.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::isa::test {

/// The bits of 32 lanes; a predicate is 0 or 1.
using Lanes = std::array<std::uint64_t, warp_size>;

struct Instruction {
    Row const* row = nullptr;
    Variant const* variant = nullptr;
    LaneFunction run = nullptr;
    LaneFunction second_pass = nullptr;  // .sat
    std::uint64_t immediate = 0;
};

/// The hosts that this machine can run.
std::vector<HostIsa> hosts();

/// The instruction with this mnemonic, and with this many sources when one mnemonic has several lines; the order
/// of modifiers is free. None when no row has it.
std::optional<Instruction> find(HostIsa host, std::string_view mnemonic, std::optional<std::size_t> sources = {});

/// Runs it under `mask`; fails the test when an inactive lane changed. Lanes outside the mask are 0 in the result.
/// The carry that the instruction produces goes to `carry_out` (0 in inactive lanes).
Lanes run(Instruction const& instruction, std::vector<Lanes> const& sources, LaneMask mask = all_lanes,
          LaneMask* carry_out = nullptr);

/// All lanes alike.
Lanes everywhere(std::uint64_t bits);
/// xorshift: the same numbers in every run.
class Random {
public:
    std::uint64_t next();
    Lanes lanes();
    LaneMask mask() { return static_cast<LaneMask>(next() >> 16); }
    /// Bits of values of the type, with the limits of its range more often than by chance.
    Lanes values(Type type);

private:
    std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

}  // namespace warpsim::isa::test
