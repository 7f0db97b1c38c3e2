// Who has last written and read each part of memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

/// Who accessed a cell: a record of an access by a warp, and which of its lanes; in 64 bits.
class Stamp {
public:
    /// Readers that one stamp stands for. Of several it names one of the last.
    enum class Extent : std::uint8_t { lane, warp, cta, grid };

    Stamp() = default;
    Stamp(std::uint64_t record, std::uint32_t lane, std::uint32_t value_hash)
        : bits_((record + 1) << 24 | std::uint64_t{value_hash & 0xffffu} << 8 | lane << 3) {}

    /// Of the launch that began with record `first`; stamps of earlier ones count as none.
    bool is_since(std::uint64_t first) const { return bits_ >> 24 > first; }
    std::uint64_t record() const { return (bits_ >> 24) - 1; }
    std::uint32_t lane() const { return bits_ >> 3 & 31; }
    std::uint32_t value_hash() const { return bits_ >> 8 & 0xffff; }
    /// Both stand for the same access by the same lanes.
    bool is_like(Stamp other) const { return ((bits_ ^ other.bits_) & ~(std::uint64_t{0xffff} << 8)) == 0; }
    Extent extent() const { return static_cast<Extent>(bits_ & 3); }
    /// There is a moment at this place at which threads synchronise.
    Stamp with(Extent extent) const {
        Stamp stamp = *this;
        stamp.bits_ = (bits_ & ~std::uint64_t{3}) | static_cast<std::uint64_t>(extent);
        return stamp;
    }

private:
    std::uint64_t bits_ = 0;  // record + 1 from bit 24 on, hash of the value, lane, extent
};

struct Cell {
    Stamp write, read;
};

/// Cells for some memory. A cell stands for four bytes; where smaller accesses came, for as few as these have.
class ShadowBlock {
public:
    explicit ShadowBlock(std::size_t bytes) : cells_((bytes + 3) / 4) {}

    /// The cells of an aligned access inside.
    std::span<Cell> cells(std::uint64_t offset, std::uint32_t bytes) {
        auto const needed = static_cast<unsigned>(std::countr_zero(offset | bytes));
        if (needed < log2_) refine(needed);
        std::size_t const first = offset >> log2_, count = std::max<std::size_t>(bytes >> log2_, 1);
        if (first + count > cells_.size()) cells_.resize(first + count);
        return {cells_.data() + first, count};
    }

    template <class Visit>
    bool for_each(std::uint64_t at, std::uint64_t begin, std::uint64_t end, Visit const& visit) {
        for (Cell& cell : cells_) {
            std::uint64_t const address = at + (static_cast<std::uint64_t>(&cell - cells_.data()) << log2_);
            if (address < end && address + (std::uint64_t{1} << log2_) > begin && visit(address, cell))
                return true;
        }
        return false;
    }

private:
    void refine(unsigned log2);

    unsigned log2_ = 2;
    std::vector<Cell> cells_;
};

/// Shadow of global memory, in blocks that are made when they are first touched.
class ShadowMemory {
public:
    std::span<Cell> cells(std::uint64_t address, std::uint32_t bytes) {
        if (address >> block_log2 != last_) find_block(address >> block_log2);
        return last_block_->cells(address & ((std::uint64_t{1} << block_log2) - 1), bytes);
    }

    /// Calls visit(address, cell) for those of the range that there are, until it says true.
    template <class Visit> void for_each_touched(std::uint64_t begin, std::uint64_t end, Visit const& visit) {
        for (auto& [number, block] : blocks_) {
            std::uint64_t const at = number << block_log2;
            if (at >= end || at + (std::uint64_t{1} << block_log2) <= begin) continue;
            if (block->for_each(at, begin, end, visit)) return;
        }
    }

private:
    void find_block(std::uint64_t number);

    static constexpr unsigned block_log2 = 12;
    std::unordered_map<std::uint64_t, std::unique_ptr<ShadowBlock>> blocks_;
    std::uint64_t last_ = ~std::uint64_t{0};
    ShadowBlock* last_block_ = nullptr;
};

}  // namespace warpsim::check
