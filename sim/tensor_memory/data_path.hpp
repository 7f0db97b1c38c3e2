// Which rows and columns of D stand in which lanes: PTX ISA, "Data Path Layout Organization". What a lane computes it
// computes from what stands in its own lane, or in its own quarter: elements of a in tensor memory, metadata and scales.
#pragma once

#include "sim/tensor_memory/instruction_descriptor.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::sim::tensor_memory {

inline constexpr std::uint32_t segment_lanes = 16;

/// 16 lanes that follow one another have 16 rows that do.
struct Segment {
    std::uint32_t cta = 0;                        // of the pair
    std::uint32_t lane = 0;                       // the first
    std::uint32_t row = 0;                        // the first of those of a that this CTA has
    std::uint32_t first_column = 0, columns = 0;  // of D; the first stands in the column of D's address
    bool operator==(Segment const&) const = default;
};

/// Only half of the lanes are used: D may begin in lane 0 or 16.
bool uses_half(Instruction const& i);

std::vector<Segment> segments_of(Instruction const& i, std::uint32_t first_lane);

/// Columns of tensor memory that D takes.
std::uint32_t columns_of_d(Instruction const& i);

}  // namespace warpsim::sim::tensor_memory
