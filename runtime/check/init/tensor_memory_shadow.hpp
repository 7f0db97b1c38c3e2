// Which bits of the tensor memory of one CTA nobody has written.
#pragma once

#include "runtime/check/init/origin.hpp"
#include "sim/tensor_memory/tensor_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpsim::check {

class TensorMemoryShadow {
public:
    struct Cell {
        std::uint32_t bits = 0;
        OriginId origin = 0;  // of an undefined value that was written
    };
    /// Columns that have just been allocated.
    void undefine(std::uint32_t first, std::uint32_t count) {
        std::fill_n(&cells_[place(0, first)], std::size_t{count} * sim::tensor_memory::lanes, Cell{UINT32_MAX, 0});
    }
    static bool has(std::uint32_t lane, std::uint32_t column) {
        return lane < sim::tensor_memory::lanes && column < sim::tensor_memory::columns;
    }
    Cell& at(std::uint32_t lane, std::uint32_t column) { return cells_[place(lane, column)]; }

private:
    static std::size_t place(std::uint32_t lane, std::uint32_t column) {
        return std::size_t{column} * sim::tensor_memory::lanes + lane;
    }
    std::vector<Cell> cells_ =
        std::vector<Cell>(std::size_t{sim::tensor_memory::lanes} * sim::tensor_memory::columns);
};

}  // namespace warpsim::check
