// Who has last written and read each part of memory.
//
// Neighbouring lanes mostly access neighbouring bytes, so a cell stands for 16 bytes, and says of each who it was by the first
// lane and the bytes of each. Where that cannot say it, a tile of memory has smaller cells.
#pragma once

#include "runtime/check/race/cell.hpp"
#include "runtime/check/race/fine_cells.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsim::check {

class Tile;

/// The cells of an access. Those that are kept in another form are copies, which are put back in the end.
class Cells {
public:
    Cells(Cell* cells, std::size_t count) : cells_(cells), count_(count) {}
    Cells(Tile& tile, std::uint32_t first, std::size_t count);
    Cells(Cells const&) = delete;
    Cells& operator=(Cells const&) = delete;
    ~Cells() {
        if (tile_ != nullptr) put_back();
    }
    Cell* begin() const { return cells_; }
    Cell* end() const { return cells_ + count_; }
    std::size_t size() const { return count_; }
    Cell& operator[](std::size_t i) const { return cells_[i]; }

    static constexpr std::size_t most = 32;  // an access by one lane has so many bytes

private:
    void put_back();

    Cell* cells_;
    std::size_t count_;
    Tile* tile_ = nullptr;
    std::uint32_t first_ = 0;
    alignas(Cell) std::byte copies_[most * sizeof(Cell)];
};

/// Some memory, and its cells once it has been touched.
class Tile {
public:
    static constexpr unsigned bytes_log2 = 8;
    static constexpr std::uint32_t bytes = 1u << bytes_log2;

    /// The cells of `size` bytes from `offset` on, for an access by one lane in units of 2^log2 bytes: each has one lane. What was
    /// before `era` is forgotten.
    Cells cells_of_one(std::uint32_t era, unsigned log2, std::uint32_t offset, std::uint32_t size,
                       bool may_be_fine) {
        if (era_ != era) renew(era);
        log2 = std::min<unsigned>(log2, step_log2_);
        if (log2 < cell_log2_) refine(log2, may_be_fine);
        return part(offset, size);
    }
    /// ... for neighbouring lanes that each access 2^step_log2 bytes.
    Cells cells_of_many(std::uint32_t era, unsigned step_log2, std::uint32_t offset, std::uint32_t size) {
        if (era_ != era) renew(era);
        if (step_log2 < step_log2_) step_log2_ = static_cast<std::uint8_t>(step_log2);
        if (fine_ && step_log2 < cell_log2_) refine(step_log2, true);
        return part(offset, size);
    }
    /// Calls visit(offset, bytes of the cell, cell), until it says true.
    template <class Visit> bool for_each_touched(std::uint32_t era, Visit const& visit) const {
        if (era_ != era) return false;
        std::uint32_t const step = 1u << cell_log2_;
        for (std::uint32_t at = 0; at < bytes; at += step)
            if (visit(at, step, fine_ ? fine_->load(at >> cell_log2_) : cells_[at >> cell_log2_])) return true;
        return false;
    }
    /// The numbers of records become others, in the same order.
    template <class Renumbered> void renumber(std::uint32_t era, Renumbered const& renumbered) {
        if (era_ != era) return;
        if (!fine_) {
            for (std::uint32_t i = 0; i < bytes >> cell_log2_; ++i) cells_[i].renumber(renumbered);
            return;
        }
        auto const before =
            std::exchange(fine_, std::make_unique<FineCells>(bytes >> cell_log2_, most_fine_bytes));
        for (std::uint32_t i = 0; i < bytes >> cell_log2_; ++i) {
            Cell cell = before->load(i);
            cell.renumber(renumbered);
            fine_->store(i, cell);
        }
    }
    void forget(std::uint64_t begin, std::uint64_t end);
    std::size_t held_bytes() const {
        return fine_ ? fine_->held_bytes() : cells_ ? (bytes >> finest_log2_) * sizeof(Cell) : 0;
    }

private:
    friend class Cells;
    void renew(std::uint32_t era);
    void refine(unsigned log2, bool may_be_fine);
    Cells part(std::uint32_t offset, std::uint32_t size) {
        std::uint32_t const first = offset >> cell_log2_;
        std::size_t const count = std::max<std::size_t>(size >> cell_log2_, 1);
        if (fine_) return {*this, first, count};
        return {cells_.get() + first, count};
    }
    static constexpr unsigned coarsest_fine_log2 = 1;
    /// With records, of which two warps make one each for 32 bytes, four for each byte.
    static constexpr std::size_t most_fine_bytes = 800;

    std::unique_ptr<Cell[]> cells_;
    std::unique_ptr<FineCells> fine_;  // in their place
    std::uint32_t era_ = 0;
    std::uint8_t cell_log2_ = Stamp::coarsest_log2;
    std::uint8_t finest_log2_ = Stamp::coarsest_log2;  // for which there is room
    std::uint8_t step_log2_ = Stamp::coarsest_log2;    // the least of the stamps
};

/// Cells for some memory.
class ShadowBlock {
public:
    explicit ShadowBlock(std::size_t bytes) : tiles_((bytes + Tile::bytes - 1) / Tile::bytes) {}

