#include "runtime/check/race/shadow.hpp"

#include <algorithm>
#include <new>

namespace warpsim::check {

Cells::Cells(Tile& tile, std::uint32_t first, std::size_t count)
    : cells_(reinterpret_cast<Cell*>(copies_)), count_(count), tile_(&tile), first_(first) {
    for (std::size_t i = 0; i < count; ++i)
        new (cells_ + i) Cell(tile.fine_->load(first + static_cast<std::uint32_t>(i)));
}

void Cells::put_back() {
    for (std::size_t i = 0; i < count_; ++i)
        tile_->fine_->store(first_ + static_cast<std::uint32_t>(i), cells_[i]);
}

void Tile::renew(std::uint32_t era) {
    era_ = era;
    cell_log2_ = step_log2_ = Stamp::coarsest_log2;
    fine_.reset();
    if (!cells_) {
        cells_ = std::make_unique<Cell[]>(bytes >> cell_log2_);
        finest_log2_ = cell_log2_;
    } else {
        std::fill_n(cells_.get(), bytes >> cell_log2_, Cell{});
    }
}

void Tile::refine(unsigned log2, bool may_be_fine) {
    std::uint32_t const parts = 1u << (cell_log2_ - log2), wholes = bytes >> cell_log2_;
    if (log2 <= coarsest_fine_log2 && may_be_fine) {
        auto fine = std::make_unique<FineCells>(bytes >> log2, most_fine_bytes);
        for (std::uint32_t i = 0; i < wholes; ++i) {
            Cell const one = fine_ ? fine_->load(i) : cells_[i];
            for (std::uint32_t part = 0; part < parts && one.is_any(); ++part)
                fine->store(i * parts + part, one.part(part << log2));
        }
        fine_ = std::move(fine);
        cells_.reset();
        cell_log2_ = static_cast<std::uint8_t>(log2);
        return;
    }
    std::unique_ptr<Cell[]> finer;
    if (log2 < finest_log2_) {
        finer = std::make_unique_for_overwrite<Cell[]>(bytes >> log2);
        finest_log2_ = static_cast<std::uint8_t>(log2);
    }
    Cell* const to = finer ? finer.get() : cells_.get();
    // From the end on, since both may be the same memory.
    for (std::uint32_t i = wholes; i-- > 0;) {
        Cell const one = cells_[i];
        for (std::uint32_t part = parts; part-- > 0;) to[i * parts + part] = one.part(part << log2);
    }
    if (finer) cells_ = std::move(finer);
    cell_log2_ = static_cast<std::uint8_t>(log2);
}

void Tile::forget(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    if (fine_)
        for (std::uint64_t i = begin >> cell_log2_; i <= (end - 1) >> cell_log2_; ++i)
            fine_->store(static_cast<std::uint32_t>(i), Cell{});
    if (!cells_) return;
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
