#include "runtime/check/race/shadow.hpp"

namespace warpsim::check {

void ShadowBlock::refine(unsigned log2) {
    std::size_t const parts = std::size_t{1} << (log2_ - log2);
    std::vector<Cell> finer;
    finer.reserve(cells_.size() * parts);
    for (Cell const& cell : cells_) finer.insert(finer.end(), parts, cell);
    cells_ = std::move(finer);
    log2_ = log2;
}

void ShadowMemory::find_block(std::uint64_t number) {
    std::unique_ptr<ShadowBlock>& block = blocks_[number];
    if (!block) block = std::make_unique<ShadowBlock>(std::size_t{1} << block_log2);
    last_ = number;
    last_block_ = block.get();
}

}  // namespace warpsim::check
