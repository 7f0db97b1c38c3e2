// How ldmatrix and stmatrix bring the bytes of a matrix's rows in memory to other lanes' registers, or back.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsim::sim {

/// The layout that changes where bytes are; "": four lanes have a row as it is.
std::string_view arrangement_name(ir::Form const& form, bool is_load);
/// Bits of the elements in memory where they become bytes; 0: they are what they are.
int packed_row_bits(ir::Form const& form);
/// For each byte of the registers, lane by lane, the byte of the rows, which have 16 each.
std::vector<std::uint16_t> arranged_bytes(std::string_view layout);

}  // namespace warpsim::sim
