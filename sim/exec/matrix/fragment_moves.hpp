// Fragments of wmma in memory: where the elements of each register are, and the move of all of them at once.
#pragma once

#include "sim/exec/op.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::sim {

/// How a register's part of a matrix lies in memory.
enum class Lying : std::uint8_t {
    rows,       // eight lines of 16 bytes: of four lanes each
    columns,    // eight lines of 16 bytes of halves that stand across the lanes
    scattered,  // each lane's by itself
};

struct FragmentAddresses {
    Slot address = 0;
    bool address_is_64 = true;
    bool is_at_one_place = false;
    std::int64_t offset = 0;
    bool has_stride = false;
    Slot stride = 0;
    std::uint64_t default_stride = 0;  // elements
    std::uint64_t element_bits = 0;
    std::uint64_t alignment = 1;
    struct Part {
        Slot lanes = 0;                                // a column of 64-bit addresses
        std::array<std::uint8_t, 32> line{}, place{};  // of each lane's element: lines are rows, or columns
    };
    std::vector<Part> parts;
    // What the first op needs to move the elements itself.
    struct Register {
        Slot data = 0;
        Lying lying = Lying::scattered;
    };
    std::vector<Register> registers;
    std::size_t parts_of_register = 1;
    std::size_t part_bytes = 4, register_bytes = 4;
    std::uint64_t last_line = 0, last_place = 0;
    SpaceKind space = SpaceKind::generic;
    bool is_store = false;

    std::uint64_t byte_of(std::uint64_t line, std::uint64_t place, std::uint64_t line_elements) const {
        return (line * line_elements + place) * element_bits / 8;
    }
};

/// `parts` are those of one register.
Lying lying_of(std::span<FragmentAddresses::Part const> parts, std::size_t part_bytes, std::size_t element_bits);

/// Moves a fragment whose matrix begins at `base`. False, and nothing is done, where somebody looks on or an address is not
/// an ordinary one.
bool move_fragment(WarpInstruction const& i, FragmentAddresses const& f, std::uint64_t base, std::uint64_t stride);

}  // namespace warpsim::sim