    /// The cells of `bytes` at `offset`, aligned to their size, for an access by one lane. `may_be_fine`: they are to take little
    /// room, where they are small.
    Cells cells_of_one(std::uint64_t offset, std::uint32_t bytes, std::uint32_t era, bool may_be_fine) {
        return tile_of(offset).cells_of_one(era, unit_log2(offset, bytes), in_tile(offset), bytes, may_be_fine);
    }
    Cells cells_of_one(std::uint64_t offset, std::uint32_t bytes) {
        return cells_of_one(offset, bytes, era_, false);
    }
    /// ... for neighbouring lanes that each access 2^step_log2 of the 16 bytes at `offset`.
    Cells cells_of_many(std::uint64_t offset, unsigned step_log2, std::uint32_t era) {
        return tile_of(offset).cells_of_many(era, step_log2, in_tile(offset), 1u << Stamp::coarsest_log2);
    }
    Cells cells_of_many(std::uint64_t offset, unsigned step_log2) {
        return cells_of_many(offset, step_log2, era_);
    }
    /// Forgets everything.
    void renew(std::size_t bytes) {
        ++era_;
        tiles_.resize((bytes + Tile::bytes - 1) / Tile::bytes);
    }
    std::vector<Tile>& tiles() { return tiles_; }
    std::uint32_t era() const { return era_; }
    std::size_t held_bytes() const;

    static unsigned unit_log2(std::uint64_t offset, std::uint32_t bytes) {
        return std::min(static_cast<unsigned>(std::countr_zero(offset | bytes)), Stamp::coarsest_log2);
    }

private:
    Tile& tile_of(std::uint64_t offset) {
        std::size_t const number = offset >> Tile::bytes_log2;
        if (number >= tiles_.size()) tiles_.resize(number + 1);
        return tiles_[number];
    }
    static std::uint32_t in_tile(std::uint64_t offset) {
        return static_cast<std::uint32_t>(offset & (Tile::bytes - 1));
    }

    std::vector<Tile> tiles_;
    std::uint32_t era_ = 1;
};

/// Shadow of the shared memory of a CTA.
struct SharedShadow {
    ShadowBlock block;
    /// So many records were there when its threads have last met, and none of them can race with any of the threads: those of
    /// threads of other CTAs and of engines, of which that is not known, are not there.
    std::uint32_t settled = 0;
    bool has_others = false;

    explicit SharedShadow(std::size_t bytes) : block(bytes) {}
    std::uint32_t settled_records() const { return has_others ? 0 : settled; }
};

/// Shadow of global memory, in blocks that are made when they are first touched.
class ShadowMemory {
public:
    Cells cells_of_one(std::uint64_t address, std::uint32_t bytes) {
        return block_of(address).cells_of_one(address & (block_bytes - 1), bytes, era_, true);
    }
    Cells cells_of_many(std::uint64_t address, unsigned step_log2) {
        return block_of(address).cells_of_many(address & (block_bytes - 1), step_log2, era_);
    }

    /// Forgets everything, or some of it.
    void forget() { ++era_; }
    void forget(std::uint64_t begin, std::uint64_t end);
    /// Calls visit(address, bytes of the cell, cell) for those of the range that there are, until it says true.
    template <class Visit> void for_each_touched(std::uint64_t begin, std::uint64_t end, Visit const& visit) {
        for_each_block(begin, end, [&](std::uint64_t at, ShadowBlock& block) {
            for (Tile const& tile : block.tiles()) {
                std::uint64_t const first =
                    at + static_cast<std::uint64_t>(&tile - block.tiles().data()) * Tile::bytes;
                if (first >= end || first + Tile::bytes <= begin) continue;
                bool const is_done =
                    tile.for_each_touched(era_, [&](std::uint32_t offset, std::uint32_t bytes, Cell const& cell) {
                        std::uint64_t const address = first + offset;
                        return address < end && address + bytes > begin && visit(address, bytes, cell);
                    });
                if (is_done) return true;
            }
            return false;
        });
    }
    /// Calls visit(tile) for all.
    template <class Visit> void for_each_tile(Visit const& visit) {
        for (auto& [number, block] : blocks_)
            for (Tile& tile : block->tiles()) visit(tile);
    }
    std::uint32_t era() const { return era_; }
    std::size_t held_bytes() const;

private:
    ShadowBlock& block_of(std::uint64_t address) {
        std::uint64_t const number = address >> block_log2;
        Known const& known = recent_[number % recent_.size()];
        return known.number == number ? *known.block : find_block(number);
    }
    ShadowBlock& find_block(std::uint64_t number);
    /// Calls visit(address, block) for those of the range that there are, until it says true.
    template <class Visit> void for_each_block(std::uint64_t begin, std::uint64_t end, Visit const& visit) {
        if (begin >= end) return;
        std::uint64_t const first = begin >> block_log2, last = (end - 1) >> block_log2;
        if (last - first < blocks_.size()) {
            for (std::uint64_t number = first; number <= last; ++number) {
                auto const found = blocks_.find(number);
                if (found != blocks_.end() && visit(number << block_log2, *found->second)) return;
            }
            return;
        }
        for (auto& [number, block] : blocks_)
            if (number >= first && number <= last && visit(number << block_log2, *block)) return;
    }

    static constexpr unsigned block_log2 = 12;
    static constexpr std::uint64_t block_bytes = std::uint64_t{1} << block_log2;
    std::unordered_map<std::uint64_t, std::unique_ptr<ShadowBlock>> blocks_;
    std::uint32_t era_ = 1;
    struct Known {
        std::uint64_t number = ~std::uint64_t{0};
        ShadowBlock* block = nullptr;
    };
    std::array<Known, 1024> recent_{};
};

}  // namespace warpsim::check
