#include "sim/tensor_memory/tensor_memory.hpp"

#include <algorithm>
#include <cstddef>

namespace warpsim::sim::tensor_memory {

std::string columns_text(std::uint32_t first, std::uint32_t count) {
    if (count == 1) return "column " + std::to_string(first);
    return "columns " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

std::optional<std::uint32_t> TensorMemory::allocate(std::uint32_t count, Allocator const& by) {
    auto const wanted = static_cast<std::ptrdiff_t>(count / unit_columns);
    auto const at = std::search_n(owner_.begin(), owner_.end(), wanted, std::uint16_t{0});
    if (at == owner_.end()) return std::nullopt;
    allocators_.push_back(by);
    std::fill_n(at, wanted, static_cast<std::uint16_t>(allocators_.size()));
    smallest = std::min(smallest, count);
    return static_cast<std::uint32_t>(at - owner_.begin()) * unit_columns;
}

bool TensorMemory::fits(std::uint32_t count) const {
    auto const wanted = static_cast<std::ptrdiff_t>(count / unit_columns);
    return std::search_n(owner_.begin(), owner_.end(), wanted, std::uint16_t{0}) != owner_.end();
}

void TensorMemory::free(std::uint32_t first, std::uint32_t count) {
    std::fill_n(owner_.begin() + first / unit_columns, count / unit_columns, std::uint16_t{0});
}

bool TensorMemory::has(std::uint32_t first, std::uint32_t count) const {
    if (first >= columns || count > columns - first) return false;
    for (std::uint32_t c = first / unit_columns; c * unit_columns < first + count; ++c)
        if (owner_[c] == 0) return false;
    return true;
}

std::uint32_t TensorMemory::allocated() const {
    return unit_columns * static_cast<std::uint32_t>(owner_.size() - static_cast<std::size_t>(std::count(
                                                                         owner_.begin(), owner_.end(), 0)));
}

std::string TensorMemory::allocated_text() const {
    std::string text;
    for (std::uint32_t unit = 0; unit < units;) {
        if (owner_[unit] == 0) {
            ++unit;
            continue;
        }
        std::uint32_t const first = unit;
        while (unit < units && owner_[unit] != 0) ++unit;
        text += (text.empty() ? "columns " : " and ") + std::to_string(first * unit_columns) + " to " +
                std::to_string(unit * unit_columns - 1);
    }
    return text.empty() ? "no columns" : text;
}

std::optional<TensorMemory::Leak> TensorMemory::leak() const {
    for (std::uint32_t unit = 0; unit < units; ++unit) {
        if (owner_[unit] == 0) continue;
        std::uint32_t past = unit;
        while (past < units && owner_[past] == owner_[unit]) ++past;
        return Leak{unit * unit_columns, (past - unit) * unit_columns, allocators_[owner_[unit] - 1u]};
    }
    return std::nullopt;
}

}  // namespace warpsim::sim::tensor_memory
