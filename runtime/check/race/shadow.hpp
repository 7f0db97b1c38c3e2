// Who has last written and read each part of memory.
//
// Neighbouring lanes mostly access neighbouring bytes, so a cell stands for 16 bytes, and says of each who it was by the first
// lane and the bytes of each. Where that cannot say it, a tile of memory has smaller cells.
#pragma once

#include "runtime/check/race/record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

/// Who accessed a cell: a record of an access by a warp, and which of its lanes.
struct Stamp {
    /// Readers that one stamp stands for. Of several it names one of the last.
    enum class Extent : std::uint8_t { lane, warp, cta, grid };

    std::uint32_t number = 0;  // of the record + 1; 0: nobody
    std::uint8_t lane = 0;
    /// Log2 of the bytes of each lane: if they are fewer than the cell's, `lane` is the first, and others follow it.
    std::uint8_t step_log2 = coarsest_log2;
    Extent extent = Extent::lane;
    std::uint16_t value_hash = 0;  // of what was written, 14 bits; 0: not known

    static constexpr unsigned coarsest_log2 = 4;

    bool is_any() const { return number != 0; }
    std::uint32_t record() const { return number - 1; }
    /// Both stand for the same access by the same lanes, in cells that have one lane.
    bool is_like(Stamp const& other) const {
        return number == other.number && lane == other.lane && extent == other.extent;
    }
};

/// The last write and the last read.
class Cell {
public:
    Cell() = default;
    /// Written, and not read since.
    explicit Cell(Stamp const& write) : write_(write.number), more_(more_of_write(write)) {}

    std::uint32_t write_number() const { return write_; }
    std::uint32_t read_number() const { return read_; }
    Stamp write() const {
        return {write_, static_cast<std::uint8_t>(more_ & 31), static_cast<std::uint8_t>(more_ >> 5 & 7),
                Stamp::Extent::lane, static_cast<std::uint16_t>(more_ >> hash_shift)};
    }
    Stamp read() const {
        std::uint32_t const more = more_ >> read_shift;
        return {read_, static_cast<std::uint8_t>(more & 31), static_cast<std::uint8_t>(more >> 5 & 7),
                static_cast<Stamp::Extent>(more >> 8 & 3), 0};
    }
    void set_read(Stamp const& stamp) {
        read_ = stamp.number;
        std::uint32_t const more =
            stamp.lane | std::uint32_t{stamp.step_log2} << 5 | static_cast<std::uint32_t>(stamp.extent) << 8;
        more_ = (more_ & ~(0x3ffu << read_shift)) | more << read_shift;
    }
    /// The part of a larger cell that begins so many bytes behind it.
    Cell part(std::uint32_t offset) const {
        Cell cell = *this;
        std::uint32_t const write_lane = more_ + (offset >> (more_ >> 5 & 7)),
                            read_lane = (more_ >> read_shift) + (offset >> (more_ >> (read_shift + 5) & 7));
        cell.more_ = (more_ & ~(31u | 31u << read_shift)) | (write_lane & 31) | (read_lane & 31) << read_shift;
        return cell;
    }
    /// Calls renumbered(number) for the records' numbers.
    template <class Renumbered> void renumber(Renumbered const& renumbered) {
        if (write_ != 0) write_ = renumbered(write_);
        if (read_ != 0) read_ = renumbered(read_);
    }

private:
    static constexpr unsigned read_shift = 8, hash_shift = 18;
    static std::uint32_t more_of_write(Stamp const& stamp) {
        return stamp.lane | std::uint32_t{stamp.step_log2} << 5 | std::uint32_t{stamp.value_hash} << hash_shift;
    }

    std::uint32_t write_ = 0, read_ = 0;
    // From the lowest bit on: lane and step of the write; lane, step and extent of the read; hash of the value.
    std::uint32_t more_ = 0;
};
static_assert(sizeof(Cell) == 12);

/// Some memory, and its cells once it has been touched.
class Tile {
public:
    static constexpr unsigned bytes_log2 = 8;
    static constexpr std::uint32_t bytes = 1u << bytes_log2;

