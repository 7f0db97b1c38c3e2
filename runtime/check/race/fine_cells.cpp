#include "runtime/check/race/fine_cells.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::check {

/// Chooses another base from which all numbers are in reach, and those of one more.
bool FineCells::include(Cell const& more) {
    std::uint32_t least = ~std::uint32_t{0}, most = 0;
    auto const add = [&](Cell const& cell) {
        for (std::uint32_t const number : {cell.write_number(), cell.read_number()}) {
            if (number == 0) continue;
            least = std::min(least, number);
            most = std::max(most, number);
        }
    };
    add(more);
    for (std::uint32_t i = 0; i < count_; ++i) add(load(i));
    if (most - least + 1 > most_numbers) return false;
    // With room before them, as not all records come in order.
    std::uint32_t const spare = most_numbers - (most - least + 1);
    FineCells moved(count_);
    moved.base_ = least - 1 - std::min(least - 1, spare / 4);
    for (std::uint32_t i = 0; i < count_; ++i) moved.store(i, load(i));
    *this = std::move(moved);
    return true;
}

}  // namespace warpsim::check
