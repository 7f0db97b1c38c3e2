#include "runtime/check/race/shadow.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::check {

std::span<Cell> ShadowBlock::cells(std::uint64_t offset, std::uint32_t bytes) {
    auto const needed = static_cast<unsigned>(std::countr_zero(offset | bytes));
    if (needed < log2_) refine(needed);
    std::size_t const first = offset >> log2_, count = std::max<std::size_t>(bytes >> log2_, 1);
    if (first + count > cells_.size()) cells_.resize(first + count);
    return {cells_.data() + first, count};
}

void ShadowBlock::refine(unsigned log2) {
    std::size_t const parts = std::size_t{1} << (log2_ - log2);
    std::vector<Cell> finer;
    finer.reserve(cells_.size() * parts);
    for (Cell const& cell : cells_) finer.insert(finer.end(), parts, cell);
    cells_ = std::move(finer);
    log2_ = log2;
}

std::span<Cell> ShadowMemory::cells(std::uint64_t address, std::uint32_t bytes) {
    std::uint64_t const number = address >> block_log2;
    if (number != last_) {
        std::unique_ptr<ShadowBlock>& block = blocks_[number];
        if (!block) block = std::make_unique<ShadowBlock>(std::size_t{1} << block_log2);
        last_ = number;
        last_block_ = block.get();
    }
    return last_block_->cells(address & ((std::uint64_t{1} << block_log2) - 1), bytes);
}

}  // namespace warpsim::check