    unsigned cell_log2() const { return cell_log2_; }
    /// The cells, for an access by one lane in units of 2^log2 bytes: each has one lane. What was before `era` is forgotten.
    Cell* cells_of_one(std::uint32_t era, unsigned log2) {
        if (era_ != era) renew(era);
        log2 = std::min<unsigned>(log2, step_log2_);
        if (log2 < cell_log2_) refine(log2);
        return cells_.get();
    }
    /// ... for neighbouring lanes that each access 2^step_log2 bytes.
    Cell* cells_of_many(std::uint32_t era, unsigned step_log2) {
        if (era_ != era) renew(era);
        if (step_log2 < step_log2_) step_log2_ = static_cast<std::uint8_t>(step_log2);
        return cells_.get();
    }
    std::span<Cell> touched_cells(std::uint32_t era) {
        if (era_ != era) return {};
        return {cells_.get(), bytes >> cell_log2_};
    }
    void forget(std::uint64_t begin, std::uint64_t end);
    std::size_t held_bytes() const { return cells_ ? (bytes >> finest_log2_) * sizeof(Cell) : 0; }

private:
    void renew(std::uint32_t era);
    void refine(unsigned log2);

    std::unique_ptr<Cell[]> cells_;
    std::uint32_t era_ = 0;
    std::uint8_t cell_log2_ = Stamp::coarsest_log2;
    std::uint8_t finest_log2_ = Stamp::coarsest_log2;  // for which there is room
    std::uint8_t step_log2_ = Stamp::coarsest_log2;    // the least of the stamps
};

/// Cells for some memory.
class ShadowBlock {
public:
    explicit ShadowBlock(std::size_t bytes) : tiles_((bytes + Tile::bytes - 1) / Tile::bytes) {}

    /// The cells of `bytes` at `offset`, aligned to their size, for an access by one lane.
    std::span<Cell> cells_of_one(std::uint64_t offset, std::uint32_t bytes, std::uint32_t era) {
        Tile& tile = tile_of(offset);
        return part(tile, tile.cells_of_one(era, unit_log2(offset, bytes)), offset, bytes);
    }
    std::span<Cell> cells_of_one(std::uint64_t offset, std::uint32_t bytes) {
        return cells_of_one(offset, bytes, era_);
    }
    /// ... for neighbouring lanes that each access 2^step_log2 of the 16 bytes at `offset`.
    std::span<Cell> cells_of_many(std::uint64_t offset, unsigned step_log2, std::uint32_t era) {
        Tile& tile = tile_of(offset);
        return part(tile, tile.cells_of_many(era, step_log2), offset, 1u << Stamp::coarsest_log2);
    }
    std::span<Cell> cells_of_many(std::uint64_t offset, unsigned step_log2) {
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
    static std::span<Cell> part(Tile const& tile, Cell* all, std::uint64_t offset, std::uint32_t bytes) {
        return {all + ((offset & (Tile::bytes - 1)) >> tile.cell_log2()),
                std::max<std::size_t>(bytes >> tile.cell_log2(), 1)};
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
    std::span<Cell> cells_of_one(std::uint64_t address, std::uint32_t bytes) {
        return block_of(address).cells_of_one(address & (block_bytes - 1), bytes, era_);
    }
    std::span<Cell> cells_of_many(std::uint64_t address, unsigned step_log2) {
        return block_of(address).cells_of_many(address & (block_bytes - 1), step_log2, era_);
    }

    /// Forgets everything, or some of it.
    void forget() { ++era_; }
    void forget(std::uint64_t begin, std::uint64_t end);
    /// Calls visit(address, cell) for those of the range that there are, until it says true.
    template <class Visit> void for_each_touched(std::uint64_t begin, std::uint64_t end, Visit const& visit) {
        for_each_block(begin, end, [&](std::uint64_t at, ShadowBlock& block) {
            for (Tile& tile : block.tiles()) {
                std::uint64_t address =
                    at + static_cast<std::uint64_t>(&tile - block.tiles().data()) * Tile::bytes;
                std::uint64_t const step = std::uint64_t{1} << tile.cell_log2();
                for (Cell& cell : tile.touched_cells(era_)) {
                    if (address < end && address + step > begin && visit(address, cell)) return true;
                    address += step;
                }
            }
            return false;
        });
    }
    template <class Visit> void for_each_touched(Visit const& visit) {
        for (auto& [number, block] : blocks_)
            for (Tile& tile : block->tiles())
                for (Cell& cell : tile.touched_cells(era_)) visit(cell);
    }
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
