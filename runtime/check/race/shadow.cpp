#include "runtime/check/race/shadow.hpp"

namespace warpsim::check {

void Tile::renew(std::uint32_t era) {
    era_ = era;
    cell_log2_ = step_log2_ = Stamp::coarsest_log2;
    if (!cells_) cells_ = std::make_unique<Cell[]>(bytes >> cell_log2_);
    else std::fill_n(cells_.get(), bytes >> cell_log2_, Cell{});
}

void Tile::refine(unsigned log2) {
    std::uint32_t const parts = 1u << (cell_log2_ - log2);
    std::unique_ptr<Cell[]> finer;
    if (log2 < finest_log2_) {
        finer = std::make_unique_for_overwrite<Cell[]>(bytes >> log2);
        finest_log2_ = static_cast<std::uint8_t>(log2);
    }
    Cell* const to = finer ? finer.get() : cells_.get();
    // From the end on, since both may be the same memory.
    for (std::uint32_t i = bytes >> cell_log2_; i-- > 0;) {
        Cell const whole = cells_[i];
        for (std::uint32_t part = parts; part-- > 0;) to[i * parts + part] = whole.part(part << log2);
    }
    if (finer) cells_ = std::move(finer);
    cell_log2_ = static_cast<std::uint8_t>(log2);
}

void Tile::forget(std::uint64_t begin, std::uint64_t end) {
    if (!cells_ || begin >= end) return;
    std::fill(cells_.get() + (begin >> cell_log2_), cells_.get() + ((end - 1) >> cell_log2_) + 1, Cell{});
}

std::size_t ShadowBlock::held_bytes() const {
    std::size_t held = tiles_.capacity() * sizeof(Tile);
    for (Tile const& tile : tiles_) held += tile.held_bytes();
    return held;
}

ShadowBlock& ShadowMemory::find_block(std::uint64_t number) {
    std::unique_ptr<ShadowBlock>& block = blocks_[number];
    if (!block) block = std::make_unique<ShadowBlock>(block_bytes);
    recent_[number % recent_.size()] = {number, block.get()};
    return *block;
}

void ShadowMemory::forget(std::uint64_t begin, std::uint64_t end) {
    for_each_block(begin, end, [&](std::uint64_t at, ShadowBlock& block) {
        for (std::size_t i = 0; i < block.tiles().size(); ++i) {
            std::uint64_t const tile = at + i * Tile::bytes;
            block.tiles()[i].forget(std::clamp(begin, tile, tile + Tile::bytes) - tile,
                                    std::clamp(end, tile, tile + Tile::bytes) - tile);
        }
        return false;
    });
}

std::size_t ShadowMemory::held_bytes() const {
    std::size_t held = 0;
    for (auto const& [number, block] : blocks_) held += block->held_bytes();
    return held;
}

}  // namespace warpsim::check
