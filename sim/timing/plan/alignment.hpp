// What is known of the low bits of addresses.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// Shared variables begin at multiples of 16 bytes, which a compiler that lays them out itself can rely on.
inline constexpr std::uint8_t most_known_bits = 4;
/// Constant variables begin at multiples of 8 bytes at least, whatever the PTX says.
inline constexpr std::uint8_t known_bits_of_constants = 3;

/// For each register how many low bits of an integer in it are zero in every thread: at most `most_known_bits`.
std::vector<std::uint8_t> find_alignment(MachineFunction const& m);

}  // namespace warpsim::timing
